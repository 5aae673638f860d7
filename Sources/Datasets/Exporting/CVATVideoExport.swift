package import FaceCore
internal import Platform

/// Writes the XML of "CVAT for video 1.1": a folder per video with its frames, and a track of boxes per identity.
package struct CVATVideoExport: DatasetExporter {
  /// Name on the command line.
  package let name = "cvat-video"
  /// One-line summary of what it stores.
  package let summary = "CVAT for video 1.1 XML: a track of boxes per identity of each video"
  /// Name of the label file of each video.
  package let labelFile = "annotations.xml"
  /// A folder per video.
  package let layout = ExportLayout(isOfVideos: true)

  /// Makes the format.
  package init() {}

  /// Data of a face that a track of CVAT cannot store.
  package func losses(of face: FaceLabel, isPrediction: Bool) -> [String] {
    ExportLoss.of(
      face, holding: [.identities, .scores, .ignoreFlags, .crowdFlags, .categories, .attributes])
      + ExportLoss.points(of: face, besides: nil, hidden: false, missing: false)
      + (face.identity == nil ? ["faces without an identity, each a track of one frame"] : [])
  }

  /// Builds the documents.
  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    Text(
      dataset: source.dataset, survey: survey, shapes: CVATShapes(source, survey),
      head: CVATShapes.head(of: source, survey, mode: "interpolation"), labelFile: labelFile)
  }

  private struct Text: ExportText {
    let dataset: DatasetReader
    let survey: ExportSurvey
    let shapes: CVATShapes
    let head: String
    let labelFile: String
    private var current: Int?
    /// The tracks of the video so far: those of identities, then faces of none.
    private var tracks: [Key: Track] = [:]

    init(
      dataset: DatasetReader, survey: ExportSurvey, shapes: CVATShapes, head: String,
      labelFile: String
    ) {
      self.dataset = dataset
      self.survey = survey
      self.shapes = shapes
      self.head = head
      self.labelFile = labelFile
    }

    private struct Key: Hashable {
      let category: Int
      /// The identity, or the number of a face without one.
      let number: Int
      let isIdentity: Bool
    }

    private struct Track {
      let title: String
      var text = ""
      var last: Int
      /// The last box, as it is written where the face is gone.
      var box: String
    }

    mutating func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let sequence = frame.frame.sequence
      guard let video = dataset.video(ofSequence: sequence) else { return [] }
      let earlier = sequence == current ? [] : closing(pass: pass)
      if sequence != current { (current, tracks) = (sequence, [:]) }
      for face in frame.faces { add(face, frame.frame.index - video.first) }
      return earlier
    }

    /// The document of the video whose frames came last.
    func closing(pass: Int) -> [ExportPiece] {
      guard let current, let video = dataset.video(ofSequence: current),
        let folder = survey.folder(ofSequence: current)
      else { return [] }
      let order = tracks.sorted {
        ($1.key.isIdentity ? 1 : 0, $0.key.number, $0.key.category)
          < ($0.key.isIdentity ? 1 : 0, $1.key.number, $1.key.category)
      }
      let elements = order.enumerated().map { index, track in
        "<track id=\"\(index)\" \(track.value.title)>\n\(track.value.text)"
          + gone(track.value, before: video.count) + "</track>\n"
      }
      return [
        ExportPiece("\(folder)/\(labelFile)", head + elements.joined() + "</annotations>\n")
      ]
    }

    private mutating func add(_ face: FaceLabel, _ number: Int) {
      let key = Key(
        category: face.category, number: face.identity ?? tracks.count,
        isIdentity: face.identity != nil)
      let edges = shapes.edges(of: face.box)
      var track =
        tracks[key] ?? Track(title: shapes.title(of: face), last: number, box: edges)
      track.text += gone(track, before: number)
      (track.last, track.box) = (number, edges)
      track.text +=
        "<box frame=\"\(number)\" outside=\"0\" \(shapes.occlusion(of: face)) keyframe=\"1\" "
        + "\(edges)>\n\(shapes.attributes(of: face))</box>\n"
      tracks[key] = track
    }

    /// The box that ends a track where the next frame does not have the face.
    private func gone(_ track: Track, before number: Int) -> String {
      track.last + 1 < number
        ? "<box frame=\"\(track.last + 1)\" outside=\"1\" occluded=\"0\" keyframe=\"1\" "
          + "\(track.box)>\n</box>\n"
        : ""
    }
  }
}
