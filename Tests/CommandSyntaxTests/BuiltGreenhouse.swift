import Foundation
import TestSupport
import Testing

/// The built greenhouse program.
let greenhousePath = ProcessResult.path(ofBuilt: "greenhouse")

/// Waits until something is so; ten minutes are a guard against a test that hangs.
func wait(until isTrue: () throws -> Bool) throws {
  for _ in 0..<60_000 {
    if try isTrue() { return }
    Thread.sleep(forTimeInterval: 0.01)
  }
  Issue.record("waited for ten minutes")
}

/// Waits until a file begins with the text.
func wait(until file: URL, beginsWith text: String) throws {
  try wait { try String(contentsOf: file, encoding: .utf8).hasPrefix(text) }
}

/// Whether a process has a handler of its own for a signal.
func handles(_ signal: Int32, process: Int32) throws -> Bool {
  let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
  let mask = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
    .flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
  return (mask ?? 0) & (1 << UInt64(signal - 1)) != 0
}
