package import CommandSyntax

/// How `greenhouse water` brings the water to the plants.
package enum Method: String, Sendable, CaseIterable {
  case can, hose, drip
}

/// The parameters of `greenhouse water`.
package enum Water {
  package static let method = Argument(
    optional: "method", .choice(Method.self), otherwise: "found out from the bed",
    help: "How the water gets there.")
  package static let plants = Argument(
    repeating: "plant", .path(extensions: ["plant", "tree"]), help: "The plants' files.")
  package static let output = Option(
    required: "output", short: "o", valueName: "log", .path(extensions: ["json"]),
    help: "Where the log is written.")
  package static let litres = Option(
    "litres", short: "l", .number(in: 0...20), default: 1,
    help: "Water for each plant, in litres.")
  package static let rounds = Option(
    "rounds", valueName: "n", .integer(in: 1...100), default: 2,
    help: "How often to go round, as a number of rounds.")
  package static let minimumTemperature = Option(
    "min-soil-temperature", valueName: "degrees", .number(), otherwise: "any",
    help: "Coldest soil that is watered, in degrees Celsius.")
  package static let additives = Option(
    repeating: "additive", valueName: "name", .string,
    help: "Something to mix in; may be given again.")
  package static let json = Flag("json", help: "Print the log as JSON.")

  package static let declaration = CommandDeclaration(
    "water", abstract: "Water plants by hand or by machine",
    arguments: [method, plants],
    options: [output, litres, rounds, minimumTemperature, additives, json])
}

extension Command {
  static let water = Command(Water.declaration) { arguments in
    let plants = arguments[Water.plants]
    let litres = arguments[Water.litres] * Double(arguments[Water.rounds] * plants.count)
    if arguments[Water.method] == .drip && arguments.isGiven(Water.rounds) {
      throw arguments.usageError("'--rounds' does not go with the method 'drip'")
    }
    guard plants.allSatisfy({ $0 != "weed" }) else {
      throw CommandFailure(.wrongData, "cannot water 'weed': expected a plant, found a weed")
    }
    try StandardOutput.write("\(litres) litres\n")
    return .success
  }
}
