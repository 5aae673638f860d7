import Foundation
import ImageIO
import Vision

/// Writes what Vision observes in images as JSON that `facegauge import vision` reads: one object a line.
func writeFaceObservations(of images: [URL], to output: URL) throws {
  let encoder = JSONEncoder()
  var text = try encoder.encode(Header()) + Data([0x0A])
  for (number, url) in images.enumerated() {
    guard let source = CGImageSourceCreateWithURL(url as CFURL, nil),
      let image = CGImageSourceCreateImageAtIndex(source, 0, nil)
    else { throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: url.path]) }
    let handler = VNImageRequestHandler(cgImage: image, options: [:])
    let landmarks = VNDetectFaceLandmarksRequest()
    let begin = DispatchTime.now().uptimeNanoseconds
    try handler.perform([landmarks])
    let took = DispatchTime.now().uptimeNanoseconds - begin
    let quality = VNDetectFaceCaptureQualityRequest()
    quality.inputFaceObservations = landmarks.results
    try handler.perform([quality])
    let faces = landmarks.results ?? []
    let rated = quality.results ?? []
    let line = Line(
      name: url.lastPathComponent, number: number, width: image.width, height: image.height,
      latency_ns: took,
      faces: faces.indices.map { index in
        Face(
          faces[index],
          quality: rated.count == faces.count ? rated[index].faceCaptureQuality : nil)
      })
    text += try encoder.encode(line) + Data([0x0A])
  }
  try text.write(to: output)
}

private struct Header: Encodable {
  var schema = "facegauge.vision"
  var version = 1
  var kind = "still"
}

private struct Line: Encodable {
  var name: String
  var number: Int
  var width: Int
  var height: Int
  var latency_ns: UInt64
  var faces: [Face]
}

private struct Face: Encodable {
  struct Landmarks: Encodable {
    var space = "box"
    var regions: [String: [[Double]]]
  }

  var uuid: String
  var boundingBox: [Double]
  var confidence: Float
  var roll: Double?
  var yaw: Double?
  var pitch: Double?
  var faceCaptureQuality: Float?
  var landmarks: Landmarks?

  init(_ face: VNFaceObservation, quality: Float?) {
    let box = face.boundingBox
    uuid = face.uuid.uuidString
    boundingBox = [box.minX, box.minY, box.width, box.height].map { Double($0) }
    confidence = face.confidence
    roll = face.roll?.doubleValue
    yaw = face.yaw?.doubleValue
    pitch = face.pitch?.doubleValue
    faceCaptureQuality = quality
    landmarks = face.landmarks.map { all in
      let regions = [
        "leftEye": all.leftEye, "rightEye": all.rightEye, "leftPupil": all.leftPupil,
        "rightPupil": all.rightPupil, "outerLips": all.outerLips, "innerLips": all.innerLips,
        "nose": all.nose, "noseCrest": all.noseCrest, "medianLine": all.medianLine,
        "leftEyebrow": all.leftEyebrow, "rightEyebrow": all.rightEyebrow,
        "faceContour": all.faceContour,
      ]
      return Landmarks(
        regions: regions.compactMapValues { region in
          region?.normalizedPoints.map { [Double($0.x), Double($0.y)] }
        })
    }
  }
}
