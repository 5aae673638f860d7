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
  }

  /// Reads the part of a file; nil where the file is a whole run's. Throws `.wrongData` for sequences that do not ascend.
  init?(of file: HDF5File, name: String) throws {
    guard try file.hasAttribute("part_plan", of: "/") else { return nil }
    func number(_ name: String) throws(HDF5Error) -> Int {
      try file.attribute("part_" + name, of: "/", as: Int.self)
    }
    let (first, end) = (try number("first_sequence"), try number("end_sequence"))
    guard first <= end else {
      throw FileError(
        .wrongData,
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
  }
}
