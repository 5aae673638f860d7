@preconcurrency import CHDF5
import Foundation
internal import Platform
import Synchronization

/// An open HDF5 file; usable from any thread, closed by `close()` or when the last reference goes.
///
/// libhdf5 only writes. Files are read by our own code, because libhdf5 1.10 accesses memory out of bounds
/// on damaged files.
/// Paths inside the file are written `faces/box`, with or without a leading slash.
/// Files are untrusted: external links, external storage, virtual datasets, filters other than
/// deflate, LZF, shuffle and fletcher32, and sizes that exceed the file are refused before values are read.
package final class HDF5File: Sendable {
  /// The path as given, used in every message.
  package let path: String
  /// Whether the file was created rather than opened.
  package let isWritable: Bool
  /// libhdf5's id of a writable file; negative for a read-only one.
  let id: hid_t
  let raw: RawFile
  /// Address of the root group's header.
  let root: UInt64
  /// Why closing failed; libhdf5 then keeps ids of freed objects, which must not be used again.
  private let failure = Mutex<HDF5Error?>(nil)
  private let isClosed = Mutex(false)
  private let groups = Mutex(GroupCache())
  let decodedRows = Mutex(DecodedRows())

  private init(path: String, id: hid_t?, raw: RawFile, root: UInt64) {
    self.path = path
    self.isWritable = id != nil
    self.id = id ?? -1
    self.raw = raw
    self.root = root
  }

  deinit {
    // A failure to flush is only reported by `close()`.
    try? close()
  }

  /// Opens a file for reading; messages call it `name`. Throws `.notFound`, `.notHDF5`, `.corrupt` or `.io`.
  package static func open(
    _ path: String, named name: String? = nil
  ) throws(HDF5Error) -> HDF5File {
    let name = name ?? path
    let operation = Operation("open", in: name)
    let (owner, base) = try FileSignature.open(path, operation)
    let superblock = try Superblock(owner.descriptor, base: base, operation)
    try StoredExtent.check(owner.descriptor, operation)
    let raw = RawFile(
      descriptor: owner.descriptor, base: base, addressBytes: superblock.addressBytes,
      lengthBytes: superblock.lengthBytes, owner: owner, sharedMessages: superblock.sharedMessages)
    let file = HDF5File(path: name, id: nil, raw: raw, root: superblock.root)
    let root = try ObjectPath(file: file, operation: operation).require("/")
    guard root.header.kind == .group else {
      throw operation.failure(.corrupt, "its root is not a group")
    }
    return file
  }

  /// Creates a file, replacing an existing one's contents; throws `.cannotWrite`.
  ///
  /// It is locked, unless the caller says that it holds a lock of its own.
  package static func create(
    _ path: String, isLocked: Bool = false
  ) throws(HDF5Error) -> HDF5File {
    let operation = Operation("create", in: path)
    guard !path.utf8.contains(0) else {
      throw operation.failure(.cannotWrite, "its path holds a NUL")
    }
    return try HDF5Library.locked { library throws(HDF5Error) in
      let access = try accessList(library, operation)
      let id = H5Fcreate(path.pathBytes, Self.truncate, 0, access.id)
      return try adopt(id, path, library, operation, isLocked: isLocked)
    }
  }

  /// H5F_ACC_TRUNC, a macro that Swift does not import.
  private static let truncate: UInt32 = 2

  private static func accessList(
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    let list = try library.handle(H5Pcreate(H5P_CLS_FILE_ACCESS_ID_g), operation)
    try library.check(H5Pset_fclose_degree(list.id, H5F_CLOSE_STRONG), operation)
    // libhdf5 fails an open where the file system has no locks; `adopt` locks instead and tolerates that.
    try library.check(H5Pset_file_locking(list.id, false, true), operation)
    return list
  }

  private static func adopt(
    _ id: hid_t, _ path: String, _ library: borrowing HDF5Library, _ operation: Operation,
    isLocked: Bool
  ) throws(HDF5Error) -> HDF5File {
    let file = try library.handle(id, operation, .cannotWrite)
    var descriptor: UnsafeMutableRawPointer?
    try library.check(H5Fget_vfd_handle(file.id, 0, &descriptor), operation)
    guard let descriptor = descriptor.map({ Descriptor($0.load(as: Int32.self)) }) else {
      throw operation.failure(.io, "libhdf5 gives no file descriptor")
    }
    if !isLocked, descriptor.lock() == false {
      throw operation.failure(.cannotWrite, "another process is using it")
    }
    try library.check(H5Fflush(file.id, H5F_SCOPE_LOCAL), operation, .cannotWrite)
    let superblock = try Superblock(descriptor, base: 0, operation)
    let raw = RawFile(
      descriptor: descriptor, base: 0, addressBytes: superblock.addressBytes,
      lengthBytes: superblock.lengthBytes, owner: nil)
    return HDF5File(path: path, id: file.release(), raw: raw, root: superblock.root)
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

  /// Flushes and closes the file and all its datasets; throws `.cannotWrite`, also if an earlier dataset
  /// could not be flushed. A second call does nothing.
  package func close() throws(HDF5Error) {
    let operation = Operation("close", in: path)
    guard isWritable else { return isClosed.withLock { $0 = true } }
    try HDF5Library.locked { library throws(HDF5Error) in
      try requireSound()
      guard H5Iis_valid(id) > 0 else { return }
      // A child that another thread has just forked still holds the descriptor; libhdf5's closing would not end the
      // lock.
      let lock = raw.descriptor.duplicate()
      defer {
        lock?.unlock()
        try? lock?.end()
      }
      guard H5Fflush(id, H5F_SCOPE_LOCAL) >= 0, H5Fclose(id) >= 0 else {
        throw abandon(operation, library)
      }
    }
  }

  /// Abandons the file if the system refuses a write, as on a full disk.
  ///
  /// libhdf5 1.10 crashes when it closes a file or dataset whose last values it could not write. Memory and
  /// descriptor therefore stay until the process ends.
  func abandoningOnRefusal(_ write: () throws(HDF5Error) -> Void) throws(HDF5Error) {
    do throws(HDF5Error) {
      try write()
    } catch {
      if error.libraryMessage != nil { failure.withLock { $0 = error } }
      throw error
    }
  }

  /// Closes a dataset of the file, unless the file was closed or abandoned before.
  func closeDataset(_ dataset: hid_t, _ library: borrowing HDF5Library) {
    guard dataset >= 0, (try? requireSound()) != nil, H5Iis_valid(dataset) > 0 else { return }
    if H5Idec_ref(dataset) < 0 { _ = abandon(Operation("close", in: path), library) }
  }

  /// Prevents further use of the file and records the reason.
  private func abandon(
    _ operation: Operation, _ library: borrowing HDF5Library
  ) -> HDF5Error {
    let error = operation.failure(.cannotWrite, library: library.takeMessage())
    failure.withLock { $0 = error }
    return error
  }

  private func requireSound() throws(HDF5Error) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Size of the whole file; throws `.io`.
  package func byteCount() throws(HDF5Error) -> Int {
    try raw.size(Operation("measure", in: path))
  }

  /// Runs `body`, which reads from the disk, after making sure that the file is still open.
  ///
  /// For a writable file, libhdf5's buffers are flushed first and its lock is held meanwhile.
  func reading<Result>(
    _ operation: Operation, _ body: () throws(HDF5Error) -> Result
  ) throws(HDF5Error) -> Result {
    guard isWritable else {
      guard !isClosed.withLock({ $0 }) else { throw operation.failure(.io, "the file is closed") }
      return try body()
    }
    return try withOpenFile(operation) { library throws(HDF5Error) in
      try library.check(H5Fflush(id, H5F_SCOPE_LOCAL), operation, .cannotWrite)
      return try body()
    }
  }

  /// The links of a group, cached if the file is read-only.
  func links(of group: StoredObject, _ operation: Operation) throws(HDF5Error) -> GroupLinks {
    if let known = groups.withLock({ $0.links(at: group.address) }) { return known }
    let links = try GroupLinks(group.header, in: raw, operation)
    if !isWritable { groups.withLock { $0.keep(links, at: group.address) } }
    return links
  }

  /// Runs `body` under libhdf5's lock after making sure that the file is still open.
  func withOpenFile<Result: ~Copyable>(
    _ operation: Operation, _ body: (borrowing HDF5Library) throws(HDF5Error) -> Result
  ) throws(HDF5Error) -> Result {
    try HDF5Library.locked { library throws(HDF5Error) in
      try requireSound()
      guard H5Iis_valid(id) > 0 else { throw operation.failure(.io, "the file is closed") }
      return try body(library)
    }
  }

  /// Throws `.cannotWrite` unless the file is writable.
  func requireWritable(_ operation: Operation) throws(HDF5Error) {
    guard isWritable else {
      throw operation.failure(.cannotWrite, "the file was opened for reading only")
    }
  }
}

/// Cache of the links of recently used groups; bounded to keep memory use constant, but for one large group.
private struct GroupCache {
  private static let maxLinks = 1 << 18
  private static let maxGroups = 4096

  private var recent: [UInt64: GroupLinks] = [:]
  /// What was recent before, and goes unless it is used: a root with many groups stays.
  private var older: [UInt64: GroupLinks] = [:]
  private var linkCount = 0

  mutating func links(at address: UInt64) -> GroupLinks? {
    if let known = recent[address] { return known }
    guard let known = older.removeValue(forKey: address) else { return nil }
    keep(known, at: address)
    return known
  }

  mutating func keep(_ links: GroupLinks, at address: UInt64) {
    if !recent.isEmpty,
      linkCount + links.links.count > Self.maxLinks || recent.count >= Self.maxGroups
    {
      older = recent
      recent = [:]
      linkCount = 0
    }
    recent[address] = links
    linkCount += links.links.count
  }
}
