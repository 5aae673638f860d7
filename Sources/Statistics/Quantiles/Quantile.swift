extension [Double] {
  /// A quantile of ascending numbers, straight between neighbours (type 7); NaN of none.
  package func quantileOfSorted(_ share: Double) -> Double {
    guard let last else { return .nan }
    let position = share * Double(count - 1)
    let below = Int(position.rounded(.down))
    guard below + 1 < count else { return last }
    return self[below] + (position - Double(below)) * (self[below + 1] - self[below])
  }
}
