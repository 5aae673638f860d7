import CommandSyntax
import Foundation

private let days = Argument(
  "days", .integer(in: 1...10_000_000), help: "How long to let things grow, in days.")
private let diary = Flag("diary", help: "Print a line for every day.")
private let pause = Option(
  "pause", valueName: "milliseconds", .integer(in: 0...3_600_000), default: 0,
  help: "Time to rest after each day, in milliseconds.")

extension Command {
  static let grow = Command(
    CommandDeclaration(
      "grow", abstract: "Let plants grow for some days", arguments: [days], options: [diary, pause])
  ) { arguments in
    let bar = ProgressBar("Growing", total: arguments[days], unit: "days")
    for day in 1...arguments[days] {
      try Interruption.check()
      if arguments[diary] { try StandardOutput.write("day \(day)\n") }
      if arguments[pause] > 0 { Thread.sleep(forTimeInterval: Double(arguments[pause]) / 1000) }
      bar.advance()
    }
    bar.finish()
    return .success
  }
}
