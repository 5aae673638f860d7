package import Datasets
internal import Foundation
internal import Platform

/// A part of a run that takes a while.
package enum RunPhase: Sendable, Hashable {
  /// What its steps are; the raw values are for people.
  package enum Unit: String, Sendable {
    case bytes, fits, frames, images, permutations, resamples
  }

  case calibrating, choosing, comparing, drawing, evaluating, fitting, hashing, joining
  case findingKnownFrames, joiningRecording, permuting, reading, resampling, scoring, measuringRest,
    sweeping, timing
  case timingOperators, timingPairs, timingTimer, tracking

  /// What is done, such as `scoring`.
  package var words: String {
    switch self {
    case .findingKnownFrames: "looking for known frames"
    case .joiningRecording: "joining the recording"
    case .measuringRest: "measuring the face at rest"
    case .timingOperators: "timing operators"
    case .timingPairs: "timing pairs"
    case .timingTimer: "timing the timing"
    case .calibrating, .choosing, .comparing, .drawing, .evaluating, .fitting, .hashing,
      .joining, .permuting, .reading, .resampling, .scoring, .sweeping, .timing, .tracking:
      "\(self)"
    }
  }

  /// What its steps are.
  package var unit: Unit {
    switch self {
    case .hashing: .bytes
    case .comparing: .images
    case .fitting: .fits
    case .permuting: .permutations
    case .resampling: .resamples
    default: .frames
    }
  }
}

/// How a run tells its caller where it is, and learns that it should stop.
package struct RunMonitor: Sendable {
  /// Called when a phase begins, with the number of its steps.
  package var begin: @Sendable (_ phase: RunPhase, _ total: Int) -> Void
  /// Called when steps of the phase are done.
  package var advanceBy: @Sendable (_ steps: Int) -> Void
  /// Whether the caller wants the run to stop.
  package var isInterrupted: @Sendable () -> Bool
  /// Called with what the user should know before the run goes on.
  package var note: @Sendable (_ text: String) -> Void = { _ in }
  /// What becomes of an interrupted run.
  package var interruptionNote = "--resume goes on"

  /// What becomes of an interrupted run that leaves nothing.
  package static let nothingKept = "nothing was written"

  /// The monitor of a run that leaves nothing when it is interrupted.
  package var keepingNothing: RunMonitor {
    var monitor = self
    monitor.interruptionNote = Self.nothingKept
    return monitor
  }

  /// Makes a monitor.
  package init(
    begin: @escaping @Sendable (_ phase: RunPhase, _ total: Int) -> Void,
    advanceBy: @escaping @Sendable (_ steps: Int) -> Void,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.begin = begin
    self.advanceBy = advanceBy
    self.isInterrupted = isInterrupted
  }

  /// A monitor that shows nothing and never stops.
  package static let silent = RunMonitor(
    begin: { _, _ in }, advanceBy: { _ in }, isInterrupted: { false })

  package func advance(by steps: Int) {
    advanceBy(steps)
  }

  /// SHA-256 of what a dataset says, shown as a phase of its own.
  ///
  /// That of its file; of several files that of the text with a line for each, its digest in hexadecimal.
  package func hash(_ dataset: DatasetReader) throws -> String {
    try hash(dataset, sharing: nil)
  }

  /// The same with digests of files that other shards found.
  func hash(_ dataset: DatasetReader, sharing shared: SharedDigests?) throws -> String {
    try hash(dataset, sharing: shared) { try dataset.contentDigest(ofFile: $0, advance: advanceBy) }
  }

  /// Whether a stated SHA-256 is that of a dataset with the digest `sha256`, or that of the bytes of its files, which programs
  /// state that do not know the content.
  package func isDigest(
    _ stated: String, of dataset: DatasetReader, sha256: String
  ) throws -> Bool {
    guard stated != sha256 else { return true }
    return try hash(dataset, sharing: nil) { index in
      var reported = 0
      return try SHA256.hexadecimal(ofFile: dataset.files[index].path) { read, _ in
        advance(by: read - reported)
        reported = read
      }
    } == stated
  }

  private func hash(
    _ dataset: DatasetReader, sharing shared: SharedDigests?,
    file: (_ index: Int) throws -> String
  ) throws -> String {
    begin(.hashing, dataset.byteCount)
    let files = dataset.files
    var digests = [String](repeating: "", count: files.count)
    for index in shared?.order(of: files.count) ?? Array(files.indices) {
      digests[index] =
        if let shared {
          try shared.digest(of: files[index]) { try file(index) }
        } else {
          try file(index)
        }
    }
    guard digests.count != 1 else { return digests[0] }
    return try SHA256.hexadecimal(of: Array(digests.map { "\($0)\n" }.joined().utf8))
  }

  /// The stills of each image and person that a dataset repeats, by the first of them.
  package func relatedStills(of dataset: DatasetReader) throws -> [Int: Int] {
    do {
      return try dataset.relatedStills { isInterrupted() }
    } catch {
      try check("while looking for repeated images")
      throw error
    }
  }

  package func check(after done: Int, of total: Int) throws(EvaluationError) {
    try check("after \(done) of \(total) frames")
  }

  package func check(_ position: String) throws(EvaluationError) {
    guard isInterrupted() else { return }
    throw EvaluationError(.interrupted, "interrupted \(position); \(interruptionNote)")
  }
}
