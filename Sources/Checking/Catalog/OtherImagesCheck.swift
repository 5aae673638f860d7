internal import FaceCore
internal import Platform
package import Records

/// Predictions of other images: of the next one, of another order, or of none that can be told.
package enum OtherImagesCheck: FindingCheck {
  private static let shifted = "images.shifted"
  private static let unrelated = "frames.unrelated"

  package static let names = [shifted, unrelated]

  /// What must be seen: so many labelled faces, the most that are found as things are, and the least in the other images.
  private static let limit = (faces: 10, before: 0.3, after: 0.6)
  /// The same of a part of the images: faces missed, the share of them found, and the most of the others that are found too.
  private static let part = (faces: 20, after: 0.8, others: 0.3)
  /// How far images are tried.
  private static let steps = 5
  /// Frames that are compared with others: the fewest, how often, the most they agree with their own predictions, and the most
  /// that labels agree among themselves.
  /// Fewer videos may be one mistake of the tracker; so many of their frames are then looked for among all. Other conventions are
  /// tried with so many shifts in time, and must find and overlap so much. In fewer frames a tracker whose coefficients correlate
  /// with the labels by .2 to .3 looks alike in up to a third of recordings (simulated).
  private static let chance = (
    frames: 20, rounds: 19, own: 0.3, labels: 0.5, videos: 3, compared: 200, shifts: 10, found: 0.5,
    coefficients: 300
  )

  /// For each still the position of the one whose prediction is its own, as the hypothesis has it.
  private struct Order {
    let summary: String
    let others: [Int?]
  }

  package static func findings(in sample: JoinedSample) -> [Finding] {
    let stills = sample.frames.filter { !$0.isVideo }
    let found = stills.isEmpty ? nil : bestOrder(of: stills, isWhole: sample.isWhole)
    return [found ?? exchangedVideos(in: sample) ?? unrelated(in: sample)].compactMap(\.self)
  }

  // MARK: - Other videos

  /// Whole videos whose predictions are those of another one.
  private static func exchangedVideos(in sample: JoinedSample) -> Finding? {
    guard sample.isWhole else { return nil }
    let videos = Dictionary(grouping: sample.frames.filter(\.isVideo), by: \.frame.sequence)
      .sorted { $0.key < $1.key }.map(\.value)
    let hasBoxes = hasBoxes(sample)
    func agreement(_ labels: [JoinedFrame], _ others: [JoinedFrame]) -> Double {
      guard hasBoxes else {
        return CoefficientFrames(labels, predictions: others).agreement() ?? 0
      }
      let faces = zip(labels, others).flatMap { found($0.labels, by: $1) }
      return faces.count < limit.faces ? 0 : share(faces, \.self)
    }
    let missed = videos.filter { video in
      video.reduce(0) { $0 + $1.labels.count } >= limit.faces
        && agreement(video, video) <= limit.before
    }
    guard (2...Self.mostVideos).contains(missed.count) else { return nil }
    let best = missed.map { video in missed.map { agreement(video, $0) }.max() ?? 0 }
    let exchanged = zip(missed, best).filter { $0.1 >= limit.after }
    guard exchanged.count >= 2 else { return nil }
    let frames = exchanged.compactMap(\.0.first)
    let names = frames.prefix(5).map(\.frame.name).joined(separator: ", ")
    return Finding(
      shifted, .suspect,
      "Predictions of \(exchanged.count) videos agree with the labels of another of them: of \(names).",
      statistic: hasBoxes
        ? "share of labelled faces of these videos found at IoU .50"
        : "mean correlation of coefficients of these videos",
      before: exchanged.reduce(0) { $0 + agreement($1.0, $1.0) } / Double(exchanged.count),
      after: exchanged.reduce(0) { $0 + $1.1 } / Double(exchanged.count),
      n: exchanged.reduce(0) { $0 + $1.0.count },
      remedy: "Give the predictions the names of their own videos, and import them again.",
      frames: frames.map(\.named))
  }

  /// Whether faces can be told by where they are.
  private static func hasBoxes(_ sample: JoinedSample) -> Bool {
    sample.frames.contains { frame in
      !frame.predictedBoxes.isEmpty && frame.labels.contains { $0.box.area > 0 }
    }
  }

  /// Of more videos each is not compared with each.
  private static let mostVideos = 50

  // MARK: - Another order

  private static func bestOrder(of stills: [JoinedFrame], isWhole: Bool) -> Finding? {
    let own = stills.map { found($0.labels, by: $0) }
    let areGiven = stills.map { !$0.predictedBoxes.isEmpty }
    var best: (finding: Finding, after: Double)?
    for order in orders(of: stills, isWhole: isWhole) {
      /// Of each labelled face where it is, whether its own image has it, and whether the other one does.
      let faces = zip(stills.indices, order.others).flatMap { place, other in
        guard let other else { return [(place: Int, own: Bool, other: Bool)]() }
        return zip(own[place], found(stills[place].labels, by: stills[other])).map {
          (place, $0, $1)
        }
      }
      // Where nothing was predicted, as between frames of a video that a tracker looked at, nothing was exchanged.
      let missed = faces.filter { !$0.own && areGiven[$0.place] }
      let kept = faces.filter(\.own)
      let (before, after) = (share(faces, \.own), share(faces, \.other))
      let gained = share(missed, \.other)
      if faces.count >= limit.faces, before <= limit.before, after >= limit.after {
        guard after > best?.after ?? 0 else { continue }
        let frames = stills.filter { !$0.labels.isEmpty }.map(\.named)
        let words = "Predictions agree with the labels of \(order.summary)."
        best = (finding(words, before, after, faces.count, frames), after)
      } else if missed.count >= part.faces, gained >= part.after,
        share(kept, \.other) <= part.others, gained > best?.after ?? 0
      {
        let images = Array(Set(missed.filter(\.other).map(\.place))).sorted()
        let words =
          "Predictions of \(images.count) images, from \(stills[images[0]].frame.name) on, agree with the "
          + "labels of \(order.summary)."
        best = (
          finding(
            words, 0, gained, missed.count, images.prefix(5).map { stills[$0].named },
            of: "share of labelled faces found at IoU .50, of those missed as things are"),
          gained
        )
      }
    }
    return best?.finding
  }

  private static func found(_ labels: [FaceLabel], by other: JoinedFrame) -> [Bool] {
    let boxes = other.predictedBoxes
    return labels.map { $0.box.isFound(among: boxes) }
  }

  /// The share of some that have a property; 0 of none.
  private static func share<Face>(_ faces: [Face], _ has: (Face) -> Bool) -> Double {
    Double(faces.count(where: has)) / Double(max(1, faces.count))
  }

  private static func finding(
    _ summary: String, _ before: Double, _ after: Double, _ count: Int, _ frames: [Finding.Frame],
    of statistic: String = "share of labelled faces found at IoU .50"
  ) -> Finding {
    Finding(
      shifted, .suspect, summary, statistic: statistic, before: before, after: after, n: count,
      remedy:
        "Give the predictions the names or ids of their own images: numbers that count from 0 in place of 1 do this, and files "
        + "listed as 1, 10, 100, 2.",
      frames: frames)
  }

  /// Images earlier and later, and the order of numbers or names as text in place of that of the dataset.
  private static func orders(of stills: [JoinedFrame], isWhole: Bool) -> [Order] {
    let positions = Dictionary(
      stills.enumerated().map { ($0.element.frame.index, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    var orders = (1...steps).flatMap { [-$0, $0] }.map { step in
      let images = abs(step) == 1 ? "one image" : "\(abs(step)) images"
      return Order(
        summary: "\(images) \(step > 0 ? "later" : "earlier")",
        others: stills.map { positions[$0.frame.index - step] })
    }
    guard isWhole else { return orders }
    let texts: [[String]] = [
      stills.map(\.frame.name), stills.indices.map { "\($0)" }, stills.indices.map { "\($0 + 1)" },
    ]
    for texts in texts {
      let order = stills.indices.sorted { (texts[$0], $0) < (texts[$1], $1) }
      guard order != Array(stills.indices) else { continue }
      var places = order
      for (place, image) in order.enumerated() { places[image] = place }
      for others in [places, order] {
        orders.append(
          Order(
            summary:
              "the images in the order of their names or numbers as text (1, 10, 100, 2), not in the dataset's",
            others: others))
      }
    }
    return orders
  }

  // MARK: - No order

  /// Frames that agree with their own predictions no better than with those of other frames.
  private static func unrelated(in sample: JoinedSample) -> Finding? {
    guard hasBoxes(sample) else { return unrelatedCoefficients(in: sample) }
    let frames = sample.frames.filter { !$0.labels.isEmpty && !$0.predictedBoxes.isEmpty }
    guard frames.count >= chance.frames else { return nil }
    let labels = frames.map { $0.labels.map(\.box).filter { $0.area > 0 } }
    let predictions = frames.map(\.predictedBoxes)
    /// The mean of the best overlap of each label with the boxes of the frame `step` later, the first after the last.
    func agreement(_ boxes: [[BoundingBox]], _ step: Int) -> Double {
      var (sum, count) = (0.0, 0)
      for place in labels.indices {
        let others = boxes[(place + step) % boxes.count]
        for label in labels[place] {
          sum += others.reduce(0) { max($0, label.iou(with: $1)) }
          count += 1
        }
      }
      return count == 0 ? 1 : sum / Double(count)
    }
    let steps = (1...chance.rounds).map { $0 * frames.count / (chance.rounds + 1) }
    let own = agreement(predictions, 0)
    guard own <= chance.own else { return nil }
    let others = steps.map { agreement(predictions, $0) }
    guard let most = others.max(), most > 0, own <= most,
      steps.map({ agreement(labels, $0) }).reduce(0, +) <= chance.labels * Double(steps.count),
      CoordinatesCheck.findings(in: sample).isEmpty, TimeShiftCheck.findings(in: sample).isEmpty
    else { return nil }
    if let late = displaced(in: sample) { return late }
    if Set(frames.map(\.frame.sequence)).count < chance.videos, !areElsewhere(labels, predictions) {
      return Finding(
        unrelated, .note,
        "Predictions are on none of the labelled faces, of their own frame or of another: the tracker follows other faces, "
          + "the predictions are of another video, or more than one thing is wrong with their coordinates and times.",
        statistic: "mean IoU of labelled faces with the nearest prediction of their frame",
        before: own, n: frames.count,
        remedy: "Look at some of these frames with both boxes drawn."
          + (sample.format == nil
            ? " Check box, anchors and keypoints in the card of an own detector." : ""),
        frames: frames.prefix(5).map(\.named))
    }
    return Finding(
      unrelated, .suspect,
      "Predictions agree with the labels of their own frames no better than with those of others, of which the "
        + "best of \(chance.rounds) choices has a mean IoU of \(most.shortText()).",
      statistic: "mean IoU of labelled faces with the nearest prediction of their frame",
      before: own,
      n: frames.count,
      remedy:
        "Look at some of these frames with both boxes drawn. "
        + (sample.format == nil
          ? "Check that the labels are those of these images, and box, anchors and keypoints in the card of an own detector."
          : "Check names, ids and order of the predictions' file, and that it is of this dataset."),
      frames: frames.prefix(5).map(\.named))
  }

  /// Coefficients without a place that move with their own labels no more than with those of other frames.
  private static func unrelatedCoefficients(in sample: JoinedSample) -> Finding? {
    let frames = sample.frames.filter { $0.isVideo && $0.prediction.faces.count == 1 }
    let joined = CoefficientFrames(frames, predictions: frames)
    guard let own = joined.agreement(), own <= chance.own else { return nil }
    let others = (1...chance.rounds).map { $0 * joined.count / (chance.rounds + 1) }
      .filter { joined.likeness($0) ?? 1 <= chance.labels }.compactMap { joined.agreement($0) }
    guard 2 * others.count > chance.rounds, let most = others.max(), most > 0, own <= most,
      CoefficientsCheck.findings(in: sample).allSatisfy({ $0.severity == .note }),
      TimeShiftCheck.findings(in: sample).isEmpty
    else { return nil }
    return Finding(
      unrelated, joined.count < chance.coefficients ? .note : .suspect,
      "Predicted coefficients move with the labels of their own frames no more than with those of others, of "
        + "which the best of \(others.count) choices has a mean correlation of \(most.shortText()).",
      statistic: "mean correlation of coefficients", before: own, n: joined.count,
      remedy: "Check that the predictions are of this recording, its take and its times.",
      frames: frames.prefix(5).map(\.named))
  }

  /// Another convention of coordinates that explains videos once their predictions are moved in time, neither of which does alone.
  private static func displaced(in sample: JoinedSample) -> Finding? {
    guard !sample.runs.isEmpty else { return nil }
    let tried = (1...chance.shifts).flatMap { [$0, -$0] }.compactMap { shift in
      ConventionSearch(sample.shifted(by: shift)).best(ofPairs: false).map { (shift, $0.fit) }
    }
    guard let (shift, fit) = tried.max(by: { $0.1.mean < $1.1.mean }),
      fit.share >= chance.found, fit.mean >= chance.found,
      var finding = CoordinatesCheck.findings(in: sample.shifted(by: shift)).first
    else { return nil }
    finding.remedy? +=
      " Predictions come about \(abs(shift)) frames \(shift > 0 ? "late" : "early") too: the check of that import tells "
      + "by how many."
    return finding
  }

  /// Whether half of the labelled faces are where a face of another frame was predicted: in a video a tracker that follows someone
  /// else agrees with its own frames no better than with others either.
  private static func areElsewhere(
    _ labels: [[BoundingBox]], _ predictions: [[BoundingBox]]
  ) -> Bool {
    let all = predictions.flatMap(\.self)
    let step = max(1, labels.count / chance.compared)
    let known = stride(from: 0, to: labels.count, by: step).flatMap { labels[$0] }
    return 2 * known.count { $0.isFound(among: all) } >= known.count
  }
}
