internal import FaceCore
internal import Records
internal import Running

/// The labelled faces that were not found, up to a bound.
struct MissList {
  /// One face that was not found.
  struct Miss {
    let frame: String
    let face: Int
    let box: BoundingBox
    let reason: String
  }

  /// The most rows that a record keeps; the predictions file has the rest.
  static let limit = 1000

  private var rows: [Miss] = []
  private(set) var count = 0

  /// Takes in a miss; nil where the list is full.
  mutating func add(_ miss: Miss?) {
    count += 1
    if let miss, !isFull { rows.append(miss) }
  }

  /// Whether a further miss is only counted.
  var isFull: Bool { rows.count >= Self.limit }

  /// Takes in the misses of later frames.
  mutating func merge(_ later: MissList) {
    count += later.count
    rows += later.rows.prefix(Self.limit - rows.count)
  }

  /// The table of the record.
  var series: Series? {
    guard count > 0 else { return nil }
    let title =
      count > rows.count ? "Missed faces (\(rows.count) of \(count))" : "Missed faces"
    return Series(
      name: SeriesName.misses, title: title,
      columns: ["frame", "face", "box x, y, width, height", "why"],
      rows: rows.map { miss in
        let box = [miss.box.x, miss.box.y, miss.box.width, miss.box.height]
        return [
          miss.frame, "\(miss.face)", box.map(NumberText.pixels).joined(separator: ", "),
          miss.reason,
        ]
      })
  }
}
