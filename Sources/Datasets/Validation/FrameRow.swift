internal import FaceCore

/// What the tables say of a frame.
struct FrameRow {
  /// The frame.
  var frame: Frame
  /// Its labels; none where they cannot be read.
  var faces: [FaceLabel]
  /// Why its rows cannot be read; nil where they can.
  var unreadable: String?

  /// Frames whose rows are read at once.
  private static let batch = 256

  /// The rows of all frames, read in batches while earlier ones are looked at.
  static func readAhead(
    of dataset: DatasetReader
  ) -> WorkAhead<Result<[FrameRow], DatasetError>> {
    var next = 0
    return WorkAhead(depth: 2) {
      guard next < dataset.frameCount else { return nil }
      let range: Range<Int>
      do throws(DatasetError) {
        range = try dataset.range(from: next, atMost: batch)
      } catch {
        next = dataset.frameCount
        return { .failure(error) }
      }
      next = range.upperBound
      return { Result { () throws(DatasetError) in try read(range, of: dataset) } }
    }
  }

  /// The rows of a range; where one cannot be read, the others still are.
  static func read(
    _ range: Range<Int>, of dataset: DatasetReader
  ) throws(DatasetError) -> [FrameRow] {
    do {
      _ = try dataset.contexts(range)
      try dataset.forEachDepth(in: range) { _ in }
      return zip(try dataset.frames(range), try dataset.labels(range)).map {
        FrameRow(frame: $0, faces: $1)
      }
    } catch  where error.kind == .wrongData && range.count > 1 {
      return try range.map { index throws(DatasetError) in
        try read(index..<index + 1, of: dataset)[0]
      }
    } catch  where error.kind == .wrongData {
      let index = range.lowerBound
      let unknown = Frame(
        index: index, name: "frame \(index)", sequence: index, timestampMicroseconds: 0,
        size: PictureSize(width: 0, height: 0))
      let frame = (try? dataset.frames(range))?.first ?? unknown
      return [FrameRow(frame: frame, faces: [], unreadable: error.description)]
    }
  }
}
