internal import FaceCore
internal import Foundation
internal import Imaging

/// What a complete reading of a dataset found.
package struct DatasetValidation: Sendable, Codable {
  /// One kind of finding with its number and a few examples.
  package struct Finding: Sendable, Codable {
    /// Whether it makes the dataset unusable, rather than doubtful.
    package var isError: Bool
    /// What was found.
    package var what: String
    /// How often.
    package var count: Int
    /// A few places.
    package var examples: [String]
  }

  /// Frames read.
  package var frames = 0
  /// Faces read.
  package var faces = 0
  /// What was found, in the order of the checks.
  package var findings: [Finding] = []

  /// Whether there is an error among the findings.
  package var hasErrors: Bool { findings.contains(where: \.isError) }

  private mutating func note(_ what: String, isError: Bool, at place: @autoclosure () -> String) {
    if let index = findings.firstIndex(where: { $0.what == what }) {
      findings[index].count += 1
      if findings[index].examples.count < 3 { findings[index].examples.append(place()) }
    } else {
      findings.append(Finding(isError: isError, what: what, count: 1, examples: [place()]))
    }
  }

  /// Reads every table and every picture of a dataset.
  ///
  /// Tables that cannot be read at all throw; what is wrong with single frames or faces is found.
  package init(
    of dataset: DatasetReader, advance: (Int) -> Void = { _ in },
    isInterrupted: () -> Bool = { false }
  ) throws(DatasetError) {
    var pixels = PixelBuffer()
    var last: Frame?
    checkOverlap(of: dataset.sequences)
    if dataset.withoutPictureCount > 0 {
      findings.append(
        Finding(
          isError: false, what: "frame without a picture", count: dataset.withoutPictureCount,
          examples: []))
    }
    for start in stride(from: 0, to: dataset.frameCount, by: 256) {
      let range = start..<min(start + 256, dataset.frameCount)
      let described = try dataset.frames(range)
      let labels = try dataset.labels(range)
      for (frame, faces) in zip(described, labels) {
        guard !isInterrupted() else {
          throw DatasetError(.interrupted, "interrupted after \(frames) frames")
        }
        let place = "frame \(frame.index) '\(frame.name)'"
        switch try dataset.picture(frame.index) {
        case .encoded(let bytes) where bytes.isEmpty && frame.hasNoPicture: break
        case .encoded(let bytes):
          do {
            try pixels.decode(bytes.span)
            if pixels.size != frame.size {
              note(
                "picture of another size than images/size says", isError: true,
                at: "\(place): \(pixels.width)x\(pixels.height), not "
                  + "\(frame.size.width)x\(frame.size.height)")
            }
          } catch {
            note("broken picture", isError: true, at: "\(place): \(error.description)")
          }
        case .pixels(let stored):
          if stored.size != frame.size {
            note("picture of another size than images/size says", isError: true, at: place)
          }
        }
        check(frame, after: last, in: dataset.sequences, place)
        last = frame
        for (index, face) in faces.enumerated()
        where face.box.area == 0 && !frame.hasNoPicture {
          note("box without area", isError: false, at: "\(place), face \(index)")
        }
        self.faces += faces.count
        frames += 1
        advance(1)
      }
    }
  }

  private mutating func checkOverlap(of sequences: [SequenceDescription]) {
    var end = 0
    for (index, sequence) in sequences.enumerated().sorted(by: { $0.1.first < $1.1.first })
    where sequence.count > 0 {
      if sequence.first < end {
        note(
          "sequence that overlaps another", isError: true,
          at: "sequence \(index) '\(sequence.name)'")
      }
      end = max(end, sequence.first + sequence.count)
    }
  }

  private mutating func check(
    _ frame: Frame, after last: Frame?, in sequences: [SequenceDescription], _ place: String
  ) {
    guard !sequences.isEmpty else { return }
    guard sequences.indices.contains(frame.sequence) else {
      return note("frame of a sequence that is not there", isError: true, at: place)
    }
    let sequence = sequences[frame.sequence]
    if !(sequence.first..<sequence.first + sequence.count).contains(frame.index) {
      note("frame outside its sequence's first and count", isError: true, at: place)
    }
    if sequence.kind == .video, let last, last.sequence == frame.sequence,
      frame.timestampMicroseconds <= last.timestampMicroseconds
    {
      note("timestamp that does not rise within its sequence", isError: true, at: place)
    }
  }
}
