import Foundation
import TestSupport

/// Files by their paths, as HDF5 takes them; most tests have one.
extension TemporaryFolder {
  static let name = "a.h5"

  func path(_ name: String = name) -> String { file(name).path }

  func path(writing bytes: [UInt8], to name: String = name) throws -> String {
    try write(bytes, to: name).path
  }
}
