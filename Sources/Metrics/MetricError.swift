internal import FaceCore
internal import Platform

/// Input that does not apply in a measurement: what was done, with what, expected, found, where.
package struct MetricError: DataError, Hashable {
  /// One line for people.
  package let description: String

  private init(_ description: String) {
    self.description = description
  }

  static func repeatedFrame(_ frame: Int, in metric: String) -> MetricError {
    MetricError("cannot add frame \(frame) to \(metric): expected each frame once, found it twice")
  }

  static func flagCount(_ flags: Int, points: Int, frame: Int) -> MetricError {
    MetricError(
      "cannot add frame \(frame) to landmarks.visibility: expected a flag for each of \(points) points, "
        + "found \(flags)")
  }

  static func malformedBox(_ box: BoundingBox, of what: String, frame: Int) -> MetricError {
    MetricError(
      "cannot match the boxes of frame \(frame): expected finite numbers and sides of 0 or more, "
        + "found x \(box.x), y \(box.y), width \(box.width), height \(box.height) at \(what)")
  }

  static func malformedArea(_ area: Double, label: Int, frame: Int) -> MetricError {
    MetricError(
      "cannot match the boxes of frame \(frame): expected an area of 0 or more, "
        + "found \(area) at label \(label)")
  }

  static func malformedScore(_ score: Double, detection: Int, frame: Int) -> MetricError {
    MetricError(
      "cannot match the boxes of frame \(frame): expected a finite score, "
        + "found \(score) at detection \(detection)")
  }

  static func detectionLimitsDiffer(_ limit: Int, _ other: Int) -> MetricError {
    MetricError(
      "cannot merge average precision: expected at most \(limit) detections of an image, found "
        + "\(other)")
  }

  static let referencesDiffer = MetricError(
    "cannot merge drawn paths: expected the same reference path, found another")

  static func overlapsDiffer(_ iou: Double, _ other: Double) -> MetricError {
    MetricError("cannot merge detections: expected matches at IoU \(iou), found \(other)")
  }

  static func categoryCount(_ count: Int, detections: Int, frame: Int) -> MetricError {
    MetricError(
      "cannot match the boxes of frame \(frame): expected a category for each of "
        + "\(detections) detections, found \(count)")
  }

  static func pairCount(limit: Int, frame: Int) -> MetricError {
    MetricError(
      "cannot match the faces of frame \(frame): expected at most \(limit) pairs of boxes that "
        + "overlap, found more")
  }

  static func overLimit(_ count: Int, limit: Int, frame: Int) -> MetricError {
    MetricError(
      "cannot add frame \(frame) to the operating point: expected at most numFaces = \(limit) "
        + "detections, found \(count)")
  }

  static func limitsDiffer(_ limit: Int, _ other: Int) -> MetricError {
    MetricError("cannot merge operating points: expected numFaces = \(limit), found \(other)")
  }

  static func negativeDuration(_ nanoseconds: Int64, stage: String, frame: Int) -> MetricError {
    MetricError(
      "cannot add the latency of stage '\(stage)' in frame \(frame): expected 0 ns or more, "
        + "found \(nanoseconds) ns")
  }

  static func unknownStage(_ stage: String, known: [String], frame: Int) -> MetricError {
    MetricError(
      "cannot add the latency of frame \(frame): expected a stage of "
        + "\(known.joined(separator: ", ")), found '\(stage)'")
  }

  static func repeatedSample(stage: String, frame: Int) -> MetricError {
    MetricError(
      "cannot add the latency of stage '\(stage)' in frame \(frame): "
        + "expected one sample a frame, found another")
  }

  static func stagesDiffer(_ stages: [String], _ other: [String]) -> MetricError {
    MetricError(
      "cannot merge latencies: expected the stages \(stages.joined(separator: ", ")), "
        + "found \(other.joined(separator: ", "))")
  }

  static func otherScheme(_ found: String, expected: String, frame: Int) -> MetricError {
    MetricError(
      "cannot compare the landmarks of frame \(frame): expected the scheme \(expected), "
        + "found \(found)")
  }

  static func schemesDiffer(_ scheme: String, _ other: String) -> MetricError {
    MetricError("cannot merge landmark errors: expected the scheme \(scheme), found \(other)")
  }

  static func lossesDiffer(_ frames: Int, _ other: Int) -> MetricError {
    MetricError("cannot merge tracking: expected losses of \(frames) frames, found \(other)")
  }

  static func rulesDiffer(_ names: [String], _ other: [String]) -> MetricError {
    MetricError(
      "cannot merge expressions: expected the rules \(names.joined(separator: ", ")), found "
        + (names == other ? "others of the same names" : other.joined(separator: ", ")))
  }

  static func repeatedPair(_ pair: Int) -> MetricError {
    MetricError("cannot add pair \(pair) to similarity: expected each pair once, found it twice")
  }

  static func malformedSimilarity(_ score: Double, pair: Int) -> MetricError {
    MetricError("cannot add pair \(pair) to similarity: expected a finite score, found \(score)")
  }
}
