internal import Digests
internal import FaceCore
internal import Foundation
internal import Imaging
internal import Synchronization

/// A checklist of a file of ours, filled in by reading it from end to end.
package struct DatasetValidation: Sendable, Encodable {
  /// Frames read.
  package internal(set) var frames = 0
  /// Faces read.
  package internal(set) var faces = 0
  /// Every check with what it found, in order.
  package internal(set) var checks: [ChecklistLine] = []

  /// The checks that found something.
  package var findings: [ChecklistLine] { checks.filter { $0.count > 0 } }
  /// Whether there is an error among the findings.
  package var hasErrors: Bool { checks.contains(where: \.isError) }

  init() {}

  /// Frames whose tables are read at once.
  private static let batch = 256
  /// Pictures that are looked at side by side.
  private static let pictureBatch = 16

  /// Reads every table and the bytes of every picture of a dataset; with `decodes`, also its pixels.
  ///
  /// Without, a picture is broken where its header or its end is. Files that do not open throw; what is wrong
  /// with single frames or faces is found. Throws `.interrupted` where the caller asks to stop.
  package init(
    of dataset: DatasetReader, decodes: Bool = false, advance: (Int) -> Void = { _ in },
    isInterrupted: () -> Bool = { false }
  ) throws(DatasetError) {
    var checks = try DatasetChecks.all(of: dataset)
    faces = dataset.faceCount
    for start in stride(from: 0, to: dataset.frameCount, by: Self.batch) {
      let range = start..<min(start + Self.batch, dataset.frameCount)
      let rows = try Self.rows(range, of: dataset)
      for first in stride(from: 0, to: rows.count, by: Self.pictureBatch) {
        let part = rows[first..<min(first + Self.pictureBatch, rows.count)]
        let pictures = Self.pictures(of: Array(part), in: dataset, decodes: decodes)
        for (row, picture) in zip(part, pictures) {
          guard !isInterrupted() else {
            throw DatasetError(.interrupted, "interrupted after \(frames) frames")
          }
          let sequences = dataset.sequences
          let checked = CheckedFrame(
            frame: row.frame, faces: row.faces,
            sequence: sequences.indices.contains(row.frame.sequence)
              ? sequences[row.frame.sequence] : nil,
            picture: picture, unreadable: row.unreadable)
          for index in checks.indices { checks[index].look(at: checked) }
          frames += 1
          advance(1)
        }
      }
    }
    for index in checks.indices { checks[index].finish() }
    self.checks = checks.flatMap(\.lines)
  }

  private struct Row {
    var frame: Frame
    var faces: [FaceLabel]
    var unreadable: String?
  }

  /// The rows of a range; where one cannot be read, the others still are.
  private static func rows(
    _ range: Range<Int>, of dataset: DatasetReader
  ) throws(DatasetError) -> [Row] {
    do {
      _ = try dataset.contexts(range)
      for frame in range { _ = try dataset.depth(frame) }
      return zip(try dataset.frames(range), try dataset.labels(range)).map {
        Row(frame: $0, faces: $1)
      }
    } catch  where error.kind == .wrongData && range.count > 1 {
      return try range.map { index throws(DatasetError) in
        try rows(index..<index + 1, of: dataset)[0]
      }
    } catch  where error.kind == .wrongData {
      let index = range.lowerBound
      let unknown = Frame(
        index: index, name: "frame \(index)", sequence: index, timestampMicroseconds: 0,
        size: PictureSize(width: 0, height: 0))
      let frame = (try? dataset.frames(range))?.first ?? unknown
      return [Row(frame: frame, faces: [], unreadable: error.description)]
    }
  }

  /// What is known of the pictures of some frames, read one after another and looked at side by side.
  private static func pictures(
    of rows: [Row], in dataset: DatasetReader, decodes: Bool
  ) -> [CheckedFrame.Picture] {
    let stored = rows.map { row in
      Result { () throws(DatasetError) in try dataset.picture(row.frame.index) }
    }
    let isAbsent = rows.map(\.frame.hasNoPicture)
    let found = Mutex([CheckedFrame.Picture](repeating: .none, count: rows.count))
    DispatchQueue.concurrentPerform(iterations: rows.count) { index in
      let picture = Self.look(at: stored[index], isAbsent: isAbsent[index], decodes: decodes)
      found.withLock { $0[index] = picture }
    }
    return found.withLock { $0 }
  }

  private static func look(
    at stored: Result<StoredPicture, DatasetError>, isAbsent: Bool, decodes: Bool
  ) -> CheckedFrame.Picture {
    do {
      switch try stored.get() {
      case .encoded(let bytes) where bytes.isEmpty && isAbsent: return .none
      case .encoded(let bytes):
        let size =
          decodes
          ? try PixelBuffer(decoding: bytes.span).size : try PictureHeader(ofWhole: bytes.span).size
        return .sound(size, try PictureDigest.of(bytes))
      case .pixels(let pixels): return .sound(pixels.size, try PictureDigest.of(pixels.bytes))
      }
    } catch let error as PictureError {
      return .broken(error.description)
    } catch {
      return .broken("\(error)")
    }
  }
}

/// A short digest that tells pictures apart.
enum PictureDigest {
  /// The first half of the SHA-256 of some bytes.
  static func of(_ bytes: [UInt8]) throws(DigestError) -> SIMD2<UInt64> {
    var digest = try SHA256()
    try digest.update(bytes.span.bytes)
    let words = try digest.bytes()
    func word(_ start: Int) -> UInt64 {
      words[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    return SIMD2(word(0), word(8))
  }
}
