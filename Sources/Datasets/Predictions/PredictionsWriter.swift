package import FaceCore
package import Foundation
internal import HDF5
package import Platform

/// Writes a `predictions.h5` frame by frame; the file gets its final name in `finish()`.
package final class PredictionsWriter {
  private let output: AtomicFile
  private let tables: TableFile
  private let stageCount: Int
  private var header: PredictionsHeader
  private var frameCount = 0
  private var mostFaces = (count: 0, frame: 0)

  private let status: Column<UInt8>
  private let sizes: Column<Int32>
  private let stages: Column<UInt64>
  private let readings: Column<Double>?
  private let detectorRuns: Column<UInt8>
  /// Written from the first frame on that the source lacks.
  private var inSource: Column<UInt8>?
  private var detector: PredictionsDetectorColumns
  private let faces: PredictionsFaceColumns

  /// Starts a file; the header must name a stage.
  package init(_ url: URL, header: PredictionsHeader) throws(FileError) {
    guard !header.stages.isEmpty else {
      throw FileError.wrongData(
        "cannot write \(url.relativePath): expected one stage or more, found none")
    }
    output = try AtomicFile(url, replacing: true)
    stageCount = header.stages.count
    self.header = header
    let unfinished = try output.begin()
    do {
      tables = try TableFile(unfinished.path)
      try header.write(to: tables.file)
      status = Column(tables, "frames/status")
      sizes = Column(tables, "frames/size", row: [2])
      stages = Column(
        tables, "frames/stage_ns", row: [header.stages.count],
        attributes: [
          ("stages", header.stages), ("did_not_run", "\(PredictionsLayout.stageDidNotRun)"),
        ])
      readings =
        header.readings.isEmpty
        ? nil
        : Column(
          tables, PredictionsLayout.readings, row: [header.readings.count],
          attributes: [("names", header.readings)])
      detectorRuns = Column(tables, "frames/detector_ran")
      detector = try PredictionsDetectorColumns(tables)
      faces = PredictionsFaceColumns(tables)
    } catch {
      throw FileError(writing: url, error)
    }
  }

  /// Adds the next frame; throws `.wrongData` if it is out of order or does not fit the tables.
  package func add(_ prediction: FramePrediction) throws(FileError) {
    try check(prediction)
    do {
      try status.append(prediction.status.rawValue)
      let size = prediction.size ?? ImageSize(width: 0, height: 0)
      try sizes.append(contentsOf: [Int32(clamping: size.width), Int32(clamping: size.height)])
      let times = prediction.stageNanoseconds
      try stages.append(
        contentsOf: (0..<stageCount).map {
          ($0 < times.count ? times[$0] : nil) ?? PredictionsLayout.stageDidNotRun
        })
      let own = prediction.readings
      try readings?.append(
        contentsOf: header.readings.indices.map { ($0 < own.count ? own[$0] : nil) ?? .nan })
      try detectorRuns.append(prediction.detectorRan ? 1 : 0)
      if inSource == nil, !prediction.isInSource {
        inSource = Column(tables, PredictionsLayout.inSource)
        try inSource?.append(contentsOf: repeatElement(1, count: frameCount))
      }
      try inSource?.append(prediction.isInSource ? 1 : 0)
      try detector.append(prediction.detections, prediction.candidates, frame: frameCount)
      for face in prediction.faces { try faces.append(face, frame: frameCount, isKept: true) }
      for face in prediction.rejected { try faces.append(face, frame: frameCount, isKept: false) }
      frameCount += 1
    } catch {
      throw FileError(writing: output.url, error)
    }
    // A table that begins with this frame makes the faces of earlier frames larger too.
    let count = prediction.faces.count + prediction.rejected.count
    if count > mostFaces.count { mostFaces = (count, prediction.frame) }
    try check(faceCount: mostFaces.count, ofFrame: mostFaces.frame)
  }

  /// Throws if a frame has more faces than its reader accepts.
  private func check(faceCount: Int, ofFrame frame: Int) throws(FileError) {
    guard let expected = faces.cost.refusal(ofFaces: faceCount) else { return }
    throw refusal(frame, "expected \(expected), found \(faceCount)")
  }

  private func refusal(_ frame: Int, _ what: String) -> FileError {
    FileError.wrongData("cannot write frame \(frame) to \(output.url.relativePath): \(what)")
  }

  private func check(_ prediction: FramePrediction) throws(FileError) {
    func refuse(_ what: String) -> FileError { refusal(prediction.frame, what) }
    guard prediction.frame == frameCount else {
      throw refuse("expected frame \(frameCount), the next one")
    }
    if prediction.status != .analysed {
      guard prediction == FramePrediction(frame: frameCount, notAnalysed: prediction.status) else {
        throw refuse("expected only the status of a frame that was not analysed")
      }
      return
    }
    guard prediction.stageNanoseconds.count == stageCount else {
      throw refuse(
        "expected times of \(stageCount) stages, found \(prediction.stageNanoseconds.count)")
    }
    try check(
      faceCount: prediction.faces.count + prediction.rejected.count, ofFrame: prediction.frame)
    for (what, count) in [
      ("detections", prediction.detections.count), ("candidates", prediction.candidates.count),
    ] where count > DatasetLayout.maxRowsOfFrame {
      throw refuse("expected at most \(DatasetLayout.maxRowsOfFrame) \(what), found \(count)")
    }
    if let what = detector.refusal(of: prediction.detections)
      ?? faces.refusal(of: prediction.faces + prediction.rejected)
    {
      throw refuse(what)
    }
  }

  /// Writes buffered rows, closes the file and renames it to its final name.
  ///
  /// `facts`, `timesUnit` and `part` replace those of the header. A part is on the disk then.
  package func finish(
    facts: Set<PredictionsHeader.Fact>? = nil, timesUnit: Double? = nil,
    part: PredictionsPart? = nil
  ) throws(FileError) {
    if let facts { header.facts = facts }
    if let timesUnit { header.timesUnit = timesUnit }
    if let part { header.part = part }
    do {
      try header.writeFacts(to: tables.file)
      try tables.finish()
      try tables.file.close()
    } catch {
      throw FileError(writing: output.url, error)
    }
    try output.commit(isDurable: part != nil) { file in
      if part != nil { try PartSeal.add(to: file) }
    }
  }
}
