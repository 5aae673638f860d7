import FaceCore
import Foundation
import Metrics
import Records

/// Times `COCODetection` on the arrays that Tests/Peers/time_evaluation.py writes, and prints seconds and statistics.
///
/// The file holds little-endian doubles: the numbers of images, labels and detections; the labels as
/// image, category, x, y, width, height; the detections as image, category, x, y, width, height, score.
private func arrays(_ path: String) throws -> [Double] {
  let bytes = try Data(contentsOf: URL(filePath: path))
  return bytes.withUnsafeBytes { raw in
    (0..<bytes.count / 8).map {
      Double(
        bitPattern: UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self))
      )
    }
  }
}

private let numbers = try arrays(CommandLine.arguments[1])
private let (images, labelCount, detectionCount) = (
  Int(numbers[0]), Int(numbers[1]), Int(numbers[2])
)
private var labels = [[FaceLabel]](repeating: [], count: images)
private var detections = [[FaceDetection]](repeating: [], count: images)
private var categories = [[Int]](repeating: [], count: images)

private func box(_ at: Int) -> BoundingBox {
  BoundingBox(x: numbers[at], y: numbers[at + 1], width: numbers[at + 2], height: numbers[at + 3])
}

for row in 0..<labelCount {
  let at = 3 + 6 * row
  labels[Int(numbers[at])].append(FaceLabel(box: box(at + 2), category: Int(numbers[at + 1])))
}
for row in 0..<detectionCount {
  let at = 3 + 6 * labelCount + 7 * row
  detections[Int(numbers[at])].append(FaceDetection(box: box(at + 2), score: numbers[at + 6]))
  categories[Int(numbers[at])].append(Int(numbers[at + 1]))
}

private var coco = COCODetection()
private var statistics: [Double] = []
private let time = try ContinuousClock().measure {
  for image in 0..<images {
    try coco.add(
      frame: image, labels: labels[image], detections: detections[image],
      categories: categories[image])
  }
  statistics = coco.summarize().map { $0.value ?? -1 }
}
print(time / .seconds(1), statistics.map { "\($0)" }.joined(separator: " "))
