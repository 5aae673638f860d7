internal import HDF5

/// Writes cameras, attributes and depth maps of frames; a table is created with its first value.
struct FrameContextColumns {
  private let file: HDF5File
  private var matrices: [String: Column<Double>] = [:]
  private var attributes: [String: Column<Double>] = [:]
  private var depthFrames: Column<Int32>?
  private var depthMaps: Column<Float>?
  private var depthSize: (width: Int, height: Int)?

  /// The tables of matrices and the sides of each.
  static let sides = ["camera/intrinsics": 3, "camera/transform": 4]

  init(_ file: HDF5File) { self.file = file }

  /// The first value of a frame that the tables cannot hold, or nil.
  func refusal(
    of context: FrameContext, _ depth: DepthMap?
  ) -> (expected: String, found: String)? {
    for (path, values) in Self.values(of: context) {
      let count = (Self.sides[path] ?? 0) * (Self.sides[path] ?? 0)
      guard values.count == count, values.allSatisfy(\.isFinite) else {
        return ("\(count) finite numbers in \(path)", "\(values)")
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
    let values = Dictionary(uniqueKeysWithValues: Self.values(of: context))
    for (path, side) in Self.sides where !values.isEmpty || !matrices.isEmpty {
      if matrices[path] == nil, values[path] != nil {
        matrices[path] = try Column(file, path, row: [side, side], rowsBefore: frame)
      }
      try matrices[path]?.append(
        contentsOf: values[path] ?? Array(repeating: .nan, count: side * side))
    }
    for name in context.attributes.keys.sorted() where attributes[name] == nil {
      attributes[name] = try Column(file, "frames/attributes/\(name)", rowsBefore: frame)
    }
    for name in attributes.keys { try attributes[name]?.append(context.attributes[name] ?? .nan) }
    guard let depth else { return }
    if depthMaps == nil {
      depthFrames = Column(file, "depth/frame")
      depthMaps = Column(file, "depth/map", row: [depth.height, depth.width], chunkRows: 1)
      depthSize = (depth.width, depth.height)
    }
    try depthFrames?.append(Int32(clamping: frame))
    try depthMaps?.append(contentsOf: depth.metres)
  }

  mutating func finish() throws(HDF5Error) {
    for path in matrices.keys.sorted() { try matrices[path]?.finish() }
    for name in attributes.keys.sorted() { try attributes[name]?.finish() }
    try depthFrames?.finish()
    try depthMaps?.finish()
  }

  private static func values(of context: FrameContext) -> [(String, [Double])] {
    [
      ("camera/intrinsics", context.intrinsics), ("camera/transform", context.cameraTransform),
    ].compactMap { path, values in values.map { (path, $0) } }
  }
}
