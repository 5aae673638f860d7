package import FaceCore
package import Foundation
internal import HDF5
internal import Imaging
package import Platform

/// Reads a `predictions.h5` by ranges of frames.
package final class PredictionsReader {
  /// The file.
  package let url: URL
  /// The description of the run.
  package let header: PredictionsHeader
  /// Number of frames.
  package let frameCount: Int
  /// Number of frames with a broken image.
  package let brokenCount: Int
  /// Number of frames that live mode dropped.
  package let droppedCount: Int

  private let file: HDF5File
  private let status: HDF5Dataset
  private let sizes: HDF5Dataset
  private let stages: HDF5Dataset
  private let readings: HDF5Dataset?
  private let detectorRuns: HDF5Dataset
  private let inSource: HDF5Dataset?
  private let detector: PredictionsDetectorTables
  private let faces: PredictionsFaceTables

  /// Opens a file and checks that its tables fit together.
  package init(_ url: URL) throws(FileError) {
    self.url = url
    do {
      file = try HDF5File.open(url.path, named: url.relativePath)
      header = try PredictionsHeader(of: file, name: url.relativePath)
      status = try file.dataset("frames/status", of: UInt8.self, shape: [nil])
      frameCount = try TableCheck.rowCount(status, in: file)
      let counts = try TableCheck.counts(
        status, upTo: FramePrediction.Status.dropped.rawValue, in: file)
      brokenCount = counts[Int(FramePrediction.Status.broken.rawValue)]
      droppedCount = counts[Int(FramePrediction.Status.dropped.rawValue)]
      sizes = try file.dataset("frames/size", of: Int32.self, shape: [frameCount, 2])
      stages = try file.dataset(
        "frames/stage_ns", of: UInt64.self, shape: [frameCount, header.stages.count])
      readings =
        try header.readings.isEmpty
        ? nil
        : file.dataset(
          PredictionsLayout.readings, of: Double.self, shape: [frameCount, header.readings.count])
      detectorRuns = try file.dataset(
        "frames/detector_ran", of: UInt8.self, shape: [frameCount])
      _ = try TableCheck.counts(detectorRuns, upTo: 1, in: file)
      inSource =
        try file.exists(PredictionsLayout.inSource)
        ? file.dataset(PredictionsLayout.inSource, of: UInt8.self, shape: [frameCount]) : nil
      if let inSource { _ = try TableCheck.counts(inSource, upTo: 1, in: file) }
      detector = try PredictionsDetectorTables(file, frames: frameCount)
      faces = try PredictionsFaceTables(file, frames: frameCount)
    } catch {
      let error = FileError(reading: error)
      guard error.kind == .wrongData || url.isFolder,
        let hint = ImportHint.predictionsText(for: url)
      else { throw error }
      throw FileError(error.kind, error.description + " (\(hint))")
    }
  }

  /// Number of detections.
  package var detectionCount: Int { detector.detectionCount }
  /// Number of candidates.
  package var candidateCount: Int { detector.candidateCount }
  /// Number of reported faces.
  package var faceCount: Int { faces.keptCount }
  /// Number of regions rejected for lack of presence.
  package var rejectedCount: Int { faces.count - faces.keptCount }
  /// The scheme of the faces' points; nil if there are none.
  package var scheme: LandmarkScheme? { faces.scheme }

  /// Names of the attributes of faces, sorted.
  package var attributeNames: [String] { faces.attributeNames }

  /// The lowest and the highest score of all detections, and presence of all faces; nil where there are none.
  package func confidenceRanges() throws(FileError) -> (
    scores: ClosedRange<Float>?, presences: ClosedRange<Float>?
  ) {
    try FileError.reading { (try detector.scoreRange(), try faces.presenceRange()) }
  }

  /// Whether faces or detections have boxes or points; true where there are none.
  package func hasPositions() throws(FileError) -> Bool {
    try FileError.reading { try faceCount == 0 || faces.hasPositions() || detector.hasPositions() }
  }

  /// The stretches of frames that the output that was imported does not name.
  package func framesNotInSource() throws(FileError) -> [Range<Int>] {
    guard let inSource else { return [] }
    return try FileError.reading {
      var stretches: [Range<Int>] = []
      for rows in TableCheck.parts(of: inSource) {
        for (frame, isNamed) in zip(rows, try inSource.read(UInt8.self, rows: rows))
        where isNamed == 0 {
          if let last = stretches.last, last.upperBound == frame {
            stretches[stretches.count - 1] = last.lowerBound..<frame + 1
          } else {
            stretches.append(frame..<frame + 1)
          }
        }
      }
      return stretches
    }
  }

  /// The first frames of a range to read together, fewer than all if they have many faces.
  package func part(of range: Range<Int>) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound + 1,
      faces.count(range.lowerBound..<end) > faces.cost.rowsAtOnce
    {
      end = range.lowerBound + (end - range.lowerBound + 1) / 2
    }
    return range.lowerBound..<end
  }

  /// The predictions of a range of frames.
  package func predictions(_ range: Range<Int>) throws(FileError) -> [FramePrediction] {
    guard !range.isEmpty else { return [] }
    return try FileError.reading {
      let states = try status.read(UInt8.self, rows: range)
      let sides = try sizes.read(Int32.self, rows: range)
      let moments = try moments(range)
      let runs = try detectorRuns.read(UInt8.self, rows: range)
      let known = try inSource?.read(UInt8.self, rows: range)
      let detections = try detector.detections(range)
      let candidates = try detector.candidates(range)
      let found = try faces.faces(range)
      return try range.enumerated().map { offset, frame in
        let state = FramePrediction.Status(rawValue: states[offset]) ?? .broken
        guard state == .analysed else {
          let rows = [
            detections[offset].count, candidates[offset].count, found[offset].given.count,
            found[offset].rejected.count,
          ]
          guard rows.allSatisfy({ $0 == 0 }) else {
            throw FileError.wrongData(
              "cannot read 'frames/status'[\(frame)] in \(url.relativePath): expected 0 for a "
                + "frame with rows in other tables, found \(state.rawValue)")
          }
          return FramePrediction(frame: frame, notAnalysed: state)
        }
        let size = ImageSize(width: Int(sides[2 * offset]), height: Int(sides[2 * offset + 1]))
        try check(size, frame: frame)
        var prediction = FramePrediction(
          frame: frame, size: size, stageNanoseconds: moments[offset].stageNanoseconds,
          detectorRan: runs[offset] != 0, detections: detections[offset],
          candidates: candidates[offset], faces: found[offset].given,
          rejected: found[offset].rejected)
        prediction.readings = moments[offset].readings
        prediction.isInSource = known?[offset] != 0
        return prediction
      }
    }
  }

  /// The times of a frame and the numbers of the device, without what was found.
  package struct Moment: Sendable {
    /// What became of the frame.
    package let status: FramePrediction.Status
    /// As `FramePrediction` has them.
    package let stageNanoseconds: [UInt64?]
    /// As `FramePrediction` has them.
    package let readings: [Double?]
  }

  /// The times and readings of a range of frames.
  package func moments(_ range: Range<Int>) throws(FileError) -> [Moment] {
    guard !range.isEmpty else { return [] }
    return try FileError.reading {
      let states = try status.read(UInt8.self, rows: range)
      let times = try stages.read(UInt64.self, rows: range)
      let numbers = try readings?.read(Double.self, rows: range) ?? []
      let (stageCount, readingCount) = (header.stages.count, header.readings.count)
      return range.indices.map { frame in
        let offset = frame - range.lowerBound
        return Moment(
          status: .init(rawValue: states[offset]) ?? .broken,
          stageNanoseconds: times[(offset * stageCount)..<((offset + 1) * stageCount)].map {
            $0 == PredictionsLayout.stageDidNotRun ? nil : $0
          },
          readings: numbers[(offset * readingCount)..<((offset + 1) * readingCount)].map {
            $0.isFinite ? $0 : nil
          })
      }
    }
  }

  /// Refuses sizes that no decoded image can have, because drawings are allocated at this size.
  private func check(_ size: ImageSize, frame: Int) throws(FileError) {
    let sides = 0...ImageHeader.maximumSide
    guard sides.contains(size.width), sides.contains(size.height),
      size.width * size.height <= ImageHeader.maximumPixels
    else {
      throw FileError.wrongData(
        "cannot read 'frames/size'[\(frame)] in \(url.relativePath): expected sides of 0 to "
          + "\(sides.upperBound) and at most \(ImageHeader.maximumPixels) pixels, found "
          + "\(size.width)x\(size.height)")
    }
  }
}
