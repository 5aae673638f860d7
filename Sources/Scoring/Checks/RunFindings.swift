internal import Checking
package import Datasets
package import FaceCore
package import Foundation
package import Records
internal import Running

extension [Finding] {
  /// What is found in the coefficients of frames of videos, beside those of a recording.
  ///
  /// Our own pipeline, which has no format, names and orders its coefficients as it should: it takes the place of the
  /// labels, so that mistakes are the recording's.
  package static func of(
    _ frames: [(frame: Frame, recorded: [Float], prediction: FramePrediction)], format: String?
  ) -> [Finding] {
    let joined = frames.map { frame, recorded, prediction in
      var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
      var given = prediction
      label.blendshapes = recorded
      if format == nil, given.faces.count == 1 {
        swap(&label.blendshapes, &given.faces[0].blendshapes)
      }
      return JoinedFrame(frame: frame, isVideo: true, labels: [label], prediction: given)
    }
    let sample = JoinedSample(
      frames: joined, isWhole: false, format: format, scheme: nil, hasScores: false,
      names: format == nil ? .checkedRecording : .givenRecording)
    return Findings.remedied(CoefficientsCheck.findings(in: sample), format: format)
  }

  /// What is found in stored predictions of a dataset.
  package static func of(_ predictions: URL, _ dataset: DatasetReader) throws -> [Finding] {
    try Findings.of(SampleReader.sample(of: dataset, PredictionsReader(predictions)))
  }
}

/// Checks the predictions of a run against their labels, and draws frames of what is suspect.
struct RunFindings {
  let dataset: DatasetReader
  let folder: RunFolder
  let monitor: RunMonitor

  /// How many frames of one finding are drawn.
  private static let imageCount = 3

  /// The findings of the run's predictions, with images of the frames that `review` can tell about.
  func found(
    accepting names: [String], minSide: Int?, notes: inout [String],
    review: (JoinedFrame) throws -> WorstFrames.Entry?
  ) throws -> [Finding] {
    try monitor.check("while checking labels and predictions")
    let predictions = try PredictionsReader(folder.partial.appendingPathComponent("predictions.h5"))
    let sample = try SampleReader.sample(of: dataset, predictions)
    var findings = Findings.of(sample).accepting(names)
    for index in findings.indices where findings[index].severity == .suspect {
      var images: [Record.Image] = []
      for named in findings[index].frames.prefix(Self.imageCount) {
        guard let joined = sample.frames.first(where: { $0.frame.index == named.index }),
          !joined.frame.hasNoImage, let entry = try review(joined)
        else { continue }
        let file = "finding-\(index + 1)-\(images.count + 1).jpg"
        if let image = try Gallery.write(
          entry, as: file, of: dataset, minSide: minSide, into: folder, notes: &notes)
        {
          images.append(image)
        }
      }
      findings[index].images = images.isEmpty ? nil : images
    }
    return findings
  }
}
