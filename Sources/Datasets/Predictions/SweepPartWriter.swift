package import Foundation
internal import HDF5
package import Platform

/// Writes a part of a sweep, stretch by stretch; the file gets its final name in `finish(_:part:)`.
package final class SweepPartWriter {
  private let output: AtomicFile
  private let tables: TableFile
  private let firstFrames: Column<Int32>
  private let settingsEnds: Column<UInt64>
  private let settings: Column<Int32>
  private let sumsEnds: Column<UInt64>
  private let positions: Column<Int32>
  private let values: Column<Double>
  private let errorsEnds: Column<UInt64>
  private let errorFrames: Column<Int32>
  private let errorCounts: Column<Int32>
  private let detections: Scores
  private let presences: Scores
  private var settingsEnd: UInt64 = 0
  private var sumsEnd: UInt64 = 0
  private var errorsEnd: UInt64 = 0

  private struct Scores {
    let scores: Column<Double>
    let faces: Column<UInt8>

    init(_ tables: TableFile, _ path: String) {
      scores = Column(tables, "\(path)/score")
      faces = Column(tables, "\(path)/face")
    }

    func append(_ added: [SweptScore]) throws(HDF5Error) {
      try scores.append(contentsOf: added.map(\.score))
      try faces.append(contentsOf: added.map { $0.isFace ? 1 : 0 })
    }
  }

  /// Starts a file; `sums` names the sums by position.
  package init(_ url: URL, sums: [String]) throws(FileError) {
    output = try AtomicFile(url, replacing: true)
    let unfinished = try output.begin()
    do {
      tables = try TableFile(unfinished.path)
      try tables.file.setAttribute("format", of: "/", to: SweepPartLayout.format)
      try tables.file.setAttribute("version", of: "/", to: SweepPartLayout.version)
      firstFrames = Column(tables, "stretches/first_frame")
      settingsEnds = Column(tables, "stretches/settings_end")
      settings = Column(tables, "settings/setting")
      sumsEnds = Column(tables, "stretches/sums_end")
      positions = Column(tables, "sums/position", attributes: [("names", sums)])
      values = Column(tables, "sums/value")
      errorsEnds = Column(tables, "stretches/errors_end")
      errorFrames = Column(tables, "errors/frame")
      errorCounts = Column(tables, "errors/count")
      detections = Scores(tables, "scores/detection")
      presences = Scores(tables, "scores/presence")
    } catch {
      throw FileError(writing: url, error)
    }
  }

  /// Adds the next stretch.
  package func add(_ stretch: SweptStretch) throws(FileError) {
    do {
      try firstFrames.append(Int32(clamping: stretch.firstFrame))
      settingsEnd += UInt64(stretch.settings.count)
      try settingsEnds.append(settingsEnd)
      try settings.append(contentsOf: stretch.settings.map { Int32(clamping: $0) })
      sumsEnd += UInt64(stretch.sums.count)
      try sumsEnds.append(sumsEnd)
      try positions.append(contentsOf: stretch.sums.map { Int32(clamping: $0.position) })
      try values.append(contentsOf: stretch.sums.map(\.value))
      errorsEnd += UInt64(stretch.errors.count)
      try errorsEnds.append(errorsEnd)
      try errorFrames.append(contentsOf: stretch.errors.map { Int32(clamping: $0.frame) })
      try errorCounts.append(contentsOf: stretch.errors.map { Int32(clamping: $0.count) })
    } catch {
      throw FileError(writing: output.url, error)
    }
  }

  /// Adds scores of the loosest setting.
  package func add(detections: [SweptScore], presences: [SweptScore]) throws(FileError) {
    do {
      try self.detections.append(detections)
      try self.presences.append(presences)
    } catch {
      throw FileError(writing: output.url, error)
    }
  }

  /// Writes buffered rows and what the part is, closes the file, renames it to its final name and brings it to the disk.
  package func finish(_ totals: SweepPartTotals, part: PredictionsPart) throws(FileError) {
    do {
      try part.write(to: tables.file)
      try tables.file.setAttribute("frames", of: "/", to: totals.frames)
      try tables.file.setAttribute("models_loaded", of: "/", to: totals.hasLoadedModels ? 1 : 0)
      try tables.file.setAttribute("stages", of: "/", to: totals.stages)
      let cost = totals.cost.sorted { $0.key < $1.key }
      try tables.file.setAttribute("cost", of: "/", to: cost.map { "\($0.key)=\($0.value)" })
      try tables.finish()
      try Column<Int32>(tables, "broken/frame").append(
        contentsOf: totals.brokenFrames.map { Int32(clamping: $0) })
      for (path, times) in [
        ("times/detector_ns", totals.detectorNanoseconds),
        ("times/region_ns", totals.regionNanoseconds),
      ] {
        try Column<UInt64>(tables, path).append(contentsOf: times)
      }
      try tables.finish()
      try tables.file.close()
    } catch {
      throw FileError(writing: output.url, error)
    }
    try output.commit(isDurable: true, after: PartSeal.add)
  }
}
