internal import FaceCore
internal import Foundation
internal import Platform

/// What an export writes: a dataset's labels, or a tracker's output for its frames.
package struct ExportSource {
  /// The dataset, which names the frames.
  package let dataset: DatasetReader
  /// The tracker's output; nil for the labels.
  package let predictions: PredictionsReader?
  private let hasPoints: Bool

  /// Chooses what is written; throws `.wrongData` for a dataset without labels and for predictions of other frames.
  init(
    _ dataset: DatasetReader, _ predictions: PredictionsReader?, hasPoints: Bool
  ) throws(FileError) {
    (self.dataset, self.predictions, self.hasPoints) = (dataset, predictions, hasPoints)
    if let predictions {
      guard predictions.frameCount == dataset.frameCount else {
        throw FileError.wrongData(
          "cannot export \(predictions.url.relativePath): expected predictions of "
            + "\(dataset.frameCount) frames of \(dataset.url.relativePath), found "
            + "\(predictions.frameCount)")
      }
    } else if !dataset.isLabelled {
      throw FileError.wrongData(
        "cannot export \(dataset.url.relativePath): expected labels, found a dataset without; every "
          + "image would count as one without faces")
    }
  }

  /// Whether the faces are a tracker's.
  var isPredictions: Bool { predictions != nil }

  /// The schemes of points.
  var schemes: [LandmarkScheme] {
    guard hasPoints else { return [] }
    guard let predictions else { return dataset.schemes }
    if showsDetections { return [.blazeface6] }
    return predictions.scheme.map { [$0] } ?? []
  }

  /// The scheme of points that is written where a format has one for all faces; nil for none.
  var exportedScheme: LandmarkScheme? { PointNames.exported.first(where: schemes.contains) }

  /// Whether the tracker has a detector only, whose detections are its faces.
  private var showsDetections: Bool {
    predictions.map { $0.faceCount == 0 && $0.rejectedCount == 0 && $0.detectionCount > 0 } ?? false
  }

  /// The next frames to read together.
  func range(from start: Int) throws(FileError) -> Range<Int> {
    let range = try dataset.range(from: start, atMost: 256)
    return predictions?.part(of: range) ?? range
  }

  /// The faces of each frame of a range.
  func faces(_ range: Range<Int>) throws(FileError) -> [[FaceLabel]] {
    guard !hasPoints else { return try whole(range) }
    return try whole(range).map { faces in
      faces.map { face in
        var face = face
        face.landmarks = []
        return face
      }
    }
  }

  private func whole(_ range: Range<Int>) throws(FileError) -> [[FaceLabel]] {
    guard let predictions else { return try dataset.labels(range) }
    return try predictions.predictions(range).map { frame in
      showsDetections ? frame.detections.map(FaceLabel.init) : frame.faces.map(FaceLabel.init)
    }
  }

  /// What no format has a place for, other than frames and faces, with counts.
  var losses: [(what: String, count: Int)] {
    guard let predictions else { return [] }
    let hidden = showsDetections || !predictions.header.facts.contains(.detectorBoxes)
    return [
      ("detections (the faces are written)", hidden ? 0 : predictions.detectionCount),
      ("candidates of the detector", predictions.candidateCount),
      ("regions rejected for lack of presence", predictions.rejectedCount),
      ("broken and dropped frames", predictions.brokenCount + predictions.droppedCount),
      (
        "regions, tracking states and times of the pipeline",
        predictions.header.models.isEmpty ? 0 : predictions.faceCount
      ),
    ].filter { $0.1 > 0 }
  }
}

extension FaceLabel {
  /// A face of a tracker as a label with its score.
  fileprivate init(_ face: FacePrediction) {
    self.init(
      box: face.box ?? BoundingBox(x: 0, y: 0, width: 0, height: 0), identity: face.identity)
    score = (face.detectionScore ?? face.presence).map(Double.init)
    takeAttributes(of: face)
    if let presence = face.presence, let score = face.detectionScore, presence != score {
      attributes["presence"] = Double(presence)
    }
    guard let scheme = face.scheme else { return }
    let points = face.points.map { Point(x: Double($0.x), y: Double($0.y)) }
    let states = face.points.indices.map { index -> PointVisibility in
      guard points[index].x.isFinite, points[index].y.isFinite else { return .notLabelled }
      return face.hiddenPoints?[index] == true ? .occluded : .visible
    }
    let depths = face.points.map { Double($0.z) }
    landmarks =
      Landmarks(
        scheme: scheme, points: points, visibility: states,
        depths: depths.contains(where: \.isFinite) ? depths : nil
      ).map { [$0] } ?? []
  }

  /// A detection as a label with its score.
  fileprivate init(_ detection: FaceDetection) {
    self.init(box: detection.box)
    score = detection.score
    landmarks =
      Landmarks(scheme: .blazeface6, points: detection.keypoints).map { [$0] } ?? []
  }
}
