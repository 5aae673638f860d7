import Records
import Reporting
import Testing

/// What the first screen says of the setting that ran, and where it is worst.
@Suite struct OperatingPointTests {
  private func measurement(
    _ name: String, _ title: String, _ value: Double?, unit: String = "1",
    better: Direction = .higher, slice: String? = nil
  ) -> Measurement {
    Measurement(
      name: name, title: title, stage: "landmarks", value: value,
      reason: value == nil ? "no face" : nil, unit: unit, better: better, n: 40, slice: slice,
      interval: value == nil
        ? .none("the metric is undefined")
        : Interval(low: 0, high: 1, level: 0.95, method: "made up"))
  }

  private var record: Record {
    var record = Sample.empty
    record.options["min-face-detection-confidence"] = "0.93"
    record.measurements = [
      measurement("faces.recall", "Recall", 0.419), measurement("faces.precision", "Precision", 1),
      measurement(
        "tracking.missed_s_per_minute", "Missed", 34.9, unit: "s/min", better: .lower),
      measurement("landmarks.nme.interocular.conditional", "NME", 0.03, better: .lower),
      measurement("landmarks.fr.interocular@0.08", "Missed or off", 0.6, better: .lower),
      measurement("detection.ap", "AP", 0.626),
    ]
    record.headlines = record.measurements.map(\.name)
    for (slice, value) in [("motion=nod", 0.9), ("motion=turn", 0.3), ("yaw=0-30", 0.95)] {
      record.measurements.append(
        measurement(
          "landmarks.fr.interocular@0.08", "Missed or off", value, better: .lower, slice: slice))
    }
    let row = ["b", "30", "30", "20", "0.333", "1", "0.0500", "b/7.png", "37"]
    record.series = [
      Series(
        name: SeriesName.clips, title: "Clips",
        content: .table(
          Series.Table(
            columns: ClipColumn.allCases.map(\.rawValue),
            rows: [row]
              + Array(repeating: ["a", "30", "30", "0", "1", "0", "–", "–", "–"], count: 24))
        )),
      Series(
        name: SeriesName.worstFrames, title: "Worst frames",
        content: .table(
          Series.Table(
            columns: WorstFrameColumn.allCases.map(\.rawValue),
            rows: [["b/7.png", "37", "1", "1", "–"]]))),
    ]
    return record
  }

  @Test
  func `the answer begins with recall and precision at the setting, then errors of all faces`() {
    let sentences = Decision(record).answers[0].sentences
    #expect(sentences[0].hasPrefix("At min-face-detection-confidence 0.93"))
    #expect(sentences[0].contains("Recall 0.419 (95 % interval 0.000 to 1.000; n = 40), Precision"))
    #expect(sentences[1].hasPrefix("Missed 34.9 s/min"))
    #expect(sentences[2].hasPrefix("NME 0.030") && sentences[2].contains("Missed or off 0.600"))
    #expect(!sentences.contains { $0.contains("AP ") })
  }

  @Test func `the settings of a tracker that did not run here are not told as its own`() {
    var record = record
    record.options["tracker"] = "mot"
    #expect(Decision(record).answers[0].sentences[0].hasPrefix("Recall 0.419"))
  }

  @Test func `a dimension without a worse slice names none`() {
    var record = record
    record.measurements.removeAll { $0.slice == "yaw=0-30" }
    for index in record.measurements.indices where record.measurements[index].slice != nil {
      record.measurements[index].value = 0.6
    }
    #expect(WorstPlaces(record).places.map(\.kind) == ["clip", "frame"])
  }

  @Test func `what is undefined is not given a number`() {
    var record = record
    record.measurements = [measurement("faces.recall", "Recall", nil)]
    record.headlines = ["faces.recall"]
    #expect(Decision(record).answers[0].sentences[0] == "Recall is undefined: no face.")
    record.series = []
    #expect(WorstPlaces(record).places.isEmpty && Decision(record).places == nil)
  }

  @Test func `the worst clip, motion, slice and frame are named, and lead to their frames`() throws
  {
    let places = WorstPlaces(record).places
    #expect(places.map(\.kind) == ["clip", "motion", "slice", "frame"])
    #expect(places.map(\.name) == ["b", "nod", "yaw=0-30", "b/7.png"])
    #expect(places[0].detail == "20 of 30 faces missed, 1 false, NME 0.0500")
    let table = try #require(Decision(record).places)
    #expect(
      table.rows.flatMap { $0.compactMap(\.selection) } == [
        "frame:37", "slice:motion=nod", "slice:yaw=0-30", "frame:37",
      ])
    #expect(Report(record: record).markdown().contains("| clip b | 20 of 30 faces missed"))
  }

  @Test(arguments: [("no", "is not decisive among all slices (p 1)"), ("yes", "is decisive among")])
  func `the worst slice is told with the test of its gap`(decisive: String, words: String) throws {
    var record = record
    let row = [
      "landmarks.fr.interocular@0.08", "yaw=0-30", "yaw=60-", "0.5", "0.1 to 0.9", "1", decisive,
      "0.2", "30",
    ]
    record.series.append(
      Series(
        name: SeriesName.sliceGaps, title: "Gaps between slices",
        content: .table(
          Series.Table(columns: row.indices.map { "\($0)" }, rows: [row]))))
    let slice = try #require(WorstPlaces(record).places.first { $0.kind == "slice" })
    #expect(slice.detail.contains(", against 0.600 over all; its gap to yaw=60- \(words)"))
    let motion = try #require(WorstPlaces(record).places.first { $0.kind == "motion" })
    #expect(motion.detail.hasSuffix("over all; the intervals overlap"))
  }

  @Test(arguments: [(0.02, 0.06, "skin=6"), (0.01, 0.02, "yaw=0-30")])
  func `a slice whose gap is decisive comes before one of chance if it is worse than the whole`(
    best: Double, worst: Double, name: String
  ) throws {
    var record = record
    for (slice, value) in [("skin=1", best), ("skin=6", worst)] {
      record.measurements.append(
        measurement(
          "landmarks.nme.interocular.conditional", "NME", value, better: .lower, slice: slice))
    }
    let rows = [
      ["landmarks.fr.interocular@0.08", "yaw=0-30", "yaw=60-", "0.5", "", "0.3", "no", "", ""],
      [
        "landmarks.nme.interocular.conditional", "skin=6", "skin=1", "0.04", "", "0", "yes", "", "",
      ],
    ]
    record.series.append(
      Series(
        name: SeriesName.sliceGaps, title: "Gaps between slices",
        content: .table(Series.Table(columns: rows[0].map { _ in "" }, rows: rows))))
    let slice = try #require(WorstPlaces(record).places.first { $0.kind == "slice" })
    #expect(slice.name == name)
    #expect(
      slice.detail.hasSuffix("its gap to skin=1 is decisive among all slices")
        == (name == "skin=6"))
  }

  @Test func `the table of clips is cut, and says how many are left out`() throws {
    let section = try #require(
      Report(record: record).document.sections.first { $0.id == "clips" })
    guard case .table(let clips)? = section.blocks.first else {
      Issue.record("expected a table")
      return
    }
    #expect(clips.rows.count == 20 && clips.columns.count == 8)
    #expect(clips.rows[0].last?.selection == "frame:37")
    #expect(clips.remark == "5 clips with fewer errors left out here; record.json has them.")
  }
}
