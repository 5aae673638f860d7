import FaceCore
import Records
import Reporting

extension Sample {
  /// Ninety frames of two clips and a still, with a face that moves, a miss and a false face.
  static let frames: [FrameEntry] = (0..<90).map { index in
    let x = 100 + 2 * Double(index)
    let points = (0..<68).map { point -> SIMD3<Float> in
      let noise = Float((index * index * 31 + point * point * 17 + index * point * 7) % 97) / 16
      return SIMD3<Float>(Float(x) + Float(point % 9) * 8 + noise, 80 + Float(point / 9) * 10, 0)
    }
    let isMissed = index % 10 == 7
    var label = FaceLabel(
      box: BoundingBox(x: x, y: 80, width: 64, height: 70),
      landmarks: [
        Landmarks(
          scheme: .ibug68, points: points.map { Point(x: Double($0.x) + 1, y: Double($0.y)) })
      ].compactMap { $0 })
    label.blendshapes = (0..<52).map { Float($0) / 52 }
    var face = FacePrediction(
      region: NormalizedRect(xCenter: 0.3, yCenter: 0.4, width: 0.3, height: 0.4, rotation: 0.1),
      isTracked: index % 5 != 0, detectionScore: nil, presence: isMissed ? 0.1 : 0.9,
      scheme: .ibug68, points: points, unsmoothedPoints: points.map { $0 + SIMD3(1, 0, 0) })
    face.blendshapes = (0..<52).map { Float(($0 + index) % 52) / 52 }
    let prediction = FramePrediction(
      frame: index, size: ImageSize(width: 480, height: 360), stageNanoseconds: [],
      detectorRan: index % 5 == 0,
      detections: [
        FaceDetection(
          box: BoundingBox(x: x, y: 80, width: 64, height: 70), score: 0.5 + Double(index) / 200)
      ], candidates: [], faces: isMissed ? [] : [face], rejected: isMissed ? [face] : [])
    var entry = FrameEntry(
      frame: Frame(
        index: index, name: "clip/frame_\(index).jpg", sequence: index / 40,
        timestampMicroseconds: Int64(index) * 33_333, size: ImageSize(width: 480, height: 360)),
      video: "clip \(index / 40)", labels: [label], prediction: prediction)
    entry.missed = isMissed ? [0] : []
    entry.errorCount = isMissed ? 1 : 0
    entry.errors = [isMissed ? .infinity : 0.02 + Double(index % 7) / 100]
    entry.kept = [FrameEntry.Detection(score: 0.5 + Double(index) / 200, isTrue: index % 9 != 0)]
    entry.ranked = entry.kept ?? []
    entry.labelledCount = 1
    entry.milliseconds = 5 + Double(index % 12)
    entry.slices = index % 3 == 0 ? ["yaw=30-60"] : ["yaw=0-30"]
    return entry
  }

  /// Those frames as a page reads them.
  static func archive(budget: Int = FrameArchive.defaultBudget) throws -> [UInt8] {
    var archive = FrameArchive(budget: budget)
    for entry in frames { archive.add(entry) }
    return try archive.encoded()
  }

  /// The record of those frames: a histogram of their times, which selects them.
  static let explored: Record = {
    var record = Sample.record
    record.dataset.name = "<script>alert(1)</script>"
    let times = frames.compactMap(\.milliseconds)
    let edges = stride(from: 4.0, through: 18, by: 2).map { $0 }
    record.series.removeAll { $0.name == "latency.total" }
    record.series.append(
      Series(
        name: "latency.total", title: "Time of a frame",
        content: .histogram(
          Series.Histogram(
            xLabel: "ms", edges: edges, groups: ["frames"],
            counts: [
              zip(edges, edges.dropFirst()).map { low, high in
                times.count { $0 >= low && $0 < high }
              }
            ]))))
    return record
  }()
}
