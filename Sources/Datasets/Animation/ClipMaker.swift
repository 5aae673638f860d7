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
  /// How many people are made from the stills, each with one of the motions; nil for the stills as they are.
  package var people: Int?
  /// Where the random numbers of the people begin.
  package var seed: UInt64

  /// Plans clips.
  package init(
    motions: [Motion] = Motion.allCases, framesPerClip: Int = 30, framesPerSecond: Double = 30,
    longestSide: Int = 640, people: Int? = nil, seed: UInt64 = 1
  ) {
    self.people = people
    self.seed = seed
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
    /// Stills for which there were too few people.
    package var unused = 0
    /// Labelled head poses that were dropped, because the image turns under them.
    package var withoutPose = 0
    /// Other losses.
    package var remarks: [ImportRemark] = []
  }

  /// A clip of a still.
  private struct Take {
    let motion: Motion
    /// The person in place of the still's, and the number that the face gets.
    var person: (number: Int, look: SyntheticPerson)?
  }

  /// Clips of so many stills with a face.
  package func clipCount(stills: Int) -> Int { people ?? stills * motions.count }

  /// What is made of the still of a number, of so many.
  ///
  /// Each still has every motion in turn; where there are as many stills as motions or more, they begin with others.
  private func takes(still: Int, of stills: Int) -> [Take] {
    guard let people else { return motions.map { Take(motion: $0) } }
    let first = stills < motions.count ? 0 : still
    return stride(from: still, to: people, by: stills).map { number in
      Take(
        motion: motions[(first + number / stills) % motions.count],
        person: (number, SyntheticPerson(number, seed: seed)))
    }
  }

  /// Adds the clips of every still of a dataset to a writer; `begin` gets the number of their frames.
  package func run(
    over dataset: DatasetReader, into writer: DatasetWriter, begin: (Int) -> Void = { _ in },
    advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    for file in dataset.files { try writer.requireOther(than: file) }
    var summary = Summary()
    summary.remarks += [dataset.computedAttributesLeftOut].compactMap { $0 }
    var stills: [Int] = []
    for index in 0..<dataset.frameCount {
      if try dataset.frames(index..<(index + 1))[0].hasNoImage {
        summary.withoutImage += 1
      } else if Self.subject(of: try dataset.labels(index..<(index + 1))[0]) == nil {
        summary.withoutFace += 1
      } else {
        stills.append(index)
      }
    }
    begin(clipCount(stills: stills.count) * framesPerClip)
    for (number, index) in stills.enumerated() {
      let takes = takes(still: number, of: stills.count)
      if takes.isEmpty {
        summary.unused += 1
        continue
      }
      let frame = try dataset.frames(index..<(index + 1))[0]
      var labels = try dataset.labels(index..<(index + 1))[0].map(\.withoutComputedAttributes)
      for face in labels.indices where labels[face].pose != nil {
        labels[face].pose = nil
        summary.withoutPose += 1
      }
      guard let subject = Self.subject(of: labels) else { continue }
      do {
        let full = try dataset.image(index).decoded()
        let image = full.reduced(toFit: longestSide)
        let title = PathText(frame.name).withoutSuffix
        for take in takes {
          let name = take.person.map { "\(title)-\($0.number + 1)" } ?? title
          var own = labels
          if let person = take.person {
            for face in own.indices { own[face].identity = face == subject ? person.number : nil }
          }
          var still = Still(
            image: image, original: full.size, labels: own, subject: labels[subject])
          if let person = take.person { still = try still.with(person.look) }
          let clip = "\(name)/\(take.motion.rawValue)"
          writer.beginSequence(
            SequenceDescription(
              name: clip, kind: .video,
              subject: take.person == nil
                ? labels[subject].identity.map { "\($0)" } ?? title : name,
              framesPerSecond: framesPerSecond))
          for step in 0..<framesPerClip {
            try FileError.stop(
              if: isInterrupted(),
              "interrupted after \(writer.frameCount) frames; nothing was written")
            let pose = take.motion.pose(at: Double(step) / Double(framesPerClip))
            let (image, faces) = try still.frame(in: pose)
            try writer.add(
              name: "\(clip)/\(step)",
              image: try image.jpegBytes(quality: 92), size: image.size,
              timestampMicroseconds: Int64(
                (Double(step) * 1_000_000 / framesPerSecond).rounded()),
              faces: faces)
            advance(1)
          }
          summary.clips += 1
        }
      } catch {
        throw FileError(reading: error) {
          .wrongData(
            "cannot animate frame \(index) '\(frame.name)' of \(dataset.url.relativePath): \($0)")
        }
      }
    }
    return summary
  }

  /// The face that a still's clips follow.
  private static func subject(of labels: [FaceLabel]) -> Int? {
    labels.firstIndex(where: \.counts)
  }
}
