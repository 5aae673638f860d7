extension LandmarkAccuracy {
  /// Sums over labelled faces, from which all metrics follow.
  package struct Sums: ClusterSums, Hashable {
    /// Positions in the row of a normaliser; the sums and counts of parts come after them.
    enum Column: Int, CaseIterable {
      /// Faces with the normaliser, and missed ones of them.
      case faces, missed
      /// Errors of found faces and how many those are, over all points, then over the visible ones.
      case error, found, visibleError, visibleFound
      /// Faces with visible points, and missed ones of them.
      case visible, visibleMissed
      /// Faces that fail at each threshold, over all points, then over the visible ones.
      case failures, failuresAtSecond, visibleFailures, visibleFailuresAtSecond
      /// Areas above the error up to each threshold.
      case area, areaAtSecond
    }

    static let width = Column.allCases.count + 2 * FacePart.allCases.count

    var faces = 0
    var found = 0
    /// A row for each normaliser.
    private var rows = [Double](repeating: 0, count: width * LandmarkNormalizer.allCases.count)

    package init() {}

    package mutating func add(_ other: Sums, times: Int) {
      faces += other.faces * times
      found += other.found * times
      let weight = Double(times)
      for index in rows.indices { rows[index] += weight * other.rows[index] }
    }

    mutating func add(_ face: Face) {
      faces += 1
      found += face.mean == nil ? 0 : 1
      for index in LandmarkNormalizer.allCases.indices {
        if let length = face.normalizers[index] { add(face, over: length, by: index) }
      }
    }

    private mutating func add(_ face: Face, over length: Double, by index: Int) {
      self[index, .faces] += 1
      let error = face.mean.map { $0 / length }
      if let error {
        self[index, .error] += error
        self[index, .found] += 1
      } else {
        self[index, .missed] += 1
      }
      let visibleError = face.visibleMean.map { $0 / length }
      if face.hasVisiblePoints {
        self[index, .visible] += 1
        self[index, .visibleMissed] += error == nil ? 1 : 0
        if let visibleError {
          self[index, .visibleError] += visibleError
          self[index, .visibleFound] += 1
        }
      }
      for (number, threshold) in LandmarkAccuracy.thresholds.enumerated() {
        let error = error ?? .infinity
        self[index, .failures, number] += error > threshold ? 1 : 0
        self[index, .area, number] += max(0, threshold - error) / threshold
        if face.hasVisiblePoints {
          self[index, .visibleFailures, number] +=
            (visibleError ?? .infinity) > threshold ? 1 : 0
        }
      }
      guard error != nil else { return }
      for (part, mean) in face.partMeans.enumerated() {
        guard let mean else { continue }
        let position = Self.position(index, part: part)
        rows[position] += mean / length
        rows[position + 1] += 1
      }
    }

    /// A sum of a normaliser; `threshold` is the position of a threshold.
    subscript(index: Int, column: Column, threshold: Int = 0) -> Double {
      get { rows[index * Self.width + column.rawValue + threshold] }
      set { rows[index * Self.width + column.rawValue + threshold] = newValue }
    }

    /// The sum of the errors of a part of the face, and of how many faces.
    func part(_ part: Int, by index: Int) -> (error: Double, found: Double) {
      let position = Self.position(index, part: part)
      return (rows[position], rows[position + 1])
    }

    private static func position(_ index: Int, part: Int) -> Int {
      index * width + Column.allCases.count + 2 * part
    }
  }
}
