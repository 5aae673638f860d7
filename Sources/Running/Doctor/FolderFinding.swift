internal import Foundation
internal import Platform

/// Whether a folder can be written to, by writing, and how much room it has.
struct FolderFinding {
  /// Below this there is no room for a run of some thousand frames.
  static let minFreeBytes = 1 << 30

  let thing: String
  let folder: URL
  /// How to choose another folder.
  let remedy: String
  /// Whether anything has yet to be written to it.
  let mustBeWritable: Bool

  var finding: InstallationFinding {
    let existing = Self.nearest(to: folder)
    let path = folder.standardizedFileURL.path
    let place = existing.path == path ? path : "\(path) (not there yet, in \(existing.path))"
    if let reason = Self.obstacle(to: existing), mustBeWritable {
      return InstallationFinding(
        thing, .missing, "\(place): cannot write: \(reason)", advice: remedy)
    }
    guard let free = existing.freeBytes else {
      return InstallationFinding(thing, .ok, "\(place), free space unknown")
    }
    let found = "\(place), \(InstallationCheck.gigabytes(free)) free"
    return free < Self.minFreeBytes && mustBeWritable
      ? InstallationFinding(
        thing, .warning, found,
        advice: "make room for at least \(InstallationCheck.gigabytes(Self.minFreeBytes)); "
          + remedy)
      : InstallationFinding(thing, .ok, found)
  }

  /// The folder, or the first above it that is there.
  private static func nearest(to folder: URL) -> URL {
    var url = folder.standardizedFileURL
    while !url.isThere, url.path != "/" {
      url = url.deletingLastPathComponent().standardizedFileURL
    }
    return url
  }

  /// Why a file cannot be written there; nil after one was written and removed.
  private static func obstacle(to folder: URL) -> String? {
    guard folder.isFolder else { return "\(SystemError.notFolder)" }
    let file = folder.appendingPathComponent(
      ".facegauge-doctor-\(ProcessInfo.processInfo.processIdentifier)")
    do {
      try AtomicFile.write([UInt8](repeating: 0, count: 4096), to: file)
      try file.remove()
      return nil
    } catch {
      return error.systemReason
    }
  }
}
