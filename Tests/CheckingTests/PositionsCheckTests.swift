import Checking
import FaceCore
import Foundation
import Records
import Testing

/// Heads at 35 to 150 cm before a camera, told by trackers in other units.
struct PositionsCheckTests {
  private typealias Position = SIMD3<Double>

  private static func pose(_ position: Position?) -> HeadPose? {
    guard let position else { return nil }
    var matrix = SIMD16<Float>(repeating: 0)
    for diagonal in [0, 5, 10, 15] { matrix[diagonal] = 1 }
    for axis in 0..<3 { matrix[4 * axis + 3] = Float(position[axis]) }
    return HeadPose(matrix: matrix)
  }

  /// `change` makes of the seen position what the tracker tells; it errs by some percent. A focal length of 81.6 pixels is
  /// MediaPipe's.
  private static func findings(
    heads: Int = 40, far: Double = 1, focalLength: Double? = nil, format: String? = "x",
    labels: (Position) -> Position? = { $0 },
    _ change: (Position) -> Position?
  ) -> [Finding] {
    let box = BoundingBox(x: 10, y: 10, width: 50, height: 50)
    let size = ImageSize(width: 100, height: 100)
    let frames = (0..<heads).map { index -> JoinedFrame in
      let step = Double(index)
      let depth = far * (90 + 55 * sin(0.7 * step))
      let position = Position(0.2 * depth * cos(step), 0.1 * depth * sin(2 * step), -depth)
      let seen = position * (1 + 0.06 * sin(13 * step))
      var label = FaceLabel(box: box)
      label.pose = pose(labels(position))
      var prediction = FramePrediction(
        frame: index, size: size, stageNanoseconds: [nil], detections: [], candidates: [])
      prediction.faces = [
        FacePrediction(
          region: nil, isTracked: false, detectionScore: 1, presence: nil, scheme: nil, points: [],
          ownBox: box, pose: pose(change(seen)))
      ]
      let frame = Frame(
        index: index, name: "\(index)", sequence: 0, timestampMicroseconds: 0, size: size)
      var joined = JoinedFrame(
        frame: frame, isVideo: false, labels: [label], prediction: prediction)
      joined.focalLength = focalLength
      return joined
    }
    return PositionsCheck.findings(
      in: JoinedSample(
        frames: frames, isWhole: true, format: format, scheme: nil, hasScores: true))
  }

  @Test func `positions of MediaPipe's camera are told where the dataset has another one`() throws {
    // It sees 30 degrees: 186.6 pixels are 2.29 times 81.6.
    let finding = try #require(Self.findings(focalLength: 186.6) { $0 * 0.437 }.first)
    #expect(finding.name == "positions.camera" && finding.severity == .note)
    #expect(finding.summary.contains("sees 30°, which makes distances 0.437 times as long"))
    let after = try #require(finding.after)
    #expect(abs(after - 1) < 0.1)
    let own = Self.findings(focalLength: 186.6, format: nil) { $0 * 0.6 }
    #expect(own.map(\.name) == ["positions.camera"])
  }

  @Test func `positions of the dataset's camera, or of MediaPipe's itself, are none`() {
    #expect(Self.findings(focalLength: 186.6) { $0 }.isEmpty)
    #expect(Self.findings(focalLength: 81.6) { $0 * 0.5 }.isEmpty)
    #expect(Self.findings(focalLength: 81.6, format: nil) { $0 * 1.1 }.isEmpty)
    #expect(Self.findings { $0 * 0.437 }.isEmpty)
  }

  @Test(arguments: [
    (0.01, "0.01 times those of the labelled ones, as metres are", "100 times as large"),
    (10, "10 times those of the labelled ones, as millimetres are", "0.1 times as large"),
    (0.1, "0.1 times those of the labelled ones.", "10 times as large"),
  ])
  func `positions in another unit are suspect`(factor: Double, summary: String, remedy: String)
    throws
  {
    let finding = try #require(Self.findings { $0 * factor }.first)
    #expect(finding.name == "positions.unit" && finding.severity == .suspect)
    #expect(finding.summary.contains(summary), "\(finding.summary)")
    #expect(finding.remedy?.contains(remedy) == true, "\(finding.remedy ?? "")")
    #expect(finding.summary.contains("predicted heads") && finding.n == 40)
    let after = try #require(finding.after)
    #expect(abs(after - 1) < 0.1)
  }

  @Test func `metres of the labels are told to be the labels'`() throws {
    let finding = try #require(Self.findings(labels: { $0 / 100 }, { $0 }).first)
    #expect(finding.summary.hasPrefix("The distances of labelled heads are 0.01 times"))
    #expect(finding.remedy?.contains("import the labels again") == true)
  }

  @Test func `metres of predictions are told of heads that are far away too`() throws {
    let finding = try #require(Self.findings(far: 8) { $0 / 100 }.first)
    #expect(finding.summary.hasPrefix("The distances of predicted heads are 0.01 times"))
  }

  @Test func `another focal length, axes, an offset and other distances are none`() {
    for factor in [0.3, 0.5, 1, 2, 3.3] {
      #expect(Self.findings { $0 * factor }.isEmpty, "\(factor)")
    }
    #expect(Self.findings { Position($0.x, -$0.y, -$0.z) }.isEmpty)
    #expect(Self.findings { $0 + Position(0, 0, 8) }.isEmpty)
    #expect(Self.findings(far: 10) { $0 }.isEmpty)
  }

  @Test func `what is not steady, few heads and unknown positions are none`() {
    func unsteady(_ point: Position) -> Position? {
      let far = 1 + abs(point.z) / 20
      return point * (0.12 / far)
    }
    #expect(Self.findings(unsteady).isEmpty)
    #expect(Self.findings(heads: 11) { $0 / 100 }.isEmpty)
    #expect(Self.findings { _ in nil }.isEmpty)
    #expect(Self.findings { _ in Position(repeating: .nan) }.isEmpty)
    #expect(Self.findings { _ in Position(repeating: 0) }.isEmpty)
  }
}
