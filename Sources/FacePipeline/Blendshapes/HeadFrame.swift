internal import FaceCore
internal import Foundation

/// Landmarks in the frame of a mesh: moved, turned and scaled so that they lie over it.
package struct HeadFrame: Sendable {
  private let procrustes: WeightedProcrustes

  /// Prepares to lay a mesh over faces.
  package init(_ mesh: BlendshapeHead.Mesh) {
    procrustes = WeightedProcrustes(sources: mesh.points, weights: mesh.weights)
  }

  /// Writes x, y, z in centimetres of chosen landmarks one after the other; nil where the points determine no frame.
  ///
  /// `point` gives a landmark in any unit: x to the right, y down, z smaller towards the camera. The result is the
  /// cosine of the angle between the face's direction and the camera's: 1 for a frontal face.
  package func fill(
    _ values: inout [Float], from landmarks: [Int], point: (Int) -> SIMD3<Float>
  ) -> Float? {
    func upright(_ index: Int) -> SIMD3<Float> { point(index) * SIMD3(1, -1, -1) }
    guard let similarity = procrustes.fit(to: upright) else { return nil }
    let m = similarity.matrix
    let columns = (
      SIMD3(m[0], m[4], m[8]), SIMD3(m[1], m[5], m[9]), SIMD3(m[2], m[6], m[10])
    )
    let shift = SIMD3(m[3], m[7], m[11])
    let scale = similarity.scale
    let square = scale * scale
    values.removeAll(keepingCapacity: true)
    for index in landmarks {
      let offset = (upright(index) - shift) / square
      values.append((columns.0 * offset).sum())
      values.append((columns.1 * offset).sum())
      values.append((columns.2 * offset).sum())
    }
    return columns.2.z / scale
  }
}

extension BlendshapeHead.Mesh {
  /// The vertices as points.
  package var points: [SIMD3<Float>] {
    stride(from: 0, to: vertices.count, by: 3).map {
      SIMD3(vertices[$0], vertices[$0 + 1], vertices[$0 + 2])
    }
  }
}

/// A head with its buffers; one for each thread.
final class HeadRegressor {
  private let head: BlendshapeHead
  private let frame: HeadFrame
  private let indices: [Int]
  private var inputs: [Float] = []

  init(_ head: BlendshapeHead) {
    self.head = head
    frame = HeadFrame(head.mesh)
    indices = head.channels.map { Blendshape(rawValue: $0.name)?.index ?? 0 }
  }

  /// The 52 coefficients of 478 normalised landmarks, NaN where the head gives none or the points determine no frame.
  func run(
    on landmarks: [SIMD3<Float>], in size: ImageSize, into coefficients: inout [Float]
  ) {
    coefficients.removeAll(keepingCapacity: true)
    for _ in Blendshape.allCases.indices { coefficients.append(.nan) }
    let pixels = SIMD3(Float(size.width), Float(size.height), Float(size.width))
    guard
      landmarks.count == LandmarkScheme.mediapipe478.count,
      frame.fill(&inputs, from: head.landmarks, point: { landmarks[$0] * pixels }) != nil
    else { return }
    for position in inputs.indices { inputs[position] -= head.centre[position] }
    for (channel, index) in zip(head.channels, indices) {
      var logit = channel.constant
      for position in channel.weights.indices {
        logit += channel.weights[position] * inputs[position]
      }
      coefficients[index] = 1 / (1 + expf(-logit))
    }
  }
}
