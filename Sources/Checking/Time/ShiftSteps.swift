internal import Metrics

/// A shift in time that only grows, or only falls, in few steps: rows that were numbered anew after losses.
struct ShiftSteps {
  /// The best such course of shifts.
  struct Course {
    /// The shift of the last frame.
    var last: Int
    /// Root mean square error with it.
    var error: Double
    var frames: Int
    /// Each place with its shift.
    var shifts: [(place: Int, shift: Int)]

    /// Fewest single steps that tell a clock of another rate from losses, which do not come at even distances.
    private static let fewestSteps = 5

    /// The rate of a clock whose shift grows as evenly as whole frames allow, from nothing at its start; nil for others.
    func rate(from start: Int?) -> Double? {
      guard let start, abs(last) >= Self.fewestSteps, let end = shifts.last,
        end.place > start
      else { return nil }
      let times = shifts.map { Double($0.place - start) }
      let slope =
        zip(times, shifts).reduce(0) { $0 + $1.0 * Double($1.1.shift) }
        / times.reduce(0) { $0 + $1 * $1 }
      let isEven = zip(times, shifts).allSatisfy { abs(Double($1.shift) - slope * $0) <= 1 }
      return isEven ? 1 + slope : nil
    }
  }

  /// Nil where a constant shift does as well.
  private(set) var best: Course?

  /// A step costs as much as this many frames of the error with steps, as it is known from the course before.
  private static let price = 3.0
  /// The same of the error without, at least.
  private static let leastPrice = 0.02
  /// Courses one after the other, each with what the one before tells of bias and noise.
  private static let rounds = 3
  /// Fewest frames two or more from none and from the first shift, of those that have a prediction of their own there.
  private static let fewest = 20
  /// At least this share of the numbers has a counterpart: a course that leads out of the video explains nothing.
  private static let leastShare = 0.75
  /// At most this share of a video is lost where rows are numbered anew: a larger one is the next turn of its motion.
  private static let mostLost = 1.0 / 6

  private let signals: [MotionPath.Signals]
  private let places: [Int]
  private let range: Int
  /// Square of the error as things are.
  private let unknown: Double

  /// Tries courses; `error` is the root mean square as things are.
  init(_ signals: [MotionPath.Signals], places: [Int], error: Double, range: Int) {
    self.signals = signals
    self.places = places
    self.range = range
    unknown = error * error
    guard range >= TimeLimits.shift else { return }
    let known = places.indices.filter { frame in
      signals.contains { signals in signals.labelled.contains { !$0[frame].isNaN } }
    }
    guard let first = known.first, let last = known.last else { return }
    let whole = square(along: [Int](repeating: 0, count: places.count)).count
    for direction in [1, -1] {
      var shifts = [Int](repeating: 0, count: places.count)
      var (error, count) = (unknown, 0)
      for _ in 0..<Self.rounds {
        let (costs, weight) = costs(along: shifts)
        let price =
          max(Self.price * error, Self.leastPrice * unknown) * weight / Double(known.count)
        let course = Self.cheapest(costs, direction: direction, price: price)
        shifts = course.map { $0 - range }
        (error, count) = square(along: shifts)
      }
      guard Double(count) >= Self.leastShare * Double(whole), shifts[first] != shifts[last],
        Double(abs(shifts[last])) <= Self.mostLost * Double(places[last] - places[first] + 1),
        abs(shifts[last]) >= TimeLimits.shift,
        abs(shifts[first]) < abs(shifts[last]),
        shiftedCount(known, along: shifts) >= Self.fewest
      else { continue }
      if error.squareRoot() < best?.error ?? .infinity {
        best = Course(
          last: shifts[last], error: error.squareRoot(), frames: known.count,
          shifts: known.map { (places[$0], shifts[$0]) })
      }
    }
  }

  /// How many frames are two or more from none and from the first shift, where that explains a prediction of their own.
  ///
  /// Where the tracker has lost the face until the end, a course leads out of the video, over what has no likeness to
  /// the face, or again to what it gave before.
  private func shiftedCount(_ known: [Int], along shifts: [Int]) -> Int {
    var (count, furthest) = (0, -1)
    let compared = signals.flatMap { signals in
      zip(signals.labelled, signals.given).map { labelled, given in
        let bias = differences(labelled, given, along: shifts).bias
        return (labelled: labelled, given: given, bias: bias, scale: signals.scale)
      }
    }
    for frame in known {
      let shift = shifts[frame]
      let errors = compared.map { signal in
        (self.given(signal.given, frame, shift) - signal.labelled[frame] - signal.bias)
          / signal.scale
      }.filter { !$0.isNaN }
      let square = errors.reduce(0) { $0 + $1 * $1 }
      guard !errors.isEmpty, square < unknown * Double(errors.count), frame + shift > furthest
      else { continue }
      furthest = frame + shift
      if min(abs(shift), abs(shift - shifts[known[0]])) >= TimeLimits.shift { count += 1 }
    }
    return count
  }

  /// The prediction of a signal that a shift leads to.
  private func given(_ signal: [Double], _ frame: Int, _ shift: Int) -> Double {
    let other = frame + shift
    return places.indices.contains(other) && places[other] == places[frame] + shift
      ? signal[other] : .nan
  }

  /// Mean square along a course, of the numbers that are known, less the bias, and how many those are.
  private func square(along shifts: [Int]) -> (value: Double, count: Int) {
    var (squares, count) = (0.0, 0)
    for signals in signals {
      for (labelled, given) in zip(signals.labelled, signals.given) {
        let (differences, bias) = differences(labelled, given, along: shifts)
        squares +=
          differences.reduce(0) { $0 + ($1 - bias) * ($1 - bias) }
          / (signals.scale * signals.scale)
        count += differences.count
      }
    }
    return (count == 0 ? unknown : squares / Double(count), count)
  }

  /// The differences that are known along a course, and their mean.
  private func differences(
    _ labelled: [Double], _ given: [Double], along shifts: [Int]
  ) -> (known: [Double], bias: Double) {
    let known = places.indices.map { self.given(given, $0, shifts[$0]) - labelled[$0] }
      .filter { !$0.isNaN }
    return (known, known.isEmpty ? 0 : known.reduce(0, +) / Double(known.count))
  }

  /// Squares by frame and shift, less the bias that a course has, and how many numbers they are of.
  private func costs(along shifts: [Int]) -> (costs: [[Double]], weight: Double) {
    let none = [Double](repeating: 0, count: 2 * range + 1)
    var costs = [[Double]](repeating: none, count: places.count)
    var weight = 0.0
    for signals in signals {
      for (labelled, given) in zip(signals.labelled, signals.given) {
        let (differences, bias) = differences(labelled, given, along: shifts)
        guard !differences.isEmpty else { continue }
        for frame in places.indices where !labelled[frame].isNaN {
          weight += 1
          for shift in -range...range {
            let difference =
              (self.given(given, frame, shift) - labelled[frame] - bias) / signals.scale
            costs[frame][shift + range] +=
              difference.isNaN ? unknown : min(difference * difference, 4 * unknown)
          }
        }
      }
    }
    return (costs, weight)
  }

  /// For each frame the column of the cheapest course that only goes in one direction.
  private static func cheapest(_ costs: [[Double]], direction: Int, price: Double) -> [Int] {
    guard let width = costs.first?.count else { return [] }
    let order = direction > 0 ? Array(0..<width) : Array((0..<width).reversed())
    var total = costs[0]
    var origins: [[Int]] = []
    for row in costs.dropFirst() {
      var next = row
      var origin = [Int](repeating: 0, count: width)
      var cheapest: Int?
      for column in order {
        var from = column
        if let cheapest, total[cheapest] + price < total[column] { from = cheapest }
        next[column] += total[from] + (from == column ? 0 : price)
        origin[column] = from
        if total[column] < cheapest.map({ total[$0] }) ?? .infinity { cheapest = column }
      }
      total = next
      origins.append(origin)
    }
    var column = total.indices.min { total[$0] < total[$1] } ?? 0
    var course = [column]
    for origin in origins.reversed() {
      column = origin[column]
      course.append(column)
    }
    return course.reversed()
  }
}
