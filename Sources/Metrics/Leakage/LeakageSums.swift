internal import FaceCore
internal import Statistics

/// Sums over faces from which it follows how coefficients move with the head and with each other.
///
/// Frames of a clip are compared with each other only, so that people and cameras do not count; stills, which are
/// used only where there is no clip, with all others. Memory does not grow with the dataset.
package struct LeakageSums: Sendable {
  /// The coefficients and the head of the only face of a frame.
  package struct Sample: Sendable {
    /// The 52 coefficients of `Blendshape`, NaN where one is not given.
    package var coefficients: [Float]
    /// Yaw, pitch and roll of the head in degrees.
    package var degrees: SIMD3<Double>

    /// Joins what is known of a face.
    package init(coefficients: [Float], degrees: SIMD3<Double>) {
      self.coefficients = coefficients
      self.degrees = degrees
    }
  }

  /// The coefficients in the order of variables; the angles follow.
  static let coefficients = Blendshape.allCases.filter { $0 != .neutral }
  static let variables = coefficients.count + LeakageAngle.allCases.count
  /// Above so many units several are resampled together.
  static let maxUnits = 500

  private var clips: [Int: ScatterSums] = [:]
  private var stills: [Int: ScatterSums] = [:]
  private var firstStill: [Double]?
  /// How many faces lack each coefficient, in the order of variables.
  private(set) var missing = [Int](repeating: 0, count: coefficients.count)
  /// Clips and stills with a face.
  package private(set) var clipCount = 0, stillCount = 0
  /// Smallest and largest yaw, pitch and roll in degrees, as steps of 10°.
  private(set) var ranges: [ClosedRange<Double>?] = [nil, nil, nil]

  /// Starts without faces.
  package init() {}

  /// Takes in the faces of one clip in their order; one face alone is no clip.
  package mutating func add(clip samples: [Sample], cluster: Int) {
    guard samples.count > 1 else { return }
    let rows = samples.map { row($0) }
    var mean = [Double](repeating: 0, count: Self.variables)
    for row in rows { for index in row.indices { mean[index] += row[index] } }
    for index in mean.indices { mean[index] /= Double(rows.count) }
    clipCount += 1
    for row in rows {
      Self.add(zip(row, mean).map { $0 - $1 }, of: cluster, to: &clips)
    }
  }

  /// Takes in the face of a still.
  package mutating func add(still sample: Sample, cluster: Int) {
    let row = row(sample)
    let shift = firstStill ?? row
    firstStill = shift
    stillCount += 1
    Self.add(zip(row, shift).map { $0 - $1 }, of: cluster, to: &stills)
  }

  private mutating func row(_ sample: Sample) -> [Double] {
    var row: [Double] = []
    row.reserveCapacity(Self.variables)
    for (index, coefficient) in Self.coefficients.enumerated() {
      let value = sample.coefficients.given(coefficient)
      if value == nil { missing[index] += 1 }
      row.append(value ?? 0)
    }
    for (index, angle) in LeakageAngle.allCases.enumerated() {
      let steps = angle.steps(sample.degrees)
      row.append(steps)
      guard index < ranges.count else { continue }
      let range = ranges[index] ?? steps...steps
      ranges[index] = min(range.lowerBound, steps)...max(range.upperBound, steps)
    }
    return row
  }

  /// Whether only stills are known, so that people are compared with each other.
  package var isOfStills: Bool { clipCount == 0 }

  /// The sums of what is resampled: subjects, else clips, else stills.
  var units: [ScatterSums] {
    (isOfStills ? stills : clips).sorted { $0.key < $1.key }.map(\.value)
  }

  /// About a clip's own mean sums are 0, so one mean serves all clips of a unit.
  private static func add(_ row: [Double], of cluster: Int, to sums: inout [Int: ScatterSums]) {
    sums[cluster % maxUnits, default: ScatterSums(variables: variables)].add(row)
  }
}
