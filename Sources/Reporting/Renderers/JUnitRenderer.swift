import Records

/// Writes gates as JUnit XML: a broken limit is a failure, a missing value an error.
struct JUnitRenderer {
  /// Name of the program that evaluated.
  let program: String
  /// Name of the dataset.
  let dataset: String
  /// When it was measured, ISO 8601 in UTC.
  let created: String

  /// One suite a stage in the order of the gates, one case a gate; inconclusive gates are skipped.
  func render(_ gates: [GateResult]) -> String {
    var stages: [String] = []
    for result in gates where !stages.contains(result.stage) { stages.append(result.stage) }
    var xml = XMLWriter(isIndented: true)
    xml.markup("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    let total = Counts(gates)
    xml.element(
      "testsuites",
      [
        "name": program, "tests": total.tests, "failures": total.failures,
        "errors": total.errors, "time": "0",
      ]
    ) { xml in
      for stage in stages {
        let results = gates.filter { $0.stage == stage }
        let counts = Counts(results)
        xml.element(
          "testsuite",
          [
            "name": stage, "tests": counts.tests, "failures": counts.failures,
            "errors": counts.errors, "skipped": counts.skipped, "time": "0",
            "timestamp": created.hasSuffix("Z") ? String(created.dropLast()) : created,
          ]
        ) { xml in
          for result in results { write(result, to: &xml) }
        }
      }
    }
    return xml.output + "\n"
  }

  private func write(_ result: GateResult, to xml: inout XMLWriter) {
    let gate = result.gate
    let slice = gate.slice.map { " in \($0)" } ?? ""
    let name = "\(gate.metric)\(slice) \(gate.condition())"
    xml.element("testcase", ["classname": "\(dataset).\(result.stage)", "name": name, "time": "0"])
    { xml in
      switch result.outcome {
      case .passed: xml.element("system-out", text: result.message)
      case .failed:
        xml.element("failure", ["type": "limit", "message": result.message], text: result.message)
      case .errored:
        xml.element("error", ["type": "no value", "message": result.message], text: result.message)
      case .skipped: xml.element("skipped", ["message": result.message])
      }
    }
  }

  private struct Counts {
    var tests: String
    var failures: String
    var errors: String
    var skipped: String

    init(_ results: [GateResult]) {
      func count(_ outcome: Outcome) -> String { "\(results.count { $0.outcome == outcome })" }
      tests = "\(results.count)"
      failures = count(.failed)
      errors = count(.errored)
      skipped = count(.skipped)
    }
  }
}

private enum Outcome {
  case passed, failed, errored, skipped
}

extension GateResult {
  fileprivate var outcome: Outcome {
    switch verdict {
    case .pass: .passed
    case .fail: lacksValue ? .errored : .failed
    case .inconclusive: .skipped
    }
  }
}
