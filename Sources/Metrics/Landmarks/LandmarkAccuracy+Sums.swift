extension LandmarkAccuracy {
  /// Sums over labelled faces, from which all metrics follow; exact, so that their order does not matter.
  package typealias Sums = NamedSums<Count, Amount, ExactSum>

  /// What is counted of all faces, and by each normaliser.
  package enum Count: Int, SumName {
    /// Faces with the normaliser, found and missed ones of them.
    case faces, found, missed
    /// Faces with visible points, missed ones of them, and those with an error over visible points.
    case visible, visibleMissed, visibleFound
    /// Faces that fail at each threshold, over all points, then over the visible ones.
    case failures, failuresAtSecond, visibleFailures, visibleFailuresAtSecond
    /// Found faces with each part of the face; the other parts come after it.
    case part

    package static let width = allCases.count - 1 + FacePart.allCases.count
    package static let sets = all + 1
    /// The set of all faces, after those of the normalisers.
    static let all = LandmarkNormalizer.allCases.count
  }

  /// What is added up by each normaliser.
  package enum Amount: Int, SumName {
    /// Errors of found faces over all points, and over the visible ones.
    case error, visibleError
    /// Areas above the error up to each threshold.
    case area, areaAtSecond
    /// Errors over the points of each part of the face; the other parts come after it.
    case part

    package static let width = allCases.count - 1 + FacePart.allCases.count
    package static let sets = LandmarkNormalizer.allCases.count
  }
}

extension LandmarkAccuracy.Sums {
  mutating func add(_ face: LandmarkAccuracy.Face) {
    self[.faces, Count.all] += 1
    self[.found, Count.all] += face.mean == nil ? 0 : 1
    for index in LandmarkNormalizer.allCases.indices {
      if let length = face.normalizers[index] { add(face, over: length, by: index) }
    }
  }

  private mutating func add(
    _ face: LandmarkAccuracy.Face, over length: Double, by index: Int
  ) {
    func count(_ count: Count, _ offset: Int = 0, if holds: Bool = true) {
      if holds { self[count, index, offset] += 1 }
    }
    func add(_ value: Double, to amount: Amount, _ offset: Int = 0) {
      self[amount, index, offset].add(value)
    }
    count(.faces)
    let error = face.mean.map { $0 / length }
    count(error == nil ? .missed : .found)
    if let error { add(error, to: .error) }
    let visibleError = face.visibleMean.map { $0 / length }
    if face.hasVisiblePoints {
      count(.visible)
      count(.visibleMissed, 0, if: error == nil)
      if let visibleError {
        add(visibleError, to: .visibleError)
        count(.visibleFound)
      }
    }
    for (number, threshold) in LandmarkAccuracy.thresholds.enumerated() {
      let error = error ?? .infinity
      count(.failures, number, if: error > threshold)
      if error < threshold { add((threshold - error) / threshold, to: .area, number) }
      count(
        .visibleFailures, number,
        if: face.hasVisiblePoints && (visibleError ?? .infinity) > threshold)
    }
    guard error != nil else { return }
    for (part, mean) in face.partMeans.enumerated() {
      guard let mean else { continue }
      add(mean / length, to: .part, part)
      count(.part, part)
    }
  }
}
