internal import Datasets
internal import FaceCore
package import Foundation
internal import Metrics
internal import Platform
package import Records
internal import Running

/// A recorded session of drawing with a fingertip on a plane, read from JSON; the guide describes the format.
package struct DrawingSession: Sendable {
  /// What the session is called.
  package let name: String
  /// The drawing plane, then the others.
  private let planes: [Plane]
  private let reference: [SIMD3<Double>]
  private let frames: [Frame]

  /// A frame with the fingertip in pixels of the captured image; the camera is known wherever there is one.
  struct Frame {
    var camera: PinholeCamera?
    var fingertip: Point?
  }

  /// Where fingertips come from that the file has none of: a run on a recorded session.
  package struct Source: Sendable {
    /// The folder of the run.
    package var run: URL
    /// The dataset, in place of that of the run's record.
    package var dataset: URL?
    /// Index of the point of a face that is the fingertip; nil for the centre of its box.
    package var point: Int?

    /// Names a run.
    package init(run: URL, dataset: URL? = nil, point: Int? = nil) {
      (self.run, self.dataset, self.point) = (run, dataset, point)
    }
  }

  /// Maximum number of frames, and of points of the reference, in a session.
  static let maxEntries = 20_000

  /// Reads a file; throws if it is missing or does not follow the format, or has frames although a source is given.
  package init(_ url: URL, fingertips source: Source? = nil) throws {
    let root = try JSONNode(
      InputFile.bytes(of: url), source: url.relativePath,
      header: JSONHeader("facegauge.drawing", version: 1),
      keys: ["plane", "reference"], optional: ["name", "planes", "display", "frames"])
    name = try root["name"].given?.text() ?? url.deletingPathExtension().lastPathComponent
    let position = try DrawingReader.plane(root["plane"])
    let others = try root["planes"].given?.items(0...1000, of: "planes") ?? []
    planes =
      try [position.plane]
      + others.map { (node) throws(FileError) in try DrawingReader.plane(node).plane }
    reference = try DrawingReader.reference(root["reference"], on: position)
    let display = try root["display"].given.map(DisplayMapping.init)
    guard let source else {
      frames = try DrawingReader.frames(root["frames"], display)
      return
    }
    for key in ["frames", "display"] where root[key].isGiven {
      throw root[key].wrong("nothing, as fingertips and cameras are those of the run")
    }
    frames = try source.frames()
  }

  /// How many frames there are.
  package var frameCount: Int { frames.count }

  /// The metrics of `drawing.…`.
  package func measurements() throws -> [Records.Measurement] {
    var path = DrawnPath(along: reference)
    for (index, frame) in frames.enumerated() {
      try path.add(frame: index, fingertip: frame.fingertip, camera: frame.camera, planes: planes)
    }
    return path.summarize()
  }
}

extension DrawingSession.Source {
  /// The fingertip of each frame's first face, with the camera that the dataset has for the frame.
  fileprivate func frames() throws -> [DrawingSession.Frame] {
    let stored = try StoredRun(run)
    let dataset = try DatasetReader(try stored.dataset(dataset))
    let opened = try stored.opened(for: dataset)
    try stored.check(dataset, to: "measure", .silent)
    func wrong(_ expected: String, _ found: String) -> EvaluationError {
      EvaluationError.wrongData(
        "cannot read fingertips of \(run.relativePath): expected \(expected), found \(found)")
    }
    guard dataset.sequences.count == 1, dataset.kind(ofSequence: 0) == .video else {
      throw wrong("a dataset of one video", "\(dataset.sequenceCount) sequences")
    }
    guard dataset.frameCount <= DrawingSession.maxEntries else {
      throw wrong("\(DrawingSession.maxEntries) frames or fewer", "\(dataset.frameCount)")
    }
    var frames: [DrawingSession.Frame] = []
    for range in try PredictionPass.ranges(of: 0..<dataset.frameCount, nil, [opened.predictions]) {
      let contexts = try dataset.contexts(range)
      let predictions = try opened.predictions.predictions(range)
      for (offset, frame) in range.enumerated() {
        let face = opened.tracker.counted(predictions[offset]).faces.first
        let fingertip = try face.flatMap { face in
          guard let point else { return face.box?.center }
          guard point < face.points.count else {
            throw wrong("faces with point \(point)", "one of \(face.points.count) points")
          }
          let position = face.points[point]
          guard position.x.isFinite, position.y.isFinite else { return nil }
          return Point(x: Double(position.x), y: Double(position.y))
        }
        let camera = PinholeCamera(contexts[offset])
        guard fingertip == nil || camera != nil else {
          throw wrong(
            "the camera's transform and intrinsics in each frame", "frame \(frame) without them")
        }
        frames.append(.init(camera: camera, fingertip: fingertip))
      }
    }
    return frames
  }
}

extension PinholeCamera {
  /// The camera of a frame; nil where its transform or its intrinsics are not known.
  fileprivate init?(_ context: FrameContext) {
    guard let own = context.cameraTransform, let intrinsics = context.intrinsics else { return nil }
    func column(_ index: Int) -> SIMD3<Double> { SIMD3(own[index], own[4 + index], own[8 + index]) }
    self.init(
      position: column(3), right: column(0), up: column(1), back: column(2),
      focalLength: SIMD2(intrinsics[0], intrinsics[4]),
      principalPoint: Point(x: intrinsics[2], y: intrinsics[5]))
  }
}
