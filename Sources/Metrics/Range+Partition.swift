extension Range<Int> {
  /// The first number for which something holds that holds for all after it; the upper bound for none.
  @inline(__always)
  package func partitioningIndex(where holds: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
