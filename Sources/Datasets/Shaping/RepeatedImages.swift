internal import FaceCore
package import Platform

extension DatasetReader {
  /// For each frame with a repeated image, the first frame with the same bytes, which may be the frame itself.
  ///
  /// Only images of equal length are read. Frames without an image are left out. `isInterrupted` is called
  /// before each image; throws `.interrupted` if it returns true.
  package func repeatedImages(
    isInterrupted: () -> Bool = { false }
  ) throws(FileError) -> [Int: Int] {
    guard withoutImageCount < frameCount else { return [:] }
    var byLength: [Int: [Int]] = [:]
    for start in stride(from: 0, to: frameCount, by: 4096) {
      for frame in try frames(start..<min(start + 4096, frameCount)) where !frame.hasNoImage {
        byLength[try imageByteCount(frame.index), default: []].append(frame.index)
      }
    }
    var repeated: [Int: Int] = [:]
    for (length, frames) in byLength where length > 0 && frames.count > 1 {
      var first: [SIMD2<UInt64>: Int] = [:]
      for frame in frames {
        try FileError.stop(if: isInterrupted(), "interrupted while looking for repeated images")
        let digest = try FileError.reading { try ImageDigest.of(image(frame).bytes) }
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
