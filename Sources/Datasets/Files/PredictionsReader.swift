package import FaceCore
package import Foundation
internal import HDF5

/// Reads a `predictions.h5` by ranges of frames.
package final class PredictionsReader {
  /// The file.
  package let url: URL
  /// What the file says of its run.
  package let header: PredictionsHeader
  /// How many frames it has.
  package let frameCount: Int

  private let status: HDF5Dataset
  private let sizes: HDF5Dataset
  private let stages: HDF5Dataset
  private let boxes: HDF5Dataset
  private let scores: HDF5Dataset
  private let keypoints: HDF5Dataset
  private let offsets: HDF5Dataset
  private let anchors: HDF5Dataset
  private let candidateScores: HDF5Dataset
  private let regressors: HDF5Dataset
  private let firstFace: [Int]
  private let file: HDF5File

  /// Opens a file and checks that its tables fit together.
  package init(_ url: URL) throws(DatasetError) {
    self.url = url
    do {
      file = try HDF5File.open(url.path)
      let format = try file.attribute("format", of: "/", as: String.self)
      let version = try file.attribute("version", of: "/", as: Int.self)
      guard format == PredictionsLayout.format, version == PredictionsLayout.version else {
        throw DatasetError(
          .wrongData,
          "cannot read '/' in \(url.relativePath): expected format \(PredictionsLayout.format) "
            + "version \(PredictionsLayout.version), found \(format) version \(version)")
      }
      status = try file.dataset("frames/status", of: UInt8.self, shape: [nil])
      frameCount = status.shape[0]
      sizes = try file.dataset("frames/size", of: Int32.self, shape: [frameCount, 2])
      let names = try file.attribute("stages", of: "frames/stage_ns", as: [String].self)
      stages = try file.dataset(
        "frames/stage_ns", of: UInt64.self, shape: [frameCount, names.count])
      let frames = try file.dataset("faces/frame", of: Int32.self, shape: [nil])
      let faces = frames.shape[0]
      boxes = try file.dataset("faces/box", of: Float.self, shape: [faces, 4])
      scores = try file.dataset("faces/score", of: Float.self, shape: [faces])
      keypoints = try file.dataset("faces/keypoints", of: Float.self, shape: [faces, 6, 2])
      firstFace = try FaceTables.firstRows(
        of: frames, file: url.relativePath, frames: frameCount)
      offsets = try file.dataset("detector/offsets", of: UInt64.self, shape: [frameCount + 1])
      anchors = try file.dataset("detector/anchor", of: Int32.self, shape: [nil])
      let candidates = anchors.shape[0]
      candidateScores = try file.dataset("detector/score", of: Float.self, shape: [candidates])
      regressors = try file.dataset(
        "detector/regressors", of: Float.self, shape: [candidates, 16])
      let pairs = try file.attribute("options", of: "/", as: [String].self)
        .compactMap { pair -> (String, String)? in
          let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
      header = PredictionsHeader(
        datasetName: try file.attribute("dataset_name", of: "/", as: String.self),
        datasetSHA256: try file.attribute("dataset_sha256", of: "/", as: String.self),
        detector: try file.attribute("detector", of: "/", as: String.self),
        detectorSHA256: try file.attribute("detector_sha256", of: "/", as: String.self),
        candidateFloor: try file.attribute("candidate_floor", of: "/", as: Double.self),
        stages: names, options: Dictionary(pairs) { $1 })
    } catch let error as DatasetError {
      throw error
    } catch let error as HDF5Error {
      throw DatasetError(reading: error)
    } catch {
      throw DatasetError(.inputOutput, "\(error)")
    }
  }

  /// How many faces it has.
  package var faceCount: Int { boxes.shape[0] }
  /// How many candidates it has.
  package var candidateCount: Int { anchors.shape[0] }

  /// The predictions of a range of frames.
  package func predictions(_ range: Range<Int>) throws(DatasetError) -> [FramePrediction] {
    guard !range.isEmpty else { return [] }
    do {
      let states = try status.read(UInt8.self, rows: range)
      let sides = try sizes.read(Int32.self, rows: range)
      let times = try stages.read(UInt64.self, rows: range)
      let rows = firstFace[range.lowerBound]..<firstFace[range.upperBound]
      let faces = try detections(rows)
      let ends = try offsets.read(UInt64.self, rows: range.lowerBound..<(range.upperBound + 1))
        .map { Int(clamping: $0) }
      let found = try candidates(ends)
      let stageCount = header.stages.count
      return range.enumerated().map { offset, frame in
        let own = firstFace[frame] - rows.lowerBound..<firstFace[frame + 1] - rows.lowerBound
        guard states[offset] == 0 else {
          return FramePrediction(
            frame: frame, notAnalysed: .init(rawValue: states[offset]) ?? .broken)
        }
        return FramePrediction(
          frame: frame,
          size: PictureSize(width: Int(sides[2 * offset]), height: Int(sides[2 * offset + 1])),
          stageNanoseconds: times[(offset * stageCount)..<((offset + 1) * stageCount)].map {
            $0 == .max ? nil : $0
          },
          detections: Array(faces[own]),
          candidates: Array(found[(ends[offset] - ends[0])..<(ends[offset + 1] - ends[0])]))
      }
    } catch let error as DatasetError {
      throw error
    } catch let error as HDF5Error {
      throw DatasetError(reading: error)
    } catch {
      throw DatasetError(.inputOutput, "\(error)")
    }
  }

  private func detections(_ rows: Range<Int>) throws(HDF5Error) -> [FaceDetection] {
    let box = try boxes.read(Float.self, rows: rows)
    let score = try scores.read(Float.self, rows: rows)
    let points = try keypoints.read(Float.self, rows: rows)
    return (0..<rows.count).map { row in
      FaceDetection(
        box: BoundingBox(
          x: Double(box[4 * row]), y: Double(box[4 * row + 1]), width: Double(box[4 * row + 2]),
          height: Double(box[4 * row + 3])),
        score: Double(score[row]),
        keypoints: (0..<6).map { k in
          Point(x: Double(points[12 * row + 2 * k]), y: Double(points[12 * row + 2 * k + 1]))
        })
    }
  }

  private func candidates(_ ends: [Int]) throws -> [DetectorCandidate] {
    let total = anchors.shape[0]
    guard zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 }), let last = ends.last,
      last <= total
    else {
      throw DatasetError(
        .wrongData,
        "cannot read 'detector/offsets' in \(url.relativePath): expected ascending numbers up to "
          + "\(total), found \(ends.first ?? 0)...\(ends.last ?? 0)")
    }
    let rows = ends[0]..<last
    let anchor = try anchors.read(Int32.self, rows: rows)
    let score = try candidateScores.read(Float.self, rows: rows)
    let values = try regressors.read(Float.self, rows: rows)
    return (0..<rows.count).map { row in
      var regressors = SIMD16<Float>()
      for lane in 0..<16 { regressors[lane] = values[16 * row + lane] }
      return DetectorCandidate(
        anchor: Int(anchor[row]), score: score[row], regressors: regressors)
    }
  }
}
