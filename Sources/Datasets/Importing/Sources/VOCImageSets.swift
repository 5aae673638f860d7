internal import Foundation
internal import Platform

/// The splits that Pascal VOC lists in `ImageSets/Main`, next to the folder of annotations: `train.txt`, `val.txt` and so on.
struct VOCImageSets {
  /// Splits by the name of an annotation file without extension, by the folder that holds the lists.
  private var lists: [String: [String: [String]]] = [:]
  /// Names of lists that were not asked for, by the folder of the annotations.
  private var others: [URL: Set<String>] = [:]

  /// Maximum bytes of a list.
  private static let limit = 256 << 20

  /// The splits of an annotation file.
  mutating func splits(of annotation: URL) throws(FileError) -> [String] {
    let own = annotation.deletingLastPathComponent()
    let above = own.deletingLastPathComponent().path
    if lists[above] == nil {
      let found = try Self.lists(in: above)
      lists[above] = found
      others[own] = Set(found.keys)
    }
    let name = PathText(annotation.path).stem
    others[own]?.remove(name)
    return lists[above]?[name] ?? []
  }

  /// What the lists name and no file annotates.
  var remarks: [ImportRemark] {
    let count = others.reduce(0) { count, entry in
      count + entry.value.count { !entry.key.appendingPathComponent($0 + ".xml").isThere }
    }
    return count > 0
      ? [.dropped("\(count) names of ImageSets/Main without an annotation file left out")] : []
  }

  /// Lists of a class, such as `face_train.txt`, and of several splits, such as `trainval.txt`, are none; datumaro's
  /// `default.txt` lists images and is no split.
  private static func lists(in above: String) throws(FileError) -> [String: [String]] {
    let folder = URL(fileURLWithPath: above).appendingPathComponent("ImageSets/Main")
    var splits: [String: [String]] = [:]
    for file in ((try? folder.names()) ?? []).sorted() {
      let split = PathText(file).stem
      let isSplit = FolderSplit.isUsual(split)
      guard PathText(file).suffix == "txt", isSplit || split == "default" else { continue }
      let bytes = try SourceFiles.bytes(of: folder.appendingPathComponent(file), limit: limit)
      for line in ByteOrderMark.text(bytes).split(whereSeparator: \.isNewline) {
        guard let name = line.split(whereSeparator: \.isWhitespace).first.map(String.init),
          splits[name]?.last != split
        else { continue }
        splits[name, default: []] += isSplit ? [split] : []
      }
    }
    return splits
  }
}
