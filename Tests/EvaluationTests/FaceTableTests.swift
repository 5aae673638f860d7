import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing

/// The table of faces, whose rows add up to the record of their run.
@Suite struct FaceTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A face of a side of 40 pixels with 68 points in its box.
  private static func face(x: Double, y: Double = 20, shift: Double = 0) -> FaceLabel {
    let points = (0..<68).map { index in
      Point(
        x: x + 40 * Double(index % 9) / 8 + shift, y: y + 40 * Double(index * 7 % 68) / 67)
    }
    var face = FaceLabel(box: BoundingBox(x: x, y: y, width: 40, height: 40))
    face.landmarks = Landmarks(scheme: .ibug68, points: points).map { [$0] } ?? []
    return face
  }

  private static func scored(_ face: FaceLabel, _ score: Double) -> FaceLabel {
    var face = face
    face.score = score
    return face
  }

  /// Frames of three labelled faces and an ignored one; the tracker misses in each of the ways that it can.
  private func run(_ count: Int = 24) throws -> (record: Record, plan: EvaluationPlan) {
    let dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    var given: [[FaceLabel]] = []
    for index in 0..<count {
      if index % 4 == 0 {
        writer.beginSequence(
          SequenceDescription(
            name: "clip, \"\(index / 4)\"", kind: .video, subject: "s\(index / 8)",
            framesPerSecond: 25))
      }
      var labels = (0..<3).map { Self.face(x: 100 * Double($0)) }
      labels[1].attributes["blur"] = Double(index % 2)
      labels[1].identity = 7
      var ignored = Self.face(x: 400)
      ignored.isIgnored = true
      labels.append(ignored)
      try writer.add(
        name: "a,\(index) \"é\".png", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(index % 4) * 33_333, faces: labels)
      var found = [
        Self.scored(Self.face(x: 0, shift: Double(index % 5) / 7), 0.9),
        // Overlaps by a third.
        Self.scored(Self.face(x: index % 3 == 0 ? 120 : 101), 0.8),
        Self.scored(Self.face(x: 401), 0.75),
      ]
      // Below the threshold, or not there.
      if index % 4 < 3 { found.append(Self.scored(Self.face(x: 200), index % 4 == 0 ? 0.3 : 0.7)) }
      // A duplicate, and something far from every label.
      if index % 6 == 0 { found.append(Self.scored(Self.face(x: 3), 0.65)) }
      if index % 6 == 1 { found.append(Self.scored(Self.face(x: 0, y: 300), 0.6)) }
      given.append(found)
    }
    try writer.finish()
    let predicted = folder.file("p.h5")
    try GivenFaces.write(given, on: dataset, to: predicted)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    plan.predictions = predicted
    plan.bootstrap.resamples = 0
    plan.minSliceCount = 1
    let finished = try Evaluation.run(plan, monitor: .silent)
    try finished.folder.commit()
    return (finished.record, plan)
  }

  /// The rows of a file as RFC 4180 has them, by the names of its first line.
  private func rows(_ name: String) throws -> [[String: String]] {
    let text = String(decoding: try folder.bytes(name), as: UTF8.self)
    var (rows, row, field, isQuoted): ([[String]], [String], String, Bool) = ([], [], "", false)
    var scalars = text.unicodeScalars.makeIterator()
    var next = scalars.next()
    while let scalar = next {
      next = scalars.next()
      switch scalar {
      case "\"" where isQuoted && next == "\"":
        field += "\""
        next = scalars.next()
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        row.append(field)
        field = ""
      case "\r" where !isQuoted:
        #expect(next == "\n")
        next = scalars.next()
        rows.append(row + [field])
        (row, field) = ([], "")
      default: field.unicodeScalars.append(scalar)
      }
    }
    #expect(row.isEmpty && field.isEmpty && !isQuoted)
    let header = try #require(rows.first)
    return rows.dropFirst().map { row in
      #expect(row.count == header.count)
      return Dictionary(uniqueKeysWithValues: zip(header, row))
    }
  }

  private func table(_ table: FaceTable) throws -> [[String: String]] {
    let count = try table.write(
      to: folder.file("faces.csv"), replacing: true, advance: { _ in }, isInterrupted: { false })
    let rows = try rows("faces.csv")
    #expect(rows.count == count)
    return rows
  }

  @Test func `the rows add up to recall, precision, errors and misses of the record`() throws {
    let (record, plan) = try run()
    let rows = try table(FaceTable(ofRun: plan.run, dataset: nil))
    func value(_ name: String, _ slice: String? = nil) throws -> Double {
      try #require(record.measurements.first { $0.name == name && $0.slice == slice }?.value)
    }
    func count(_ column: String, _ value: String, in rows: [[String: String]]) -> Double {
      Double(rows.count { $0[column] == value })
    }
    for (column, recall, precision) in [
      ("detection", "detection.recall@score", "detection.precision@score"),
      ("face", "faces.recall", "faces.precision"),
    ] {
      let found = count(column, "found", in: rows)
      #expect(found > 0 && count(column, "missed", in: rows) > 0)
      #expect(try value(recall) == found / (found + count(column, "missed", in: rows)))
      #expect(try value(precision) == found / (found + count(column, "false", in: rows)))
    }
    #expect(try value("detection.false_negatives@score") == count("detection", "missed", in: rows))
    for column in ["nme_interocular", "nme_interpupil", "nme_box", "nme_diagonal"] {
      let errors = rows.compactMap { $0[column].flatMap(Double.init) }
      let normalizer = column.dropFirst(4)
      let mean = errors.reduce(0, +) / Double(errors.count)
      #expect(try abs(value("landmarks.nme.\(normalizer).conditional") - mean) < 1e-12)
    }
    for slice in ["blur=0", "blur=1"] {
      let part = rows.filter {
        $0["slices"]?.split(separator: ";").contains(Substring(slice)) == true
      }
      let found = count("detection", "found", in: part)
      #expect(
        try value("detection.recall@score", slice)
          == found / (found + count("detection", "missed", in: part)))
    }
    guard
      case .table(let misses) = try #require(
        record.series.first { $0.name == SeriesName.misses }
      ).content
    else { throw CancellationError() }
    #expect(
      misses.rows.map { [$0[0], $0[1]] }
        == rows.filter { $0["detection"] == "missed" }.map { [$0["name"], $0["label"]] })
  }

  @Test func `each way to miss a face and to find one too many has its reason`() throws {
    let (_, plan) = try run()
    let rows = try table(FaceTable(ofRun: plan.run, dataset: nil))
    func reasons(_ outcome: String, _ frame: Int, _ column: String = "face") -> [String] {
      rows.filter { $0["frame"] == "\(frame)" && $0[column] == outcome }
        .compactMap { $0["\(column)_reason"] }
    }
    for column in ["face", "detection"] {
      #expect(reasons("missed", 0, column) == ["overlap too small", "below threshold"])
      #expect(reasons("missed", 7, column) == ["nothing near"])
      #expect(Set(reasons("false", 0, column)) == ["overlap too small", "duplicate"])
      #expect(reasons("false", 1, column) == ["nothing near"])
    }
    let first = rows.filter { $0["frame"] == "0" }
    #expect(first.count == 7)
    #expect(first[0]["name"] == "a,0 \"é\".png" && first[0]["sequence"] == "clip, \"0\"")
    #expect(first[1]["label_identity"] == "7" && first[0]["label_identity"] == "")
    #expect(first[3]["label_state"] == "ignored" && first[3]["face"] == "")
    #expect(first.count { $0["face"] == "ignored" && $0["label"] == "" } == 1)
    // What is false for both is one row.
    #expect(first.allSatisfy { $0["face"] != "false" || $0["detection"] == "false" })
    #expect(rows.first { $0["frame"] == "1" }?["time_s"] == "0.033333")
  }

  @Test func `predictions without a run count as evaluate counts them`() throws {
    let (_, plan) = try run()
    let ofRun = try table(FaceTable(ofRun: plan.run, dataset: nil))
    let predictions = try PredictionsReader(folder.file("p.h5"))
    let bare = try table(FaceTable(of: predictions, DatasetReader(plan.dataset)))
    #expect(bare.count == ofRun.count)
    for (one, other) in zip(bare, ofRun) {
      #expect(one.filter { $0.key != "slices" } == other.filter { $0.key != "slices" })
    }
  }

  @Test func `a dataset that changed after the run is refused`() throws {
    let (_, plan) = try run(4)
    let writer = try DatasetWriter(plan.dataset, name: "d", replacing: true)
    for index in 0..<4 {
      try writer.add(
        name: "\(index).png", image: [], size: ImageSize(width: 0, height: 0),
        faces: [Self.face(x: 0)])
    }
    try writer.finish()
    let error = #expect(throws: EvaluationError.self) {
      try FaceTable(ofRun: plan.run, dataset: nil)
    }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("expected the dataset of the run, SHA-256 ") == true)
  }

  @Test func `an interrupted table and one that exists leave nothing new`() throws {
    let (_, plan) = try run(4)
    let table = try FaceTable(ofRun: plan.run, dataset: nil)
    #expect(throws: EvaluationError.self) {
      try table.write(
        to: folder.file("t.csv"), replacing: false, advance: { _ in }, isInterrupted: { true })
    }
    #expect(try folder.names == ["d.h5", "p.h5", "run"])
    try folder.write("mine", to: "t.csv")
    #expect(throws: EvaluationError.self) {
      try table.write(
        to: folder.file("t.csv"), replacing: false, advance: { _ in }, isInterrupted: { false })
    }
    #expect(try folder.bytes("t.csv") == Array("mine".utf8))
  }

  @Test func `the guide lists every column in its order`() throws {
    let guide = try String(
      contentsOf: Checkout.root.appending(path: "Sources/facegauge/Guides.docc/TableOfFaces.md"),
      encoding: .utf8)
    let section = try #require(guide.split(separator: "### Columns").last)
    let table = try #require(section.split(separator: "\nBoxes are").first)
    let cells = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .compactMap { $0.split(separator: "|").first }
    let named = cells.flatMap { cell in
      cell.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map {
        String($0.element)
      }
    }
    #expect(named == FaceColumn.allCases.map(\.rawValue))
  }
}
