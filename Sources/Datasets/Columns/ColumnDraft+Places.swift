internal import FaceCore
internal import Foundation

/// Where a table has boxes, and points that no name tells.
extension ColumnDraft {
  /// Whether four numbers are within their images as two corners, and as a corner and a size, and how many faces tell
  /// it: none where no image is there and they are no fractions.
  private func fit(of rows: [[Double]]) -> (corners: Bool, sizes: Bool, count: Int) {
    let files = mapping["image"].map { columns.values(of: $0) } ?? []
    let areFractions =
      rows.joined().allSatisfy { (-0.5...1.5).contains($0) }
      && rows.joined().contains { $0 != $0.rounded() }
    guard areFractions || files.count == rows.count else { return (false, false, 0) }
    var sizes: [String: ImageSize] = [:]
    var (all, corners, boxes) = (0, 0, 0)
    for (index, row) in rows.enumerated() where row.count == 4 && Set(row).count > 1 {
      var (width, height) = (1.02, 1.02)
      if !areFractions {
        let file = files[index]
        if sizes[file] == nil, sizes.count < Self.mostImages {
          sizes[file] = try? SourceFiles.imageSize(of: SourceFiles.url(of: file, in: folder))
        }
        guard let size = sizes[file] else { continue }
        (width, height) = (1.02 * Double(size.width), 1.02 * Double(size.height))
      }
      all += 1
      if row[2] > row[0], row[3] > row[1], row[2] <= width, row[3] <= height { corners += 1 }
      if row[0] + row[2] <= width, row[1] + row[3] <= height { boxes += 1 }
    }
    return (all > 0 && 50 * corners >= 49 * all, all > 0 && 10 * boxes >= 9 * all, all)
  }

  /// So many faces are not all in the upper left of their images, as corners are that could be sizes.
  private static let tellingFaces = 20

  /// Whether four numbers are corners, and what a note says of it: what tells it, or that nothing does and corners are
  /// taken if that is `usual`.
  private func form(
    of rows: [[Double]], usual areUsual: Bool
  ) -> (areCorners: Bool, text: String) {
    let (corners, sizes) = ("corners", "left, top, width and height")
    let found = fit(of: rows)
    if found.corners != found.sizes {
      let text = found.corners ? corners : sizes
      return (found.corners, "\(text), as only so they are within their images")
    }
    let canBeCorners = rows.allSatisfy { row in
      row.count != 4 || row[2] >= row[0] && row[3] >= row[1]
    }
    guard canBeCorners else { return (false, "\(sizes), as their values show") }
    let areCorners = areUsual && !(found.sizes && found.count >= Self.tellingFaces)
    return (
      areCorners,
      areCorners
        ? "\(corners), while \(sizes) would fit too: look at the boxes"
        : "\(sizes), while \(corners) would fit too: look at the boxes"
    )
  }

  /// The column of these names with the smallest numbers: a box is not larger than its image.
  private func smallest(_ words: [String]) -> String? {
    let found = columns.names.filter { name in
      !used.contains(name) && columns.isNumeric(name)
        && words.contains { ColumnWords.means(name, $0) }
    }
    func sum(_ name: String) -> Double { columns.numbers(of: name).reduce(0, +) }
    return found.min { sum($0) < sum($1) }
  }

  mutating func takeBox() {
    if let box = column(ColumnWords.box), columns.share(of: box, where: ColumnSample.isFour) > 0.8 {
      take(box, as: "box")
      let found = form(of: columns.values(of: box).map(ColumnSample.numbers), usual: false)
      mapping["form"] = found.areCorners ? "xyxy" : "xywh"
      notes.append(
        "the four numbers of \(box) are taken as \(found.text) (form: xywh, xyxy, cxcywh)")
      return
    }
    for corners in ColumnWords.corners {
      let found = corners.compactMap { column($0) }
      guard found.count == 4, Set(found).count == 4, !columns.hasSeries(found) else { continue }
      take(found, as: ["x", "y", "x2", "y2"])
      break
    }
    for first in 0...1 where mapping["x"] == nil {
      let four = (first..<first + 4).compactMap { number in
        column(ColumnWords.box.map { "\($0)\(number)" })
      }
      if four.count == 4, four.allSatisfy({ columns.isNumeric($0) }) { takeFour(four) }
    }
    if mapping["x"] == nil, let width = smallest(ColumnWords.width),
      let height = smallest(ColumnWords.height)
    {
      if let x = column(ColumnWords.left), let y = column(ColumnWords.top) {
        take([x, y, width, height], as: ["x", "y", "width", "height"])
      } else if let x = column(ColumnWords.centerX), let y = column(ColumnWords.centerY) {
        take([x, y, width, height], as: ["cx", "cy", "width", "height"])
      }
    }
    var (width, height) = (column(ColumnWords.imageWidth), column(ColumnWords.imageHeight))
    if width == nil, mapping["x2"] ?? mapping["width"] != nil {
      (width, height) = (column(["width", "w"]), column(["height", "h"]))
    }
    if let width, let height { take([width, height], as: ["image-width", "image-height"]) }
  }

  /// The key of a single point's coordinate.
  static func key(_ point: Int, _ axis: String) -> String { "p\(point)\(axis)" }

  /// Points after the name of an image, alone or after a box, where faces show that they are.
  mutating func takeUnnamedPoints() {
    let numeric = columns.names.filter { !used.contains($0) && columns.isNumeric($0) }
    for skipped in [0, 4] {
      let own = Array(numeric.dropFirst(skipped))
      let count = own.count / 2
      let orders = own.count % 2 == 0 ? PointOrder.withCount(count) : []
      guard !orders.isEmpty else { continue }
      let values = own.map { columns.numbers(of: $0) }
      let rows = min(values.map(\.count).min() ?? 0, PointReading.sample)
      for arePairs in [true, false] {
        let places = (0..<count).map { index in
          arePairs ? (x: 2 * index, y: 2 * index + 1) : (x: index, y: count + index)
        }
        let faces = (0..<rows).map { row in
          places.map { Point.unlessMissing(x: values[$0.x][row], y: values[$0.y][row]) }
        }
        let fits = orders.compactMap { FaceLayout.misfit(of: faces, in: $0)?.median }
        guard fits.contains(where: { $0 < FaceLayout.limit }) else { continue }
        for (index, place) in places.enumerated() {
          take(own[place.x], as: Self.key(index, "x"))
          take(own[place.y], as: Self.key(index, "y"))
        }
        notes.append(
          "columns \(own[0]) to \(own[own.count - 1]) are taken as \(count) points, "
            + (arePairs ? "pairs of x and y" : "all x before all y") + ", as the faces show")
        return
      }
    }
  }

  /// Four numbers after the name of an image, as detectors' lists have them, or after the score or the number of a class.
  mutating func takeUnnamedBox() {
    var numeric = columns.names.filter { !used.contains($0) && columns.isNumeric($0) }
    func areShares(_ name: String) -> Bool {
      columns.numbers(of: name).allSatisfy((0...1).contains)
    }
    func areWhole(_ name: String) -> Bool {
      columns.numbers(of: name).allSatisfy { $0 == $0.rounded() }
    }
    if numeric.count > 4, areShares(numeric[0]),
      !areShares(numeric[1]) || areWhole(numeric[0]) && !areWhole(numeric[1])
    {
      numeric.removeFirst()
    }
    guard numeric.count >= 4 else { return }
    takeFour(Array(numeric.prefix(4)))
    let rest = columns.names.filter { !used.contains($0) }
    func isScore(_ name: String) -> Bool { areShares(name) && !areWhole(name) }
    take(rest.first { columns.isNumeric($0) && isScore($0) }, as: "score")
    let words = rest.filter { !columns.isNumeric($0) }
    let split = words.first { columns.share(of: $0, where: { FolderSplit.isUsual($0) }) > 0.8 }
    take(split, as: "split")
    takeLabel(words.first { $0 != split })
  }

  /// Four columns of a box, whose values may tell whether they are corners.
  private mutating func takeFour(_ names: [String]) {
    let four = names.map { columns.numbers(of: $0) }
    let rows = (0..<(four.map(\.count).min() ?? 0)).map { row in four.map { $0[row] } }
    let found = form(of: rows, usual: true)
    take(names, as: ["x", "y"] + (found.areCorners ? ["x2", "y2"] : ["width", "height"]))
    notes.append(
      "four numbers are taken as \(found.text) (columns x, y and x2, y2, or x, y and width, "
        + "height)")
  }
}
