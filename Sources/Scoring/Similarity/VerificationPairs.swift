package import Datasets
package import Foundation
internal import Metrics
package import Records
package import Running

/// How well each similarity tells pairs of images that belong together from pairs that do not.
package struct VerificationPairs: Sendable, Encodable {
  /// A pair with its scores.
  package struct Pair: Sendable, Encodable {
    /// The images as the list names them.
    package let a, b: String
    /// Whether their faces belong together.
    package let same: Bool
    /// Procrustes distance of the points; nil without a face in both.
    package let procrustes: Double?
    /// Cosine of the coefficients; nil without a face in both or without coefficients.
    package let cosine: Double?
    /// Procrustes distance with the second face mirrored, as selfies may be stored.
    package let mirroredProcrustes: Double?
    /// The images without a face.
    package let withoutFace: [String]

    /// Whether the second face is nearer in shape as its mirror image.
    package var isNearerMirrored: Bool {
      guard let procrustes, let mirroredProcrustes else { return false }
      return mirroredProcrustes < procrustes
    }
  }

  /// A similarity with its metrics.
  package struct Score: Sendable, Encodable {
    /// `procrustes` or `cosine`.
    package let name: String
    /// Equal error rate, AUROC and true accepts, in the order of the catalogue.
    package let measurements: [Records.Measurement]
    /// Pairs that could not be scored and count as rejected.
    package let failures: Int
    /// Why no pair could be scored; nil where one could.
    package let reason: String?
  }

  /// The pairs in the order of the list.
  package let pairs: [Pair]
  /// Metrics by shape, then by expression.
  package let scores: [Score]

  /// Below every possible score: pairs that could not be compared rank last.
  private static let rejected = -2.0

  /// Finds the face of every image once, and scores every pair.
  ///
  /// A pair with an image without a face is a failure to acquire: it counts as rejected at every threshold. Throws
  /// for an image that is broken, and when the monitor asks to stop.
  package init(
    _ list: ImagePairs, models: URL? = nil, blendshapeHead: URL? = nil,
    minFaceDetectionConfidence: Double = 0.5,
    monitor: RunMonitor = .silent
  ) throws {
    let faces = try ImageFaces(
      models: models, blendshapeHead: blendshapeHead,
      minFaceDetectionConfidence: minFaceDetectionConfidence)
    pairs = try Self.score(list, faces, monitor)
    let absent = faces.absentBlendshapes
    scores = [
      try Self.metrics("procrustes", pairs, reason: nil) { $0.procrustes.map { -$0 } },
      try Self.metrics("cosine", pairs, reason: absent, of: \.cosine),
    ]
  }

  private static func score(
    _ list: ImagePairs, _ faces: ImageFaces, _ monitor: RunMonitor
  ) throws -> [Pair] {
    var lastUse: [String: Int] = [:]
    for (index, pair) in list.pairs.enumerated() {
      (lastUse[pair.first], lastUse[pair.second]) = (index, index)
    }
    var known: [String: ImageFaces.Face?] = [:]
    var done = 0
    monitor.begin(.comparing, lastUse.count)
    return try list.pairs.enumerated().map { index, pair in
      for name in [pair.first, pair.second] where !known.keys.contains(name) {
        guard !monitor.isInterrupted() else {
          throw EvaluationError(
            .interrupted, "interrupted after \(done) of \(lastUse.count) images")
        }
        known.updateValue(try faces.face(of: list.position(of: name)), forKey: name)
        done += 1
        monitor.advance(by: 1)
      }
      let names = [pair.first, pair.second]
      let found = names.map { known[$0] ?? nil }
      for name in names where lastUse[name] == index { known.removeValue(forKey: name) }
      let scores = found[0].flatMap { first in found[1].map { FaceScores(first, $0) } }
      return Pair(
        a: pair.first, b: pair.second, same: pair.belongs, procrustes: scores?.procrustes,
        cosine: scores?.cosine,
        mirroredProcrustes: found[0].flatMap { first in
          found[1].flatMap { FaceScores(first, $0.mirrored).procrustes }
        },
        withoutFace: zip(names, found).filter { $0.1 == nil }.map(\.0))
    }
  }

  private static func metrics(
    _ name: String, _ pairs: [Pair], reason: String?, of score: (Pair) -> Double?
  ) throws(MetricError) -> Score {
    var verification = FaceVerification()
    var failures = 0
    for (number, pair) in pairs.enumerated() {
      let value = score(pair)
      if value == nil { failures += 1 }
      try verification.add(pair: number, score: value ?? rejected, belongs: pair.same)
    }
    guard failures < pairs.count else {
      let reason = reason ?? "no pair has a face in both images"
      return Score(
        name: name,
        measurements: FaceVerification.definitions.map { $0.undefined(reason, n: 0) },
        failures: failures, reason: reason)
    }
    return Score(
      name: name, measurements: verification.summarize(), failures: failures, reason: nil)
  }
}
