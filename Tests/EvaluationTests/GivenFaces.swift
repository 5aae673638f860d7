import Datasets
import FaceCore
import Foundation
import Platform
import Running
import Testing

/// Another tracker's faces, frame by frame, on their way into a predictions file.
struct GivenFaces: DatasetFormat {
  let name = "theirs"
  let summary = ""
  let joins = FrameKey.name
  private let frames: [(name: String, faces: [FaceLabel])]

  func recognises(_ source: URL) -> String? { nil }

  func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    for frame in frames {
      try sink(ImportedFrame(name: frame.name, image: .none, faces: frame.faces))
    }
    return []
  }

  /// Writes the faces of the first frames of a dataset, whose frames all have names of their own.
  static func write(_ faces: [[FaceLabel]], on dataset: URL, to file: URL) throws {
    let reader = try DatasetReader(dataset)
    let names = try reader.frames(0..<reader.frameCount).map(\.name)
    try #require(Set(names).count == names.count && faces.count <= names.count)
    _ = try PredictionsImport(
      format: GivenFaces(frames: Array(zip(names, faces))),
      sources: [file.appendingPathExtension("none")],
      options: ImportOptions(), isStrict: false
    ).run(
      for: reader, sha256: try RunMonitor.silent.hash(reader), into: file, replacing: true,
      advance: { _ in }, isInterrupted: { false })
  }
}
