internal import FaceCore
internal import Platform
internal import Statistics

/// Which predictions are fitted to which labels and angles, and what follows from sums of faces.
struct ResponseModel: Sendable {
  /// The channels whose predictions are fitted, the rows.
  let outputs: [Int]
  /// The channels whose labels move on their own, the first columns.
  let labels: [Int]
  /// The labelled angles that move on their own, the last columns.
  let angles: [LeakageAngle]
  /// The variables of the columns.
  let predictors: [Int]
  /// The channels that are in rows and columns.
  let channels: [Int]

  /// Share of a label's variance that must be its own.
  static let tolerance = 0.02
  private static let count = ResponseSums.channels.count

  private init(outputs: [Int], predictors: [Int]) {
    self.outputs = outputs
    self.predictors = predictors
    labels = predictors.filter { $0 < 2 * Self.count }.map { $0 - Self.count }
    angles = predictors.filter { $0 >= 2 * Self.count }
      .map { LeakageAngle.allCases[$0 - 2 * Self.count] }
    channels = labels.filter(outputs.contains)
  }

  /// The model for some faces, the coefficients that it leaves out, and labels with others that move as they do.
  struct Choice {
    let model: ResponseModel
    let leftOut: [(coefficient: Blendshape, reason: String)]
    let together: [(label: Blendshape, others: [Blendshape])]
  }

  /// Chooses the model for some faces.
  static func choice(
    _ sums: ResponseSums, _ whole: ResponseSums.Unit
  ) -> Choice {
    let variables = ResponseSums.Unit.variables
    let scatter = whole.scatter
    func variance(_ variable: Int) -> Double {
      max(0, scatter[variable * variables + variable]) / whole.count
    }
    func lacking(_ faces: Int) -> String {
      "in \(faces.groupedText) face\(faces == 1 ? "" : "s")"
    }
    var leftOut: [(coefficient: Blendshape, reason: String)] = []
    var together: [Int: [Blendshape]] = [:]
    var (outputs, moving): ([Int], [Int]) = ([], [])
    for (channel, coefficient) in ResponseSums.channels.enumerated() {
      let (unpredicted, unlabelled) = (sums.missing[channel], sums.missing[count + channel])
      if unpredicted == 0 { outputs.append(channel) }
      if unlabelled > 0 {
        leftOut.append((coefficient, "not labelled \(lacking(unlabelled))"))
      } else if variance(count + channel) < BlendshapeChannel.deadVariance {
        leftOut.append((coefficient, "its label does not move (variance below 1e-6)"))
      } else if unpredicted > 0 {
        leftOut.append((coefficient, "not predicted \(lacking(unpredicted))"))
        moving.append(count + channel)
      } else {
        moving.append(count + channel)
      }
    }
    let steps = LeakageSlopes.minDeviation / 10
    let turning = LeakageAngle.allCases.indices.map { 2 * count + $0 }.filter {
      sums.withoutPose == 0 && variance($0) >= steps * steps
    }
    // Of labels that move together the one that moves most stands for all.
    let ordered = moving.sorted { (variance($1), $0) < (variance($0), $1) }
    let kept = PartialSlopes.independent(
      scatter, variables: variables, among: ordered + turning, tolerance: tolerance
    ).sorted()
    for variable in moving where !kept.contains(variable) {
      func likeness(_ other: Int) -> Double {
        let both = scatter[variable * variables + other]
        return both * both / scatter[other * variables + other]
      }
      let nearest = kept.filter { $0 < 2 * count }.max { likeness($0) < likeness($1) }
      guard let nearest else { continue }
      together[nearest - count, default: []].append(ResponseSums.channels[variable - count])
      let coefficient = ResponseSums.channels[variable - count]
      guard !leftOut.contains(where: { $0.coefficient == coefficient }) else { continue }
      leftOut.append(
        (coefficient, "its label moves with \(ResponseSums.channels[nearest - count].rawValue)"))
    }
    return Choice(
      model: ResponseModel(outputs: outputs, predictors: kept), leftOut: leftOut,
      together: together.sorted { $0.key < $1.key }.map {
        (ResponseSums.channels[$0.key], $0.value)
      })
  }

  func row(of channel: Int) -> Int { outputs.firstIndex(of: channel) ?? 0 }

  func column(of channel: Int) -> Int { labels.firstIndex(of: channel) ?? 0 }

  /// Where the numbers of a channel start, by its place in `channels`.
  func start(of place: Int) -> Int {
    outputs.count * predictors.count + place * ResponseFit.Quantity.allCases.count
  }

  /// The slopes row by row, then the numbers of each channel, then means of gain and own share; NaN for an undefined one.
  ///
  /// Nil where the labels of these faces do not move on their own.
  func numbers(of sums: ResponseSums.Unit) -> [Double]? {
    guard sums.count > 1 else { return nil }
    let whole = sums.centered()
    guard
      let slopes = PartialSlopes.slopes(
        whole.scatter, variables: ResponseSums.Unit.variables, of: outputs, on: predictors)
    else { return nil }
    var numbers = Array(slopes.joined())
    var (gains, shares): ([Double], [Double]) = ([], [])
    for channel in channels {
      let (row, column) = (row(of: channel), column(of: channel))
      let gain = slopes[row][column]
      let squares = slopes.reduce(0.0) { $0 + $1[column] * $1[column] }
      let share = squares > 0 ? gain * gain / squares : .nan
      let curve = curve(of: channel, whole, slopes[row])
      let delay = whole.delay(channel)
      let own: [Double?] = [
        gain, offset(of: channel, whole, slopes[row]), curve.wholeGain, curve.nonlinearity,
        curve.deadZone, curve.saturation, share, delay.frames, delay.milliseconds,
        ResponseCalibration(channel, whole).rmsError,
      ]
      numbers += own.map { $0 ?? .nan }
      gains.append(gain)
      if !share.isNaN { shares.append(share) }
    }
    numbers.append(gains.mean ?? .nan)
    numbers.append(shares.mean ?? .nan)
    return numbers
  }

  /// The prediction where all inputs are 0.
  private func offset(
    of channel: Int, _ whole: ResponseSums.Unit, _ slopes: [Double]
  ) -> Double {
    zip(slopes, predictors).reduce(whole.mean(channel)) { $0 - $1.0 * whole.mean($1.1) }
  }

  /// The straight line of the label plus the mean of what the fit leaves, over levels of the label.
  ///
  /// Where the fit is right it is the mean prediction, all other inputs at 0 and differences of people gone.
  func curve(of channel: Int, _ whole: ResponseSums.Unit, _ slopes: [Double]) -> ResponseCurve {
    let (gain, base) = (slopes[column(of: channel)], offset(of: channel, whole, slopes))
    var (labels, predictions, faces): ([Double], [Double], [Int]) = ([], [], [])
    for bin in 0..<ResponseSums.Unit.bins {
      let level = whole.bin(channel, bin)
      guard level.faces >= Double(ResponseCurve.minFaces) else { continue }
      let fitted = zip(slopes, predictors).reduce(0.0) {
        $0 + $1.0 * level.inputs[$1.1 - Self.count]
      }
      labels.append(level.label)
      predictions.append(base + gain * level.label + level.predicted - fitted)
      faces.append(Int(level.faces))
    }
    return ResponseCurve(labels: labels, predictions: predictions, faces: faces)
  }
}
