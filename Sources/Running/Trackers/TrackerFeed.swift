package import Datasets
package import FaceCore
internal import Foundation
internal import Imaging

/// Hands the frames of a dataset to trackers, each in the way that it takes them.
package struct TrackerFeed {
  let dataset: DatasetReader
  /// Whether videos are tracked; else each frame is a single image.
  let isVideo: Bool
  /// Whether answers may leave out what is found.
  package var timesOnly = false
  /// The way that frames come; nil means the tracker's preferred one.
  var input: TrackerHello.Input?
  private var rgb: (frame: Int, image: Result<PixelBuffer, ImageError>)?

  package init(_ dataset: DatasetReader, isVideo: Bool, input: TrackerHello.Input? = nil) {
    self.dataset = dataset
    self.isVideo = isVideo
    self.input = input
  }

  /// Throws where a tracker does not take frames in the way that was asked for.
  package func check(_ tracker: TrackerProcess) throws(EvaluationError) {
    guard let input, !tracker.hello.inputs.contains(input) else { return }
    throw EvaluationError.wrongData(
      "cannot track with '\(tracker.command)': expected a tracker that takes frames as "
        + "\(input.rawValue) (--input), found one that takes them as "
        + tracker.hello.inputs.map(\.rawValue).joined(separator: " or "))
  }

  /// How frames come to a tracker.
  func way(to tracker: TrackerProcess) -> TrackerHello.Input { input ?? tracker.hello.inputs[0] }

  /// The answer to a frame; nil and the reason where its image is broken.
  ///
  /// Decoding for trackers that take pixels happens before they are asked, once a frame.
  package mutating func ask(
    _ tracker: TrackerProcess, _ frame: Frame, isFirst: Bool
  ) throws -> (answer: TrackerAnswer?, broken: String?) {
    var request = TrackerRequest(
      frame: frame.index, reset: isFirst,
      video: isVideo && dataset.kind(ofSequence: frame.sequence) == .video,
      timestampMicroseconds: frame.timestampMicroseconds, width: frame.size.width,
      height: frame.size.height)
    request.timesOnly = timesOnly ? true : nil
    var bytes: ArraySlice<UInt8> = []
    switch way(to: tracker) {
    case .dataset: request.dataset = dataset.url.standardizedFileURL.path
    case .image:
      guard case .encoded(let file) = try dataset.image(frame.index) else {
        throw tracker.wrong(
          frame.index, "a dataset of image files (--input rgb sends decoded pixels)",
          "one of decoded pixels")
      }
      bytes = file
      request.imageBytes = file.count
    case .rgb:
      switch try pixels(of: frame) {
      case .failure(let error):
        // It hears of the new sequence with the first frame that it gets.
        tracker.owesReset = tracker.owesReset || isFirst
        return (nil, error.description)
      case .success(let pixels):
        (request.width, request.height) = (pixels.width, pixels.height)
        request.rgbBytes = pixels.bytes.count
        bytes = pixels.bytes[...]
      }
    }
    request.reset = isFirst || tracker.owesReset
    tracker.owesReset = false
    let answer = try tracker.analyse(request, bytes: bytes)
    if let error = answer.error { return (nil, error) }
    return (answer, nil)
  }

  /// Keeps a frame's pixels for the next `ask`.
  mutating func keep(_ image: Result<PixelBuffer, ImageError>, of frame: Frame) {
    rgb = (frame.index, image)
  }

  private mutating func pixels(of frame: Frame) throws -> Result<PixelBuffer, ImageError> {
    if let rgb, rgb.frame == frame.index { return rgb.image }
    let stored = try dataset.image(frame.index)
    let image = Result { () throws(ImageError) in try stored.decoded() }
    rgb = (frame.index, image)
    return image
  }
}
