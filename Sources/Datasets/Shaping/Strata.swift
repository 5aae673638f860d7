/// Strata of a dataset's faces, of which every part gets its share.
struct Strata {
  /// Display names, by number.
  private(set) var names: [String] = []
  /// The frame of each observation.
  private(set) var frames: [Int32] = []
  /// The stratum of each observation.
  private(set) var numbers: [Int32] = []

  private var words: [String: Int32] = [:]
  private var values: [Double] = []

  /// Maximum number of strata.
  static let limit = 100
  /// Maximum distinct values of an attribute that become strata; more are binned.
  private static let wholeNumbers = 10
  private static let bins = 5

  /// Counts a frame as an observation of a stratum.
  mutating func add(_ word: String, frame: Int) {
    let number = words[word] ?? Int32(clamping: names.count)
    if words[word] == nil {
      words[word] = number
      names.append(word)
    }
    frames.append(Int32(clamping: frame))
    numbers.append(number)
    values.append(.nan)
  }

  /// Counts a frame as an observation of a number, which `bin()` turns into a stratum.
  mutating func add(_ value: Double, frame: Int) {
    frames.append(Int32(clamping: frame))
    numbers.append(-1)
    values.append(value)
  }

  /// Makes strata of numbers: one per distinct value, or five bins of equal counts if there are many.
  mutating func bin() {
    let sorted = values.filter { !$0.isNaN }.sorted()
    guard let minimum = sorted.first, let maximum = sorted.last else { return }
    var distinct: [Double] = []
    for value in sorted where distinct.last != value && distinct.count <= Self.wholeNumbers {
      distinct.append(value)
    }
    let isFew = distinct.count <= Self.wholeNumbers
    let bounds =
      isFew
      ? distinct : (1..<Self.bins).map { sorted[$0 * sorted.count / Self.bins] } + [maximum]
    let base = Int32(clamping: names.count)
    for (index, bound) in bounds.enumerated() {
      let low = index == 0 ? minimum : bounds[index - 1]
      names.append(
        isFew ? ExactText.of(bound) : "\(ExactText.of(low)) to \(ExactText.of(bound))")
    }
    for index in values.indices where !values[index].isNaN {
      let bin = bounds.firstIndex { values[index] <= $0 } ?? bounds.count - 1
      numbers[index] = base + Int32(bin)
    }
  }
}
