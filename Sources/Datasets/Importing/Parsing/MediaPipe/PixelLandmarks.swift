internal import FaceCore

extension FaceLabel {
  /// Whether points that should be fractions of the image's sides are pixels: most are beyond any face that is in view.
  var isInPixels: Bool {
    let sides = landmarks.flatMap(\.labelled).map { max(abs($0.x), abs($0.y)) }
    return !sides.isEmpty && 2 * sides.count(where: { $0 > 4 }) > sides.count
  }

  /// The remark on results whose points are pixels; none for 0.
  static func remarks(ofPixels count: Int) -> [ImportRemark] {
    count == 0
      ? []
      : [
        .assumed(
          "points of \(count) results are far beyond 1: taken as pixels of the image, not as fractions"
        )
      ]
  }
}
