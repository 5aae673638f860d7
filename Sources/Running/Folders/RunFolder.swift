package import Datasets
internal import FaceCore
internal import FacePipeline
package import Foundation
internal import Platform
internal import Records

/// The folder of a run, which gets its name only when it is whole.
package struct RunFolder: Sendable {
  private let folder: AtomicFolder
  private let replaces: Bool
  private let beginning: AtomicFolder.Beginning

  /// Where the run will be.
  package var url: URL { folder.target }
  /// The unfinished folder, next to the final one.
  package var partial: URL { folder.partial }

  /// Whether it goes on with what an earlier process has finished.
  package var isResumed: Bool { beginning == .resumed }

  /// What a finished run may hold; a folder with anything else is not replaced.
  private static let contents = Set(
    [
      "record.json", "predictions.h5", "report.html", "report.md", "junit.xml", "trace.json",
      "images",
    ] + ResultDocuments.types.map { $0.fileName })
  /// How the names of its images begin.
  private static let imageNames = ["worst-", "finding-", "changed-", "weak-"]
  private static let planName = "plan.json"
  /// What a partial folder may hold besides the plan and the lock.
  private static let working = ["segments"]

  /// Prepares the partial folder, or finds the one to go on with; `inputs` must survive the run.
  ///
  /// The monitor hears of a run that should be resumed and has nothing to go on with. With `isOfFile` the run ends as a
  /// file of that name, and the folder only keeps what is finished until then.
  package init(
    _ position: URL, replaces: Bool, resumes: Bool, inputs: [URL] = [], isOfFile: Bool = false,
    monitor: RunMonitor = .silent
  ) throws {
    let folder = AtomicFolder(resumable: position, of: "run", plan: Self.planName)
    self.folder = folder
    self.replaces = replaces
    let target = folder.target
    try folder.restore { Self.holds($0, only: Self.contents) }
    if target.isThere {
      guard replaces else {
        throw FileError(writing: position, "it exists already (--force replaces it)")
      }
      guard isOfFile || Self.holds(target, only: Self.contents) else {
        throw EvaluationError(
          .cannotWrite,
          "cannot replace \(position.relativePath): expected a run or an empty folder, found something "
            + "else")
      }
    }
    let inside = target.path + "/"
    let current = URL(fileURLWithPath: ".")
    for input in inputs + [current]
    where (input.withoutLinks.path + "/").hasPrefix(inside) {
      throw FileError(writing: position, "\(input.relativePath) lies inside it")
    }
    let names = Self.contents.union(Self.working + [Self.planName, "lock"])
    beginning = try folder.begin(resumes: resumes, replaces: replaces) {
      Self.holds(folder.partial, only: names)
    }
    try folder.partial.appendingPathComponent("segments").makeFolder()
    if beginning == .again { monitor.note(folder.notice) }
  }

  /// Where the finished parts of the predictions lie while the run goes on.
  var segments: URL { partial.appendingPathComponent("segments", isDirectory: true) }
  /// The file of the segment that begins with a frame.
  func segment(at start: Int) -> URL { segments.appendingPathComponent("\(start).h5") }
  /// Where the images of the gallery lie.
  package var images: URL { partial.appendingPathComponent("images", isDirectory: true) }

  /// Remembers what the predictions and their times depend on; throws where a resumed run differs.
  package func agree(on header: PredictionsHeader, jobs: Int) throws(EvaluationError) {
    let facts = header.options.merging([
      "jobs": "\(jobs)", "dataset": header.datasetSHA256,
      "candidate-floor": "\(header.candidateFloor)", RunOption.mode: header.mode,
      "models": header.models.map { "\($0.name) \($0.sha256)" }.joined(separator: ", "),
      "numerics": Numerics.own.words,
    ]) { $1 }
    let url = partial.appendingPathComponent(Self.planName)
    guard let data = (try? InputFile.bytes(of: url)).map({ Data($0) }) else {
      guard let bytes = try? JSONEncoder.line.encode(facts) else { return }
      return try write([UInt8](bytes), to: Self.planName)
    }
    let earlier = (try? JSONDecoder().decode([String: String].self, from: data)) ?? [:]
    let names = Set(facts.keys).union(earlier.keys).sorted()
    for name in names where earlier[name] != facts[name] {
      throw EvaluationError.wrongData(
        "cannot resume \(self.url.relativePath): expected \(name) \(earlier[name] ?? "none") "
          + "as before, found \(facts[name] ?? "none")")
    }
  }

  /// Remembers how a segment's last frame left the tracker.
  func keep(_ state: TrackingState?, at start: Int) throws {
    if let state { try write(state.json(), to: "segments/\(start).state.json") }
  }

  /// How a segment's last frame left the tracker.
  func trackingState(at start: Int) throws(EvaluationError) -> TrackingState {
    let url = segments.appendingPathComponent("\(start).state.json")
    let data = (try? InputFile.bytes(of: url)).map { Data($0) }
    guard let data, let state = TrackingState(json: data) else {
      throw EvaluationError.wrongData(
        "cannot resume \(self.url.relativePath): expected a tracking state in "
          + "\(url.relativePath), found \(data == nil ? "no file" : "something else") (--force "
          + "starts again)")
    }
    return state
  }

  /// Writes a file of the run.
  package func write(_ bytes: [UInt8], to name: String) throws(EvaluationError) {
    try make(name) { try AtomicFile.write(bytes, to: $0) }
  }

  /// Lets a file of the run be made.
  package func make(_ name: String, _ work: (URL) throws -> Void) throws(EvaluationError) {
    let target = partial.appendingPathComponent(name)
    do {
      try target.deletingLastPathComponent().makeFolders()
      try work(target)
    } catch {
      throw EvaluationError(
        .cannotWrite,
        "cannot write \(name) in \(url.relativePath): \(error.systemReason)",
        cause: error.systemError)
    }
  }

  /// Does work on the run; what fails in it discards the run, except an interruption of one that can be resumed.
  package func filling<Result>(
    canResume: Bool = false, _ work: () throws -> Result
  ) throws -> Result {
    do {
      return try work()
    } catch let error as EvaluationError where error.kind == .interrupted && canResume {
      throw error
    } catch {
      discard()
      throw error
    }
  }

  /// Does the rest of the work and gives the run its name; what fails in either deletes it.
  package func commit(after work: () throws -> Void) throws {
    try filling {
      try work()
      try commit()
    }
  }

  /// Gives the run its name; an earlier run of that name goes, if it may be replaced.
  package func commit() throws {
    try folder.commit(without: Self.working, replacing: replaces)
  }

  /// Deletes the partial folder, unless it holds the work of an earlier run that was resumed.
  package func discard() {
    if !isResumed { folder.discard() }
  }

  /// Deletes the partial folder.
  func remove() { folder.discard() }

  /// Whether a folder contains only our own files.
  private static func holds(_ folder: URL, only names: Set<String>) -> Bool {
    func list(_ url: URL) -> [String]? {
      try? url.names()
    }
    guard let found = list(folder) else { return false }
    let images = list(folder.appendingPathComponent("images")) ?? []
    let segments = list(folder.appendingPathComponent("segments")) ?? []
    // Files that were being written when a process was killed are hidden.
    func isUnfinished(_ name: String) -> Bool {
      names.contains("segments") && name.hasPrefix(".")
    }
    return found.allSatisfy { names.contains($0) || isUnfinished($0) }
      && images.allSatisfy { name in
        imageNames.contains { name.hasPrefix($0) } || isUnfinished(name)
      }
      && segments.allSatisfy {
        $0.hasSuffix(".h5") || $0.hasSuffix(".state.json") || isUnfinished($0)
      }
  }
}
