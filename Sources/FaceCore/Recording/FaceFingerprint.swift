/// What a recording measures of faces, as a number that changes with any bit of it.
///
/// It is taken of the coefficients, else of the pose, else of the points: of the first that is measured. Measured are
/// numbers of which enough are no whole ones and differ; coefficients that a person set or that are all 0 are not. A
/// face whose coefficients and head angles are all 0 is a lost one.
package struct FaceFingerprint: Sendable, Hashable {
  /// What it is taken of.
  package enum Part: Sendable {
    /// Coefficients of expressions, the head's pose, points, or boxes, which are all that a tracker gives.
    case coefficients, pose, points, boxes
    /// A lost face: coefficients and head angles are all 0.
    case lost
  }

  /// What it is taken of.
  package let part: Part
  /// Whether the head's angles are given and not all 0; it makes no difference between two of equal values.
  package private(set) var isTurned = false
  private let bits: UInt64

  /// So many different numbers that are no whole ones are measured, not set.
  private static let leastNumbers = 6

  package static func == (first: FaceFingerprint, second: FaceFingerprint) -> Bool {
    first.part == second.part && first.bits == second.bits
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(part)
    hasher.combine(bits)
  }

  private init(_ part: Part, bits: UInt64) {
    self.part = part
    self.bits = bits
  }

  private init?(_ part: Part, of numbers: some Sequence<Float>) {
    var bits: UInt64 = 0xCBF2_9CE4_8422_2325
    var seen: [Float] = []
    for number in numbers {
      bits = (bits ^ UInt64(number.bitPattern)) &* 0x0000_0100_0000_01B3
      bits ^= bits >> 29
      if seen.count < Self.leastNumbers, number.isFinite, number != number.rounded(),
        !seen.contains(number)
      {
        seen.append(number)
      }
    }
    guard seen.count == Self.leastNumbers else { return nil }
    self.init(part, bits: bits)
  }

  /// That of a face; nil where nothing is measured and it is not lost, as `attributes` of head angles tell.
  package init?(
    coefficients: [Float]?, pose: HeadPose?, points: some Sequence<Point> = EmptyCollection(),
    attributes: [String: Double] = [:]
  ) {
    let angles = ["headYaw", "headPitch", "headRoll"].compactMap { attributes[$0] }
    let isTurned = angles.contains { $0 != 0 }
    if let coefficients, let own = Self(.coefficients, of: coefficients) {
      self = own
    } else if let matrix = pose?.matrix,
      let own = Self(.pose, of: matrix.indices.lazy.map { matrix[$0] })
    {
      self = own
    } else if let own = Self(.points, of: points.lazy.flatMap { [Float($0.x), Float($0.y)] }) {
      self = own
    } else if angles.count == 3, !isTurned, let coefficients, coefficients.contains(0),
      coefficients.allSatisfy({ $0 == 0 || $0.isNaN })
    {
      self.init(.lost, bits: 0)
    } else {
      return nil
    }
    self.isTurned = isTurned
  }

  /// That of the boxes of a frame, which may be whole numbers; nil without any.
  package init?(boxes: [BoundingBox]) {
    guard !boxes.isEmpty else { return nil }
    self.init(
      .boxes,
      bits: boxes.flatMap { [$0.x, $0.y, $0.width, $0.height] }.reduce(0xCBF2_9CE4_8422_2325) {
        ($0 ^ $1.bitPattern) &* 0x0000_0100_0000_01B3
      })
  }

  /// That of all faces of a frame; nil where there is none, one of them is not measured, or some are lost and some not.
  package init?(_ faces: [FaceFingerprint?]) {
    var parts: [FaceFingerprint] = []
    for face in faces {
      guard let face else { return nil }
      parts.append(face)
    }
    let lost = parts.count { $0.part == .lost }
    guard let first = parts.first, lost == 0 || lost == parts.count else { return nil }
    self.init(
      first.part,
      bits: parts.dropFirst().reduce(first.bits) { ($0 &* 0x0000_0100_0000_01B3) ^ $1.bits })
    isTurned = parts.contains(where: \.isTurned)
  }
}

extension FaceLabel {
  /// What its coefficients, else its pose measure; points do not count: people copy them from frame to frame.
  package var fingerprint: FaceFingerprint? {
    FaceFingerprint(coefficients: blendshapes, pose: pose, attributes: unplacedAttributes)
  }

  /// Its attributes where it has no position: a face whose position is known is not lost.
  package var unplacedAttributes: [String: Double] { hasNoPosition ? attributes : [:] }
}

extension FacePrediction {
  /// What its coefficients, else its pose, else its points measure.
  package var fingerprint: FaceFingerprint? {
    FaceFingerprint(
      coefficients: blendshapes, pose: pose,
      points: points.lazy.map { Point(x: Double($0.x), y: Double($0.y)) },
      attributes: unplacedAttributes)
  }

  /// Its attributes where it has no position: a face whose position is known is not lost.
  package var unplacedAttributes: [String: Double] {
    points.isEmpty && ownBox == nil ? attributes : [:]
  }
}

extension FramePrediction {
  /// What its faces measure; nil for a frame without faces.
  package var fingerprint: FaceFingerprint? { FaceFingerprint(faces.map(\.fingerprint)) }
}
