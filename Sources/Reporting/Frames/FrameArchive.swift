package import FaceCore
import Records

/// The frames of a run in the form that the page's explorer reads: lanes, boxes, points, coefficients, images.
///
/// A header in JSON after its length in four bytes; then sections of little-endian numbers, each from a multiple
/// of eight bytes on. It keeps to a budget: images go first, then all points but the outlines, then the
/// coefficients, then the points of frames with few errors, then the frames beyond the first 100,000 or so.
package struct FrameArchive: Sendable {
  /// The bytes that the page's data may take by default, in base64.
  package static let defaultBudget = 2 << 20
  /// Points that take this many times the budget before compression are not gathered: they would not fit.
  private static let largestRatio = 8

  /// Of more frames than one for so many bytes of the budget, only the first are in the page.
  private static let bytesOfFrame = 20

  /// How many bytes of images a page's data may have that are twice in base64, as those of a sweep.
  package static func imageBytes(in budget: Int) -> Int { budget / 2 }

  let budget: Int
  /// Name of the run; nil in the report of one run.
  let run: String?
  var names: [String] = []
  var sequences: [Sequence] = []
  var lanes: [FrameLane: [Float]] = [:]
  /// All points; nil where they are too many for the budget.
  var all: FrameGeometry? = FrameGeometry(subset: nil)
  var outlines = FrameGeometry(subset: FrameGeometry.contours)
  var predicted: [UInt8] = []
  var labelled: [UInt8] = []
  var hasCoefficients = (predicted: false, labelled: false)
  var slices: [String: [Int]] = [:]
  var errors = FrameValues()
  var errorCounts: [Int] = []
  /// Scores, and what became of each: 1 for true, 0 for false, 2 for neither.
  var ranked = FrameValues()
  var outcomes: [UInt8] = []
  var labelledCounts: [Int] = []
  var kept: [FrameEntry.Detection] = []
  var labelledCount = 0
  /// How many frames have detections that were compared with labels.
  var evaluatedCount = 0
  var isThresholdKnown = true
  var motion = FrameMotion()
  var expressions = ExpressionLanes()
  var earlier: (video: String, missed: Int, faces: Int)?
  var changes = FrameChanges()

  /// A clip.
  struct Sequence: Encodable {
    var name: String
    /// Its first frame and how many it has.
    var first: Int, count: Int
  }

  /// An archive without frames, for a page whose data takes at most about `budget` bytes in base64.
  ///
  /// A page of two runs gives each its name.
  package init(budget: Int = FrameArchive.defaultBudget, run: String? = nil) {
    self.budget = budget
    self.run = run
  }

  /// How many frames there are.
  package var count: Int { names.count }

  /// Whether it takes no more frames.
  package var isFull: Bool { names.count >= max(1, budget / Self.bytesOfFrame) }
  /// How many frames the run has; nil where all are taken.
  package var frameCount: Int?

  /// Takes in the next frame, and how far it is from the same frame of a base run.
  package mutating func add(_ entry: FrameEntry, against base: FrameEntry? = nil) {
    let index = names.count
    names.append(entry.frame.name)
    if let video = entry.video {
      if let last = sequences.indices.last, sequences[last].name == video,
        sequences[last].first + sequences[last].count == index
      {
        sequences[last].count += 1
      } else {
        sequences.append(Sequence(name: video, first: index, count: 1))
      }
    }
    let prediction = entry.prediction
    let presence = (prediction.faces + prediction.rejected).compactMap(\.presence).min()
    let score = entry.ranked.map(\.score).max() ?? prediction.detections.map(\.score).max()
    lanes[.latency, default: []].append(Float(entry.milliseconds ?? .nan))
    lanes[.nme, default: []].append(Float(entry.errors.max() ?? .nan))
    lanes[.presence, default: []].append(presence ?? .nan)
    lanes[.score, default: []].append(Float(score ?? .nan))
    let moved = motion.add(entry)
    lanes[.motion, default: []].append(moved.motion)
    lanes[.jitter, default: []].append(moved.jitter)
    lanes[.moved, default: []].append(
      base.map { FrameMotion.distance(from: $0.prediction, to: prediction) } ?? .nan)
    lanes[.errors, default: []].append(Float(entry.errorCount))
    lanes[.losses, default: []].append(losses(in: entry))
    expressions.add(entry)
    lanes[.detector, default: []].append(prediction.detectorRan ? 1 : 0)
    all?.add(entry)
    if let all, all.byteCount / Self.largestRatio > budget { self.all = nil }
    outlines.add(entry)
    if outlines.byteCount / Self.largestRatio > budget { removeRightOutlines() }
    addCoefficients(of: entry)
    for slice in Set(entry.slices) { slices[slice, default: []].append(index) }
    errors.append(entry.errors.map(Float.init))
    errorCounts.append(entry.errorCount)
    ranked.append(entry.ranked.map { Float($0.score) })
    outcomes += entry.ranked.prefix(FrameValues.limit).map { $0.isTrue.map { $0 ? 1 : 0 } ?? 2 }
    labelledCounts.append(entry.labelledCount)
    if let base { changes.add(index, entry, against: base, moved: lanes[.moved]?.last ?? .nan) }
    if let own = entry.kept {
      kept += own
      evaluatedCount += 1
      labelledCount += entry.labelledCount
    } else if prediction.size != nil, !entry.isUnlabelled {
      isThresholdKnown = false
    }
  }

  /// Blocks of frames that can be read alone, those with most errors first.
  var blocksByErrors: [Range<Int>] {
    let blocks = stride(from: 0, to: errorCounts.count, by: FrameGeometry.blockLength).map {
      $0..<min($0 + FrameGeometry.blockLength, errorCounts.count)
    }
    let errors = blocks.map { errorCounts[$0].reduce(0, +) }
    return blocks.indices.sorted { (-errors[$0], $0) < (-errors[$1], $1) }.map { blocks[$0] }
  }

  /// Forgets half of the outlines, those of frames with few errors, which would not be in the page.
  private mutating func removeRightOutlines() {
    for block in blocksByErrors.reversed() where block.count == FrameGeometry.blockLength {
      if outlines.byteCount / Self.largestRatio <= budget / 2 { return }
      outlines.remove(block)
    }
  }

  private mutating func losses(in entry: FrameEntry) -> Float {
    let missed =
      entry.isFrozen
      ? entry.labels.count { !$0.isIgnored && !$0.isCrowd } : entry.missed.count
    let faces = entry.isFrozen ? 0 : entry.prediction.faces.count
    defer { earlier = entry.video.map { ($0, missed, faces) } }
    guard let earlier, entry.video == earlier.video else { return .nan }
    return Float(max(0, entry.labels.isEmpty ? earlier.faces - faces : missed - earlier.missed))
  }

  private mutating func addCoefficients(of entry: FrameEntry) {
    let width = Blendshape.allCases.count
    func add(_ values: [Float]?, to bytes: inout [UInt8], _ isKnown: inout Bool) {
      let own = values.flatMap { $0.count == width ? $0 : nil }
      if values != nil { isKnown = true }
      guard isKnown else { return }
      let missing = (names.count - (own == nil ? 0 : 1)) * width - bytes.count
      bytes += repeatElement(255, count: missing)
      if let own { bytes += own.map { Double($0).inByte } }
    }
    add(entry.prediction.faces.first?.blendshapes, to: &predicted, &hasCoefficients.predicted)
    add(
      entry.labels.lazy.compactMap(\.blendshapes).first, to: &labelled, &hasCoefficients.labelled)
  }

  /// How large an image is, about: more than fit are not decoded.
  private static let imageSize = 6000

  /// The frames whose images are worth most, best first, about as many as fit into a number of bytes.
  ///
  /// Those with errors come first, then frames spread evenly.
  package func imageOrder(in bytes: Int) -> [Int] {
    let limit = bytes / Self.imageSize
    let wrong = errorCounts.indices.filter { errorCounts[$0] > 0 }
      .sorted { (-errorCounts[$0], $0) < (-errorCounts[$1], $1) }
    var order = Array(wrong.prefix(limit / 2))
    var seen = Set(order)
    let step = max(1, names.count / max(1, limit - order.count))
    for index in stride(from: 0, to: names.count, by: step)
    where order.count < limit && seen.insert(index).inserted {
      order.append(index)
    }
    return order
  }
}

/// Any number of values for each frame, one after the other.
struct FrameValues {
  /// The most values of a frame.
  static let limit = 65_535

  private(set) var counts: [UInt16] = []
  private(set) var values: [Float] = []

  /// Adds the values of the next frame.
  mutating func append(_ own: [Float]) {
    counts.append(UInt16(clamping: own.count))
    values += own.prefix(Self.limit)
  }
}
