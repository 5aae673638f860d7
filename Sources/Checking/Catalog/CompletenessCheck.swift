internal import FaceCore
internal import Metrics
package import Records

/// Faces that one side leaves out by rule: images that are not labelled yet, and one face of several.
///
/// No number is wrong then, but it does not say what it seems to.
package enum CompletenessCheck: FindingCheck {
  static let atMost = "faces.at-most"
  package static let names = ["faces.unlabelled", "faces.one-labelled", atMost]

  /// When a finding is one.
  private enum Limit {
    /// Faces and frames that make it more than chance.
    static let faces = 20, frames = 10
    /// The share of unlabelled frames in which faces are found, how many times the share of labelled ones it is in which others
    /// are, and that share itself where one face is labelled.
    static let found = 0.5, times = 3.0, others = 0.1
  }

  package static func findings(in sample: JoinedSample) -> [Finding] {
    guard sample.isLabelled else { return [] }
    let all = sample.frames.compactMap { Seen($0) }
    // What else is in a frame whose faces are not labelled is neither right nor wrong.
    let frames = all.filter { !$0.isUnlabelled }
    let right = frames.flatMap(\.right).sorted()
    var found = [atMost(all, sample)]
    if right.count >= Limit.faces {
      let usual = sample.hasScores ? right[right.count / 4] : -.infinity
      found += [unlabelled(frames, usual), oneLabelled(frames, usual)]
    }
    return found.compactMap(\.self)
  }

  /// Frames without a label in most of which a face is found, where hardly one but the labelled ones is in the others.
  private static func unlabelled(_ frames: [Seen], _ usual: Double) -> Finding? {
    let empty = frames.filter(\.isEmpty)
    let found = empty.filter { $0.hasOther(from: usual) }
    let labelled = frames.filter { !$0.isEmpty }
    let others = labelled.count { $0.hasOther(from: usual) }
    guard found.count >= Limit.frames, !labelled.isEmpty else { return nil }
    let share = Double(found.count) / Double(empty.count)
    let usualShare = Double(others) / Double(labelled.count)
    guard share >= Limit.found, share >= Limit.times * usualShare else { return nil }
    return Finding(
      names[0], .note,
      "No face is labelled in \(empty.count) of \(frames.count) frames, and the tracker finds faces in "
        + "\(found.count) of these, as surely as labelled ones: each counts as false.",
      statistic: "share of frames without a label in which a face is found", before: share,
      n: empty.count,
      remedy:
        "If these frames are not labelled yet, make a dataset of the others with 'facegauge subset' and "
        + "--where 'faces>0', and track or import that.",
      frames: found.map(\.named))
  }

  /// One labelled face in each frame, where the tracker finds others too.
  private static func oneLabelled(_ frames: [Seen], _ usual: Double) -> Finding? {
    let labelled = frames.filter { !$0.isEmpty }
    guard labelled.allSatisfy({ $0.given == 1 }) else { return nil }
    let others = labelled.filter { !$0.right.isEmpty && $0.hasOther(from: usual) }
    let share = Double(others.count) / Double(max(1, labelled.count))
    guard others.count >= Limit.frames, share >= Limit.others else { return nil }
    return Finding(
      names[1], .note,
      "No frame has more than one labelled face, and in \(others.count) of \(labelled.count) the tracker finds another, "
        + "as surely as labelled ones: each counts as false.",
      statistic: "share of frames in which it finds a face that is not labelled", before: share,
      n: labelled.count,
      remedy:
        "If one person of several is labelled, read recall, landmarks and tracking, not precision and "
        + "average precision. Labels of the others, which may be marked to be ignored, make these count.",
      frames: others.map(\.named))
  }

  /// A tracker that gives out so many faces and no more, where more are labelled.
  private static func atMost(_ frames: [Seen], _ sample: JoinedSample) -> Finding? {
    guard sample.format != nil, let most = frames.map(\.detections).max(), most > 0 else {
      return nil
    }
    let crowded = frames.filter { $0.labelled > most }
    let beyond = crowded.reduce(0) { $0 + $1.labelled - most }
    let full = crowded.count { $0.detections == most }
    guard crowded.count >= Limit.frames, beyond >= Limit.faces, 2 * full >= crowded.count else {
      return nil
    }
    let all = frames.reduce(0) { $0 + $1.labelled }
    return Finding(
      atMost, .note,
      "The tracker gives out at most \(most) face\(most == 1 ? "" : "s") in a frame, and "
        + "\(crowded.count) frames have more labelled ones: \(beyond) of \(all) labelled faces cannot be found.",
      statistic: "highest recall that is possible", before: 1 - Double(beyond) / Double(all),
      n: all,
      remedy:
        "Let the tracker look for more faces, as num_faces of MediaPipe does. Or measure it on frames with as many: "
        + "make a dataset of them with 'facegauge subset' and --where 'faces<=\(most)', and track or import that.",
      frames: crowded.map(\.named))
  }

  /// What a frame has on both sides.
  private struct Seen {
    let named: Finding.Frame
    /// Labels that count, and all of them.
    let labelled: Int, given: Int
    /// Whether nothing at all is labelled in it.
    let isEmpty: Bool
    /// Whether it is left out, as those between the labelled frames of a clip are.
    let isUnlabelled: Bool
    let detections: Int
    /// The scores of right detections, and of wrong ones that are away from every label.
    let right: [Double], apart: [Double]

    init?(_ joined: JoinedFrame) {
      let labels = joined.labels + joined.ignored
      let detections = joined.prediction.detections
      guard let outcome = joined.outcome else { return nil }
      (named, labelled, given) = (joined.named, joined.labels.count, labels.count)
      isEmpty = labels.isEmpty && joined.others.isEmpty
      isUnlabelled = joined.isUnlabelled
      self.detections = detections.count
      right = outcome.matches.map { detections[$0.detection].score }
      apart = outcome.falsePositives.map { detections[$0] }
        .filter { wrong in !labels.contains { $0.box.intersection(with: wrong.box) > 0 } }
        .map(\.score)
    }

    /// Whether the tracker finds a face that is not labelled, with a score of at least this.
    func hasOther(from score: Double) -> Bool { apart.contains { $0 >= score } }
  }
}
