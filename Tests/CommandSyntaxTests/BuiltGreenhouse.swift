import Foundation
import TestSupport

/// The built greenhouse program.
let greenhousePath = ProcessResult.path(ofBuilt: "greenhouse")

/// Waits until a file begins with the text, for 30 seconds at most.
func wait(until file: URL, beginsWith text: String) throws {
  for _ in 0..<3000 where try !String(contentsOf: file, encoding: .utf8).hasPrefix(text) {
    Thread.sleep(forTimeInterval: 0.01)
  }
}
