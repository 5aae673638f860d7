internal import Foundation

extension Error {
  /// The operating system's description of a failure, such as `No space left on device`.
  ///
  /// Foundation's own sentence names only the number of its error; the system's number lies beneath it.
  package var systemReason: String {
    var next: (any Error)? = self
    var known: String?
    for _ in 0..<8 {
      guard let error = next.map({ $0 as NSError }) else { break }
      if error.domain == NSPOSIXErrorDomain {
        // Safety: strerror gives a terminated string, copied at once.
        return String(cString: strerror(Int32(truncatingIfNeeded: error.code)))
      }
      if error.domain == NSURLErrorDomain {
        return error.userInfo[NSLocalizedDescriptionKey] as? String ?? "the network failed"
      }
      if error.domain == NSCocoaErrorDomain {
        known = known ?? Self.reason(ofCocoa: CocoaError.Code(rawValue: error.code))
      }
      next = error.userInfo[NSUnderlyingErrorKey] as? any Error
    }
    if let known { return known }
    let text = "\(self)"
    return text.contains("Domain=") ? "the system gives no reason" : text
  }

  private static func reason(ofCocoa code: CocoaError.Code) -> String? {
    let number: Int32? =
      switch code {
      case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
      case .fileReadNoPermission, .fileWriteNoPermission: EACCES
      case .fileWriteFileExists: EEXIST
      case .fileWriteOutOfSpace: ENOSPC
      case .fileWriteVolumeReadOnly: EROFS
      case .fileReadTooLarge: EFBIG
      default: nil
      }
    return number.map { String(cString: strerror($0)) }
  }
}
