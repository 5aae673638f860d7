import CommandSyntax
import Records

/// What inconclusive gates mean for the exit status.
enum InconclusiveGates: String, Sendable, CaseIterable {
  case fail, pass
}

extension ExitStatus {
  /// The status of a command that evaluated gates: a failed gate beats an inconclusive one.
  init(_ results: [GateResult], inconclusive: InconclusiveGates) {
    switch Verdict.overall(results) {
    case .pass: self = .success
    case .fail: self = .gateFailed
    case .inconclusive: self = inconclusive == .pass ? .success : .gateInconclusive
    }
  }
}
