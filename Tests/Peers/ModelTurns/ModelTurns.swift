import Foundation
import Platform
import Profiling
import TFLite
import Tensor

/// Runs a model once for each line of standard input, so that another process can alternate with it.
///
///     model-turns MODEL.tflite INPUT OUTPUT
///
/// INPUT holds the first input as little-endian floats; all outputs of a run, one after another, go to OUTPUT. Each
/// answer has the nanoseconds of one run, by the clock and of this process's time, after a run that is not timed.
@main
enum ModelTurns {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count == 3 else {
      FileHandle.standardError.write(Data("usage: model-turns MODEL.tflite INPUT OUTPUT\n".utf8))
      exit(64)
    }
    BLAS.setThreadCount(1)
    let model = try Model.load(path: words[0], member: "")
    let session = Session(model)
    let input = try Data(contentsOf: URL(filePath: words[1]))
    _ = run(session, input)
    var outputs = Data()
    for index in model.outputs.indices {
      session.output(index).withUnsafeBytes { outputs.append(contentsOf: $0) }
    }
    try outputs.write(to: URL(filePath: words[2]))
    answer("\(Kernels.available.last?.name ?? "none") \(BLAS.coreName)")
    while readLine() != nil {
      _ = run(session, input)
      let time = run(session, input)
      answer("\(time.clock) \(time.process)")
    }
  }

  private static func run(_ session: Session, _ input: Data) -> (clock: UInt64, process: Int64) {
    session.withInput { span in
      precondition(input.count == 4 * span.count, "the input's size differs from the model's")
      input.withUnsafeBytes { bytes in
        for index in span.indices {
          span[index] = bytes.loadUnaligned(fromByteOffset: 4 * index, as: Float.self)
        }
      }
    }
    let begin = (clock: MonotonicClock.nanoseconds(), process: processNanoseconds())
    session.run()
    return (MonotonicClock.nanoseconds() - begin.clock, processNanoseconds() - begin.process)
  }

  private static func processNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func answer(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
