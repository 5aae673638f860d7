internal import Datasets
internal import FaceCore

extension DatasetReader {
  /// Where each of `count` parts of about equally many frames begins, and at last where all end; no video is cut.
  ///
  /// A part may be empty.
  func shardBounds(_ count: Int) throws -> [Int] {
    var bounds = [0]
    for shard in 1..<max(count, 1) {
      // The product of two Ints below 2^31 and 2^17 fits.
      let middle = frameCount * shard / count
      bounds.append(max(bounds[bounds.count - 1], try boundary(near: middle)))
    }
    return bounds + [frameCount]
  }

  /// The first frame of a sequence that is nearest, of two alike the earlier one.
  private func boundary(near frame: Int) throws -> Int {
    guard frame > 0, frame < frameCount else { return frame }
    let sequences = try frames(frame - 1..<frame + 1).map(\.sequence)
    guard sequences[0] == sequences[1], let video = video(ofSequence: sequences[0]) else {
      return frame
    }
    let end = min(video.first + video.count, frameCount)
    return frame - video.first <= end - frame ? video.first : end
  }
}
