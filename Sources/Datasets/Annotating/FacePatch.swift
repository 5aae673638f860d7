package import FaceCore
package import Imaging

/// The part of an image that shows a face: its labelled box, reduced to 256 pixels, and patches of its cheeks.
package struct FacePatch: Sendable {
  /// The pixels of the box that are in the image, made smaller where the longer side has more than 256.
  let pixels: PixelBuffer
  /// Whole pixels of squares on the cheeks that can be seen, at the image's own size; empty where no points are known.
  let cheeks: [PixelBuffer]

  /// Longest side of the face in pixels.
  static let longestSide = 256
  /// Least side of the face in pixels; smaller ones are not measured.
  package static let minSide = 16
  /// Side of a cheek's square as a part of the distance between the eyes.
  private static let cheekSide = 0.15
  /// Least side of a cheek's square in pixels.
  private static let minCheekSide = 3

  /// Cuts a face out of its image; nil where less than 16 pixels of a side are in the image.
  ///
  /// `points` are those of the face in pixels; nil where none are known.
  package init?(of label: FaceLabel, in image: PixelBuffer, points: Landmarks?) {
    let columns = PixelBuffer.centres(from: label.box.x, to: label.box.maxX, below: image.width)
    let rows = PixelBuffer.centres(from: label.box.y, to: label.box.maxY, below: image.height)
    guard columns.count >= Self.minSide, rows.count >= Self.minSide else { return nil }
    pixels = image.cropped(columns: columns, rows: rows).reduced(toFit: Self.longestSide)
    cheeks = points.map { Self.cheeks(of: $0, in: image) } ?? []
  }

  /// The points of a label from which cheeks can be found; nil for a label without corners of eyes and mouth.
  package static func points(of label: FaceLabel) -> Landmarks? {
    label.landmarks.first { set in
      guard let corners = FaceCorners.of(set.scheme) else { return false }
      return corners.sides(in: set).contains { $0 != nil } && corners.eyes(in: set) != nil
    }
  }

  /// Squares halfway between the outer corner of each eye and the corner of the mouth below it.
  private static func cheeks(of points: Landmarks, in image: PixelBuffer) -> [PixelBuffer] {
    guard let corners = FaceCorners.of(points.scheme), let eyes = corners.eyes(in: points) else {
      return []
    }
    let (dx, dy) = (eyes.left.x - eyes.right.x, eyes.left.y - eyes.right.y)
    let half = cheekSide / 2 * (dx * dx + dy * dy).squareRoot()
    return corners.sides(in: points).compactMap { side in
      guard let side else { return nil }
      let (x, y) = ((side.eye.x + side.mouth.x) / 2, (side.eye.y + side.mouth.y) / 2)
      let columns = PixelBuffer.centres(from: x - half, to: x + half, below: image.width)
      let rows = PixelBuffer.centres(from: y - half, to: y + half, below: image.height)
      guard min(columns.count, rows.count) >= minCheekSide else { return nil }
      return image.cropped(columns: columns, rows: rows)
    }
  }
}

extension FaceCorners {
  /// The outer corner of the eye and the corner of the mouth of each side; nil for a side that is hidden or not labelled.
  func sides(in set: Landmarks) -> [(eye: Point, mouth: Point)?] {
    [(rightEye, rightMouth), (leftEye, leftMouth)].map { eye, mouth in
      guard set.visibility[eye] == .visible, set.visibility[mouth] == .visible else { return nil }
      return (set.points[eye], set.points[mouth])
    }
  }
}
