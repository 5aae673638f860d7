internal import FaceCore
package import Platform

extension DatasetReader {
  /// 64 bits of the SHA-256 of each frame's content, in order: of its image's bytes, else of its names, time and
  /// labels.
  ///
  /// A part of a dataset keeps them. `isInterrupted` is called before each frame; throws `.interrupted` if it returns
  /// true.
  package func forEachDigest(
    isInterrupted: () -> Bool = { false }, _ use: (UInt64) -> Void
  ) throws(FileError) {
    var next = 0
    while next < frameCount {
      let range = try range(from: next, atMost: 256)
      next = range.upperBound
      var labels: [[FaceLabel]]?
      for frame in try frames(range) {
        try FileError.stop(
          if: isInterrupted(), "interrupted while looking for frames that are known")
        try FileError.reading {
          var bytes = frame.hasNoImage ? [] : try image(frame.index).bytes
          if bytes.isEmpty {
            let faces = try labels ?? self.labels(range)
            labels = faces
            bytes = ArraySlice(content(of: frame, faces[frame.index - range.lowerBound]))
          }
          use(try ImageDigest.of(bytes).x)
        }
      }
    }
  }

  private func content(of frame: Frame, _ faces: [FaceLabel]) -> [UInt8] {
    var bytes = Array("\(sequence(frame.sequence)?.name ?? "")\n\(frame.name)\n".utf8)
    func add(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    add(frame.timestampMicroseconds)
    for face in faces {
      for edge in [face.box.x, face.box.y, face.box.width, face.box.height] {
        add(edge.bitPattern)
      }
      for landmarks in face.landmarks {
        for point in landmarks.points {
          add(point.x.bitPattern)
          add(point.y.bitPattern)
        }
      }
      for value in face.blendshapes ?? [] { add(value.bitPattern) }
    }
    return bytes
  }
}
