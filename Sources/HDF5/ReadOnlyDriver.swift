@preconcurrency import CHDF5
import Foundation

/// The file driver under every file that is opened for reading.
///
/// libhdf5's own drivers let it collect neighbouring metadata reads in one buffer, whose bounds
/// overflow on hostile addresses; this one does not, and fails every read that leaves the file.
enum ReadOnlyDriver {
  /// What libhdf5 holds for an open file; it knows only of `header`.
  private struct OpenFile {
    var header: H5FD_t
    var descriptor: Int32
    var endOfAllocation: haddr_t
    let size: haddr_t
  }

  /// H5FD_FEAT_DEFAULT_VFD_COMPATIBLE: the file has nothing of its own that another driver lacks.
  private static let features: UInt = 0x8000

  /// Registers the driver; negative if libhdf5 refuses.
  static func register() -> hid_t {
    var driver = H5FD_class_t()
    driver.maxaddr = haddr_t(Int.max)
    driver.fc_degree = H5F_CLOSE_STRONG
    driver.open = { name, _, _, _ in name.flatMap { ReadOnlyDriver.open($0) } }
    driver.close = { file in ReadOnlyDriver.close(file) }
    driver.query = { _, flags in
      flags?.pointee = ReadOnlyDriver.features
      return 0
    }
    driver.get_eoa = { file, _ in ReadOnlyDriver.with(file) { $0.pointee.endOfAllocation } ?? 0 }
    driver.set_eoa = { file, _, address in
      ReadOnlyDriver.with(file) { $0.pointee.endOfAllocation = address } == nil ? -1 : 0
    }
    driver.get_eof = { file, _ in ReadOnlyDriver.with(file) { $0.pointee.size } ?? 0 }
    driver.get_handle = { file, _, handle in
      guard let offset = MemoryLayout<OpenFile>.offset(of: \.descriptor), let file, let handle
      else { return -1 }
      handle.pointee = UnsafeMutableRawPointer(file) + offset
      return 0
    }
    driver.read = { file, _, _, address, count, buffer in
      ReadOnlyDriver.read(file, at: address, count, into: buffer)
    }
    driver.write = { _, _, _, _, _, _ in -1 }
    // Safety: libhdf5 copies the class but keeps the name, which a static string never frees.
    let name: StaticString = "facegauge_read_only"
    return name.withUTF8Buffer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { name in
        driver.name = name.baseAddress
        return H5FDregister(&driver)
      }
    }
  }

  /// Safety: every `file` that libhdf5 passes back was allocated by `open` as an `OpenFile`.
  private static func with<Result>(
    _ file: UnsafePointer<H5FD_t>?, _ body: (UnsafeMutablePointer<OpenFile>) -> Result
  ) -> Result? {
    file.map { body(UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: OpenFile.self)) }
  }

  private static func open(_ path: UnsafePointer<CChar>) -> UnsafeMutablePointer<H5FD_t>? {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Foundation.close(descriptor)
      return nil
    }
    let file = UnsafeMutablePointer<OpenFile>.allocate(capacity: 1)
    file.initialize(
      to: OpenFile(
        header: H5FD_t(), descriptor: descriptor, endOfAllocation: 0,
        size: haddr_t(status.st_size)))
    return UnsafeMutableRawPointer(file).assumingMemoryBound(to: H5FD_t.self)
  }

  private static func close(_ file: UnsafeMutablePointer<H5FD_t>?) -> herr_t {
    with(file) { file in
      Foundation.close(file.pointee.descriptor)
      file.deinitialize(count: 1)
      file.deallocate()
    }
    return 0
  }

  private static func read(
    _ file: UnsafeMutablePointer<H5FD_t>?, at address: haddr_t, _ count: Int,
    into buffer: UnsafeMutableRawPointer?
  ) -> herr_t {
    with(file) { file in
      let size = file.pointee.size
      guard address <= size, count >= 0, haddr_t(count) <= size - address, let buffer else {
        return -1
      }
      var done = 0
      while done < count {
        // Safety: libhdf5 gives a buffer of `count` bytes.
        let got = pread(
          file.pointee.descriptor, buffer + done, count - done, off_t(address) + off_t(done))
        if got == 0 || (got < 0 && errno != EINTR) { return -1 }
        done += max(got, 0)
      }
      return 0
    } ?? -1
  }
}
