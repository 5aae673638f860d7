import Foundation

/// Detects missing, empty and foreign files, and finds the start of HDF5 data in a file.
enum FileSignature {
  /// Opens a file for reading; its address 0 lies at `base`.
  static func open(
    _ path: String, _ operation: Operation
  ) throws(HDF5Error) -> (owner: FileDescriptor, base: Int) {
    guard !path.utf8.contains(0) else { throw operation.failure(.notFound, "its path holds a NUL") }
    // Opening a pipe would block until it has a writer.
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      throw operation.failure(
        isMissing ? .notFound : .io, isMissing ? "no such file" : String(cString: strerror(errno)))
    }
    let owner = FileDescriptor(descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw operation.failure(.io, String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw operation.failure(.notHDF5, "it is a directory")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw operation.failure(.notHDF5, "it is not a regular file")
    }
    guard status.st_size > 0 else { throw operation.failure(.notHDF5, "the file is empty") }
    // The signature lies at 0 or after a user block, whose length is a power of two.
    let signature = HDF5Format.signature
    var base = 0
    while base <= Int(status.st_size) - signature.count {
      var bytes = [UInt8](repeating: 0, count: signature.count)
      let got = bytes.withUnsafeMutableBytes {
        // Safety: the buffer holds exactly as many bytes as are requested.
        pread(descriptor, $0.baseAddress, $0.count, off_t(base))
      }
      guard got >= 0 else { throw operation.failure(.io, String(cString: strerror(errno))) }
      if bytes == signature { return (owner, base) }
      let (next, overflow) = base.multipliedReportingOverflow(by: 2)
      guard !overflow else { break }
      base = max(HDF5Format.smallestUserBlock, next)
    }
    throw operation.failure(.notHDF5, "it is not an HDF5 file")
  }
}
