import Datasets
import FaceCore
import Foundation
import Running
import Synchronization
import TestSupport

/// Tests over a dataset of stored frames and the predictions of them.
protocol StoredFramesSuite {
  var folder: TemporaryFolder { get }
}

extension StoredFramesSuite {
  var dataset: URL { folder.file("d.h5") }
  var predictions: URL { folder.file("p.h5") }
}

/// A frame without an image: labelled squares, and another tracker's faces with scores of their own.
struct StoredFrame {
  /// Left edges of the labelled squares.
  var labels: [Int]
  /// The expressions of the labels; fewer where the rest has none.
  var expressions: [String] = []
  /// The coefficients of the labels; fewer where the rest has none.
  var blendshapes: [[Float]] = []
  /// What the tracker gave out.
  var faces: [FacePrediction] = []
  /// Who is shown; empty for nobody known.
  var subject = ""

  init(labels: [Int]) { self.labels = labels }

  /// Side of the squares in pixels.
  static let side = 16.0

  private var faceLabels: [FaceLabel] {
    labels.enumerated().map { index, x in
      var label = FaceLabel(
        box: BoundingBox(x: Double(x), y: 0, width: Self.side, height: Self.side))
      label.expression = index < expressions.count ? expressions[index] : nil
      label.blendshapes = index < blendshapes.count ? blendshapes[index] : nil
      return label
    }
  }

  /// Writes a dataset of the frames, and the predictions; frames of one subject follow one another.
  ///
  /// A video is cut into clips of so many frames.
  static func write(
    _ frames: [StoredFrame], dataset: URL, predictions: URL, isVideo: Bool = false,
    clipFrames: Int = .max, tracker: String = "theirs"
  ) throws {
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    var subject = ""
    for (index, frame) in frames.enumerated() {
      if isVideo, index.isMultiple(of: clipFrames) {
        writer.beginSequence(
          SequenceDescription(name: "clip \(index)", kind: .video, framesPerSecond: 30))
      }
      if frame.subject != subject {
        subject = frame.subject
        writer.beginSequence(
          SequenceDescription(name: subject, kind: .still, subject: subject))
      }
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(index) * 33_333, faces: frame.faceLabels)
    }
    try writer.finish()
    let reader = try DatasetReader(dataset)
    try? FileManager.default.removeItem(at: predictions)
    let target = try PredictionsWriter(
      predictions,
      header: PredictionsHeader(
        datasetName: "d", datasetSHA256: try RunMonitor.silent.hash(reader), datasetPath: "",
        mode: isVideo ? "video" : "image", models: [], candidateFloor: 0, stages: ["total"],
        options: ["tracker": tracker], facts: [.detectorBoxes]))
    for (index, frame) in frames.enumerated() {
      try target.add(
        FramePrediction(
          frame: index, size: ImageSize(width: 640, height: 480), stageNanoseconds: [nil],
          detections: frame.faces.compactMap { face in
            face.ownBox.map { FaceDetection(box: $0, score: Double(face.detectionScore ?? 1)) }
          }.sorted { $0.score > $1.score }, candidates: [], faces: frame.faces))
    }
    try target.finish()
  }
}

extension FacePrediction {
  /// A square of the side of the labels, without points.
  static func square(x: Int, y: Int, score: Float?, presence: Float?) -> FacePrediction {
    FacePrediction(
      region: nil, isTracked: false, detectionScore: score, presence: presence, scheme: nil,
      points: [],
      ownBox: BoundingBox(
        x: Double(x), y: Double(y), width: StoredFrame.side, height: StoredFrame.side))
  }
}

/// How many steps a phase has made.
final class StepCount: Sendable {
  private let state = Mutex<(count: Int, isCounting: Bool)>((0, false))

  /// Steps of the phase that counts.
  var value: Int { state.withLock { $0.count } }

  /// Begins a phase.
  func reset(isCounting: Bool) { state.withLock { $0.isCounting = isCounting } }

  /// Adds steps of the present phase.
  func add(_ steps: Int) { state.withLock { $0.count += $0.isCounting ? steps : 0 } }
}
