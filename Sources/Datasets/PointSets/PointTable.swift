internal import FaceCore
internal import Platform

/// The orders of a format's sets of points by their number, and what was done with them.
struct PointTable {
  private let reading: PointReading
  /// What remarks call the points.
  private let noun: String
  private let names: [String]?
  /// Whether points without a label are those at -1, -1.
  private let marksMissing: Bool
  private var faces: [Int: [[Point?]]] = [:]
  private var decisions: [Int: PointReading.Decision] = [:]
  private var sets: [Int: Int] = [:]
  private var (missing, empty) = (0, 0)

  init(
    _ options: ImportOptions, noun: String, names: [String]? = nil, marksMissing: Bool = true
  ) {
    reading = PointReading(options)
    (self.noun, self.names, self.marksMissing) = (noun, names, marksMissing)
  }

  /// Whether enough faces were looked at.
  var isFull: Bool { faces.values.contains { $0.count >= PointReading.sample } }

  /// Looks at a face before the first is taken.
  mutating func sample(_ points: [Point?]) {
    guard points.contains(where: { $0 != nil }) else { return }
    faces[points.count, default: []].append(points)
  }

  /// The order of a face's points; throws where it is not known. Counts the set.
  mutating func order(of points: [Point?], in file: String) throws(FileError) -> PointOrder {
    let count = points.count
    sets[count, default: 0] += 1
    let absent = points.count { $0 == nil }
    missing += absent
    if absent == count { empty += 1 }
    if let known = decisions[count] { return known.order }
    let decision = try reading.require(
      PointReading.Sets(
        file: file, count: count, names: names?.count == count ? names : nil,
        faces: faces[count] ?? [points]))
    decisions[count] = decision
    return decision.order
  }

  /// What each kind of set was taken for.
  var all: [String] {
    sets.sorted { $0.key < $1.key }.compactMap { count, number in
      decisions[count].map { "\(number) sets of \(count) \(noun) \($0.text)" }
    }
  }

  /// What was assumed.
  var remarks: [ImportRemark] {
    var remarks = sets.sorted { $0.key < $1.key }.compactMap { count, number in
      decisions[count].flatMap {
        $0.reason.isEmpty
          ? nil : ImportRemark.assumed("\(number) sets of \(count) \(noun) \($0.text)")
      }
    }
    remarks.assume("\(missing) \(noun) at -1, -1 are not labelled", if: missing > 0 && marksMissing)
    remarks.assume(
      "\(empty) sets without a labelled point are no faces", if: empty > 0 && marksMissing)
    return remarks
  }
}
