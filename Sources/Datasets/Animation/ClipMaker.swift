internal import FaceCore
internal import Foundation
internal import Imaging

/// Makes clips with exactly known motion out of labelled stills, labels transformed along.
package struct ClipMaker: Sendable {
  /// What happens in the clips, a clip each for every still with a face.
  package var motions: [Motion]
  /// Frames a clip, 2 or more.
  package var framesPerClip: Int
  /// Frames a second of the timestamps.
  package var framesPerSecond: Double
  /// Longest side of the clips' frames in pixels; larger stills are reduced.
  package var longestSide: Int

  /// Plans clips.
  package init(
    motions: [Motion] = Motion.allCases, framesPerClip: Int = 30, framesPerSecond: Double = 30,
    longestSide: Int = 640
  ) {
    self.motions = motions
    self.framesPerClip = framesPerClip
    self.framesPerSecond = framesPerSecond
    self.longestSide = longestSide
  }

  /// What was made, and what was left out.
  package struct Summary: Sendable {
    /// Clips made.
    package var clips = 0
    /// Stills that have no face to follow.
    package var withoutFace = 0
    /// Frames that have labels but no picture.
    package var withoutPicture = 0
    /// Labelled head poses that did not come along, because the picture turns under them.
    package var withoutPose = 0
  }

  /// Adds the clips of every still of a dataset to a writer.
  package func run(
    over dataset: DatasetReader, into writer: DatasetWriter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(DatasetError) -> Summary {
    for file in dataset.files { try writer.requireOther(than: file) }
    var summary = Summary()
    for index in 0..<dataset.frameCount {
      let frame = try dataset.frames(index..<(index + 1))[0]
      var labels = try dataset.labels(index..<(index + 1))[0]
      guard !frame.hasNoPicture else {
        summary.withoutPicture += 1
        advance(motions.count * framesPerClip)
        continue
      }
      guard let face = labels.first(where: { !$0.isIgnored && !$0.isCrowd && $0.box.area > 0 })
      else {
        summary.withoutFace += 1
        advance(motions.count * framesPerClip)
        continue
      }
      for face in labels.indices where labels[face].pose != nil {
        labels[face].pose = nil
        summary.withoutPose += 1
      }
      do {
        let full = try dataset.picture(index).decoded()
        let still = Still(
          picture: full.reduced(toFit: longestSide), original: full.size, labels: labels,
          subject: face)
        let title = (frame.name as NSString).deletingPathExtension
        for motion in motions {
          writer.beginSequence(
            SequenceDescription(
              name: "\(title)/\(motion.rawValue)", kind: .video,
              subject: face.identity.map { "\($0)" } ?? title,
              framesPerSecond: framesPerSecond))
          for step in 0..<framesPerClip {
            guard !isInterrupted() else {
              throw DatasetError(
                .interrupted, "interrupted after \(writer.frameCount) frames; nothing was written")
            }
            let pose = motion.pose(at: Double(step) / Double(framesPerClip))
            let (picture, faces) = try still.frame(in: pose)
            try writer.add(
              name: "\(title)/\(motion.rawValue)/\(step)",
              picture: try picture.jpegBytes(quality: 92), size: picture.size,
              timestampMicroseconds: Int64(
                (Double(step) * 1_000_000 / framesPerSecond).rounded()),
              faces: faces)
            advance(1)
          }
          summary.clips += 1
        }
      } catch let error as PictureError {
        throw DatasetError(
          .wrongData,
          "cannot animate frame \(index) '\(frame.name)' of \(dataset.url.relativePath): "
            + error.description)
      } catch let error as DatasetError {
        throw error
      } catch {
        throw DatasetError(.inputOutput, "\(error)")
      }
    }
    return summary
  }
}
