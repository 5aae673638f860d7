internal import FaceCore
internal import Foundation
package import Platform

/// Concatenates datasets.
///
/// If an earlier dataset has the same name of a frame, sequence or subject, all such names of the later dataset get
/// its file name and a slash as a prefix, with a number where earlier names begin with that. Identities of later datasets
/// continue after those of earlier ones.
package struct DatasetMerge {
  /// The datasets, in order.
  package var readers: [DatasetReader]
  /// Whether the same identity and the same subject in two datasets are the same person.
  package var sharesPeople: Bool

  /// Plans a merge; throws `.wrongData` if one dataset is labelled and another is not.
  package init(_ readers: [DatasetReader], sharesPeople: Bool = false) throws(FileError) {
    self.readers = readers
    self.sharesPeople = sharesPeople
    guard let first = readers.first else { return }
    for reader in readers {
      try DatasetCopy.checkSplitNames(of: reader)
      guard reader.isLabelled != first.isLabelled else { continue }
      let (with, without) = first.isLabelled ? (first, reader) : (reader, first)
      throw FileError.wrongData(
        "cannot merge \(with.url.relativePath) with \(without.url.relativePath): expected both "
          + "labelled or neither, found the second without labels; its frames would count as ones "
          + "without faces")
    }
  }

  /// Twice the number of frames of all datasets: for reading names and for copying.
  package var stepCount: Int { readers.reduce(0) { $0 + 2 * $1.frameCount } }

  /// Copies everything into a writer, with splits of the same name united; returns the changes.
  package func run(
    into writer: DatasetWriter, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    var splits: [String: [Int]] = [:]
    var names: Set<Int> = []
    var frames: Set<Int> = []
    var folders: Set<Int> = []
    var prefixed: Set<Int> = []
    var subjects: Set<String> = []
    var nextIdentity = 0
    // A file takes depths from the first face on only.
    for reader in readers { writer.expectDepth(of: reader.schemesWithDepth) }
    let prefixes = Self.prefixes(of: readers.map(\.url))
    for (reader, ownPrefix) in zip(readers, prefixes) {
      let seen = try Self.survey(reader, advance: advance, isInterrupted: isInterrupted)
      let prefix = Self.free(ownPrefix, besides: folders)
      var copy = DatasetCopy(of: reader)
      if !names.isDisjoint(with: seen.names) || !prefixed.isDisjoint(with: seen.folders) {
        copy.namePrefix = prefix
        prefixed.insert(prefix.hashValue)
        remarks.assume(
          "frames and sequences of \(reader.url.relativePath) are named \(prefix)…, because an "
            + "earlier dataset has some of their names")
      }
      names.formUnion(seen.names)
      folders.formUnion(seen.folders)
      folders.insert(prefix.hashValue)
      let repeated = seen.frames.intersection(frames).count
      remarks.drop(
        repeated,
        "frames of \(reader.url.relativePath) are in an earlier dataset too, with the same name and "
          + "labels and an image of as many bytes: each counts twice")
      frames.formUnion(seen.frames)
      if !sharesPeople, let largest = seen.largestIdentity {
        guard largest + nextIdentity < Int(Int32.max) else {
          throw FileError.wrongData(
            "cannot merge \(reader.url.relativePath): expected identities below "
              + "\(Int(Int32.max) - nextIdentity), found \(largest)")
        }
        copy.identityOffset = nextIdentity
        remarks.assume(nextIdentity, "added to the identities of \(reader.url.relativePath)")
        nextIdentity += largest + 1
      }
      let shared = sharesPeople ? [] : subjects.intersection(seen.subjects)
      copy.subject = { shared.contains($0) ? prefix + $0 : $0 }
      remarks.assume(
        "\(shared.count) subjects of \(reader.url.relativePath) are named \(prefix)…, because "
          + "an earlier dataset has their names",
        if: !shared.isEmpty)
      subjects.formUnion(seen.subjects.map { copy.subject($0) })
      let outcome = try copy.run(into: writer, advance: advance, isInterrupted: isInterrupted)
      remarks += outcome.remarks
      for split in reader.splits {
        splits[split.name, default: []] += outcome.positions(of: try reader.split(split.name))
      }
    }
    for (name, frames) in splits.sorted(by: { $0.key < $1.key }) {
      try writer.addSplit(name, frames: frames)
    }
    return remarks
  }

  /// Names of a dataset's frames, sequences and subjects.
  private struct Survey {
    /// Hashes of the names of frames and sequences.
    var names: Set<Int> = []
    /// Hashes of their first folders and those of subjects, with the slash.
    var folders: Set<Int> = []
    /// Hashes of frames that show faces, with their labels.
    var frames: Set<Int> = []
    var subjects: Set<String> = []
    var largestIdentity: Int?

    mutating func add(_ name: String) {
      names.insert(name.hashValue)
      addFolder(of: name)
    }

    mutating func addFolder(of name: String) {
      guard let slash = name.firstIndex(of: "/") else { return }
      folders.insert(String(name[...slash]).hashValue)
    }
  }

  private static func survey(
    _ reader: DatasetReader, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> Survey {
    var seen = Survey()
    for sequence in reader.sequences {
      if !sequence.name.isEmpty { seen.add(sequence.name) }
      if !sequence.subject.isEmpty, seen.subjects.insert(sequence.subject).inserted {
        seen.addFolder(of: sequence.subject)
      }
    }
    var next = 0
    while next < reader.frameCount {
      try FileError.stop(if: isInterrupted(), "interrupted while reading; nothing was written")
      let range = try reader.range(from: next, atMost: 1024)
      next = range.upperBound
      for (frame, faces) in zip(try reader.frames(range), try reader.labels(range)) {
        seen.add(frame.name)
        if !faces.isEmpty {
          var hasher = Hasher()
          hasher.combine(frame.name)
          hasher.combine(frame.timestampMicroseconds)
          hasher.combine(try reader.imageByteCount(frame.index))
          hasher.combine(faces)
          seen.frames.insert(hasher.finalize())
        }
        for case let identity? in faces.map(\.identity) {
          seen.largestIdentity = max(seen.largestIdentity ?? 0, identity)
        }
      }
      advance(range.count)
    }
    return seen
  }

  /// Prefixes: file names without extension and a slash, numbered if two are equal.
  private static func prefixes(of urls: [URL]) -> [String] {
    let stems = urls.map { $0.deletingPathExtension().lastPathComponent }
    return stems.indices.map { index in
      let same = stems[..<index].count { $0 == stems[index] }
      return same == 0 ? "\(stems[index])/" : "\(stems[index])-\(same + 1)/"
    }
  }

  /// The prefix, with a number where names of earlier datasets begin with it.
  private static func free(_ prefix: String, besides folders: Set<Int>) -> String {
    var (chosen, number) = (prefix, 2)
    while folders.contains(chosen.hashValue) {
      chosen = "\(prefix.dropLast())-\(number)/"
      number += 1
    }
    return chosen
  }
}
