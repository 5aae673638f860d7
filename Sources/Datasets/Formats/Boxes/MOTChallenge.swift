internal import FaceCore
package import Foundation
package import Platform

/// MOT Challenge's text of tracked boxes: ground truth, detections or a tracker's results.
package struct MOTChallenge: DatasetFormat {
  package let name = "mot"
  package let summary = "MOT Challenge txt: tracked boxes, with an optional seqinfo.ini"
  package let numbersTracks = true
  /// Frames count from 1 in the file.
  package let joins = FrameKey.number
  /// Frames without a row have no face.
  package let labelsEveryFrame = true
  package let settings: Set<ImportSetting> = [.indexBase, .framesPerSecond, .category]

  package init() {}

  /// A `.txt` file whose first line is 7 to 10 numbers with commas or white space between, the first two whole.
  package func recognises(_ source: URL) -> String? {
    guard let line = SourceFiles.firstLines(of: source, type: "txt").first else { return nil }
    let hasCommas = line.contains(",")
    let words =
      hasCommas
      ? line.split(separator: ",", omittingEmptySubsequences: false)
      : line.split(whereSeparator: \.isWhitespace)
    let fields = words.map { word in
      Double(word.trimmingCharacters(in: .whitespaces))
        ?? (DelimitedText.isNoNumber(word) ? .nan : nil)
    }
    guard (7...10).contains(fields.count), fields.allSatisfy({ $0 != nil }),
      fields.prefix(2).allSatisfy({ $0.flatMap(Int.init(exactly:)) != nil })
    else { return nil }
    return "a .txt file whose first line is \(fields.count) numbers with "
      + (hasCommas ? "commas" : "white space")
  }

  /// Of files in folders `gt` and `det`, as sequences are published, those that are not asked for: detections are no
  /// labels, and labels are no tracker's output.
  static func filesOfOtherSide(_ files: [URL], isPredictions: Bool) -> [URL] {
    func inside(_ folder: String) -> [URL] {
      files.filter { $0.deletingLastPathComponent().lastPathComponent == folder }
    }
    let (labels, detections) = (inside("gt"), inside("det"))
    guard !labels.isEmpty, !detections.isEmpty else { return [] }
    return isPredictions ? labels : detections
  }

  /// Whether all files are detections in folders `det` below a folder, as the sequences of a test set are published.
  static func areDetections(_ files: [URL], below home: URL) -> Bool {
    files.allSatisfy { file in
      let folder = file.deletingLastPathComponent().standardizedFileURL
      return folder.lastPathComponent == "det" && folder.path != home.standardizedFileURL.path
    }
  }

  /// Reads each file as one video, with the images that a `seqinfo.ini` or the folder of images names.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    /// Whether a file may be empty, as nobody is in its clip: with others, and where something else tells the frames.
    func mayBeEmpty(_ source: URL) -> Bool {
      sources.count > 1
        && (options.isPredictions || (try? MOTSequence(of: source, options: options))?.count != nil)
    }
    let common = sources.count > 1 ? try MOTRows.Common(sources, mayBeEmpty: mayBeEmpty) : nil
    for source in sources {
      let rows = try MOTRows(source, common, options: options, mayBeEmpty: mayBeEmpty(source))
      let start = rows.firstNumber
      let base =
        "frames count from \(start), pixels from \(options.indexBase) (--index-base)"
        + (start == 1 ? ", as in MOT Challenge" : "")
      remarks.assume(base, if: !remarks.contains(.assumed(base)))
      let sequence = try MOTSequence(of: source, options: options)
      let last = rows.faces.keys.max() ?? 0
      let count = sequence.count ?? last
      guard count >= last else {
        throw FileError.wrongData(
          "cannot read \(source.relativePath): expected frames up to \(count), the seqLength "
            + "of seqinfo.ini, found \(last)")
      }
      for number in 1...max(count, 1) {
        var frame = ImportedFrame(
          name: sequence.frameName(number), image: sequence.image(number),
          faces: rows.faces[number] ?? [],
          timestampMicroseconds: Int64(
            (Double(number - 1) * 1_000_000 / sequence.framesPerSecond).rounded()))
        frame.number = number - 1
        frame.statedSize = sequence.size
        frame.isSizeOfLabels = true
        if number == 1 { frame.begins = .video(sequence.name, at: sequence.framesPerSecond) }
        try sink(frame)
      }
      if options.frameSizeOfVideo == nil { remarks += sequence.remarks(last: last) }
      remarks += rows.remarks(sequence.name)
    }
    return remarks
  }
}

/// Name, rate, length and images of a sequence.
private struct MOTSequence {
  let name: String
  let framesPerSecond: Double
  let count: Int?
  /// Size of the images; nil if it is not stated.
  let size: ImageSize?
  private let images: (folder: URL, suffix: String)?
  private let hasInfo: Bool
  private let hasRate: Bool

  init(of source: URL, options: ImportOptions) throws(FileError) {
    let parent = source.deletingLastPathComponent()
    let isInside = ["gt", "det"].contains(parent.lastPathComponent)
    let home = isInside ? parent.deletingLastPathComponent() : parent
    let position = home.appending(path: "seqinfo.ini")
    hasInfo = position.isThere
    let info = hasInfo ? try Self.entries(of: position) : [:]
    let stem = source.deletingPathExtension().lastPathComponent
    name =
      info["name"]
      ?? (["gt", "det"].contains(stem) && !home.lastPathComponent.isEmpty
        ? home.lastPathComponent : stem)
    func number(_ key: String, in range: ClosedRange<Double>) throws(FileError) -> Double? {
      guard let text = info[key] else { return nil }
      guard let value = Double(text), range.contains(value) else {
        let limits = "\(range.lowerBound.plainText) to \(range.upperBound.plainText)"
        throw FileError.wrongData(
          "cannot read \(position.relativePath): expected \(key) of \(limits), found "
            + "'\(text.prefix(60))'")
      }
      return value
    }
    let rate = try number("framerate", in: 0.001...100_000) ?? options.framesPerSecond
    hasRate = rate != nil
    framesPerSecond = rate ?? 30
    count = try number("seqlength", in: 1...Double(1 << 20)).map { Int($0) }
    size = ImageSize(
      stated: info["imwidth"].flatMap { Int($0) }, info["imheight"].flatMap { Int($0) })
    let folder = options.imageFolder ?? info["imdir"].map { home.appending(path: $0) }
    images = folder.flatMap { $0.isFolder ? ($0, info["imext"] ?? ".jpg") : nil }
  }

  func frameName(_ number: Int) -> String {
    images == nil ? "\(name)/\(number)" : "\(name)/\(file(number))"
  }

  func image(_ number: Int) -> ImportedFrame.Image {
    images.map { .file($0.folder.appending(path: file(number))) } ?? .none
  }

  func remarks(last: Int) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume(
      "\(name): no seqinfo.ini gives its length; taken as \(last) frames, up to the last row",
      if: count == nil)
    remarks.assume("\(name): taken as 30 frames per second (--fps)", if: !hasRate)
    remarks.assume("\(name): frames have labels and no images", if: images == nil)
    return remarks
  }

  private func file(_ number: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(6 - digits.count, 0)) + digits
      + (images?.suffix ?? "")
  }

  /// `key=value` lines in lower-case keys; sections are left alone.
  private static func entries(of file: URL) throws(FileError) -> [String: String] {
    let text = String(
      decoding: try SourceFiles.bytes(of: file, limit: 1 << 20), as: UTF8.self)
    var entries: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      if parts.count == 2 { entries[parts[0].lowercased()] = parts[1] }
    }
    return entries
  }
}
