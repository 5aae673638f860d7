extension LandmarkAccuracy {
  /// Sums over labelled faces, from which all metrics follow; exact, so that their order does not matter.
  package struct Sums: ClusterSums, Hashable {
    /// What is counted by each normaliser.
    enum Count: Int, CaseIterable {
      /// Faces with the normaliser, found and missed ones of them.
      case faces, found, missed
      /// Faces with visible points, missed ones of them, and those with an error over visible points.
      case visible, visibleMissed, visibleFound
      /// Faces that fail at each threshold, over all points, then over the visible ones.
      case failures, failuresAtSecond, visibleFailures, visibleFailuresAtSecond
      /// Found faces with each part of the face; the other parts come after it.
      case part
    }

    /// What is added up by each normaliser.
    enum Amount: Int, CaseIterable {
      /// Errors of found faces over all points, and over the visible ones.
      case error, visibleError
      /// Areas above the error up to each threshold.
      case area, areaAtSecond
      /// Errors over the points of each part of the face; the other parts come after it.
      case part
    }

    private static let counts = Count.allCases.count - 1 + FacePart.allCases.count
    private static let amounts = Amount.allCases.count - 1 + FacePart.allCases.count

    var faces = 0
    var found = 0
    private var counts = [Int](repeating: 0, count: counts * LandmarkNormalizer.allCases.count)
    private var amounts = [ExactSum](
      repeating: ExactSum(), count: amounts * LandmarkNormalizer.allCases.count)

    package init() {}

    package mutating func add(_ other: Sums, times: Int) {
      faces += other.faces * times
      found += other.found * times
      for index in counts.indices { counts[index] += other.counts[index] * times }
      for index in amounts.indices { amounts[index].add(other.amounts[index], times: times) }
    }

    mutating func add(_ face: Face) {
      faces += 1
      found += face.mean == nil ? 0 : 1
      for index in LandmarkNormalizer.allCases.indices {
        if let length = face.normalizers[index] { add(face, over: length, by: index) }
      }
    }

    private mutating func add(_ face: Face, over length: Double, by index: Int) {
      func count(_ count: Count, _ offset: Int = 0, if holds: Bool = true) {
        if holds { counts[index * Self.counts + count.rawValue + offset] += 1 }
      }
      func add(_ value: Double, to amount: Amount, _ offset: Int = 0) {
        amounts[index * Self.amounts + amount.rawValue + offset].add(value)
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

    /// A count of a normaliser; `offset` is the position of a threshold or a part.
    subscript(index: Int, count: Count, offset: Int = 0) -> Int {
      counts[index * Self.counts + count.rawValue + offset]
    }

    /// A sum of a normaliser; `offset` is the position of a threshold or a part.
    subscript(index: Int, amount: Amount, offset: Int = 0) -> Double {
      amounts[index * Self.amounts + amount.rawValue + offset].value
    }
  }
}

extension LandmarkAccuracy.Sums: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(faces, found)
    Self.pack(counts, zero: 0, into: &row)
    Self.pack(amounts, zero: ExactSum(), into: &row)
  }

  package init(from row: inout RowReader) {
    self.init()
    faces = row.read()
    found = row.read()
    Self.unpack(&counts, from: &row)
    Self.unpack(&amounts, from: &row)
  }

  /// Writes what is not 0, each with how far it is from the one before, and 0 at the end.
  private static func pack<Value: Packable>(
    _ values: [Value], zero: Value, into row: inout RowWriter
  ) {
    var last = -1
    for (index, value) in values.enumerated() where value != zero {
      row.write(index - last, value)
      last = index
    }
    row.write(0)
  }

  private static func unpack<Value: Packable>(_ values: inout [Value], from row: inout RowReader) {
    var position = -1
    while true {
      let step: Int = row.read()
      if step == 0 { return }
      position += step
      values[position] = row.read()
    }
  }
}
