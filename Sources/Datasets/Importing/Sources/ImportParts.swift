internal import FaceCore
package import Foundation
internal import Imaging
package import Platform

/// Collects the frames of an import in parts that survive an interruption.
///
/// A part is a whole dataset file in `OUTPUT.partial`. It ends after 1024 frames with images, 131,072 without, or 256 MB,
/// at the start of a sequence or between stills: no sequence is split.
package final class ImportParts {
  /// Description of the dataset.
  package struct Title: Sendable {
    /// Name in reports.
    package var name: String
    /// Where the data comes from; nil to leave it out.
    package var source: String?
    /// Licence of the data; nil to leave it out.
    package var licence: String?
    /// Whether a frame without a face row is known to show no face.
    package var isLabelled: Bool

    /// Describes a dataset.
    package init(name: String, source: String?, licence: String?, isLabelled: Bool) {
      self.name = name
      self.source = source
      self.licence = licence
      self.isLabelled = isLabelled
    }
  }

  /// Saved state of the import and its finished parts.
  private struct Plan: Codable {
    var facts: [String: String]
    var frames: [Int] = []
    var faces = 0
    var labels: Int?
    var rotated = 0
    /// What the placement of the faces found.
    var placed: FacePlacement.Counts?
    /// Reasons why images are unreadable, by the frame's index in the source.
    var leftOut: [Int: String]?
    /// The file in the folder that was whole and was to be given the output's name.
    var whole: String?
  }

  private struct Folder {
    let parts: AtomicFolder
    let title: Title
    let replaces: Bool
    let beginning: AtomicFolder.Beginning
    var plan: Plan

    var target: URL { parts.url }
    var url: URL { parts.partial }

    func part(_ index: Int) -> URL { url.appendingPathComponent("part-\(index).h5") }
  }

  /// Number of frames, those of earlier parts included.
  package private(set) var frameCount = 0
  /// Number of faces, without objects of other categories.
  package private(set) var faceCount = 0
  /// Number of labelled objects of any category.
  private(set) var labelCount = 0
  /// Number of images with an Exif rotation.
  private(set) var rotatedCount = 0
  /// What the placement of the faces of all frames found.
  var placed = FacePlacement.Counts()
  /// Reasons why frames were left out, by their index in the source.
  private(set) var leftOut: [Int: String] = [:]
  private var writer: DatasetWriter?
  private var folder: Folder?
  private var byteCount = 0
  private var isInVideo = false

  private static let planName = "import.json"
  private static let listName = "parts.json"
  private static let wholeName = "whole.h5"
  private static let framesOfPart = 1024
  private static let framesWithoutImages = 131_072
  private static let bytesOfPart = 256 << 20

  /// Writes into one file, without parts.
  init(_ writer: DatasetWriter) {
    self.writer = writer
  }

  /// Prepares the folder of parts next to the output, or opens the one to resume.
  ///
  /// `facts` are the values that the import depends on, by name; a resumed import must have the same.
  package init(
    _ target: URL, title: Title, facts: [String: String], replaces: Bool, resumes: Bool
  ) throws(FileError) {
    let parts = AtomicFolder(resumable: target, of: "import", plan: Self.planName)
    if Self.holdsOnlyParts(parts.partial) {
      let isMade = !replaces && target.isThere
      parts.remove { Self.isCommitted($0) || isMade && !Self.hasPlan($0) }
    }
    _ = try AtomicFile(target, replacing: replaces)
    let beginning = try parts.begin(resumes: resumes, replaces: replaces) {
      Self.holdsOnlyParts(parts.partial)
    }
    let earlier = beginning == .resumed ? try Self.plan(in: parts) : nil
    if let earlier {
      for (name, value) in facts.sorted(by: { $0.key < $1.key })
      where earlier.facts[name] != value {
        throw FileError.wrongData(
          "cannot resume \(target.relativePath): expected \(name) "
            + "\(earlier.facts[name] ?? "unknown") as before, found \(value)")
      }
    }
    folder = Folder(
      parts: parts, title: title, replaces: replaces, beginning: beginning,
      plan: earlier ?? Plan(facts: facts))
    rotatedCount = earlier?.rotated ?? 0
    faceCount = earlier?.faces ?? 0
    labelCount = earlier?.labels ?? 0
    placed = earlier?.placed ?? FacePlacement.Counts()
    leftOut = earlier?.leftOut ?? [:]
    folder?.plan.whole = nil
    do throws(FileError) {
      try remember()
      try clean(parts, keeping: earlier?.frames.count ?? 0)
    } catch {
      // Without a plan the folder could neither be resumed nor be told from somebody else's.
      if earlier == nil { parts.discard() }
      throw error
    }
  }

  private static func plan(in parts: AtomicFolder) throws(FileError) -> Plan {
    guard let plan = plan(in: parts.partial) else {
      let file = parts.partial.appendingPathComponent(planName)
      throw FileError.wrongData(
        "cannot resume \(parts.url.relativePath): expected the state of an import in "
          + "\(file.relativePath), found something else (--force starts again)")
    }
    return plan
  }

  private static func plan(in folder: URL) -> Plan? {
    let data = try? InputFile.bytes(of: folder.appendingPathComponent(planName), mebibytes: 1024)
    return data.flatMap { try? JSONDecoder().decode(Plan.self, from: Data($0)) }
  }

  private static func hasPlan(_ folder: URL) -> Bool {
    folder.appendingPathComponent(planName).isThere
  }

  /// Whether the process that made a folder was killed after it had given the output its name. Of a folder without a plan
  /// that is unknown.
  private static func isCommitted(_ folder: URL) -> Bool {
    guard let whole = plan(in: folder)?.whole else { return false }
    return !folder.appendingPathComponent(whole).isThere
  }

  /// Whether a folder contains nothing but what an import makes.
  private static func holdsOnlyParts(_ folder: URL) -> Bool {
    let found = try? folder.names()
    return found?.allSatisfy { name in
      // Files that were being written when a process was killed are hidden.
      ["lock", planName, listName, wholeName].contains(name)
        || name.hasPrefix("part-") && name.hasSuffix(".h5")
        || name.hasPrefix(".") && name.hasSuffix(".partial")
    } ?? false
  }

  /// That the import should be resumed and begins with nothing; nil otherwise.
  package var notice: String? { folder?.beginning == .again ? folder?.parts.notice : nil }

  /// Frames in finished parts.
  private var keptFrames: Int { folder?.plan.frames.reduce(0, +) ?? 0 }

  /// Throws if an input file is the file that is being written.
  func requireOther(than input: URL) throws(FileError) {
    if let writer { return try writer.requireOther(than: input) }
    try folder?.target.requireOther(than: input)
  }

  /// Whether a finished part has the next frame, which is then only counted.
  func skips(_ frame: ImportedFrame) throws(FileError) -> Bool {
    if let begins = frame.begins { isInVideo = begins.kind == .video }
    if frameCount < keptFrames {
      frameCount += 1
      return true
    }
    if frame.begins != nil || !isInVideo { try endPart(ifFull: true) }
    return false
  }

  /// Leaves out the frame at an index of the source.
  func leaveOut(_ position: Int, _ reason: String) { leftOut[position] = reason }

  /// Adds the next frame with its image.
  func add(
    _ frame: ImportedFrame, image: [UInt8], size: ImageSize, isRotated: Bool
  ) throws(FileError) {
    let writer = try currentWriter()
    if let sequence = frame.begins { writer.beginSequence(sequence) }
    try writer.add(
      name: frame.name, image: image, size: size,
      timestampMicroseconds: frame.timestampMicroseconds, faces: frame.faces,
      context: frame.context, depth: frame.depth)
    frameCount += 1
    faceCount += FaceCategories.faceCount(frame.faces)
    labelCount += frame.faces.count
    byteCount += image.count
    if isRotated { rotatedCount += 1 }
  }

  private func currentWriter() throws(FileError) -> DatasetWriter {
    if let writer { return writer }
    guard let folder else { throw FileError(.inputOutput, "the import has ended") }
    let next = try DatasetWriter(
      folder.part(folder.plan.frames.count), name: folder.title.name, source: folder.title.source,
      licence: folder.title.licence, isLabelled: folder.title.isLabelled, replacing: true,
      reported: folder.target)
    writer = next
    byteCount = 0
    return next
  }

  /// Finishes the current part if it is large enough.
  private func endPart(ifFull: Bool) throws(FileError) {
    guard folder != nil, let writer, writer.frameCount > 0 else { return }
    let limit = byteCount > 0 ? Self.framesOfPart : Self.framesWithoutImages
    guard !ifFull || writer.frameCount >= limit || byteCount >= Self.bytesOfPart else { return }
    try writer.finish()
    folder?.plan.frames.append(writer.frameCount)
    folder?.plan.faces = faceCount
    folder?.plan.labels = labelCount
    folder?.plan.rotated = rotatedCount
    folder?.plan.placed = placed
    if !leftOut.isEmpty { folder?.plan.leftOut = leftOut }
    self.writer = nil
    try remember()
  }

  private func remember() throws(FileError) {
    guard let folder else { return }
    do {
      try AtomicFile.write(
        JSONEncoder.line.encode(folder.plan), to: folder.url.appendingPathComponent(Self.planName))
    } catch {
      throw FileError(
        .cannotWrite, "cannot write \(folder.target.relativePath): \(error.systemReason)")
    }
  }

  /// Makes the dataset: renames a single part, or concatenates several.
  func finish(
    splits: [String: [Int]], isInterrupted: () -> Bool
  ) throws(FileError) {
    let sorted = splits.sorted { $0.key < $1.key }
    guard let folder else {
      for (name, frames) in sorted { try writer?.addSplit(name, frames: frames) }
      try writer?.finish()
      return
    }
    if folder.plan.frames.isEmpty, let writer {
      for (name, frames) in sorted { try writer.addSplit(name, frames: frames) }
      try writer.finish()
      try commit(folder.part(0))
    } else {
      try endPart(ifFull: false)
      try commit(join(sorted, isInterrupted: isInterrupted))
    }
    remove()
  }

  /// Gives a whole file of the folder the output's name. From the plan and the missing file the next process sees that
  /// it has the name, if this one is killed before the folder is gone.
  private func commit(_ file: URL) throws(FileError) {
    guard let target = folder?.target, let replaces = folder?.replaces else { return }
    folder?.plan.whole = file.lastPathComponent
    try remember()
    try AtomicFile(target, replacing: replaces).commit(moving: file)
  }

  private func join(
    _ splits: [(key: String, value: [Int])], isInterrupted: () -> Bool
  ) throws(FileError) -> URL {
    guard let folder else { throw FileError(.inputOutput, "the import has ended") }
    let list = folder.url.appendingPathComponent(Self.listName)
    let files = folder.plan.frames.indices.map { folder.part($0).lastPathComponent }
    do {
      try AtomicFile.write(ShardList.json(of: files), to: list)
    } catch {
      throw FileError(
        .cannotWrite, "cannot write \(folder.target.relativePath): \(error.systemReason)")
    }
    let whole = folder.url.appendingPathComponent(Self.wholeName)
    let output = try DatasetWriter(
      whole, name: folder.title.name, source: folder.title.source, licence: folder.title.licence,
      isLabelled: folder.title.isLabelled, replacing: true, reported: folder.target)
    _ = try DatasetCopy(of: DatasetReader(list)).run(
      into: output, advance: { _ in }, isInterrupted: isInterrupted)
    for (name, frames) in splits { try output.addSplit(name, frames: frames) }
    try output.finish()
    return whole
  }

  /// Handles the parts after an error: they stay if another attempt can resume.
  func end(after error: FileError) -> FileError {
    guard let folder else { return error }
    if error.kind == .wrongData, folder.beginning != .resumed {
      remove()
      return error
    }
    if !isInVideo { try? endPart(ifFull: false) }
    writer = nil
    guard keptFrames > 0 else {
      remove()
      return error
    }
    let kept = "\(keptFrames) frames are kept; --resume continues"
    return error.kind == .interrupted
      ? FileError(.interrupted, "interrupted after \(frameCount) images; \(kept)")
      : FileError(error.kind, "\(error.description) (\(kept))")
  }

  private func remove() {
    guard let folder else { return }
    writer = nil
    folder.parts.discard()
  }

  /// Deletes an earlier process's files except the first parts.
  private func clean(_ parts: AtomicFolder, keeping count: Int) throws(FileError) {
    let kept = (0..<count).map { "part-\($0).h5" }
    try? parts.clear(keeping: Set(kept + [Self.planName]))
    for (index, name) in kept.enumerated() {
      let part = parts.partial.appendingPathComponent(name)
      let frames = try DatasetReader(part).frameCount
      guard frames == folder?.plan.frames[index] else {
        throw FileError.wrongData(
          "cannot resume \(folder?.target.relativePath ?? ""): expected "
            + "\(folder?.plan.frames[index] ?? 0) frames in \(part.relativePath), found \(frames)")
      }
    }
  }
}
