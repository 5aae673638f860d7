internal import Foundation

extension ChildProgram {
  /// What a program that is started gets of this process.
  package enum Surroundings: Sendable {
    /// A tool of our choice: it runs in `/`, with the few variables that it needs, and ends with what it has started.
    case tool
    /// A tool that opens a window, which stays.
    case opener
    /// What the user wrote for the user's own folder and variables.
    case own

    /// Where it runs; nil is this process's own folder.
    var folder: String? { self == .own ? nil : "/" }

    /// Whether everything that it has started ends with it.
    var endsDescendants: Bool { self != .opener }

    /// Its variables as `NAME=VALUE`; `mark` is what its descendants are found by.
    func variables(mark: String) -> [String] {
      let settings = ProgramArguments.environment.compactMap { setting -> String? in
        guard let end = setting.firstIndex(of: "=") else { return nil }
        let (name, value) = (String(setting[..<end]), String(setting[end...].dropFirst()))
        if name == Descendants.variable { return nil }
        if self == .own { return setting }
        return Self.isPassed(name) ? "\(name)=\(Self.absolute(value, of: name))" : nil
      }
      return settings + ["\(Descendants.variable)=\(mark)"]
    }

    private static let names: Set<String> = [
      "HOME", "USER", "LOGNAME", "PATH", "TERM", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH",
      "TMPDIR",
      "NETRC", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "DISPLAY",
      "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "BROWSER", "DESKTOP_SESSION",
      "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy",
      "all_proxy",
      "no_proxy",
    ]
    private static let beginnings = ["LC_", "XDG_", "PIP_", "FACEGAUGE_", "OPENBLAS_", "OMP_"]
    /// Lists of folders, of which a relative one would mean another folder.
    private static let lists: Set<String> = ["PATH", "LD_LIBRARY_PATH"]
    /// Names of files and folders, relative to the user's folder.
    private static let paths: Set<String> = [
      "TMPDIR", "NETRC", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
      "PIP_CERT", "PIP_CLIENT_CERT", "PIP_CONFIG_FILE", "PIP_CACHE_DIR", "PIP_FIND_LINKS",
    ]

    private static func isPassed(_ name: String) -> Bool {
      names.contains(name) || beginnings.contains { name.hasPrefix($0) }
    }

    private static func absolute(_ value: String, of name: String) -> String {
      if lists.contains(name) {
        return value.split(separator: ":").filter { $0.hasPrefix("/") }.joined(separator: ":")
      }
      guard paths.contains(name), !value.isEmpty, !value.contains(":") else { return value }
      return URL(fileURLWithPath: value).path
    }
  }

  /// The file of a program, from the absolute folders of `PATH`; nil where none has it.
  ///
  /// A relative folder there would let the files of the working directory run. Installed in a virtual environment of
  /// Python, which need not be active, this program takes the Python of that first.
  static func file(of name: String) -> String? {
    guard !name.contains("/") else { return name }
    if name == "python3" {
      let folder = URL(fileURLWithPath: ProgramArguments.program).deletingLastPathComponent()
      let own = folder.appendingPathComponent(name)
      let mark = folder.deletingLastPathComponent().appendingPathComponent("pyvenv.cfg")
      if own.isProgram, mark.isThere { return own.path }
    }
    let folders = ProgramArguments.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    return folders.split(separator: ":")
      .filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
      .first { URL(fileURLWithPath: $0).isProgram }
  }
}
