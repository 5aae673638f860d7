import FaceCore
import FacePipeline
import Tensor

/// What fills storage in the pipeline, as values.
extension LandmarkDecoding {
  static func project(
    _ raw: TensorView, inputSide: Int, region: NormalizedRect, size: ImageSize
  ) -> [SIMD3<Float>] {
    var points: [SIMD3<Float>] = []
    project(raw, inputSide: inputSide, region: region, size: size, into: &points)
    return points
  }
}

extension LandmarkSmoother {
  mutating func smoothed(
    _ landmarks: [SIMD3<Float>], size: ImageSize, timestampMicroseconds: Int64
  ) -> [SIMD3<Float>] {
    var landmarks = landmarks
    smooth(&landmarks, size: size, timestampMicroseconds: timestampMicroseconds)
    return landmarks
  }
}

extension [Float] {
  /// A view of a copy, which is kept to the end of the tests.
  var view: TensorView {
    let copy = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
    _ = copy.initialize(from: self)
    return TensorView(unsafe: UnsafeBufferPointer(copy))
  }
}
