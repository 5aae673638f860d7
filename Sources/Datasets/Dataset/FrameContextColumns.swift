internal import HDF5

/// Writes cameras, attributes and depth maps of frames; a table is created with its first value.
struct FrameContextColumns {
  private let tables: TableFile
  private var matrices: [String: Column<Double>] = [:]
  private var attributes: [String: Column<Double>] = [:]
  private var depthFrames: Column<Int32>?
  private var depthMaps: Column<Float>?
  private var depthSize: (width: Int, height: Int)?

  init(_ tables: TableFile) { self.tables = tables }

  /// The first value of a frame that the tables cannot hold, or nil.
  func refusal(
    of context: FrameContext, _ depth: DepthMap?
  ) -> (expected: String, found: String)? {
    for (path, side, values) in Self.matrices(of: context) {
      guard let values else { continue }
      guard values.count == side * side, values.allSatisfy(\.isFinite) else {
        return ("\(side * side) finite numbers in \(path)", "\(values)")
      }
    }
    let more = context.attributes.keys.count { attributes[$0] == nil }
    guard attributes.count + more <= DatasetLayout.maxAttributes else {
      return (
        "at most \(DatasetLayout.maxAttributes) attributes of frames", "\(attributes.count + more)"
      )
    }
    for (name, number) in context.attributes {
      guard DatasetLayout.isTableName(name) else {
        return ("a frame's attribute of a plain name", "'\(name.prefix(60))'")
      }
      if number.isInfinite { return ("a finite number or NaN for '\(name)'", "\(number)") }
    }
    if let depth {
      if depth.metres.contains(where: \.isInfinite) {
        return ("depths of finite numbers or NaN", "an infinite one")
      }
      if let size = depthSize, size != (depth.width, depth.height) {
        return (
          "depth maps of \(size.width)x\(size.height) as before", "\(depth.width)x\(depth.height)"
        )
      }
    }
    return nil
  }

  mutating func append(
    _ context: FrameContext, _ depth: DepthMap?, frame: Int
  ) throws(HDF5Error) {
    for (path, side, values) in Self.matrices(of: context) {
      if matrices[path] == nil, values != nil {
        matrices[path] = try Column(tables, path, row: [side, side], rowsBefore: frame)
      }
      try matrices[path]?.append(contentsOf: values ?? Array(repeating: .nan, count: side * side))
    }
    for name in context.attributes.keys.sorted() where attributes[name] == nil {
      attributes[name] = try Column(tables, "frames/attributes/\(name)", rowsBefore: frame)
    }
    for name in attributes.keys { try attributes[name]?.append(context.attributes[name] ?? .nan) }
    guard let depth else { return }
    if depthMaps == nil {
      depthFrames = Column(tables, "depth/frame")
      depthMaps = Column(tables, "depth/map", row: [depth.height, depth.width], chunkRows: 1)
      depthSize = (depth.width, depth.height)
    }
    try depthFrames?.append(Int32(clamping: frame))
    try depthMaps?.append(contentsOf: depth.metres)
  }

  /// The matrices that a frame can have, with the tables and the sides of each.
  private static func matrices(
    of context: FrameContext
  ) -> [(path: String, side: Int, values: [Double]?)] {
    [
      ("camera/intrinsics", 3, context.intrinsics),
      ("camera/transform", 4, context.cameraTransform),
    ]
  }
}
