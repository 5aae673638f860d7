/// A version 2 B-tree: records of one size in the order of their keys.
struct BTreeV2 {
  /// Where a record lies relative to the one that is looked for.
  enum Order {
    case before, equal, after
  }

  let recordBytes: Int
  private let kind: HDF5Format.BTreeV2.Kind
  private let root: Pointer?
  /// Level 0 are the leaves, the last level is the root.
  private let levels: [Level]
  /// Bytes of the count of records in one node.
  private let countBytes: Int
  private let file: RawFile
  private let operation: Operation
  private let damaged: HDF5Error
  /// The node of each level that `record` read last.
  private var path: [Int: (address: UInt64, node: Node)] = [:]
  /// Bytes of the nodes that `record` has read.
  private(set) var readBytes = 0

  private struct Level {
    let maxRecords: Int
    /// Bytes of the count of records in a node of this level and below it; 0 for leaves.
    let totalBytes: Int
  }

  private struct Pointer {
    let address: UInt64
    let recordCount: Int
  }

  private struct Node {
    let records: [ArraySlice<UInt8>]
    /// One more than records; empty in leaves.
    let children: [Pointer]
  }

  /// Reads the tree's header; `what` names the list in messages, as in `its list of links is damaged`.
  init(
    at address: UInt64, _ kinds: [HDF5Format.BTreeV2.Kind], of what: String, in file: RawFile,
    _ operation: Operation
  ) throws(HDF5Error) {
    self.file = file
    self.operation = operation
    damaged = operation.failure(.corrupt, "its \(what) is damaged")
    typealias Numbers = HDF5Format.BTreeV2
    let header = try file.bytes(
      at: address, count: 22 + file.addressBytes + file.lengthBytes, operation)
    var reader = ByteReader(header[...].dropFirst(4))
    guard header.starts(with: Numbers.headerSignature.utf8), MetadataChecksum.holds(header[...]),
      reader.integer(1) == Numbers.version,
      let kind = reader.integer(1).flatMap(Numbers.Kind.init(rawValue:)), kinds.contains(kind),
      let nodeBytes = reader.integer(4), let recordBytes = reader.integer(2), recordBytes > 0,
      let depth = reader.integer(2), depth <= Numbers.maxDepth, reader.skip(2) != nil,
      let root = reader.address(file.addressBytes), let rootCount = reader.integer(2),
      let recordCount = reader.integer(file.lengthBytes),
      recordCount <= (try file.size(operation)) / recordBytes,
      let levels = Self.levels(depth, nodeBytes, recordBytes, file.addressBytes),
      (root == nil) == (recordCount == 0)
    else { throw damaged }
    self.kind = kind
    self.recordBytes = recordBytes
    self.root = root.map { Pointer(address: $0, recordCount: rootCount) }
    self.levels = levels
    countBytes = Self.bytes(for: levels[0].maxRecords)
  }

  /// Bytes of the numbers up to a limit.
  private static func bytes(for limit: Int) -> Int {
    max(1, (Int.bitWidth - limit.leadingZeroBitCount + 7) / 8)
  }

  /// The capacities of all levels; nil if they contradict each other.
  private static func levels(
    _ depth: Int, _ nodeBytes: Int, _ recordBytes: Int, _ addressBytes: Int
  ) -> [Level]? {
    let room = nodeBytes - HDF5Format.BTreeV2.nodeOverhead
    guard room >= recordBytes else { return nil }
    var total = room / recordBytes
    let countBytes = bytes(for: total)
    var levels = [Level(maxRecords: total, totalBytes: 0)]
    for _ in 0..<depth {
      let pointerBytes = addressBytes + countBytes + (levels.last?.totalBytes ?? 0)
      let count = (room - pointerBytes) / (recordBytes + pointerBytes)
      guard room > pointerBytes, count > 0 else { return nil }
      let (below, overflow) = total.multipliedReportingOverflow(by: count + 1)
      let (sum, sumOverflow) = below.addingReportingOverflow(count)
      guard !overflow, !sumOverflow else { return nil }
      total = sum
      levels.append(Level(maxRecords: count, totalBytes: bytes(for: total)))
    }
    return levels
  }

  /// Calls `body` with each record in their order; throws `.corrupt` if the nodes cannot all be in the file.
  func forEach(
    _ body: (ArraySlice<UInt8>) throws(HDF5Error) -> Void
  ) throws(HDF5Error) {
    guard let root else { return }
    // Each node is stored once, so a loop exceeds the file's size.
    var budget = try file.size(operation)
    try visit(root, levels.count - 1, &budget, body)
  }

  private func visit(
    _ pointer: Pointer, _ level: Int, _ budget: inout Int,
    _ body: (ArraySlice<UInt8>) throws(HDF5Error) -> Void
  ) throws(HDF5Error) {
    let node = try node(pointer, level)
    budget -= HDF5Format.BTreeV2.nodeOverhead + node.records.count * recordBytes
    guard budget >= 0 else { throw damaged }
    for (index, record) in node.records.enumerated() {
      if level > 0 { try visit(node.children[index], level - 1, &budget, body) }
      try body(record)
    }
    if let last = node.children.last { try visit(last, level - 1, &budget, body) }
  }

  /// The record for which `order` says `equal`; nil if there is none.
  ///
  /// The nodes on the way are kept, so that neighbours are found without reading them again.
  mutating func record(
    where order: (ArraySlice<UInt8>) throws(HDF5Error) -> Order
  ) throws(HDF5Error) -> ArraySlice<UInt8>? {
    guard var pointer = root else { return nil }
    for level in levels.indices.reversed() {
      let node = try keptNode(pointer, level)
      var (low, high) = (0, node.records.count)
      while low < high {
        let middle = (low + high) / 2
        switch try order(node.records[middle]) {
        case .equal: return node.records[middle]
        case .before: low = middle + 1
        case .after: high = middle
        }
      }
      guard level > 0 else { break }
      pointer = node.children[low]
    }
    return nil
  }

  private mutating func keptNode(_ pointer: Pointer, _ level: Int) throws(HDF5Error) -> Node {
    if let known = path[level], known.address == pointer.address,
      known.node.records.count == pointer.recordCount
    {
      return known.node
    }
    let node = try node(pointer, level)
    readBytes += HDF5Format.BTreeV2.nodeOverhead + node.records.count * recordBytes
    path[level] = (pointer.address, node)
    return node
  }

  private func node(_ pointer: Pointer, _ level: Int) throws(HDF5Error) -> Node {
    typealias Numbers = HDF5Format.BTreeV2
    let count = pointer.recordCount
    guard count <= levels[level].maxRecords else { throw damaged }
    let isLeaf = level == 0
    let totalBytes = isLeaf ? 0 : levels[level - 1].totalBytes
    let pointerBytes = isLeaf ? 0 : file.addressBytes + countBytes + totalBytes
    let bytes = try file.bytes(
      at: pointer.address,
      count: Numbers.nodeOverhead + count * recordBytes + (isLeaf ? 0 : count + 1) * pointerBytes,
      operation)
    let signature = isLeaf ? Numbers.leafSignature : Numbers.internalSignature
    var reader = ByteReader(bytes[...].dropFirst(4))
    guard bytes.starts(with: signature.utf8), MetadataChecksum.holds(bytes[...]),
      reader.integer(1) == Numbers.version, reader.integer(1) == kind.rawValue
    else { throw damaged }
    var records: [ArraySlice<UInt8>] = []
    records.reserveCapacity(count)
    for _ in 0..<count {
      guard let record = reader.take(recordBytes) else { throw damaged }
      records.append(record)
    }
    var children: [Pointer] = []
    if !isLeaf {
      for _ in 0...count {
        guard let child = reader.address(file.addressBytes), let child,
          let childCount = reader.integer(countBytes), reader.skip(totalBytes) != nil
        else { throw damaged }
        children.append(Pointer(address: child, recordCount: childCount))
      }
    }
    return Node(records: records, children: children)
  }
}
