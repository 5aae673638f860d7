/// Adjustments of p-values for testing several hypotheses together.
package enum MultipleTesting {
  /// Holm's adjustment of the p of several tests: any at or under α has less than α of false ones among all.
  ///
  /// Source: Holm 1979.
  package static func holm(_ values: [Double]) -> [Double] {
    var adjusted = values
    var largest = 0.0
    for (rank, index) in values.indices.sorted(by: { (values[$0], $0) < (values[$1], $1) })
      .enumerated()
    {
      largest = max(largest, min(1, Double(values.count - rank) * values[index]))
      adjusted[index] = largest
    }
    return adjusted
  }
}
