import Checking
import FaceCore
import Records
import Testing

/// Faces whose predicted boxes are right, and whose points are written by a convention of their own.
struct PointsAloneTests {
  private static let size = ImageSize(width: 640, height: 480)

  private static func sample(
    scheme: LandmarkScheme = .five, scale: Double = 1,
    label place: (Point, BoundingBox) -> Point = { point, _ in point },
    _ predict: (Point, BoundingBox) -> Point
  ) throws -> JoinedSample {
    let frames = try (0..<24).map { index -> JoinedFrame in
      let (x, y) = (140 + Double(index * 37 % 300), 120 + Double(index * 53 % 200))
      let side = scale * (60 + Double(index % 5) * 8)
      let points = try Self.face(scheme).map { Point(x: x + side * $0.x, y: y + side * $0.y) }
      let box = BoundingBox(x: x - side, y: y - side, width: 2 * side, height: 2 * side)
      let labelled = points.map { place($0, box) }
      let label = FaceLabel(
        box: box, landmarks: [try #require(Landmarks(scheme: scheme, points: labelled))])
      let seen = points.map { predict($0, box) }.map { SIMD3(Float($0.x), Float($0.y), .nan) }
      var frame = FramePrediction(
        frame: index, size: size, stageNanoseconds: [nil],
        detections: [FaceDetection(box: box, score: 0.9)], candidates: [])
      frame.faces = [
        FacePrediction(
          region: nil, isTracked: false, detectionScore: 0.9, presence: nil, scheme: scheme,
          points: seen, ownBox: box)
      ]
      let made = Frame(
        index: index, name: "\(index).jpg", sequence: index, timestampMicroseconds: 0, size: size)
      return JoinedFrame(frame: made, isVideo: false, labels: [label], prediction: frame)
    }
    return JoinedSample(
      frames: frames, isWhole: true, format: "csv", scheme: scheme, hasScores: true)
  }

  /// Points within 1 of the middle; of 68 points a circle and the five.
  private static func face(_ scheme: LandmarkScheme) throws -> [Point] {
    let five = [(-0.4, -0.3), (0.4, -0.3), (0, 0), (-0.25, 0.4), (0.25, 0.4)].map {
      Point(x: $0.0, y: $0.1)
    }
    guard scheme != .five else { return five }
    return (0..<scheme.count).map { index in
      let angle = Double(index) * 2.4
      let radius = 0.9 * Double(index) / Double(scheme.count)
      return Point(x: radius * cos(angle), y: radius * sin(angle))
    }
  }

  /// The series is exact to 1e-9 over the range that is used.
  private static func cos(_ x: Double) -> Double { sin(x + .pi / 2) }
  private static func sin(_ x: Double) -> Double {
    let turn = x.remainder(dividingBy: 2 * .pi)
    var (term, sum) = (turn, turn)
    for k in 1..<12 {
      term *= -turn * turn / Double(2 * k * (2 * k + 1))
      sum += term
    }
    return sum
  }

  @Test func `labelled boxes that a convention turns inside out are no large faces`() throws {
    let steps = [(30.0, 0.0), (-30, 0), (0, 30), (0, -30), (30, 30)].map {
      Point(x: $0.0, y: $0.1)
    }
    let apart = try Self.sample(scheme: .ibug68, scale: 0.2) { point, box in
      let step = steps[Int(((box.width - 24) / 3.2).rounded())]
      return Point(x: point.x + step.x, y: point.y + step.y)
    }
    #expect(CoordinatesCheck.findings(in: apart).map(\.name) == ["coordinates.points"])
  }

  @Test(arguments: [LandmarkScheme.five, .ibug68])
  func `a repair that suits the points and not the boxes is one of the points alone`(
    scheme: LandmarkScheme
  ) throws {
    let halved = try Self.sample(scheme: scheme) { point, _ in
      Point(x: point.x / 2, y: point.y / 2)
    }
    let found = CoordinatesCheck.findings(in: halved)
    #expect(found.map(\.name) == ["coordinates.scale"])
    #expect(
      found.map(\.remedy) == ["Import the predictions again with --repair points:scale=2."])
    let fractions = try Self.sample(scheme: scheme) { point, _ in
      Point(x: point.x / 640, y: point.y / 480)
    }
    let other = CoordinatesCheck.findings(in: fractions)
    #expect(
      other.map(\.remedy) == ["Import the predictions again with --repair points:fractions."])
    #expect(other.first?.summary.contains("Predicted boxes agree") == true)
  }

  @Test func `points that are right draw no word`() throws {
    for scheme in [LandmarkScheme.five, .ibug68] {
      #expect(CoordinatesCheck.findings(in: try Self.sample(scheme: scheme) { p, _ in p }).isEmpty)
    }
  }

  /// In pixels of the crop, in parts of it, and in those of a network's input.
  @Test(arguments: [nil, 1, 64, 256] as [Double?])
  func `points of a crop lie on no face`(side: Double?) throws {
    for scheme in [LandmarkScheme.five, .ibug68] {
      let sample = try Self.sample(scheme: scheme) { point, box in
        let scale = side.map { $0 / box.width } ?? 1
        return Point(x: (point.x - box.x) * scale, y: (point.y - box.y) * scale)
      }
      let found = CoordinatesCheck.findings(in: sample)
      #expect(found.map(\.name) == ["coordinates.points"], "\(scheme.name)")
      #expect(found.first?.severity == .suspect)
    }
  }

  @Test func `labelled points in fractions lie on no labelled face`() throws {
    let right = try Self.sample(scheme: .ibug68) { point, _ in point }
    let frames = try right.frames.map { joined -> JoinedFrame in
      var label = joined.labels[0]
      let points = label.landmarks[0].points.map { Point(x: $0.x / 640, y: $0.y / 480) }
      label.landmarks = [try #require(Landmarks(scheme: .ibug68, points: points))]
      return JoinedFrame(
        frame: joined.frame, isVideo: false, labels: [label], prediction: joined.prediction)
    }
    let sample = JoinedSample(
      frames: frames, isWhole: true, format: "csv", scheme: .ibug68, hasScores: true)
    let found = CoordinatesCheck.findings(in: sample)
    #expect(found.map(\.name) == ["coordinates.points"])
    #expect(found.first?.summary.hasPrefix("Labelled boxes are on the faces") == true)
    #expect(found.first?.remedy?.hasSuffix("--repair points:fractions.") == true)
  }

  @Test func `labelled boxes that are not around their right points are told`() throws {
    let right = try Self.sample(scheme: .ibug68) { point, _ in point }
    func sample(_ change: (BoundingBox) -> BoundingBox) -> JoinedSample {
      let frames = right.frames.map { joined -> JoinedFrame in
        var (label, prediction) = (joined.labels[0], joined.prediction)
        label.box = change(label.box)
        // As a tracker of points alone, whose boxes are those of its points.
        prediction.detections = []
        prediction.faces = joined.prediction.faces.map {
          FacePrediction(
            region: nil, isTracked: false, detectionScore: 0.9, presence: nil, scheme: .ibug68,
            points: $0.points)
        }
        return JoinedFrame(
          frame: joined.frame, isVideo: false, labels: [label], prediction: prediction)
      }
      return JoinedSample(
        frames: frames, isWhole: true, format: nil, scheme: .ibug68, hasScores: true)
    }
    let corners = sample {
      BoundingBox(x: $0.x, y: $0.y, width: $0.maxX, height: $0.maxY)
    }
    let found = CoordinatesCheck.findings(in: corners)
    #expect(found.map(\.name) == ["boxes.corners"])
    #expect(found.map(\.remedy) == ["Import the labels again with --repair corners."])
    let centre = sample {
      BoundingBox(
        x: $0.x + $0.width / 2, y: $0.y + $0.height / 2, width: $0.width, height: $0.height)
    }
    #expect(
      CoordinatesCheck.findings(in: centre).map(\.remedy)
        == ["Import the labels again with --repair centre."])
    #expect(CoordinatesCheck.findings(in: sample { $0 }).isEmpty)
  }

  @Test func `points that are one pixel off are noted, those off by a share of the face are not`()
    throws
  {
    var noise = 0.0
    func error() -> Double {
      noise = (noise + 0.37).truncatingRemainder(dividingBy: 1)
      return noise - 0.5
    }
    let moved = try Self.sample { point, _ in
      Point(x: point.x - 1 + error(), y: point.y - 1 + error())
    }
    let found = CoordinatesCheck.findings(in: moved)
    #expect(found.map(\.name) == ["coordinates.offset"] && found[0].severity == .note)
    #expect(found.first?.remedy?.contains("the predictions with --repair move=1,1") == true)
    // Of our own pipeline no predictions are imported.
    let own = JoinedSample(
      frames: moved.frames, isWhole: true, format: nil, scheme: moved.scheme, hasScores: true)
    #expect(
      CoordinatesCheck.findings(in: own).first?.remedy?.hasPrefix(
        "If so, import the labels again with --index-base, or with --repair move=-1,-1") == true)
    let right = try Self.sample { point, _ in Point(x: point.x + error(), y: point.y + error()) }
    #expect(CoordinatesCheck.findings(in: right).isEmpty)
    let aside = try Self.sample { point, _ in Point(x: point.x - 1 + error(), y: point.y + error())
    }
    #expect(CoordinatesCheck.findings(in: aside).isEmpty)
  }

  @Test func `labelled fractions of boxes that were read as those of the image are found`() throws {
    let sample = try Self.sample(label: { point, box in
      Point(
        x: (point.x - box.x) / box.width * 640, y: (point.y - box.y) / box.height * 480)
    }) { point, _ in point }
    let found = CoordinatesCheck.findings(in: sample)
    #expect(found.map(\.name) == ["coordinates.points"])
    #expect(found.first?.summary.hasPrefix("Labelled boxes are on the faces") == true)
  }

  @Test(arguments: [true, false])
  func `points of faces reach beyond boxes of eyes, nose and mouth`(hasPoints: Bool) throws {
    let whole = try Self.sample(scheme: .ibug68) { point, _ in Point(x: point.x + 0.5, y: point.y) }
    let frames = whole.frames.map { joined in
      var (labels, prediction) = (joined.labels, joined.prediction)
      var inner = labels[0].box
      inner.x += 0.3 * inner.width
      inner.y += 0.3 * inner.height
      (inner.width, inner.height) = (0.4 * inner.width, 0.4 * inner.height)
      labels[0].box = inner
      prediction.detections = [FaceDetection(box: inner, score: 0.9)]
      prediction.faces[0].ownBox = inner
      if !hasPoints {
        prediction.faces[0].points = []
        prediction.faces[0].scheme = nil
      }
      return JoinedFrame(
        frame: joined.frame, isVideo: false, labels: labels, prediction: prediction)
    }
    let found = CoordinatesCheck.findings(
      in: JoinedSample(
        frames: frames, isWhole: true, format: "csv", scheme: hasPoints ? .ibug68 : nil,
        hasScores: true))
    #expect(found.isEmpty, "\(found.map(\.summary))")
  }
}
