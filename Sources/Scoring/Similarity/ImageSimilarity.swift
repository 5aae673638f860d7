internal import FaceCore
package import Foundation
internal import Metrics
internal import Running

/// Two images' faces compared: shape, expression, and where the expressions differ.
package struct ImageSimilarity: Sendable, Encodable {
  /// An image and its largest face.
  package struct Image: Sendable, Encodable {
    /// The file as the caller named it.
    package let file: String
    /// How many faces it shows.
    package let faces: Int
    /// Left, top, width and height of the face that was compared, in pixels of the stored image.
    package let box: [Double]
  }

  /// A coefficient in both faces.
  package struct Difference: Sendable, Encodable {
    /// Name of the blendshape.
    package let name: String
    /// Its value in the first and in the second face, in [0, 1].
    package let a, b: Double
  }

  /// The images.
  package let a, b: Image
  /// Procrustes distance of the 478 points, in [0, 1]; nil where a face has no extent.
  package let procrustes: Double?
  /// Cosine of the coefficients; nil with a `reason`.
  package let cosine: Double?
  /// Why there is no cosine; nil where there is one.
  package let reason: String?
  /// The same scores with the mirror image of the second face, as selfies may be stored.
  package let mirrored: FaceScores
  /// The coefficients of both, the most different first; those of a pair equally different in their own order.
  package let differences: [Difference]

  /// Compares the largest face of one image with that of another; throws where one shows none.
  package init(
    _ first: URL, _ second: URL, models: URL? = nil, blendshapeHead: URL? = nil,
    minFaceDetectionConfidence: Double = 0.5
  ) throws {
    let faces = try ImageFaces(
      models: models, blendshapeHead: blendshapeHead,
      minFaceDetectionConfidence: minFaceDetectionConfidence)
    let found = try [first, second].map { url in
      guard let face = try faces.face(of: url) else {
        throw EvaluationError.wrongData(
          "cannot compare \(url.relativePath): expected a face, found none with a score of "
            + "\(minFaceDetectionConfidence) or more")
      }
      return face
    }
    a = Image(first, found[0])
    b = Image(second, found[1])
    let scores = FaceScores(found[0], found[1])
    procrustes = scores.procrustes
    cosine = scores.cosine
    mirrored = FaceScores(found[0], found[1].mirrored)
    reason =
      cosine == nil ? faces.absentBlendshapes ?? "the coefficients of a face are all 0" : nil
    differences = Self.differences(found[0].blendshapes ?? [], found[1].blendshapes ?? [])
  }

  /// Whether the second face is nearer to the first in shape as its mirror image.
  package var isNearerMirrored: Bool {
    guard let procrustes, let other = mirrored.procrustes else { return false }
    return other < procrustes
  }

  private static func differences(_ first: [Float], _ second: [Float]) -> [Difference] {
    let all = zip(Blendshape.allCases, zip(first, second)).compactMap { blendshape, pair in
      blendshape != .neutral && pair.0.isFinite && pair.1.isFinite
        ? Difference(name: blendshape.rawValue, a: Double(pair.0), b: Double(pair.1)) : nil
    }
    return all.enumerated().sorted { one, other in
      let (x, y) = (abs(one.element.a - one.element.b), abs(other.element.a - other.element.b))
      return x != y ? x > y : one.offset < other.offset
    }.map(\.element)
  }
}

/// The two scores of a pair of faces.
package struct FaceScores: Sendable, Encodable {
  /// Procrustes distance of the points; nil where a face has no extent.
  package let procrustes: Double?
  /// Cosine of the coefficients; nil where either face has none, or all of them are 0.
  package let cosine: Double?

  /// Compares two faces.
  init(_ first: ImageFaces.Face, _ second: ImageFaces.Face) {
    procrustes = FaceSimilarity.procrustes(first.points, second.points)
    cosine = FaceSimilarity.blendshapeCosine(first.blendshapes ?? [], second.blendshapes ?? [])
  }
}

extension ImageSimilarity.Image {
  fileprivate init(_ url: URL, _ face: ImageFaces.Face) {
    file = url.relativePath
    faces = face.count
    box = [face.box.x, face.box.y, face.box.width, face.box.height]
  }
}
