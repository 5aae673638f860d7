package import Tensor

/// Joins the outputs of the attention model: the mesh, with lips, eyes and irises that the model looked at again.
///
/// Order, index lists and rules for z are those of MediaPipe's graph TensorsToFaceLandmarksWithAttention
/// (mediapipe/modules/face_landmark, version 0.10.21). Its "left" is the image's left.
package enum AttentionRefinement {
  /// 478 points x, y, z in the model's input pixels, 1434 floats, into `points`, which keeps its storage.
  ///
  /// The mesh gives points 0 to 467. Lips and eyes replace x and y of theirs and keep the mesh's z. Each iris adds
  /// five points (centre, right, top, left, bottom), whose z is the mean of the 16 points of the eye's contour.
  ///
  /// - Parameters:
  ///   - mesh: [468, 3]
  ///   - lips: [80, 2]
  ///   - imageLeftEye: [71, 2]
  ///   - imageRightEye: [71, 2]
  ///   - leftIris: [5, 2]
  ///   - rightIris: [5, 2]
  package static func points(
    mesh: TensorView, lips: TensorView, imageLeftEye: TensorView, imageRightEye: TensorView,
    leftIris: TensorView, rightIris: TensorView, into points: inout [Float]
  ) {
    precondition(mesh.count == 3 * meshCount)
    points.removeAll(keepingCapacity: true)
    for position in mesh.indices { points.append(mesh[position]) }
    for _ in 0..<30 { points.append(0) }
    replace(Self.lips, in: &points, by: lips)
    replace(Self.imageLeftEye, in: &points, by: imageLeftEye)
    replace(Self.imageRightEye, in: &points, by: imageRightEye)
    add(leftIris, from: meshCount, to: &points, contour: Self.imageLeftEye[..<contourCount])
    add(rightIris, from: meshCount + 5, to: &points, contour: Self.imageRightEye[..<contourCount])
  }

  private static func replace(
    _ indices: some Collection<Int>, in points: inout [Float], by refined: TensorView
  ) {
    precondition(refined.count == 2 * indices.count)
    for (position, index) in indices.enumerated() {
      points[3 * index] = refined[2 * position]
      points[3 * index + 1] = refined[2 * position + 1]
    }
  }

  private static func add(
    _ iris: TensorView, from first: Int, to points: inout [Float], contour: ArraySlice<Int>
  ) {
    replace(first..<first + 5, in: &points, by: iris)
    let sum = contour.reduce(0.0) { $0 + Double(points[3 * $1 + 2]) }
    for index in first..<first + 5 { points[3 * index + 2] = Float(sum / Double(contour.count)) }
  }

  private static let meshCount = 468
  /// How many points of an eye's list are its contour; they come first.
  private static let contourCount = 16

  /// Four rings from the outer to the inner edge, each first its lower part, then its upper one.
  package static let lips = [
    61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409,
    78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 191, 80, 81, 82, 13, 312, 311, 310, 415,
    76, 77, 90, 180, 85, 16, 315, 404, 320, 307, 306, 184, 74, 73, 72, 11, 302, 303, 304, 408,
    62, 96, 89, 179, 86, 15, 316, 403, 319, 325, 292, 183, 42, 41, 38, 12, 268, 271, 272, 407,
  ]

  /// The contour of the eye around landmark 33, then the rings around it up to the brow.
  package static let imageLeftEye = [
    33, 7, 163, 144, 145, 153, 154, 155, 133, 246, 161, 160, 159, 158, 157, 173,
    130, 25, 110, 24, 23, 22, 26, 112, 243, 247, 30, 29, 27, 28, 56, 190,
    226, 31, 228, 229, 230, 231, 232, 233, 244, 113, 225, 224, 223, 222, 221, 189,
    35, 124, 46, 53, 52, 65, 143, 111, 117, 118, 119, 120, 121, 128, 245,
    156, 70, 63, 105, 66, 107, 55, 193,
  ]

  /// The same of the eye around landmark 263.
  package static let imageRightEye = [
    263, 249, 390, 373, 374, 380, 381, 382, 362, 466, 388, 387, 386, 385, 384, 398,
    359, 255, 339, 254, 253, 252, 256, 341, 463, 467, 260, 259, 257, 258, 286, 414,
    446, 261, 448, 449, 450, 451, 452, 453, 464, 342, 445, 444, 443, 442, 441, 413,
    265, 353, 276, 283, 282, 295, 372, 340, 346, 347, 348, 349, 350, 357, 465,
    383, 300, 293, 334, 296, 336, 285, 417,
  ]
}
