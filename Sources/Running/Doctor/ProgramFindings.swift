internal import Foundation
internal import Platform

/// The other programs that parts of the work need.
struct ProgramFindings {
  let environment: [String: String]
  let isInterrupted: @Sendable () -> Bool

  func all() throws(FileError) -> [InstallationFinding] {
    let video = "'import video' and 'import' of recordings with a video do not work"
    return [
      try finding("ffmpeg", ["-version"], without: video, package: "ffmpeg"),
      try finding("ffprobe", ["-version"], without: video, package: "ffmpeg"),
      try finding(
        "python3 with pip", program: "python3", ["-I", "-m", "pip", "--version"],
        without: "'models pull' cannot fetch models from PyPI, nor 'demo' its portraits",
        package: "python3-pip"),
      try browser(),
    ]
  }

  private func finding(
    _ thing: String, program: String? = nil, _ options: [String], without: String, package: String
  ) throws(FileError) -> InstallationFinding {
    let advice = "\(without); install the package \(package) ('apt-get install \(package)')"
    switch try probe(program ?? thing, options) {
    case .answers(let line): return InstallationFinding(thing, .ok, Self.version(line))
    case .missing: return InstallationFinding(thing, .missing, "not in PATH", advice: advice)
    case .fails(let reason): return InstallationFinding(thing, .missing, reason, advice: advice)
    }
  }

  /// What `report --open` needs: xdg-open, a browser that it knows, and a display.
  private func browser() throws(FileError) -> InstallationFinding {
    let thing = "browser"
    let without = "'report --open' does not work"
    let opener: String
    switch try probe("xdg-open", ["--version"]) {
    case .answers(let line): opener = line
    case .missing:
      return InstallationFinding(
        thing, .missing, "xdg-open is not in PATH",
        advice: "\(without); install the package xdg-utils, or open report.html yourself")
    case .fails(let reason):
      return InstallationFinding(
        thing, .missing, "xdg-open: \(reason)",
        advice: "\(without); install the package xdg-utils again, or open report.html yourself")
    }
    guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { !(environment[$0] ?? "").isEmpty })
    else {
      return InstallationFinding(
        thing, .warning, "\(opener), but neither DISPLAY nor WAYLAND_DISPLAY is set",
        advice: "\(without) without a display; copy report.html to a machine with a browser")
    }
    if case .answers(let name) = try probe("xdg-settings", ["get", "default-web-browser"]) {
      return InstallationFinding(thing, .ok, "\(opener), \(name)")
    }
    return InstallationFinding(
      thing, .warning, "\(opener), but no default browser",
      advice: "choose one with 'xdg-settings set default-web-browser NAME.desktop'")
  }

  private func probe(_ name: String, _ options: [String]) throws(FileError) -> ProgramProbe {
    try ProgramProbe.run(name, options, isInterrupted: isInterrupted)
  }

  /// `ffmpeg version 5.1.6` of a line that goes on with copyrights, `pip 23.0.1` of one with a path.
  static func version(_ line: String) -> String {
    for end in [" Copyright", " from "] {
      if let range = line.range(of: end) { return String(line[..<range.lowerBound]) }
    }
    return line
  }
}
