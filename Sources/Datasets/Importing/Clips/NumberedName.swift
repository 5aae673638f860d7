internal import Platform

/// A frame's name as the number in it and what is around the number.
struct NumberedName: Hashable {
  /// The folders and what is around the number: alike for frames of one clip.
  let clip: String
  /// The last whole number of the last name.
  let number: Int

  /// Takes a name apart; nil without a number below 2^53.
  ///
  /// Of names that a service lengthened, such as `a_12_jpg.rf.3f9c.jpg`, what it added is left out.
  init?(_ name: String) {
    var path = PathText(Self.withoutSuffix(name))
    var stem = path.name
    if let added = stem.firstRange(of: ".rf.") { stem = String(stem[..<added.lowerBound]) }
    for type in ["_jpg", "_jpeg", "_png"] where stem.hasSuffix(type) {
      stem = String(stem.dropLast(type.count))
    }
    let bytes = Array(stem.utf8)
    guard let last = bytes.lastIndex(where: Self.isDigit) else { return nil }
    let first = bytes[..<last].lastIndex { !Self.isDigit($0) }.map { $0 + 1 } ?? 0
    guard let number = Int(String(decoding: bytes[first...last], as: UTF8.self)),
      number < 1 << 53
    else { return nil }
    self.number = number
    path = PathText(name)
    let around = [bytes[..<first], bytes[(last + 1)...]].map { part in
      String(decoding: part, as: UTF8.self).trimming(Self.separators)
    }
    clip = (path.components.dropLast() + [around.joined(separator: "#").trimming(["#"])])
      .joined(separator: "/")
  }

  static let separators: Set<Character> = ["_", "-", ".", " "]

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The name without the extension of an image; other dots are parts of it.
  static func withoutSuffix(_ name: String) -> String {
    SourceFiles.isImage(name)
      || SourceFiles.unreadExtensions.contains(PathText(name).suffix.lowercased())
      ? PathText(name).withoutSuffix : name
  }

  /// How much of the clip's name is that of a video, in characters; nil if it is not of that video.
  ///
  /// The video's name without extension is a folder, what is around the number, or a part of it before or after a
  /// separator.
  func share(ofVideo title: String) -> Int? {
    let stem = PathText(PathText(title).withoutSuffix).name
    let names = PathText(clip).components
    guard !stem.isEmpty else { return nil }
    let isPart = names.contains { name in
      if name == stem || name == PathText(title).name { return true }
      let rest =
        name.hasPrefix(stem)
        ? name.dropFirst(stem.count).first
        : name.hasSuffix(stem) ? name.dropLast(stem.count).last : nil
      return rest.map { Self.separators.contains($0) || $0 == "#" } ?? false
    }
    return isPart ? stem.count : nil
  }
}

extension String {
  /// The text without some characters at its ends.
  fileprivate func trimming(_ characters: Set<Character>) -> String {
    guard let first = firstIndex(where: { !characters.contains($0) }),
      let last = lastIndex(where: { !characters.contains($0) })
    else { return "" }
    return String(self[first...last])
  }
}
