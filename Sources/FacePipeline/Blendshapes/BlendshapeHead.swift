internal import FaceCore
package import Foundation
package import Platform

/// Coefficients as linear functions of landmarks in the face's own frame: the contents of `head.json`.
///
/// Landmarks are laid over `mesh` by weighted Procrustes; what they differ there from `centre`, in centimetres, gives
/// the logit of each coefficient.
package struct BlendshapeHead: Hashable, JSONDocument {
  /// The schema that the file follows.
  package var schema = Self.schemaName
  /// Version of the schema.
  package var version = Self.schemaVersion
  /// The program that fitted it, and when, ISO 8601 in UTC.
  package var tool, toolVersion, created: String
  /// The landmark scheme that it is for.
  package var scheme = LandmarkScheme.mediapipe478.name
  /// What it was fitted to.
  package var fitted: Fitted
  /// The mean face; without the irises.
  package var mesh: Mesh
  /// Indices of the landmarks that count.
  package var landmarks: [Int]
  /// The mean of their positions in the mesh's frame: x, y, z of each, in centimetres.
  package var centre: [Float]
  /// The coefficients that it gives.
  package var channels: [Channel]
  /// What a reader must know, a sentence each.
  package var notes: [String]

  /// What a head was fitted to.
  package struct Fitted: Sendable, Hashable, Codable {
    /// The blendshape models whose predictions it was fitted to; empty for labels.
    package var teachers: [Source]
    /// The runs with the landmarks.
    package var runs: [Run]
    /// How many faces they have, and of how many subjects, else videos, else stills.
    package var faces, clusters: Int
    /// How many folds of whole clusters were held out one by one; 0 for none.
    package var folds: Int
    /// The penalty on weights, as a share of the inputs' mean variance.
    package var ridge: Double
    /// How far coefficients were kept from 0 and 1 before their logits were taken.
    package var margin: Double

    /// Joins the facts of a fit.
    package init(
      teachers: [Source], runs: [Run], faces: Int, clusters: Int, folds: Int, ridge: Double,
      margin: Double
    ) {
      (self.teachers, self.runs, self.faces, self.clusters) = (teachers, runs, faces, clusters)
      (self.folds, self.ridge, self.margin) = (folds, ridge, margin)
    }

    /// How many clusters there are, in words.
    package var clustersText: String {
      clusters == 1 ? "1 subject, video or still" : "\(clusters) subjects, videos or stills"
    }
  }

  /// A model or dataset by name and digest.
  package struct Source: Sendable, Hashable, Codable {
    /// Its name.
    package var name: String
    /// SHA-256 of its bytes, in lower-case hexadecimal.
    package var sha256: String

    /// Names a source.
    package init(name: String, sha256: String) {
      (self.name, self.sha256) = (name, sha256)
    }
  }

  /// A run with landmarks.
  package struct Run: Sendable, Hashable, Codable {
    /// Its dataset.
    package var dataset: Source
    /// The landmark model that ran; nil where it is not known.
    package var landmarks: Source?
    /// How many faces of it were used.
    package var faces: Int

    /// Names a run by what it was made from.
    package init(dataset: Source, landmarks: Source?, faces: Int) {
      (self.dataset, self.landmarks, self.faces) = (dataset, landmarks, faces)
    }
  }

  /// A mean face in centimetres; y points up, the face looks along +z.
  package struct Mesh: Sendable, Hashable, Codable {
    /// x, y, z of 468 vertices.
    package var vertices: [Float]
    /// How much each vertex counts when the mesh is laid over a face, at least 0.
    package var weights: [Float]
    /// How many faces it is the mean of.
    package var faces: Int

    /// Joins vertices and weights.
    package init(vertices: [Float], weights: [Float], faces: Int) {
      (self.vertices, self.weights, self.faces) = (vertices, weights, faces)
    }
  }

  /// One coefficient.
  package struct Channel: Sendable, Hashable, Codable {
    /// Which, by MediaPipe's name.
    package var name: String
    /// The logit of the mean face.
    package var constant: Float
    /// How the logit rises with each coordinate, per centimetre; empty for a coefficient that hardly varied.
    package var weights: [Float]
    /// Agreement on held-out faces; nil where no faces were held out.
    package var heldOut: Agreement?

    /// Joins a coefficient's parts.
    package init(name: String, constant: Float, weights: [Float], heldOut: Agreement?) {
      (self.name, self.constant, self.weights, self.heldOut) = (name, constant, weights, heldOut)
    }
  }

  /// How well held-out values agree with those that a head was fitted to.
  package struct Agreement: Sendable, Hashable, Codable {
    /// Lin's concordance; nil for a coefficient that hardly varied.
    package var concordance: Double?
    /// Mean absolute error.
    package var meanAbsoluteError: Double

    /// Joins the two numbers.
    package init(concordance: Double?, meanAbsoluteError: Double) {
      (self.concordance, self.meanAbsoluteError) = (concordance, meanAbsoluteError)
    }
  }

  /// Joins the parts of a head.
  package init(
    tool: String, toolVersion: String, created: String, fitted: Fitted, mesh: Mesh,
    landmarks: [Int], centre: [Float], channels: [Channel], notes: [String] = []
  ) {
    (self.tool, self.toolVersion, self.created) = (tool, toolVersion, created)
    (self.fitted, self.mesh, self.landmarks) = (fitted, mesh, landmarks)
    (self.centre, self.channels, self.notes) = (centre, channels, notes)
  }

  package static let schemaName = "facegauge.blendshape-head"
  package static let schemaVersion = 1
  package static let fileName = "head.json"
  package static let noun = "a blendshape head"
  /// Concordance below which a coefficient is named as weak.
  package static let weakConcordance = 0.5

  /// What a record says of the head where it runs on the landmarks of a model.
  package func remark(on landmarks: LoadedModel?) -> String {
    let known = fitted.runs.compactMap(\.landmarks)
    guard let landmarks, let first = known.first,
      !known.contains(where: { $0.sha256 == landmarks.sha256 })
    else { return evidence }
    return "fitted to landmarks of \(first.name), not of \(landmarks.name) as here, which makes "
      + "its coefficients less accurate; \(evidence)"
  }

  /// A sentence part on its evidence, for records and tables.
  package var evidence: String {
    let target =
      fitted.teachers.isEmpty ? "labels" : fitted.teachers.map(\.name).joined(separator: ", ")
    let begin =
      "fitted to \(target) on \(fitted.faces) sets of landmarks of \(fitted.clustersText)"
    let known = channels.compactMap { channel in
      channel.heldOut?.concordance.map { (name: channel.name, concordance: $0) }
    }
    guard !known.isEmpty else { return "\(begin); agreement on held-out faces is unknown" }
    let sorted = known.map(\.concordance).sorted()
    let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    let weak = known.filter { $0.concordance < Self.weakConcordance }
    let untested = channels.filter { $0.heldOut?.concordance == nil }.map(\.name)
    return
      "\(begin); median CCC \(median.text(decimals: 2)) on held-out ones"
      + (weak.isEmpty
        ? ""
        : "; CCC below \(Self.weakConcordance): "
          + weak.map { "\($0.name) \($0.concordance.text(decimals: 2))" }.joined(separator: ", "))
      + (untested.isEmpty
        ? "" : "; hardly varied, CCC undefined: \(untested.joined(separator: ", "))")
  }
}

extension BlendshapeHead {
  /// The bytes of the file: one line, sorted keys, the same bytes for equal heads.
  package func json() throws -> [UInt8] { try JSONEncoder.line.bytes(of: self) }

  package var firstProblem: JSONProblem? {
    problem.map { JSONProblem(position: $0.position, expected: $0.expected, found: $0.found) }
  }

  private var problem: (position: String, expected: String, found: String)? {
    let count = LandmarkScheme.mediapipe478.count
    guard scheme == LandmarkScheme.mediapipe478.name else {
      return ("scheme", LandmarkScheme.mediapipe478.name, "\"\(scheme.prefix(60))\"")
    }
    let vertices = CanonicalFaceMesh.vertexCount
    guard mesh.vertices.count == 3 * vertices else {
      return ("mesh.vertices", "\(3 * vertices) numbers", "\(mesh.vertices.count)")
    }
    guard mesh.weights.count == vertices, mesh.weights.allSatisfy({ $0 >= 0 }),
      mesh.weights.reduce(0, +) > 1e-9
    else { return ("mesh.weights", "\(vertices) numbers from 0, not all 0", "others") }
    guard !landmarks.isEmpty, Set(landmarks).count == landmarks.count,
      landmarks.allSatisfy({ (0..<count).contains($0) })
    else { return ("landmarks", "each index of 0 to \(count - 1) at most once", "others") }
    let inputs = 3 * landmarks.count
    guard centre.count == inputs else { return ("centre", "\(inputs) numbers", "\(centre.count)") }
    guard !channels.isEmpty else { return ("channels", "one or more", "none") }
    var names: Set<String> = []
    for (index, channel) in channels.enumerated() {
      guard Blendshape(rawValue: channel.name) != nil, names.insert(channel.name).inserted else {
        return (
          "channels[\(index)].name", "each of the 52 coefficients at most once",
          "\"\(channel.name.prefix(60))\""
        )
      }
      guard channel.weights.isEmpty || channel.weights.count == inputs else {
        return (
          "channels[\(index)].weights", "\(inputs) numbers or none", "\(channel.weights.count)"
        )
      }
    }
    let numbers = mesh.vertices + centre + channels.flatMap { $0.weights + [$0.constant] }
    if let number = numbers.first(where: { !(abs($0) <= Self.limit) }) {
      return ("", "numbers within \(Int(Self.limit))", "\(number)")
    }
    return nil
  }

  /// No centimetre and no weight of a face comes near it.
  private static let limit: Float = 1_000_000
}

extension BlendshapeHead {
  /// A head that the user names, with the digest of its file; throws `.notFound` and `.wrongData`.
  package static func file(
    _ url: URL
  ) throws(FileError) -> (head: BlendshapeHead, sha256: String) {
    let (head, bytes): (BlendshapeHead, [UInt8])
    do throws(FileError) {
      bytes = try InputFile.bytes(of: url)
      head = try BlendshapeHead(json: bytes, source: url.relativePath)
    } catch {
      throw error.ofModel
    }
    return (head, try ModelBytes.digest(bytes))
  }
}
