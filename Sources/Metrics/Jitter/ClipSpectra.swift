package import Records

/// How much the landmarks of one clip move at each frequency, as given out and before smoothing.
///
/// Of the displacement between frames of seven points, in thousandths of the interocular distance, by Welch's method
/// (`WelchSpectrum`) on even times, of the face that is followed longest.
struct ClipSpectrum: Packable {
  /// Index of the clip's sequence.
  let sequence: Int
  /// In Hz; densities are at 1, 2, 3 … times as much.
  let resolution: Double
  /// Mean over the points of the squared displacement, in ‰² / Hz.
  let smoothed: [Double]
  /// The same of the points before smoothing.
  let unsmoothed: [Double]
  /// Mean squared displacement above 4 Hz as given out, in ‰², which clips are ordered by.
  let fastPower: Double

  /// Frequencies in Hz.
  var hertz: [Double] { smoothed.indices.map { Double($0 + 1) * resolution } }
  /// Amplitudes of what is given out, in ‰ / √Hz.
  var amplitudes: [Double] { smoothed.map { $0.squareRoot() } }
  /// (amplitude before − after smoothing) / the larger of both, in [−1, 1]; nil where both are no motion.
  ///
  /// The share of what was there that smoothing removes; below 0 the share of what is given out that it adds.
  var removed: [Double?] {
    zip(smoothed, unsmoothed).map { after, before in
      guard max(after, before) > Self.leastDensity else { return nil }
      return after <= before
        ? 1 - (after / before).squareRoot() : (before / after).squareRoot() - 1
    }
  }
  /// Whether smoothing changed anything.
  var isSmoothed: Bool { smoothed != unsmoothed }

  /// Less than this in ‰² / Hz is no motion.
  private static let leastDensity = 1e-9

  /// Nil for a face that is not followed for 30 frames, or not sampled often and evenly enough.
  init?(_ track: [(time: Int64, face: LandmarkJitter.Face)], sequence: Int) {
    guard track.count >= LagLimits.frames,
      let after = LandmarkJitter.displacements(of: track, \.smoothedAnchors),
      let before = LandmarkJitter.displacements(of: track, \.unsmoothedAnchors)
    else { return nil }
    let rate = 1e6 / after.interval
    let interocular = track.reduce(0) { $0 + $1.face.interocular } / Double(track.count)
    let scale = 1e6 / (interocular * interocular * Double(LagLimits.anchors))
    func densities(_ spectrum: WelchSpectrum) -> [Double] {
      spectrum.densities.dropFirst().map { $0 * scale / rate }
    }
    let spectrum = WelchSpectrum(after.signals)
    self.sequence = sequence
    resolution = rate / Double(spectrum.segment)
    smoothed = densities(spectrum)
    unsmoothed = densities(WelchSpectrum(before.signals))
    fastPower = scale * spectrum.power(above: SpectrumLimits.hertz / rate).above
  }

  func pack(into row: inout RowWriter) {
    row.write(sequence, resolution, smoothed, unsmoothed, fastPower)
  }

  init(from row: inout RowReader) {
    sequence = row.read()
    resolution = row.read()
    smoothed = row.read()
    unsmoothed = row.read()
    fastPower = row.read()
  }
}

/// The spectra of the clips that move most above 4 Hz; those of two parts merge to those of the whole.
struct ClipSpectra: Sendable, Hashable {
  /// The worst first; of equal ones that of the earlier sequence.
  private(set) var worst: [ClipSpectrum] = []
  /// How many clips have a spectrum.
  private(set) var count = 0

  /// As many as there are colours for lines.
  static let limit = 6

  mutating func add(_ spectrum: ClipSpectrum) {
    count += 1
    insert([spectrum])
  }

  mutating func merge(_ other: ClipSpectra) {
    count += other.count
    insert(other.worst)
  }

  private mutating func insert(_ spectra: [ClipSpectrum]) {
    let all = (worst + spectra).sorted {
      ($1.fastPower, $0.sequence) < ($0.fastPower, $1.sequence)
    }
    worst = Array(all.prefix(Self.limit))
  }

  var byteCount: Int { worst.reduce(0) { $0 + 16 * $1.smoothed.count } }

  /// The curves in the order of the clips; that of what smoothing removes where the points before it are known and
  /// differ.
  func series(_ context: SeriesContext) -> [Series] {
    guard count > 0 else { return [] }
    func curve(_ name: String, _ title: String, _ yLabel: String, _ lines: [Series.Line]) -> Series
    {
      let which =
        count > worst.count ? "the worst \(worst.count) of \(count) clips" : "worst clip first"
      return Series(
        name: name, title: "\(title), \(count == 1 ? "one clip" : which)",
        xLabel: "frequency (Hz)", yLabel: yLabel, lines: lines)
    }
    func label(_ clip: ClipSpectrum) -> String {
      context.videoNames[clip.sequence] ?? "sequence \(clip.sequence)"
    }
    let amplitudes = curve(
      SeriesName.clipAmplitudes, "Jitter spectrum", "motion per frame (‰/√Hz)",
      worst.map { Series.Line(label: label($0), x: $0.hertz, y: $0.amplitudes) })
    guard context.facts.contains(.unsmoothed), worst.contains(where: \.isSmoothed) else {
      return [amplitudes]
    }
    let removed = worst.map { clip in
      let known = zip(clip.hertz, clip.removed).compactMap { hertz, removed in
        removed.map { (hertz, $0) }
      }
      return Series.Line(label: label(clip), x: known.map(\.0), y: known.map(\.1))
    }
    return [
      amplitudes,
      curve(
        SeriesName.clipRemoved, "Motion that smoothing removes, by frequency",
        "share removed", removed),
    ]
  }
}

extension LandmarkJitter {
  /// The spectra of the clips whose frames are still there.
  private func spectra() -> ClipSpectra {
    var spectra = ClipSpectra()
    for (sequence, keys, _) in frames.sequences {
      guard let first = keys.first, let last = keys.last else { continue }
      var own = self
      own.frames = frames.drawn(by: FrameDraw(first..<last + 1), { _, _ in })
      let longest = own.tracks().reduce(into: [(time: Int64, face: Face)]()) {
        if $1.count > $0.count { $0 = $1 }
      }
      if let spectrum = ClipSpectrum(longest, sequence: sequence) { spectra.add(spectrum) }
    }
    return spectra
  }

  /// The curves of the clips.
  package func series(_ context: SeriesContext) -> [Series] {
    var all = clips
    all.merge(spectra())
    return all.series(context)
  }

  package mutating func condense(_ video: Range<Int>) {
    var own = self
    own.frames = frames.drawn(by: FrameDraw(video), { _, _ in })
    clips.merge(own.spectra())
    condenseVideo(video)
  }

  package mutating func mergeRest(_ other: LandmarkJitter) throws(MetricError) {
    try mergeVideos(other)
    clips.merge(other.clips)
  }

  package mutating func removeRest() {
    videos = FrameTable()
    clips = ClipSpectra()
  }

  package var restByteCount: Int { videos.byteCount + clips.byteCount }
}
