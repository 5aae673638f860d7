internal import Platform

/// The bytes of an open HDF5 file, read without libhdf5; every range is checked against the file's size.
struct RawFile: Sendable {
  let descriptor: Descriptor
  /// Offset of HDF5's address 0: the length of the user block.
  let base: Int
  let addressBytes: Int
  let lengthBytes: Int
  /// Owner that closes the descriptor; nil if libhdf5 does.
  var owner: FileDescriptor?
  var sharedMessages = SharedMessages()

  func size(_ operation: Operation) throws(HDF5Error) -> Int {
    do throws(SystemError) {
      return try FileStatus(of: descriptor).byteCount
    } catch {
      throw operation.failure(error)
    }
  }

  /// The bytes at an HDF5 address; throws `.corrupt` if they reach past the end of the file.
  func bytes(
    at address: UInt64, count: Int, _ operation: Operation
  ) throws(HDF5Error) -> [UInt8] {
    try checkRange(address, count, operation)
    return try [UInt8](unsafeCapacity: count) {
      buffer, initialized throws(HDF5Error) in
      try fill(UnsafeMutableRawBufferPointer(buffer), from: address, operation)
      initialized = count
    }
  }

  /// Throws `.corrupt` unless `count` bytes at an HDF5 address lie inside the file.
  func checkRange(
    _ address: UInt64, _ count: Int, _ operation: Operation
  ) throws(HDF5Error) {
    let size = try size(operation)
    guard let start = Int(exactly: address), count >= 0, size >= base, start <= size - base,
      count <= size - base - start
    else {
      throw operation.failure(
        .corrupt, "the file is damaged or truncated", expected: "\(count) bytes at \(address)",
        found: "a file of \(size) bytes")
    }
  }

  /// Fills `buffer` from an HDF5 address; throws `.corrupt` if that reaches past the end of the file.
  func read(
    at address: UInt64, into buffer: UnsafeMutableRawBufferPointer, _ operation: Operation
  ) throws(HDF5Error) {
    try checkRange(address, buffer.count, operation)
    try fill(buffer, from: address, operation)
  }

  /// Fills `buffer` from a range that was checked.
  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from address: UInt64, _ operation: Operation
  ) throws(HDF5Error) {
    let count: Int
    do throws(SystemError) {
      count = try descriptor.fill(buffer, from: base + Int(address))
    } catch {
      throw operation.failure(error)
    }
    guard count == buffer.count else {
      throw operation.failure(.corrupt, "the file ended while it was read")
    }
  }
}

/// A descriptor of a read-only file, closed with its last reader.
final class FileDescriptor: Sendable {
  let file: InputFile
  var descriptor: Descriptor { file.descriptor }

  init(_ file: consuming InputFile) { self.file = file }
}
