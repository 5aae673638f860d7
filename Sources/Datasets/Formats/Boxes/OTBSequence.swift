internal import FaceCore
package import Foundation
package import Platform

/// A sequence of the Object Tracking Benchmark: one target box per frame, or a tracker's result.
package struct OTBSequence: DatasetFormat {
  package let name = "otb"
  package let summary = "OTB sequences with groundtruth_rect.txt, and trackers' result JSON"
  package let numbersTracks = true
  /// Frames count from the first that is labelled.
  package let joins = FrameKey.number
  package let settings: Set<ImportSetting> = [.indexBase, .framesPerSecond]

  package init() {}

  private static let truthPrefix = "groundtruth_rect"

  /// A `groundtruth_rect.txt`, a folder with one, or a JSON file with `resType` and `res`.
  package func recognises(_ source: URL) -> String? {
    if source.isFolder {
      return Self.truths(in: source).isEmpty ? nil : "a folder with a \(Self.truthPrefix).txt"
    }
    if Self.isTruth(source.lastPathComponent) { return "a file named \(Self.truthPrefix).txt" }
    guard let head = SourceFiles.head(of: source, type: "json"),
      head.contains("\"resType\""), head.contains("\"startFrame\"")
    else { return nil }
    return "a JSON file with resType and startFrame"
  }

  /// Reads each sequence as one video with its images, each result as one without.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed("boxes taken as \(options.indexBase)-based (--index-base)")
    ]
    let rate = options.framesPerSecond ?? 30
    remarks.assume("taken as 30 frames per second (--fps)", if: options.framesPerSecond == nil)
    for source in sources {
      let track =
        source.pathExtension.lowercased() == "json"
        ? try OTBTrack(result: source) : try truth(source, options: options)
      remarks += track.remarks
      for row in 0..<track.count {
        var frame = ImportedFrame(
          name: track.name(row), image: track.image(row), faces: track.faces(row, options),
          timestampMicroseconds: Int64((Double(row) * 1_000_000 / rate).rounded()))
        frame.number = row
        if row == 0 { frame.begins = .video(track.title, at: rate) }
        try sink(frame)
      }
      remarks.assume(
        track.absent, "rows without a box are frames without a face", about: track.title)
    }
    return remarks
  }

  private static func isTruth(_ name: String) -> Bool {
    name.hasPrefix(truthPrefix) && name.hasSuffix(".txt")
  }

  private static func truths(in folder: URL) -> [String] {
    let names = (try? folder.names()) ?? []
    return names.filter(isTruth).sorted()
  }

  private func truth(_ source: URL, options: ImportOptions) throws(FileError) -> OTBTrack {
    let isFolder = source.isFolder
    if !isFolder { try SourceFiles.requireFile(source) }
    let folder = isFolder ? source : source.deletingLastPathComponent()
    let files =
      isFolder ? Self.truths(in: folder).map { folder.appending(path: $0) } : [source]
    guard !files.isEmpty else {
      throw FileError.wrongData(
        "cannot read \(source.relativePath): expected a \(Self.truthPrefix).txt, found none")
    }
    var targets: [[BoundingBox?]] = []
    for file in files {
      targets.append(try Self.boxes(of: file))
      guard targets[0].count == targets[targets.count - 1].count else {
        throw FileError.wrongData(
          "cannot read \(file.relativePath): expected \(targets[0].count) rows as in "
            + "\(files[0].relativePath), found \(targets[targets.count - 1].count)")
      }
    }
    return try OTBTrack(
      truth: targets, in: folder, images: options.imageFolder ?? folder.appending(path: "img"),
      isLabelsOnly: options.isLabelsOnly)
  }

  /// One box per line: four numbers separated by commas, tabs or spaces; nil for NaN or an empty box.
  private static func boxes(of file: URL) throws(FileError) -> [BoundingBox?] {
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
        throw FileError.wrongData(
          "cannot read \(file.relativePath), line \(index + 1): expected 4 numbers, found "
            + "'\(line.prefix(60))'")
      }
      boxes.append(OTBTrack.box(numbers))
    }
    guard !boxes.isEmpty else {
      throw FileError.wrongData("cannot read \(file.relativePath): expected boxes, found none")
    }
    return boxes
  }
}

/// The boxes of one sequence, frame by frame, and where its images are.
private struct OTBTrack {
  let title: String
  private(set) var remarks: [ImportRemark] = []
  private let targets: [[BoundingBox?]]
  private var images: [URL] = []
  private let start: Int

  var count: Int { targets[0].count }

  /// A valid box: four finite numbers and a size above 0.
  static func box(_ numbers: [Double]) -> BoundingBox? {
    let box = BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    return box.isWellFormed && box.area > 0 ? box : nil
  }

  /// Ground truth: its rows belong to startFrame to endFrame of `cfg.json`, else to the first images.
  init(
    truth: [[BoundingBox?]], in folder: URL, images position: URL, isLabelsOnly: Bool
  ) throws(FileError) {
    targets = truth
    title = folder.standardizedFileURL.lastPathComponent
    let rows = truth[0].count
    let files =
      position.isFolder
      ? try SourceFiles.files(in: position, extensions: SourceFiles.imageExtensions) : []
    let plan = folder.appending(path: "cfg.json")
    var first = 1
    if plan.isThere {
      let range: Range = try Self.decode(Range.self, plan)
      guard range.startFrame >= 1, range.endFrame >= range.startFrame,
        range.endFrame <= 1 << 20,
        range.endFrame - range.startFrame == rows - 1
      else {
        throw FileError.wrongData(
          "cannot read \(plan.relativePath): expected startFrame and endFrame of \(rows) frames, the rows of "
            + "ground truth, found \(range.startFrame) to \(range.endFrame)")
      }
      first = range.startFrame
    } else if files.count != rows, !files.isEmpty {
      remarks.assume("\(title): \(rows) rows taken to be of the first of \(files.count) images")
    }
    start = first
    guard !files.isEmpty || isLabelsOnly else {
      throw FileError(
        .notFound,
        "cannot read \(position.relativePath): expected images, found none (--images FOLDER or "
          + "--labels-only)")
    }
    guard files.isEmpty || files.count >= first - 1 + rows else {
      throw FileError.wrongData(
        "cannot read \(title): expected \(first - 1 + rows) images, found \(files.count)")
    }
    images = files.dropFirst(first - 1).prefix(rows).map { position.appending(path: $0) }
    remarks.drop(
      files.count - rows,
      "of \(files.count) images have no row of ground truth and are left out", about: title)
  }

  /// A tracker's result: the boxes of the first run in the file.
  init(result source: URL) throws(FileError) {
    let runs = try Self.decode([Run].self, source)
    let file = source.relativePath
    guard let run = runs.first else {
      throw FileError.wrongData("cannot read \(file): expected a run, found none")
    }
    title = run.seqName
    start = run.startFrame
    guard run.resType == "rect" else {
      throw FileError.wrongData(
        "cannot read \(file): expected resType rect, found '\(run.resType.prefix(60))'")
    }
    guard (0...(1 << 20)).contains(start), !run.res.isEmpty else {
      throw FileError.wrongData(
        "cannot read \(file): expected boxes in 'res' from a frame of 0 to \(1 << 20) on, "
          + "found \(run.res.count) from \(start) on")
    }
    var boxes: [BoundingBox?] = []
    for (index, numbers) in run.res.enumerated() {
      guard numbers.count == 4 else {
        throw FileError.wrongData(
          "cannot read \(file): expected 4 numbers in 'res[\(index)]', found \(numbers.count)")
      }
      boxes.append(Self.box(numbers))
    }
    targets = [boxes]
    remarks.assume(
      "\(title): result of \(run.tracker ?? "a tracker") from frame \(run.startFrame) on")
    remarks.drop("\(title): \(runs.count - 1) further runs in \(file) left out", if: runs.count > 1)
  }

  /// Number of rows without a target.
  var absent: Int { targets.reduce(0) { $0 + $1.count { $0 == nil } } }

  func name(_ row: Int) -> String {
    images.isEmpty ? "\(title)/\(start + row)" : "\(title)/\(images[row].lastPathComponent)"
  }

  func image(_ row: Int) -> ImportedFrame.Image {
    images.isEmpty ? .none : .file(images[row])
  }

  func faces(_ row: Int, _ options: ImportOptions) -> [FaceLabel] {
    targets.enumerated().compactMap { target, boxes in
      boxes[row].map {
        let base = options.indexBase(of: [$0.x, $0.y, $0.width, $0.height])
        return FaceLabel(
          box: BoundingBox(x: $0.x - base, y: $0.y - base, width: $0.width, height: $0.height),
          identity: target)
      }
    }
  }

  private static func decode<Content: Decodable>(
    _ type: Content.Type, _ file: URL
  ) throws(FileError) -> Content {
    let bytes = try SourceFiles.bytes(of: file, limit: 64 << 20)
    let content = try JSONDecoder().value(
      type, from: bytes, source: file.relativePath, noun: "runs of a tracker")
    // Throws for a key that an object has twice, of which the decoder takes one.
    var json = JSONText(bytes, name: file.relativePath)
    try json.skip()
    return content
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
