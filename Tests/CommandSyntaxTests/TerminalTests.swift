import CommandSyntax
import Testing

@Suite("Terminals and diagnostics")
struct TerminalTests {
  @Test(
    arguments: [
      (true, [:], true, true), (false, [:], false, false), (true, ["NO_COLOR": "1"], true, false),
      (true, ["NO_COLOR": ""], true, true), (true, ["TERM": "dumb"], false, false),
      (true, ["TERM": "xterm-256color"], true, true),
    ] as [(Bool, [String: String], Bool, Bool)])
  func `colour needs a terminal that understands it and a user who does not object`(
    isTerminal: Bool, environment: [String: String], interactive: Bool, colored: Bool
  ) {
    let terminal = Terminal(
      isTerminal: isTerminal, environment: { environment[$0] }, measuredColumns: { nil })
    #expect(terminal.isInteractive == interactive)
    #expect(terminal.usesColor == colored)
    #expect(terminal.styled("ok", .green) == (colored ? "\u{1B}[32mok\u{1B}[0m" : "ok"))
  }

  @Test(
    arguments: [
      ("120", 90, 120), (nil, 90, 90), (nil, nil, 80), ("0", 90, 90), ("wide", nil, 80),
      ("-5", nil, 80),
    ] as [(String?, Int?, Int)])
  func `the width is that of COLUMNS, else the terminal's, else 80`(
    variable: String?, measured: Int?, expected: Int
  ) {
    let terminal = Terminal(
      isTerminal: true, environment: { $0 == "COLUMNS" ? variable : nil },
      measuredColumns: { measured })
    #expect(terminal.columns == expected)
  }

  @Test func `messages are one line each, whatever is in them`() {
    let screen = Screen()
    let diagnostics = screen.diagnostics(isTerminal: false)
    diagnostics.error("cannot open 'a\nb\u{1B}[31m\u{202E}.h5'")
    diagnostics.warning("tab\there")
    diagnostics.note("gênant 顔 🙂")
    #expect(
      screen.text == """
        error: cannot open 'a\\nb\\u{1b}[31m\\u{202e}.h5'
        warning: tab\\there
        note: gênant 顔 🙂

        """)
  }
}
