internal import Foundation
package import Platform

/// Divides a dataset into named parts without breaking groups, and writes it with those splits.
package struct DatasetSplit: Sendable {
  /// The frames that stay together.
  package enum Grouping: String, Sendable, CaseIterable {
    /// All frames of a subject or an identity, and whole sequences.
    case subject
    /// Whole sequences.
    case sequence
    /// Single frames.
    case frame
  }

  /// A part: its name, and its share of the frames.
  package struct Part: Sendable, Equatable {
    package var name: String
    package var fraction: Double

    /// Names a share.
    package init(name: String, fraction: Double) {
      self.name = name
      self.fraction = fraction
    }
  }

  /// Contents of a part.
  package struct Share: Sendable {
    package var part: Part
    package var groups = 0
    package var frames = 0
    /// Observations of each stratum.
    package var strata: [Int]
  }

  /// Result of a division.
  package struct Summary: Sendable {
    package var shares: [Share]
    package var groups: Int
    package var frames: Int
    /// Names of the strata; a single unnamed one without stratification.
    package var strata: [String]
    package var remarks: [ImportRemark]
  }

  /// What every part gets its share of.
  package enum Stratum: Sendable, Hashable {
    /// The expressions of faces.
    case expression
    /// The values of an attribute of faces, by its name.
    case attribute(String)

    private static let expressionWord = "expression"

    /// Reads `expression` or the name of an attribute.
    package init(_ word: String) {
      self = word == Self.expressionWord ? .expression : .attribute(word)
    }

    /// The word that names it.
    package var word: String {
      switch self {
      case .expression: Self.expressionWord
      case .attribute(let name): name
      }
    }
  }

  /// The frames that stay together.
  package var grouping: Grouping
  /// The parts, whose fractions add up to 1.
  package var parts: [Part]
  /// Seed for the order of equal groups.
  package var seed: UInt64
  /// What every part gets its share of besides frames; nil for nothing.
  package var stratum: Stratum?

  /// Plans a split; `stratum` is the word for one.
  ///
  /// Throws `.wrongData` for invalid or equal names, and for fractions that do not add up to 1.
  package init(
    by grouping: Grouping, parts: [Part], seed: UInt64 = 0, stratum: String? = nil
  ) throws(FileError) {
    self.grouping = grouping
    self.parts = parts
    self.seed = seed
    self.stratum = stratum.map { Stratum($0) }
    if let expected = Self.expectation(unmetBy: parts) {
      throw FileError.wrongData(
        "cannot split: expected \(expected), "
          + "found \(parts.map { "\($0.name)=\($0.fraction)" }.joined(separator: ","))")
    }
  }

  /// What parts should be and are not; nil for those that a dataset can be divided into.
  package static func expectation(unmetBy parts: [Part]) -> String? {
    guard parts.allSatisfy({ DatasetLayout.isTableName($0.name) && $0.fraction > 0 }),
      Set(parts.map(\.name)).count == parts.count, (2...64).contains(parts.count)
    else { return "2 to 64 parts of different plain names, each with a share above 0" }
    let sum = parts.reduce(0) { $0 + $1.fraction }
    return abs(sum - 1) < 1e-6 ? nil : "shares that add up to 1"
  }

  /// Groups and divides the frames, and copies them into a writer with the splits; other splits stay.
  ///
  /// Frames with the same image stay together too. Throws `.wrongData` for fewer groups than parts.
  package func run(
    over reader: DatasetReader, into writer: DatasetWriter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    try DatasetCopy.checkSplitNames(of: reader)
    if case .attribute(let name)? = stratum, !reader.attributeNames.contains(name) {
      let known = ([Stratum.expression.word] + reader.attributeNames).joined(separator: ", ")
      throw FileError.wrongData(
        "cannot stratify \(reader.url.relativePath) by '\(name)': expected one of \(known)")
    }
    var survey = SplitSurvey(of: reader, grouping, stratum: stratum)
    try survey.read(advance: advance, isInterrupted: isInterrupted)
    let (groups, count) = survey.groups.numbered()
    guard count >= parts.count else {
      throw FileError.wrongData(
        "cannot split \(reader.url.relativePath) by \(grouping.rawValue) into \(parts.count) parts: "
          + "expected as many groups or more, found \(count)")
    }
    guard survey.strata.names.count <= Strata.limit else {
      throw FileError.wrongData(
        "cannot stratify \(reader.url.relativePath) by '\(stratum?.word ?? "")': expected at most "
          + "\(Strata.limit) different values, found \(survey.strata.names.count)")
    }
    let strata = survey.strata
    let width = strata.names.count
    var counts = [Int32](repeating: 0, count: count * width)
    for (frame, number) in zip(strata.frames, strata.numbers) {
      counts[Int(groups[Int(frame)]) * width + Int(number)] += 1
    }
    let chosen = SplitPlan(fractions: parts.map(\.fraction), strata: width, counts: counts)
      .parts(seed: seed)
    var shares = parts.map { Share(part: $0, strata: Array(repeating: 0, count: width)) }
    for (group, part) in chosen.enumerated() {
      shares[part].groups += 1
      for stratum in 0..<width {
        shares[part].strata[stratum] += Int(counts[group * width + stratum])
      }
    }
    let copy = DatasetCopy(of: reader)
    let outcome = try copy.run(into: writer, advance: advance, isInterrupted: isInterrupted)
    let names = Set(parts.map(\.name))
    for (index, part) in parts.enumerated() {
      let frames = groups.indices.filter { chosen[Int(groups[$0])] == index }
      shares[index].frames = frames.count
      try writer.addSplit(part.name, frames: frames)
    }
    try copy.addSplits(except: names, outcome, to: writer)
    var remarks = survey.remarks + outcome.remarks
    let replaced = reader.splits.map(\.name).filter(names.contains)
    remarks.assume("splits replaced: \(replaced.joined(separator: ", "))", if: !replaced.isEmpty)
    return Summary(
      shares: shares, groups: count, frames: reader.frameCount, strata: strata.names,
      remarks: remarks)
  }
}
