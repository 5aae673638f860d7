package import CommandSyntax
import Platform
import Running

/// The program.
@main
struct FaceGauge {
  static func main() {
    WorkingFolder.check()
    ChildProgram.adoptOrphans()
    program.main()
  }
}

/// The commands and documents of FaceGauge.
package let program = Program(
  "facegauge", version: Version.current,
  abstract: "Evaluate, tune and time face tracking on labelled faces",
  discussion: """
      facegauge models pull
      facegauge import imglab faces.xml -o faces.h5
      facegauge evaluate faces.h5 -o run --num-faces 5

    The input is a labelled dataset in HDF5, the output a record of measurements. Reports and \
    gates are made from the record.

    Data goes to standard output, progress and errors to standard error. Exit status: 0 done and \
    gates pass, 1 failed, 2 a gate failed, 3 a gate is inconclusive, a finding of 'check' is \
    suspect or no setting meets an objective, 64 wrong usage, 65 wrong input data, 66 input not \
    found, 69 a model or program is missing, 73 cannot write, 74 input or output error, 75 a shard \
    failed that may succeed when it is tried again.
    """,
  commands: Command.all, status: { EvaluationError($0).exitStatus })

extension Command {
  /// The subcommands, in the order of help.
  static let all: [Command] = [
    .import, .inspect, .validate, .split, .merge, .mergeFaces, .subset, .export, .animate,
    .annotate, .degrade, .transform, .render,
    .checkPredictions, .evaluate, .joinRun, .sweep, .calibrate, .fit, .settings, .profile, .compare,
    .response, .equivariance, .leakage, .report, .overlay, .explain, .similarity, .drawing, .track,
    .serve, .history, .models, .metrics, .doctor, .demo,
  ]
}

extension EvaluationError {
  /// The exit status of this kind of failure.
  var exitStatus: ExitStatus {
    switch kind {
    case .wrongData: .wrongData
    case .notFound: .inputNotFound
    case .modelMissing, .unavailable: .modelMissing
    case .wrongUse: .usage
    case .objectiveUnmet: .gateInconclusive
    case .cannotWrite: .cannotWrite
    case .inputOutput: .inputOutputError
    case .interrupted, .failed: .failure
    }
  }
}
