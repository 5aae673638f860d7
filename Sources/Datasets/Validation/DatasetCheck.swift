internal import FaceCore
internal import Platform

/// A check that examines every frame of a dataset in order, then the whole.
protocol DatasetCheck {
  /// One checklist line per question.
  var lines: [ChecklistLine] { get }
  /// Examines the next frame; throws if a file cannot be read again.
  mutating func look(at checked: CheckedFrame) throws(FileError)
  /// Examines the whole dataset; called once, after the last frame.
  mutating func finish()
}

extension DatasetCheck {
  mutating func finish() {}
}

/// A frame with all data that the checks need.
struct CheckedFrame {
  /// State of the bytes of an image.
  enum Image {
    /// No image.
    case none
    /// A readable image: its size, its bytes and their hash.
    case sound(ImageSize, ArraySlice<UInt8>, hash: UInt32)
    /// An unreadable image.
    case broken(String)
  }

  /// Its rows.
  let row: FrameRow
  /// Its sequence; nil if the dataset has no table of sequences or lacks that one.
  let sequence: SequenceDescription?
  let image: Image

  var frame: Frame { row.frame }
  /// Its labels; empty if they cannot be read.
  var faces: [FaceLabel] { row.faces }
  /// Why its tables cannot be read; nil if they can.
  var unreadable: String? { row.unreadable }
  /// The frame as messages name it.
  var position: String { "frame \(frame.index) '\(frame.name)'" }
}

/// Every check of a dataset, in the order of the checklist.
enum DatasetChecks {
  /// Makes all checks; throws if the splits cannot be read.
  static func all(of dataset: DatasetReader) throws(FileError) -> [any DatasetCheck] {
    let splits = try SplitMembership(of: dataset)
    return [
      ImageCheck(), TableRowCheck(), KnownTableCheck(of: dataset), SequenceCheck(of: dataset),
      TimeCheck(of: dataset), BoxCheck(), LandmarkCheck(), SwappedSidesCheck(),
      CoefficientCheck(), FrozenCheck(of: dataset), PoseCheck(), IdentityCheck(),
      DuplicateImageCheck(of: dataset, splits),
      DuplicateRecordingCheck(of: dataset), SplitCheck(splits), LeakageCheck(splits),
    ]
  }
}
