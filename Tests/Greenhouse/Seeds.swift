import CommandSyntax

private let kind = Argument("kind", .choice(of: ["basil", "bean"]), help: "What to sow.")
private let depth = Option(
  "depth", short: "d", valueName: "centimetres", .number(in: -1...5), default: 0.5,
  help: "How deep, in centimetres below the ground.")

extension Command {
  static let seeds = Command(
    "seeds", abstract: "Keep seeds", subcommands: [list, sow], defaultSubcommand: "list")

  private static let list = Command(
    CommandDeclaration("list", abstract: "List the seeds in store")
  ) { _ in
    try StandardOutput.write("basil\nbean\n")
    return .success
  }

  private static let sow = Command(
    CommandDeclaration(
      "sow", abstract: "Put a seed into the ground", arguments: [kind], options: [depth])
  ) { arguments in
    try StandardOutput.write("\(arguments[kind]) at \(arguments[depth]) cm\n")
    return .success
  }
}
