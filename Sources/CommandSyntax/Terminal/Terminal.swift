import Glibc

/// What a standard stream can show: whether it is a terminal, how wide, and whether in colour.
package struct Terminal: Sendable {
  /// Whether the stream is a terminal that understands escape sequences (not a `dumb` one).
  package let isInteractive: Bool
  /// Whether text may be coloured: interactive, and `NO_COLOR` unset or empty.
  package let usesColor: Bool
  private let measureColumns: @Sendable () -> Int?

  /// Describes an open file descriptor.
  package init(
    fileDescriptor: Int32, environment: @escaping @Sendable (String) -> String? = environmentValue
  ) {
    self.init(isTerminal: isatty(fileDescriptor) == 1, environment: environment) {
      var size = winsize()
      // Safety: TIOCGWINSZ fills the one winsize that it is given.
      guard ioctl(fileDescriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
        return nil
      }
      return Int(size.ws_col)
    }
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
  package static var standardOutput: Terminal { Terminal(fileDescriptor: STDOUT_FILENO) }
  /// Standard error.
  package static var standardError: Terminal { Terminal(fileDescriptor: STDERR_FILENO) }
}

/// How a terminal shows a text; the raw values are the parameters of `ESC [ … m`.
package enum TextStyle: String, Sendable {
  case bold = "1"
  case dim = "2"
  case boldRed = "1;31"
  case green = "32"
  case boldYellow = "1;33"
  case boldCyan = "1;36"
}

/// A variable of the process's environment; nil if it is unset.
package func environmentValue(_ name: String) -> String? {
  // Safety: the C string is copied at once, and nothing here changes the environment.
  getenv(name).map { String(cString: $0) }
}
