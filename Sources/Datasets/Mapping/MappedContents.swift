internal import Foundation
internal import HDF5
internal import Platform

/// Summary of an HDF5 file for a user who has yet to write a mapping.
enum MappedContents {
  private static let limit = 8

  /// The first few datasets with their types and extents, as `a u8 [3, 4], b f64 [3]`.
  static func summary(of url: URL) throws(FileError) -> String {
    do {
      let file = try HDF5File.open(url.path, named: url.relativePath)
      var found: [String] = []
      var pending = try file.members(of: "/").reversed().map { $0 }
      var visited = 0
      while let path = pending.popLast(), found.count <= limit, visited < 64 {
        visited += 1
        switch try? file.kind(of: path) {
        case .group:
          pending += ((try? file.members(of: path)) ?? []).reversed().map { "\(path)/\($0)" }
        case .dataset:
          guard let dataset = try? file.dataset(path) else { continue }
          found.append("\(path) \(dataset.elementType) \(MappedTable.text(dataset.shape))")
        default: continue
        }
      }
      guard !found.isEmpty else { return "no datasets" }
      return found.prefix(limit).joined(separator: ", ") + (found.count > limit ? " …" : "")
    } catch {
      throw FileError(reading: error)
    }
  }
}
