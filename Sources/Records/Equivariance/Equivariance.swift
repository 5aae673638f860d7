internal import Platform

/// How far outputs of a tracker follow known transformations of the image, as JSON and reports have it.
package struct Equivariance: Hashable, ResultDocument {
  /// A number with its interval.
  package typealias Estimate = Response.Estimate

  /// A point of the face, in the frame of the face: x to the right, y down, 1 is about half the distance from eyes to chin.
  package struct PointOffset: Sendable, Hashable, Codable {
    /// Mean position, mean offset of the transformed image's point, and its mean distance.
    package var x: Double, y: Double, dx: Double, dy: Double, distance: Double

    /// Joins the numbers of a point.
    package init(x: Double, y: Double, dx: Double, dy: Double, distance: Double) {
      (self.x, self.y, self.dx, self.dy, self.distance) = (x, y, dx, dy, distance)
    }
  }

  /// A coefficient.
  package struct Channel: Sendable, Hashable, Codable {
    /// The coefficient, its mean difference (transformed less original), and the mean of its size.
    package var coefficient: String, difference: Estimate, magnitude: Estimate

    /// Joins the numbers of a coefficient.
    package init(coefficient: String, difference: Estimate, magnitude: Estimate) {
      (self.coefficient, self.difference, self.magnitude) = (coefficient, difference, magnitude)
    }
  }

  /// One transformation of the image.
  package struct Transformation: Sendable, Hashable, Codable {
    /// Its name, and what it does.
    package var name: String, summary: String
    /// Images, faces in both, faces in the original alone, faces in the transformed image alone.
    package var images: Int, faces: Int, lost: Int, gained: Int
    /// Share of the original's faces that are lost.
    package var lostShare: Estimate
    /// Mean distance of points, in units of the face's frame.
    package var distance: Estimate
    /// Each point, in the order of the scheme.
    package var points: [PointOffset]
    /// The coefficients.
    package var channels: [Channel]

    private enum CodingKeys: String, CodingKey {
      case name, summary, images, faces, lost, gained, distance, points, channels
      case lostShare = "lost_share"
    }

    /// Joins what was found of a transformation.
    package init(
      name: String, summary: String, images: Int, faces: Int, lost: Int, gained: Int,
      lostShare: Estimate, distance: Estimate, points: [PointOffset], channels: [Channel]
    ) {
      (self.name, self.summary, self.images) = (name, summary, images)
      (self.faces, self.lost, self.gained) = (faces, lost, gained)
      (self.lostShare, self.distance) = (lostShare, distance)
      (self.points, self.channels) = (points, channels)
    }
  }

  /// The schema of the file.
  package var schema = Equivariance.schemaName
  /// The version of the schema.
  package var version = Equivariance.schemaVersion
  /// The program.
  package var tool: Record.Tool
  /// When, in ISO 8601.
  package var created: String
  /// What was measured.
  package var source: String
  /// How many people or stills are resampled, and how they are drawn.
  package var units: Int, resamples: Int, seed: Int
  /// The transformations, in the order of the catalogue.
  package var transformations: [Transformation]
  /// What a reader must know, a sentence each.
  package var notes: [String]
  /// What gates say, and by how much it differs from a base; nil where neither was asked for.
  package var verdicts: ResultVerdicts?

  /// The name of the schema.
  package static let schemaName = "facegauge.equivariance"
  package static let schemaVersion = 1
  package static let fileName = "equivariance.json"
  package static let noun = "a measurement of equivariance"

  /// Joins all that was measured.
  package init(
    tool: Record.Tool, created: String, source: String, units: Int, resamples: Int, seed: Int,
    transformations: [Transformation], notes: [String]
  ) {
    (self.tool, self.created, self.source) = (tool, created, source)
    (self.units, self.resamples, self.seed) = (units, resamples, seed)
    (self.transformations, self.notes) = (transformations, notes)
  }
}
