/// Rows of bytes, one after the other, whatever they are made of, so that the compiler makes this once for all types.
///
/// A row that equals the one before takes no bytes but for a count, so that a property that a dataset does not have costs
/// nothing. The bytes follow from the rows alone, whatever way they came in.
struct PackedBytes: Sendable, Hashable {
  /// Up to `size` rows. Before each written row is its length; 0 and a count stand for so many rows like the last.
  fileprivate struct Chunk: Sendable, Hashable {
    static let size = 1024
    /// After so many rows one is written whatever the one before is.
    static let stride = 32

    var count = 0
    var bytes: [UInt8] = []
    /// Where every `stride`th row begins.
    var starts: [UInt32] = []
    /// Where the last written row is, and whether a count of repetitions follows it.
    var last = 0..<0
    var isRepeated = false

    mutating func append(_ row: ArraySlice<UInt8>) {
      if count % Self.stride == 0 {
        starts.append(UInt32(bytes.count))
      } else if bytes[last].elementsEqual(row) {
        if isRepeated {
          bytes[bytes.count - 1] += 1
        } else {
          bytes += [0, 1]
          isRepeated = true
        }
        count += 1
        return
      }
      var length = row.count + 1
      while length > 0x7F {
        bytes.append(UInt8(length & 0x7F) | 0x80)
        length >>= 7
      }
      bytes.append(UInt8(length))
      last = bytes.count..<bytes.count + row.count
      bytes += row
      isRepeated = false
      count += 1
    }

    /// The same in no more memory than it takes.
    var trimmed: Chunk {
      var chunk = self
      chunk.bytes = []
      chunk.bytes.reserveCapacity(bytes.count)
      chunk.bytes += bytes
      chunk.starts = []
      chunk.starts.reserveCapacity(starts.count)
      chunk.starts += starts
      return chunk
    }
  }

  /// Passes rows without reading them.
  struct Cursor {
    private let chunks: [Chunk]
    private var next: Int
    private var reader = RowReader([])
    private var end = 0
    private var repetitions = 0
    /// Where the row that was passed last is, and in which chunk.
    private var row = 0..<0
    private var chunk = 0
    /// Whether that row is another one than the row before.
    private(set) var isNew = false

    /// Starts before the row at a position.
    init(_ rows: PackedBytes, from position: Int) {
      chunks = rows.chunks
      next = position / Chunk.size
      guard next < chunks.count else { return }
      open()
      let within = position % Chunk.size
      if within / Chunk.stride < chunks[chunk].starts.count {
        reader.position = Int(chunks[chunk].starts[within / Chunk.stride])
      }
      for _ in 0..<within % Chunk.stride { pass() }
    }

    private mutating func open() {
      chunk = next
      next += 1
      reader = RowReader(chunks[chunk].bytes)
      end = chunks[chunk].bytes.count
    }

    /// Passes a row; there must be one.
    mutating func pass() {
      isNew = false
      if repetitions > 0 {
        repetitions -= 1
        return
      }
      if reader.position == end { open() }
      let length = Int(reader.varying())
      if length == 0 {
        repetitions = Int(reader.byte()) - 1
      } else {
        row = reader.position..<reader.position + length - 1
        reader.position = row.upperBound
        isNew = true
      }
    }

    /// The bytes of the row that was passed last.
    fileprivate var bytes: ArraySlice<UInt8> { chunks[chunk].bytes[row] }
    /// Reads that row.
    var rowReader: RowReader { RowReader(chunks[chunk].bytes, at: row.lowerBound) }
  }

  /// All but the last are full.
  private var chunks: [Chunk] = []

  /// How many rows there are.
  var count: Int { chunks.last.map { (chunks.count - 1) * Chunk.size + $0.count } ?? 0 }

  /// How many bytes the rows take.
  var byteCount: Int { chunks.reduce(0) { $0 + $1.bytes.count + 4 * $1.starts.count } }

  /// Adds rows of another table at the end.
  mutating func append(_ other: PackedBytes, _ range: Range<Int>) {
    var cursor = Cursor(other, from: range.lowerBound)
    for _ in range {
      cursor.pass()
      append(cursor.bytes)
    }
  }

  /// Adds a row at the end.
  mutating func append(_ row: ArraySlice<UInt8>) {
    if chunks.last.map({ $0.count == Chunk.size }) ?? true { chunks.append(Chunk()) }
    let last = chunks.count - 1
    chunks[last].append(row)
    if chunks[last].count == Chunk.size { chunks[last] = chunks[last].trimmed }
  }
}

/// Rows in as few bytes as they take, read as values of a type.
package struct PackedRows<Row: Packable>: Sendable, RandomAccessCollection {
  private let bytes: PackedBytes

  init(_ bytes: PackedBytes) {
    self.bytes = bytes
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { bytes.count }

  package subscript(position: Int) -> Row {
    var cursor = PackedBytes.Cursor(bytes, from: position)
    cursor.pass()
    var reader = cursor.rowReader
    return reader.read()
  }

  /// Reads rows in their order.
  package struct Iterator: IteratorProtocol {
    private var cursor: PackedBytes.Cursor
    private var left: Int
    private var row: Row?

    fileprivate init(_ bytes: PackedBytes) {
      cursor = PackedBytes.Cursor(bytes, from: 0)
      left = bytes.count
    }

    package mutating func next() -> Row? {
      guard left > 0 else { return nil }
      left -= 1
      cursor.pass()
      if cursor.isNew {
        var reader = cursor.rowReader
        row = Row(from: &reader)
      }
      return row
    }
  }

  package func makeIterator() -> Iterator { Iterator(bytes) }
}
