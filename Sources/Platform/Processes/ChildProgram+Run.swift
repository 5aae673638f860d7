extension ChildProgram {
  /// Runs a program to its end on this process's own output and messages; its exit status, nil where a signal ended it.
  ///
  /// It runs in this process's folder, with its variables. It reads nothing, and ends with this process however that ends. An interruption asks it to end and waits for that;
  /// after 10 s more, or where it takes longer than `limit`, it is killed. Throws `.interrupted` after an interruption.
  package static func run(
    _ name: String, _ arguments: [String], limit: Duration,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws(FileError) -> Int? {
    let mark = Descendants.newMark()
    let process: ChildProcess
    do throws(SystemError) {
      process = try spawn(
        [name] + arguments, .own, mark: mark, input: nil, output: .standardOutput,
        messages: .standardError
      ).get()
    } catch {
      throw cannotRun(name, error)
    }
    var end = ContinuousClock.now + limit
    var isStopping = false
    while !process.hasEnded {
      if isInterrupted(), !isStopping {
        process.askToEnd()
        isStopping = true
        end = .now + .seconds(10)
      }
      if ContinuousClock.now > end {
        _ = endAll(process, mark)
        throw isStopping
          ? interrupted : FileError(.inputOutput, "\(name) took longer than \(words(limit))")
      }
      ChildProcess.pause(microseconds: 10_000)
    }
    let ending = endAll(process, mark)
    if isStopping { throw interrupted }
    return ChildProcess.exitStatus(ending)
  }
}
