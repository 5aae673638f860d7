internal import FaceCore
package import Platform

extension DatasetReader {
  /// For each still whose image or person other stills have too, the first of them, which may be the frame itself.
  ///
  /// Stills of one person are those with a face of one identity, directly or by way of others. Frames of videos are
  /// related by their images alone. `isInterrupted` is called before each image; throws `.interrupted` if it returns
  /// true.
  package func relatedStills(
    isInterrupted: () -> Bool = { false }
  ) throws(FileError) -> [Int: Int] {
    let repeated = try repeatedImages(isInterrupted: isInterrupted)
    var groups = FrameGroups(count: frameCount)
    var firsts: [Int: Int] = [:]
    var joined: Set<Int> = []
    for start in stride(from: 0, to: frameCount, by: 4096) {
      let range = start..<min(start + 4096, frameCount)
      let people = try identities(range)
      guard people.contains(where: { !$0.isEmpty }) else { continue }
      for (frame, people) in zip(try frames(range), people)
      where !people.isEmpty && kind(ofSequence: frame.sequence) == .still {
        for identity in people {
          guard let first = firsts[identity] else {
            firsts[identity] = frame.index
            continue
          }
          guard first != frame.index else { continue }
          groups.join(first, frame.index)
          joined.formUnion([first, frame.index])
        }
      }
    }
    guard !joined.isEmpty else { return repeated }
    for (frame, first) in repeated { groups.join(frame, first) }
    var related: [Int: Int] = [:]
    for frame in joined.union(repeated.keys) { related[frame] = groups.root(of: frame) }
    return related
  }
}
