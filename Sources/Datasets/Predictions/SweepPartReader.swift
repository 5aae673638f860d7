package import Foundation
internal import HDF5
package import Platform

/// Reads a part of a sweep by ranges of stretches.
package final class SweepPartReader {
  /// The file.
  package let url: URL
  /// Which part of a sweep it is.
  package let part: PredictionsPart
  /// What it holds as a whole.
  package let totals: SweepPartTotals
  /// How many stretches it has.
  package let stretchCount: Int

  private let firstFrames: HDF5Dataset
  private let settings: Ragged
  private let setting: HDF5Dataset
  private let sums: Ragged
  private let position: HDF5Dataset
  private let value: HDF5Dataset
  private let errors: Ragged
  private let errorFrame: HDF5Dataset
  private let errorCount: HDF5Dataset
  private let scoreTables: [(score: HDF5Dataset, face: HDF5Dataset)]

  /// Rows of a table that belong to stretches, by where each stretch's end.
  private struct Ragged {
    let file: String
    let ends: HDF5Dataset

    func rows(of stretches: Range<Int>, in table: HDF5Dataset) throws -> [Range<Int>] {
      let rows = max(stretches.lowerBound - 1, 0)..<stretches.upperBound
      var ends = try self.ends.read(UInt64.self, rows: rows)
      if stretches.lowerBound == 0 { ends.insert(0, at: 0) }
      let total = UInt64(table.shape[0])
      return try zip(ends, ends.dropFirst()).map { first, end in
        guard first <= end, end <= total else {
          throw FileError.wrongData(
            "cannot read '\(self.ends.path)' in \(file): expected \(first) to \(total), found \(end)"
          )
        }
        return Int(first)..<Int(end)
      }
    }
  }

  /// Opens a file and checks that its tables fit together.
  package init(_ url: URL) throws(FileError) {
    self.url = url
    do {
      let file = try HDF5File.open(url.path, named: url.relativePath)
      let format = try file.optionalAttribute("format") ?? "none"
      guard format == SweepPartLayout.format,
        try file.attribute("version", of: "/", as: Int.self) == SweepPartLayout.version
      else {
        throw FileError.wrongData(
          "cannot read '/' in \(url.relativePath): expected version \(SweepPartLayout.version) of "
            + "\(SweepPartLayout.format), found \(format)")
      }
      guard let part = try PredictionsPart(of: file, name: url.relativePath) else {
        throw FileError.wrongData(
          "cannot read '/' in \(url.relativePath): expected a part, found none")
      }
      self.part = part
      firstFrames = try file.dataset("stretches/first_frame", of: Int32.self, shape: [nil])
      let count = try TableCheck.rowCount(firstFrames, in: file)
      stretchCount = count
      func ragged(_ name: String) throws -> Ragged {
        Ragged(
          file: file.path,
          ends: try file.dataset("stretches/\(name)_end", of: UInt64.self, shape: [count]))
      }
      (settings, sums, errors) = (try ragged("settings"), try ragged("sums"), try ragged("errors"))
      setting = try file.dataset("settings/setting", of: Int32.self, shape: [nil])
      position = try file.dataset("sums/position", of: Int32.self, shape: [nil])
      value = try file.dataset("sums/value", of: Double.self, shape: [position.shape[0]])
      errorFrame = try file.dataset("errors/frame", of: Int32.self, shape: [nil])
      errorCount = try file.dataset("errors/count", of: Int32.self, shape: [errorFrame.shape[0]])
      scoreTables = try ["detection", "presence"].map { name in
        let score = try file.dataset("scores/\(name)/score", of: Double.self, shape: [nil])
        let face = try file.dataset(
          "scores/\(name)/face", of: UInt8.self, shape: [score.shape[0]])
        return (score, face)
      }
      totals = try Self.totals(of: file)
    } catch {
      throw FileError(reading: error)
    }
  }

  private static func totals(of file: HDF5File) throws -> SweepPartTotals {
    var totals = SweepPartTotals()
    totals.frames = try file.attribute("frames", of: "/", as: Int.self)
    totals.hasLoadedModels = try file.attribute("models_loaded", of: "/", as: Int.self) != 0
    totals.stages = try file.attribute("stages", of: "/", as: String.self)
    for pair in try file.attribute("cost", of: "/", as: [String].self) {
      let parts = pair.split(separator: "=")
      guard parts.count == 2, let number = Int(parts[1]) else { continue }
      totals.cost[String(parts[0])] = number
    }
    func column<Element: HDF5Element>(_ path: String, _: Element.Type) throws -> [Element] {
      try file.dataset(path, of: Element.self, shape: [nil]).readAll(Element.self)
    }
    totals.brokenFrames = try column("broken/frame", Int32.self).map(Int.init)
    totals.detectorNanoseconds = try column("times/detector_ns", UInt64.self)
    totals.regionNanoseconds = try column("times/region_ns", UInt64.self)
    return totals
  }

  /// The stretches of a range, in the order of frames.
  package func stretches(_ range: Range<Int>) throws(FileError) -> [SweptStretch] {
    guard !range.isEmpty else { return [] }
    return try FileError.reading {
      let first = try firstFrames.read(Int32.self, rows: range)
      let settingRows = try settings.rows(of: range, in: setting)
      let sumRows = try sums.rows(of: range, in: position)
      let errorRows = try errors.rows(of: range, in: errorFrame)
      func read<Element: HDF5Element>(
        _ table: HDF5Dataset, _ rows: [Range<Int>], _: Element.Type
      ) throws -> [ArraySlice<Element>] {
        guard let start = rows.first?.lowerBound, let end = rows.last?.upperBound else { return [] }
        let values = try table.read(Element.self, rows: start..<end)
        return rows.map { values[$0.lowerBound - start..<$0.upperBound - start] }
      }
      let own = try read(setting, settingRows, Int32.self)
      let positions = try read(position, sumRows, Int32.self)
      let values = try read(value, sumRows, Double.self)
      let frames = try read(errorFrame, errorRows, Int32.self)
      let counts = try read(errorCount, errorRows, Int32.self)
      return first.indices.map { row in
        SweptStretch(
          firstFrame: Int(first[row]), settings: own[row].map(Int.init),
          sums: zip(positions[row], values[row]).map { .init(position: Int($0), value: $1) },
          errors: zip(frames[row], counts[row]).map { .init(frame: Int($0), count: Int($1)) })
      }
    }
  }

  /// The scores of the loosest setting.
  package func scores() throws(FileError) -> (detections: [SweptScore], presences: [SweptScore]) {
    try FileError.reading {
      let lists = try scoreTables.map { table in
        zip(try table.score.readAll(Double.self), try table.face.readAll(UInt8.self)).map {
          SweptScore(score: $0, isFace: $1 != 0)
        }
      }
      return (lists[0], lists[1])
    }
  }
}
