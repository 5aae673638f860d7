internal import FaceCore
internal import Platform

/// The sentences of an explanation, made from its numbers alone.
package struct ExplanationWords: Sendable {
  private let settings: Explanation.Settings
  private let result: Explanation.DetectorResult

  /// Words for what one detector gave with those settings.
  package init(_ settings: Explanation.Settings, _ result: Explanation.DetectorResult) {
    self.settings = settings
    self.result = result
  }

  private static let detection = "min-face-detection-confidence"
  private static let presence = "min-face-presence-confidence"

  /// What became of a candidate, and what would have to change for it to be found.
  package func sentence(of candidate: Explanation.Candidate) -> String {
    let minimum = settings.minFaceDetectionConfidence
    let score = Self.text(candidate.score, apartFrom: minimum)
    let reaches = "score \(score) reaches \(Self.detection) \(minimum.plainText)"
    switch candidate.outcome {
    case .found:
      return "found: \(reaches), \(presence(of: candidate))"
    case .detected:
      return "detected: \(reaches); without a landmark model nothing else is asked"
    case .belowThreshold:
      return "the detector gave \(score), below \(Self.detection) \(minimum.plainText); "
        + "at \(lowerThreshold(for: candidate))\(room(for: candidate, " and ")) "
        + consequence(for: candidate)
    case .suppressed:
      return
        "suppressed by candidate \(candidate.suppressor.map(String.init) ?? "?"): their IoU "
        + "\(Self.text(candidate.overlap ?? .nan, apartFrom: settings.minSuppressionThreshold)) is "
        + "above min-suppression-threshold \(settings.minSuppressionThreshold.plainText)"
    case .beyondNumFaces:
      let better = (candidate.rank ?? 1) - 1
      return
        "\(reaches), but \(better) \(better == 1 ? "detection has" : "detections have") a higher "
        + "one and num-faces is \(settings.numFaces); with\(room(for: candidate, " ")) "
        + consequence(for: candidate)
    case .lowPresence:
      return "detected and given up: \(reaches), \(presence(of: candidate))"
    case .noRegion:
      return "detected and given up: \(reaches), but its region has no size to look at"
    case .notReached:
      return "suppression ended before it: a better box does not overlap itself by more than "
        + "min-suppression-threshold \(settings.minSuppressionThreshold.plainText)"
    }
  }

  /// `presence 0.12 is not above min-face-presence-confidence 0.5`.
  private func presence(of candidate: Explanation.Candidate) -> String {
    guard let presence = candidate.look?.presence else { return "the presence is unknown" }
    let minimum = settings.minFacePresenceConfidence
    return "presence \(Self.text(presence, apartFrom: minimum)) is "
      + "\(presence > minimum ? "" : "not ")above \(Self.presence) \(minimum.plainText)"
  }

  private func lowerThreshold(for candidate: Explanation.Candidate) -> String {
    (candidate.look?.minFaceDetectionConfidence
      ?? Explanation.threshold(reachedBy: candidate.score)).shortText(significantDigits: 12)
  }

  /// How many faces must be asked for, where the candidate needs more than the settings have; else nothing.
  private func room(for candidate: Explanation.Candidate, _ joint: String) -> String {
    let rank = candidate.rank ?? 1
    return rank > settings.numFaces ? "\(joint)num-faces \(rank)" : ""
  }

  /// What would happen to a candidate that the settings leave out, if they were changed for it.
  private func consequence(for candidate: Explanation.Candidate) -> String {
    guard let look = candidate.look, look.region != nil else { return "it would be detected" }
    guard let found = look.presence else {
      return "it would be detected and given up, for its region has no size"
    }
    return found > settings.minFacePresenceConfidence
      ? "it would be found: \(presence(of: candidate))"
      : "it would be detected and given up: \(presence(of: candidate))"
  }

  /// What a detector gave at a place.
  package func sentence(ofPlace found: Explanation.PlaceResult) -> String {
    if let number = found.candidate, let candidate = candidate(number) {
      var text = "candidate \(number): \(sentence(of: candidate))"
      if let suppressor = candidate.suppressor.flatMap(self.candidate) {
        text += "; candidate \(suppressor.number): \(sentence(of: suppressor))"
      }
      return text
    }
    guard let number = found.nearest, let near = candidate(number) else {
      return "no candidate is there or near"
    }
    let score = Self.text(near.score, apartFrom: settings.minFaceDetectionConfidence)
    if let distance = found.distance {
      return "no candidate's box holds the point; the closest centre is \(distance.shortText()) "
        + "pixels away, with a score of \(score) (candidate \(number))"
    }
    return
      "no candidate overlaps the box by an IoU of \(Explanation.Place.minOverlap) or more; the "
      + "largest score of one that touches it is \(score) (candidate \(number), IoU "
      + "\((found.overlap ?? 0).shortText(significantDigits: 2)))"
  }

  private func candidate(_ number: Int) -> Explanation.Candidate? {
    result.candidates.first { $0.number == number }
  }

  /// Three digits, or as many as it takes to tell a number from the limit that it is compared with.
  package static func text(_ value: Double, apartFrom limit: Double) -> String {
    guard value.isFinite, value != limit else { return value.isFinite ? value.plainText : "–" }
    let digits = (3...17).first {
      value.shortText(significantDigits: $0) != limit.shortText(significantDigits: $0)
        && (value.shortText(significantDigits: $0) != "0" || value == 0)
    }
    return value.shortText(significantDigits: digits ?? 17)
  }
}

extension Explanation {
  /// The largest minimum of three digits that a score reaches, in the single precision that it is compared in.
  package static func threshold(reachedBy score: Double) -> Double {
    var scale = 1000.0
    while score * scale < 100, scale < 1e12 { scale *= 10 }
    while scale < 1e12 {
      for rule in [FloatingPointRoundingRule.toNearestOrEven, .down] {
        let threshold = (score * scale).rounded(rule) / scale
        if threshold > 0, Float(threshold) <= Float(score) { return threshold }
      }
      scale *= 10
    }
    return score
  }

  /// The answers: for each place what the settings' detector gave there, and the other one; without places in a word.
  package var sentences: [String] {
    guard let own = detectors.first else { return [] }
    func count(_ result: DetectorResult) -> String {
      let faces = result.faces == 1 ? "1 face" : "\(result.faces.groupedText) faces"
      let detections =
        result.detections == 1 ? "1 detection" : "\(result.detections.groupedText) detections"
      return "\(faces) of \(detections)"
    }
    var sentences = [
      "The \(own.detector) detector and the pipeline after it give \(count(own)) with these settings."
    ]
    for (index, place) in places.enumerated() {
      for result in detectors where result.places.indices.contains(index) {
        let words = ExplanationWords(settings, result)
        let subject = "\(place.name), \(result.detector)"
        sentences.append("\(subject): \(words.sentence(ofPlace: result.places[index])).")
      }
    }
    if places.isEmpty {
      for result in detectors {
        guard let best = result.candidates.first else {
          sentences.append(
            "\(result.detector): no candidate has a score of \(Self.candidateFloor) or more.")
          continue
        }
        let words = ExplanationWords(settings, result)
        sentences.append(
          "best candidate, \(result.detector): \(words.sentence(of: best)).")
      }
    }
    for other in detectors.dropFirst() {
      sentences.append(
        "With --detector \(other.detector) the pipeline gives \(count(other)).")
    }
    return sentences
  }
}
