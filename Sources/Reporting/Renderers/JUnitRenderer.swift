import Records

/// Writes gates as JUnit XML: a broken limit and a suspect finding are failures, a missing value an error.
struct JUnitRenderer {
  /// Name of the program that evaluated.
  let program: String
  /// Name of the dataset.
  let dataset: String
  /// When it was measured, ISO 8601 in UTC.
  let created: String

  /// A suite of suspect findings if there are any, then one a stage in the order of the gates, one case a gate;
  /// inconclusive gates and accepted findings are skipped.
  func render(_ gates: [GateResult], findings: [Finding] = []) -> String {
    let suspects = findings.filter { $0.severity == .suspect }
    var xml = XMLWriter(isIndented: true)
    xml.markup("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    let outcomes = suspects.map { $0.isAccepted ? Outcome.skipped : .failed }
    let total = Counts(outcomes + gates.map(\.outcome))
    xml.element(
      "testsuites",
      [
        "name": program, "tests": total.tests, "failures": total.failures,
        "errors": total.errors, "time": "0",
      ]
    ) { xml in
      if !suspects.isEmpty {
        suite("findings", Counts(outcomes), to: &xml) { xml in
          for finding in suspects { write(finding, to: &xml) }
        }
      }
      for stage in gates.map(\.stage).uniqued {
        let results = gates.filter { $0.stage == stage }
        suite(stage, Counts(results.map(\.outcome)), to: &xml) { xml in
          for result in results { write(result, to: &xml) }
        }
      }
    }
    return xml.output + "\n"
  }

  private func suite(
    _ name: String, _ counts: Counts, to xml: inout XMLWriter,
    _ cases: (inout XMLWriter) -> Void
  ) {
    xml.element(
      "testsuite",
      [
        "name": name, "tests": counts.tests, "failures": counts.failures,
        "errors": counts.errors, "skipped": counts.skipped, "time": "0",
        "timestamp": created.hasSuffix("Z") ? String(created.dropLast()) : created,
      ], cases)
  }

  private func write(_ finding: Finding, to xml: inout XMLWriter) {
    let text = [finding.summary, finding.remedy, "\(finding.evidence)."].compactMap(\.self)
      .joined(separator: " ")
    let name = finding.run.map { "\(finding.name) in \($0)" } ?? finding.name
    xml.element("testcase", ["classname": "\(dataset).findings", "name": name, "time": "0"]) {
      xml in
      if finding.isAccepted {
        xml.element("skipped", ["message": "accepted: \(text)"])
      } else {
        xml.element("failure", ["type": "suspect input", "message": text], text: text)
      }
    }
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

    init(_ outcomes: [Outcome]) {
      func count(_ outcome: Outcome) -> String { "\(outcomes.count { $0 == outcome })" }
      tests = "\(outcomes.count)"
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
