import Datasets
import Foundation
import HDF5

extension FuzzTarget {
  /// An HDF5 file: as a dataset, as predictions, and every object in it.
  static let hdf5 = FuzzTarget("hdf5") { bytes in
    let url = ScratchFile.write(bytes, to: "fuzz.h5")
    let dataset = try? DatasetReader(url)
    if let dataset {
      _ = try? DatasetValidation(of: dataset, decodes: bytes.count.isMultiple(of: 2))
      for split in dataset.splits { _ = try? dataset.split(split.name) }
    }
    let predictions = dataset == nil ? try? PredictionsReader(url) : nil
    if let predictions {
      _ = try? DatasetValidation(of: predictions)
    }
    if dataset != nil || predictions != nil, let contents = try? FileContents(of: url) {
      _ = contents.text
      _ = try JSONEncoder().encode(contents)
    }
    let file = try HDF5File.open(url.path)
    walk("/", in: file, depth: 0)
    try file.close()
  }

  /// Any HDF5 file: what is in it, the mapping that is drafted for it, and what this mapping reads.
  static let hdf5Listing = FuzzTarget("hdf5-listing") { bytes in
    try ScratchFile.prepare("listed/a.h5", "")
    let url = ScratchFile.write(bytes, to: "listed/a.h5")
    let contents = try HDF5Contents(of: url)
    _ = contents.text
    _ = try JSONEncoder().encode(contents)
    precondition(contents.doubts.allSatisfy { !$0.contains("\n") }, "a doubt of several lines")
    let place = ScratchFile.url("listed/mapping.json")
    let mapping = ScratchFile.write(
      Array(try contents.mapping(at: place).utf8), to: "listed/mapping.json")
    _ = try HDF5Mapping().read([mapping], options: ImportOptions(isLabelsOnly: true)) { _ in }
  }

  /// A JSON that lists the files of a dataset, next to a sound file.
  static let shards = FuzzTarget("shards") { bytes in
    try ScratchFile.prepare("shards/a.h5", "")
    _ = try DatasetReader(ScratchFile.write(bytes, to: "shards/fuzz.json"))
  }

  /// A part of a sweep, read to its end in ranges.
  static let sweepPart = FuzzTarget("sweep-part") { bytes in
    let part = try SweepPartReader(ScratchFile.write(bytes, to: "part.h5"))
    for start in stride(from: 0, to: min(part.stretchCount, 64), by: 2) {
      _ = try part.stretches(start..<min(start + 2, part.stretchCount))
    }
    _ = try part.scores()
  }

  private static let attributes = [
    "format", "version", "names", "stages", "values", "kinds", "a3", "complex",
  ]

  private static func walk(_ path: String, in file: HDF5File, depth: Int) {
    for name in attributes where (try? file.hasAttribute(name, of: path)) == true {
      _ = try? file.attribute(name, of: path, as: [String].self)
      _ = try? file.attribute(name, of: path, as: [Double].self)
    }
    switch try? file.kind(of: path) {
    case .group where depth < 4:
      for member in ((try? file.members(of: path)) ?? []).prefix(64) {
        walk(path == "/" ? member : path + "/" + member, in: file, depth: depth + 1)
      }
    case .dataset: read(path, in: file)
    case .group, .other, nil: break
    }
  }

  private static func read(_ path: String, in file: HDF5File) {
    guard let dataset = try? file.dataset(path) else { return }
    read(dataset)
  }

  private static func read(_ dataset: HDF5Dataset) {
    switch dataset.elementType {
    case .compound:
      for field in dataset.fields { if let part = try? dataset.field(field) { read(part) } }
    case .bytes: _ = try? dataset.readByteSequences(rows: 0..<(dataset.shape.first ?? 0))
    case .string: _ = try? dataset.readAllStrings()
    case .u64: _ = try? dataset.readAll(UInt64.self)
    case .i64: _ = try? dataset.readAll(Int64.self)
    default: _ = try? dataset.readAll(Double.self)
    }
  }
}
