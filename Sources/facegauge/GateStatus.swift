import CommandSyntax
import Records

/// What inconclusive gates mean for the exit status.
enum InconclusiveGates: String, Sendable, CaseIterable {
  case fail, pass
}

extension ExitStatus {
  /// The status of a command that evaluated gates: a failed gate beats an inconclusive one.
  ///
  /// A suspect input is no matter of how much was measured: gates on it never pass.
  init(_ results: [GateResult], findings: [Finding]? = nil, inconclusive: InconclusiveGates) {
    guard results.isEmpty || findings?.objection == nil else {
      self = .gateInconclusive
      return
    }
    switch Verdict.overall(results) {
    case .pass: self = .success
    case .fail: self = .gateFailed
    case .inconclusive: self = inconclusive == .pass ? .success : .gateInconclusive
    }
  }
}
