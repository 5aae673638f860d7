package import FaceCore
import Foundation
internal import Platform
import Records

/// The frames of a run in the form that the page's explorer reads: lanes, boxes, points, coefficients, images.
///
/// A header in JSON after its length in four bytes; then sections of little-endian numbers, each from a multiple
/// of eight bytes on. It keeps to a budget: images go first, then all points but the outlines, then the
/// coefficients, then the points of frames with few errors.
package struct FrameArchive: Sendable {
  /// The bytes that the page's data may take by default, in base64.
  package static let defaultBudget = 2 << 20
  /// Points that take this many times the budget before compression are not gathered: they would not fit.
  private static let largestRatio = 16

  /// How many bytes of images a page's data may have that are twice in base64, as those of a sweep.
  package static func imageBytes(in budget: Int) -> Int { budget / 2 }

  private let budget: Int
  /// Name of the run; nil in the report of one run.
  private let run: String?
  private var names: [String] = []
  private var sequences: [Sequence] = []
  private var lanes: [FrameLane: [Float]] = [:]
  /// All points; nil where they are too many for the budget.
  private var all: FrameGeometry? = FrameGeometry(subset: nil)
  private var outlines = FrameGeometry(subset: FrameGeometry.contours)
  private var predicted: [UInt8] = []
  private var labelled: [UInt8] = []
  private var hasCoefficients = (predicted: false, labelled: false)
  private var slices: [String: [Int]] = [:]
  private var errors: [[Double]] = []
  private var errorCounts: [Int] = []
  private var rankedScores: [[Double]] = []
  private var kept: [FrameEntry.Detection] = []
  private var labelledCount = 0
  private var isThresholdKnown = true
  private var detectorRuns: [Bool] = []
  private var motion = FrameMotion()
  private var expressions = ExpressionLanes()
  private var earlier: (video: String, missed: Int, faces: Int)?

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
    let score = entry.rankedScores.max() ?? prediction.detections.map(\.score).max()
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
    detectorRuns.append(prediction.detectorRan)
    all?.add(entry)
    if let all, all.byteCount / Self.largestRatio > budget { self.all = nil }
    outlines.add(entry)
    addCoefficients(of: entry)
    for slice in Set(entry.slices) { slices[slice, default: []].append(index) }
    errors.append(entry.errors)
    errorCounts.append(entry.errorCount)
    rankedScores.append(entry.rankedScores)
    if let own = entry.kept {
      kept += own
      labelledCount += entry.labelledCount
    } else if prediction.size != nil {
      isThresholdKnown = false
    }
  }

  private mutating func losses(in entry: FrameEntry) -> Float {
    let (missed, faces) = (entry.missed.count, entry.prediction.faces.count)
    defer { earlier = entry.video.map { ($0, missed, faces) } }
    guard let earlier, entry.video == earlier.video else { return .nan }
    return Float(max(0, entry.labels.isEmpty ? earlier.faces - faces : missed - earlier.missed))
  }

  private mutating func addCoefficients(of entry: FrameEntry) {
    func bytes(_ values: [Float]?) -> [UInt8] {
      guard let values, values.count == Blendshape.allCases.count else {
        return Array(repeating: 255, count: Blendshape.allCases.count)
      }
      return values.map { Double($0).inByte }
    }
    let own = entry.prediction.faces.first?.blendshapes
    let label = entry.labels.lazy.compactMap(\.blendshapes).first
    if own != nil { hasCoefficients.predicted = true }
    if label != nil { hasCoefficients.labelled = true }
    predicted += bytes(own)
    labelled += bytes(label)
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

extension FrameArchive {
  /// What is kept within a budget.
  private struct Kept {
    var geometry: FrameGeometry
    var isOutlined: Bool
    var hasCoefficients: Bool
    var isFrameKept: [Bool]
  }

  /// The archive's bytes, within the budget.
  ///
  /// `thumbnails` hears how many bytes are left for images and gives images in the order of their worth.
  package func encoded(
    thumbnails: (_ bytesLeft: Int) throws -> [FrameThumbnail] = { _ in [] }
  ) throws -> [UInt8] {
    let room = budget / 4 * 3
    let base = try Deflate.compressed(bytes(nil, images: [])).count
    let kept = try kept(within: max(0, room - base))
    let size = try Deflate.compressed(bytes(kept, images: [])).count
    let images = room > size ? try thumbnails(room - size) : []
    return try bytes(kept, images: images)
  }

  private func kept(within room: Int) throws -> Kept {
    func size(_ geometry: FrameGeometry) throws -> Int {
      try Deflate.compressed(geometry.frames.flatMap { $0 }).count
    }
    let coefficients =
      hasCoefficients.predicted || hasCoefficients.labelled
      ? try Deflate.compressed(differences(predicted) + differences(labelled)).count : 0
    let every = [Bool](repeating: true, count: names.count)
    if let all, try size(all) + coefficients <= room * 6 / 10 {
      return Kept(geometry: all, isOutlined: false, hasCoefficients: true, isFrameKept: every)
    }
    let outline = try size(outlines)
    if outline + coefficients <= room * 9 / 10 {
      return Kept(geometry: outlines, isOutlined: true, hasCoefficients: true, isFrameKept: every)
    }
    let raw = outlines.frames.reduce(0) { $0 + $1.count }
    var left = raw == 0 ? 0 : Double(room) * 0.9 * Double(raw) / Double(max(1, outline))
    let length = FrameGeometry.blockLength
    let blocks = stride(from: 0, to: names.count, by: length).map {
      $0..<min($0 + length, names.count)
    }
    let order = blocks.enumerated().sorted { first, second in
      let (a, b) = (
        errorCounts[first.element].reduce(0, +), errorCounts[second.element].reduce(0, +)
      )
      return a == b ? first.offset < second.offset : a > b
    }
    var isKept = [Bool](repeating: false, count: names.count)
    for (_, block) in order {
      left -= Double(outlines.frames[block].reduce(0) { $0 + $1.count })
      if left < 0 { break }
      for index in block { isKept[index] = true }
    }
    return Kept(
      geometry: outlines, isOutlined: true, hasCoefficients: false, isFrameKept: isKept)
  }

  /// Each frame's coefficients less those of the frame before, modulo 256.
  private func differences(_ bytes: [UInt8]) -> [UInt8] {
    let width = Blendshape.allCases.count
    return bytes.indices.map { $0 < width ? bytes[$0] : bytes[$0] &- bytes[$0 - width] }
  }

  private struct Section: Encodable {
    var name: String
    var type: String
    var count: Int
  }

  private struct Lane: Encodable {
    var name: String, title: String, unit: String
  }

  private struct Image: Encodable {
    var frame: Int, bytes: Int
  }

  private struct Threshold: Encodable {
    var labelled: Int, frames: Int
  }

  private struct Header: Encodable {
    var run: String?
    var names: [String]
    var sequences: [Sequence]
    var expressions: [String]
    var lanes: [Lane]
    var slices: [String]
    var schemes: [String: [[Int]]]
    var schemeNames: [String]
    var schemeCounts: [Int]
    var subset: [Int]?
    var blockLength: Int
    var coefficients: [String]
    var images: [Image]
    var threshold: Threshold?
    var sections: [Section]
  }

  private func bytes(_ kept: Kept?, images: [FrameThumbnail]) throws -> [UInt8] {
    var body = ByteWriter()
    var sections: [Section] = []
    func add(_ name: String, _ type: String, _ count: Int, _ write: (inout ByteWriter) -> Void) {
      body.align()
      sections.append(Section(name: name, type: type, count: count))
      write(&body)
    }
    let shown = FrameLane.allCases.filter { lane in lanes[lane]?.contains { !$0.isNaN } == true }
    for lane in shown {
      let values = lanes[lane] ?? []
      add("lane.\(lane.rawValue)", "f32", values.count) { for value in values { $0.float(value) } }
    }
    add("detector", "u8", detectorRuns.count) { for ran in detectorRuns { $0.byte(ran ? 1 : 0) } }
    for (name, values) in expressions.lanes {
      add(name, "u8", values.count) { $0.append(values) }
    }
    let sliceNames = slices.keys.sorted()
    let width = (names.count + 7) / 8
    add("slices", "u8", width * sliceNames.count) { writer in
      for name in sliceNames {
        var bits = [UInt8](repeating: 0, count: width)
        for frame in slices[name] ?? [] { bits[frame / 8] |= 1 << (frame % 8) }
        writer.append(bits)
      }
    }
    addValues("error", errors.map { $0.map(Float.init) }, add)
    addValues("ranked", rankedScores.map { $0.map { Float($0) } }, add)
    let known = isThresholdKnown && labelledCount > 0 && !self.kept.isEmpty
    if known {
      let sorted = self.kept.filter { $0.isTrue != nil }.sorted { $0.score > $1.score }
      add("kept.scores", "f32", sorted.count) { for one in sorted { $0.float(Float(one.score)) } }
      add("kept.true", "u8", sorted.count) {
        for one in sorted { $0.byte(one.isTrue == true ? 1 : 0) }
      }
    }
    if let kept {
      let frames = zip(kept.geometry.frames, kept.isFrameKept).map { $1 ? $0 : [] }
      add("geometry.lengths", "u32", frames.count) {
        for one in frames { $0.fixed(UInt32(one.count)) }
      }
      add("geometry", "u8", frames.reduce(0) { $0 + $1.count }) {
        for one in frames { $0.append(one) }
      }
      if kept.hasCoefficients, hasCoefficients.predicted {
        add("coefficients", "u8", predicted.count) { $0.append(differences(predicted)) }
      }
      if kept.hasCoefficients, hasCoefficients.labelled {
        add("coefficients.labelled", "u8", labelled.count) { $0.append(differences(labelled)) }
      }
    }
    add("images", "u8", images.reduce(0) { $0 + $1.jpeg.count }) { writer in
      for image in images { writer.append(image.jpeg) }
    }
    let schemes = kept?.geometry.schemes ?? []
    let header = Header(
      run: run, names: names, sequences: sequences, expressions: expressions.names,
      lanes: shown.map { Lane(name: $0.rawValue, title: $0.title, unit: $0.unit) },
      slices: sliceNames,
      schemes: Dictionary(uniqueKeysWithValues: schemes.map { ($0.name, $0.outlines) }),
      schemeNames: schemes.map(\.name), schemeCounts: schemes.map(\.count),
      subset: kept?.isOutlined == true ? FrameGeometry.contours : nil,
      blockLength: FrameGeometry.blockLength, coefficients: Blendshape.allCases.map { "\($0)" },
      images: images.map { Image(frame: $0.frame, bytes: $0.jpeg.count) },
      threshold: known ? Threshold(labelled: labelledCount, frames: names.count) : nil,
      sections: sections)
    let json = [UInt8](try JSONEncoder.line.encode(header))
    var writer = ByteWriter()
    writer.fixed(UInt32(json.count))
    writer.append(json)
    writer.align()
    writer.append(body.bytes)
    return writer.bytes
  }

  /// Writes how many values each frame has, then all values.
  private func addValues(
    _ name: String, _ values: [[Float]],
    _ add: (String, String, Int, (inout ByteWriter) -> Void) -> Void
  ) {
    add("\(name).counts", "u16", values.count) { writer in
      for one in values { writer.fixed(UInt16(clamping: one.count)) }
    }
    add("\(name).values", "f32", values.reduce(0) { $0 + $1.prefix(65_535).count }) { writer in
      for value in values.joined(separator: []) { writer.float(value) }
    }
  }
}

extension LandmarkScheme {
  /// Runs of neighbouring points that are drawn as lines; none for schemes that are drawn as dots.
  var outlines: [[Int]] {
    switch self {
    case .mediapipe478: FaceMeshConnections.allCases.flatMap(\.paths)
    case .ibug68:
      [
        Array(0...16), Array(17...21), Array(22...26), Array(27...30), Array(31...35),
        Array(36...41) + [36], Array(42...47) + [42], Array(48...59) + [48], Array(60...67) + [60],
      ]
    default: []
    }
  }
}
