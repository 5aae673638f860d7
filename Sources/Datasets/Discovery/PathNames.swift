/// The names that the variables of paths get: subject, sequence, split and image, or others.
enum PathNames {
  private static let subjects: Set<String> = [
    "subject", "subj", "sub", "s", "person", "p", "id", "identity", "user", "participant", "actor",
    "speaker", "people",
  ]
  private static let sequences: Set<String> = [
    "sequence", "seq", "clip", "video", "vid", "v", "session", "take", "track", "recording", "rec",
    "scene", "movie",
  ]

  /// Names by variable. `images` is the path of the images, `isSingle` where each of its arrays is one image.
  static func find(
    _ variables: [PathVariable], images: PathPattern?, isSingle: Bool, hasTimes: Bool
  ) -> [Int: String] {
    var names: [Int: String] = [:]
    var taken: Set<String> = []
    func give(_ index: Int, _ wished: String) {
      var name = wished
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(wished)\(number)"
        number += 1
      }
      names[index] = name
    }
    var path = images?.variables ?? []
    if isSingle, let last = path.popLast() { give(last, "image") }
    for index in path where variables[index].isSplit && !taken.contains("split") {
      give(index, "split")
    }
    for index in path.reversed() where names[index] == nil {
      let word = (images?.prefix(of: index) ?? "").lowercased().filter(\.isLetter)
      let isOfTime = hasTimes && !isSingle && !taken.contains("sequence")
      if isOfTime || sequences.contains(word) {
        give(index, taken.contains("sequence") ? "clip" : "sequence")
      } else if subjects.contains(word) || word.isEmpty && !taken.contains("subject") {
        give(index, taken.contains("subject") ? "group" : "subject")
      } else {
        give(index, word.isEmpty || !word.allSatisfy(\.isASCII) ? "group" : word)
      }
    }
    for index in variables.indices where names[index] == nil { give(index, "name") }
    return names
  }
}
