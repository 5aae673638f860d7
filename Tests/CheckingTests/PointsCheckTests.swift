import Checking
import FaceCore
import Foundation
import Records
import Testing

/// Faces of 68 points, drawn as 300-W labels them, with a prediction that misses each point by a little.
struct PointsCheckTests {
  enum Side: String, CaseIterable { case labels, predictions }

  /// A face around (0, 0) that is about 2 wide, of a head turned aside by `yaw`, in radians.
  private static func shape(yaw: Double = 0) -> [Point] {
    var points: [(x: Double, y: Double, depth: Double)] = []
    for index in 0...16 {
      let angle = .pi * Double(index) / 16
      points.append((-cos(angle), 0.2 + 1.1 * sin(angle), -0.5))
    }
    for x in [-0.8, -0.65, -0.5, -0.35, -0.2, 0.2, 0.35, 0.5, 0.65, 0.8] {
      points.append((x, -0.6 + 0.2 * abs(abs(x) - 0.5), 0.3))
    }
    for y in [-0.3, -0.15, 0, 0.15] { points.append((0, y, 0.6)) }
    for x in [-0.2, -0.1, 0, 0.1, 0.2] { points.append((x, 0.3 - 0.1 * abs(x), 0.4)) }
    let eye = [(-0.65, -0.25), (-0.52, -0.33), (-0.4, -0.33), (-0.28, -0.25)]
    let lower = [(-0.4, -0.2), (-0.52, -0.2)]
    points += (eye + lower).map { ($0.0, $0.1, 0.2) }
    let other = Array(eye.reversed()) + Array(lower.reversed())
    points += other.map { (-$0.0, $0.1, 0.2) }
    for x in [-0.4, -0.27, -0.13, 0, 0.13, 0.27, 0.4] { points.append((x, 0.6, 0.4)) }
    for x in [0.27, 0.13, 0, -0.13, -0.27] { points.append((x, 0.78, 0.4)) }
    for x in [-0.3, -0.15, 0, 0.15, 0.3] { points.append((x, 0.66, 0.4)) }
    for x in [0.15, 0, -0.15] { points.append((x, 0.71, 0.4)) }
    return points.map { Point(x: $0.x * cos(yaw) + $0.depth * sin(yaw), y: $0.y) }
  }

  /// The points in an image of 400 × 300, 50 pixels for 1, turned by `roll`.
  private static func placed(_ shape: [Point], at center: Point, roll: Double) -> [Point] {
    shape.map { point in
      Point(
        x: center.x + 50 * (point.x * cos(roll) - point.y * sin(roll)),
        y: center.y + 50 * (point.x * sin(roll) + point.y * cos(roll)))
    }
  }

  private static func sample(
    faces: Int = 20, error: Double = 1.5, scheme: LandmarkScheme = .ibug68,
    isCentred: Bool = false,
    labels: ([Point]) -> [Point?] = { $0 }, predictions: ([Point]) -> [Point?] = { $0 }
  ) -> JoinedSample {
    let frames = (0..<faces).map { index -> JoinedFrame in
      let turn = Double(index)
      let points = placed(
        shape(yaw: (isCentred ? 0.1 : 0.6) * sin(turn)),
        at: Point(x: isCentred ? 200 : 150 + turn * 4, y: 140),
        roll: (isCentred ? 0.05 : 0.4) * cos(2 * turn))
      let noisy = points.enumerated().map { place, point in
        Point(
          x: point.x + error * sin(37.1 * Double(place) + 11 * turn),
          y: point.y + error * cos(29.3 * Double(place) + 7 * turn))
      }
      return joined(
        index, labelled: labels(points), predicted: predictions(noisy), scheme: scheme)
    }
    return JoinedSample(
      frames: frames, isWhole: true, format: "labels", scheme: scheme, hasScores: true)
  }

  /// Left and right eye, or brow, exchanged: a fifth of the points, and the error is still one that trackers have.
  @Test(arguments: [(36, 42, 6), (17, 22, 5)])
  func `a part of the points in the place of another is found`(
    first: Int, second: Int, count: Int
  ) throws {
    let order = (0..<68).map { index in
      switch index {
      case first..<first + count: index - first + second
      case second..<second + count: index - second + first
      default: index
      }
    }
    let found = PointsCheck.findings(
      in: Self.sample(predictions: { points in order.map { points[$0] } }))
    #expect(found.map(\.name) == ["points.order"])
    #expect(found.first?.summary.contains("\(2 * count) of 68 lie where others belong") == true)
  }

  private static func joined(
    _ index: Int, labelled: [Point?], predicted: [Point?], scheme: LandmarkScheme
  ) -> JoinedFrame {
    let size = ImageSize(width: 400, height: 300)
    var prediction = FramePrediction(
      frame: index, size: size, stageNanoseconds: [nil], detections: [], candidates: [])
    prediction.faces = [
      FacePrediction(
        region: nil, isTracked: false, detectionScore: 1, presence: nil, scheme: scheme,
        points: predicted.map { point in
          point.map { SIMD3(Float($0.x), Float($0.y), .nan) } ?? SIMD3(repeating: .nan)
        })
    ]
    let set = Landmarks(
      scheme: scheme, points: labelled.map { $0 ?? Point(x: 0, y: 0) },
      visibility: labelled.map { $0 == nil ? .notLabelled : .visible })
    let box = BoundingBox(around: labelled.compactMap(\.self))
    return JoinedFrame(
      frame: Frame(
        index: index, name: "\(index).jpg", sequence: 0, timestampMicroseconds: 0, size: size),
      isVideo: false,
      labels: [
        FaceLabel(
          box: box ?? BoundingBox(x: 0, y: 0, width: 1, height: 1),
          landmarks: set.map { [$0] } ?? [])
      ], prediction: prediction)
  }

  private static func ordered(_ order: [Int?]) -> ([Point]) -> [Point?] {
    { points in order.map { place in place.map { points[$0] } } }
  }

  private static func planted(
    _ side: Side, faces: Int = 20, error: Double = 1.5, _ change: @escaping ([Point]) -> [Point?]
  ) -> [Finding] {
    let keep: ([Point]) -> [Point?] = { $0 }
    return PointsCheck.findings(
      in: sample(
        faces: faces, error: error, labels: side == .labels ? change : keep,
        predictions: side == .predictions ? change : keep))
  }

  @Test func `of faces in the middle of images, mirrored ones are told from exchanged sides`() {
    let sides = Self.sample(isCentred: true) { points in
      LandmarkScheme.ibug68.otherSides.map { $0.map { points[$0] } } ?? []
    }
    #expect(CoordinatesCheck.findings(in: sides).isEmpty)
    #expect(PointsCheck.findings(in: sides).map(\.name) == ["points.sides"])
    let mirrored = Self.sample(isCentred: true) { $0.map { Point(x: 400 - $0.x, y: $0.y) } }
    #expect(CoordinatesCheck.findings(in: mirrored).map(\.name) == ["coordinates.from-right"])
    #expect(PointsCheck.findings(in: mirrored).isEmpty)
    let exchanged = Self.sample(isCentred: true) { $0.map { Point(x: $0.y + 60, y: $0.x - 60) } }
    #expect(CoordinatesCheck.findings(in: exchanged).isEmpty)
  }

  @Test(arguments: [0, 1.5, 4, 8]) func `trackers with errors are silent`(error: Double) {
    #expect(PointsCheck.findings(in: Self.sample(error: error)).isEmpty)
  }

  @Test func `faces upside down are silent, on both sides and on one`() {
    let turned: ([Point]) -> [Point?] = { points in
      let x = points.reduce(0) { $0 + $1.x } / 68
      let y = points.reduce(0) { $0 + $1.y } / 68
      return points.map { Point(x: 2 * x - $0.x, y: 2 * y - $0.y) }
    }
    #expect(PointsCheck.findings(in: Self.sample(labels: turned, predictions: turned)).isEmpty)
    #expect(Self.planted(.predictions, turned).isEmpty)
  }

  @Test(arguments: Side.allCases, [1, 20]) func `exchanged sides are found on either side`(
    side: Side, faces: Int
  ) throws {
    let order = try #require(LandmarkScheme.ibug68.otherSides)
    let findings = Self.planted(side, faces: faces, Self.ordered(order))
    let finding = try #require(findings.first)
    #expect(findings.count == 1)
    #expect(finding.name == "points.sides")
    #expect(finding.severity == .suspect)
    #expect(finding.remedy == "Import the \(side) again with --repair exchange-sides.")
    #expect(finding.n == faces)
    #expect(try #require(finding.before) > 0.2)
    #expect(try #require(finding.after) < 0.05)
    #expect(finding.frames.count == min(5, faces))
  }

  @Test(arguments: Side.allCases, [1.5, 3])
  func `a list that begins one place late or early is found on either side`(
    side: Side, error: Double
  ) throws {
    let late = Self.planted(side, error: error, Self.ordered([nil] + (0..<67).map { $0 }))
    #expect(late.map(\.name) == ["points.shift"])
    #expect(late.first?.summary.contains("one place too late") == true)
    #expect(
      late.first?.remedy?.hasPrefix(
        "Import the \(side) again with --points mapping.json, whose points of ibug68 are {\"0\": 1")
        == true)
    let early = Self.planted(side, error: error, Self.ordered((1..<68).map { $0 } + [nil]))
    #expect(early.map(\.name) == ["points.shift"])
    #expect(early.first?.remedy?.contains("{\"1\": 0, \"2\": 1") == true)
  }

  @Test(arguments: Side.allCases) func `points in another order are found with their table`(
    side: Side
  ) {
    // 29 has no divisor in common with 68, so each point is taken once.
    let findings = Self.planted(side, Self.ordered((0..<68).map { $0 * 29 % 68 }))
    #expect(findings.map(\.name) == ["points.order"])
    // 29 · 61 leaves 1 over a multiple of 68.
    #expect(
      findings.first?.remedy?.hasPrefix(
        "Import the \(side) again with --points mapping.json, whose points of ibug68 are "
          + "{\"0\": 0, \"1\": 61, \"2\": 54") == true)
  }

  @Test func `mouth corners of five points in the other order are found`() {
    let five: ([Point]) -> [Point?] = { points in
      [
        Point(x: (points[36].x + points[39].x) / 2, y: (points[36].y + points[39].y) / 2),
        Point(x: (points[42].x + points[45].x) / 2, y: (points[42].y + points[45].y) / 2),
        points[30], points[48], points[54],
      ]
    }
    let honest = Self.sample(scheme: .five, labels: five, predictions: five)
    #expect(PointsCheck.findings(in: honest).isEmpty)
    let planted = Self.sample(
      scheme: .five, labels: { [0, 1, 2, 4, 3].map(five($0).element) }, predictions: five)
    let findings = PointsCheck.findings(in: planted)
    #expect(findings.map(\.name) == ["points.order"])
    #expect(
      findings.first?.remedy
        == "Import the labels again with --points mapping.json, whose points of five are as they stand "
        + "but for {\"3\": 4, \"4\": 3}. Numbers after colons count points as they were read: where that was by "
        + "names, by --points or as the faces show, replace each by the number of that point in the file."
    )
  }

  @Test func `eyes in the place of the mouth are found though sides still face each other`() {
    let five: ([Point]) -> [Point?] = { points in
      [points[36], points[45], points[30], points[48], points[54]]
    }
    let planted = Self.sample(
      error: 0.5, scheme: .five, labels: five,
      predictions: { [3, 4, 2, 0, 1].map(five($0).element) })
    let findings = PointsCheck.findings(in: planted)
    #expect(findings.map(\.name) == ["points.order"])
    let table = "{\"0\": 3, \"1\": 4, \"2\": 2, \"3\": 0, \"4\": 1}"
    #expect(findings.first?.remedy?.contains(table) == true)
  }

  @Test func `five labelled points in the places of others are found, in one face`() {
    let findings = Self.planted(.labels, faces: 1, error: 0.1) { points in
      [points[45], points[42], points[36], points[39], points[33]]
        + [Point?](repeating: nil, count: 63)
    }
    #expect(findings.map(\.name) == ["points.order"])
    #expect(findings.first?.remedy?.contains("\"36\": 2") == true)
  }

  @Test(arguments: Side.allCases) func `points of another scheme are found`(side: Side) {
    let findings = Self.planted(side) { points in
      points.indices.map {
        Point(x: points[30].x + Double($0 % 9) * 9, y: points[30].y + Double($0))
      }
    }
    #expect(findings.map(\.name) == ["points.scheme"])
    #expect(findings.first?.remedy?.contains("Import the \(side) again with --scheme") == true)
  }

  @Test(arguments: Side.allCases, [-2, -1, 0, -999] as [Double])
  func `a place that stands for missing points is found`(side: Side, place: Double) {
    let findings = Self.planted(side) { points in
      points.enumerated().map { $0 % 20 == 3 ? Point(x: place, y: place) : $1 }
    }
    #expect(findings.map(\.name) == ["points.missing"])
    #expect(findings.first?.n == 20)
    #expect(findings.first?.summary.hasPrefix("80 ") == true)
    #expect(findings.first?.remedy?.hasSuffix("import the \(side) again.") == true)
  }

  @Test func `two missing points, and points at the image's corner, are silent`() {
    let two = Self.planted(.labels, faces: 2) { points in
      points.enumerated().map { $0 == 0 ? Point(x: 0, y: 0) : $1 }
    }
    #expect(two.isEmpty)
    // Clipped to the image: brow and jaw lie on its left and upper edge.
    let clipped: ([Point]) -> [Point?] = { points in
      points.map { Point(x: max(0, $0.x - 175), y: max(0, $0.y - 110)) }
    }
    #expect(PointsCheck.findings(in: Self.sample(labels: clipped, predictions: clipped)).isEmpty)
  }

  @Test func `mirrored coordinates are no exchanged sides`() {
    #expect(Self.planted(.predictions) { $0.map { Point(x: 400 - $0.x, y: $0.y) } }.isEmpty)
    #expect(Self.planted(.predictions) { $0.map { Point(x: $0.x, y: 300 - $0.y) } }.isEmpty)
    #expect(Self.planted(.predictions) { $0.map { Point(x: $0.y, y: $0.x) } }.isEmpty)
  }

  @Test func `frames without points are silent`() {
    let none = Self.sample(predictions: { _ in [] })
    #expect(PointsCheck.findings(in: none).isEmpty)
  }
}

extension Array where Element == Point? {
  /// The element at a position, as a function.
  fileprivate func element(_ position: Int) -> Point? { self[position] }
}
