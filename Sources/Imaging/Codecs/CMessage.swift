internal import CImaging

/// The error message of a failing C function.
enum CMessage {
  /// Runs a function that returns false with a message; nil if it returned true.
  static func reporting(_ body: (UnsafeMutablePointer<CChar>) -> Bool) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: FG_MESSAGE_CAPACITY) {
      message in
      message.initialize(repeating: 0)
      guard let start = message.baseAddress, body(start) else {
        return message.baseAddress.map { String(cString: $0) } ?? "out of memory"
      }
      return nil
    }
  }
}
