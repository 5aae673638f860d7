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
  }

  /// Nil where a constant shift does as well.
  private(set) var best: Course?

  /// A step costs as much as this many frames of the present error.
  private static let price = 3.0
  /// Fewest frames at a shift of two or more.
  private static let fewest = 20

  /// Tries courses; `error` is the root mean square as things are.
  init(_ signals: [MotionPath.Signals], places: [Int], error: Double, range: Int) {
    guard range >= TimeLimits.shift else { return }
    let channels = signals.reduce(0) { $0 + $1.labelled.count }
    let unknown = error * error
    var costs = [[Double]](
      repeating: [Double](repeating: 0, count: 2 * range + 1), count: places.count)
    var weights = [Double](repeating: 0, count: places.count)
    for signals in signals {
      for (labelled, given) in zip(signals.labelled, signals.given) {
        let differences = zip(labelled, given).map { $1 - $0 }.filter { !$0.isNaN }
        guard !differences.isEmpty else { continue }
        let bias = differences.reduce(0, +) / Double(differences.count)
        for frame in places.indices where !labelled[frame].isNaN {
          weights[frame] += 1
          for shift in -range...range {
            let other = frame + shift
            var square = unknown
            if places.indices.contains(other), places[other] == places[frame] + shift {
              let difference = (given[other] - labelled[frame] - bias) / signals.scale
              if !difference.isNaN { square = min(difference * difference, 4 * unknown) }
            }
            costs[frame][shift + range] += square
          }
        }
      }
    }
    let price = Self.price * unknown * Double(channels)
    for direction in [1, -1] {
      let course = Self.cheapest(costs, direction: direction, price: price)
      let shifts = course.map { $0 - range }
      let known = places.indices.filter { weights[$0] > 0 }
      guard let first = known.first.map({ shifts[$0] }), let last = known.last.map({ shifts[$0] }),
        first != last, abs(last) >= TimeLimits.shift, abs(first) < abs(last),
        known.count(where: { abs(shifts[$0]) >= TimeLimits.shift }) >= Self.fewest
      else { continue }
      let sum = known.reduce(0) { $0 + costs[$1][course[$1]] }
      let found = (sum / known.reduce(0) { $0 + weights[$1] }).squareRoot()
      if found < best?.error ?? .infinity {
        best = Course(last: last, error: found, frames: known.count)
      }
    }
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
