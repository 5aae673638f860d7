/// A dataspace message.
struct Extents {
  var shape: [Int] = []
  var rank = 0
  var isScalar = false
  var isUnlimited = false
  var limits: [Int] = []

  init(_ body: ArraySlice<UInt8>, _ lengthBytes: Int, _ operation: Operation) throws(HDF5Error) {
    let damaged = operation.failure(.corrupt, "its dataspace is damaged")
    var reader = ByteReader(body)
    guard let version = reader.integer(1), version == 1 || version == 2,
      let rank = reader.integer(1), let flags = reader.integer(1), let kind = reader.integer(1),
      reader.skip(version == 1 ? 4 : 0) != nil
    else { throw damaged }
    guard rank <= 32, version == 1 || kind <= 2, version == 1 || (kind == 1) == (rank > 0) else {
      throw operation.failure(.refused, expected: "a rank of at most 32", found: "rank \(rank)")
    }
    self.rank = rank
    if version == 2, kind == 2 {
      shape = [0]
      return
    }
    isScalar = rank == 0
    for _ in 0..<rank {
      guard let extent = reader.unsigned(lengthBytes) else { throw damaged }
      guard let extent = Int(exactly: extent) else {
        throw operation.failure(.refused, "an extent of \(extent) is beyond any file")
      }
      shape.append(extent)
    }
    limits = shape
    guard flags & 1 != 0 else { return }
    for axis in shape.indices {
      guard let limit = reader.address(lengthBytes) else { throw damaged }
      if let limit = limit.flatMap({ Int(exactly: $0) }) { limits[axis] = limit }
      if axis == 0 { isUnlimited = limit == nil }
    }
  }
}
