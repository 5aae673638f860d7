internal import Foundation

/// An error in words of our own that remembers what the operating system said.
package protocol CausedError: Error {
  /// What the operating system said; nil where it has no part in it.
  var cause: SystemError? { get }
}

extension DigestError: CausedError {}
extension FileError: CausedError {}

extension Error {
  /// The operating system's description of a failure, such as `No space left on device`.
  ///
  /// Foundation's own sentence names only the number of its error; the system's number lies beneath it.
  package var systemReason: String {
    if !(self is any CausedError), let systemError { return systemError.description }
    let error = self as NSError
    if error.domain == NSURLErrorDomain {
      return error.userInfo[NSLocalizedDescriptionKey] as? String ?? "the network failed"
    }
    let text = "\(self)"
    return text.contains("Domain=") ? "the system gives no reason" : text
  }

  /// The operating system's error beneath this one; nil where there is none.
  package var systemError: SystemError? {
    if let own = self as? SystemError { return own }
    if let own = self as? any CausedError { return own.cause }
    var next: (any Error)? = self
    var known: SystemError?
    for _ in 0..<8 {
      guard let error = next.map({ $0 as NSError }) else { break }
      if error.domain == NSPOSIXErrorDomain {
        return SystemError(Int32(truncatingIfNeeded: error.code))
      }
      if error.domain == NSCocoaErrorDomain {
        known = known ?? Self.systemError(ofCocoa: CocoaError.Code(rawValue: error.code))
      }
      next = error.userInfo[NSUnderlyingErrorKey] as? any Error
    }
    return known
  }

  private static func systemError(ofCocoa code: CocoaError.Code) -> SystemError? {
    switch code {
    case .fileNoSuchFile, .fileReadNoSuchFile: .notFound
    case .fileReadNoPermission, .fileWriteNoPermission: .noAccess
    case .fileWriteFileExists: .exists
    case .fileWriteOutOfSpace: .noSpace
    case .fileWriteVolumeReadOnly: .readOnlyVolume
    case .fileReadTooLarge: .fileTooLarge
    default: nil
    }
  }
}
