import Datasets
import FaceCore
import Foundation
import Records
import Scoring
import TestSupport
import Testing

/// Curves and stretches of a run whose times and readings are planted.
@Suite struct RunTimelineTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Two minutes at 20 frames a second; every tenth frame of the second minute is dropped and the others take 30 ms for 20.
  private func predictions(_ readings: [String]) throws -> PredictionsReader {
    var header = PredictionsHeader(
      datasetName: "d", datasetSHA256: "00", datasetPath: "d.h5", mode: "live", models: [],
      candidateFloor: 0, stages: ["response", "total"], options: [:])
    header.readings = readings
    let writer = try PredictionsWriter(folder.file("p.h5"), header: header)
    for frame in 0..<2400 {
      let isLate = frame >= 1200
      if isLate, frame % 10 == 9 {
        try writer.add(FramePrediction(frame: frame, notAnalysed: .dropped))
        continue
      }
      let time: UInt64 = (isLate ? 30_000_000 : 20_000_000) + UInt64(frame % 7) * 10_000
      var prediction = FramePrediction(
        frame: frame, size: ImageSize(width: 8, height: 8),
        stageNanoseconds: [time + 1_000_000, time], detections: [], candidates: [])
      prediction.readings = [Double(frame) / 20, frame < 40 ? nil : isLate ? 2 : 0]
      try writer.add(prediction)
    }
    try writer.finish()
    return try PredictionsReader(folder.file("p.h5"))
  }

  private func curve(_ timeline: RunTimeline, _ name: String) throws -> Series.Curve {
    let series = try #require(timeline.series.first { $0.name == name })
    guard case .curve(let curve) = series.content else {
      throw NSError(domain: "\(series.content)", code: 1)
    }
    return curve
  }

  @Test func `throttling, drops and heat stand in their stretches and curves`() throws {
    let timeline = try #require(
      try RunTimeline(predictions([PredictionsHeader.answered, "thermal"])))
    #expect(timeline.notes.count == 1)
    #expect(
      timeline.notes.first?.hasPrefix("Over the run, a frame took 1.50 times as long from 60 s on")
        == true, "\(timeline.notes)")
    let times = try curve(timeline, SeriesName.timelineTimes)
    #expect(times.lines.map(\.label) == ["total, median", "total, p95", "response, median"])
    #expect(times.lines.allSatisfy { $0.x.count == 120 && $0.x[0] == 0.5 })
    #expect(times.marks.map(\.label) == ["1.50 times"] && times.marks[0].x == 60)
    #expect(times.lines[0].y[59] < 20.1 && times.lines[0].y[60] >= 30)
    let rate = try curve(timeline, SeriesName.timelineRate)
    // 20 a second, then 18 and 2 dropped; the last window is not over.
    #expect(rate.lines.map(\.label) == ["analysed", "dropped"])
    #expect(rate.lines[0].y.count == 23)
    #expect(abs(rate.lines[0].y[3] - 20) < 1e-9 && abs(rate.lines[0].y[15] - 18) < 1e-9)
    #expect(rate.lines[1].y[3] == 0 && abs(rate.lines[1].y[15] - 2) < 1e-9)
    let thermal = try curve(timeline, SeriesName.timelineReading + "thermal")
    #expect(thermal.lines[0].x.count == 118 && Set(thermal.lines[0].y) == [0, 2])
    guard case .table(let stretches) = try #require(timeline.series.last).content else {
      throw NSError(domain: "no table", code: 1)
    }
    #expect(
      stretches.columns == [
        "stretch", "from (s)", "to (s)", "frames", "total p50", "total p95", "response p50",
        "response p95", "dropped", "frames a second", "thermal",
      ])
    #expect(
      stretches.rows == [
        ["steady", "0", "60", "1200", "20", "20.1", "21", "21.1", "0", "20", "0"],
        ["after a change", "60", "120", "1080", "30", "30.1", "31", "31.1", "119", "18", "2"],
      ])
  }

  @Test func `a file that does not say when answers came has no timeline`() throws {
    #expect(try RunTimeline(predictions([])) == nil)
    #expect(try RunTimeline(predictions(["thermal"])) == nil)
  }
}
