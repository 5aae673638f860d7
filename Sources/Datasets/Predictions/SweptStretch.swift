/// What some settings of a sweep, which gave the same results, did over a video or over a still.
package struct SweptStretch: Sendable, Hashable {
  /// The first frame's position in the dataset.
  package var firstFrame: Int
  /// The settings, by position.
  package var settings: [Int]
  /// The sums that are not 0, ascending by position.
  package var sums: [Sum]
  /// The frames with missed faces or false positives, and how many each has.
  package var errors: [FrameErrors]

  /// A sum of a stretch.
  package struct Sum: Sendable, Hashable {
    /// Its position among all sums.
    package var position: Int
    /// Its value.
    package var value: Double

    /// Names a sum.
    package init(position: Int, value: Double) {
      self.position = position
      self.value = value
    }
  }

  /// A frame by its position in the dataset, and its missed faces and false positives.
  package struct FrameErrors: Sendable, Hashable {
    /// The frame.
    package var frame: Int
    /// How many faces were missed or are false.
    package var count: Int

    /// Names a frame.
    package init(frame: Int, count: Int) {
      self.frame = frame
      self.count = count
    }
  }

  /// Describes a stretch.
  package init(firstFrame: Int, settings: [Int], sums: [Sum], errors: [FrameErrors]) {
    self.firstFrame = firstFrame
    self.settings = settings
    self.sums = sums
    self.errors = errors
  }
}

/// A score that decides about a face, as a part of a sweep has it.
package struct SweptScore: Sendable, Hashable {
  /// The score; −∞ for a labelled face without one.
  package var score: Double
  /// Whether there is a face.
  package var isFace: Bool

  /// Describes a score.
  package init(score: Double, isFace: Bool) {
    self.score = score
    self.isFace = isFace
  }
}

/// What a part of a sweep holds in addition to its stretches, as a whole.
package struct SweepPartTotals: Sendable, Hashable {
  /// How many frames the part has.
  package var frames = 0
  /// Whether a model was loaded, which a stored run may make needless.
  package var hasLoadedModels = false
  /// The state of each stage in JSON.
  package var stages = ""
  /// How much work it was, by name.
  package var cost: [String: Int] = [:]
  /// The frames with a broken image, ascending.
  package var brokenFrames: [Int] = []
  /// Nanoseconds of some runs of the detector.
  package var detectorNanoseconds: [UInt64] = []
  /// Nanoseconds of some regions that the landmark model read.
  package var regionNanoseconds: [UInt64] = []

  /// A part without frames.
  package init() {}
}

/// Names of the tables of a part.
enum SweepPartLayout {
  static let format = "facegauge.sweep-part"
  static let version = 1
}
