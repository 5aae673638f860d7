internal import FaceCore

/// Sums over labelled faces from which it follows how predicted coefficients respond to labelled ones.
///
/// Faces of one person are compared with each other, so that a person's own offset does not count; faces of nobody
/// known, which are used only where no person or clip has two, with all others. Memory does not grow with the dataset.
package struct ResponseSums: Sendable {
  /// A labelled face and its prediction.
  package struct Sample: Sendable {
    /// The 52 coefficients of `Blendshape`, NaN where one is not given.
    package var labelled: [Float], predicted: [Float]
    /// Labelled yaw, pitch and roll in degrees; nil where the head's pose is not labelled.
    package var degrees: SIMD3<Double>?

    /// Joins what is known of a face.
    package init(labelled: [Float], predicted: [Float], degrees: SIMD3<Double>?) {
      (self.labelled, self.predicted, self.degrees) = (labelled, predicted, degrees)
    }
  }

  /// The coefficients in the order of variables: predictions, then labels; the angles of the head follow.
  static let channels = LeakageSums.coefficients
  /// Above so many people or clips several are resampled together.
  static let maxUnits = 100

  private var grouped: [Int: Unit] = [:]
  private var loose: [Int: Unit] = [:]
  private var open: (cluster: Int, shift: [Double], unit: Unit)?
  private var firstLoose: [Double]?
  /// How many faces lack each coefficient, predicted or labelled, in the order of variables.
  private(set) var missing = [Int](repeating: 0, count: 2 * channels.count)
  /// How many faces lack a labelled pose.
  private(set) var withoutPose = 0

  /// Starts without faces.
  package init() {}

  /// Takes in a face of a cluster, which is a person or a clip; `isLoose` for a still of nobody known. `finish` ends the last.
  package mutating func add(_ sample: Sample, cluster: Int, isLoose: Bool = false) {
    let row = row(sample)
    guard !isLoose else {
      addLoose(row, cluster)
      return
    }
    if open?.cluster != cluster { finish() }
    if open == nil { open = (cluster, row, Unit()) }
    guard let shift = open?.shift else { return }
    open?.unit.add(row, shift: shift)
  }

  /// Ends the last person or clip.
  package mutating func finish() {
    guard let last = open else { return }
    open = nil
    if last.unit.count > 1 {
      grouped[last.cluster % Self.maxUnits, default: Unit()].add(last.unit.centered(), times: 1)
    } else {
      addLoose(last.shift, last.cluster)
    }
  }

  /// Takes in by how much predictions of a clip trail its labels: frames and milliseconds by channel, nil where unknown.
  package mutating func add(delays: [ResponseDelay?], cluster: Int) {
    grouped[cluster % Self.maxUnits, default: Unit()].add(delays)
  }

  private mutating func addLoose(_ row: [Double], _ cluster: Int) {
    let shift = firstLoose ?? row
    firstLoose = shift
    loose[cluster % Self.maxUnits, default: Unit()].add(row, shift: shift)
  }

  private mutating func row(_ sample: Sample) -> [Double] {
    var row: [Double] = []
    row.reserveCapacity(Unit.variables)
    for side in [sample.predicted, sample.labelled] {
      for channel in Self.channels {
        let value = side.given(channel)
        if value == nil { missing[row.count] += 1 }
        row.append(value ?? 0)
      }
    }
    if sample.degrees == nil { withoutPose += 1 }
    let degrees = sample.degrees ?? .zero
    for angle in LeakageAngle.allCases { row.append(angle.steps(degrees)) }
    return row
  }

  /// Whether only faces of nobody known are there, so that people are compared with each other.
  package var isLoose: Bool { !grouped.values.contains { $0.count > 0 } }

  /// Faces that are the only ones of their person or clip.
  package var looseCount: Int { Int(loose.values.reduce(0) { $0 + $1.count }) }

  /// The sums of what is resampled, each with its number, below 0 for stills: people, else clips, else stills.
  var units: [(key: Int, unit: Unit)] {
    let isLoose = isLoose
    return (isLoose ? loose : grouped).sorted { $0.key < $1.key }
      .map { (isLoose ? ~$0.key : $0.key, $0.value) }
  }
}

/// By how much a predicted coefficient trails its label; negative where it leads.
package struct ResponseDelay: Sendable, Hashable {
  /// In frames, and in milliseconds; nil where times do not rise.
  package var frames: Double, milliseconds: Double?
}

extension ResponseSums {
  /// Sums over some faces, which add up; one list of numbers, so that a resample is one pass over it.
  struct Unit: Sendable {
    private static let channels = ResponseSums.channels.count
    /// Labels and angles.
    static let inputs = channels + LeakageAngle.allCases.count
    static let variables = channels + inputs
    /// Labels are binned about tenths.
    static let bins = 11
    /// Of a bin: its faces, the sums of the label, of the prediction and of all inputs.
    private static let binWidth = 3 + inputs

    private static let totals = 1
    private static let moments = totals + variables
    private static let products = moments + variables
    private static let squares = products + variables * (variables + 1) / 2
    private static let delays = squares + 3 * channels
    private static let binned = delays + 4 * channels
    private static let size = binned + channels * bins * binWidth

    private var numbers = [Double](repeating: 0, count: size)

    var count: Double { numbers[0] }

    func mean(_ variable: Int) -> Double { numbers[Self.totals + variable] / count }

    /// Takes in a face; sums of products and of bins are of the row less `shift`.
    mutating func add(_ row: [Double], shift: [Double]) {
      numbers[0] += 1
      var next = Self.products
      for index in row.indices {
        let own = row[index] - shift[index]
        numbers[Self.totals + index] += row[index]
        numbers[Self.moments + index] += own
        for other in 0...index {
          numbers[next] += own * (row[other] - shift[other])
          next += 1
        }
      }
      for channel in 0..<Self.channels {
        let (predicted, labelled) = (row[channel], row[Self.channels + channel])
        numbers[Self.squares + 3 * channel] += predicted * predicted
        numbers[Self.squares + 3 * channel + 1] += predicted * labelled
        numbers[Self.squares + 3 * channel + 2] += labelled * labelled
        let start = Self.start(channel, Self.bin(of: labelled))
        numbers[start] += 1
        numbers[start + 1] += labelled
        numbers[start + 2] += predicted - shift[channel]
        for input in 0..<Self.inputs {
          numbers[start + 3 + input] += row[Self.channels + input] - shift[Self.channels + input]
        }
      }
    }

    mutating func add(_ channelDelays: [ResponseDelay?]) {
      for (channel, delay) in channelDelays.enumerated() {
        guard let delay else { continue }
        let start = Self.delays + 4 * channel
        numbers[start] += 1
        numbers[start + 1] += delay.frames
        guard let milliseconds = delay.milliseconds else { continue }
        numbers[start + 2] += 1
        numbers[start + 3] += milliseconds
      }
    }

    mutating func add(_ other: Unit, times: Int) {
      let times = Double(times)
      for index in numbers.indices { numbers[index] += times * other.numbers[index] }
    }

    /// The same with products and bins about the means of these faces.
    func centered() -> Unit {
      guard count > 0 else { return self }
      var copy = self
      let means = (0..<Self.variables).map { numbers[Self.moments + $0] / count }
      var next = Self.products
      for index in means.indices {
        copy.numbers[Self.moments + index] = 0
        for other in 0...index {
          copy.numbers[next] -= count * means[index] * means[other]
          next += 1
        }
      }
      for channel in 0..<Self.channels {
        for bin in 0..<Self.bins {
          let start = Self.start(channel, bin)
          let faces = numbers[start]
          guard faces > 0 else { continue }
          copy.numbers[start + 2] -= faces * means[channel]
          for input in 0..<Self.inputs {
            copy.numbers[start + 3 + input] -= faces * means[Self.channels + input]
          }
        }
      }
      return copy
    }

    /// Both triangles of the sums of products, row by row.
    var scatter: [Double] {
      var scatter = [Double](repeating: 0, count: Self.variables * Self.variables)
      var next = Self.products
      for row in 0..<Self.variables {
        for column in 0...row {
          scatter[row * Self.variables + column] = numbers[next]
          scatter[column * Self.variables + row] = numbers[next]
          next += 1
        }
      }
      return scatter
    }

    /// Σp², Σp·g and Σg² of a channel.
    func squares(_ channel: Int) -> (predicted: Double, both: Double, labelled: Double) {
      let start = Self.squares + 3 * channel
      return (numbers[start], numbers[start + 1], numbers[start + 2])
    }

    /// How many clips have a delay of a channel, and its means.
    func delay(_ channel: Int) -> (clips: Double, frames: Double?, milliseconds: Double?) {
      let start = Self.delays + 4 * channel
      let (clips, timed) = (numbers[start], numbers[start + 2])
      return (
        clips, clips > 0 ? numbers[start + 1] / clips : nil,
        timed > 0 ? numbers[start + 3] / timed : nil
      )
    }

    /// Of the faces of a bin: how many, the mean label, and the means of the centred prediction and inputs.
    func bin(
      _ channel: Int, _ bin: Int
    ) -> (faces: Double, label: Double, predicted: Double, inputs: [Double]) {
      let start = Self.start(channel, bin)
      let faces = numbers[start]
      return (
        faces, numbers[start + 1] / faces, numbers[start + 2] / faces,
        (0..<Self.inputs).map { numbers[start + 3 + $0] / faces }
      )
    }

    private static func start(_ channel: Int, _ bin: Int) -> Int {
      binned + (channel * bins + bin) * binWidth
    }

    private static func bin(of label: Double) -> Int {
      min(bins - 1, max(0, Int((10 * max(-1, min(2, label))).rounded())))
    }
  }
}
