internal import FaceCore
internal import Foundation
package import Platform

extension DatasetReader {
  /// So many stills are looked at, and so many pairs are needed.
  private static let (mostStills, fewestPairs) = (4096, 30)
  /// At least so many pairs of a clip are nearer than stills far apart: by chance 24 of 30 in 1 of 1,400 datasets.
  private static let nearerShare = 0.8
  /// The median distance of a clip, by the size of the face, at most.
  private static let mostDistance = 0.25

  /// Whether stills that follow each other are alike, as frames of a clip that was read image by image are.
  ///
  /// Their largest labelled faces are then at about the same place, and nearly always nearer together than those of stills
  /// half the dataset apart. Only images of one size are compared, and not those that are `related` already.
  package func areSuccessiveStillsAlike(related: [Int: Int]) throws(FileError) -> Bool {
    let count = min(frameCount, Self.mostStills)
    guard count > Self.fewestPairs, faceCount > 0 else { return false }
    let frames = try frames(0..<count)
    let isAlone = frames.map { frame in
      kind(ofSequence: frame.sequence) == .still && !frame.size.isNothing
        && (sequence(frame.sequence)?.subject ?? "").isEmpty
    }
    guard isAlone.contains(true) else { return false }
    let boxes = zip(isAlone, try labels(0..<count)).map { isAlone, labels in
      isAlone
        ? labels.filter { !$0.isIgnored && !$0.isCrowd && $0.box.area > 0 }.map(\.box)
          .max { $0.area < $1.area } : nil
    }
    var distances: [Double] = []
    var nearer = 0
    for (first, next) in zip(0..<count, 1..<count) {
      let other = (first + count / 2) % count
      guard let box = boxes[first], let after = boxes[next], let far = boxes[other],
        frames[first].size == frames[next].size, frames[first].size == frames[other].size,
        related[first] == nil || related[first] != related[next]
      else { continue }
      let distance = box.relativeDistance(to: after)
      distances.append(distance)
      if distance < box.relativeDistance(to: far) { nearer += 1 }
    }
    guard distances.count >= Self.fewestPairs else { return false }
    return Double(nearer) >= Self.nearerShare * Double(distances.count)
      && distances.sorted()[distances.count / 2] <= Self.mostDistance
  }
}

extension BoundingBox {
  /// The distance of the centres by the mean size of both, and half the logarithm of their areas' ratio.
  fileprivate func relativeDistance(to other: BoundingBox) -> Double {
    let across = x + width / 2 - other.x - other.width / 2
    let down = y + height / 2 - other.y - other.height / 2
    return hypot(across, down) / pow(area * other.area, 0.25) + abs(log(area / other.area)) / 2
  }
}
