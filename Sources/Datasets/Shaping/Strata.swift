/// What the faces of a dataset are divided into, so that parts get their share of each.
struct Strata {
  /// Names for people, by number.
  private(set) var names: [String] = []
  /// For each observation its frame.
  private(set) var frames: [Int32] = []
  /// For each observation its stratum.
  private(set) var numbers: [Int32] = []

  private var words: [String: Int32] = [:]
  private var values: [Double] = []

  /// Strata at most.
  static let limit = 100
  /// Different numbers of an attribute that are strata of their own; with more they are put into bins.
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

  /// Makes strata of numbers: one each where there are few, else five of equally many.
  mutating func bin() {
    let sorted = values.filter { !$0.isNaN }.sorted()
    guard let least = sorted.first, let most = sorted.last else { return }
    var distinct: [Double] = []
    for value in sorted where distinct.last != value && distinct.count <= Self.wholeNumbers {
      distinct.append(value)
    }
    let isFew = distinct.count <= Self.wholeNumbers
    let bounds =
      isFew
      ? distinct : (1..<Self.bins).map { sorted[$0 * sorted.count / Self.bins] } + [most]
    let base = Int32(clamping: names.count)
    for (index, bound) in bounds.enumerated() {
      let low = index == 0 ? least : bounds[index - 1]
      names.append(
        isFew ? ExactText.of(bound) : "\(ExactText.of(low)) to \(ExactText.of(bound))")
    }
    for index in values.indices where !values[index].isNaN {
      let bin = bounds.firstIndex { values[index] <= $0 } ?? bounds.count - 1
      numbers[index] = base + Int32(bin)
    }
  }
}
