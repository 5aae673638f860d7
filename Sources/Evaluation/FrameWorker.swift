internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Profiling

/// Decodes and analyses one frame after another, with buffers of its own.
final class FrameWorker {
  /// The timed stages, in the order of the predictions file.
  static let stages = [
    "decode", "detect.preprocess", "detect.infer", "detect.decode", "total",
  ]

  private let detector: FaceDetector
  private let options: DetectorOptions
  private let floor: Float
  private var pixels = PixelBuffer()
  private var timer = StageTimer(stages: FrameWorker.stages)

  init(detector: FaceDetector, options: DetectorOptions, floor: Double) {
    self.detector = detector
    self.options = options
    self.floor = Float(floor)
  }

  /// Runs the pipeline on an even grey picture, so that the first frame is as warm as the second.
  func warmUp() throws {
    let grey = PixelBuffer(width: 640, height: 480, color: RGB(128, 128, 128))
    for _ in 0..<5 { _ = try analyse(.pixels(grey), frame: 0) }
  }

  /// The prediction of a frame; throws `PictureError` where the picture is broken.
  func analyse(_ picture: StoredPicture, frame: Int) throws -> FramePrediction {
    timer.beginFrame()
    switch picture {
    case .encoded(let bytes):
      try timer.measure(0) { () throws(PictureError) in
        try pixels.decode(bytes.span)
      }
    case .pixels(let stored): pixels = stored
    }
    let projection = try timer.measure(1) { try detector.prepare(pixels) }
    timer.measure(2) { detector.infer() }
    let size = pixels.size
    let (candidates, faces) = timer.measure(3) {
      let candidates = detector.candidates(floor: floor)
      let faces = detector.decoder.normalizedDetections(
        from: candidates, projection: projection,
        threshold: options.minFaceDetectionConfidence,
        overlap: options.minSuppressionThreshold
      )
      .prefix(options.numFaces).map { $0.inPixels(of: size) }
      return (candidates, faces)
    }
    let total = timer.elapsed()
    var times = timer.nanoseconds
    times[4] = total
    return FramePrediction(
      frame: frame, size: size, stageNanoseconds: times, detections: faces, candidates: candidates)
  }
}
