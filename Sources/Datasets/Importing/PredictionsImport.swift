internal import FaceCore
package import Foundation
package import Platform

/// Imports another tracker's output for a dataset as a predictions file.
package struct PredictionsImport: Sendable {
  /// The format of the sources.
  package var format: any DatasetFormat
  /// The files or folders to read, in order.
  package var sources: [URL]
  /// The user's options.
  package var options: ImportOptions
  /// Whether anything lost or changed is an error.
  package var isStrict: Bool
  /// How frames are joined; nil selects the format's default.
  package var key: FrameKey?
  /// What is added to the frames' numbers or times before they are joined.
  package var offset = FrameOffset.frames(0)
  /// The number of the first frame where the sources do not tell it, 0 or 1; nil takes what the numbers tell.
  package var firstNumber: Int?

  /// The result of an import.
  package struct Summary: Sendable {
    /// Frames of the dataset.
    package var frames = 0
    /// Frames of the dataset with a source frame.
    package var joined = 0
    /// Faces in them.
    package var faces = 0
    /// Assumptions and losses.
    package var remarks: [ImportRemark] = []
  }

  /// Plans an import.
  package init(
    format: any DatasetFormat, sources: [URL], options: ImportOptions, isStrict: Bool,
    key: FrameKey? = nil
  ) {
    self.format = format
    self.sources = sources
    self.options = options
    self.options.isLabelsOnly = true
    self.options.isPredictions = true
    self.options.keepsClock = true
    self.isStrict = isStrict
    self.key = key
  }

  /// Reads everything and writes the predictions, one row per frame of the dataset.
  ///
  /// The sources are first copied to a dataset file next to the output, which keeps memory use constant.
  package func run(
    for dataset: DatasetReader, sha256: String, into url: URL, replacing: Bool,
    advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    for input in sources + dataset.files + [dataset.url] { try url.requireOther(than: input) }
    let target = try AtomicFile(url, replacing: replacing).target
    let folder = try AtomicFolder(temporary: target.appendingPathExtension("staging"))
    try folder.make()
    defer { folder.discard() }
    let staging = folder.partial.appendingPathComponent("staging.h5")
    var summary = Summary()
    var given: [FrameJoin.Given] = []
    var titles: [String] = []
    var nanoseconds: [UInt64?] = []
    var images: [FacePlacement.Image] = []
    var (highestScore, highestCoefficient) = (-Double.infinity, -Float.infinity)
    var hidesPoints = false
    var (joins, hasNames): (FrameKey?, Bool) = (nil, false)
    var nothing = 0
    let writer = try DatasetWriter(staging, name: "staging", replacing: true, reported: url)
    summary.remarks = try format.readPlacingPoints(sources, options: options) {
      (frame) throws(FileError) in
      try FileError.stop(
        if: isInterrupted(), "interrupted after \(writer.frameCount) frames; nothing was written")
      joins = joins ?? frame.joins
      if let sequence = frame.begins, sequence.kind == .video { titles.append(sequence.name) }
      let sequence = max(titles.count - 1, 0)
      let isNext = given.last?.sequence == sequence
      given.append(
        FrameJoin.Given(
          name: frame.name, image: frame.image.file, sequence: sequence,
          number: frame.number ?? (isNext ? (given.last?.number ?? -1) + 1 : 0),
          isPlace: frame.number == nil, isFirstUnknown: frame.isFirstUnknown,
          timestampMicroseconds: frame.timestampMicroseconds,
          clocks: FrameJoin.clocks(of: frame.context)))
      // Images that are known by name have no place among the numbers of a clip next to them.
      if given.last?.image != nil, (frame.joins ?? format.joins) == .name { hasNames = true }
      nanoseconds.append(frame.nanoseconds)
      images.append(
        .init(
          name: "", stated: frame.statedSize, stored: nil, isSizeOfLabels: frame.isSizeOfLabels,
          isRelative: frame.isRelative))
      for face in frame.faces {
        highestScore = max(highestScore, face.score ?? highestScore)
        highestCoefficient = max(highestCoefficient, FaceRepair.highest(face))
      }
      hidesPoints =
        hidesPoints
        || frame.faces.contains {
          $0.landmarks.contains { $0.visibility.contains(.occluded) }
        }
      try writer.add(
        name: frame.name, image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: frame.timestampMicroseconds,
        faces: frame.faces.filter { !$0.isNothing })
      nothing += frame.faces.count(where: \.isNothing)
      advance(1)
    }
    summary.remarks.dropNothing(nothing)
    try writer.finish()
    let staged = try DatasetReader(staging)
    let own = hasNames ? FrameKey.name : joins ?? format.joins
    let positions = try join(given, titles: titles, by: key ?? own, to: dataset, &summary)
    var placement = FacePlacement(options, of: format)
    let hasPercent = (
      scores: highestScore > 1, coefficients: highestCoefficient > FaceRepair.highestFraction
    )
    if hasPercent.scores != hasPercent.coefficients {
      placement.spared = [hasPercent.scores ? .coefficients : .scores]
    }
    try write(
      staged, at: positions, nanoseconds, images, &placement, for: dataset, sha256: sha256, to: url,
      replacing: replacing, hidesPoints: hidesPoints, &summary, isInterrupted: isInterrupted)
    return summary
  }

  /// For each frame of the dataset those of the sources; throws if no frame fits.
  private func join(
    _ given: [FrameJoin.Given], titles: [String], by key: FrameKey, to dataset: DatasetReader,
    _ summary: inout Summary
  ) throws(FileError) -> [[Int]] {
    let titles = titles.isEmpty ? [""] : titles
    var (frames, microseconds) = try offset.parts(by: key)
    summary.remarks.assume(
      "frames moved by \(offset.text) before they are joined", if: offset != .frames(0))
    if case .time = key, let step = try Self.microsecondsPerFrame(of: dataset) {
      microseconds += Int64((Double(frames) * step).rounded())
      frames = 0
    }
    let join: FrameJoin
    switch key {
    case .name:
      join = try FrameJoin.byName(given, to: dataset)
      if offset == .frames(0), let remark = try join.remarkOnFirstNumber(given, of: dataset) {
        summary.remarks.assume(remark)
      }
    case .number:
      join = try FrameJoin.byNumber(
        FrameJoin.numbered(given, from: firstNumber, for: dataset), titles: titles, to: dataset,
        shift: frames)
      if offset == .frames(0) {
        summary.remarks.assume(
          "by their times frames belong elsewhere than by their numbers, which seem to count rows of which some "
            + "are missing: --join time joins by the times",
          if: try join.isContradictedByTimes(given, titles: titles, of: dataset))
        if let remark = try join.remarkOnRepeatedFrames(given, of: dataset) {
          summary.remarks.assume(remark)
        }
      }
      frames = 0
    case .time:
      var timed: [FrameJoin.Given]?
      if let rate = options.framesPerSecond {
        timed = try FrameJoin.timed(given, at: rate, from: firstNumber, for: dataset)
      }
      join = try FrameJoin.byTime(
        timed ?? given, titles: titles, to: dataset, offset: microseconds,
        isOffsetGiven: offset != .frames(0), isOfClip: timed != nil)
      if timed == nil, let remark = try join.remarkOnEvenTimes(given, of: dataset) {
        summary.remarks.drop(remark)
      }
    }
    return try positions(
      of: join.shifted(by: frames, given, in: dataset), by: key, given, dataset, &summary)
  }

  /// How long a frame of the first clip lasts, also where the dataset lacks those between; nil without clips.
  private static func microsecondsPerFrame(of dataset: DatasetReader) throws(FileError) -> Double? {
    guard let clip = dataset.sequences.first(where: { $0.framesPerSecond > 0 }) else { return nil }
    let rows = try dataset.frames(clip.first..<clip.first + min(clip.count, 4096))
    let perRow = NumberedClip.framesPerRow(of: rows)
    guard perRow > 1, let first = rows.first, let last = rows.last else {
      return 1_000_000 / clip.framesPerSecond
    }
    return Double(last.timestampMicroseconds - first.timestampMicroseconds)
      / Double(perRow * (rows.count - 1))
  }

  /// For each frame of the dataset those that a join puts there; remarks say what is left over on both sides.
  private func positions(
    of join: FrameJoin, by key: FrameKey, _ given: [FrameJoin.Given], _ dataset: DatasetReader,
    _ summary: inout Summary
  ) throws(FileError) -> [[Int]] {
    var positions = [[Int]](repeating: [], count: dataset.frameCount)
    for (index, frame) in join.frames.enumerated() {
      if let frame { positions[frame].append(index) }
    }
    summary.frames = dataset.frameCount
    summary.joined = positions.count { !$0.isEmpty }
    let hint = FrameJoin.rateHint(given, for: dataset)
    guard summary.joined > 0 || dataset.frameCount == 0 else {
      throw FileError.wrongData(
        "cannot import \(sources.map(\.relativePath).joined(separator: ", ")): expected frames of "
          + "\(dataset.url.relativePath), found none among \(given.count) (joined \(join.rule)), the "
          + "first is '\(given.first?.name ?? "")'"
          + ", of the dataset '\(try dataset.frames(0..<1)[0].name)'"
          + (FrameJoin.canJoinByNumber(given, to: dataset)
            ? " (--join number\(hint.isEmpty ? "" : "; " + hint))"
            : key == .time
              ? " (no frame has the time of one of the dataset; --join number counts the frames of each)"
              : given.contains { $0.timestampMicroseconds != 0 } ? " (--join time)" : ""))
    }
    summary.remarks.assume("frames joined \(join.rule)")
    summary.remarks.assume(
      join.between.count,
      "of \(given.count) frames left out because others are nearer in time to the frames of "
        + "the dataset")
    let strangers = join.frames.indices.filter {
      join.frames[$0] == nil && !join.between.contains($0)
    }
    summary.remarks.drop(
      strangers.count,
      "of \(given.count) frames left out because the dataset does not have them, "
        + Self.named(strangers.map { given[$0].name }, of: given.count))
    let several = positions.count { $0.count > 1 }
    summary.remarks.assume(
      several, "frames are in the sources more than once: their faces are merged")
    if summary.joined < summary.frames {
      let silent = positions.indices.filter { positions[$0].isEmpty }
      let names = try silent.prefix(Self.namedCount).map { (index) throws(FileError) in
        try dataset.frames(index..<index + 1)[0].name
      }
      summary.remarks.assume(
        "\(silent.count) of \(summary.frames) frames of the dataset are not in the sources: no face "
          + "was found there, \(Self.named(names, of: summary.frames, count: silent.count))"
          + Self.step(of: positions, in: dataset))
      summary.remarks.assume(
        "the \(given.count) images are joined to the first frames; \(hint)",
        if: !hint.isEmpty && join.isOfFirstFrames)
    }
    return positions
  }

  /// What to do where each so many frames of the one clip alone are there; empty where it is otherwise.
  private static func step(of positions: [[Int]], in dataset: DatasetReader) -> String {
    let found = positions.indices.filter { !positions[$0].isEmpty }
    let steps = Set(zip(found.dropFirst(), found).map { $0 - $1 })
    guard dataset.sequences.count == 1, found.count >= 10, steps.count == 1, let step = steps.first,
      step > 1, found[0] < step, positions.count - found[found.count - 1] <= step
    else { return "" }
    return
      "; one frame in \(step) is there, as where a tracker ran on these alone ('facegauge subset --frames "
      + "\(found[0] == 0 ? "" : "\(found[0])")::\(step)' makes a dataset of them)"
  }

  /// How many frames that did not join are named.
  private static let namedCount = 5

  /// The first of some frames; five of them where they are more than 1 % of all.
  private static func named(_ names: [String], of all: Int, count: Int? = nil) -> String {
    let count = count ?? names.count
    let shown = 100 * count > all ? min(count, namedCount) : 1
    let list = names.prefix(shown).map { "'\($0)'" }.joined(separator: ", ")
    return shown == 1 ? "the first is \(list)" : "the first are \(list)"
  }
  private func write(
    _ staged: DatasetReader, at positions: [[Int]], _ nanoseconds: [UInt64?],
    _ images: [FacePlacement.Image], _ placement: inout FacePlacement, for dataset: DatasetReader,
    sha256: String, to url: URL, replacing: Bool, hidesPoints: Bool,
    _ summary: inout Summary, isInterrupted: () -> Bool
  ) throws(FileError) {
    let scheme = staged.schemes.max { $0.count < $1.count }
    let header = PredictionsHeader(
      datasetName: dataset.name, datasetSHA256: sha256,
      datasetPath: dataset.url.standardizedFileURL.path,
      mode: dataset.sequences.contains { $0.kind == .video } ? "video" : "image", models: [],
      candidateFloor: 0, stages: ["total"],
      options: provenance, facts: [])
    var maker = TrackerFaces(scheme: scheme, hidesPoints: hidesPoints)
    let writer = try PredictionsWriter(url, header: header)
    for start in stride(from: 0, to: dataset.frameCount, by: 256) {
      let range = start..<min(start + 256, dataset.frameCount)
      for frame in try dataset.frames(range) {
        try FileError.stop(
          if: isInterrupted(), "interrupted after \(frame.index) frames; nothing was written")
        var labels: [FaceLabel] = []
        for position in positions[frame.index] {
          var image = images[position]
          image.name = frame.name
          image.stored = frame.size.isNothing ? nil : frame.size
          labels += try placement.place(staged.labels(position..<position + 1)[0], in: image) {
            () throws(FileError) in try dataset.orientation(ofImage: frame.index)
          }
        }
        let times = positions[frame.index].compactMap { nanoseconds[$0] }
        var prediction = maker.prediction(
          labels, frame: frame, nanoseconds: try Self.sum(times, of: frame))
        prediction.isInSource = !positions[frame.index].isEmpty
        summary.faces += prediction.faces.count
        try writer.add(prediction)
      }
    }
    summary.remarks += placement.remarks + maker.remarks(schemes: staged.schemes)
    try placement.requireEffect(on: sources.map(\.relativePath).joined(separator: ", "))
    if isStrict, let loss = summary.remarks.first(where: \.isLoss) {
      throw FileError.wrongData("cannot import without loss (--strict): \(loss.text)")
    }
    try writer.finish(facts: maker.hasOwnBoxes ? [.detectorBoxes] : [])
  }

  /// How long the calls for a frame took together, in nanoseconds; nil without any.
  private static func sum(_ times: [UInt64], of frame: Frame) throws(FileError) -> UInt64? {
    var sum: UInt64?
    for time in times {
      let (next, isTooMuch) = (sum ?? 0).addingReportingOverflow(time)
      guard !isTooMuch else {
        throw FileError.wrongData(
          "cannot import the times of '\(frame.name)': expected at most \(UInt64.max) ns together, "
            + "found more")
      }
      sum = next
    }
    return sum
  }

  /// The tracker, and what was repaired.
  private var provenance: [String: String] {
    let repairs = (options.isUpright ? ["upright"] : []) + options.repairs.map(\.text)
    var provenance = [PredictionsHeader.trackerOption: format.name]
    if !repairs.isEmpty {
      provenance[PredictionsHeader.repairOption] = repairs.joined(separator: ", ")
    }
    return provenance
  }
}
