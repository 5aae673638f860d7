internal import FaceCore
internal import Metrics
internal import Platform

/// A linear map of blendshapes towards labelled ones: offset, gain, and the part of the other side.
///
/// corrected = offset + gain · (p − rest) + crosstalk · (p′ − rest′), clipped to [0, 1]; p′ is the same
/// coefficient of the other side of the face. Coefficients without a channel stay as they are.
package struct BlendshapeCorrection: Sendable, Hashable, Codable {
  /// The map of one coefficient.
  package struct Channel: Sendable, Hashable, Codable {
    /// The value at rest.
    package var offset: Double
    /// How much it rises with the coefficient itself.
    package var gain: Double
    /// How much it rises with the coefficient of the other side; 0 where there is none.
    package var crosstalk: Double

    /// Makes a map.
    package init(offset: Double, gain: Double, crosstalk: Double = 0) {
      self.offset = offset
      self.gain = gain
      self.crosstalk = crosstalk
    }
  }

  /// The maps by the coefficient's name.
  package var channels: [String: Channel]
  /// What the uncorrected coefficients are in a face at rest, by name; 0 for those that are not there.
  package var rest: [String: Double]

  /// Makes a correction.
  package init(channels: [String: Channel], rest: [String: Double]) {
    self.channels = channels
    self.rest = rest
  }

  /// Takes a face at rest to 0 and leaves 1 at 1: (p − rest) / (1 − rest).
  ///
  /// Coefficients of 0.5 or more at rest are no rest and stay as they are.
  package init(rest: [String: Double]) {
    let usable = rest.filter { $0.value < Self.restLimit }
    self.init(
      channels: usable.mapValues { Channel(offset: 0, gain: 1 / (1 - $0)) }, rest: usable)
  }

  /// A coefficient that is so large is not at rest.
  package static let restLimit = 0.5

  /// Corrects 52 coefficients; what is NaN stays so, and lists of another length stay as they are.
  package func corrected(_ coefficients: [Float]) -> [Float] {
    guard coefficients.count == Blendshape.allCases.count else { return coefficients }
    var result = coefficients
    for (name, channel) in channels {
      guard let shape = Blendshape(rawValue: name),
        let value = corrected(shape, channel, of: coefficients)
      else { continue }
      result[shape.index] = Float(value)
    }
    return result
  }

  private func corrected(
    _ shape: Blendshape, _ channel: Channel, of coefficients: [Float]
  ) -> Double? {
    func risen(_ shape: Blendshape) -> Double {
      Double(coefficients[shape.index]) - (rest[shape.rawValue] ?? 0)
    }
    var value = channel.offset + channel.gain * risen(shape)
    if channel.crosstalk != 0 {
      guard let other = Self.otherSide[shape] else { return nil }
      value += channel.crosstalk * risen(other)
    }
    return value.isNaN ? nil : min(1, max(0, value))
  }

  /// The same coefficient of the other side of the face.
  static let otherSide = Dictionary(
    uniqueKeysWithValues: SideCrosstalk.pairs.flatMap {
      [($0.left, $0.right), ($0.right, $0.left)]
    }
  )
}

/// Corrections for everybody, and for single subjects.
package struct BlendshapeCalibration: Sendable, Hashable, Codable {
  /// Whom a fit is for.
  package enum Scope: String, Sendable, Codable, CaseIterable {
    /// One for all.
    case shared
    /// One for each subject.
    case subject
  }

  /// Mean over coefficients of error and concordance.
  package struct Agreement: Sendable, Hashable, Codable {
    /// Mean |p − g|.
    package var meanAbsoluteError: Double
    /// Lin's concordance.
    package var concordance: Double
  }

  /// Whom the fits are for.
  package var scope: Scope
  /// The correction of subjects that have none of their own; nil leaves them unchanged.
  package var shared: BlendshapeCorrection?
  /// Corrections by the subject's name.
  package var subjects: [String: BlendshapeCorrection]
  /// Pairs of a labelled and a predicted face; 0 where only a face at rest was seen.
  package var faces: Int
  /// How many folds were held out, one at a time; 0 where nothing was fitted to labels.
  package var folds: Int
  /// What was held out together: `subjects, else videos, else stills` or `stretches of time`.
  package var heldOut: String
  /// The coefficients as they came; nil where nothing was fitted.
  package var before: Agreement?
  /// Held-out corrected coefficients; nil where nothing was fitted.
  package var after: Agreement?
}

extension BlendshapeCalibration {
  /// What a face at rest alone gives: nothing was fitted to labels.
  package init(
    resting shared: BlendshapeCorrection?, subjects: [String: BlendshapeCorrection], faces: Int
  ) {
    self.init(
      scope: subjects.isEmpty ? .shared : .subject, shared: shared, subjects: subjects,
      faces: faces, folds: 0, heldOut: "", before: nil, after: nil)
  }

  /// That held-out coefficients are worse with the correction, in words; nil where they are not.
  package var worsening: String? {
    guard let before, let after, after.meanAbsoluteError > before.meanAbsoluteError else {
      return nil
    }
    return "The correction of blendshapes makes held-out ones worse: their mean error rises from "
      + "\(before.meanAbsoluteError.shortText()) to \(after.meanAbsoluteError.shortText()). Do not "
      + "apply it before the times of the labels or prompts fit those of the video; --of names what "
      + "else to calibrate."
  }

  /// The correction of a subject; an empty name is nobody's.
  package func correction(of subject: String) -> BlendshapeCorrection? {
    subjects[subject] ?? shared
  }
}
