package import FaceCore
internal import Platform
package import Records
internal import Statistics

/// How each predicted coefficient responds to its own label, and to all others.
package struct ResponseFit: Sendable {
  /// What a number of a channel is.
  package enum Quantity: Int, Sendable, CaseIterable {
    /// Change of the prediction per 1 of its own label, all other labels and the head held; 1 where it follows.
    case gain
    /// The prediction where all labels and angles are 0.
    case offset
    /// Rise of the curve over that of the label, from the lowest level to the highest.
    case wholeGain
    /// Largest distance of the curve from its straight line, over its rise.
    case nonlinearity
    /// Labels between which the curve does the middle eight tenths of its rise.
    case deadZone, saturation
    /// Squared slope of the own prediction over those of all predictions, when the label moves.
    case ownShare
    /// By how much the prediction trails the label in clips.
    case delayFrames, delayMilliseconds
    /// Root of the mean squared difference of prediction and label.
    case rmsError

    fileprivate var range: MetricRange {
      switch self {
      case .gain, .offset, .wholeGain, .delayFrames, .delayMilliseconds, .deadZone, .saturation:
        .any
      case .nonlinearity, .rmsError: .atLeastZero
      case .ownShare: .unit
      }
    }
  }

  /// One coefficient.
  package struct Channel: Sendable {
    /// The coefficient.
    package let coefficient: Blendshape
    /// Its numbers, in the order of `Quantity`.
    package let estimates: [ResampledEstimate]
    /// 1 where its own prediction moves most when its label moves.
    package let ownRank: Int
    /// The other prediction that moves most when its label moves; nil where it is the only one.
    package let other: (coefficient: Blendshape, slope: Double)?
    /// The root mean squared error after a straight line that was fitted to the other people or clips; nil with one.
    package let calibratedError: Double?
    /// The straight line over all faces: label = intercept + slope · prediction; nil where the prediction is constant.
    package let calibration: (intercept: Double, slope: Double)?
    /// How many clips have a delay.
    package let clips: Int
    /// The prediction over levels of the label.
    package let curve: ResponseCurve

    /// One of its numbers.
    package subscript(_ quantity: Quantity) -> ResampledEstimate { estimates[quantity.rawValue] }
  }

  /// Faces that are compared.
  package let faces: Int
  /// How many people, clips or stills were resampled.
  package let sizes: ClusterSizes
  /// The coefficients that have numbers, in the order of `Blendshape`.
  package let channels: [Channel]
  /// Mean gain and mean own share of the channels.
  package let meanGain: ResampledEstimate, meanOwnShare: ResampledEstimate
  /// The predictions, in the order of the rows of `slopes`.
  package let outputs: [Blendshape]
  /// The labels, and the labelled angles, in the order of the columns of `slopes`.
  package let inputs: [Blendshape]
  package let angles: [LeakageAngle]
  /// Change of a prediction per 1 of a label or 10° of an angle, all other inputs held.
  package let slopes: [[Double]]
  /// Their 95 % intervals.
  package let intervals: [[Interval]]
  /// Labels that stand for others as well, which move as they do: numbers of the first are of all of them.
  package let together: [(label: Blendshape, others: [Blendshape])]
  /// Coefficients without numbers, and why.
  package let leftOut: [(coefficient: Blendshape, reason: String)]
  /// What gates can limit, and what can be compared with another run.
  package let metrics: ResampledMetrics

  /// Solves for the response and resamples it; nil where fewer than two faces were added or no label moves.
  ///
  /// `advance` is told of finished draws.
  package init?(
    _ sums: ResponseSums, bootstrap: ClusterBootstrap,
    advance: (Int) throws -> Void = { _ in }
  ) rethrows {
    let keyed = sums.units
    let units = keyed.map(\.unit)
    var whole = ResponseSums.Unit()
    for unit in units { whole.add(unit, times: 1) }
    guard whole.count > 1 else { return nil }
    let centered = whole.centered()
    let choice = ResponseModel.choice(sums, centered)
    let model = choice.model
    guard !model.channels.isEmpty, let values = model.numbers(of: whole) else { return nil }
    faces = Int(whole.count)
    leftOut = choice.leftOut
    together = choice.together
    let sizes = ClusterSizes(units.lazy.map(\.count))
    self.sizes = sizes
    let draws = try bootstrap.resampled(units: units.count, advance: advance) { copies in
      var sum = ResponseSums.Unit()
      for (unit, times) in zip(units, copies) where times > 0 { sum.add(unit, times: times) }
      return model.numbers(of: sum)
    }
    func estimate(_ index: Int, _ range: MetricRange) -> ResampledEstimate {
      bootstrap.estimate(of: values, at: index, draws, in: range, sizes: sizes)
    }
    let matrix = (0..<model.outputs.count * model.predictors.count).concurrentMap { index in
      bootstrap.interval(of: draws, at: index, about: values[index], in: .any, sizes: sizes)
    }
    let width = model.predictors.count
    slopes = model.outputs.indices.map { Array(values[$0 * width..<($0 + 1) * width]) }
    intervals = model.outputs.indices.map { Array(matrix[$0 * width..<($0 + 1) * width]) }
    outputs = model.outputs.map { ResponseSums.channels[$0] }
    inputs = model.labels.map { ResponseSums.channels[$0] }
    angles = model.angles
    let own = slopes
    channels = model.channels.enumerated().map { place, channel in
      let column = model.column(of: channel)
      let slopes = own.map { $0[column].magnitude }
      let row = model.row(of: channel)
      let others = slopes.indices.filter { $0 != row }
      let other = others.max { slopes[$0] < slopes[$1] }
      let start = model.start(of: place)
      return Channel(
        coefficient: ResponseSums.channels[channel],
        estimates: Quantity.allCases.map { estimate(start + $0.rawValue, $0.range) },
        ownRank: 1 + others.count { slopes[$0] > slopes[row] },
        other: other.map { (ResponseSums.channels[model.outputs[$0]], own[$0][column]) },
        calibratedError: ResponseCalibration.error(of: channel, over: units),
        calibration: ResponseCalibration(channel, whole).line,
        clips: Int(whole.delay(channel).clips),
        curve: model.curve(of: channel, centered, own[row]))
    }
    meanGain = estimate(values.count - 2, .any)
    meanOwnShare = estimate(values.count - 1, .unit)
    metrics = ResampledMetrics(
      Self.metrics(
        channels, mean: meanGain, share: meanOwnShare, faces: faces, start: model.start(of: 0)),
      draws, units: keyed.map(\.key), sizes: sizes, bootstrap: bootstrap)
  }
}

/// A straight line from the prediction of a channel to its label, least squares.
struct ResponseCalibration {
  private let count: Double
  private let (mean, labelled): (Double, Double)
  private let (variance, covariance, labelledVariance): (Double, Double, Double)

  init(_ channel: Int, _ sums: ResponseSums.Unit) {
    count = sums.count
    mean = sums.mean(channel)
    labelled = sums.mean(ResponseSums.channels.count + channel)
    let squares = sums.squares(channel)
    variance = max(0, squares.predicted / count - mean * mean)
    covariance = squares.both / count - mean * labelled
    labelledVariance = max(0, squares.labelled / count - labelled * labelled)
  }

  /// Nil where the prediction is constant.
  var line: (intercept: Double, slope: Double)? {
    guard variance > 1e-9 else { return nil }
    let slope = covariance / variance
    return (labelled - slope * mean, slope)
  }

  /// The mean squared error of a line on these faces.
  private func error(of line: (intercept: Double, slope: Double)) -> Double {
    let shift = labelled - line.intercept - line.slope * mean
    let spread =
      labelledVariance - 2 * line.slope * covariance + line.slope * line.slope * variance
    return max(0, spread) + shift * shift
  }

  /// Root of the mean squared error of the prediction as it is.
  var rmsError: Double { error(of: (0, 1)).squareRoot() }

  /// The same after a line that was fitted to all other units; nil with one unit.
  static func error(of channel: Int, over units: [ResponseSums.Unit]) -> Double? {
    guard units.count > 1 else { return nil }
    var (errors, count) = (0.0, 0.0)
    for (index, unit) in units.enumerated() where unit.count > 0 {
      var rest = ResponseSums.Moments()
      for (other, unit) in units.enumerated() where other != index { rest.add(unit, channel) }
      guard rest.count > 0 else { return nil }
      let line = rest.line
      errors += unit.count * ResponseCalibration(channel, unit).error(of: line)
      count += unit.count
    }
    return count > 0 ? (errors / count).squareRoot() : nil
  }
}

extension ResponseSums {
  /// Sums of one channel over some units.
  fileprivate struct Moments {
    var count = 0.0
    private var (p, g, pp, pg) = (0.0, 0.0, 0.0, 0.0)

    mutating func add(_ unit: Unit, _ channel: Int) {
      guard unit.count > 0 else { return }
      let squares = unit.squares(channel)
      count += unit.count
      p += unit.count * unit.mean(channel)
      g += unit.count * unit.mean(ResponseSums.channels.count + channel)
      pp += squares.predicted
      pg += squares.both
    }

    /// The least-squares line; flat at the mean label where the prediction is constant.
    var line: (intercept: Double, slope: Double) {
      let variance = pp / count - p * p / (count * count)
      guard variance > 1e-9 else { return (g / count, 0) }
      let slope = (pg / count - p * g / (count * count)) / variance
      return (g / count - slope * p / count, slope)
    }
  }
}
