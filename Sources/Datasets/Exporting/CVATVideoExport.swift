package import FaceCore
internal import Platform

/// Writes the XML of "CVAT for video 1.1": a folder per video with its frames, and a track of boxes per identity.
package struct CVATVideoExport: DatasetExporter {
  package let name = "cvat-video"
  package let summary = "CVAT for video 1.1 XML: a track of boxes per identity of each video"
  /// Name of the label file of each video.
  package let labelFile = "annotations.xml"
  /// A folder per video.
  package let layout = ExportLayout(isOfVideos: true, lacksRates: true)

  /// Makes the format.
  package init() {}

  package func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String] {
    ExportLoss.of(
      face, holding: [.identities, .scores, .ignoreFlags, .crowdFlags, .categories, .attributes])
      + CVATShapes.losses(of: face)
      + ExportLoss.points(of: face, besides: nil, hidden: false, missing: false)
      + (face.identity == nil ? ["faces without an identity, each a track of one frame"] : [])
  }

  /// Builds the documents.
  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    Text(
      source: source, survey: survey, shapes: CVATShapes(source, survey), labelFile: labelFile)
  }

  private struct Text: ExportText {
    let source: ExportSource
    let survey: ExportSurvey
    let shapes: CVATShapes
    let labelFile: String
    /// The video of the last frame, and the size of its frames.
    var current: (sequence: Int, size: ImageSize)?
    /// Its tracks so far: those of identities, then faces of none.
    var tracks: [Key: Track] = [:]

    struct Key: Hashable {
      let category: Int
      /// The identity, or the number of a face without one.
      let number: Int
      let isIdentity: Bool
    }

    struct Track {
      let title: String
      var text = ""
      var last: Int
      /// The last box, as it is written where the face is gone.
      var box: String
    }

    mutating func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let sequence = frame.frame.sequence
      guard let video = source.dataset.video(ofSequence: sequence) else { return [] }
      var earlier: [ExportPiece] = []
      if sequence != current?.sequence {
        earlier = closing(pass: pass)
        (current, tracks) = ((sequence, frame.frame.size), [:])
      }
      for face in frame.faces { add(face, frame.frame.index - video.first) }
      return earlier
    }

    /// The document of the video whose frames came last.
    func closing(pass: Int) -> [ExportPiece] {
      guard let current, let video = source.dataset.video(ofSequence: current.sequence),
        let folder = survey.folder(ofSequence: current.sequence)
      else { return [] }
      let order = tracks.sorted {
        ($1.key.isIdentity ? 1 : 0, $0.key.number, $0.key.category)
          < ($0.key.isIdentity ? 1 : 0, $1.key.number, $1.key.category)
      }
      var (taken, next): (Set<Int>, Int) = ([], 0)
      let elements = order.map { key, track in
        // Who it is, unless another category has the number.
        if !key.isIdentity || taken.contains(key.number) {
          while taken.contains(next) { next += 1 }
        } else {
          next = key.number
        }
        taken.insert(next)
        return "<track id=\"\(next)\" \(track.title)>\n\(track.text)"
          + gone(track, before: video.count) + "</track>\n"
      }
      let head = CVATShapes.head(of: source, survey, video: (video, current.size))
      return [
        ExportPiece("\(folder)/\(labelFile)", head + elements.joined() + "</annotations>\n")
      ]
    }

    private mutating func add(_ face: FaceLabel, _ number: Int) {
      var key = Key(
        category: face.category, number: face.identity ?? tracks.count,
        isIdentity: face.identity != nil)
      // A track has one box a frame: of another face the attribute alone tells the identity.
      if key.isIdentity, tracks[key]?.last == number {
        key = Key(category: face.category, number: tracks.count, isIdentity: false)
      }
      let edges = shapes.edges(of: face.box)
      // Taken out, so that its text grows in place instead of being copied for each frame.
      var track =
        tracks.removeValue(forKey: key)
        ?? Track(title: shapes.title(of: face), last: number, box: edges)
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
