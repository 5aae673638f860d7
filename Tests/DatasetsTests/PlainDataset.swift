import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging

/// A small sound dataset as arrays, which a test may spoil before it is written as documented in
/// FORMAT.md.
struct PlainDataset {
  var format = "facegauge.dataset"
  var version = 1
  var images = [Sample.png(12, 8), Sample.png(9, 9), Sample.png(7, 11)]
  var offsets: [UInt64]
  var sizes: [Int32] = [12, 8, 9, 9, 7, 11]
  var frameSequences: [Int32] = [0, 0, 1]
  var timestamps: [Int64] = [0, 40_000, 0]
  var sequenceNames = ["clip", "image"]
  var kinds = ["video", "still"]
  var firsts: [Int32] = [0, 2]
  var counts: [Int32] = [2, 1]
  var faceFrames: [Int32] = [0, 0, 2]
  var boxes: [Float] = [1, 1, 5, 5, 2, 2, 3, 3, 0, 0, 7, 11]
  var areas: [Float] = [25, 9, 77]
  var points = [Float](repeating: 2, count: 3 * 68 * 2)
  var visible = [UInt8](repeating: 2, count: 3 * 68)
  /// Tables that are left out.
  var missing: Set<String> = []
  /// What is done to the file at the end.
  var spoil: (HDF5File) throws -> Void = { _ in }

  init() {
    var ends: [UInt64] = [0]
    for image in images { ends.append(ends[ends.count - 1] + UInt64(image.count)) }
    offsets = ends
  }

  func write(to url: URL) throws {
    let file = try HDF5File.create(url.path)
    try file.setAttribute("format", of: "/", to: format)
    try file.setAttribute("version", of: "/", to: version)
    func put<T: HDF5Element>(_ path: String, _ values: [T], row: [Int] = []) throws {
      guard !missing.contains(path) else { return }
      let shape = [values.count / row.reduce(1, *)] + row
      try file.createDataset(path, of: T.self, shape: shape).write(values, atRow: 0)
    }
    func put(_ path: String, _ texts: [String]) throws {
      guard !missing.contains(path) else { return }
      try file.createStringDataset(path, shape: [texts.count]).writeStrings(texts, atRow: 0)
    }
    try put("images/offsets", offsets)
    try put("images/bytes", images.flatMap { $0 })
    try put("images/size", sizes, row: [2])
    try put("frames/sequence", frameSequences)
    try put("frames/timestamp_us", timestamps)
    try put("sequences/name", sequenceNames)
    try put("sequences/kind", kinds)
    try put("sequences/first", firsts)
    try put("sequences/count", counts)
    try put("faces/frame", faceFrames)
    try put("faces/box", boxes, row: [4])
    try put("faces/area", areas)
    try put("faces/landmarks/ibug68/points", points, row: [68, 2])
    try put("faces/landmarks/ibug68/visible", visible, row: [68])
    try spoil(file)
    try file.close()
  }
}

enum Sample {
  /// A PNG whose pixels depend on its size.
  static func png(_ width: Int, _ height: Int) -> [UInt8] {
    png(width, height, (0..<width * height * 3).map { UInt8(($0 * 37 + width) % 251) })
  }

  /// A PNG of given RGB bytes, or nothing where they do not fit.
  static func png(_ width: Int, _ height: Int, _ bytes: [UInt8]) -> [UInt8] {
    guard let image = PixelBuffer(width: width, height: height, bytes: bytes) else { return [] }
    return (try? image.pngBytes()) ?? []
  }

  static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
    (try? PixelBuffer(width: width, height: height, color: RGB(90, 60, 30)).jpegBytes(quality: 80))
      ?? []
  }

  /// 68 points of the ibug68 scheme on a grid, each of the state that the closure gives.
  static func landmarks(
    _ state: (Int) -> PointVisibility = { _ in .visible }
  ) -> Landmarks? {
    let states = (0..<68).map(state)
    let points = (0..<68).map { index in
      states[index] == .notLabelled
        ? Point(x: .nan, y: .nan) : Point(x: Double(index) + 0.25, y: 100 - Double(index) / 2)
    }
    return Landmarks(scheme: .ibug68, points: points, visibility: states)
  }
}
