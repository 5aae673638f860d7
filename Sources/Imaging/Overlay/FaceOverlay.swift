package import FaceCore

/// Draws a tracker's output for a frame, on its image or on an empty canvas.
///
/// Line widths grow with the face, or with the image for lines that belong to no face.
package struct FaceOverlay: Sendable {
  /// The parts that can be drawn.
  package enum Part: String, Sendable, Hashable, CaseIterable {
    /// The edges of the face mesh, or its points if no triangles are given.
    case mesh
    /// Lips, eyes, brows, irises and the oval of the face.
    case contours
    /// The axes of the head from the nose's tip: x red, y green, z blue, out of the face.
    case axes
    /// The coefficients as bars next to the image; several faces are numbered.
    case blendshapes
    /// The detector's boxes, points and scores.
    case detections
    /// The regions that the landmark stage examined, with the presence in each.
    case regions
    /// The boxes and points of the dataset.
    case labels
  }

  /// The drawn parts.
  let parts: Set<Part>
  /// The lines of the mesh, each once.
  let meshEdges: [(Int, Int)]
  let palette: OverlayPalette

  /// Makes an overlay; `triangles` are those of the canonical face, by point index.
  ///
  /// `isOnWhite` chooses colours for a white background instead of those for images and dark backgrounds.
  package init(
    _ parts: Set<Part>, triangles: [SIMD3<Int32>] = [], isOnWhite: Bool = false
  ) {
    self.parts = parts
    palette = isOnWhite ? .onWhite : .onImages
    var edges: Set<SIMD2<Int32>> = []
    for triangle in triangles {
      for side in 0..<3 {
        let (a, b) = (triangle[side], triangle[(side + 1) % 3])
        edges.insert(SIMD2(min(a, b), max(a, b)))
      }
    }
    meshEdges = edges.sorted { ($0.x, $0.y) < ($1.x, $1.y) }.map { (Int($0.x), Int($0.y)) }
  }

  /// Draws everything except the bars.
  package func draw(
    _ prediction: FramePrediction, labels: [FaceLabel] = [], on image: inout PixelBuffer
  ) {
    if parts.contains(.labels) {
      for label in labels { draw(label, on: &image) }
    }
    if parts.contains(.detections) {
      for detection in prediction.detections { draw(detection, on: &image) }
    }
    if parts.contains(.regions) {
      for face in prediction.rejected { drawRegion(of: face, isRejected: true, on: &image) }
      for face in prediction.faces { drawRegion(of: face, isRejected: false, on: &image) }
    }
    for face in prediction.faces { draw(face, on: &image) }
    if parts.contains(.blendshapes), prediction.faces.count > 1 {
      for (index, face) in prediction.faces.enumerated() {
        guard let box = face.box, box.isWellFormed else { continue }
        write(
          "\(index + 1)", at: Point(x: box.x, y: box.y), color: palette.ink, on: &image)
      }
    }
  }

  /// The image with everything drawn, wider by the bars' panel if a face has coefficients.
  package func rendered(
    _ prediction: FramePrediction, labels: [FaceLabel] = [], on image: PixelBuffer
  ) -> PixelBuffer {
    var drawn = image
    draw(prediction, labels: labels, on: &drawn)
    return parts.contains(.blendshapes) ? withBars(of: prediction.faces, rightOf: drawn) : drawn
  }

  /// Everything on an empty background of the image's size, without the photograph.
  package func renderedOnCanvas(
    _ prediction: FramePrediction, labels: [FaceLabel] = [], size: ImageSize
  ) -> PixelBuffer {
    rendered(
      prediction, labels: labels,
      on: PixelBuffer(width: size.width, height: size.height, color: palette.ground))
  }

  /// Draws the mesh, contours and axes of one face, if they are among the parts.
  ///
  /// Its points are multiplied by `scale` for a reduced image; those that are not known are left out.
  private func draw(_ face: FacePrediction, on image: inout PixelBuffer, scale: Double = 1) {
    let points = face.points.map { Point(x: Double($0.x) * scale, y: Double($0.y) * scale) }
    let known = points.filter { $0.x.isFinite && $0.y.isFinite }
    guard let box = BoundingBox(around: known) else { return }
    let side = min(max(box.width, box.height), Double(2 * max(image.width, image.height)))
    if parts.contains(.mesh) { drawMesh(points, side: side, on: &image) }
    if parts.contains(.contours), face.scheme == .mediapipe478 {
      drawContours(points, side: side, on: &image)
    }
    if parts.contains(.axes), let pose = face.pose {
      drawAxes(of: pose, side: side, on: &image)
    }
  }

  /// The overlay of a small image: contours of a face and the tight box around its points.
  package static func drawOutline(
    of face: FacePrediction, on image: inout PixelBuffer, scale: Double, color: RGB
  ) {
    FaceOverlay([.contours]).draw(face, on: &image, scale: scale)
    guard let box = face.box, box.isWellFormed else { return }
    image.stroke(box.scaled(by: scale), color: color)
  }
}

/// Colours that are distinct from one another and from their background.
struct OverlayPalette: Sendable {
  let ground, ink, halo, track: RGB
  let mesh, oval, lips, left, right, iris: RGB
  let detection, detectedRegion, trackedRegion, rejectedRegion, label: RGB

  static let onImages = OverlayPalette(
    ground: RGB(18, 20, 26), ink: RGB(235, 238, 242), halo: .black, track: RGB(52, 57, 68),
    mesh: RGB(168, 184, 200), oval: RGB(240, 244, 248), lips: RGB(255, 105, 140),
    left: RGB(70, 225, 130), right: RGB(255, 170, 60), iris: RGB(90, 210, 255),
    detection: RGB(60, 180, 255), detectedRegion: RGB(190, 150, 255),
    trackedRegion: RGB(120, 220, 200), rejectedRegion: RGB(255, 70, 70), label: RGB(235, 235, 235))
  static let onWhite = OverlayPalette(
    ground: .white, ink: RGB(28, 32, 40), halo: .white, track: RGB(226, 230, 236),
    mesh: RGB(150, 160, 175), oval: RGB(60, 70, 90), lips: RGB(210, 40, 90),
    left: RGB(0, 140, 70), right: RGB(205, 105, 0), iris: RGB(0, 120, 200),
    detection: RGB(0, 105, 210), detectedRegion: RGB(120, 70, 210),
    trackedRegion: RGB(0, 140, 120), rejectedRegion: RGB(215, 30, 30), label: RGB(90, 90, 90))

  func color(of part: FaceMeshConnections) -> RGB {
    switch part {
    case .lips: lips
    case .leftEye, .leftEyebrow: left
    case .rightEye, .rightEyebrow: right
    case .leftIris, .rightIris: iris
    case .faceOval: oval
    }
  }
}
