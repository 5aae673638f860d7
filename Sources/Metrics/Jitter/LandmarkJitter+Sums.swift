internal import Records

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

    package var numbers: [Double] { [sum, Double(count), Double(faces)] }

    package init(numbers: inout ArraySlice<Double>) {
      exact = ExactSum(numbers: &numbers)
      count = Int(numbers: &numbers)
      faces = Int(numbers: &numbers)
    }

    mutating func add(_ value: Double, faces: Int = 1) {
      exact.add(value)
      count += 1
      self.faces += faces
    }
  }

  /// Sums whose means are the metrics; those of sequences add up to those of all.
  package typealias Sums = NamedSums<Count, Mean, Total>

  /// Faces that are followed long enough, and those of them that move.
  package enum Count: Int, SumName {
    case followed, moving
  }

  /// What the metrics are means of.
  package enum Mean: Int, SumName {
    /// Over sequences, in pixels, or in thousandths of the interocular distance.
    case pixels, relative, unsmoothedPixels, unsmoothedRelative, second, unsmoothedSecond
    /// Over faces that are followed: shares of fast motion.
    case spectrum, unsmoothedSpectrum
    /// Over faces that are followed and move, in milliseconds.
    case lag
  }

  package func sums() -> Sums { sums(withSpectra: true) }

  /// The sums over all frames so far; spectra take the most time.
  package func sums(withSpectra: Bool) -> Sums {
    var sums = Sums()
    for faces in continued() { sums.add(faces) }
    for track in tracks() { sums.add(track, withSpectra: withSpectra) }
    return sums
  }
}

extension LandmarkJitter {
  /// Spectra and the lag rest on videos with a face that is followed for long enough, and moves.
  package var ownFrames: [(metrics: Set<String>, frames: FrameRuns)] {
    var parts = videos.keyed.map { (frames: $0..<$0 + $1.counted, sums: $1.sums) }
    for sequence in frames.sequences {
      guard let first = sequence.keys.first, let last = sequence.keys.last else { continue }
      var part = self
      part.draw(FrameDraw(first..<last + 1))
      parts.append((frames: first..<last + 1, sums: part.sums()))
    }
    let means: [(metric: String, mean: Mean)] = [
      (Self.spectrum.name, .spectrum), (Self.unsmoothedSpectrum.name, .unsmoothedSpectrum),
      (Self.lag.name, .lag),
    ]
    return means.map { metric, mean -> (metrics: Set<String>, frames: FrameRuns) in
      let own = parts.filter { $0.sums[mean].count > 0 }.map(\.frames)
      return (metrics: [metric], frames: FrameRuns(unionOf: own))
    }
  }
}

extension MetricDefinition {
  /// The mean of what was summed; n is the number of faces that it rests on.
  func mean(
    of total: LandmarkJitter.Total, else reason: @autoclosure () -> String
  ) -> Measurement {
    measurement(
      total.count == 0 ? nil : total.sum / Double(total.count), n: total.faces, else: reason())
  }
}

extension LandmarkJitter.Sums {
  /// Adds the faces of a sequence that go on from the frame before.
  fileprivate mutating func add(_ faces: [LandmarkJitter.Face]) {
    self[.pixels].add(LandmarkJitter.root(faces) { $0.smoothed }, faces: faces.count)
    self[.unsmoothedPixels].add(LandmarkJitter.root(faces) { $0.unsmoothed }, faces: faces.count)
    let known = faces.filter { $0.interocular > 0 }
    if !known.isEmpty {
      self[.relative].add(
        LandmarkJitter.root(known, times: 1000) {
          $0.smoothed / ($0.interocular * $0.interocular)
        }, faces: known.count)
      self[.unsmoothedRelative].add(
        LandmarkJitter.root(known, times: 1000) {
          $0.unsmoothed / ($0.interocular * $0.interocular)
        }, faces: known.count)
    }
    let further = faces.compactMap(\.second)
    if !further.isEmpty {
      self[.second].add(LandmarkJitter.root(further) { $0.smoothed }, faces: further.count)
      self[.unsmoothedSecond].add(
        LandmarkJitter.root(further) { $0.unsmoothed }, faces: further.count)
    }
  }

  /// Adds a face over frames without a break.
  fileprivate mutating func add(
    _ track: [(time: Int64, face: LandmarkJitter.Face)], withSpectra: Bool
  ) {
    guard track.count >= LagLimits.frames else { return }
    self[.followed] += 1
    if withSpectra {
      if let share = LandmarkJitter.share(of: track, \.smoothedAnchors) {
        self[.spectrum].add(share)
      }
      if let share = LandmarkJitter.share(of: track, \.unsmoothedAnchors) {
        self[.unsmoothedSpectrum].add(share)
      }
    }
    guard LandmarkJitter.motion(of: track) >= LagLimits.motion else { return }
    self[.moving] += 1
    if let lag = LandmarkJitter.milliseconds(of: track) { self[.lag].add(lag) }
  }
}
