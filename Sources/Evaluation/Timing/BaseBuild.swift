internal import Datasets
internal import FaceCore
internal import Foundation
internal import Glibc
internal import Platform

/// Builds the program from another commit, once for each commit.
package enum BaseBuild {
  /// The built program of a revision of the repository that the working folder belongs to.
  ///
  /// It is built in a worktree under the cache, which is removed then; the program stays under the commit's hash
  /// and the output of `swift --version`, so both builds use the same compiler.
  /// Throws `.notFound` for a revision that is not there, `.failed` where it does not build.
  package static func program(
    of revision: String, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> String {
    let commit = try output(
      "git", ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}"],
      monitor
    ) { _ in
      EvaluationError(.notFound, "cannot build '\(revision)': git knows no such commit here")
    }
    let compiler = try output("swift", ["--version"], monitor) {
      EvaluationError(.failed, "cannot build '\(revision)': swift --version: \($0)")
    }
    let folder = cache.appendingPathComponent(
      "\(commit)-\(compiler.filter { $0.isLetter || $0.isNumber || ".-".contains($0) }.prefix(80))",
      isDirectory: true)
    let program = folder.appendingPathComponent("facegauge")
    if FileManager.default.isExecutableFile(atPath: program.path) { return program.path }
    let worktree = cache.appendingPathComponent("\(commit).\(getpid())", isDirectory: true)
    func failed(_ what: String) -> (String) -> EvaluationError {
      {
        EvaluationError(.failed, "cannot build \(revision) (\(commit.prefix(12))): \(what): \($0)")
      }
    }
    monitor.begin("building \(commit.prefix(12))", 1)
    defer { remove(worktree) }
    try make(folder)
    _ = try output(
      "git", ["worktree", "add", "--quiet", "--detach", worktree.path, commit], monitor,
      failed("git worktree add"))
    _ = try output(
      "env",
      [
        "-u", "FACEGAUGE_PLANT", "swift", "build", "-c", "release", "--product", "facegauge",
        "--package-path", worktree.path,
      ], monitor, failed("swift build"))
    let built = worktree.appendingPathComponent(".build/release/facegauge").path
    let part = "\(program.path).\(getpid())"
    do {
      try FileManager.default.copyItem(
        atPath: URL(fileURLWithPath: built).resolvingSymlinksInPath().path, toPath: part)
    } catch {
      throw EvaluationError(
        .cannotWrite, "cannot write \(part): \(error.systemReason)")
    }
    guard rename(part, program.path) == 0 else {
      throw EvaluationError(
        .cannotWrite, "cannot write \(program.path): \(String(cString: strerror(errno)))")
    }
    monitor.advance(by: 1)
    return program.path
  }

  /// The hash of the commit that the working folder is at; nil where it is no git repository.
  package static var currentCommit: String? {
    let commit = try? output("git", ["rev-parse", "--verify", "--quiet", "HEAD"], .silent) {
      EvaluationError(.failed, $0)
    }
    return commit.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The folder of built programs: `$FACEGAUGE_CACHE/builds`, else `facegauge/builds` in the XDG cache.
  static var cache: URL {
    let environment = ProcessInfo.processInfo.environment
    func folder(_ name: String) -> URL? {
      environment[name].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
    }
    let caches =
      folder("FACEGAUGE_CACHE")
      ?? (folder("XDG_CACHE_HOME")
      ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".cache"))
      .appendingPathComponent("facegauge")
    return caches.appendingPathComponent("builds", isDirectory: true)
  }

  private static func make(_ folder: URL) throws(EvaluationError) {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw EvaluationError(
        .cannotWrite, "cannot make \(folder.path): \(error.systemReason)")
    }
  }

  private static func remove(_ worktree: URL) {
    guard FileManager.default.fileExists(atPath: worktree.path) else { return }
    _ = try? output("git", ["worktree", "remove", "--force", worktree.path], .silent) {
      EvaluationError(.failed, $0)
    }
  }

  /// The first line that a program writes; what it wrote to its end is in the error that is thrown.
  private static func output(
    _ name: String, _ words: [String], _ monitor: RunMonitor,
    _ failure: (String) -> EvaluationError
  ) throws(EvaluationError) -> String {
    do {
      var program = try ChildProgram.start(
        name, words, isInterrupted: monitor.isInterrupted)
      // A compiler is silent for as long as it compiles.
      program.silenceLimit = .seconds(3600)
      var first: String?
      var firstErrorLine: String?
      while let line = try program.line() {
        if first == nil { first = line }
        if firstErrorLine == nil, line.contains("error:") { firstErrorLine = line }
      }
      let ending = try program.finish()
      guard ending.isSuccess else {
        throw failure(firstErrorLine ?? ending.lastErrorLine ?? "no reason given")
      }
      return first ?? ""
    } catch {
      throw EvaluationError(error)
    }
  }
}
