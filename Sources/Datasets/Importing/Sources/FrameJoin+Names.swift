extension FrameJoin {
  /// The same frames, where none has a number with those of their names (see `canJoinByNumber`), and counted from the
  /// number `first` where nothing else tells it.
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

  /// Whether frames without numbers have names numbered as the frames of one clip, and the dataset is one with as many.
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
