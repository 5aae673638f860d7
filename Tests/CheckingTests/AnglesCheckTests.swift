import Checking
import FaceCore
import Foundation
import Records
import Testing

/// Heads that turn by some tens of degrees about all axes, as yaw, pitch and roll in degrees.
struct AnglesCheckTests {
  typealias Angles = (pitch: Double, yaw: Double, roll: Double)

  private static func pose(_ angles: Angles) -> HeadPose? {
    HeadRotation.pose(
      HeadRotation.rows(
        zip(0..<3, [angles.pitch, angles.yaw, angles.roll])
          .map { (axis: $0, radians: -$1 * .pi / 180) }))
  }

  private static func sample(
    faces: Int = 40, turned: Int = .max, spread: Double = 1, error: Double = 4,
    predictions: (Angles) -> HeadPose? = { pose($0) }
  ) -> JoinedSample {
    let box = BoundingBox(x: 10, y: 10, width: 50, height: 50)
    let size = ImageSize(width: 100, height: 100)
    let frames = (0..<faces).map { index -> JoinedFrame in
      let step = Double(index)
      let spread = index < turned ? spread : 0
      let angles = (
        pitch: spread * 20 * sin(1.7 * step), yaw: spread * 35 * sin(2.3 * step + 1),
        roll: spread * 15 * cos(0.9 * step)
      )
      var label = FaceLabel(box: box)
      label.pose = pose(angles)
      let noisy = (
        pitch: angles.pitch + 6 + error * sin(13 * step), yaw: angles.yaw + error * cos(17 * step),
        roll: angles.roll + error * sin(29 * step)
      )
      var prediction = FramePrediction(
        frame: index, size: size, stageNanoseconds: [nil], detections: [], candidates: [])
      prediction.faces = [
        FacePrediction(
          region: nil, isTracked: false, detectionScore: 1, presence: nil, scheme: nil, points: [],
          ownBox: box, pose: predictions(noisy))
      ]
      let frame = Frame(
        index: index, name: "\(index)", sequence: 0, timestampMicroseconds: 0, size: size)
      return JoinedFrame(frame: frame, isVideo: false, labels: [label], prediction: prediction)
    }
    return JoinedSample(
      frames: frames, isWhole: true, format: "openface", scheme: nil, hasScores: true)
  }

  /// The same heads with yaw, pitch and roll among the attributes, in radians, and no pose.
  private static func ofAttributes(
    error: Double = 4, _ predictions: (Angles) -> Angles = { $0 }
  ) -> JoinedSample {
    func attributes(_ pose: HeadPose?, _ change: (Angles) -> Angles) -> [String: Double] {
      guard let rotation = pose.flatMap({ Rotation($0) }) else { return [:] }
      let angles = HeadAngles(rotation)
      let changed = change((angles.pitch, angles.yaw, angles.roll))
      return [
        "headPitch": changed.pitch * .pi / 180, "headYaw": changed.yaw * .pi / 180,
        "headRoll": changed.roll * .pi / 180,
      ]
    }
    let made = sample(error: error)
    let frames = made.frames.map { joined -> JoinedFrame in
      var (labels, prediction) = (joined.labels, joined.prediction)
      labels[0].attributes = attributes(labels[0].pose) { $0 }
      labels[0].pose = nil
      prediction.faces[0].attributes = attributes(prediction.faces[0].pose, predictions)
      prediction.faces[0].pose = nil
      return JoinedFrame(
        frame: joined.frame, isVideo: false, labels: labels, prediction: prediction)
    }
    return JoinedSample(
      frames: frames, isWhole: true, format: "csv", scheme: nil, hasScores: true)
  }

  @Test func `angles without a pose are checked as poses are`() {
    #expect(AnglesCheck.findings(in: Self.ofAttributes()).isEmpty)
    let signs = AnglesCheck.findings(in: Self.ofAttributes { ($0.pitch, -$0.yaw, $0.roll) })
    #expect(
      signs.map(\.remedy) == ["Import the predictions again with --repair negate=yaw."])
    let order = AnglesCheck.findings(in: Self.ofAttributes { ($0.yaw, $0.pitch, $0.roll) })
    #expect(order.map(\.name) == ["angles.order"])
    let radians = AnglesCheck.findings(
      in: Self.ofAttributes { ($0.pitch * .pi / 180, $0.yaw * .pi / 180, $0.roll * .pi / 180) })
    #expect(radians.map(\.name) == ["angles.radians"])
  }

  @Test func `two mistakes of angles at once are found`() throws {
    let unit = Double.pi / 180
    let radians = AnglesCheck.findings(
      in: Self.sample {
        Self.pose((pitch: $0.pitch * unit, yaw: -$0.yaw * unit, roll: $0.roll * unit))
      })
    #expect(radians.map(\.name) == ["angles.radians"])
    #expect(
      radians.first?.remedy
        == "Import the predictions again with --repair radians --repair negate=yaw.")
    let exchanged = AnglesCheck.findings(
      in: Self.sample { Self.pose((pitch: $0.yaw, yaw: -$0.pitch, roll: $0.roll)) })
    #expect(exchanged.map(\.name) == ["angles.order"])
    #expect(
      exchanged.first?.remedy
        == "Import the predictions again with --repair exchange-angles --repair negate=pitch.")
    let roll = AnglesCheck.findings(
      in: Self.sample { Self.pose((pitch: $0.roll, yaw: $0.yaw, roll: $0.pitch)) })
    #expect(roll.map(\.name) == ["angles.order"])
    let summary = try #require(roll.first?.summary)
    #expect(summary.contains("the predicted roll is taken as pitch"), "\(summary)")
  }

  private static func turned(_ change: @escaping (Rotation) -> Rotation) -> (Angles) -> HeadPose? {
    { angles in
      pose(angles).flatMap { Rotation($0) }.flatMap { HeadRotation.pose(change($0).rows) }
    }
  }

  @Test(arguments: [0, 4, 15]) func `trackers with errors and an offset of pitch are silent`(
    error: Double
  ) {
    #expect(AnglesCheck.findings(in: Self.sample(error: error)).isEmpty)
  }

  @Test func `of heads that hardly turn a few tell the sign`() {
    for sign in [1.0, -1] {
      let findings = AnglesCheck.findings(
        in: Self.sample(faces: 300, turned: 20, error: 1) {
          Self.pose((pitch: $0.pitch, yaw: sign * $0.yaw, roll: $0.roll))
        })
      #expect(findings.map(\.name) == (sign < 0 ? ["angles.signs"] : []))
      #expect(findings.allSatisfy { $0.n == 20 })
    }
  }

  @Test(arguments: [["yaw"], ["pitch"], ["roll"], ["yaw", "roll"], ["yaw", "pitch", "roll"]])
  func `angles with the other sign are found`(axes: [String]) throws {
    let findings = AnglesCheck.findings(
      in: Self.sample {
        Self.pose(
          (
            pitch: axes.contains("pitch") ? -$0.pitch : $0.pitch,
            yaw: axes.contains("yaw") ? -$0.yaw : $0.yaw,
            roll: axes.contains("roll") ? -$0.roll : $0.roll
          ))
      })
    #expect(findings.map(\.name) == ["angles.signs"])
    let finding = try #require(findings.first)
    #expect(
      finding.remedy
        == "Import the predictions again with --repair negate=\(axes.joined(separator: "+")).")
    #expect(try #require(finding.after) < 12)
    #expect(finding.n == 40)
  }

  @Test func `exchanged yaw and pitch are found`() {
    let findings = AnglesCheck.findings(
      in: Self.sample { Self.pose((pitch: $0.yaw, yaw: $0.pitch, roll: $0.roll)) })
    #expect(findings.map(\.name) == ["angles.order"])
    #expect(
      findings.first?.remedy == "Import the predictions again with --repair exchange-angles.")
  }

  @Test func `radians for degrees and degrees for radians are found`() {
    func scaled(_ factor: Double) -> [Finding] {
      AnglesCheck.findings(
        in: Self.sample {
          Self.pose((pitch: $0.pitch * factor, yaw: $0.yaw * factor, roll: $0.roll * factor))
        })
    }
    let radians = scaled(.pi / 180)
    #expect(radians.map(\.name) == ["angles.radians"])
    #expect(radians.first?.remedy == "Import the predictions again with --repair radians.")
    let degrees = scaled(180 / .pi)
    #expect(degrees.map(\.name) == ["angles.degrees"])
    #expect(degrees.first?.remedy == "Import the predictions again with --repair degrees.")
    #expect(scaled(0.5).isEmpty)
  }

  @Test func `axes of another camera are named`() {
    let turn = Rotation(w: 0, x: 1, y: 0, z: 0)
    let camera = AnglesCheck.findings(in: Self.sample(predictions: Self.turned { turn * $0 }))
    #expect(camera.map(\.name) == ["angles.axes"])
    #expect(camera.first?.summary.contains("180° about the camera's x axis") == true)
    #expect(camera.first?.summary.contains("OpenCV") == true)
    let head = AnglesCheck.findings(
      in: Self.sample(predictions: Self.turned { $0 * Rotation(w: 0, x: 0, y: 1, z: 0) }))
    #expect(head.map(\.name) == ["angles.axes"])
    #expect(head.first?.summary.contains("180° about the head's y axis") == true)
    let both = AnglesCheck.findings(in: Self.sample(predictions: Self.turned { turn * $0 * turn }))
    #expect(both.first?.remedy == "Import the predictions again with --repair negate=yaw+roll.")
  }

  @Test func `inverted rotations are named`() {
    let findings = AnglesCheck.findings(in: Self.sample(predictions: Self.turned { $0.inverse }))
    #expect(findings.map(\.name) == ["angles.axes"])
    #expect(findings.first?.remedy?.hasPrefix("Transpose the predicted rotations") == true)
  }

  @Test func `rotations are inverted, though the signs of all three angles nearly mend them`()
    throws
  {
    // Yaw or roll next to pitch, of which the tracker is 8° off.
    let heads = (0..<48).map { index -> Angles in
      let sign = index / 8 % 2 == 0 ? 1.0 : -1
      let isYaw = index % 2 == 0
      let pitch = index / 2 % 4 == 3 ? -12.0 : 12
      return (pitch: pitch, yaw: isYaw ? 20 * sign : 0, roll: isYaw ? 0 : 14 * sign)
    }
    let invert = Self.turned { $0.inverse }
    let made = Self.sample(faces: heads.count).frames
    let frames = made.enumerated().map { index, joined -> JoinedFrame in
      var (labels, prediction) = (joined.labels, joined.prediction)
      let head = heads[index]
      labels[0].pose = Self.pose(head)
      prediction.faces[0].pose = invert((pitch: head.pitch + 8, yaw: head.yaw, roll: head.roll))
      return JoinedFrame(
        frame: joined.frame, isVideo: false, labels: labels, prediction: prediction)
    }
    let found = AnglesCheck.findings(
      in: JoinedSample(
        frames: frames, isWhole: true, format: "csv", scheme: nil, hasScores: true))
    #expect(found.map(\.name) == ["angles.axes"])
    let remedy = try #require(found.first?.remedy)
    #expect(remedy.hasPrefix("Transpose the predicted rotations"))
    #expect(remedy.hasSuffix("--repair negate=yaw+pitch+roll does nearly the same."))
  }

  @Test func `frontal faces and few faces are silent`() {
    let negated: (Angles) -> HeadPose? = {
      Self.pose((pitch: -$0.pitch, yaw: -$0.yaw, roll: -$0.roll))
    }
    #expect(
      AnglesCheck.findings(in: Self.sample(spread: 0.1, error: 1, predictions: negated)).isEmpty)
    #expect(AnglesCheck.findings(in: Self.sample(faces: 11, predictions: negated)).isEmpty)
    #expect(!AnglesCheck.findings(in: Self.sample(faces: 12, predictions: negated)).isEmpty)
  }
}
