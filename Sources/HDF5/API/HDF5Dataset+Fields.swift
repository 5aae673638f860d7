internal import Platform

extension HDF5Dataset {
  /// The names of the fields of a compound type in the order of the file; empty for other types.
  package var fields: [String] { part.members.map(\.name) }

  /// One field of a compound type as a dataset, whose last extents are those of the field's array.
  ///
  /// A field of a field is `field("a").field("b")`. Throws `.wrongLayout` if there is no such field.
  package func field(_ name: String) throws(HDF5Error) -> HDF5Dataset {
    let operation = operation("read")
    guard let member = part.members.first(where: { $0.name == name }) else {
      let names = fields.map { "'\($0)'" }.joined(separator: ", ")
      throw operation.mismatch(
        expected: "a field '\(name)'", found: names.isEmpty ? "\(elementType)" : "fields \(names)")
    }
    return try view("\(path):\(name)", part.member(member, in: file.raw), operation)
  }
}

/// The values that a dataset takes out of each stored element: all of it, or one field.
struct ElementPart: Sendable {
  private struct Axis {
    let extent: Int
    /// Bytes between neighbours.
    let stride: Int
  }

  /// The type of one value.
  let type: StoredType
  /// The fields of one value.
  let members: [DatatypeMessage.Member]
  private let offset: Int
  private let axes: [Axis]

  /// All of an element, arrays as further axes, and an opaque value as an array of bytes.
  init(_ type: DatatypeMessage, in file: RawFile) {
    self.init(type, offset: 0, axes: [], in: file)
  }

  private init(_ type: DatatypeMessage, offset: Int, axes: [Axis], in file: RawFile) {
    var (axes, type) = (axes, type)
    while case .array(let element, let extents) = type.content {
      var strides = [element.byteCount]
      for extent in extents.dropFirst().reversed() {
        strides.append(strides[strides.count - 1] * extent)
      }
      axes += zip(extents, strides.reversed()).map { Axis(extent: $0, stride: $1) }
      type = element
    }
    if case .opaque = type.content {
      axes.append(Axis(extent: type.byteCount, stride: 1))
      self.type = .byte
    } else {
      self.type = StoredType(type, in: file)
    }
    members = if case .compound(let members) = type.content { members } else { [] }
    self.offset = offset
    self.axes = axes
  }

  /// All of an element that is written, which is a single value.
  init(_ type: StoredType) {
    self.type = type
    members = []
    offset = 0
    axes = []
  }

  /// A field of these values.
  func member(_ member: DatatypeMessage.Member, in file: RawFile) -> ElementPart {
    ElementPart(member.type, offset: offset + member.offset, axes: axes, in: file)
  }

  /// The extents that follow those of the dataspace.
  var extents: [Int] { axes.map(\.extent) }

  /// Bytes of the values of one element.
  var byteCount: Int { axes.reduce(type.byteCount) { $0 * $1.extent } }

  /// Appends the values of consecutive elements of `elementBytes` bytes to those before `end`; returns the new end.
  func gather(
    _ elements: UnsafeRawBufferPointer, elementBytes: Int,
    into target: UnsafeMutableRawBufferPointer, from end: Int
  ) -> Int {
    // Inner axes without gaps are copied at once.
    var run = type.byteCount
    var outer = axes[...]
    while let last = outer.last, last.stride == run {
      run *= last.extent
      outer.removeLast()
    }
    var (end, index) = (end, [Int](repeating: 0, count: outer.count))
    for element in stride(from: offset, to: elements.count, by: elementBytes) {
      var source = element
      copying: while true {
        UnsafeMutableRawBufferPointer(rebasing: target[end..<end + run])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: elements[source..<source + run]))
        end += run
        var axis = outer.count - 1
        while axis >= 0 {
          index[axis] += 1
          source += outer[axis].stride
          if index[axis] < outer[axis].extent { continue copying }
          source -= outer[axis].extent * outer[axis].stride
          index[axis] = 0
          axis -= 1
        }
        break
      }
    }
    return end
  }
}

/// Reads rows of what a dataset takes of each stored element.
struct PartReader {
  /// Bytes of whole elements that are read at once, if they are more than one row.
  private static let blockBytes = 1 << 16

  let dataset: HDF5Dataset
  let shape: [Int]
  private(set) var rows: RowReader
  let operation: Operation

  /// Fills `target`, which holds exactly the values of `range`; the rows of a scalar are those of its array.
  mutating func read(
    _ range: Range<Int>, into target: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    guard !target.isEmpty else { return }
    let (part, elementBytes) = (dataset.part, dataset.type.byteCount)
    guard !shape.isEmpty || target.count == part.byteCount else {
      return try readSlice(range, into: target)
    }
    let range = shape.isEmpty ? 0..<1 : range
    guard part.byteCount < elementBytes else { return try rows.read(range, into: target) }
    let perRow = shape.dropFirst().reduce(1, *)
    try ExtentCheck.checkRead(perRow, elementBytes: elementBytes, in: dataset.file.raw, operation)
    let rowBytes = perRow * elementBytes
    let step = min(range.count, max(1, Self.blockBytes / rowBytes))
    var block = [UInt8](repeating: 0, count: step * rowBytes)
    var end = 0
    for start in stride(from: range.lowerBound, to: range.upperBound, by: step) {
      let next = start..<min(start + step, range.upperBound)
      try block.withMutableBuffer { (buffer) throws(HDF5Error) in
        let bytes = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[..<(next.count * rowBytes)])
        try rows.read(next, into: bytes)
        end = part.gather(
          UnsafeRawBufferPointer(bytes), elementBytes: elementBytes, into: target, from: end)
      }
    }
  }

  /// Some rows of the array that a scalar holds.
  private mutating func readSlice(
    _ range: Range<Int>, into target: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    let byteCount = dataset.part.byteCount
    try ExtentCheck.checkRead(1, elementBytes: byteCount, in: dataset.file.raw, operation)
    var whole = [UInt8](repeating: 0, count: byteCount)
    try whole.withMutableBuffer { (buffer) throws(HDF5Error) in
      try read(0..<1, into: UnsafeMutableRawBufferPointer(buffer))
    }
    let start = range.lowerBound * (target.count / range.count)
    target.copyBytes(from: whole[start..<start + target.count])
  }
}
