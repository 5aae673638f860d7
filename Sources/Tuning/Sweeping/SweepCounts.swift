internal import Metrics
internal import Records

/// What one setting did over some frames, as sums: those of two stretches of frames add up.
struct SweepCounts: Sendable {
  /// Positions of the sums.
  enum Field: Int, CaseIterable {
    /// Frames that were analysed; of them those that faces were given out in, and that the detector ran in.
    case analysed, withFace, detectorRuns
    /// Analysed frames of videos, and those of them that the detector ran in.
    case analysedOfVideos, detectorRunsOfVideos
    /// Regions that the landmark model read.
    case reads
    /// Labelled faces that count, those of them found, and faces given out that match none.
    case labelled, found, falsePositives
    /// Analysed frames whose labels are known; microseconds of those of videos, and false positives in them.
    case evaluated, microseconds, clipFalsePositives
    /// Occasions on which a face of a video could have been there, those it was, losses and the time with faces.
    case occasions, tracked, losses, microsecondsWithFace
    /// Faces with an error of landmarks and the sum of the errors; faces evaluated, and failed among them.
    case errorCount, errorSum, landmarkFaces, landmarkFailures
    /// Motion, change of motion and lag, with what they are means over.
    case motionCount, motionSum, changeCount, changeSum, lagCount, lagSum
    /// Coefficients with a label, and the sum of their absolute errors.
    case coefficientCount, coefficientSum
    /// Scores and presences of output faces that are no probabilities.
    case strayScores, strayPresences
  }

  /// The confidences that are binned.
  enum Confidence: Int, CaseIterable {
    case detection, presence

    /// How many are outside [0, 1].
    var strays: Field { self == .detection ? .strayScores : .strayPresences }
  }

  /// Which sums there are after the fields: of expressions, of families, and of confidences.
  struct Layout: Sendable {
    /// The expressions that have sums.
    let expressions: [String]
    /// The families whose metrics objectives name, without frames.
    let families: [any AdditiveFamily]
    /// Where the sums of each family begin; at the end how many sums there are for draws.
    fileprivate let starts: [Int]
    /// How many sums there are in all.
    let count: Int

    init(expressions: [String] = [], families: [any AdditiveFamily] = []) {
      self.expressions = expressions
      self.families = families
      let first = Field.allCases.count + expressions.count * Decision.allCases.count
      starts = families.reduce(into: [first]) { $0.append($0[$0.count - 1] + $1.numbers.count) }
      count =
        starts[families.count] + Confidence.allCases.count * ReliabilitySums().numbers.count
    }

    /// How many sums there are for draws; the bins of confidences come after them.
    var drawnCount: Int { starts[families.count] }

    /// What the sums are called in the parts of a sweep, by position.
    var names: [String] {
      let decided = expressions.flatMap { name in
        Decision.allCases.map { "expression:\(name):\($0)" }
      }
      let measured = families.flatMap { family in
        family.numbers.indices.map { "\(type(of: family).table):\($0)" }
      }
      let binned = Confidence.allCases.flatMap { kind in
        (0..<ReliabilitySums.usualBins).flatMap { bin in
          ["Count", "Right", "Sum"].map { "\(kind)Bin\(bin)\($0)" }
        }
      }
      return Field.allCases.map { "\($0)" } + decided + measured + binned
    }
  }

  let layout: Layout
  private(set) var sums: [Double]

  subscript(_ field: Field) -> Double {
    get { sums[field.rawValue] }
    set { sums[field.rawValue] = newValue }
  }

  /// Takes the first sums; the others are 0.
  init(_ sums: some Collection<Double> = [], _ layout: Layout = Layout()) {
    self.layout = layout
    self.sums = Array(sums) + Array(repeating: 0, count: max(0, layout.count - sums.count))
  }

  /// These sums without those of fewer frames.
  func less(_ earlier: SweepCounts) -> SweepCounts {
    SweepCounts(zip(sums, earlier.sums).map { $0 - $1 }, layout)
  }

  /// Whether nothing was counted.
  var isEmpty: Bool { sums.allSatisfy { $0 == 0 } }

  /// The decisions on an expression, by its position.
  subscript(expression position: Int) -> DecisionWeights {
    get { DecisionWeights(sums[decisions(on: position)]) }
    set { sums.replaceSubrange(decisions(on: position), with: newValue.numbers) }
  }

  private func decisions(on expression: Int) -> Range<Int> {
    let start = Field.allCases.count + expression * Decision.allCases.count
    return start..<start + Decision.allCases.count
  }

  /// The metrics of a family, by its position.
  func measurements(ofFamily position: Int) -> [Measurement] {
    layout.families[position].measurements(
      of: sums[layout.starts[position]..<layout.starts[position + 1]])
  }

  /// Expected calibration error of a confidence; nil without any, and where one is outside [0, 1].
  func calibrationError(of kind: Confidence) -> Double? {
    guard self[kind.strays] == 0 else { return nil }
    var numbers = sums[layout.drawnCount...]
    for own in Confidence.allCases {
      let bins = ReliabilitySums(numbers: &numbers)
      if own == kind { return bins.error?.value }
    }
    return nil
  }
}
