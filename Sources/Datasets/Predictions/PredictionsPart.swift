internal import HDF5
internal import Platform

/// Which part of a run a predictions file holds, if it holds one part only; attributes of the root that begin with `part`.
package struct PredictionsPart: Sendable, Hashable {
  /// SHA-256 of the plan that the part follows.
  package var plan: String
  /// Its number, from 0.
  package var index: Int
  /// How many parts there are.
  package var count: Int
  /// The dataset's frame that is the file's first.
  package var firstFrame: Int
  /// The sequences that it covers; a still is one.
  package var sequences: Range<Int>
  /// The machine, as the record of a run describes it in JSON.
  package var host: String
  /// What computed it, in JSON.
  package var numerics: String
  /// How often the scheduler had started it, from 1.
  package var attempt: Int
  /// Why the machine was noisy meanwhile, a sentence each.
  package var noise: [String]
  /// What the process needed before the first frame, above all for its models and the dataset's digest.
  package var start = Work()
  /// What it needed of that for the dataset's digest, whose files shards share.
  package var digest = Work()
  /// What its frames needed.
  package var work = Work()

  /// What a process needed for something.
  package struct Work: Sendable, Hashable, Codable {
    /// Time that passed, in seconds.
    package var seconds: Double
    /// Time of processors, in seconds.
    package var processorSeconds: Double
    /// Bytes that were read, from the disk or from memory that mirrors it.
    package var bytesRead: Int

    /// Describes work.
    package init(seconds: Double = 0, processorSeconds: Double = 0, bytesRead: Int = 0) {
      self.seconds = seconds
      self.processorSeconds = processorSeconds
      self.bytesRead = bytesRead
    }
  }

  /// Describes a part.
  package init(
    plan: String, index: Int, count: Int, firstFrame: Int, sequences: Range<Int>, host: String,
    numerics: String, attempt: Int, noise: [String] = []
  ) {
    self.plan = plan
    self.index = index
    self.count = count
    self.firstFrame = firstFrame
    self.sequences = sequences
    self.host = host
    self.numerics = numerics
    self.attempt = attempt
    self.noise = noise
  }

  func write(to file: HDF5File) throws(HDF5Error) {
    try file.setAttribute("part_plan", of: "/", to: plan)
    for (name, number) in [
      ("index", index), ("count", count), ("first_frame", firstFrame), ("attempt", attempt),
      ("first_sequence", sequences.lowerBound), ("end_sequence", sequences.upperBound),
    ] {
      try file.setAttribute("part_" + name, of: "/", to: number)
    }
    try file.setAttribute("part_host", of: "/", to: host)
    try file.setAttribute("part_numerics", of: "/", to: numerics)
    try file.setAttribute("part_noise", of: "/", to: noise)
    for (name, work) in [("start", start), ("digest", digest), ("work", work)] {
      try file.setAttribute("part_\(name)_s", of: "/", to: work.seconds)
      try file.setAttribute("part_\(name)_cpu_s", of: "/", to: work.processorSeconds)
      try file.setAttribute("part_\(name)_bytes", of: "/", to: work.bytesRead)
    }
  }

  /// Reads the part of a file; nil where the file is a whole run's. Throws `.wrongData` for sequences that do not ascend.
  init?(of file: HDF5File, name: String) throws {
    guard try file.hasAttribute("part_plan", of: "/") else { return nil }
    func number(_ name: String) throws(HDF5Error) -> Int {
      try file.attribute("part_" + name, of: "/", as: Int.self)
    }
    let (first, end) = (try number("first_sequence"), try number("end_sequence"))
    guard first <= end else {
      throw FileError.wrongData(
        "cannot read attribute 'part_end_sequence' of '/' in \(name): expected \(first) or more, "
          + "found \(end)")
    }
    self.init(
      plan: try file.attribute("part_plan", of: "/", as: String.self),
      index: try number("index"), count: try number("count"),
      firstFrame: try number("first_frame"), sequences: first..<end,
      host: try file.attribute("part_host", of: "/", as: String.self),
      numerics: try file.attribute("part_numerics", of: "/", as: String.self),
      attempt: try number("attempt"),
      noise: try file.attribute("part_noise", of: "/", as: [String].self))
    func work(_ name: String) throws(HDF5Error) -> Work {
      Work(
        seconds: try file.attribute("part_\(name)_s", of: "/", as: Double.self),
        processorSeconds: try file.attribute("part_\(name)_cpu_s", of: "/", as: Double.self),
        bytesRead: try file.attribute("part_\(name)_bytes", of: "/", as: Int.self))
    }
    (start, digest) = (try work("start"), try work("digest"))
    self.work = try work("work")
  }
}
