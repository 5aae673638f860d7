internal import Platform

/// Detects missing, empty and foreign files, and finds the start of HDF5 data in a file.
enum FileSignature {
  /// Opens a file for reading; its address 0 lies at `base`.
  static func open(
    _ path: String, _ operation: Operation
  ) throws(HDF5Error) -> (owner: FileDescriptor, base: Int) {
    let file: InputFile
    do throws(InputFile.Refusal) {
      file = try InputFile(path: path, name: path)
    } catch {
      switch error.kind {
      case .notFound: throw operation.failure(.notFound, error.found)
      case .wrongData:
        throw operation.failure(.notHDF5, expected: error.expected, found: error.found)
      default:
        throw operation.failure(.io, error.found, systemError: error.cause?.number)
      }
    }
    let owner = FileDescriptor(file)
    let byteCount = owner.file.byteCount
    guard byteCount > 0 else { throw operation.failure(.notHDF5, "the file is empty") }
    // The signature lies at 0 or after a user block, whose length is a power of two.
    let signature = HDF5Format.signature
    var base = 0
    while base <= byteCount - signature.count {
      var bytes = [UInt8](repeating: 0, count: signature.count)
      do throws(SystemError) {
        _ = try owner.descriptor.fill(&bytes, upTo: bytes.count, from: base)
      } catch {
        throw operation.failure(error)
      }
      if bytes == signature { return (owner, base) }
      let (next, overflow) = base.multipliedReportingOverflow(by: 2)
      guard !overflow else { break }
      base = max(HDF5Format.smallestUserBlock, next)
    }
    throw operation.failure(.notHDF5, "it is not an HDF5 file")
  }
}
