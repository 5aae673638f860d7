package import FaceCore
internal import Platform
package import Records
internal import Statistics

/// How far each coefficient moves with the head, and with every other coefficient.
package struct LeakageSlopes: Sendable {
  /// The slopes of one coefficient on the head's angles, each with the others held.
  package struct Turn: Sendable, Hashable {
    /// The coefficient.
    package let coefficient: Blendshape
    /// Change per 10° of each of `angles`, and the same in the resamples.
    package let slopes: [Double]
    /// 95 % intervals of the slopes.
    package let intervals: [Interval]
    /// Share of the coefficient's variance within clips that the angles explain, in [0, 1].
    package let explained: Double
  }

  /// Slopes of coefficients on all other coefficients and angles, each with the others held.
  package struct Mutual: Sendable, Hashable {
    /// The coefficients that move, in the order of rows.
    package let coefficients: [Blendshape]
    /// What they move with, in the order of columns: the same coefficients, then angles.
    package let angles: [LeakageAngle]
    /// Change per 1 of a coefficient or per 10° of an angle; 0 for a coefficient with itself.
    package let slopes: [[Double]]
    /// Their 95 % intervals.
    package let intervals: [[Interval]]
  }

  /// Faces that are compared.
  package let faces: Int
  /// How many subjects, clips or stills were resampled.
  package let sizes: ClusterSizes
  /// The angles that move enough, and independently of each other, to have slopes.
  package let angles: [LeakageAngle]
  /// Standard deviation of yaw, pitch and roll within clips, in degrees, and their smallest and largest value.
  package let turning: [(deviation: Double, range: ClosedRange<Double>)]
  /// Slopes on the head's angles; empty without angles.
  package let turns: [Turn]
  /// Slopes on each other; nil with a reason in `notes`.
  package let mutual: Mutual?
  /// Coefficients without slopes, and why.
  package let leftOut: [(coefficient: Blendshape, reason: String)]
  /// What a reader must know, a sentence each.
  package let notes: [String]

  /// An angle that moves less within clips has no slope, in degrees.
  package static let minDeviation = 1.0
  /// Share of an angle's variance that must be its own.
  private static let angleTolerance = 0.05
  /// Share of a coefficient's variance that must be its own.
  private static let coefficientTolerance = 1e-6
  /// A coefficient of whose variance a smaller share is its own has slopes that a reader is warned of.
  private static let uncertainShare = 0.05
  /// Faces per variable that slopes on each other need.
  package static let minFacesPerVariable = 5

  /// Solves for the slopes and resamples them; nil where no face was added. `advance` is told of finished draws.
  package init?(
    _ sums: LeakageSums, bootstrap: ClusterBootstrap,
    advance: (Int) throws -> Void = { _ in }
  ) rethrows {
    let units = sums.units
    let variables = LeakageSums.variables
    let first = LeakageSums.coefficients.count
    var whole = ScatterSums(variables: variables)
    for unit in units { whole.add(unit, times: 1) }
    guard whole.count > 1 else { return nil }
    let matrix = whole.scatter()
    let count = whole.count
    func deviation(_ variable: Int) -> Double {
      (max(0, matrix[variable * variables + variable]) / count).squareRoot()
    }
    faces = Int(count)
    sizes = ClusterSizes(units.lazy.map(\.count))
    turning = (0..<3).map { index in
      let range = sums.ranges[index] ?? 0...0
      return (
        10 * deviation(first + index), (10 * range.lowerBound)...(10 * range.upperBound)
      )
    }
    let moving = LeakageAngle.allCases.indices.map { first + $0 }.filter {
      10 * deviation($0) >= Self.minDeviation
    }
    let predictors = PartialSlopes.independent(
      matrix, variables: variables, among: moving, tolerance: Self.angleTolerance)
    angles = predictors.map { LeakageAngle.allCases[$0 - first] }

    var leftOut: [(coefficient: Blendshape, reason: String)] = []
    var outcomes: [Int] = []
    for (index, coefficient) in LeakageSums.coefficients.enumerated() {
      let missing = sums.missing[index]
      if missing > 0 {
        leftOut.append(
          (coefficient, "not given in \(missing.groupedText) face\(missing == 1 ? "" : "s")"))
      } else if deviation(index) * deviation(index) < BlendshapeChannel.deadVariance {
        leftOut.append((coefficient, "does not move (variance within clips below 1e-6)"))
      } else {
        outcomes.append(index)
      }
    }
    let independent = PartialSlopes.independent(
      matrix, variables: variables, among: predictors + outcomes,
      tolerance: Self.coefficientTolerance)
    let chosen = independent.filter { $0 < first } + predictors
    var notes: [String] = []
    let needed = Self.minFacesPerVariable * chosen.count
    let hasMutual = faces >= needed && chosen.count > predictors.count + 1
    if !hasMutual {
      notes.append(
        "Slopes of coefficients on each other need \(needed.groupedText) faces "
          + "(\(Self.minFacesPerVariable) per variable) and 2 coefficients that move, found "
          + "\(faces.groupedText) and \(chosen.count - predictors.count).")
    }
    let combined = outcomes.filter { !chosen.contains($0) }
    if hasMutual, !combined.isEmpty {
      notes.append(
        "Without slopes on others, because others determine them: "
          + combined.map { LeakageSums.coefficients[$0].rawValue }.joined(separator: ", ") + ".")
    }

    let solve: @Sendable (_ scatter: [Double]) -> [Double]? = { [outcomes] scatter in
      guard
        let turns = PartialSlopes.slopes(
          scatter, variables: variables, of: outcomes, on: predictors)
      else { return nil }
      let own = Array(turns.joined())
      guard hasMutual else { return own }
      guard let mutual = PartialSlopes.mutual(scatter, variables: variables, among: chosen)
      else { return nil }
      return own + mutual.prefix(chosen.count - predictors.count).joined()
    }
    let values = solve(matrix) ?? []
    let draws = try bootstrap.resampled(units: units.count, advance: advance) { copies in
      var sum = ScatterSums(variables: variables)
      for (unit, times) in zip(units, copies) where times > 0 { sum.add(unit, times: times) }
      return solve(sum.scatter())
    }
    let sizes = sizes
    let intervals = values.indices.concurrentMap { index in
      bootstrap.interval(of: draws, at: index, about: values[index], in: .any, sizes: sizes)
    }
    let width = predictors.count
    turns =
      values.isEmpty || width == 0
      ? []
      : outcomes.enumerated().map { row, outcome in
        let own = row * width..<(row + 1) * width
        let slopes = Array(values[own])
        let scatter = matrix[outcome * variables + outcome]
        let explained = zip(slopes, predictors).reduce(0.0) {
          $0 + $1.0 * matrix[outcome * variables + $1.1]
        }
        return Turn(
          coefficient: LeakageSums.coefficients[outcome], slopes: slopes,
          intervals: Array(intervals[own]), explained: min(1, max(0, explained / scatter)))
      }
    let start = outcomes.count * width
    func rows<Value>(_ all: [Value]) -> [[Value]] {
      stride(from: start, to: all.count, by: chosen.count).map {
        Array(all[$0..<$0 + chosen.count])
      }
    }
    let moved = chosen.filter { $0 < first }.map { LeakageSums.coefficients[$0] }
    mutual =
      hasMutual && !values.isEmpty
      ? Mutual(
        coefficients: moved, angles: angles, slopes: rows(values), intervals: rows(intervals))
      : nil
    if hasMutual, !values.isEmpty {
      let together = chosen.prefix(chosen.count - predictors.count).enumerated().filter {
        row, variable in
        let slopes = values[start + row * chosen.count..<start + (row + 1) * chosen.count]
        let shared = zip(slopes, chosen).reduce(0.0) {
          $0 + $1.0 * matrix[variable * variables + $1.1]
        }
        return shared > (1 - Self.uncertainShare) * matrix[variable * variables + variable]
      }
      if !together.isEmpty {
        notes.append(
          "Less than 5 % of the variance of "
            + together.map { LeakageSums.coefficients[$0.element].rawValue }.joined(separator: ", ")
            + " is their own, as others move with them: slopes of them on others, and of others on "
            + "them, are uncertain.")
      }
    }
    self.leftOut = leftOut
    self.notes = notes
  }
}
