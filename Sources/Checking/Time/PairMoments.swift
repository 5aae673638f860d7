/// Sums of some numbers and of their squares.
struct Moments {
  fileprivate private(set) var sum = 0.0
  private var square = 0.0

  mutating func add(_ number: Double) {
    sum += number
    square += number * number
  }

  /// The sum of squares about the mean of so many numbers.
  func squares(_ n: Int) -> Double { max(0, square - sum * sum / Double(n)) }
}

/// The same of labelled and predicted numbers and of their differences.
struct PairMoments {
  private(set) var count = 0
  private(set) var (difference, labelled, given) = (Moments(), Moments(), Moments())
  private var product = 0.0

  mutating func add(_ label: Double, _ face: Double) {
    count += 1
    difference.add(face - label)
    labelled.add(label)
    given.add(face)
    product += label * face
  }

  /// The squares of the differences that are left where a factor of the predictions, and a constant, are allowed for.
  var rest: Double {
    let (plain, own) = (difference.squares(count), given.squares(count))
    guard own > 0 else { return plain }
    let shared = max(0, product - labelled.sum * given.sum / Double(count))
    return min(plain, max(0, labelled.squares(count) - shared * shared / own))
  }
}
