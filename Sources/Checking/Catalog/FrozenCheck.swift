internal import FaceCore
internal import Foundation
package import Records

/// Recordings that repeat their last values, as they do while the face is lost, and channels that never move.
package enum FrozenCheck: FindingCheck {
  package static let names = [
    "recording.dead", "recording.frozen", "recording.frozen-labels", "recording.dead-channels",
  ]

  /// Frames of a recording, at least, before it can count as dead.
  private static let leastFrames = 30
  /// Frozen labels weigh from this share of their frames on, where predictions move meanwhile; so do frozen boxes.
  private static let heavyShare = 0.1
  /// Microseconds that boxes alone may stand: detectors that run now and then give their last box meanwhile.
  private static let longestBox: Int64 = 1_000_000
  /// Labelled boxes move where their edges vary by this share of their size, and so many times their noise.
  private static let boxMotion = (share: 0.05, noise: 4.0)
  /// Predictions move where so many coefficients change by so much.
  private static let motion = (channels: 3, span: Float(0.1))
  /// Variance of a labelled channel that moves; noise of a face at rest is below.
  private static let movingVariance = 1e-3

  package static func findings(in sample: JoinedSample) -> [Finding] {
    let side = Recording(sample) { joined in
      let faces = joined.prediction.faces
      let boxes = faces.allSatisfy(\.points.isEmpty) ? faces.compactMap(\.box) : []
      return joined.prediction.fingerprint ?? FaceFingerprint(boxes: boxes)
    }
    let dead = dead(side, in: sample)
    return [
      dead, dead == nil ? predictions(side, in: sample) : nil, labels(sample),
      dead == nil ? deadChannels(sample) : nil,
    ].compactMap(\.self)
  }

  /// One side of the videos of a sample.
  private struct Recording {
    /// Each frame's values; nil where nothing is measured.
    let values: [FaceFingerprint?]
    let stretches: [FrozenStretch]
    /// Frames with values.
    let known: Int

    init(_ sample: JoinedSample, _ values: (JoinedFrame) -> FaceFingerprint?) {
      self.values = sample.frames.map { $0.isVideo ? values($0) : nil }
      var frozen = FrozenStretches()
      for run in sample.runs {
        for position in run {
          frozen.add(
            position, time: sample.frames[position].frame.timestampMicroseconds,
            values: self.values[position])
        }
        frozen.endVideo()
      }
      stretches = frozen.all
      known = self.values.count { $0 != nil }
    }
  }

  /// What a label says of a frame, to know whether anything moves there.
  private static func scene(_ joined: JoinedFrame) -> [FaceLabel] {
    joined.labels.map { label in
      var label = label
      label.attributes = [:]
      return label
    }
  }

  /// Whether labels move while predictions stand; of boxes, which stand while a face is nearly still, all of them clearly.
  private static func moves(
    _ sample: JoinedSample, in frames: Range<Int>, part: FaceFingerprint.Part?
  ) -> Bool {
    let labelled = sample.frames[frames].filter { !$0.labels.isEmpty }
    guard let first = labelled.first else { return false }
    guard part == .boxes else { return labelled.contains { scene($0) != scene(first) } }
    return first.labels.allSatisfy { face in
      isMoving(
        labelled.compactMap { joined in
          joined.labels.first {
            $0.identity == face.identity && (face.identity != nil || joined.labels.count == 1)
          }?.box
        })
    }
  }

  private static func isMoving(_ boxes: [BoundingBox]) -> Bool {
    let size = boxes.reduce(0) { $0 + $1.area.squareRoot() } / Double(max(1, boxes.count))
    guard boxes.count >= leastFrames / 2, size > 0 else { return false }
    let edges = boxes.map { SIMD4($0.x, $0.y, $0.maxX, $0.maxY) / size }
    let mean = edges.reduce(SIMD4<Double>.zero, +) / Double(edges.count)
    let motion = edges.reduce(0) { $0 + (($1 - mean) * ($1 - mean)).sum() } / Double(edges.count)
    // The second difference of white noise has six times its variance.
    let noise =
      edges.indices.dropFirst().dropLast().reduce(0) { sum, index in
        let bend = edges[index - 1] - 2 * edges[index] + edges[index + 1]
        return sum + (bend * bend).sum() / 6
      } / Double(edges.count - 2)
    return (motion / 4).squareRoot() >= boxMotion.share
      && motion >= boxMotion.noise * boxMotion.noise * noise
  }

  /// Whether a face is followed there, though its coefficients or its pose stand, as places that nothing fills do.
  private static func hasMovingBoxes(
    _ sample: JoinedSample, in frames: some Sequence<Int>
  ) -> Bool {
    Set(frames.map { sample.frames[$0].prediction.faces.compactMap(\.box) }).count > 1
  }

  private static func dead(_ side: Recording, in sample: JoinedSample) -> Finding? {
    let known = sample.frames.indices.filter { side.values[$0] != nil }
    guard known.count >= leastFrames, let first = known.first, let last = known.last,
      side.values[first]?.part != .lost, Set(known.map { side.values[$0] }).count == 1,
      !hasMovingBoxes(sample, in: known),
      moves(sample, in: first..<last + 1, part: side.values[first]?.part)
    else { return nil }
    return Finding(
      "recording.dead", .suspect,
      "The predictions never change: all \(known.count) frames have the same values to the last bit.",
      statistic: "share of frames with the values of the frame before", before: 1, n: known.count,
      remedy: "Record or track again, or import the file that has the output.",
      frames: sample.named(known))
  }

  private static func predictions(_ side: Recording, in sample: JoinedSample) -> Finding? {
    // An image that does not change gives a tracker without a state the same values again.
    let stretches = side.stretches.filter { stretch in
      let part = side.values[stretch.frames.lowerBound]?.part
      if part == .boxes, stretch.microseconds <= longestBox { return false }
      guard !hasMovingBoxes(sample, in: stretch.frames) else { return false }
      return sample.format != nil && (part == .coefficients || part == .lost)
        || moves(sample, in: stretch.frames, part: part)
    }
    let boxes = stretches.filter { side.values[$0.frames.lowerBound]?.part == .boxes }
    return finding(
      "recording.frozen", "Predictions", stretches, heavy: boxes, of: side.known, in: sample,
      remedy:
        "Look at the frames; 'facegauge subset --where' makes a dataset without them, such as "
        + "--where 'seconds<2'.",
      effect: "the tracker had lost the face")
  }

  private static func labels(_ sample: JoinedSample) -> Finding? {
    let side = Recording(sample) { joined in
      FaceFingerprint(
        joined.labels.map {
          FaceFingerprint(
            coefficients: $0.blendshapes, pose: nil, attributes: $0.unplacedAttributes)
        })
    }
    let contradicted = side.stretches.filter { predictionMoves(sample, in: $0.frames) }
    return finding(
      "recording.frozen-labels", "Labels", side.stretches, heavy: contradicted, of: side.known,
      in: sample,
      remedy:
        "'facegauge validate' names the stretches, 'facegauge subset --where' leaves them out, "
        + "such as --where 'seconds<2'.",
      effect: "the recorder had lost the face, and they are no truth there")
  }

  private static func predictionMoves(_ sample: JoinedSample, in frames: Range<Int>) -> Bool {
    let values = sample.frames[frames].compactMap { $0.prediction.faces.first?.blendshapes }
    let moving = Blendshape.allCases.indices.filter { channel in
      let own = values.map { $0[channel] }.filter(\.isFinite)
      guard let low = own.min(), let high = own.max() else { return false }
      return high - low >= motion.span
    }
    return moving.count >= motion.channels
  }

  private static func finding(
    _ name: String, _ side: String, _ stretches: [FrozenStretch], heavy: [FrozenStretch],
    of known: Int, in sample: JoinedSample, remedy: String, effect: String
  ) -> Finding? {
    let longestFirst = stretches.sorted { $1.microseconds < $0.microseconds }
    guard let longest = longestFirst.first else { return nil }
    func count(_ some: [FrozenStretch]) -> Int { some.reduce(0) { $0 + $1.frames.count } }
    func share(_ some: [FrozenStretch]) -> Double { Double(count(some)) / Double(max(1, known)) }
    let seconds = String(format: "%.2g", Double(longest.microseconds) / 1e6)
    return Finding(
      name, share(heavy) >= heavyShare ? .suspect : .note,
      "\(side) stay the same to the last bit for more than 0.2 s in \(count(stretches)) of \(known) frames, for "
        + "\(seconds) s at the longest: \(effect).",
      statistic: "share of frames with the values of the frame before",
      before: share(stretches), n: known, remedy: remedy,
      frames: sample.named(longestFirst.map(\.frames.lowerBound)))
  }

  private static func deadChannels(_ sample: JoinedSample) -> Finding? {
    let pairs = CoefficientPairs(sample)
    let dead = Blendshape.allCases.indices.filter { channel in
      let (labelled, given) = pairs.columns(channel, channel)
      return given.count >= leastFrames && Set(given).count == 1
        && labelled.variance > movingVariance
    }
    guard !dead.isEmpty else { return nil }
    return Finding(
      "recording.dead-channels", .note,
      "\(dead.count) predicted \(dead.count == 1 ? "coefficient never moves" : "coefficients never move") "
        + "while the labelled ones do: " + dead.map { Blendshape.names[$0] }.joined(separator: ", ")
        + ".", statistic: "share of coefficients that move",
      before: 1 - Double(dead.count) / Double(Blendshape.allCases.count), n: pairs.rows.count)
  }
}
