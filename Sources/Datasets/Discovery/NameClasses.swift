/// Names of one group, those that differ only in a number or a word taken together.
struct NameClasses {
  /// Names with one text before and one after what differs.
  struct Class {
    let before: String
    let after: String
    let names: [String]

    /// What stands between the two texts in a name.
    func word(_ name: String) -> String {
      String(
        name.unicodeScalars.dropFirst(before.unicodeScalars.count)
          .dropLast(after.unicodeScalars.count))
    }
  }

  private(set) var classes: [Class] = []
  private(set) var singles: [String] = []

  /// Takes names apart at their numbers.
  init(_ names: [String]) {
    var byTemplate: [[Piece]: [String]] = [:]
    var order: [[Piece]] = []
    for name in names {
      let template = Self.template(name)
      if byTemplate[template] == nil { order.append(template) }
      byTemplate[template, default: []].append(name)
    }
    for template in order {
      let names = byTemplate[template] ?? []
      if names.count > 1, template.contains(.number) {
        classes.append(Self.join(names))
      } else {
        singles += names
      }
    }
  }

  private enum Piece: Hashable {
    case text(String)
    case number
  }

  private static func pieces(_ name: String) -> [(isNumber: Bool, text: String)] {
    var pieces: [(isNumber: Bool, text: String)] = []
    for scalar in name.unicodeScalars {
      let isNumber = ("0"..."9").contains(scalar)
      if pieces.last?.isNumber == isNumber {
        pieces[pieces.count - 1].text.unicodeScalars.append(scalar)
      } else {
        pieces.append((isNumber, String(scalar)))
      }
    }
    return pieces
  }

  private static func template(_ name: String) -> [Piece] {
    pieces(name).map { $0.isNumber ? .number : .text($0.text) }
  }

  /// The class of names of one template: what differs reaches from the first number that does to the last.
  private static func join(_ names: [String]) -> Class {
    let all = names.map(pieces)
    let differing = all[0].indices.filter { index in
      all[0][index].isNumber && all.contains { $0[index].text != all[0][index].text }
    }
    let (first, last) = (differing.first ?? 0, differing.last ?? 0)
    return Class(
      before: all[0][..<first].map(\.text).joined(),
      after: all[0][(last + 1)...].map(\.text).joined(), names: names)
  }

  /// The class of any names: the text that they share before and after what differs, as far as a name's parts go.
  static func whole(_ names: [String], keepsEnds: Bool) -> Class {
    guard keepsEnds, let first = names.first, names.count > 1 else {
      return Class(before: "", after: "", names: names)
    }
    let ends = names.map { Array($0.unicodeScalars) }
    let shortest = ends.map(\.count).min() ?? 0
    var before = 0
    while before < shortest, ends.allSatisfy({ $0[before] == ends[0][before] }) { before += 1 }
    var after = 0
    while after < shortest - before,
      ends.allSatisfy({ $0[$0.count - 1 - after] == ends[0][ends[0].count - 1 - after] })
    { after += 1 }
    // Only up to a character that parts a name, so that no digit or letter of a word is lost.
    let scalars = Array(first.unicodeScalars)
    while before > 0, !isSeparator(scalars[before - 1]) { before -= 1 }
    while after > 0, !isSeparator(scalars[scalars.count - after]) { after -= 1 }
    func text(_ part: ArraySlice<Unicode.Scalar>) -> String {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: part)
      return String(text)
    }
    return Class(
      before: text(scalars.prefix(before)), after: text(scalars.suffix(after)), names: names)
  }

  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    ["_", "-", ".", " ", ":"].contains(scalar)
  }
}
