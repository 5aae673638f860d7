internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Imaging

/// Offers the frames of videos at their own times, as a camera does, and keeps what comes back.
///
/// The next frame is decoded while its time has not come. Stills are analysed one by one and none is dropped.
struct LivePass {
  let pass: PredictionPass
  let dataset: DatasetReader

  /// Runs over all frames; returns those whose pictures are broken.
  func run() throws -> [PredictionPass.BadFrame] {
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
    let stills = try FrameWorker(
      nets: pass.nets, settings: plan.settings, rotationDegrees: plan.rotationDegrees)
    try stills.warmUp()
    var clip: LiveClip?
    var previous: Frame?
    for range in PredictionPass.ranges(of: dataset.frameCount) {
      for run in try FrameRun.split(
        dataset.frames(range), after: previous, isTracked: { plan.isTracked($0, in: dataset) })
      {
        if !run.continues {
          try clip?.finish(keep)
          clip = nil
        }
        for frame in run.frames {
          previous = frame
          try pass.monitor.check(after: frame.index, of: dataset.frameCount)
          do {
            if plan.isTracked(frame, in: dataset) {
              let running =
                try clip
                ?? LiveClip(
                  frame, plan: plan, nets: pass.nets, monitor: pass.monitor)
              clip = running
              try running.offer(frame, of: dataset)
            } else {
              try keep(
                stills.analyse(dataset.picture(frame.index), frame: frame, isTracked: false))
            }
          } catch let error as PictureError {
            bad.append(PredictionPass.BadFrame(frame: frame.index, reason: error.description))
            try pass.plan.checkBad(bad, of: dataset)
            if clip == nil { try keep(FramePrediction(frame: frame.index, notAnalysed: .broken)) }
          }
          try clip?.drain(keep)
        }
      }
    }
    try clip?.finish(keep)
    return bad
  }
}
