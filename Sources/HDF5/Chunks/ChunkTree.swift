/// Finds chunks in a version 1 B-tree without libhdf5, which trusts the stored sizes.
struct ChunkTree: ChunkSource {
  struct Node {
    let level: Int
    /// One more than children: the last is the upper bound.
    let keys: [Key]
    let children: [UInt64]
  }

  struct Key {
    let storedBytes: Int
    let skippedFilters: UInt32
    let offset: [Int]
  }

  let root: UInt64
  let rank: Int
  let file: RawFile
  let operation: Operation
  private(set) var lastLeaf: Node?

  /// The chunk that starts at `offset`, in elements; nil if it was never written.
  mutating func entry(at offset: [Int]) throws(HDF5Error) -> ChunkEntry? {
    if let leaf = lastLeaf, let first = leaf.keys.first, !precedes(offset, first.offset),
      let end = leaf.keys.last, precedes(offset, end.offset)
    {
      return entry(at: offset, in: leaf)
    }
    var node = try node(at: root)
    while node.level > 0 {
      guard let child = index(of: offset, in: node) else { return nil }
      let below = try self.node(at: node.children[child])
      guard below.level == node.level - 1 else { throw damaged }
      node = below
    }
    lastLeaf = node
    return entry(at: offset, in: node)
  }

  private func entry(at offset: [Int], in leaf: Node) -> ChunkEntry? {
    guard let child = index(of: offset, in: leaf), leaf.keys[child].offset == offset else {
      return nil
    }
    let key = leaf.keys[child]
    return ChunkEntry(
      address: leaf.children[child], storedBytes: key.storedBytes,
      skippedFilters: key.skippedFilters)
  }

  /// The last child whose key does not come after `offset`.
  private func index(of offset: [Int], in node: Node) -> Int? {
    var (low, high) = (0, node.children.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(offset, node.keys[middle].offset) { high = middle } else { low = middle + 1 }
    }
    return low > 0 ? low - 1 : nil
  }

  private func precedes(_ left: [Int], _ right: [Int]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }

  private var damaged: HDF5Error { operation.failure(.corrupt, "its chunk index is damaged") }

  private func node(at address: UInt64) throws(HDF5Error) -> Node {
    let headerBytes = 8 + 2 * file.addressBytes
    let header = try file.bytes(at: address, count: headerBytes, operation)
    var reader = ByteReader(header[...].dropFirst(4))
    guard header.starts(with: HDF5Format.BTree.signature.utf8),
      reader.integer(1) == HDF5Format.BTree.chunkNode, let level = reader.integer(1),
      let count = reader.integer(2)
    else { throw damaged }
    let keyBytes = 8 + 8 * (rank + 1)
    let body = try file.bytes(
      at: address &+ UInt64(headerBytes), count: count * (keyBytes + file.addressBytes) + keyBytes,
      operation)
    reader = ByteReader(body[...])
    var keys: [Key] = []
    var children: [UInt64] = []
    keys.reserveCapacity(count + 1)
    for index in 0...count {
      guard let stored = reader.integer(4), let skipped = reader.unsigned(4) else { throw damaged }
      var offset: [Int] = []
      for _ in 0..<rank {
        // The last key's offsets may be unset; any order past the others will do.
        guard let start = reader.unsigned(8) else { throw damaged }
        offset.append(Int(clamping: start))
      }
      guard reader.skip(8) != nil else { throw damaged }
      keys.append(
        Key(
          storedBytes: stored, skippedFilters: UInt32(truncatingIfNeeded: skipped), offset: offset))
      if index < count {
        guard let child = reader.address(file.addressBytes), let child else { throw damaged }
        children.append(child)
      }
    }
    return Node(level: level, keys: keys, children: children)
  }
}
