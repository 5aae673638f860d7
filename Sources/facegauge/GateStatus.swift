import CommandSyntax
import Records

/// What inconclusive gates mean for the exit status.
enum InconclusiveGates: String, Sendable, CaseIterable {
  case fail, pass
}

extension ExitStatus {
  /// The status of a command that evaluated gates: a failed gate beats an inconclusive one.
  ///
  /// A suspect input, the base's too, is no matter of how much was measured: gates on it never pass.
  init(_ results: [GateResult], inconclusive: InconclusiveGates) {
    switch Verdict.overall(results) {
    case .pass: self = .success
    case .fail: self = .gateFailed
    case .inconclusive:
      let mayPass = inconclusive == .pass && !results.contains(where: \.isWithheld)
      self = mayPass ? .success : .gateInconclusive
    }
  }
}
