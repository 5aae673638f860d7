import Foundation
import HDF5
import Imaging

/// A file in memory that every run of a target writes anew.
enum ScratchFile {
  private static let folder: URL = {
    let url = URL(filePath: "/dev/shm/facegauge-fuzz-\(getpid())", directoryHint: .isDirectory)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }()

  /// Where a file of that name is, or will be.
  static func url(_ name: String) -> URL { folder.appending(path: name) }

  /// Replaces the content of a file.
  static func write(_ bytes: [UInt8], to name: String) -> URL {
    let url = url(name)
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    precondition(descriptor >= 0, "cannot write \(url.path)")
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    return url
  }

  /// Makes a file and its folder unless it is there: of a text, or where that is empty of something sound.
  static func prepare(_ name: String, _ text: String) throws {
    let url = url(name)
    guard access(url.path, F_OK) != 0 else { return }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    guard url.pathExtension != "png" else {
      _ = write(try PixelBuffer(width: 9, height: 8).pngBytes(), to: name)
      return
    }
    guard text.isEmpty, url.pathExtension == "h5" else {
      _ = write(Array(text.utf8), to: name)
      return
    }
    let file = try HDF5File.create(url.path)
    for (path, shape) in [
      ("x", [2, 4, 6, 3]), ("planar", [2, 3, 4, 6]), ("box", [2, 4]), ("points", [2, 136]),
      ("pairs", [2, 68, 2]), ("score", [2]), ("matrix", [2, 4, 4]), ("index", [2]),
    ] {
      let values = (0..<shape.reduce(1, *)).map { Double($0 % 2) }
      try file.createDataset(path, of: Double.self, shape: shape).write(values, atRow: 0)
    }
    try file.createStringDataset("names", shape: [2]).writeStrings(["a.jpg", "b.jpg"], atRow: 0)
    try file.close()
  }
}
