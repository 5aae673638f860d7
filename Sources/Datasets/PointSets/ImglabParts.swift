internal import FaceCore
internal import Platform

/// Which points the parts of an imglab file are.
struct ImglabParts {
  private var order = PointOrder(.ibug68)
  /// Name of the part for each point of `order`.
  private var names: [String] = []
  private var known: Set<String> = []
  /// Why they are taken so; nil where nothing was assumed.
  private var reason: String?
  private var (sets, others, missing) = (0, 0, 0)

  private static let usual = LandmarkScheme.ibug68
  /// More than the largest number of a part that a table may name.
  private static let largest = 10_000

  /// Decides from the parts of all boxes of a file.
  init(
    _ boxes: [[String: Point]], _ options: ImportOptions, in file: String
  ) throws(FileError) {
    var all: Set<String> = []
    for box in boxes { all.formUnion(box.keys) }
    let numbers = all.compactMap { Int($0) }.filter { $0 >= 0 }.sorted()
    guard !all.isEmpty else { return }
    let isNumbered = !numbers.isEmpty
    let isWhole = isNumbered && numbers[numbers.count - 1] - numbers[0] == numbers.count - 1
    let isSuccessive =
      isWhole && numbers[0] <= 1 && !PointOrder.withCount(numbers.count).isEmpty
    let isUsual = isNumbered && numbers[numbers.count - 1] < Self.usual.count
    if !isNumbered {
      names = all.sorted()
    } else if let count = options.pointOrder?.places.count, numbers[numbers.count - 1] <= count {
      let first = numbers[numbers.count - 1] == count ? 1 : 0
      names = (first..<first + count).map { "\($0)" }
    } else if options.points != nil, numbers[numbers.count - 1] < Self.largest {
      names = (0...numbers[numbers.count - 1]).map { "\($0)" }
    } else if isSuccessive || !isUsual {
      names = numbers.map { "\($0)" }
    } else {
      names = (0..<Self.usual.count).map { "\($0)" }
    }
    known = Set(names)
    var faces: [[Point?]] = []
    for box in boxes where !box.isEmpty && faces.count < PointReading.sample {
      faces.append(points(of: box))
    }
    let reading = PointReading(options)
    if isUsual, !reading.isStated, !isSuccessive || numbers.count == Self.usual.count {
      let fit = FaceLayout.misfit(of: faces, in: order)
      guard numbers.count < Self.usual.count, let fit, fit.faces >= PointReading.enough,
        fit.median >= FaceLayout.limit
      else { return }
      throw FileError.wrongData(
        "cannot read \(file): expected parts of ibug68 by its numbers, 00 to 67, found \(numbers.count), "
          + "\(numbers[0]) to \(numbers[numbers.count - 1]), that fit no face there, as those of a part of the points "
          + "numbered anew do (--points mapping.json gives each its place, --scheme ibug68 takes them as they are)"
      )
    }
    let sets = PointReading.Sets(file: file, count: names.count, names: names, faces: faces)
    guard let decision = try reading.decide(sets) else {
      throw FileError.wrongData(
        "cannot read \(file): expected parts 00 to 67 or others of one scheme, found \(all.count): "
          + names.prefix(6).joined(separator: ", ") + (names.count > 6 ? ", …" : "")
          + " (--scheme NAME or --points mapping.json says what they are)")
    }
    order = decision.order
    reason = decision.text
  }

  private func points(of parts: [String: Point]) -> [Point?] {
    names.map { name in parts[name].flatMap { Point.unlessMissing(x: $0.x, y: $0.y) } }
  }

  /// The points of a box; nil for none.
  mutating func landmarks(_ parts: [String: Point]) -> Landmarks? {
    guard !parts.isEmpty else { return nil }
    sets += 1
    others += parts.keys.count { !known.contains($0) }
    missing += parts.values.count { Point.unlessMissing(x: $0.x, y: $0.y) == nil }
    return order.landmarks(points(of: parts))
  }

  /// What was assumed and left out.
  var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    if let reason, sets > 0 {
      let list = "\(names[0]) to \(names[names.count - 1])"
      remarks.assume("\(sets) sets of \(names.count) parts, \(list), \(reason)")
    }
    remarks.assume(missing, "parts at -1, -1 are not labelled")
    remarks.drop(others, "parts of other names left out")
    return remarks
  }
}
