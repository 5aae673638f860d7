internal import HDF5

/// All arrays of a file, those of similar paths taken together.
struct ContentsWalk {
  /// One array, or many whose paths differ in variables.
  struct Leaf {
    var pattern: PathPattern
    /// Paths of some of them, evenly spaced; the first is among them.
    let paths: [String]
    let count: Int
    /// The attribute of groups that it is, instead of an array.
    var attribute: String?
    /// The fields that lead to it inside a compound type.
    var fields: [String] = []
  }

  private(set) var leaves: [Leaf] = []
  private(set) var variables: [PathVariable] = []
  /// What could not be followed, and why.
  private(set) var gaps: [String] = []

  private let file: HDF5File
  /// How many headers and lists are read at most; a file of more is listed in part.
  private var budget = 200_000
  private var isCutShort = false
  /// A path of each group, by its address.
  private var paths: [UInt64: String] = [:]
  /// How many paths lead to a group that has another, and the first of them.
  private var links: (count: Int, first: String) = (0, "")
  private var variableOfWords: [[String]: Int] = [:]

  /// How many of many similar objects are looked at.
  private static let sampled = 16
  private static let maxDepth = 24
  private static let maxLeaves = 4096
  /// Groups of more links are read again for each member.
  private static let maxCachedLinks = 1 << 17

  init(_ file: HDF5File) {
    self.file = file
    walk(["/"], PathPattern(), depth: 0)
    if links.count > 0 {
      gaps.append(
        "groups of more than one path are listed once: \(links.first)"
          + (links.count > 1 ? ", and \(links.count - 1) more" : ""))
    }
    if isCutShort { gaps.append("the file has more objects than are looked at") }
  }

  private mutating func spend(_ count: Int = 1) -> Bool {
    budget -= count
    if budget < 0 { isCutShort = true }
    return budget >= 0
  }

  /// Evenly spaced elements, the first and the last among them.
  static func spaced<Element>(_ all: [Element], _ count: Int = sampled) -> [Element] {
    guard all.count > count, count > 1 else { return all }
    return (0..<count).map { all[$0 * (all.count - 1) / (count - 1)] }
  }

  private mutating func walk(_ groups: [String], _ pattern: PathPattern, depth: Int) {
    guard depth < Self.maxDepth, leaves.count < Self.maxLeaves else {
      isCutShort = true
      return
    }
    addAttributes(of: groups, pattern)
    var holders: [String: [Int]] = [:]
    for (index, group) in groups.enumerated() {
      guard spend() else { break }
      do {
        let listing = try file.listing(of: group)
        guard paths[listing.address] == nil else {
          if links.count == 0 { links.first = "\(group) is \(paths[listing.address] ?? "")" }
          links.count += 1
          continue
        }
        paths[listing.address] = group
        for name in listing.members { holders[name, default: []].append(index) }
      } catch {
        gaps.append("\(error)")
      }
    }
    if depth == 0, holders["#refs#"] != nil {
      holders["#refs#"] = nil
      holders["#subsystem#"] = nil
    }
    let names = holders.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let level = Level(groups: groups, holders: holders, names: names)
    var rest: [String] = []
    let taken = NameClasses(names)
    for found in taken.classes { rest += split(found, of: level, pattern, depth: depth) }
    rest += taken.singles
    addSingles(rest.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, level, pattern, depth)
  }

  /// The names in groups of one pattern.
  private struct Level {
    let groups: [String]
    let holders: [String: [Int]]
    let names: [String]

    func path(_ name: String, in group: Int) -> String {
      groups[group] == "/" ? name : "\(groups[group])/\(name)"
    }

    func first(_ name: String) -> String { path(name, in: holders[name]?.first ?? 0) }

    func paths(_ names: [String]) -> [String] {
      names.flatMap { name in (holders[name] ?? []).map { path(name, in: $0) } }
    }
  }

  private enum Kind: Hashable {
    case group
    case dataset(type: String, rank: Int)
    case none
    case unreadable
  }

  private mutating func kind(_ path: String) -> Kind {
    guard spend() else { return .none }
    do {
      switch try file.kind(of: path) {
      case .group: return .group
      case .other: return .none
      case .dataset:
        let found = try file.describe(path)
        return .dataset(type: found.type ?? "", rank: found.shape?.count ?? -1)
      }
    } catch {
      return .unreadable
    }
  }

  /// Adds the members of a class by their kinds; returns the names that are better listed one by one.
  private mutating func split(
    _ found: NameClasses.Class, of level: Level, _ pattern: PathPattern, depth: Int
  ) -> [String] {
    let some = Self.spaced(found.names, 64)
    var kinds: [Kind: [String]] = [:]
    for name in some { kinds[kind(level.first(name)), default: []].append(name) }
    if kinds.count == 1, let only = kinds.keys.first {
      kinds[only] = found.names
    } else if some.count < found.names.count {
      kinds = [:]
      for name in found.names { kinds[kind(level.first(name)), default: []].append(name) }
    }
    var rest: [String] = []
    for (kind, names) in kinds.sorted(by: { $0.value[0] < $1.value[0] }) {
      let part = NameClasses.Class(before: found.before, after: found.after, names: names)
      switch kind {
      case .none: continue
      case .group where names.count > 1: add(groups: part, level, pattern, depth)
      case .dataset, .unreadable:
        if names.count > 1, isOfImages(part, kind, level) {
          add(datasets: part, level, pattern)
        } else {
          rest += names
        }
      case .group: rest += names
      }
    }
    return rest
  }

  /// Whether similar datasets are one for each image or face, rather than the columns of a table.
  private mutating func isOfImages(
    _ found: NameClasses.Class, _ kind: Kind, _ level: Level
  ) -> Bool {
    if case .dataset(let type, let rank) = kind {
      let isFile = rank == 1 && type == "u8"
      if found.names.count < 4, !isFile { return false }
    }
    guard found.names.count <= 64 else { return true }
    let own = Set(found.names)
    let shapes = Set(Self.spaced(found.names, 4).map { shape(level.first($0)) })
    guard shapes.count == 1, let rows = shapes.first??.first else { return true }
    let others = level.names.filter { !own.contains($0) }
    return !Self.spaced(others, 64).contains { shape(level.first($0))?.first == rows }
  }

  private mutating func shape(_ path: String) -> [Int]? {
    guard spend(), let found = try? file.describe(path) else { return nil }
    return found.shape
  }

  private mutating func variable(of found: NameClasses.Class, in pattern: PathPattern) -> Int {
    let words = found.names.map(found.word)
    // Arrays of different names with the same words belong together, as image-1 and label-1.
    let key = ["\(pattern)", "\(words.count)"] + Self.spaced(words)
    if let known = variableOfWords[key] { return known }
    variables.append(PathVariable(words: Self.spaced(words)))
    variableOfWords[key] = variables.count - 1
    return variables.count - 1
  }

  private mutating func add(
    groups found: NameClasses.Class, _ level: Level, _ pattern: PathPattern, _ depth: Int
  ) {
    var paths = level.paths(found.names)
    if level.names.count > Self.maxCachedLinks { paths = Self.spaced(paths, 32) }
    let next = pattern.inner(
      before: found.before, variable(of: found, in: pattern), after: found.after)
    walk(paths, next, depth: depth + 1)
  }

  private mutating func add(
    datasets found: NameClasses.Class, _ level: Level, _ pattern: PathPattern
  ) {
    let paths = level.paths(found.names)
    let next = pattern.inner(
      before: found.before, variable(of: found, in: pattern), after: found.after)
    leaves.append(Leaf(pattern: next, paths: Self.spaced(paths), count: paths.count))
  }

  private mutating func addSingles(
    _ names: [String], _ level: Level, _ pattern: PathPattern, _ depth: Int
  ) {
    var groups: [String] = []
    var files: [String: [String]] = [:]
    var others: [String] = []
    for name in names {
      switch kind(level.first(name)) {
      case .none: continue
      case .group: groups.append(name)
      case .unreadable: others.append(name)
      case .dataset(let type, let rank):
        let isFile = Self.imageEndings.contains { name.lowercased().hasSuffix($0) }
        if isFile {
          files["file", default: []].append(name)
        } else if rank == 1, type == "u8" {
          files["\(type) \(rank)", default: []].append(name)
        } else {
          others.append(name)
        }
      }
    }
    for (_, names) in files.sorted(by: { $0.key < $1.key }) {
      if names.count >= 4 {
        add(datasets: NameClasses.whole(names, keepsEnds: true), level, pattern)
      } else {
        others += names
      }
    }
    for name in others.sorted() {
      let paths = level.paths([name])
      leaves.append(
        Leaf(pattern: pattern.inner(name), paths: Self.spaced(paths), count: paths.count))
    }
    addGroups(groups, level, pattern, depth)
  }

  private static let imageEndings = [".jpg", ".jpeg", ".png"]

  /// Groups without numbers in their names are similar if they are splits, or if they have the same members.
  private mutating func addGroups(
    _ names: [String], _ level: Level, _ pattern: PathPattern, _ depth: Int
  ) {
    let splits = names.filter(PathVariable.isSplit)
    var similar: [[String]: [String]] = [:]
    var order: [[String]] = []
    for name in names where splits.count < 2 || !splits.contains(name) {
      let members = spend() ? (try? file.members(of: level.first(name))) ?? [] : []
      let taken = NameClasses(members.filter { $0 != "" })
      let key = (taken.classes.map { "\($0.before)\u{0}\($0.after)" } + taken.singles).sorted()
      if similar[key] == nil { order.append(key) }
      similar[key, default: []].append(name)
    }
    if splits.count > 1 {
      add(groups: NameClasses.whole(splits, keepsEnds: false), level, pattern, depth)
    }
    for key in order {
      let names = similar[key] ?? []
      if names.count > 2, !key.isEmpty {
        add(groups: NameClasses.whole(names, keepsEnds: false), level, pattern, depth)
      } else {
        for name in names {
          walk(level.paths([name]), pattern.inner(name), depth: depth + 1)
        }
      }
    }
  }

  private mutating func addAttributes(of groups: [String], _ pattern: PathPattern) {
    guard !pattern.variables.isEmpty, spend(), let first = groups.first,
      let names = try? file.attributeNames(of: first)
    else { return }
    for name in names {
      leaves.append(
        Leaf(
          pattern: pattern.followed(by: "@\(name)"), paths: Self.spaced(groups),
          count: groups.count, attribute: name))
    }
  }
}
