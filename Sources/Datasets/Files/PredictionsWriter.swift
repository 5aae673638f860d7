package import FaceCore
package import Foundation
internal import HDF5

/// Writes a `predictions.h5` frame by frame; the file has its name only after `finish()`.
package final class PredictionsWriter {
  private let output: OutputFile
  private let file: HDF5File
  private let stageCount: Int
  private var header: PredictionsHeader
  private var frameCount = 0

  private var status: Column<UInt8>
  private var sizes: Column<Int32>
  private var stages: Column<UInt64>
  private var detectorRuns: Column<UInt8>
  private var detector: PredictionsDetectorColumns
  private var faces: PredictionsFaceColumns

  /// Starts a file; the header must name a stage.
  package init(_ url: URL, header: PredictionsHeader) throws(DatasetError) {
    guard !header.stages.isEmpty else {
      throw DatasetError(
        .wrongData, "cannot write \(url.relativePath): expected one stage or more, found none")
    }
    output = try OutputFile(url, replacing: true)
    stageCount = header.stages.count
    self.header = header
    do {
      file = try HDF5File.create(output.temporary.path)
      try header.write(to: file)
      status = try Column(file, "frames/status")
      sizes = try Column(file, "frames/size", row: [2])
      stages = try Column(file, "frames/stage_ns", row: [header.stages.count])
      try file.setAttribute("stages", of: "frames/stage_ns", to: header.stages)
      try file.setAttribute(
        "did_not_run", of: "frames/stage_ns", to: "\(PredictionsLayout.stageDidNotRun)")
      detectorRuns = try Column(file, "frames/detector_ran")
      detector = try PredictionsDetectorColumns(file)
      faces = try PredictionsFaceColumns(file)
    } catch {
      throw DatasetError(writing: url, error)
    }
  }

  /// Adds the next frame; throws `.wrongData` for one out of order or that the tables cannot hold.
  package func add(_ prediction: FramePrediction) throws(DatasetError) {
    try check(prediction)
    do {
      try status.append(prediction.status.rawValue)
      let size = prediction.size ?? PictureSize(width: 0, height: 0)
      try sizes.append(contentsOf: [Int32(clamping: size.width), Int32(clamping: size.height)])
      let times = prediction.stageNanoseconds
      try stages.append(
        contentsOf: (0..<stageCount).map {
          ($0 < times.count ? times[$0] : nil) ?? PredictionsLayout.stageDidNotRun
        })
      try detectorRuns.append(prediction.detectorRan ? 1 : 0)
      try detector.append(prediction.detections, prediction.candidates, frame: frameCount)
      for face in prediction.faces { try faces.append(face, frame: frameCount, isKept: true) }
      for face in prediction.rejected { try faces.append(face, frame: frameCount, isKept: false) }
      frameCount += 1
    } catch {
      throw DatasetError(writing: output.url, error)
    }
  }

  private func check(_ prediction: FramePrediction) throws(DatasetError) {
    func refuse(_ what: String) -> DatasetError {
      DatasetError(
        .wrongData, "cannot write frame \(prediction.frame) to \(output.url.relativePath): \(what)")
    }
    guard prediction.frame == frameCount else {
      throw refuse("expected frame \(frameCount), the next one")
    }
    if prediction.status != .analysed {
      guard prediction == FramePrediction(frame: frameCount, notAnalysed: prediction.status) else {
        throw refuse("expected nothing but the status of a frame that was not analysed")
      }
      return
    }
    guard prediction.stageNanoseconds.count == stageCount else {
      throw refuse(
        "expected times of \(stageCount) stages, found \(prediction.stageNanoseconds.count)")
    }
    if let what = detector.refusal(of: prediction.detections)
      ?? faces.refusal(of: prediction.faces + prediction.rejected)
    {
      throw refuse(what)
    }
  }

  /// Writes what is waiting, closes the file and gives it its name; `says` replaces what the header said.
  package func finish(says: Set<PredictionsHeader.Fact>? = nil) throws(DatasetError) {
    if let says { header.says = says }
    do {
      try header.writeFacts(to: file)
      try status.flush()
      try sizes.flush()
      try stages.flush()
      try detectorRuns.flush()
      try detector.flush()
      try faces.flush()
      try file.close()
    } catch {
      throw DatasetError(writing: output.url, error)
    }
    try output.commit()
  }
}
