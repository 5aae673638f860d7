/// What the numbers of a BlazeFace model mean: its input side and the grids that its outputs stand on.
package struct DetectorGeometry: Sendable, Hashable {
  /// Side of the square input in pixels.
  package let inputSide: Int
  /// The output grids in order: cells a side, and anchors a cell; none for candidates that are relative to no anchor.
  package let grids: [Grid]
  /// Points of a candidate, at most `maximumKeypoints`.
  package var keypointCount = maximumKeypoints

  /// One square output grid.
  package struct Grid: Sendable, Hashable {
    /// Cells a side.
    package let side: Int
    /// Anchors that share each cell's centre.
    package let anchorsPerCell: Int
  }

  /// How many anchors the model scores.
  package var anchorCount: Int {
    grids.reduce(0) { $0 + $1.side * $1.side * $1.anchorsPerCell }
  }

  /// Anchor centres in [0, 1], row by row, grid by grid; every anchor's size is 1.
  package var anchors: [SIMD2<Float>] {
    var centres: [SIMD2<Float>] = []
    centres.reserveCapacity(anchorCount)
    for grid in grids {
      for y in 0..<grid.side {
        for x in 0..<grid.side {
          let centre =
            SIMD2<Float>(Float(x) + 0.5, Float(y) + 0.5) / SIMD2(repeating: Float(grid.side))
          for _ in 0..<grid.anchorsPerCell { centres.append(centre) }
        }
      }
    }
    return centres
  }

  /// Points that a candidate has room for.
  package static let maximumKeypoints = 6

  /// Candidates of a model of the user's: boxes and points of the image from 0 to 1, relative to no anchor.
  package static func ofImage(keypoints: Int) -> DetectorGeometry {
    DetectorGeometry(inputSide: 1, grids: [], keypointCount: keypoints)
  }

  /// Whether candidates are relative to the image, and not to anchors of a model's input.
  package var isOfImage: Bool { grids.isEmpty }

  /// 896 anchors on 16×16 and 8×8 cells of a 128-pixel input.
  package static let shortRange = DetectorGeometry(
    inputSide: 128,
    grids: [Grid(side: 16, anchorsPerCell: 2), Grid(side: 8, anchorsPerCell: 6)])

  /// 2304 anchors on 48×48 cells of a 192-pixel input.
  package static let fullRange = DetectorGeometry(
    inputSide: 192, grids: [Grid(side: 48, anchorsPerCell: 1)])
}
