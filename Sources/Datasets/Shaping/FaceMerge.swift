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
    var groups: [Int: [Int]] = [:]
    for (frame, first) in photos.sorted(by: { $0.key < $1.key }) {
      groups[first, default: []].append(frame)
    }
    summary.joined = photos.count - groups.count
    var lost: [String: Int] = [:]
    var copy = DatasetCopy(of: reader)
    copy.faces = { frame, _, labels, isInterrupted throws(FileError) in
      guard let first = photos[frame.index] else { return labels }
      guard first == frame.index else {
        for what in try losses(of: frame, joinedTo: first) { lost[what, default: 0] += 1 }
        return nil
      }
      let (faces, repeated) = try faces(of: groups[first] ?? [], isInterrupted)
      summary.repeatedFaces += repeated
      return faces
    }
    let outcome = try copy.run(into: writer, advance: advance, isInterrupted: isInterrupted)
    for split in reader.splits {
      let members = try reader.split(split.name).map { photos[$0] ?? $0 }
      let frames = outcome.positions(of: Set(members).sorted())
      if !frames.isEmpty || split.count == 0 { try writer.addSplit(split.name, frames: frames) }
    }
    summary.remarks = outcome.remarks
    summary.remarks.assume("\(photos.count) frames of repeated images become \(groups.count)")
    summary.remarks.assume(summary.repeatedFaces, "faces with the same labels count once")
    for (what, count) in lost.sorted(by: { $0.key < $1.key }) {
      summary.remarks.drop(
        count, "\(what) of joined frames left out, which the first frame of the image has not")
    }
    return summary
  }

  /// What a frame has, other than faces, that the one it becomes a part of has not.
  private func losses(of frame: Frame, joinedTo first: Int) throws(FileError) -> [String] {
    let own = try reader.contexts(frame.index..<frame.index + 1)[0]
    let kept = try reader.contexts(first..<first + 1)[0]
    let subject = reader.sequence(frame.sequence)?.subject ?? ""
    let earlier = try reader.frames(first..<first + 1)[0]
    let keptSubject = reader.sequence(earlier.sequence)?.subject ?? ""
    var isOtherDepth = false
    if reader.contextNames.depthMaps > 0, let depth = try reader.depth(frame.index) {
      isOtherDepth = try reader.depth(first) != depth
    }
    return [
      (own != kept && own != FrameContext(), "cameras and attributes"),
      (isOtherDepth, "depth maps"),
      (!subject.isEmpty && subject != keptSubject, "subjects"),
    ].filter(\.0).map(\.1)
  }

  /// The faces of some frames, each once, and how many there were more.
  private func faces(
    of frames: [Int], _ isInterrupted: () -> Bool
  ) throws(FileError) -> (faces: [FaceLabel], repeated: Int) {
    var faces: [FaceLabel] = []
    var known: Set<FaceLabel> = []
    var count = 0
    for frame in frames {
      try FileError.stop(
        if: isInterrupted(), "interrupted while joining faces; nothing was written")
      for face in try reader.labels(frame..<frame + 1)[0] {
        count += 1
        if known.insert(face.comparable).inserted { faces.append(face) }
        guard faces.count <= DatasetLayout.maxRowsOfFrame else {
          throw FileError.wrongData(
            "cannot join the frames of one image from frame \(frames[0]) on: expected at most "
              + "\(DatasetLayout.maxRowsOfFrame) faces in all, found more")
        }
      }
    }
    return (faces, count - faces.count)
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

extension FaceLabel {
  /// The labels with a number that means nothing in place of NaN, so that they equal themselves.
  fileprivate var comparable: FaceLabel {
    func comparable(_ value: Double) -> Double {
      value.isNaN ? -.greatestFiniteMagnitude : value
    }
    var label = self
    for index in label.landmarks.indices {
      label.landmarks[index].points = label.landmarks[index].points.map {
        Point(x: comparable($0.x), y: comparable($0.y))
      }
      label.landmarks[index].depths = label.landmarks[index].depths?.map(comparable)
    }
    label.blendshapes = label.blendshapes?.map { $0.isNaN ? -.greatestFiniteMagnitude : $0 }
    label.attributes = label.attributes.mapValues(comparable)
    if let matrix = label.pose?.matrix {
      label.pose?.matrix.replace(with: -.greatestFiniteMagnitude, where: matrix .!= matrix)
    }
    return label
  }
}
