internal import FaceCore
internal import Foundation
internal import Imaging
package import Platform

/// Makes a dataset of a dataset's images, clean and degraded in five severities each, with their labels.
///
/// A frame's attribute `severity.NAME` is 1 to 5 where NAME degraded it, and 0 for all names where it is clean. All
/// versions of an image have one subject, so that resampling keeps them together.
package struct DegradationSuite: Sendable {
  /// What degrades the images, each in five severities.
  package var degradations: [Degradation]
  /// Where random numbers start.
  package var seed: UInt64
  /// Longest side of the images in pixels before they are degraded; larger ones are reduced.
  package var longestSide: Int

  /// Plans a suite.
  package init(
    degradations: [Degradation] = Degradations.all, seed: UInt64 = 1, longestSide: Int = 640
  ) {
    self.degradations = degradations
    self.seed = seed
    self.longestSide = longestSide
  }

  /// Counts of what was made and left out.
  package struct Summary: Sendable {
    /// Frames of the source that are in the suite.
    package var sources = 0
    /// Frames of stills and videos without a labelled face that counts.
    package var withoutFace = 0
    /// Frames that have labels but no image.
    package var withoutImage = 0
    /// Other changes and losses.
    package var remarks: [ImportRemark] = []
  }

  /// Quality of the stored JPEGs, with full color, except where `jpeg` sets another.
  static let storedQuality = 95

  /// An image that is not degraded, or a degradation in one severity.
  struct Variant: Sendable {
    var degradation: Degradation?
    var severity = 0

    var name: String { degradation.map { "\($0.name)-\(severity)" } ?? "clean" }
  }

  private var variants: [Variant] {
    [Variant()]
      + degradations.flatMap { degradation in
        (1...degradation.values.count).map { Variant(degradation: degradation, severity: $0) }
      }
  }

  /// How many frames the suite has of each frame of the source.
  package var framesPerSource: Int { variants.count }

  /// Adds the suite of a dataset to a writer; throws `.interrupted` if the caller asks to stop.
  package func run(
    over dataset: DatasetReader, into writer: DatasetWriter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    for file in dataset.files + [dataset.url] { try writer.requireOther(than: file) }
    try DatasetCopy.checkSplitNames(of: dataset)
    writer.expectDepth(of: dataset.schemesWithDepth)
    var pass = SuitePass(
      variants: variants, dataset: dataset, writer: writer,
      images: DegradedImages(plan: self, dataset: dataset),
      photos: try dataset.repeatedImages(isInterrupted: isInterrupted))
    var next = 0
    while next < dataset.frameCount {
      let unit = try pass.unit(from: next)
      try pass.add(unit, advance: advance, isInterrupted: isInterrupted)
      next = unit.upperBound
    }
    try pass.addSplits()
    pass.summarize()
    return pass.summary
  }
}

/// One pass over the source: stills and whole videos, one after another.
private struct SuitePass {
  let variants: [DegradationSuite.Variant]
  let dataset: DatasetReader
  let writer: DatasetWriter
  let images: DegradedImages
  /// For frames whose image others have too the first of them.
  let photos: [Int: Int]
  var summary = DegradationSuite.Summary()
  /// The frames of the suite that a frame of the source became.
  var positions: [Int: [Int]] = [:]
  /// Which still or video has a subject of a name that the source does not give.
  var owners: [String: Int] = [:]
  /// The names of `owners` by the still or video.
  var names: [Int: String] = [:]

  /// The still or the whole video that begins at a frame.
  func unit(from first: Int) throws(FileError) -> Range<Int> {
    let frame = try dataset.frames(first..<first + 1)[0]
    guard let video = dataset.video(ofSequence: frame.sequence) else { return first..<first + 1 }
    guard video.first == first, video.count > 0 else {
      throw FileError.wrongData(
        "cannot degrade frame \(first) of \(dataset.url.relativePath): expected one within its "
          + "sequence, found sequence \(frame.sequence) ('facegauge validate' lists such frames)")
    }
    return first..<min(first + video.count, dataset.frameCount)
  }

  /// Adds a still or a video in all variants.
  mutating func add(
    _ unit: Range<Int>, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) {
    let first = try dataset.frames(unit.lowerBound..<unit.lowerBound + 1)[0]
    guard !first.hasNoImage else {
      summary.withoutImage += unit.count
      return advance(unit.count * variants.count)
    }
    guard let reference = try reference(of: unit) else {
      summary.withoutFace += unit.count
      return advance(unit.count * variants.count)
    }
    let sequence = dataset.sequence(first.sequence)
    let isVideo = sequence?.kind == .video
    let title = isVideo ? sequence?.name ?? "" : PathText(first.name).withoutSuffix
    let subject = subject(of: sequence, title: title, unit: unit.lowerBound)
    let images = images
    let still =
      isVideo ? nil : try images.source(unit.lowerBound, reference, unit: unit.lowerBound)
    let wave = ProcessInfo.processInfo.activeProcessorCount
    for (index, variant) in variants.enumerated() where isVideo || index % wave == 0 {
      if isVideo { begin(variant, title, subject, sequence) }
      let jobs: [DegradedImages.Job] =
        isVideo
        ? unit.map { DegradedImages.Job(frame: $0, variant: variant) }
        : variants[index..<min(index + wave, variants.count)].map {
          DegradedImages.Job(frame: unit.lowerBound, variant: $0)
        }
      for start in stride(from: 0, to: jobs.count, by: wave) {
        try FileError.stop(
          if: isInterrupted(), "interrupted after \(writer.frameCount) frames; nothing was written")
        let part = Array(jobs[start..<min(start + wave, jobs.count)])
        let made = try part.concurrentMap { (job) throws(FileError) in
          if let still { return try images.degraded(still, job) }
          return try images.degraded(
            images.source(job.frame, reference, unit: unit.lowerBound), job)
        }
        for (job, result) in zip(part, made) {
          if !isVideo { begin(job.variant, title, subject, sequence) }
          try write(result, job, title)
          advance(1)
        }
      }
    }
    summary.sources += unit.count
  }

  /// The largest face of the first frame that has one; quantities of all frames refer to it.
  private func reference(of unit: Range<Int>) throws(FileError) -> ReferenceFace? {
    for frame in unit {
      if let face = ReferenceFace(among: try dataset.labels(frame..<frame + 1)[0]) { return face }
    }
    return nil
  }

  /// The source's subject, else one that all variants of the still, its photo or the video share and no other has.
  private mutating func subject(
    of sequence: SequenceDescription?, title: String, unit: Int
  ) -> String {
    if let subject = sequence?.subject, !subject.isEmpty { return subject }
    let owner = photos[unit] ?? unit
    if let known = names[owner] { return known }
    let name = owners[title] == nil ? title : "\(title) (frame \(owner))"
    owners[name] = owner
    names[owner] = name
    return name
  }

  private func begin(
    _ variant: DegradationSuite.Variant, _ title: String, _ subject: String,
    _ sequence: SequenceDescription?
  ) {
    writer.beginSequence(
      SequenceDescription(
        name: "\(title)/\(variant.name)", kind: sequence?.kind ?? .still, subject: subject,
        framesPerSecond: sequence?.framesPerSecond ?? 0))
  }

  private mutating func write(
    _ made: DegradedImages.Made, _ job: DegradedImages.Job, _ title: String
  ) throws(FileError) {
    let frame = try dataset.frames(job.frame..<job.frame + 1)[0]
    positions[job.frame, default: []].append(writer.frameCount)
    try writer.add(
      name: "\(PathText(frame.name).withoutSuffix)/\(job.variant.name)",
      image: made.bytes, size: made.size, timestampMicroseconds: frame.timestampMicroseconds,
      faces: made.labels, context: made.context)
  }

  /// Names the splits of the source again, for all variants of their frames.
  func addSplits() throws(FileError) {
    for split in dataset.splits {
      let frames = try dataset.split(split.name).flatMap { positions[$0] ?? [] }.sorted()
      if !frames.isEmpty || split.count == 0 { try writer.addSplit(split.name, frames: frames) }
    }
  }

  /// Lists what the suite does not have.
  mutating func summarize() {
    summary.remarks += [dataset.computedAttributesLeftOut].compactMap { $0 }
    summary.remarks.drop(dataset.contextNames.depthMaps, "depth maps left out")
    summary.remarks.drop(
      "tables that the format does not name left out: "
        + dataset.unknownTables.joined(separator: ", "),
      if: !dataset.unknownTables.isEmpty)
  }
}
