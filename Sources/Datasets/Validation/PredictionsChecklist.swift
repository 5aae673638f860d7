internal import FaceCore
package import Platform

extension DatasetValidation {
  /// Reads every table of a predictions file.
  ///
  /// Files that do not open throw; errors in single frames are findings.
  package init(
    of predictions: PredictionsReader, advance: (Int) -> Void = { _ in },
    isInterrupted: () -> Bool = { false }
  ) throws(FileError) {
    self.init()
    var rows = ChecklistLine(
      "rows-readable", .error, holds: "rows of frames, detections and faces can be read",
      what: "frame whose rows cannot be read", of: "frames")
    var broken = ChecklistLine(
      "frames-analysed", .warning, holds: "every image could be analysed",
      what: "frame with a broken image", of: "frames")
    var dropped = ChecklistLine(
      "frames-kept", .note, holds: "no frame was dropped", what: "frame that live mode dropped",
      of: "frames")
    var scores = ChecklistLine(
      "scores-range", .warning, holds: "scores and presence lie in 0 to 1",
      what: "frame with a score or presence outside of 0 to 1",
      of: "scores of detections and faces")
    var identities = IdentityCheck.line(of: "frames with two identities")
    var start = 0
    while start < predictions.frameCount {
      try FileError.stop(if: isInterrupted(), "interrupted after \(frames) frames")
      let range = predictions.part(of: start..<min(start + 64, predictions.frameCount))
      defer { start = range.upperBound }
      let whole = try? predictions.predictions(range)
      for frame in range {
        defer {
          frames += 1
          advance(1)
        }
        rows.look()
        let prediction: FramePrediction
        do throws(FileError) {
          if let whole {
            prediction = whole[frame - start]
          } else {
            prediction = try predictions.predictions(frame..<frame + 1)[0]
          }
        } catch {
          rows.note("frame \(frame): \(error.description)")
          continue
        }
        faces += prediction.faces.count
        broken.look()
        dropped.look()
        switch prediction.status {
        case .broken: broken.note("frame \(frame)")
        case .dropped: dropped.note("frame \(frame)")
        default: break
        }
        let all =
          prediction.detections.map { Double($0.score) }
          + prediction.faces.compactMap { $0.presence.map(Double.init) }
        scores.look(at: all.count { !$0.isNaN })
        if let wrong = all.first(where: { !$0.isNaN && !(0...1).contains($0) }) {
          scores.note("frame \(frame): \(wrong)")
        }
        identities.look(at: "frame \(frame)", identities: prediction.faces.map(\.identity))
      }
    }
    checks = [rows, broken, dropped, scores, identities]
  }
}
