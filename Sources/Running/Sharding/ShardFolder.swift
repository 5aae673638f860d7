package import Datasets
package import Foundation
internal import Platform
package import Records

/// The folder `RUN.shards`, in which the parts of a run gather until they are joined.
///
/// A part gets its name only when it is whole. Processes that write the same part at once do not meet: the one that ends
/// last replaces a file that holds the same predictions.
package struct ShardFolder: Sendable {
  /// The folder.
  package let url: URL

  private static let planName = "plan.json"

  /// The folder next to a run.
  package init(of run: URL) {
    var path = run.relativePath
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    url = URL(fileURLWithPath: path + ".shards", isDirectory: true)
  }

  /// How messages call a file of it.
  func name(_ file: String) -> String { "\(url.relativePath)/\(file)" }

  static func fileName(ofPart index: Int) -> String {
    let digits = "\(index)"
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits + ".h5"
  }

  /// The file of a part.
  package func file(ofPart index: Int) -> URL {
    url.appendingPathComponent(Self.fileName(ofPart: index))
  }

  /// The plan with its digest; throws `.notFound` where no shard has run yet.
  package func plan() throws(EvaluationError) -> (plan: ShardPlan, digest: String) {
    guard let plan = try storedPlan() else {
      throw EvaluationError(
        .notFound,
        "cannot read \(name(Self.planName)): no such file (the first shard of 'facegauge evaluate' or "
          + "'facegauge sweep' with --shard writes it)")
    }
    return plan
  }

  private func storedPlan() throws(EvaluationError) -> (plan: ShardPlan, digest: String)? {
    do {
      let bytes = try InputFile.bytes(of: url.appendingPathComponent(Self.planName))
      let plan = try ShardPlan(json: bytes, source: name(Self.planName))
      return (plan, try plan.digest())
    } catch let error as FileError where error.kind == .notFound {
      return nil
    } catch let error as FileError where error.kind == .wrongData {
      throw EvaluationError.wrongData("\(error) (remove it, and the next shard writes it again)")
    } catch {
      throw EvaluationError(error)
    }
  }

  /// Writes the plan of the first shard; later ones must have the same. Returns the plan that is there, and its digest.
  func agree(
    on own: ShardPlan, allowsOtherNumerics: Bool
  ) throws -> (plan: ShardPlan, digest: String) {
    try url.makeFolder()
    UnfinishedItem.removeLeft(of: url.appendingPathComponent(Self.planName))
    if try storedPlan() == nil {
      try UniqueFile.write(own.bytes(), unlessThere: url.appendingPathComponent(Self.planName))
    }
    let known = try plan()
    try known.plan.check(own, allowsOtherNumerics: allowsOtherNumerics, in: name(Self.planName))
    return known
  }
}

extension ShardFolder {
  /// A part that cannot be joined.
  package struct Fault: Sendable, Hashable, Codable {
    /// Its number.
    package var shard: Int
    /// The frames that are its.
    package var frames: Int
    /// Why, such as `no file`.
    package var reason: String
  }

  /// What was found of a part.
  package struct Part: Sendable {
    package var part: PredictionsPart
    package var host: Record.Host
    var numerics: Numerics
  }

  /// Those of the parts that cannot be joined, ascending: no file, or something else in it.
  static func faults(_ parts: [Result<Part, PartFault>], of plan: ShardPlan) -> [Fault] {
    parts.enumerated().compactMap { index, found in
      guard case .failure(let fault) = found else { return nil }
      return Fault(shard: index, frames: plan.frames(ofPart: index).count, reason: fault.reason)
    }
  }

  /// What every part is, or why it cannot be joined.
  func parts(
    of plan: ShardPlan, digest: String, isInterrupted: @Sendable () -> Bool = { false }
  ) throws(EvaluationError) -> [Result<Part, PartFault>] {
    try (0..<plan.count).concurrentMap { index throws(EvaluationError) in
      guard !isInterrupted() else {
        throw EvaluationError(.interrupted, "interrupted at shard \(index) of \(plan.count)")
      }
      return Result { () throws(PartFault) in try part(index, of: plan, digest: digest) }
    }
  }

  /// Files that are no part of the plan, by name; those that are being written are hidden.
  func strangers(in plan: ShardPlan) -> [String] {
    let own = Set((0..<plan.count).map(Self.fileName(ofPart:))).union([Self.planName])
    let found = (try? url.names()) ?? []
    return found.filter { !own.contains($0) && !$0.hasPrefix(".") }.sorted()
  }

  /// Why a part cannot be joined.
  struct PartFault: Error {
    var reason: String
    /// Whether a file is there.
    var isThere = true
    /// What the system said where the file could not be read.
    var cause: SystemError?
  }

  /// Reads what a part is, and checks that it is the plan's.
  func part(_ index: Int, of plan: ShardPlan, digest: String) throws(PartFault) -> Part {
    let file = file(ofPart: index)
    let damage: String?
    do {
      damage = try PartSeal.damage(of: file)
    } catch {
      guard error.kind != .notFound else { throw PartFault(reason: "no file", isThere: false) }
      throw PartFault(
        reason: "cannot read it: \(error.cause.map { "\($0)" } ?? "\(error)")", cause: error.cause)
    }
    if let damage { throw PartFault(reason: damage) }
    let (found, frameCount) = try contents(of: file, for: plan.command)
    guard let part = found else {
      throw PartFault(reason: "expected a part of a run, found predictions of a whole run")
    }
    guard part.plan == digest else {
      throw PartFault(
        reason:
          "expected a part of the plan \(digest.prefix(12))…, found one of \(part.plan.prefix(12))…"
      )
    }
    guard part.index == index, part.count == plan.count else {
      throw PartFault(
        reason: "expected part \(index) of \(plan.count), found part \(part.index) of \(part.count)"
      )
    }
    let frames = plan.frames(ofPart: index)
    guard part.firstFrame == frames.lowerBound, frameCount == frames.count else {
      throw PartFault(
        reason: "expected \(frames.count) frames from \(frames.lowerBound) on, found "
          + "\(frameCount) from \(part.firstFrame) on")
    }
    let decoder = JSONDecoder()
    guard let host = try? decoder.decode(Record.Host.self, from: Data(part.host.utf8)),
      let numerics = try? decoder.decode(Numerics.self, from: Data(part.numerics.utf8))
    else { throw PartFault(reason: "expected its machine, found something else") }
    return Part(part: part, host: host, numerics: numerics)
  }

  private func contents(
    of file: URL, for command: ShardPlan.Command
  ) throws(PartFault) -> (part: PredictionsPart?, frames: Int) {
    do {
      switch command {
      case .evaluate:
        let reader = try PredictionsReader(file)
        return (reader.header.part, reader.frameCount)
      case .sweep:
        let reader = try SweepPartReader(file)
        return (reader.part, reader.totals.frames)
      }
    } catch {
      throw PartFault(reason: "\(error)", cause: error.cause)
    }
  }
}

extension [ShardFolder.Fault] {
  /// The shards as schedulers take them, such as `3,17,40-52`.
  package var ranges: String {
    IndexSet(map(\.shard)).rangeView.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound - 1)"
    }.joined(separator: ",")
  }
}
