extension [String] {
  /// The first of them with commas between, and how many more there are.
  package func listed(atMost limit: Int) -> String {
    prefix(limit).joined(separator: ", ")
      + (count > limit ? " and \(count - limit) more" : "")
  }
}
