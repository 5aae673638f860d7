@preconcurrency import CHDF5
import Datasets
import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// What tests need and do not make themselves.
enum Material {
  /// Whether `FACEGAUGE_MODELS` is a folder with the short-range detector, as `make test` sees to.
  static let hasModels: Bool = {
    guard let folder = ProcessInfo.processInfo.environment["FACEGAUGE_MODELS"] else { return false }
    return ["face_landmarker.task", "face_detection_short_range.tflite"].contains {
      FileManager.default.fileExists(atPath: "\(folder)/\($0)")
    }
  }()

  /// dlib's example faces, which not every machine has.
  static let dlibFaces = Shared.data("dlib-faces")

  static let hasDlibFaces = FileManager.default.fileExists(
    atPath: dlibFaces.appending(path: "testing.xml").path)

  /// An image of soft colours without a face.
  static func image(width: Int = 160, height: Int = 120) throws -> [UInt8] {
    var pixels = PixelBuffer(width: width, height: height, color: RGB(90, 120, 150))
    for step in 0..<8 {
      let position = Double(step * width / 8)
      pixels.stroke(
        BoundingBox(x: position, y: position / 2, width: 30, height: 20),
        color: RGB(UInt8(step * 30), 200, 40))
    }
    return try pixels.jpegBytes(quality: 85)
  }

  /// Writes a dataset in which every image has one labelled box; `broken` frames hold no JPEG.
  ///
  /// All images have the same bytes, unless they `differ` in the bytes after the end of the JPEG.
  static func dataset(
    _ url: URL, frames: Int, broken: Set<Int> = [], width: Int = 160, height: Int = 120,
    differ: Bool = false, isClip: Bool = false
  ) throws {
    let writer = try DatasetWriter(url, name: "made", replacing: true)
    if isClip {
      writer.beginSequence(
        SequenceDescription(name: "clip", kind: .video, framesPerSecond: 25))
    }
    let image = try image(width: width, height: height)
    for frame in 0..<frames {
      try writer.add(
        name: "image-\(frame)",
        image: broken.contains(frame)
          ? Array(image.prefix(image.count / 2)) : image + (differ ? [UInt8(frame)] : []),
        size: ImageSize(width: width, height: height),
        timestampMicroseconds: isClip ? Int64(frame) * 40_000 : 0,
        faces: [FaceLabel(box: BoundingBox(x: 10, y: 10, width: 50, height: 60))])
    }
    try writer.finish()
  }

  /// Writes a clip without faces and without labels, with its frames at those times.
  static func clip(_ url: URL, microseconds: [Int64]) throws {
    let writer = try DatasetWriter(url, name: "clip", isLabelled: false, replacing: true)
    writer.beginSequence(SequenceDescription(name: "clip", kind: .video))
    for (frame, time) in microseconds.enumerated() {
      try writer.add(
        name: "frame-\(frame)", image: try image(),
        size: ImageSize(width: 160, height: 120), timestampMicroseconds: time, faces: [])
    }
    try writer.finish()
  }

  /// Writes images and their boxes as arrays of an HDF5 file that is no dataset.
  static func arrays(_ url: URL, images: Int) throws {
    _ = H5open()
    let file = H5Fcreate(url.path, 2, 0, 0)
    try #require(file >= 0)
    defer { H5Fclose(file) }
    func put(_ name: String, _ shape: [Int], _ type: hid_t, _ values: UnsafeRawPointer) throws {
      let extents = shape.map { hsize_t($0) }
      let space = H5Screate_simple(Int32(shape.count), extents, nil)
      let array = H5Dcreate2(file, name, type, space, 0, 0, 0)
      try #require(array >= 0 && H5Dwrite(array, type, 0, 0, 0, values) >= 0)
      H5Dclose(array)
      H5Sclose(space)
    }
    let pixels = (0..<images * 96 * 128 * 3).map { UInt8(truncatingIfNeeded: $0 / 3 % 251) }
    try put("images", [images, 96, 128, 3], H5T_STD_U8LE_g, pixels)
    let boxes = (0..<images).flatMap { image -> [Float] in [Float(20 + image), 10, 60, 70] }
    try put("boxes", [images, 4], H5T_IEEE_F32LE_g, boxes)
  }

  /// Puts a table of a file that is there into external storage, as an attacker would.
  static func makeExternal(_ path: String, in url: URL, reading secret: String) throws {
    _ = H5open()
    let file = H5Fopen(url.path, 1, 0)
    try #require(file >= 0)
    defer { H5Fclose(file) }
    try #require(H5Ldelete(file, path, 0) >= 0)
    var shape: [hsize_t] = [1, 4]
    let space = H5Screate_simple(2, &shape, nil)
    let plan = H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g)
    try #require(H5Pset_external(plan, secret, 0, 16) >= 0)
    let table = H5Dcreate2(file, path, H5T_IEEE_F32LE_g, space, 0, plan, 0)
    try #require(table >= 0)
    H5Dclose(table)
    H5Pclose(plan)
    H5Sclose(space)
  }

  /// A gates file with one gate.
  static func gates(_ metric: String, _ direction: String, _ limit: Double) -> String {
    """
    {"schema": "facegauge.gates", "version": 2, "gates": [
      {"metric": "\(metric)", "direction": "\(direction)", "limit": \(limit)}]}
    """
  }
}
