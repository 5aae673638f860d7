internal import HDF5
internal import Platform

/// Cameras, attributes and depth maps of the frames, each if the file has it.
struct FrameContextTables {
  /// Available data other than depth: `camera intrinsics`, `camera transform`, and the attributes.
  var names: [String] {
    (intrinsics == nil ? [] : ["camera intrinsics"])
      + (transforms == nil ? [] : ["camera transform"]) + attributeNames
  }
  /// Number of frames that have a depth map.
  var depthCount: Int { depth?.maps.shape[0] ?? 0 }
  private let path: String
  private let intrinsics: HDF5Dataset?
  private let transforms: HDF5Dataset?
  private let attributeNames: [String]
  private let attributes: [HDF5Dataset]
  private let depth: (frames: HDF5Dataset, maps: HDF5Dataset)?

  /// Opens the tables and checks their shapes and names, and that depth frames ascend.
  init(_ file: HDF5File, frames: Int) throws {
    path = file.path
    intrinsics = try file.optional(
      "camera/intrinsics", holding: Double.self, shape: [frames, 3, 3])
    transforms = try file.optional("camera/transform", holding: Double.self, shape: [frames, 4, 4])
    attributeNames = try file.optionalMembers(of: "frames/attributes")
    try TableCheck.attributeCount(attributeNames.count, of: "frames", in: file)
    attributes = try attributeNames.map {
      try file.dataset("frames/attributes/\($0)", holding: Double.self, shape: [frames])
    }
    let (hasFrames, hasMaps) = (try file.exists("depth/frame"), try file.exists("depth/map"))
    guard hasFrames == hasMaps else {
      throw FileError.wrongData(
        "cannot read 'depth' in \(file.path): expected both depth/frame and depth/map or neither, "
          + "found one")
    }
    guard hasFrames else {
      depth = nil
      return
    }
    let rows = try file.dataset("depth/frame", holding: Int32.self, shape: [nil])
    try TableCheck.ascending(rows, below: frames, in: file)
    depth = (
      rows, try file.dataset("depth/map", holding: Double.self, shape: [rows.shape[0], nil, nil])
    )
  }

  /// Adds the tables to the cost of a frame.
  func add(to cost: inout RowCost) {
    cost.add([intrinsics, transforms, depth?.maps], memory: 1)
    cost.addNamedValues(attributes.count)
  }

  /// Camera and attributes of each frame of a range.
  func contexts(_ range: Range<Int>) throws(FileError) -> [FrameContext] {
    try FileError.reading {
      var result = range.map { _ in FrameContext() }
      for (table, name, field) in [
        (intrinsics, "camera/intrinsics", \FrameContext.intrinsics),
        (transforms, "camera/transform", \FrameContext.cameraTransform),
      ] {
        guard let table else { continue }
        let count = table.shape[1] * table.shape[2]
        let values = try table.readByValue(Double.self, rows: range)
        for (offset, frame) in range.enumerated() {
          let own = Array(values[(count * offset)..<(count * (offset + 1))])
          if own.allSatisfy(\.isNaN) { continue }
          guard own.allSatisfy(\.isFinite) else {
            throw wrong("'\(name)'[\(frame)]", "finite numbers, or NaN in all", "\(own)")
          }
          result[offset][keyPath: field] = own
        }
      }
      for (name, table) in zip(attributeNames, attributes) {
        let values = try table.readByValue(Double.self, rows: range)
        for (offset, frame) in range.enumerated() where !values[offset].isNaN {
          guard values[offset].isFinite else {
            throw wrong(
              "'frames/attributes/\(name)'[\(frame)]", "a finite number or NaN",
              "\(values[offset])")
          }
          result[offset].attributes[name] = values[offset]
        }
      }
      return result
    }
  }

  /// The depth map of a frame; nil if it has none.
  func depth(_ frame: Int) throws(FileError) -> DepthMap? {
    var found: DepthMap?
    try forEachDepth(in: frame..<frame + 1) { found = $0 }
    return found
  }

  /// Passes the depth maps of a range of frames to a closure, in order.
  func forEachDepth(
    in range: Range<Int>, _ body: (DepthMap) -> Void
  ) throws(FileError) {
    guard let depth else { return }
    try FileError.reading {
      let first = try Self.firstRow(from: range.lowerBound, in: depth.frames)
      let rows = first..<min(first + range.count, depth.frames.shape[0])
      let frames = try depth.frames.readByValue(Int32.self, rows: rows)
      for (row, _) in zip(rows, frames.prefix { $0 < range.upperBound }) {
        let values = try depth.maps.readByValue(Double.self, rows: row..<(row + 1))
        let map = DepthMap(
          width: depth.maps.shape[2], height: depth.maps.shape[1], metres: values.map { Float($0) })
        if let map { body(map) }
      }
    }
  }

  /// The first row of an ascending table whose value is at least a number, by binary search.
  private static func firstRow(
    from frame: Int, in table: HDF5Dataset
  ) throws(HDF5Error) -> Int {
    var (low, high) = (0, table.shape[0])
    while low < high {
      let middle = (low + high) / 2
      let found = Int(try table.readByValue(Int32.self, rows: middle..<(middle + 1))[0])
      if found < frame { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func wrong(_ position: String, _ expected: String, _ found: String) -> FileError {
    FileError.wrongData("cannot read \(position) in \(path): expected \(expected), found \(found)")
  }
}
