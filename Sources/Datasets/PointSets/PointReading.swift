internal import FaceCore
internal import Platform

/// Decides for which points of which scheme those of a source are taken.
struct PointReading {
  /// Sets of points of one kind, as a source has them.
  struct Sets {
    /// The file, for messages.
    var file: String
    /// How many points each has.
    var count: Int
    /// The names of the points, if the source has any.
    var names: [String]?
    /// Whether the names are in the file itself, rather than in another that it goes with.
    var hasOwnNames = true
    /// Points of some faces, at most `PointReading.sample`; nil for one that is not labelled.
    var faces: [[Point?]]
  }

  /// What was decided, and the assumption for a remark.
  struct Decision {
    let order: PointOrder
    /// Why, after "are taken as NAME"; empty where nothing was assumed.
    var reason = ""

    /// What a remark says after a count of sets.
    var text: String { "are taken as \(order.name)" + (reason.isEmpty ? "" : ", \(reason)") }
  }

  /// The most faces that are looked at.
  static let sample = 200

  private let mapping: PointMapping?
  private let stated: PointOrder?
  /// Faces that disagree with the only scheme of their count before they are refused.
  static let enough = 3

  init(_ options: ImportOptions) {
    mapping = options.points
    stated = options.pointOrder
  }

  /// Whether the user says what points are.
  var isStated: Bool { mapping != nil || stated != nil }

  /// The order of sets of points; nil where no scheme has as many, and neither names nor the user tell.
  ///
  /// Throws where several schemes are possible, or the only one does not fit the faces.
  func decide(_ sets: Sets) throws(FileError) -> Decision? {
    if let mapping {
      let order = try mapping.order(names: sets.names, count: sets.count, in: sets.file)
      let left = order.places.count { $0 == nil }
      return Decision(
        order: order,
        reason: left > 0 ? "\(left) points of each left out (--points)" : "by --points")
    }
    let named = sets.names.flatMap(PointNames.init)
    let numbered = sets.names.flatMap { PointNames.numbered($0)?.positions }
    let stated = self.stated?.ofCount(sets.count)
    if let stated, named?.order.scheme != stated.scheme {
      guard stated.places.count == sets.count else { return nil }
      return Decision(
        order: numbered.map(stated.permuted) ?? stated, reason: "as stated (--scheme)")
    }
    if let named, let decision = decide(sets, named) { return decision }
    if let stated, stated.places.count == sets.count {
      return Decision(order: stated, reason: "as stated (--scheme)")
    }
    return try decideByCount(sets, numbered, wereNamesWrong: named != nil)
  }

  /// The order of sets of points; throws where no scheme has as many, too.
  func require(_ sets: Sets) throws(FileError) -> Decision {
    if let decision = try decide(sets) { return decision }
    let known = PointOrder.counts.map { "\($0)" }
    throw FileError.wrongData(
      "cannot read \(sets.file): expected "
        + (stated.map { "\($0.places.count) points of \($0.name) (--scheme)" }
          ?? known.dropLast().joined(separator: ", ")
          + " or \(known.last ?? "") points, or --points")
        + ", found \(sets.count)")
  }

  /// By names; nil where a result's points are not in the order of the names of its labels.
  private func decide(_ sets: Sets, _ names: PointNames) -> Decision? {
    guard let misfit = FaceLayout.misfit(of: sets.faces, in: names.order),
      misfit.median >= FaceLayout.limit
    else { return Decision(order: names.order, reason: "by their names") }
    if let exchanged = names.exchanged, fits(sets.faces, exchanged) {
      return Decision(order: exchanged, reason: "by their names, whose left is the image's")
    }
    let isOther =
      !sets.hasOwnNames && PointOrder.withCount(sets.count).contains { fits(sets.faces, $0) }
    return isOther ? nil : Decision(order: names.order, reason: "by their names")
  }

  private func decideByCount(
    _ sets: Sets, _ positions: [Int]?, wereNamesWrong: Bool
  ) throws(FileError) -> Decision? {
    let all = PointOrder.withCount(sets.count)
    guard !all.isEmpty else { return nil }
    guard sets.names == nil || positions != nil || wereNamesWrong else {
      throw refusal(of: sets, all, "that no scheme has")
    }
    let orders = all.map { order in positions.map(order.permuted) ?? order }
    let fitting = orders.filter { fits(sets.faces, $0) }
    if let only = fitting.first, fitting.count == 1 {
      return Decision(
        order: only,
        reason: wereNamesWrong
          ? "as the faces show, and not in the order of the names of their labels"
          : orders.count > 1 ? "as the faces show" : "")
    }
    let seen = orders.compactMap { FaceLayout.misfit(of: sets.faces, in: $0)?.faces }.max() ?? 0
    if let only = orders.first, orders.count == 1, seen < Self.enough {
      return Decision(order: only, reason: "by their number alone")
    }
    throw refusal(
      of: sets, all,
      seen == 0
        ? "of which too few are labelled to tell the order"
        : fitting.isEmpty
          ? "that fit no face in any of these orders" + Self.equals(in: sets.faces)
          : "that fit a face in several orders")
  }

  /// Words for the most points of a face that are at one place, as tools write missing ones; none for fewer than three.
  private static func equals(in faces: [[Point?]]) -> String {
    let counts = faces.map { face in
      Dictionary(grouping: face.compactMap { $0 }) { [$0.x, $0.y] }.values.map(\.count).max() ?? 0
    }
    let most = counts.max() ?? 0
    return most < 3 ? "" : ", \(most) of one face at the same place, as if missing"
  }

  private func fits(_ faces: [[Point?]], _ order: PointOrder) -> Bool {
    FaceLayout.misfit(of: faces, in: order).map { $0.median < FaceLayout.limit } ?? false
  }

  private func refusal(of sets: Sets, _ orders: [PointOrder], _ why: String) -> FileError {
    let names = sets.names.map {
      " named " + $0.prefix(6).joined(separator: ", ") + ($0.count > 6 ? ", …" : "")
    }
    return FileError.wrongData(
      "cannot read \(sets.file): expected \(sets.count) points of "
        + orders.map(\.name).joined(separator: ", ") + ", found \(sets.count)\(names ?? "") "
        + "\(why) (--scheme NAME takes them as one, --points mapping.json gives each its place)")
  }
}
