/// A dataspace message.
struct Extents {
  var shape: [Int] = []
  var rank = 0
  /// Axes that grow without a limit.
  var unlimitedAxes: [Int] = []
  var limits: [Int] = []

  init(_ body: ArraySlice<UInt8>, _ lengthBytes: Int, _ operation: Operation) throws(HDF5Error) {
    let damaged = operation.failure(.corrupt, "its dataspace is damaged")
    var reader = ByteReader(body)
    guard let version = reader.integer(1), HDF5Format.Dataspace.versions.contains(version),
      let rank = reader.integer(1), let flags = reader.integer(1), let code = reader.integer(1)
    else { throw damaged }
    let hasKind = version >= HDF5Format.Dataspace.firstVersionWithKind
    guard reader.skip(hasKind ? 0 : 4) != nil else { throw damaged }
    let kind = hasKind ? HDF5Format.Dataspace.Kind(rawValue: code) : nil
    guard rank <= HDF5Format.maxRank,
      !hasKind || kind.map({ ($0 == .simple) == (rank > 0) }) == true
    else {
      throw operation.failure(
        .refused, expected: "a rank of at most \(HDF5Format.maxRank)", found: "rank \(rank)")
    }
    self.rank = rank
    if kind == .null {
      shape = [0]
      return
    }
    for _ in 0..<rank {
      guard let extent = reader.unsigned(lengthBytes) else { throw damaged }
      guard let extent = Int(exactly: extent) else {
        throw operation.failure(.refused, "an extent of \(extent) is beyond any file")
      }
      shape.append(extent)
    }
    limits = shape
    guard flags & HDF5Format.Dataspace.hasLimits != 0 else { return }
    for axis in shape.indices {
      guard let limit = reader.address(lengthBytes) else { throw damaged }
      if let limit = limit.flatMap({ Int(exactly: $0) }) { limits[axis] = limit }
      if limit == nil { unlimitedAxes.append(axis) }
    }
  }
}
