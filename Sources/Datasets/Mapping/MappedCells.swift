internal import HDF5
internal import Platform

/// MATLAB's cells and the fields of its structures, which are arrays of references to other arrays.
extension MappedFile {
  /// What opening a cell counts at least.
  private static let bytesOfCell = 64

  /// The paths of the arrays that an array of references leads to, one per row; nil if there is no such array.
  ///
  /// Where a part of the path is an array of references to structures, the rest is a field of each.
  func cells(at place: String) throws(FileError) -> [String?]? {
    guard isMATLAB else { return nil }
    let names = place.split(separator: "/")
    var path = ""
    return try FileError.reading {
      for (index, name) in names.enumerated() {
        path += (path.isEmpty ? "" : "/") + name
        guard try file.exists(path), try file.kind(of: path) == .dataset else { continue }
        let dataset = try file.dataset(path)
        guard dataset.elementType == .reference else { return nil }
        let field = names[(index + 1)...].map { "/" + $0 }.joined()
        return try references(dataset).map { $0.flatMap { cells[$0] }.map { $0 + field } }
      }
      return nil
    }
  }

  /// References to the cells of a MATLAB file, one per row.
  private func references(_ dataset: HDF5Dataset) throws -> [HDF5Reference?] {
    let count = dataset.shape.reduce(1) { $0.clampedProduct(with: $1) }
    try requireFew(count, of: dataset.path)
    // Groups may share an array of cells, each of which is opened.
    try decode(count * Self.bytesOfCell, of: dataset.path)
    return try dataset.readReferences()
  }

  /// The array of a cell; throws if all that are mapped hold more values than a file of this size may.
  func cell(_ path: String) throws -> HDF5Dataset {
    let dataset = try file.dataset(path)
    try decode(dataset.decodedByteCount, of: path)
    return dataset
  }

  /// The extents of a cell's array; none at all in MATLAB's empty array, whose values are its extents.
  func shape(ofCell path: String) throws(FileError) -> [Int] {
    try FileError.reading { try isEmpty(cell: path) ? [0] : file.dataset(path).shape }
  }

  /// Whether a cell is MATLAB's empty array.
  func isEmpty(cell path: String) throws(HDF5Error) -> Bool {
    try file.hasAttribute("MATLAB_empty", of: path)
  }
}
