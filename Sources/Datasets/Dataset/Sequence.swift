/// The kind of images in a sequence.
package enum SequenceKind: String, Sendable, Codable, CaseIterable {
  /// Images without order in time.
  case still
  /// Frames of one recording, in order.
  case video
}

/// A run of frames that belong together.
package struct SequenceDescription: Sendable, Hashable {
  /// Display name.
  package var name: String
  /// Stills or video.
  package var kind: SequenceKind
  /// The person shown; empty if unknown.
  package var subject: String
  /// Nominal frames per second; 0 for stills.
  package var framesPerSecond: Double
  /// Index of the first frame.
  package var first: Int
  /// Number of frames.
  package var count: Int

  /// Its frames.
  package var frames: Range<Int> { first..<first + count }

  /// Describes a sequence.
  package init(
    name: String, kind: SequenceKind, subject: String = "", framesPerSecond: Double = 0,
    first: Int = 0, count: Int = 0
  ) {
    self.name = name
    self.kind = kind
    self.subject = subject
    self.framesPerSecond = framesPerSecond
    self.first = first
    self.count = count
  }

  /// A recording at so many frames per second, 0 where that is unknown.
  static func video(
    _ name: String, at framesPerSecond: Double, of subject: String = ""
  ) -> SequenceDescription {
    SequenceDescription(
      name: name, kind: .video, subject: subject, framesPerSecond: framesPerSecond)
  }
}
