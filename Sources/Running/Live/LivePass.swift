internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Imaging

/// How live mode keeps up with its clock.
package enum LiveEvent {
  /// A frame was offered so many nanoseconds after it was due.
  case offered(nanosecondsLate: UInt64)
  /// A frame was not decoded when the next one was due.
  case passedOver
  /// The last result of a clip came so many nanoseconds after its last frame was due.
  case ended(nanosecondsLate: UInt64)
}

/// Offers the frames of videos at their own times, as a camera does, and keeps what comes back.
///
/// Stills are analysed one by one and none is dropped.
struct LivePass {
  let pass: PredictionPass
  let dataset: DatasetReader

  /// Runs over all frames; returns those whose images are broken. `hear` hears how well the clock is kept.
  func run(_ hear: (LiveEvent) -> Void) throws -> [PredictionPass.BadFrame] {
    let plan = pass.plan
    var bad: [PredictionPass.BadFrame] = []
    var segments = SegmentWriter(folder: pass.folder, header: pass.header)
    func keep(_ prediction: FramePrediction) throws {
      try segments.add(prediction)
      let next = prediction.frame + 1
      if next % SegmentWriter.length == 0 || next == dataset.frameCount {
        try segments.finishSegment(state: nil)
      }
      pass.monitor.advance(by: 1)
    }
    func count(_ frame: Int, _ error: ImageError) throws {
      bad.append(PredictionPass.BadFrame(frame: frame, reason: error.description))
      try plan.checkBad(bad, of: dataset)
    }
    let stills = try FrameWorker(plan, models: pass.models)
    try stills.warmUp()
    let frames = FrameCursor(dataset)
    while let frame = try frames.peek() {
      try pass.monitor.check(after: frame.index, of: dataset.frameCount)
      if plan.isTracked(frame, in: dataset) {
        let clip = try LiveClip(plan, of: dataset, models: pass.models, monitor: pass.monitor)
        try clip.run(frames, hear: hear, keep: keep, broken: count)
        continue
      }
      _ = try frames.take(of: frame.sequence)
      do {
        try keep(stills.analyse(dataset.image(frame.index), frame: frame, isTracked: false))
      } catch let error as ImageError {
        try count(frame.index, error)
        try keep(FramePrediction(frame: frame.index, notAnalysed: .broken))
      }
    }
    return bad
  }
}
