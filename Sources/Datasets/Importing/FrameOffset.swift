internal import Platform

/// How much later the frames of a tracker's output are than they say: what is added before they are joined.
package enum FrameOffset: Sendable, Hashable {
  /// A number of frames of the dataset.
  case frames(Int)
  /// Seconds.
  case seconds(Double)

  /// Reads `3f`, `-3f` or `-0.12s`; nil for other text.
  package init?(_ text: String) {
    guard let unit = text.last, let first = text.first, first.isNumber || "+-.".contains(first)
    else { return nil }
    let number = String(text.dropLast())
    switch unit {
    case "f":
      guard let count = Int(number), abs(count) <= 1_000_000 else { return nil }
      self = .frames(count)
    case "s":
      guard let seconds = Double(number), abs(seconds) <= 86_400 else { return nil }
      self = .seconds(seconds)
    default: return nil
    }
  }

  /// Frames and microseconds to add where frames are joined by a key; throws for seconds where that is not the time.
  func parts(by key: FrameKey) throws(FileError) -> (frames: Int, microseconds: Int64) {
    switch self {
    case .frames(let count): return (count, 0)
    case .seconds(let seconds):
      guard key == .time else {
        throw FileError.wrongData(
          "cannot join by \(key.rawValue) with an offset in seconds: expected frames, such as "
            + "--offset 3f, or --join time")
      }
      return (0, Int64((seconds * 1_000_000).rounded()))
    }
  }

  /// The text form.
  package var text: String {
    switch self {
    case .frames(let count): "\(count)f"
    case .seconds(let seconds): "\(seconds)s"
    }
  }
}
