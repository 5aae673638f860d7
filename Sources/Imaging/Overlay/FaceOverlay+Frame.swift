package import FaceCore
internal import Foundation

extension FaceOverlay {
  /// Draws a detection's box, points and score.
  func draw(_ detection: FaceDetection, on image: inout PixelBuffer) {
    let box = detection.box
    guard box.isWellFormed else { return }
    let width = Self.lineWidth(on: image)
    image.stroke(box, color: palette.detection, thickness: width)
    for point in detection.keypoints {
      image.fillCircle(centre: point, radius: 1.5 * width, color: palette.detection)
    }
    write(
      Self.twoDecimals(detection.score), at: Point(x: box.x + width, y: box.y + width),
      color: palette.detection, on: &image)
  }

  /// Draws the turned rectangle of a face's region with its presence.
  func drawRegion(
    of face: FacePrediction, isRejected: Bool, on image: inout PixelBuffer
  ) {
    let color =
      isRejected
      ? palette.rejectedRegion : face.isTracked ? palette.trackedRegion : palette.detectedRegion
    guard let region = face.region else { return }
    let corners = Self.corners(of: region, in: image.size)
    guard corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return }
    let width = Self.lineWidth(on: image)
    for (start, end) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
      image.strokeLine(from: start, to: end, color: color, thickness: width)
    }
    let words = isRejected ? "rejected" : face.isTracked ? "tracked" : "detected"
    let lowest = corners.max { $0.y < $1.y } ?? corners[0]
    let presence = face.presence.map { ", presence \(Self.twoDecimals(Double($0)))" } ?? ""
    write(words + presence, at: lowest, color: color, on: &image)
  }

  /// Draws a label's box and points; hidden points are rings.
  func draw(_ label: FaceLabel, on image: inout PixelBuffer) {
    let width = Self.lineWidth(on: image)
    if label.box.isWellFormed {
      image.stroke(label.box, color: palette.label, thickness: width)
    }
    let side = max(label.box.width, label.box.height)
    let radius = max(side / 150, 0.8)
    for landmarks in label.landmarks {
      for (point, visibility) in zip(landmarks.points, landmarks.visibility) {
        switch visibility {
        case .notLabelled: continue
        case .visible: image.fillCircle(centre: point, radius: radius, color: palette.label)
        case .occluded:
          image.strokeCircle(
            centre: point, radius: radius, color: palette.label, thickness: max(radius / 2, 0.6))
        }
      }
    }
  }

  /// Draws a box that the detector gave and the settings leave out, with its number and score.
  package func drawLeftOut(
    _ box: BoundingBox, number: Int, score: Double, on image: inout PixelBuffer
  ) {
    guard box.isWellFormed else { return }
    let width = Self.lineWidth(on: image)
    image.stroke(box, color: palette.rejectedRegion, thickness: width)
    write(
      "\(number): \(Self.twoDecimals(score))", at: Point(x: box.x + width, y: box.y + width),
      color: palette.rejectedRegion, on: &image)
  }

  /// Draws a box that was asked about, with its name below it.
  package func drawPlace(_ box: BoundingBox, _ name: String, on image: inout PixelBuffer) {
    guard box.isWellFormed else { return }
    image.stroke(box, color: palette.label, thickness: Self.lineWidth(on: image))
    write(name, at: Point(x: box.x, y: box.maxY), color: palette.label, on: &image)
  }

  /// Draws a point that was asked about as a ring, with its name below it.
  package func drawPlace(_ point: Point, _ name: String, on image: inout PixelBuffer) {
    let width = Self.lineWidth(on: image)
    image.strokeCircle(centre: point, radius: 4 * width, color: palette.label, thickness: width)
    write(
      name, at: Point(x: point.x, y: point.y + 5 * width), color: palette.label, on: &image)
  }

  /// The corners of a region in pixels, clockwise from the top left one of the upright rectangle.
  static func corners(of region: NormalizedRect, in size: ImageSize) -> [Point] {
    let (width, height) = (Double(size.width), Double(size.height))
    let (c, s) = (cos(Double(region.rotation)), sin(Double(region.rotation)))
    let (halfWidth, halfHeight) = (
      Double(region.width) * width / 2, Double(region.height) * height / 2
    )
    return [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { x, y in
      let (dx, dy) = (x * halfWidth, y * halfHeight)
      return Point(
        x: Double(region.xCenter) * width + c * dx - s * dy,
        y: Double(region.yCenter) * height + s * dx + c * dy)
    }
  }

  /// Writes a line of text, moved to stay inside the image.
  func write(
    _ text: String, at position: Point, color: RGB, on image: inout PixelBuffer
  ) {
    let scale = max(1, max(image.width, image.height) / 400)
    let size = PixelBuffer.textSize(text, scale: scale)
    image.drawText(
      text,
      at: Point(
        x: max(min(position.x, Double(image.width - size.width)), 0),
        y: max(min(position.y, Double(image.height - size.height)), 0)),
      scale: scale, color: color, halo: palette.halo)
  }

  private static func lineWidth(on image: PixelBuffer) -> Double {
    max(Double(max(image.width, image.height)) / 500, 1.5)
  }

  static func twoDecimals(_ value: Double) -> String {
    String(format: "%.2f", value)
  }
}
