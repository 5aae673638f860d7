import FaceCore

/// Boxes with categories as arrays of numbers, the way COCO files hold them.
struct BoxCase: Decodable, Sendable {
  var frames: [Int]
  var labels: [[Double]]
  var detections: [[Double]]

  /// Frame, category, x, y, width, height, area, crowd, ignore.
  func labels(of frame: Int) -> [FaceLabel] {
    labels.filter { Int($0[0]) == frame }.map { row in
      FaceLabel(
        box: BoundingBox(x: row[2], y: row[3], width: row[4], height: row[5]), area: row[6],
        isIgnored: row[8] != 0, isCrowd: row[7] != 0, category: Int(row[1]))
    }
  }

  /// Frame, category, x, y, width, height, score.
  func detections(of frame: Int) -> [(category: Int, detection: FaceDetection)] {
    detections.filter { Int($0[0]) == frame }.map { row in
      let box = BoundingBox(x: row[2], y: row[3], width: row[4], height: row[5])
      return (Int(row[1]), FaceDetection(box: box, score: row[6]))
    }
  }
}
