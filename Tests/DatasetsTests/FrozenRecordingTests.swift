import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Recordings of Live Link that repeat their last row, in `validate` and as frames that count as lost.
@Suite struct FrozenRecordingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A take at 60 fps whose rows have the values of given numbers.
  private func take(_ numbers: [Int], named name: String = "take.csv") throws -> URL {
    try folder.write(
      LiveLinkTests.text(
        numbers.enumerated().map { index, number in
          LiveLinkTests.row(
            String(format: "10:00:%02d:%02d.000", index / 60, index % 60),
            0.2 + Double(number) / 1000)
        }), to: name)
  }

  private func dataset(_ numbers: [Int]) throws -> DatasetReader {
    let url = folder.file("take.h5")
    let writer = try DatasetWriter(url, name: "take", replacing: true)
    _ = try DatasetImport(
      format: LiveLinkCSV(), sources: [take(numbers)], options: ImportOptions(), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    return try DatasetReader(url)
  }

  private func line(of numbers: [Int]) throws -> ChecklistLine {
    let checks = try DatasetValidation(of: dataset(numbers)).checks
    return try #require(checks.first { $0.name == "recordings-move" })
  }

  @Test func `validate counts frozen stretches and gives the longest first`() throws {
    // 20 rows repeat row 30, then 40 repeat row 80: 0.33 s and 0.67 s.
    let numbers = (0..<200).map { (31...50).contains($0) ? 30 : (81...120).contains($0) ? 80 : $0 }
    let frozen = try line(of: numbers)
    #expect(frozen.outcome == .warning && frozen.count == 2)
    #expect(
      frozen.examples == [
        "frames 81 to 120 of sequence 0 'take', 0.6667 s",
        "frames 31 to 50 of sequence 0 'take', 0.3333 s",
      ])
  }

  @Test func `rows that repeat for 0.2 s, as at a lower rate of the camera, are no stretch`() throws
  {
    #expect(try line(of: (0..<60).map { (21...32).contains($0) ? 20 : $0 }).outcome == .ok)
    #expect(try line(of: (0..<60).map { (21...33).contains($0) ? 20 : $0 }).count == 1)
    #expect(try line(of: (0..<60).map { $0 / 2 }).outcome == .ok)
  }

  @Test func `frames that repeat the values count as lost where the format marks no losses`() throws
  {
    let dataset = try dataset(Array(0..<120))
    func frozen(_ format: any DatasetFormat, _ sources: [URL]) throws -> Set<Int> {
      let url = folder.file("p.h5")
      try? FileManager.default.removeItem(at: url)
      _ = try PredictionsImport(
        format: format, sources: sources, options: ImportOptions(), isStrict: false
      ).run(
        for: dataset, sha256: "00", into: url, replacing: false, advance: { _ in },
        isInterrupted: { false })
      return try PredictionsReader(url).frozenFrames(of: dataset)
    }
    let stuck = try take((0..<120).map { min($0, 60) })
    #expect(try frozen(LiveLinkCSV(), [stuck]) == Set(61..<120))
    #expect(try frozen(LiveLinkCSV(), [take(Array(0..<120))]).isEmpty)
    #expect(try frozen(Marking(frames: readAll(LiveLinkCSV(), [stuck]).frames), [stuck]).isEmpty)
  }

  /// The same frames from a format that has no face where it was lost.
  private struct Marking: DatasetFormat {
    let name = "openface"
    let summary = ""
    var frames: [ImportedFrame]

    func recognises(_ source: URL) -> String? { nil }

    func read(
      _ sources: [URL], options: ImportOptions,
      into sink: (ImportedFrame) throws(FileError) -> Void
    ) throws(FileError) -> [ImportRemark] {
      for frame in frames { try sink(frame) }
      return []
    }
  }

  @Test func `only formats whose rows all have a face mark no losses`() {
    #expect(
      DatasetFormats.all.filter { !$0.marksLosses }.map(\.name)
        == ["hdf5", "livelink", "livelink-packets"])
  }
}

/// An id for several faces of a frame, which tools for tracking refuse.
@Suite struct RepeatedIdentityTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func line(_ identities: [Int?], isVideo: Bool = true) throws -> ChecklistLine {
    let url = folder.file("a.h5")
    var dataset = MadeDataset()
    dataset.frames = (0..<3).map { index in
      MadeDataset.Still(
        name: "\(index)",
        faces: identities.enumerated().map { place, identity in
          MadeDataset.face(x: 5 + 10 * Double(place), identity: index == 1 ? identity : place)
        },
        begins: isVideo && index == 0 ? SequenceDescription(name: "clip", kind: .video) : nil,
        microseconds: isVideo ? Int64(index) * 40_000 : 0)
    }
    try dataset.write(to: url)
    let checks = try DatasetValidation(of: DatasetReader(url)).checks
    return try #require(checks.first { $0.name == "identities-once" })
  }

  @Test func `a frame of a video with one identity for two faces is a warning`() throws {
    let found = try line([7, 7, 8])
    #expect(found.outcome == .warning && found.count == 1)
    #expect(found.examples == ["frame 1 '1': identity 7 for 2 faces"])
    #expect(try line([7, 9, 8]).outcome == .ok)
    #expect(try line([nil, nil, 8]).outcome == .ok)
    #expect(try line([7, 7, 8], isVideo: false).outcome == .notChecked)
  }

  @Test func `so is one of predictions`() throws {
    func line(_ second: Int) throws -> ChecklistLine {
      let url = folder.file("p.h5")
      try? FileManager.default.removeItem(at: url)
      let writer = try PredictionsWriter(url, header: .sample(stages: ["total"]))
      var prediction = FramePrediction(
        frame: 0, size: ImageSize(width: 100, height: 80), stageNanoseconds: [nil],
        detections: [], candidates: [])
      prediction.faces = [4, second].map {
        FacePrediction(
          region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: nil,
          points: [], ownBox: BoundingBox(x: Double($0), y: 1, width: 20, height: 20), identity: $0)
      }
      try writer.add(prediction)
      try writer.finish(facts: [])
      let checks = try DatasetValidation(of: PredictionsReader(url)).checks
      return try #require(checks.first { $0.name == "identities-once" })
    }
    #expect(try line(4).examples == ["frame 0: identity 4 for 2 faces"])
    #expect(try line(5).outcome == .ok)
  }
}
