internal import Foundation
internal import Platform
internal import Running

/// Where a sweep can go on: what all units of frames before one came to.
struct SweepCheckpoint: Codable {
  /// How many units are done.
  var units: Int
  /// How many frames they have.
  var frames: Int
  var sums: ResampledSums.State
  var cost: SweepCost
  var scores: [[Float]]
  var wrong: WrongFrames
  var times: BranchingReplay.Times
  /// Broken images.
  var bad: [PredictionPass.BadFrame]

  private static let name = "segments/sweep.state.json"

  /// Reads the one of an interrupted sweep, however large it is; nil where there is none.
  init?(in folder: RunFolder) throws(EvaluationError) {
    let url = folder.partial.appendingPathComponent(Self.name)
    guard url.isThere else { return nil }
    let bytes = try EvaluationError.wrapping { try InputFile(url).bytes() }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let found = try? decoder.decode(SweepCheckpoint.self, from: Data(bytes)) else {
      throw Self.misfit(in: folder)
    }
    self = found
  }

  /// The error of a file that is no state of the sweep that goes on.
  static func misfit(in folder: RunFolder) -> EvaluationError {
    EvaluationError.wrongData(
      "cannot resume \(folder.url.relativePath): expected a state of the sweep in "
        + "\(folder.partial.relativePath)/\(name), found something else (--force starts again)")
  }

  /// Takes down how far a pass is.
  init(units: Int, frames: Int, _ outcome: SweepPass.Outcome, times: BranchingReplay.Times) {
    self.units = units
    self.frames = frames
    sums = outcome.sums.state
    cost = outcome.cost
    scores = outcome.scores.state
    wrong = outcome.wrong
    self.times = times
    bad = outcome.bad
  }

  /// Writes it instead of an earlier one; numbers that are not finite are texts.
  func write(into folder: RunFolder) throws(EvaluationError) {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let bytes = try EvaluationError.wrapping { try encoder.encode(self) }
    try folder.write([UInt8](bytes), to: Self.name)
  }
}
