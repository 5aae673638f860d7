package import FaceCore
package import Foundation
internal import HDF5

/// Writes a `predictions.h5` frame by frame; the file has its name only after `finish()`.
package final class PredictionsWriter {
  private let output: OutputFile
  private let file: HDF5File
  private let stageCount: Int
  private var candidateCount: UInt64 = 0

  private var status: Column<UInt8>
  private var sizes: Column<Int32>
  private var stages: Column<UInt64>
  private var faceFrames: Column<Int32>
  private var boxes: Column<Float>
  private var scores: Column<Float>
  private var keypoints: Column<Float>
  private var offsets: Column<UInt64>
  private var anchors: Column<Int32>
  private var candidateScores: Column<Float>
  private var regressors: Column<Float>

  /// Starts a file.
  package init(_ url: URL, header: PredictionsHeader) throws(DatasetError) {
    output = try OutputFile(url, replacing: true)
    stageCount = header.stages.count
    do {
      file = try HDF5File.create(output.temporary.path)
      try file.setAttribute("format", of: "/", to: PredictionsLayout.format)
      try file.setAttribute("version", of: "/", to: PredictionsLayout.version)
      try file.setAttribute("dataset_name", of: "/", to: header.datasetName)
      try file.setAttribute("dataset_sha256", of: "/", to: header.datasetSHA256)
      try file.setAttribute("detector", of: "/", to: header.detector)
      try file.setAttribute("detector_sha256", of: "/", to: header.detectorSHA256)
      try file.setAttribute("candidate_floor", of: "/", to: header.candidateFloor)
      let options = header.options.sorted { $0.key < $1.key }
      try file.setAttribute("options", of: "/", to: options.map { "\($0.key)=\($0.value)" })
      status = try Column(file, "frames/status")
      sizes = try Column(file, "frames/size", row: [2])
      stages = try Column(file, "frames/stage_ns", row: [header.stages.count])
      try file.setAttribute("stages", of: "frames/stage_ns", to: header.stages)
      faceFrames = try Column(file, "faces/frame")
      boxes = try Column(file, "faces/box", row: [4])
      scores = try Column(file, "faces/score")
      keypoints = try Column(file, "faces/keypoints", row: [6, 2])
      offsets = try Column(file, "detector/offsets")
      anchors = try Column(file, "detector/anchor", chunkRows: 8192)
      candidateScores = try Column(file, "detector/score", chunkRows: 8192)
      regressors = try Column(file, "detector/regressors", row: [16])
      try offsets.append(0)
    } catch {
      throw DatasetError(writing: url, error)
    }
  }

  /// Adds the next frame; frames come in order.
  package func add(_ prediction: FramePrediction) throws(DatasetError) {
    do {
      try status.append(prediction.status.rawValue)
      let size = prediction.size ?? PictureSize(width: 0, height: 0)
      try sizes.append(contentsOf: [Int32(clamping: size.width), Int32(clamping: size.height)])
      let times = prediction.stageNanoseconds
      try stages.append(
        contentsOf: (0..<stageCount).map { ($0 < times.count ? times[$0] : nil) ?? .max })
      for face in prediction.detections { try add(face, frame: prediction.frame) }
      for candidate in prediction.candidates {
        try anchors.append(Int32(clamping: candidate.anchor))
        try candidateScores.append(candidate.score)
        try regressors.append(contentsOf: (0..<16).map { candidate.regressors[$0] })
      }
      candidateCount += UInt64(prediction.candidates.count)
      try offsets.append(candidateCount)
    } catch {
      throw DatasetError(writing: output.url, error)
    }
  }

  private func add(_ face: FaceDetection, frame: Int) throws(HDF5Error) {
    try faceFrames.append(Int32(clamping: frame))
    try boxes.append(
      contentsOf: [face.box.x, face.box.y, face.box.width, face.box.height].map(Float.init))
    try scores.append(Float(face.score))
    let points = face.keypoints.flatMap { [Float($0.x), Float($0.y)] }
    try keypoints.append(contentsOf: (0..<12).map { $0 < points.count ? points[$0] : .nan })
  }

  /// Writes what is waiting, closes the file and gives it its name.
  package func finish() throws(DatasetError) {
    do {
      try status.flush()
      try sizes.flush()
      try stages.flush()
      try faceFrames.flush()
      try boxes.flush()
      try scores.flush()
      try keypoints.flush()
      try offsets.flush()
      try anchors.flush()
      try candidateScores.flush()
      try regressors.flush()
      try file.close()
    } catch {
      throw DatasetError(writing: output.url, error)
    }
    try output.commit()
  }
}
