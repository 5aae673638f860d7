package import Foundation
internal import HDF5
package import Platform

/// Writes a part of a sweep, stretch by stretch; the file gets its final name in `finish(_:part:)`.
package final class SweepPartWriter {
  private let output: AtomicFile
  private let file: HDF5File
  private var firstFrames: Column<Int32>
  private var settingsEnds: Column<UInt64>
  private var settings: Column<Int32>
  private var sumsEnds: Column<UInt64>
  private var positions: Column<Int32>
  private var values: Column<Double>
  private var errorsEnds: Column<UInt64>
  private var errorFrames: Column<Int32>
  private var errorCounts: Column<Int32>
  private var detections: Scores
  private var presences: Scores
  private var settingsEnd: UInt64 = 0
  private var sumsEnd: UInt64 = 0
  private var errorsEnd: UInt64 = 0

  private struct Scores {
    var scores: Column<Double>
    var faces: Column<UInt8>

    init(_ file: HDF5File, _ path: String) {
      scores = Column(file, "\(path)/score")
      faces = Column(file, "\(path)/face")
    }

    mutating func append(_ added: [SweptScore]) throws(HDF5Error) {
      try scores.append(contentsOf: added.map(\.score))
      try faces.append(contentsOf: added.map { $0.isFace ? 1 : 0 })
    }

    mutating func finish() throws(HDF5Error) {
      try scores.finish()
      try faces.finish()
    }
  }

  /// Starts a file; `sums` names the sums by position.
  package init(_ url: URL, sums: [String]) throws(FileError) {
    output = try AtomicFile(url, replacing: true)
    let unfinished = try output.begin()
    do {
      file = try HDF5File.create(unfinished.path, isLocked: true)
      try file.setAttribute("format", of: "/", to: SweepPartLayout.format)
      try file.setAttribute("version", of: "/", to: SweepPartLayout.version)
      firstFrames = Column(file, "stretches/first_frame")
      settingsEnds = Column(file, "stretches/settings_end")
      sumsEnds = Column(file, "stretches/sums_end")
      errorsEnds = Column(file, "stretches/errors_end")
      settings = Column(file, "settings/setting")
      positions = Column(file, "sums/position", attributes: [("names", sums)])
      values = Column(file, "sums/value")
      errorFrames = Column(file, "errors/frame")
      errorCounts = Column(file, "errors/count")
      detections = Scores(file, "scores/detection")
      presences = Scores(file, "scores/presence")
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
      try part.write(to: file)
      try file.setAttribute("frames", of: "/", to: totals.frames)
      try file.setAttribute("models_loaded", of: "/", to: totals.hasLoadedModels ? 1 : 0)
      try file.setAttribute("stages", of: "/", to: totals.stages)
      let cost = totals.cost.sorted { $0.key < $1.key }
      try file.setAttribute("cost", of: "/", to: cost.map { "\($0.key)=\($0.value)" })
      try firstFrames.finish()
      try settingsEnds.finish()
      try settings.finish()
      try sumsEnds.finish()
      try positions.finish()
      try values.finish()
      try errorsEnds.finish()
      try errorFrames.finish()
      try errorCounts.finish()
      try detections.finish()
      try presences.finish()
      var broken = Column<Int32>(file, "broken/frame")
      try broken.append(contentsOf: totals.brokenFrames.map { Int32(clamping: $0) })
      try broken.finish()
      for (path, times) in [
        ("times/detector_ns", totals.detectorNanoseconds),
        ("times/region_ns", totals.regionNanoseconds),
      ] {
        var column = Column<UInt64>(file, path)
        try column.append(contentsOf: times)
        try column.finish()
      }
      try file.close()
    } catch {
      throw FileError(writing: output.url, error)
    }
    try output.commit(isDurable: true, after: PartSeal.add)
  }
}
