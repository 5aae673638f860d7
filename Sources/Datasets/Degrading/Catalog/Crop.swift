internal import FaceCore
internal import Imaging
internal import Statistics

extension Degradation {
  /// An edge of the image that cuts the largest face from the left, the right, above or below.
  static let crop = Degradation(
    "crop", quantity: "share of the face beyond the edge", values: [0.08, 0.16, 0.24, 0.32, 0.4]
  ) { frame, share in
    var choices = frame.choices
    let box = frame.reference.box
    let (width, height) = (frame.pixels.width, frame.pixels.height)
    var (columns, rows) = (0..<width, 0..<height)
    /// A whole edge that leaves at least one column or row on either side.
    func edge(_ position: Double, below count: Int) -> Int {
      Int(min(max(position.rounded(), 0), Double(count)))
    }
    switch Int(4 * choices.uniform()) {
    case 0: columns = min(edge(box.x + share * box.width, below: width), width - 1)..<width
    case 1: columns = 0..<max(edge(box.maxX - share * box.width, below: width), 1)
    case 2: rows = min(edge(box.y + share * box.height, below: height), height - 1)..<height
    default: rows = 0..<max(edge(box.maxY - share * box.height, below: height), 1)
    }
    frame.move(
      to: frame.pixels.cropped(columns: columns, rows: rows),
      by: .translation(x: -Double(columns.lowerBound), y: -Double(rows.lowerBound)))
    frame.labels = frame.labels.compactMap { $0.seen(inside: frame.pixels.size) }
  }
}
