internal import FaceCore
package import Platform

/// Joins stills with the same image into one frame with the faces of all.
///
/// Datasets such as 300-W's AFW repeat a photo for each labelled face; each copy then lacks the labels
/// of the other faces. Faces with the same labels count once.
package struct FaceMerge {
  private let reader: DatasetReader

  /// Plans to join frames of a dataset.
  package init(of reader: DatasetReader) { self.reader = reader }

  /// Counts of joined frames and faces.
  package struct Summary: Sendable {
    /// Frames that became part of an earlier one.
    package var joined = 0
    /// Faces that the earlier frame already had.
    package var repeatedFaces = 0
    /// Changes and losses.
    package var remarks: [ImportRemark] = []
  }

  /// Copies the dataset into a writer, and its splits; a joined frame is in the splits of all its frames.
  package func run(
    into writer: DatasetWriter, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    try DatasetCopy.checkSplitNames(of: reader)
    let photos = try stills(of: reader.repeatedImages(isInterrupted: isInterrupted))
    var summary = Summary()
    var faces: [Int: [FaceLabel]] = [:]
    for (frame, first) in photos.sorted(by: { $0.key < $1.key }) {
      if frame != first { summary.joined += 1 }
      for face in try reader.labels(frame..<frame + 1)[0] {
        if faces[first]?.contains(face) == true {
          summary.repeatedFaces += 1
        } else {
          faces[first, default: []].append(face)
        }
      }
    }
    let united = faces
    var copy = DatasetCopy(of: reader)
    copy.faces = { frame, _, labels in
      guard let first = photos[frame.index] else { return labels }
      return first == frame.index ? united[first] ?? [] : nil
    }
    let outcome = try copy.run(into: writer, advance: advance, isInterrupted: isInterrupted)
    for split in reader.splits {
      let members = try reader.split(split.name).map { photos[$0] ?? $0 }
      let frames = outcome.positions(of: Set(members).sorted())
      if !frames.isEmpty || split.count == 0 { try writer.addSplit(split.name, frames: frames) }
    }
    summary.remarks = outcome.remarks
    summary.remarks.append(
      .assumed(
        "\(summary.joined) frames joined to the \(Set(photos.values).count) frames with the same "
          + "image"))
    if summary.repeatedFaces > 0 {
      summary.remarks.append(
        .assumed("\(summary.repeatedFaces) faces with the same labels count once"))
    }
    return summary
  }

  /// Leaves out frames of videos, which keep their times.
  private func stills(of photos: [Int: Int]) throws(FileError) -> [Int: Int] {
    var kept: [Int: Int] = [:]
    var first: [Int: Int] = [:]
    for (frame, photo) in photos.sorted(by: { $0.key < $1.key }) {
      let position = try reader.frames(frame..<frame + 1)[0]
      guard reader.video(ofSequence: position.sequence) == nil else { continue }
      first[photo] = first[photo] ?? frame
      kept[frame] = first[photo]
    }
    return kept
  }
}
