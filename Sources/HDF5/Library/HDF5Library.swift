@preconcurrency import CHDF5
internal import Platform
import Synchronization

/// Proof that libhdf5's lock is held; functions that call the library take it as a parameter instead of locking.
package struct HDF5Library: ~Copyable {
  private static let lock = Mutex(HDF5Library())
  private var isReady = false

  private init() {}

  /// Runs `body` while no other thread is inside libhdf5; `body` must not call this again.
  package static func locked<Result: ~Copyable>(
    _ body: (borrowing HDF5Library) throws(HDF5Error) -> Result
  ) throws(HDF5Error) -> Result {
    try lock.withLock { (library) throws(HDF5Error) -> Result in
      library.prepare()
      return try body(library)
    }
  }

  /// The version of the library that runs, such as `1.10.8`; nil where it does not report one.
  package static var version: String? {
    var (major, minor, release): (UInt32, UInt32, UInt32) = (0, 0, 0)
    guard H5get_libversion(&major, &minor, &release) >= 0 else { return nil }
    return "\(major).\(minor).\(release)"
  }

  private mutating func prepare() {
    if !isReady {
      // Otherwise an exit would tear the library down while another thread uses it.
      H5dont_atexit()
      H5open()
      H5PLset_loading_state(0)
      isReady = true
    }
    // The setting is per thread where libhdf5 was built thread-safe.
    H5Eset_auto2(0, nil, nil)
  }

  /// The most specific message on the error stack, which is then cleared.
  borrowing func takeMessage() -> LibraryMessage? {
    var message = ""
    withUnsafeMutablePointer(to: &message) { message in
      // Safety: the callback runs only inside this call, while `message` is alive.
      _ = H5Ewalk2(
        0, H5E_WALK_UPWARD,
        { position, record, context in
          if position == 0, let text = record?.pointee.desc, let context {
            context.assumingMemoryBound(to: String.self).pointee = String(cString: text)
          }
          return 0
        }, message)
    }
    H5Eclear2(0)
    return message.isEmpty ? nil : LibraryMessage(message)
  }

  /// The owned id from a call that returns a negative one on failure.
  borrowing func handle(
    _ id: hid_t, _ operation: Operation, _ kind: HDF5Error.Kind = .corrupt
  ) throws(HDF5Error) -> Handle {
    guard id >= 0 else { throw operation.failure(kind, library: takeMessage()) }
    return Handle(id: id)
  }

  /// Throws if a call's status is a failure.
  borrowing func check(
    _ status: some SignedInteger, _ operation: Operation, _ kind: HDF5Error.Kind = .corrupt
  ) throws(HDF5Error) {
    guard status >= 0 else { throw operation.failure(kind, library: takeMessage()) }
  }
}

/// What libhdf5 says of a failure.
struct LibraryMessage: Sendable {
  /// `file write failed: No space left on device`, without the times, names and addresses between both halves.
  let text: String
  /// The value of `errno`; nil where no system call failed.
  let systemError: Int32?

  init(_ message: String) {
    // The file's name comes before the number, and may contain anything.
    guard let number = message.ranges(of: ", errno = ").last,
      let details = [": time = ", ": name = "].compactMap({ message.firstRange(of: $0) }).first,
      let code = Int32(message[number.upperBound...].prefix { $0.isNumber })
    else {
      (text, systemError) = (message, nil)
      return
    }
    text = message[..<details.lowerBound] + ": \(SystemError(code))"
    systemError = code
  }
}

/// Owns one libhdf5 id; made, used and destroyed only while `HDF5Library` is locked.
struct Handle: ~Copyable {
  let id: hid_t

  deinit { H5Idec_ref(id) }

  /// Transfers the id to an owner that outlives the lock.
  consuming func release() -> hid_t {
    let id = id
    discard self
    return id
  }
}
