@preconcurrency import CHDF5
import Foundation
import Synchronization

/// An open HDF5 file; usable from any thread, closed by `close()` or when the last reference goes.
///
/// Paths inside the file are written `faces/box`, with or without a leading slash.
/// Files are untrusted: external links, external storage, virtual datasets, filters other than
/// deflate, shuffle and fletcher32, and sizes that the file cannot hold are refused before values are read.
package final class HDF5File: Sendable {
  /// The path as it was given, used in every message.
  package let path: String
  /// Whether the file was created, rather than opened.
  package let isWritable: Bool
  let id: hid_t
  let raw: RawFile
  /// Why closing failed: libhdf5 then keeps ids of objects that it has freed, and none may be used again.
  private let failure = Mutex<HDF5Error?>(nil)

  private init(path: String, isWritable: Bool, id: hid_t, raw: RawFile) {
    self.path = path
    self.isWritable = isWritable
    self.id = id
    self.raw = raw
  }

  deinit {
    // A failure to flush is only reported by `close()`.
    try? close()
  }

  /// Opens a file for reading; throws `.notFound`, `.notHDF5`, `.corrupt` or `.io`.
  package static func open(_ path: String) throws(HDF5Error) -> HDF5File {
    let operation = Operation("open", in: path)
    try FileSignature.check(path, operation)
    return try HDF5Library.locked { library throws(HDF5Error) in
      let access = try accessList(library, operation)
      try library.check(H5Pset_driver(access.id, library.readOnlyDriver, nil), operation, .io)
      let id = H5Fopen(path, AccessFlag.readOnly, access.id)
      return try adopt(id, path, isWritable: false, library, operation, .corrupt)
    }
  }

  /// Creates a file, emptying one that exists; throws `.cannotWrite`.
  package static func create(_ path: String) throws(HDF5Error) -> HDF5File {
    let operation = Operation("create", in: path)
    guard !path.utf8.contains(0) else {
      throw operation.failure(.cannotWrite, "its path holds a NUL")
    }
    return try HDF5Library.locked { library throws(HDF5Error) in
      let access = try accessList(library, operation)
      let id = H5Fcreate(path, AccessFlag.truncate, 0, access.id)
      return try adopt(id, path, isWritable: true, library, operation, .cannotWrite)
    }
  }

  private static func accessList(
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    let list = try library.handle(H5Pcreate(H5P_CLS_FILE_ACCESS_ID_g), operation)
    try library.check(H5Pset_fclose_degree(list.id, H5F_CLOSE_STRONG), operation)
    // libhdf5 fails an open where the file system has no locks; `adopt` locks and lets that pass.
    try library.check(H5Pset_file_locking(list.id, false, true), operation)
    return list
  }

  private static func adopt(
    _ id: hid_t, _ path: String, isWritable: Bool, _ library: borrowing HDF5Library,
    _ operation: Operation, _ kind: HDF5Error.Kind
  ) throws(HDF5Error) -> HDF5File {
    let file = try library.handle(id, operation, kind)
    var descriptor: UnsafeMutableRawPointer?
    try library.check(H5Fget_vfd_handle(file.id, 0, &descriptor), operation)
    guard let descriptor = descriptor?.load(as: Int32.self) else {
      throw operation.failure(.io, "libhdf5 gives no file descriptor")
    }
    if isWritable, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw operation.failure(.cannotWrite, "another process is using it")
    }
    let creation = try library.handle(H5Fget_create_plist(file.id), operation)
    var userBlock: hsize_t = 0
    var (addressBytes, lengthBytes) = (0, 0)
    try library.check(H5Pget_userblock(creation.id, &userBlock), operation)
    try library.check(H5Pget_sizes(creation.id, &addressBytes, &lengthBytes), operation)
    guard let base = Int(exactly: userBlock), (1...8).contains(addressBytes),
      (1...8).contains(lengthBytes)
    else { throw operation.failure(.corrupt, "its addresses are wider than 64 bits") }
    let owner = isWritable ? nil : try FileDescriptor(copying: descriptor, operation)
    let raw = RawFile(
      descriptor: owner?.number ?? descriptor, base: base, addressBytes: addressBytes,
      lengthBytes: lengthBytes, owner: owner)
    return HDF5File(path: path, isWritable: isWritable, id: file.release(), raw: raw)
  }

  /// Writes everything that is buffered to the operating system; throws `.cannotWrite`, as on a full disk.
  package func flush() throws(HDF5Error) {
    let operation = Operation("write", in: path)
    try withOpenFile(operation) { library throws(HDF5Error) in
      try abandoningOnRefusal { () throws(HDF5Error) in
        try library.check(H5Fflush(id, H5F_SCOPE_LOCAL), operation, .cannotWrite)
      }
    }
  }

  /// Flushes and closes the file and all its datasets; throws `.cannotWrite`, also where a dataset that is
  /// gone already could not be flushed. A second call does nothing.
  package func close() throws(HDF5Error) {
    let operation = Operation("close", in: path)
    try HDF5Library.locked { library throws(HDF5Error) in
      try requireSound()
      guard H5Iis_valid(id) > 0 else { return }
      let flushed = isWritable ? H5Fflush(id, H5F_SCOPE_LOCAL) : 0
      guard flushed >= 0, H5Fclose(id) >= 0 else {
        throw abandon(operation, library)
      }
    }
  }

  /// Leaves the file alone for good where the system refuses a write, as on a full disk.
  ///
  /// libhdf5 1.10 crashes when it closes a file or dataset whose last values it could not write, so
  /// its memory and descriptor stay until the process ends.
  func abandoningOnRefusal(_ write: () throws(HDF5Error) -> Void) throws(HDF5Error) {
    do throws(HDF5Error) {
      try write()
    } catch {
      if error.libraryMessage != nil { failure.withLock { $0 = error } }
      throw error
    }
  }

  /// Closes a dataset of the file, unless the file was closed or given up before.
  func closeDataset(_ dataset: hid_t, _ library: borrowing HDF5Library) {
    guard (try? requireSound()) != nil, H5Iis_valid(dataset) > 0 else { return }
    if H5Idec_ref(dataset) < 0 { _ = abandon(Operation("close", in: path), library) }
  }

  /// Keeps the file from being used again, and says why.
  private func abandon(
    _ operation: Operation, _ library: borrowing HDF5Library
  ) -> HDF5Error {
    let error = operation.failure(.cannotWrite, libraryMessage: library.takeMessage())
    failure.withLock { $0 = error }
    return error
  }

  private func requireSound() throws(HDF5Error) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Runs `body` under libhdf5's lock after making sure that the file is still open.
  func withOpenFile<Result: ~Copyable>(
    _ operation: Operation,
    _ body: (borrowing HDF5Library) throws(HDF5Error) -> Result
  ) throws(HDF5Error) -> Result {
    try HDF5Library.locked { library throws(HDF5Error) in
      try requireSound()
      guard H5Iis_valid(id) > 0 else { throw operation.failure(.io, "the file is closed") }
      return try body(library)
    }
  }

  /// Throws `.cannotWrite` unless the file was opened to be written.
  func requireWritable(_ operation: Operation) throws(HDF5Error) {
    guard isWritable else {
      throw operation.failure(.cannotWrite, "the file was opened for reading only")
    }
  }
}

/// libhdf5's H5F_ACC flags, whose macros Swift does not import.
private enum AccessFlag {
  static let readOnly: UInt32 = 0
  static let truncate: UInt32 = 2
}
