import CommandSyntax
import Datasets
import Foundation

extension Command {
  /// Lists the arrays of an HDF5 file that is given instead of its mapping, or drafts the mapping.
  ///
  /// nil where the sources are others.
  static func listArrays(
    of sources: [String], as format: String?, output: String?, drafts: Bool, replacing: Bool
  ) throws -> ExitStatus? {
    let isJSON: (String) -> Bool = { $0.lowercased().hasSuffix(".json") }
    let files = drafts ? sources.filter { !isJSON($0) } : sources
    guard format ?? HDF5Mapping().name == HDF5Mapping().name, files.count == 1 else { return nil }
    let file = URL(fileURLWithPath: files[0])
    // A draft of a file that is named HDF5 says itself what is wrong with it.
    guard format == nil ? HDF5Contents.areForeign(file) : drafts || HDF5Contents.isHDF5(file) else {
      return nil
    }
    let contents = try HDF5Contents(of: file)
    guard drafts else {
      try StandardOutput.write(contents.text)
      guard output == nil else { throw HDF5Contents.refusal(of: file) }
      Diagnostics.standardError.note(HDF5Contents.advice(for: file))
      return .success
    }
    let places = sources.filter(isJSON) + [output].compactMap { $0 }
    guard let place = places.first else {
      let mapping = try contents.mapping(at: URL(fileURLWithPath: "mapping.json"))
      for doubt in contents.doubts { Diagnostics.standardError.note(doubt) }
      try StandardOutput.write(mapping)
      return .success
    }
    let target = URL(fileURLWithPath: place)
    try OutputFolder.writeDraft(
      contents.mapping(at: target), of: file, notes: contents.doubts, to: target,
      replacing: replacing)
    Diagnostics.standardError.print(
      "\(place.withoutControlCharacters): a mapping of \(files[0].withoutControlCharacters), which "
        + "'facegauge import hdf5 \(place.withoutControlCharacters) -o FILE.h5' reads")
    return .success
  }
}
