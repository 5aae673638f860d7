package import Platform

/// What a standard stream can show: whether it is a terminal, how wide, and whether in colour.
package struct Terminal: Sendable {
  /// Whether the stream is a terminal that understands escape sequences (not a `dumb` one).
  package let isInteractive: Bool
  /// Whether text may be coloured: interactive, and `NO_COLOR` unset or empty.
  package let usesColor: Bool
  private let measureColumns: @Sendable () -> Int?

  /// Describes an open stream.
  package init(
    _ stream: Descriptor, environment: @escaping @Sendable (String) -> String? = environmentValue
  ) {
    self.init(isTerminal: stream.isTerminal, environment: environment) { stream.terminalColumns }
  }

  /// Describes a stream with known properties.
  package init(
    isTerminal: Bool, environment: @escaping @Sendable (String) -> String?,
    measuredColumns: @escaping @Sendable () -> Int?
  ) {
    isInteractive = isTerminal && environment("TERM") != "dumb"
    usesColor = isInteractive && (environment("NO_COLOR") ?? "").isEmpty
    measureColumns = {
      environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? measuredColumns()
    }
  }

  /// Columns now: `COLUMNS` if it is a positive number, else the terminal's width, else 80.
  package var columns: Int { measureColumns() ?? 80 }

  /// The text in a style if the stream shows colour, else unchanged.
  package func styled(_ text: String, _ style: TextStyle) -> String {
    usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Standard output.
  package static var standardOutput: Terminal { Terminal(.standardOutput) }
  /// Standard error.
  package static var standardError: Terminal { Terminal(.standardError) }
}

/// How a terminal shows a text; the raw values are the parameters of `ESC [ … m`.
package enum TextStyle: String, Sendable {
  case boldRed = "1;31"
  case green = "32"
  case boldYellow = "1;33"
  case boldCyan = "1;36"
}

/// A variable of the process's environment; nil if it is unset.
package func environmentValue(_ name: String) -> String? {
  ProgramArguments.variable(name)
}
