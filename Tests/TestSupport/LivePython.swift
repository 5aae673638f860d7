internal import Foundation

/// The Python that tests run, with the packages of Tests/Oracles/requirements-live.txt.
package enum LivePython {
  /// Its program; nil where none is named.
  package static let path = ProcessInfo.processInfo.environment["FACEGAUGE_PYTHON"]

  /// Whether it has MediaPipe's wheel, which there is not for every version of Python.
  package static let hasMediaPipe: Bool = {
    let question = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('mediapipe'))"
    return path.flatMap { try? ProcessResult(running: $0, ["-c", question]) }?.status == 0
  }()
}
