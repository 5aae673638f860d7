package import FaceCore
internal import Platform

/// Writes videos as MOT Challenge has them: a folder each with boxes and images, or a tracker's results, a file each.
package struct MOTExport: DatasetExporter {
  package let name = "mot"
  package let summary = "MOT Challenge txt of videos: boxes, identities, ignore flags, scores"
  /// Name of the label file of each video.
  package let labelFile = "gt.txt"
  /// A folder per video.
  package let layout = ExportLayout(isOfVideos: true, needsImages: false, hasBareResults: true)

  /// The attribute that has a column.
  private static let visibility = "visibility"

  package func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String] {
    var bare = face
    if !isPrediction { bare.attributes[Self.visibility] = nil }
    return ExportLoss.of(
      bare,
      holding: isPrediction ? [.scores, .identities] : [.identities, .ignoreFlags, .categories])
      + ExportLoss.points(of: face, besides: nil, hidden: false, missing: false)
      + (face.identity == nil ? ["faces without an identity, whose id is -1"] : [])
  }

  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    Text(source: source, survey: survey)
  }

  private struct Text: ExportText {
    let source: ExportSource
    let survey: ExportSurvey

    func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let sequence = frame.frame.sequence
      guard let video = source.dataset.video(ofSequence: sequence),
        let folder = survey.folder(ofSequence: sequence)
      else { return [] }
      let number = frame.frame.index - video.first + 1
      let rows = frame.faces.map { row(of: $0, number) + "\n" }.joined()
      guard !source.isPredictions else { return [ExportPiece("\(folder).txt", rows)] }
      var pieces: [ExportPiece] = []
      if number == 1 {
        let size = frame.frame.size
        let images =
          frame.frame.hasNoImage
          ? ""
          : "imDir=img1\nimWidth=\(size.width)\nimHeight=\(size.height)\n"
            + "imExt=.\(PathText(frame.image).suffix)\n"
        pieces.append(
          ExportPiece(
            "\(folder)/seqinfo.ini",
            "[Sequence]\nname=\(folder)\n"
              + (video.framesPerSecond > 0
                ? "frameRate=\(ExactText.of(video.framesPerSecond))\n" : "")
              + "seqLength=\(video.count)\n\(images)"))
      }
      return pieces + [ExportPiece("\(folder)/gt/gt.txt", rows)]
    }

    /// Pixels count from 1; a confidence of 0 means to ignore a label.
    private func row(of face: FaceLabel, _ number: Int) -> String {
      let box = face.box
      let head =
        ["\(number)", "\(face.identity ?? -1)"]
        + [ExactText.of(box.x, plus: 1), ExactText.of(box.y, plus: 1)]
        + [box.width, box.height].map(ExactText.of)
      let tail =
        source.isPredictions
        ? [face.score.map(ExactText.of) ?? "-1", "-1", "-1", "-1"]
        : [
          face.isIgnored ? "0" : "1", "\(face.category)",
          ExactText.of(face.attributes[MOTExport.visibility] ?? -1),
        ]
      return (head + tail).joined(separator: ",")
    }
  }
}
