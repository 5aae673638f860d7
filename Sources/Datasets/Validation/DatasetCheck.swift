internal import FaceCore

/// Some questions asked of every frame of a dataset, in order, and of the whole at the end.
protocol DatasetCheck {
  /// A line for each question.
  var lines: [ChecklistLine] { get }
  /// Looks at the next frame; throws where a file cannot be read again.
  mutating func look(at checked: CheckedFrame) throws(DatasetError)
  /// Looks at the whole; called once, after the last frame.
  mutating func finish()
}

extension DatasetCheck {
  mutating func finish() {}
}

/// A frame with all that the checks look at.
struct CheckedFrame {
  /// What is known of the bytes of a picture.
  enum Picture {
    /// There is none.
    case none
    /// It can be read: its size, its bytes and their hash.
    case sound(PictureSize, ArraySlice<UInt8>, hash: UInt32)
    /// It cannot be read.
    case broken(String)
  }

  /// Its rows.
  let row: FrameRow
  /// Its sequence; nil where the dataset has no table of sequences, or not that one.
  let sequence: SequenceDescription?
  /// Its picture.
  let picture: Picture

  /// The frame.
  var frame: Frame { row.frame }
  /// Its labels; none where they cannot be read.
  var faces: [FaceLabel] { row.faces }
  /// Why its tables cannot be read; nil where they can.
  var unreadable: String? { row.unreadable }
  /// The frame as messages name it.
  var place: String { "frame \(frame.index) '\(frame.name)'" }
}

/// Every check of a dataset, in the order of the checklist.
enum DatasetChecks {
  /// The checks with nothing seen yet; throws where the splits cannot be read.
  static func all(of dataset: DatasetReader) throws(DatasetError) -> [any DatasetCheck] {
    let splits = try SplitMembership(of: dataset)
    return [
      PictureCheck(), TableRowCheck(), KnownTableCheck(of: dataset), SequenceCheck(of: dataset),
      TimeCheck(of: dataset), BoxCheck(), LandmarkCheck(), SwappedSidesCheck(),
      CoefficientCheck(), PoseCheck(), DuplicatePictureCheck(of: dataset, splits),
      DuplicateRecordingCheck(of: dataset), SplitCheck(splits), LeakageCheck(splits),
    ]
  }
}
