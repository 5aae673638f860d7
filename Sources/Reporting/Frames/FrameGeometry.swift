import FaceCore

/// Codes boxes and points of frames in eighths of a pixel, as differences from the frame before.
///
/// Every `blockLength` frames it begins anew, so that a reader can start there.
struct FrameGeometry {
  /// After so many frames nothing refers to earlier ones.
  static let blockLength = 32

  /// What of a face's 478 points is kept; nil keeps all.
  private let subset: [Int]?
  /// The schemes by the number that stands for them.
  private(set) var schemes: [LandmarkScheme] = []
  /// The bytes of each frame.
  private(set) var frames: [[UInt8]] = []
  /// How many bytes those are.
  private(set) var byteCount = 0
  private var earlier: [Slot: [SIMD2<Int>]] = [:]

  private struct Slot: Hashable {
    var kind: UInt8
    var index: Int
    var scheme: Int
  }

  /// Keeps all points, or of `mediapipe478` those at some positions.
  init(subset: [Int]?) {
    self.subset = subset
  }

  /// The points of the outlines, in their order.
  static let contours: [Int] = FaceMeshConnections.allCases.flatMap(\.points)

  /// Codes the next frame.
  mutating func add(_ entry: FrameEntry) {
    if frames.count % Self.blockLength == 0 { earlier = [:] }
    var writer = ByteWriter()
    var slots: [Slot: [SIMD2<Int>]] = [:]
    let size = entry.prediction.size ?? entry.frame.size
    writer.count(max(0, size.width))
    writer.count(max(0, size.height))
    writer.count(entry.labels.count)
    for (index, label) in entry.labels.enumerated() {
      let isOut = label.isIgnored || label.isCrowd || label.category != 1
      writer.byte(isOut ? 0 : entry.missed.contains(index) ? 2 : 1)
      write(label.box, to: &writer)
      writer.count(label.landmarks.count)
      for landmarks in label.landmarks {
        let points = zip(landmarks.points, landmarks.visibility).map { point, visibility in
          visibility == .notLabelled
            ? SIMD2(-32_768, -32_768) : SIMD2(point.x.eighths, point.y.eighths)
        }
        write(points, landmarks.scheme, kind: 0, index: index, to: &writer, slots: &slots)
      }
    }
    writer.count(entry.prediction.detections.count)
    for (index, detection) in entry.prediction.detections.enumerated() {
      writer.byte(entry.falseDetections.contains(index) ? 1 : 0)
      writer.byte(detection.score.inByte)
      write(detection.box, to: &writer)
    }
    let faces = entry.prediction.faces.enumerated().map { ($0.offset, $0.element, false) }
    let rejected = entry.prediction.rejected.enumerated().map { ($0.offset, $0.element, true) }
    writer.count(faces.count + rejected.count)
    for (index, face, isRejected) in faces + rejected {
      write(
        face, isRejected: isRejected, isUnmatched: !isRejected && entry.unmatched.contains(index),
        index: index, size: size, to: &writer, slots: &slots)
    }
    earlier = slots
    var bytes: [UInt8] = []
    bytes.reserveCapacity(writer.bytes.count)
    bytes += writer.bytes
    frames.append(bytes)
    byteCount += writer.bytes.count
  }

  /// Forgets the bytes of a block of frames.
  mutating func remove(_ block: Range<Int>) {
    for frame in block {
      byteCount -= frames[frame].count
      frames[frame] = []
    }
  }

  private mutating func write(
    _ face: FacePrediction, isRejected: Bool, isUnmatched: Bool, index: Int, size: ImageSize,
    to writer: inout ByteWriter, slots: inout [Slot: [SIMD2<Int>]]
  ) {
    let points = face.points.map { SIMD2(Double($0.x).eighths, Double($0.y).eighths) }
    let unsmoothed = face.unsmoothedPoints.map {
      SIMD2(Double($0.x).eighths, Double($0.y).eighths)
    }
    let scheme = points.isEmpty ? nil : face.scheme
    let hasUnsmoothed = scheme != nil && unsmoothed != points && unsmoothed.count == points.count
    var flags: UInt8 = face.isTracked ? 1 : 0
    if isRejected { flags |= 2 }
    if isUnmatched { flags |= 4 }
    if face.region != nil { flags |= 8 }
    if scheme != nil { flags |= 16 }
    if hasUnsmoothed { flags |= 32 }
    if scheme == nil, face.box != nil { flags |= 64 }
    writer.byte(flags)
    writer.byte(face.presence.map { Double($0).inByte } ?? 255)
    if let region = face.region {
      let (width, height) = (Double(size.width), Double(size.height))
      writer.signed((Double(region.xCenter) * width).eighths)
      writer.signed((Double(region.yCenter) * height).eighths)
      writer.signed((Double(region.width) * width).eighths)
      writer.signed((Double(region.height) * height).eighths)
      writer.signed((Double(region.rotation) * 125).eighths)
    }
    if let scheme {
      write(
        points, scheme, kind: isRejected ? 2 : 1, index: index, to: &writer, slots: &slots)
      if hasUnsmoothed {
        for (own, smooth) in zip(kept(unsmoothed, scheme), kept(points, scheme)) {
          writer.signed(own.x - smooth.x)
          writer.signed(own.y - smooth.y)
        }
      }
    } else if let box = face.box {
      write(box, to: &writer)
    }
  }

  private func kept(_ points: [SIMD2<Int>], _ scheme: LandmarkScheme) -> [SIMD2<Int>] {
    guard let subset, scheme == .mediapipe478 else { return points }
    return subset.map { points[$0] }
  }

  private func write(_ box: BoundingBox, to writer: inout ByteWriter) {
    for value in [box.x, box.y, box.width, box.height] { writer.signed(value.eighths) }
  }

  /// Writes the scheme, then each point less the one of the frame before, else less the point before.
  private mutating func write(
    _ points: [SIMD2<Int>], _ scheme: LandmarkScheme, kind: UInt8, index: Int,
    to writer: inout ByteWriter, slots: inout [Slot: [SIMD2<Int>]]
  ) {
    let number = schemes.firstIndex(of: scheme) ?? schemes.count
    if number == schemes.count { schemes.append(scheme) }
    writer.count(number)
    let points = kept(points, scheme)
    let slot = Slot(kind: kind, index: index, scheme: number)
    let before = earlier[slot]
    var last = SIMD2(0, 0)
    for (position, point) in points.enumerated() {
      let difference = point &- (before.map { $0[position] } ?? last)
      writer.signed(difference.x)
      writer.signed(difference.y)
      last = point
    }
    slots[slot] = points
  }
}
