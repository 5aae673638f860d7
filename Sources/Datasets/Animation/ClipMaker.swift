internal import FaceCore
internal import Foundation
internal import Imaging
package import Platform

/// Makes clips with exactly known motion from labelled stills, and moves the labels with the pixels.
package struct ClipMaker: Sendable {
  /// The motions; every still with a face becomes one clip per motion.
  package var motions: [Motion]
  /// Frames per clip, at least 2.
  package var framesPerClip: Int
  /// Frames per second of the timestamps.
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

  /// Counts of clips made and data left out.
  package struct Summary: Sendable {
    /// Clips made.
    package var clips = 0
    /// Stills that have no face to follow.
    package var withoutFace = 0
    /// Frames that have labels but no image.
    package var withoutImage = 0
    /// Labelled head poses that were dropped, because the image turns under them.
    package var withoutPose = 0
    /// Other losses.
    package var remarks: [ImportRemark] = []
  }

  /// Adds the clips of every still of a dataset to a writer.
  package func run(
    over dataset: DatasetReader, into writer: DatasetWriter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    for file in dataset.files { try writer.requireOther(than: file) }
    var summary = Summary()
    summary.remarks += [dataset.computedAttributesLeftOut].compactMap { $0 }
    for index in 0..<dataset.frameCount {
      let frame = try dataset.frames(index..<(index + 1))[0]
      var labels = try dataset.labels(index..<(index + 1))[0].map(\.withoutComputedAttributes)
      guard !frame.hasNoImage else {
        summary.withoutImage += 1
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
        let full = try dataset.image(index).decoded()
        let still = Still(
          image: full.reduced(toFit: longestSide), original: full.size, labels: labels,
          subject: face)
        let title = PathText(frame.name).withoutSuffix
        for motion in motions {
          writer.beginSequence(
            SequenceDescription(
              name: "\(title)/\(motion.rawValue)", kind: .video,
              subject: face.identity.map { "\($0)" } ?? title,
              framesPerSecond: framesPerSecond))
          for step in 0..<framesPerClip {
            guard !isInterrupted() else {
              throw FileError(
                .interrupted, "interrupted after \(writer.frameCount) frames; nothing was written")
            }
            let pose = motion.pose(at: Double(step) / Double(framesPerClip))
            let (image, faces) = try still.frame(in: pose)
            try writer.add(
              name: "\(title)/\(motion.rawValue)/\(step)",
              image: try image.jpegBytes(quality: 92), size: image.size,
              timestampMicroseconds: Int64(
                (Double(step) * 1_000_000 / framesPerSecond).rounded()),
              faces: faces)
            advance(1)
          }
          summary.clips += 1
        }
      } catch let error as ImageError {
        throw FileError(
          .wrongData,
          "cannot animate frame \(index) '\(frame.name)' of \(dataset.url.relativePath): "
            + error.description)
      } catch let error as FileError {
        throw error
      } catch {
        throw FileError(.inputOutput, "\(error)")
      }
    }
    return summary
  }
}
