/// The links of one group; their total size is bounded by the file's size.
struct GroupLinks: Sendable {
  enum Link: Sendable {
    case object(address: UInt64)
    case soft(target: [UInt8])
    case external
    case unknown
  }

  private(set) var links: [String: Link] = [:]
  /// Whether a name is not UTF-8; its member cannot be opened.
  private(set) var hasUnreadableName = false
  private let file: RawFile
  private let operation: Operation
  /// Budget of bytes: each name and entry is stored once, so a damaged file with a loop exceeds its size.
  private var nameBudget: Int
  private var entryBudget: Int

  /// Reads the links that a group's header holds or points to; throws `.corrupt` or `.refused`.
  init(_ header: ObjectHeader, in file: RawFile, _ operation: Operation) throws(HDF5Error) {
    self.file = file
    self.operation = operation
    nameBudget = try file.size(operation)
    entryBudget = nameBudget / Self.minEntryBytes
    for message in header.messages where message.type == HDF5Format.Message.link {
      guard !message.isShared else { throw damaged }
      try addLink(message.body)
    }
    if let info = try header.single(HDF5Format.Message.linkInfo, in: file) {
      try addDenseLinks(info)
    }
    if let table = try header.single(HDF5Format.Message.symbolTable, in: file) {
      try addSymbolTable(table)
    }
  }

  /// An entry of an old group in a file with addresses of two bytes.
  private static let minEntryBytes = 28

  private var damaged: HDF5Error { operation.failure(.corrupt, "its list of links is damaged") }

  private mutating func add(_ name: ArraySlice<UInt8>, _ link: Link) throws(HDF5Error) {
    nameBudget -= name.count
    if case .soft(let target) = link { nameBudget -= target.count }
    guard nameBudget >= 0, !name.isEmpty else { throw damaged }
    guard let text = String(validating: name, as: UTF8.self) else {
      hasUnreadableName = true
      return
    }
    guard links.updateValue(link, forKey: text) == nil else { throw damaged }
  }

  /// A link message of the newer format.
  private mutating func addLink(_ body: ArraySlice<UInt8>) throws(HDF5Error) {
    var reader = ByteReader(body)
    typealias Numbers = HDF5Format.Link
    guard reader.integer(1) == Numbers.version, let flags = reader.integer(1),
      Numbers.flags.contains(flags),
      let kind = flags & Numbers.hasKind != 0 ? reader.integer(1) : Numbers.hard,
      [Numbers.hard, Numbers.soft].contains(kind) || Numbers.userDefined.contains(kind),
      reader.skip(flags & Numbers.hasCreationOrder != 0 ? 8 : 0) != nil,
      let encoding = flags & Numbers.hasCharacterSet != 0 ? reader.integer(1) : 0,
      Numbers.characterSets.contains(encoding),
      let nameBytes = reader.integer(1 << (flags & Numbers.nameWidthMask)),
      let name = reader.take(nameBytes), !name.contains(0)
    else { throw damaged }
    switch kind {
    case Numbers.hard:
      guard let address = reader.address(file.addressBytes), let address else { throw damaged }
      try add(name, .object(address: address))
    case Numbers.soft:
      guard let size = reader.integer(2), size > 0, let target = reader.take(size) else {
        throw damaged
      }
      try add(name, .soft(target: Array(target)))
    case Numbers.external: try add(name, .external)
    default: try add(name, .unknown)
    }
  }

  /// The links of a large group of the newer format: link messages in a heap, indexed by their names.
  private mutating func addDenseLinks(_ info: ArraySlice<UInt8>) throws(HDF5Error) {
    typealias Numbers = HDF5Format.LinkInfo
    var reader = ByteReader(info)
    guard reader.integer(1) == Numbers.version, let flags = reader.integer(1),
      reader.skip(flags & Numbers.tracksCreationOrder != 0 ? 8 : 0) != nil,
      let heapAddress = reader.address(file.addressBytes),
      let treeAddress = reader.address(file.addressBytes)
    else { throw damaged }
    guard let heapAddress else { return }
    guard let treeAddress else { throw damaged }
    let what = "list of links"
    let tree = try BTreeV2(at: treeAddress, [.linkNames], of: what, in: file, operation)
    var heap = try FractalHeap(at: heapAddress, of: what, in: file, operation)
    var identifiers: [ArraySlice<UInt8>] = []
    try tree.forEach { record throws(HDF5Error) in
      let identifier = record.dropFirst(Numbers.checksumBytes)
      guard identifier.count == Numbers.identifierBytes else { throw damaged }
      identifiers.append(identifier)
    }
    for identifier in heap.sorted(identifiers) { try addLink(heap.object(identifier)) }
  }

  /// A group of the older format: a B-tree of nodes of entries, whose names lie in a heap.
  private mutating func addSymbolTable(_ body: ArraySlice<UInt8>) throws(HDF5Error) {
    var reader = ByteReader(body)
    guard let tree = reader.address(file.addressBytes), let tree,
      let heap = reader.address(file.addressBytes), let heap
    else { throw damaged }
    let names = try heapBytes(at: heap)
    var pending: [(address: UInt64, level: Int?)] = [(tree, nil)]
    var seen: Set<UInt64> = []
    while let next = pending.popLast() {
      guard seen.insert(next.address).inserted else { throw damaged }
      let isLeaf = next.level == -1
      if isLeaf {
        try addEntries(at: next.address, names)
      } else {
        let node = try node(at: next.address)
        guard next.level ?? node.level == node.level else { throw damaged }
        // Popped in the order of the names.
        pending += node.children.reversed().map { (address: $0, level: node.level - 1) }
      }
    }
  }

  private func heapBytes(at address: UInt64) throws(HDF5Error) -> [UInt8] {
    let header = try file.bytes(
      at: address, count: 8 + 2 * file.lengthBytes + file.addressBytes, operation)
    var reader = ByteReader(header[...].dropFirst(8))
    guard header.starts(with: HDF5Format.LocalHeap.signature.utf8),
      header[4] == HDF5Format.LocalHeap.version,
      let count = reader.integer(file.lengthBytes), reader.skip(file.lengthBytes) != nil,
      let data = reader.address(file.addressBytes), let data
    else { throw damaged }
    return try file.bytes(at: data, count: count, operation)
  }

  private mutating func node(
    at address: UInt64
  ) throws(HDF5Error) -> (level: Int, children: [UInt64]) {
    let headerBytes = 8 + 2 * file.addressBytes
    let header = try file.bytes(at: address, count: headerBytes, operation)
    var reader = ByteReader(header[...].dropFirst(4))
    guard header.starts(with: HDF5Format.BTree.signature.utf8),
      reader.integer(1) == HDF5Format.BTree.groupNode, let level = reader.integer(1),
      let count = reader.integer(2)
    else { throw damaged }
    try spend(count)
    let body = try file.bytes(
      at: address &+ UInt64(headerBytes), count: count * (file.lengthBytes + file.addressBytes),
      operation)
    reader = ByteReader(body[...])
    var children: [UInt64] = []
    for _ in 0..<count {
      guard reader.skip(file.lengthBytes) != nil, let child = reader.address(file.addressBytes),
        let child
      else { throw damaged }
      children.append(child)
    }
    return (level, children)
  }

  private mutating func addEntries(at address: UInt64, _ names: [UInt8]) throws(HDF5Error) {
    let header = try file.bytes(at: address, count: 8, operation)
    var reader = ByteReader(header[...].dropFirst(6))
    guard header.starts(with: HDF5Format.SymbolTableNode.signature.utf8),
      header[4] == HDF5Format.SymbolTableNode.version, let count = reader.integer(2)
    else { throw damaged }
    try spend(count)
    let entryBytes = file.lengthBytes + file.addressBytes + 24
    let body = try file.bytes(at: address &+ 8, count: count * entryBytes, operation)
    reader = ByteReader(body[...])
    for _ in 0..<count {
      guard let start = reader.integer(file.lengthBytes),
        let target = reader.address(file.addressBytes), let cache = reader.integer(4),
        reader.skip(4) != nil, let linkStart = reader.integer(4), reader.skip(12) != nil
      else { throw damaged }
      let name = try text(at: start, in: names)
      switch (HDF5Format.CacheType(rawValue: cache), target) {
      case (.softLink?, _):
        try add(name, .soft(target: Array(try text(at: linkStart, in: names))))
      case (.nothing?, let target?), (.group?, let target?):
        try add(name, .object(address: target))
      default: throw damaged
      }
    }
  }

  private func text(at start: Int, in names: [UInt8]) throws(HDF5Error) -> ArraySlice<UInt8> {
    guard start < names.count,
      let end = names[start...].prefix(nameBudget + 1).firstIndex(of: 0)
    else { throw damaged }
    return names[start..<end]
  }

  private mutating func spend(_ entries: Int) throws(HDF5Error) {
    entryBudget -= entries
    guard entryBudget >= 0 else { throw damaged }
  }
}
