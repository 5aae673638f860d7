internal import FaceCore

extension DatasetReader {
  /// For each frame whose picture has the bytes of another frame's, itself included, the first of them.
  ///
  /// Only pictures of one length are read. Frames without a picture are left out. `isInterrupted` is asked
  /// before each picture; throws `.interrupted` where it says so.
  package func repeatedPictures(
    isInterrupted: () -> Bool = { false }
  ) throws(DatasetError) -> [Int: Int] {
    guard withoutPictureCount < frameCount else { return [:] }
    var byLength: [Int: [Int]] = [:]
    for start in stride(from: 0, to: frameCount, by: 4096) {
      for frame in try frames(start..<min(start + 4096, frameCount)) where !frame.hasNoPicture {
        byLength[try pictureByteCount(frame.index), default: []].append(frame.index)
      }
    }
    var repeated: [Int: Int] = [:]
    for (length, frames) in byLength where length > 0 && frames.count > 1 {
      var first: [SIMD2<UInt64>: Int] = [:]
      for frame in frames {
        guard !isInterrupted() else {
          throw DatasetError(.interrupted, "interrupted while looking for repeated pictures")
        }
        let digest: SIMD2<UInt64>
        do {
          digest = try PictureDigest.of(picture(frame).bytes)
        } catch let error as DatasetError {
          throw error
        } catch {
          throw DatasetError(.inputOutput, "\(error)")
        }
        guard let other = first[digest] else {
          first[digest] = frame
          continue
        }
        repeated[frame] = other
        repeated[other] = other
      }
    }
    return repeated
  }
}
