package import Platform

/// How far coefficients move with the head and with each other, as JSON and reports have it.
package struct Leakage: Hashable, ResultDocument {
  /// A slope with its interval.
  package struct Slope: Sendable, Hashable, Codable, Bounded {
    /// Change per 10° of an angle, or per 1 of a coefficient.
    package var value: Double
    /// Ends of the 95 % interval; nil where there is none.
    @Nullable package var low: Double?
    @Nullable package var high: Double?
    /// Why there is no interval; nil where there is one.
    @Nullable package var reason: String?

    /// Takes a slope and its interval.
    package init(_ value: Double, _ interval: Interval) {
      self.value = value
      low = interval.low
      high = interval.high
      reason = interval.reason
    }
  }

  /// One coefficient against the head's angles.
  package struct Turn: Sendable, Hashable, Codable {
    /// The coefficient.
    package var coefficient: String
    /// Change per 10° of each of `angles`, the others held.
    package var slopes: [Slope]
    /// Share of its variance within clips that the angles explain, in [0, 1].
    package var explained: Double

    /// Joins the slopes of a coefficient.
    package init(coefficient: String, slopes: [Slope], explained: Double) {
      self.coefficient = coefficient
      self.slopes = slopes
      self.explained = explained
    }
  }

  /// How far the head turned about one axis.
  package struct Turning: Sendable, Hashable, Codable {
    /// yaw, pitch or roll.
    package var angle: String
    /// Standard deviation within clips, smallest and largest value, in degrees.
    package var deviation: Double, min: Double, max: Double

    /// Joins what an angle did.
    package init(angle: String, deviation: Double, range: ClosedRange<Double>) {
      self.angle = angle
      self.deviation = deviation
      min = range.lowerBound
      max = range.upperBound
    }
  }

  /// Slopes of some variables on others.
  package struct Matrix: Sendable, Hashable, Codable {
    /// What moves, a row each.
    package var rows: [String]
    /// What it moves with, a column each: coefficients, then angles.
    package var columns: [String]
    /// Slopes by rows; in `mutual` a coefficient's slope on itself is 0 without an interval.
    package var slopes: [[Slope]]

    /// Joins slopes with what moves and what it moves with.
    package init(rows: [String], columns: [String], slopes: [[Slope]]) {
      self.rows = rows
      self.columns = columns
      self.slopes = slopes
    }
  }

  /// A coefficient without slopes.
  package struct LeftOut: Sendable, Hashable, Codable {
    /// The coefficient, and why.
    package var coefficient: String, reason: String

    /// Joins a coefficient and a reason.
    package init(coefficient: String, reason: String) {
      self.coefficient = coefficient
      self.reason = reason
    }
  }

  /// The schema of the file.
  package var schema = Leakage.schemaName
  /// The version of the schema.
  package var version = Leakage.schemaVersion
  /// The program.
  package var tool: Record.Tool
  /// When, in ISO 8601.
  package var created: String
  /// What was measured: a run's predictions, or a dataset's labels.
  package var source: String
  /// Frames that were read, and faces that were compared.
  package var frames: Int, faces: Int
  /// Clips, or stills where there is no clip.
  package var clips: Int, stills: Int
  /// What is resampled, such as `subjects, else clips`, how many of them there are, and how they are drawn.
  package var resampled: String, units: Int, resamples: Int, seed: Int
  /// How far the head turned.
  package var turning: [Turning]
  /// What the signs of the head's angles mean, and the order of its rotations.
  package static let signs =
    "Positive yaw turns the face to its own right, left in the image; positive pitch raises it; "
    + "positive roll tilts it to its own left shoulder, clockwise in the image. The rotation is "
    + "X(-pitch) Y(-yaw) Z(-roll) with x to the right of the image, y up and z to the viewer, so roll "
    + "comes first. Angles of recordings (headYaw, headPitch, headRoll) keep the signs that they "
    + "were recorded with."
  /// The angles that have slopes, in the order of those of `turns`.
  package var angles: [String]
  /// Each coefficient against the head.
  package var turns: [Turn]
  /// Coefficients against each other; nil where the frames are too few.
  @Nullable package var mutual: Matrix?
  /// Coefficients without slopes.
  package var leftOut: [LeftOut]
  /// What a reader must know, a sentence each.
  package var notes: [String]

  /// The name of the schema.
  package static let schemaName = "facegauge.leakage"
  package static let schemaVersion = 1
  package static let fileName = "leakage.json"
  package static let noun = "a leakage measurement"

  private enum CodingKeys: String, CodingKey {
    case schema, version, tool, created, source, frames, faces, clips, stills, resampled, units
    case resamples, seed, turning, angles, turns, mutual, notes
    case leftOut = "left_out"
  }

  /// Joins all that was measured.
  package init(
    tool: Record.Tool, created: String, source: String, frames: Int, faces: Int, clips: Int,
    stills: Int, resampled: String, units: Int, resamples: Int, seed: Int, turning: [Turning],
    angles: [String], turns: [Turn], mutual: Matrix?, leftOut: [LeftOut], notes: [String]
  ) {
    self.tool = tool
    self.created = created
    self.source = source
    self.frames = frames
    self.faces = faces
    self.clips = clips
    self.stills = stills
    self.resampled = resampled
    self.units = units
    self.resamples = resamples
    self.seed = seed
    self.turning = turning
    self.angles = angles
    self.turns = turns
    self.mutual = mutual
    self.leftOut = leftOut
    self.notes = notes
  }
}

extension Leakage {
  /// One slope with what moves and what it moves with.
  package struct Ranked: Sendable, Hashable {
    /// The coefficient that moves.
    package let coefficient: String
    /// The angle or the other coefficient.
    package let with: String
    /// The slope.
    package let slope: Slope
  }

  /// Slopes on the head's angles, the ones that are surely largest first, then by size.
  package var rankedTurns: [Ranked] {
    ranked(
      turns.flatMap { turn in
        zip(angles, turn.slopes).map { Ranked(coefficient: turn.coefficient, with: $0, slope: $1) }
      })
  }

  /// Slopes of coefficients on other coefficients, the ones that are surely largest first, then by size.
  package var rankedPairs: [Ranked] {
    guard let mutual else { return [] }
    return ranked(
      zip(mutual.rows, mutual.slopes).flatMap { row, slopes in
        zip(mutual.columns, slopes).filter { $0.0 != row && mutual.rows.contains($0.0) }
          .map { Ranked(coefficient: row, with: $0, slope: $1) }
      })
  }

  private func ranked(_ slopes: [Ranked]) -> [Ranked] {
    slopes.enumerated().sorted { first, second in
      let (a, b) = (first.element.slope, second.element.slope)
      return (b.atLeast, b.value.magnitude, first.offset)
        < (a.atLeast, a.value.magnitude, second.offset)
    }.map(\.element)
  }
}
