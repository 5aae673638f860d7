package import Platform

/// How predicted coefficients respond to labelled ones, as JSON and reports have it.
package struct Response: Hashable, ResultDocument {
  /// A number with its interval.
  package struct Estimate: Sendable, Hashable, Codable, Bounded {
    /// The number; nil where it is undefined.
    @Nullable package var value: Double?
    /// Ends of the 95 % interval; nil where there is none.
    @Nullable package var low: Double?
    @Nullable package var high: Double?
    /// Why there is no interval; nil where there is one.
    @Nullable package var reason: String?

    /// Takes a number and its interval.
    package init(_ value: Double?, _ interval: Interval) {
      self.value = value
      low = interval.low
      high = interval.high
      reason = interval.reason
    }
  }

  /// The prediction over levels of its label.
  package struct Curve: Sendable, Hashable, Codable {
    /// Mean label and mean prediction of each level, and how many faces it has.
    package var labels: [Double], predictions: [Double], faces: [Int]

    /// Joins the levels of a curve.
    package init(labels: [Double], predictions: [Double], faces: [Int]) {
      (self.labels, self.predictions, self.faces) = (labels, predictions, faces)
    }
  }

  /// Another prediction that moves with a label.
  package struct Other: Sendable, Hashable, Codable {
    /// Which one, and its change per 1 of the label.
    package var coefficient: String, slope: Double

    /// Joins a coefficient and a slope.
    package init(coefficient: String, slope: Double) {
      (self.coefficient, self.slope) = (coefficient, slope)
    }
  }

  /// A straight line from the prediction to the label.
  package struct Line: Sendable, Hashable, Codable {
    /// label = intercept + slope · prediction.
    package var intercept: Double, slope: Double

    /// Joins the numbers of a line.
    package init(intercept: Double, slope: Double) {
      (self.intercept, self.slope) = (intercept, slope)
    }
  }

  /// One coefficient.
  package struct Channel: Sendable, Hashable, Codable {
    /// The coefficient.
    package var coefficient: String
    /// Change of the prediction per 1 of its label, all other labels and the head held.
    package var gain: Estimate
    /// The prediction where all labels and angles are 0.
    package var offset: Estimate
    /// Rise of the curve over that of the label, from the lowest level to the highest.
    package var wholeGain: Estimate
    /// Largest distance of the curve from a straight line, over its rise.
    package var nonlinearity: Estimate
    /// Labels at which a tenth and nine tenths of the rise are done.
    package var deadZone: Estimate, saturation: Estimate
    /// 1 where the own prediction moves most when the label moves.
    package var ownRank: Int
    /// Its squared slope over those of all predictions.
    package var ownShare: Estimate
    /// The other prediction that moves most.
    @Nullable package var other: Other?
    /// By how much the prediction trails the label, and in how many clips that is known.
    package var delayFrames: Estimate, delayMilliseconds: Estimate, clips: Int
    /// Root mean squared error, and that after a line that was fitted to the other people or clips.
    package var rmsError: Estimate
    @Nullable package var calibratedError: Double?
    /// The line over all faces.
    @Nullable package var calibration: Line?
    /// The prediction over levels of the label.
    package var curve: Curve

    private enum CodingKeys: String, CodingKey {
      case coefficient, gain, offset, nonlinearity, saturation, other, clips, calibration, curve
      case wholeGain = "whole_gain"
      case deadZone = "dead_zone"
      case ownRank = "own_rank"
      case ownShare = "own_share"
      case delayFrames = "delay_frames"
      case delayMilliseconds = "delay_ms"
      case rmsError = "rms_error"
      case calibratedError = "calibrated_error"
    }

    /// Joins what is known of a coefficient; `estimates` are gain, offset, whole gain, nonlinearity, dead zone,
    /// saturation, own share, delay in frames and in milliseconds, and RMS error.
    package init(
      coefficient: String, estimates: [Estimate], ownRank: Int, other: Other?, clips: Int,
      calibratedError: Double?, calibration: Line?, curve: Curve
    ) {
      precondition(estimates.count == 10)
      self.coefficient = coefficient
      (gain, offset, wholeGain) = (estimates[0], estimates[1], estimates[2])
      (nonlinearity, deadZone, saturation) = (estimates[3], estimates[4], estimates[5])
      (ownShare, delayFrames, delayMilliseconds) = (estimates[6], estimates[7], estimates[8])
      rmsError = estimates[9]
      (self.ownRank, self.other, self.clips) = (ownRank, other, clips)
      (self.calibratedError, self.calibration) = (calibratedError, calibration)
      self.curve = curve
    }
  }

  /// The schema of the file.
  package var schema = Response.schemaName
  /// The version of the schema.
  package var version = Response.schemaVersion
  /// The program.
  package var tool: Record.Tool
  /// When, in ISO 8601.
  package var created: String
  /// What was measured: a run's predictions on a dataset.
  package var source: String
  /// Frames that were read, faces that were compared, and labelled faces that were missed.
  package var frames: Int, faces: Int, missed: Int
  /// What is resampled, how many of them there are, and how they are drawn.
  package var resampled: String, units: Int, resamples: Int, seed: Int
  /// Mean gain, and mean own share, of the channels.
  package var meanGain: Estimate, meanOwnShare: Estimate
  /// The coefficients that have numbers.
  package var channels: [Channel]
  /// Predictions (rows) against labels and labelled angles (columns), each with the other columns held.
  package var matrix: Leakage.Matrix
  /// Images of the coefficients with the smallest gains, each raised, in the order of the report.
  package var images: [Record.Image]
  /// Coefficients without numbers.
  package var leftOut: [Leakage.LeftOut]
  /// What a reader must know, a sentence each.
  package var notes: [String]
  /// What gates say, and by how much it differs from a base; nil where neither was asked for.
  package var verdicts: ResultVerdicts?

  /// The name of the schema.
  package static let schemaName = "facegauge.response"
  package static let schemaVersion = 1
  package static let fileName = "response.json"
  package static let noun = "a measurement of response"

  private enum CodingKeys: String, CodingKey {
    case schema, version, tool, created, source, frames, faces, missed, resampled, units
    case resamples, seed, channels, matrix, images, notes, verdicts
    case meanGain = "mean_gain"
    case meanOwnShare = "mean_own_share"
    case leftOut = "left_out"
  }

  /// Joins all that was measured.
  package init(
    tool: Record.Tool, created: String, source: String, frames: Int, faces: Int, missed: Int,
    resampled: String, units: Int, resamples: Int, seed: Int, meanGain: Estimate,
    meanOwnShare: Estimate, channels: [Channel], matrix: Leakage.Matrix,
    images: [Record.Image], leftOut: [Leakage.LeftOut], notes: [String]
  ) {
    (self.tool, self.created, self.source) = (tool, created, source)
    (self.frames, self.faces, self.missed) = (frames, faces, missed)
    (self.resampled, self.units, self.resamples) = (resampled, units, resamples)
    self.seed = seed
    (self.meanGain, self.meanOwnShare) = (meanGain, meanOwnShare)
    (self.channels, self.matrix, self.images) = (channels, matrix, images)
    (self.leftOut, self.notes) = (leftOut, notes)
  }
}

extension Response {
  /// A gain of so much or more is called strong, one of less than the other weak.
  package static let strongGain = 0.5, weakGain = 0.05

  /// The channels, the largest gain first.
  package var ranked: [Channel] {
    channels.enumerated().sorted {
      ($1.element.gain.value ?? 0, $0.offset) < ($0.element.gain.value ?? 0, $1.offset)
    }.map(\.element)
  }
}

extension Response.Estimate {
  /// The value with its interval, where there is one; `–` where it is undefined.
  package var text: String {
    guard let value else { return "–" }
    let ends = endsText { $0.text(decimals: 3) }
    return value.text(decimals: 3) + (ends.map { " (\($0))" } ?? "")
  }
}
