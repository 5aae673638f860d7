package import Datasets
package import FaceCore
package import FacePipeline
internal import Imaging
package import Profiling

/// Decodes and analyses one frame after another, with buffers and a tracking state of its own.
package final class FrameWorker {
  private let stills: FaceLandmarker
  /// Nil in image and live mode.
  private let clips: FaceLandmarker?
  private let rotationDegrees: Int
  private let minDecodedSide: Int?
  private var pixels = PixelBuffer()
  /// The times of the frame that was analysed last.
  package private(set) var timer = StageTimer(stages: PipelineStage.names)
  /// The landmarker's output for that frame; its storage is reused for the next one.
  package private(set) var result = FaceLandmarkerResult()

  /// Prepares to work on frames as a plan has it.
  package init(_ plan: RunPlan, models: FaceLandmarkerModels) throws {
    let settings = plan.settings
    var single = settings
    single.runningMode = .image
    stills = try FaceLandmarker(models, options: single)
    clips = settings.runningMode == .video ? try FaceLandmarker(models, options: settings) : nil
    rotationDegrees = plan.rotationDegrees
    minDecodedSide = plan.minDecodedSide
  }

  /// How much of each frame is measured.
  package var detail: StageTimer.Detail {
    get { timer.detail }
    set { timer.detail = newValue }
  }

  /// What the next frame of a video starts from.
  package var trackingState: TrackingState {
    get { clips?.trackingState ?? TrackingState() }
    set { clips?.trackingState = newValue }
  }

  /// Runs the pipeline on an even grey image, so that the first frame is as warm as the second.
  func warmUp() throws {
    let grey = PixelBuffer(width: 640, height: 480, color: RGB(128, 128, 128))
    for index in 0..<5 {
      let frame = Frame(
        index: 0, name: "", sequence: 0, timestampMicroseconds: Int64(index), size: grey.size)
      _ = try analyse(.pixels(grey), frame: frame, isTracked: clips != nil)
    }
    trackingState = TrackingState()
  }

  /// The prediction of a frame; throws `ImageError` where the image is broken.
  ///
  /// A still is analysed as in image mode, whatever the mode is.
  func analyse(
    _ image: StoredImage, frame: Frame, isTracked: Bool
  ) throws -> FramePrediction {
    try detect(image, frame: frame, isTracked: isTracked)
    return result.prediction(frame: frame.index, stageNanoseconds: timer.nanoseconds)
  }

  /// Puts the landmarker's output for a frame into `result`, timed; throws as `analyse` does.
  package func detect(_ image: StoredImage, frame: Frame, isTracked: Bool) throws {
    timer.beginFrame()
    switch image {
    case .encoded(let bytes):
      try timer.measure(.decode) { () throws(ImageError) in
        try pixels.decode(bytes[...], minSide: minDecodedSide)
      }
    case .pixels(let stored): pixels = stored
    }
    if isTracked, let clips {
      try clips.detect(
        pixels, timestampMicroseconds: frame.timestampMicroseconds,
        rotationDegrees: rotationDegrees, into: &result, timer: &timer)
    } else {
      try stills.detect(pixels, rotationDegrees: rotationDegrees, into: &result, timer: &timer)
    }
    timer.recordTotal(as: PipelineStage.total.rawValue)
  }
}
