import Calibration
import Records
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  var fronts: [[Int]]
}

/// The same table as in the oracle's script.
private func randomTable(
  _ seed: Int
) throws -> (table: SettingTable, goals: [(metric: String, better: Direction)]) {
  var generator = SplitMix64(seed: UInt64(seed))
  let metrics = 1 + generator.below(4)
  let parameters = (1 + generator.below(7), 1 + generator.below(7))
  let settings = (0..<parameters.0).flatMap { first in
    (0..<parameters.1).map { [Double(first), Double($0)] }
  }
  let levels = [2, 5, 1000][generator.below(3)]
  let undefined = [0, 8, 2][generator.below(3)]
  let directions = (0..<metrics).map { _ in generator.below(2) == 1 ? Direction.higher : .lower }
  let columns = (0..<metrics).map { _ in
    settings.map { _ -> Double? in
      let value = Double(generator.below(levels))
      return undefined == 0 || generator.below(undefined) != 0 ? value : nil
    }
  }
  let names = (0..<metrics).map { "metric\($0)" }
  return (
    try SettingTable(
      settings: settings, columns: Dictionary(uniqueKeysWithValues: zip(names, columns))),
    zip(names, directions).map { ($0, $1) }
  )
}

@Suite("Pareto fronts")
struct ParetoFrontTests {
  @Test(.tags(.oracle))
  func `fronts equal those of comparing every pair`() throws {
    let expected = try Oracles.read("pareto_fronts", as: Expected.self)
    #expect(expected.fronts.count >= 100)
    for (seed, front) in expected.fronts.enumerated() {
      let (table, goals) = try randomTable(seed)
      #expect(try table.paretoFront(over: goals) == front, "case \(seed)")
    }
  }

  @Test func `the order of the settings does not matter`() throws {
    var generator = SplitMix64(seed: 5)
    for seed in 0..<50 {
      let (table, goals) = try randomTable(seed)
      let positions = table.settings.indices.shuffled(using: &generator)
      let shuffled = try SettingTable(
        settings: positions.map { table.settings[$0] },
        columns: table.columns.mapValues { column in positions.map { column[$0] } })
      let front = try table.paretoFront(over: goals).map { table.settings[$0] }
      #expect(try shuffled.paretoFront(over: goals).map { shuffled.settings[$0] } == front)
    }
  }

  @Test func `an unknown metric and no metric are refused`() throws {
    let (table, _) = try randomTable(1)
    let unknown = #expect(throws: CalibrationError.self) {
      _ = try table.paretoFront(over: [("metric00", .higher)])
    }
    #expect(unknown?.description.hasSuffix("perhaps 'metric0'") == true)
    #expect(throws: CalibrationError.self) { _ = try table.paretoFront(over: []) }
  }

  @Test func `the steadiest smoothing within a limit of lag lies on the front of jitter and lag`()
    throws
  {
    // One-Euro: a higher cutoff or beta lags less and jitters more.
    let cutoffs = [0.25, 0.5, 1, 2, 4, 8]
    let betas = [0, 0.01, 0.1]
    let settings = cutoffs.flatMap { cutoff in betas.map { [cutoff, $0] } }
    let table = try SettingTable(
      settings: settings,
      columns: [
        "jitter": settings.map { $0[0].squareRoot() * (1 + 3 * $0[1]) },
        "lag": settings.map { 20 / $0[0] / (1 + 10 * $0[1]) },
      ])
    let front = try table.paretoFront(over: [("lag", .lower), ("jitter", .lower)])
    for (one, next) in zip(front, front.dropFirst()) {
      let (lag, jitter) = (table.columns["lag"] ?? [], table.columns["jitter"] ?? [])
      #expect((lag[one] ?? 0) < (lag[next] ?? 0) && (jitter[one] ?? 0) > (jitter[next] ?? 0))
    }
    let choice = try table.best(for: Objective(parsing: "min jitter where lag <= 20"))
    guard case .best(let index, _) = choice else {
      Issue.record("no setting was chosen")
      return
    }
    #expect(front.contains(index))
    #expect(settings[index] == [0.5, 0.1])
  }
}
