package import FaceCore
internal import Foundation
package import Tensor

extension DetectorCandidate {
  /// Candidates of a score of `floor` or more, in anchor order.
  ///
  /// The score is the logistic of the logit clamped to ±100, by the C library's `expf`.
  ///
  /// - Parameters:
  ///   - logits: [anchors]
  ///   - regressors: [anchors, 16]
  package static func all(
    logits: TensorView, regressors: TensorView, floor: Float
  ) -> [DetectorCandidate] {
    var found: [DetectorCandidate] = []
    for anchor in 0..<min(logits.count, regressors.count / 16) {
      let logit = min(max(logits[anchor], -100), 100)
      let score = 1 / (1 + expf(-logit))
      guard score >= floor else { continue }
      var values = SIMD16<Float>()
      for lane in 0..<16 { values[lane] = regressors[anchor * 16 + lane] }
      found.append(DetectorCandidate(anchor: anchor, score: score, regressors: values))
    }
    return found
  }
}
