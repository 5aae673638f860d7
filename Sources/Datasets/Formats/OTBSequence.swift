internal import FaceCore
package import Foundation

/// A sequence of the Object Tracking Benchmark: one target's box a frame, or a tracker's result of it.
package struct OTBSequence: DatasetFormat {
  /// The word on the command line.
  package let name = "otb"
  /// What it reads.
  package let summary =
    "OTB sequences with groundtruth_rect.txt, and trackers' result JSON"
  /// Frames count from the first that is labelled.
  package let joins = FrameKey.number

  private static let truthPrefix = "groundtruth_rect"

  /// Makes the format.
  package init() {}

  /// The options that have an effect.
  package let settings: Set<ImportSetting> = [.indexBase, .framesPerSecond]

  /// A `groundtruth_rect.txt`, a folder with one, or a JSON file with `resType` and `res`.
  package func recognises(_ source: URL) -> String? {
    if SourceFiles.isFolder(source) {
      return Self.truths(in: source).isEmpty ? nil : "a folder with a \(Self.truthPrefix).txt"
    }
    if Self.isTruth(source.lastPathComponent) { return "a file named \(Self.truthPrefix).txt" }
    guard source.pathExtension.lowercased() == "json", let head = SourceFiles.head(of: source),
      head.contains("\"resType\""), head.contains("\"startFrame\"")
    else { return nil }
    return "a JSON file with resType and startFrame"
  }

  /// Reads each sequence as one video with its pictures, each result as one without.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(DatasetError) -> Void
  ) throws(DatasetError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed("boxes taken as \(options.indexBase)-based (--index-base)")
    ]
    let rate = options.framesPerSecond ?? 30
    if options.framesPerSecond == nil {
      remarks.append(.assumed("taken as 30 frames a second (--fps)"))
    }
    for source in sources {
      let track =
        source.pathExtension.lowercased() == "json"
        ? try OTBTrack(result: source) : try truth(source, options: options)
      remarks += track.remarks
      for row in 0..<track.count {
        var frame = ImportedFrame(
          name: track.name(row), picture: track.picture(row), faces: track.faces(row, options),
          timestampMicroseconds: Int64((Double(row) * 1_000_000 / rate).rounded()))
        frame.number = row
        if row == 0 {
          frame.begins = SequenceDescription(
            name: track.title, kind: .video, framesPerSecond: rate)
        }
        try sink(frame)
      }
      if track.absent > 0 {
        remarks.append(
          .assumed("\(track.title): \(track.absent) rows without a box are frames without a face"))
      }
    }
    return remarks
  }

  private static func isTruth(_ name: String) -> Bool {
    name.hasPrefix(truthPrefix) && name.hasSuffix(".txt")
  }

  private static func truths(in folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter(isTruth).sorted()
  }

  private func truth(_ source: URL, options: ImportOptions) throws(DatasetError) -> OTBTrack {
    let isFolder = SourceFiles.isFolder(source)
    if !isFolder { try SourceFiles.requireFile(source) }
    let folder = isFolder ? source : source.deletingLastPathComponent()
    let files = isFolder ? Self.truths(in: folder) : [source.lastPathComponent]
    guard !files.isEmpty else {
      throw DatasetError(
        .wrongData,
        "cannot read \(source.relativePath): expected a \(Self.truthPrefix).txt, found none")
    }
    var targets: [[BoundingBox?]] = []
    for file in files {
      targets.append(try Self.boxes(of: folder.appending(path: file)))
      guard targets[0].count == targets[targets.count - 1].count else {
        throw DatasetError(
          .wrongData,
          "cannot read \(file): expected \(targets[0].count) rows as in \(files[0]), found "
            + "\(targets[targets.count - 1].count)")
      }
    }
    return try OTBTrack(
      truth: targets, in: folder, pictures: options.pictureFolder ?? folder.appending(path: "img"),
      isLabelsOnly: options.isLabelsOnly)
  }

  /// One box a line: four numbers between commas, tabs or spaces; nil for NaN and for a box of no size.
  private static func boxes(of file: URL) throws(DatasetError) -> [BoundingBox?] {
    let text = String(
      decoding: try SourceFiles.bytes(of: file, limit: 64 << 20), as: UTF8.self)
    var boxes: [BoundingBox?] = []
    for (index, line) in text.split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline
    ).enumerated() {
      let fields = line.split(whereSeparator: { $0 == "," || $0.isWhitespace })
      guard !fields.isEmpty else { continue }
      let numbers = fields.compactMap { Double($0) }
      guard fields.count == 4, numbers.count == 4, !numbers.contains(where: \.isInfinite) else {
        throw DatasetError(
          .wrongData,
          "cannot read \(file.lastPathComponent), line \(index + 1): expected 4 numbers, found "
            + "'\(line.prefix(60))'")
      }
      boxes.append(OTBTrack.box(numbers))
    }
    guard !boxes.isEmpty else {
      throw DatasetError(
        .wrongData, "cannot read \(file.lastPathComponent): expected boxes, found none")
    }
    return boxes
  }
}

/// The boxes of one sequence, frame by frame, and where its pictures are.
private struct OTBTrack {
  let title: String
  private(set) var remarks: [ImportRemark] = []
  private let targets: [[BoundingBox?]]
  private var pictures: [URL] = []
  private let start: Int

  var count: Int { targets[0].count }

  /// A box that is there: of four finite numbers and some size.
  static func box(_ numbers: [Double]) -> BoundingBox? {
    let box = BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    return box.isWellFormed && box.area > 0 ? box : nil
  }

  /// Ground truth: its rows belong to startFrame to endFrame of `cfg.json`, else to the first pictures.
  init(
    truth: [[BoundingBox?]], in folder: URL, pictures place: URL, isLabelsOnly: Bool
  ) throws(DatasetError) {
    targets = truth
    title = folder.standardizedFileURL.lastPathComponent
    let rows = truth[0].count
    let files =
      SourceFiles.isFolder(place)
      ? try SourceFiles.files(in: place, extensions: SourceFiles.pictureExtensions) : []
    let plan = folder.appending(path: "cfg.json")
    var first = 1
    if FileManager.default.fileExists(atPath: plan.path) {
      let range: Range = try Self.decode(Range.self, plan)
      guard range.startFrame >= 1, range.endFrame >= range.startFrame,
        range.endFrame <= 1 << 20,
        range.endFrame - range.startFrame == rows - 1
      else {
        throw DatasetError(
          .wrongData,
          "cannot read cfg.json: expected startFrame and endFrame of \(rows) frames, the rows of "
            + "ground truth, found \(range.startFrame) to \(range.endFrame)")
      }
      first = range.startFrame
    } else if files.count != rows, !files.isEmpty {
      remarks.append(
        .assumed("\(title): \(rows) rows taken to be of the first of \(files.count) pictures"))
    }
    start = first
    guard !files.isEmpty || isLabelsOnly else {
      throw DatasetError(
        .notFound,
        "cannot read \(place.relativePath): expected pictures, found none (--pictures FOLDER or "
          + "--labels-only)")
    }
    guard files.isEmpty || files.count >= first - 1 + rows else {
      throw DatasetError(
        .wrongData,
        "cannot read \(title): expected \(first - 1 + rows) pictures, found \(files.count)")
    }
    pictures = files.dropFirst(first - 1).prefix(rows).map { place.appending(path: $0) }
    if files.count > rows {
      remarks.append(
        .dropped(
          "\(title): \(files.count - rows) of \(files.count) pictures have no row of ground truth "
            + "and are left out"))
    }
  }

  /// A tracker's result: the boxes of the first run in the file.
  init(result source: URL) throws(DatasetError) {
    let runs = try Self.decode([Run].self, source)
    let file = source.lastPathComponent
    guard let run = runs.first else {
      throw DatasetError(.wrongData, "cannot read \(file): expected a run, found none")
    }
    title = run.seqName
    start = run.startFrame
    guard run.resType == "rect" else {
      throw DatasetError(
        .wrongData,
        "cannot read \(file): expected resType rect, found '\(run.resType.prefix(60))'")
    }
    guard (0...(1 << 20)).contains(start), !run.res.isEmpty else {
      throw DatasetError(
        .wrongData,
        "cannot read \(file): expected boxes in 'res' from a frame of 0 to \(1 << 20) on, "
          + "found \(run.res.count) from \(start) on")
    }
    var boxes: [BoundingBox?] = []
    for (index, numbers) in run.res.enumerated() {
      guard numbers.count == 4 else {
        throw DatasetError(
          .wrongData,
          "cannot read \(file): expected 4 numbers in 'res[\(index)]', found \(numbers.count)")
      }
      boxes.append(Self.box(numbers))
    }
    targets = [boxes]
    remarks.append(
      .assumed("\(title): result of \(run.tracker ?? "a tracker") from frame \(run.startFrame) on"))
    if runs.count > 1 {
      remarks.append(.dropped("\(title): \(runs.count - 1) further runs in \(file) left out"))
    }
  }

  /// How many rows say that the target is not there.
  var absent: Int { targets.reduce(0) { $0 + $1.count { $0 == nil } } }

  func name(_ row: Int) -> String {
    pictures.isEmpty ? "\(title)/\(start + row)" : "\(title)/\(pictures[row].lastPathComponent)"
  }

  func picture(_ row: Int) -> ImportedFrame.Picture {
    pictures.isEmpty ? .none : .file(pictures[row])
  }

  func faces(_ row: Int, _ options: ImportOptions) -> [FaceLabel] {
    let base = Double(options.indexBase)
    return targets.enumerated().compactMap { target, boxes in
      boxes[row].map {
        FaceLabel(
          box: BoundingBox(x: $0.x - base, y: $0.y - base, width: $0.width, height: $0.height),
          identity: target)
      }
    }
  }

  private static func decode<Content: Decodable>(
    _ type: Content.Type, _ file: URL
  ) throws(DatasetError) -> Content {
    let bytes = try SourceFiles.bytes(of: file, limit: 64 << 20)
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      throw DatasetError(
        .wrongData, "cannot read \(file.lastPathComponent): \(LabelsJSON.explain(error))")
    }
  }

  private struct Range: Decodable {
    var startFrame: Int
    var endFrame: Int
  }

  private struct Run: Decodable {
    var tracker: String?
    var seqName: String
    var startFrame: Int
    var resType: String
    var res: [[Double]]
  }
}
