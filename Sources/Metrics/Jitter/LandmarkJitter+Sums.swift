extension LandmarkJitter {
  /// A sum over sequences or faces.
  package struct Total: ClusterSums, Hashable {
    private var exact = ExactSum()
    /// The sum.
    package var sum: Double { exact.value }
    /// How many were summed.
    package private(set) var count = 0
    /// The number of faces that they rest on.
    package private(set) var faces = 0

    package init() {}

    package func pack(into row: inout RowWriter) { row.write(exact, count, faces) }

    package init(from row: inout RowReader) {
      exact = row.read()
      count = row.read()
      faces = row.read()
    }

    package mutating func add(_ other: Total, times: Int) {
      exact.add(other.exact, times: times)
      count += other.count * times
      faces += other.faces * times
    }

    mutating func add(_ value: Double, faces: Int = 1) {
      exact.add(value)
      count += 1
      self.faces += faces
    }
  }

  /// Sums whose means are the metrics; those of sequences add up to those of all.
  package struct Sums: ClusterSums, Hashable {
    /// Over sequences, in pixels, or in thousandths of the interocular distance.
    package private(set) var pixels = Total()
    package private(set) var relative = Total()
    package private(set) var unsmoothedPixels = Total()
    package private(set) var unsmoothedRelative = Total()
    package private(set) var second = Total()
    package private(set) var unsmoothedSecond = Total()
    /// Over faces that are followed: shares of fast motion.
    package private(set) var spectrum = Total()
    package private(set) var unsmoothedSpectrum = Total()
    /// Over faces that are followed and move, in milliseconds.
    package private(set) var lag = Total()
    /// Faces that are followed long enough, and those of them that move.
    private(set) var followed = 0
    private(set) var moving = 0

    package init() {}

    package func pack(into row: inout RowWriter) {
      row.write(pixels, relative, unsmoothedPixels, unsmoothedRelative, second, unsmoothedSecond)
      row.write(spectrum, unsmoothedSpectrum, lag, followed, moving)
    }

    package init(from row: inout RowReader) {
      pixels = row.read()
      relative = row.read()
      unsmoothedPixels = row.read()
      unsmoothedRelative = row.read()
      second = row.read()
      unsmoothedSecond = row.read()
      spectrum = row.read()
      unsmoothedSpectrum = row.read()
      lag = row.read()
      followed = row.read()
      moving = row.read()
    }

    package mutating func add(_ other: Sums, times: Int) {
      pixels.add(other.pixels, times: times)
      relative.add(other.relative, times: times)
      unsmoothedPixels.add(other.unsmoothedPixels, times: times)
      unsmoothedRelative.add(other.unsmoothedRelative, times: times)
      second.add(other.second, times: times)
      unsmoothedSecond.add(other.unsmoothedSecond, times: times)
      spectrum.add(other.spectrum, times: times)
      unsmoothedSpectrum.add(other.unsmoothedSpectrum, times: times)
      lag.add(other.lag, times: times)
      followed += other.followed * times
      moving += other.moving * times
    }

    /// Adds the faces of a sequence that go on from the frame before.
    fileprivate mutating func add(_ faces: [Face]) {
      pixels.add(LandmarkJitter.root(faces) { $0.smoothed }, faces: faces.count)
      unsmoothedPixels.add(LandmarkJitter.root(faces) { $0.unsmoothed }, faces: faces.count)
      let known = faces.filter { $0.interocular > 0 }
      if !known.isEmpty {
        relative.add(
          LandmarkJitter.root(known, times: 1000) {
            $0.smoothed / ($0.interocular * $0.interocular)
          }, faces: known.count)
        unsmoothedRelative.add(
          LandmarkJitter.root(known, times: 1000) {
            $0.unsmoothed / ($0.interocular * $0.interocular)
          }, faces: known.count)
      }
      let further = faces.compactMap(\.second)
      if !further.isEmpty {
        second.add(LandmarkJitter.root(further) { $0.smoothed }, faces: further.count)
        unsmoothedSecond.add(
          LandmarkJitter.root(further) { $0.unsmoothed }, faces: further.count)
      }
    }

    /// Adds a face over frames without a break.
    fileprivate mutating func add(_ track: [(time: Int64, face: Face)], withSpectra: Bool) {
      guard track.count >= LagLimits.frames else { return }
      followed += 1
      if withSpectra {
        if let share = LandmarkJitter.share(of: track, \.smoothedAnchors) { spectrum.add(share) }
        if let share = LandmarkJitter.share(of: track, \.unsmoothedAnchors) {
          unsmoothedSpectrum.add(share)
        }
      }
      guard LandmarkJitter.motion(of: track) >= LagLimits.motion else { return }
      moving += 1
      if let lag = LandmarkJitter.milliseconds(of: track) { self.lag.add(lag) }
    }
  }

  /// The sums over all frames so far.
  package func sums() -> Sums { sums(withSpectra: true) }

  /// The sums over all frames so far; spectra take the most time.
  package func sums(withSpectra: Bool) -> Sums {
    var sums = Sums()
    for faces in continued() { sums.add(faces) }
    for track in tracks() { sums.add(track, withSpectra: withSpectra) }
    return sums
  }
}
