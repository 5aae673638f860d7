extension FrameJoin {
  /// The same with the numbers in their names where they have no others, and with the number of the first frame if it is
  /// given.
  ///
  /// Numbers of names count where they are those of one clip and no frame of a dataset of one clip would be left over.
  static func numbered(
    _ given: [Given], from first: Int?, for dataset: DatasetReader
  ) -> [Given] {
    var numbered = given
    if canJoinByNumber(given, to: dataset) {
      let numbers = given.map { NumberedName($0.name)?.number ?? 0 }
      let hasZero = numbers.contains(0)
      for index in given.indices {
        numbered[index].number = numbers[index] - (hasZero ? 0 : 1)
        numbered[index].isPlace = false
        numbered[index].isFirstUnknown = !hasZero
      }
    }
    guard let first else { return numbered }
    for index in numbered.indices where numbered[index].isFirstUnknown {
      numbered[index].number += 1 - first
      numbered[index].isFirstUnknown = false
    }
    return numbered
  }

  /// Whether the names of frames without numbers have those of one clip, which the dataset is.
  static func canJoinByNumber(_ given: [Given], to dataset: DatasetReader) -> Bool {
    guard dataset.sequences.count == 1, !dataset.hasStillsOnly, given.allSatisfy(\.isPlace) else {
      return false
    }
    let names = given.compactMap { NumberedName($0.name) }
    return names.count == given.count && Set(names.map(\.clip)).count == 1
      && Set(names.map(\.number)).count == names.count
      && names.allSatisfy { $0.number <= dataset.frameCount }
  }
}
