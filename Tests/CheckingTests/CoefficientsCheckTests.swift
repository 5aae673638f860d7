import Checking
import FaceCore
import Foundation
import Records
import Testing

/// Faces whose coefficients swing at rates of their own, left and right apart.
struct CoefficientsCheckTests {
  private static func labels(_ frame: Int, swing: Double = 0.4) -> [Float] {
    Blendshape.allCases.indices.map { index in
      let rate = 0.11 + 0.013 * Double(index * 7 % 52)
      return Float(0.5 + swing * sin(rate * Double(frame) + Double(index)))
    }
  }

  private static func noisy(_ values: [Float], _ frame: Int, by error: Double) -> [Float] {
    values.enumerated().map { index, value in
      value + Float(error * sin(12.7 * Double(frame) + 31.3 * Double(index * index)))
    }
  }

  private static func sample(
    faces: Int = 200, error: Double = 0.1, swing: Double = 0.4,
    labels: ([Float]) -> [Float] = { $0 }, predictions: ([Float]) -> [Float] = { $0 }
  ) -> JoinedSample {
    let box = BoundingBox(x: 10, y: 10, width: 50, height: 50)
    let size = ImageSize(width: 100, height: 100)
    let frames = (0..<faces).map { index -> JoinedFrame in
      let values = Self.labels(index, swing: swing)
      var label = FaceLabel(box: box)
      label.blendshapes = labels(values)
      var prediction = FramePrediction(
        frame: index, size: size, stageNanoseconds: [nil], detections: [], candidates: [])
      prediction.faces = [
        FacePrediction(
          region: nil, isTracked: false, detectionScore: 1, presence: nil, scheme: nil, points: [],
          ownBox: box, blendshapes: predictions(noisy(values, index, by: error)))
      ]
      let frame = Frame(
        index: index, name: "\(index)", sequence: 0, timestampMicroseconds: 0, size: size)
      return JoinedFrame(frame: frame, isVideo: true, labels: [label], prediction: prediction)
    }
    return JoinedSample(
      frames: frames, isWhole: true, format: "livelink", scheme: nil, hasScores: false)
  }

  private static func late(_ values: [Float], by count: Int) -> [Float] {
    values.indices.map { values.indices.contains($0 - count) ? values[$0 - count] : .nan }
  }

  private static let exchanged: [Int] = Blendshape.allCases.map { shape in
    let name = shape.rawValue
    let other =
      name.hasSuffix("Left")
      ? name.dropLast(4) + "Right" : name.hasSuffix("Right") ? name.dropLast(5) + "Left" : name[...]
    return Blendshape(rawValue: String(other))?.index ?? shape.index
  }

  @Test(arguments: [0, 0.1, 0.4, 2]) func `trackers with errors are silent`(error: Double) {
    #expect(CoefficientsCheck.findings(in: Self.sample(error: error)).isEmpty)
  }

  @Test func `a tracker that gives the same face always is a note with its coefficients`() {
    let findings = CoefficientsCheck.findings(
      in: Self.sample(predictions: { $0.map { _ in 0.25 } }))
    #expect(findings.map(\.name) == ["coefficients.dead"])
    #expect(findings.first?.severity == .note)
    #expect(findings.first?.before == 51)
    #expect(findings.first?.remedy == nil)
  }

  @Test(arguments: [-2, -1, 1, 2]) func `a list that begins late or early is found`(count: Int) {
    let findings = CoefficientsCheck.findings(
      in: Self.sample(predictions: { Self.late($0, by: count) }))
    #expect(findings.map(\.name) == ["coefficients.slots"])
    #expect(
      findings.first?.remedy == "Import the predictions again with --repair slots=\(count).")
  }

  @Test func `1 at rest is inverted and not exchanged, and 0 to 255 are bytes and not percent`() {
    let inverted = CoefficientsCheck.findings(in: Self.sample(predictions: { $0.map { 1 - $0 } }))
    #expect(inverted.map(\.name) == ["coefficients.inverted"])
    let bytes = CoefficientsCheck.findings(in: Self.sample(predictions: { $0.map { 255 * $0 } }))
    #expect(bytes.map(\.name) == ["coefficients.bytes"])
    let percent = CoefficientsCheck.findings(in: Self.sample(predictions: { $0.map { 100 * $0 } }))
    #expect(percent.map(\.name) == ["coefficients.percent"])
  }

  @Test func `exchanged sides are found, and in one half of the frames are not`() throws {
    let findings = CoefficientsCheck.findings(
      in: Self.sample(predictions: { values in Self.exchanged.map { values[$0] } }))
    #expect(findings.map(\.name) == ["coefficients.sides"])
    let finding = try #require(findings.first)
    #expect(finding.remedy == "Import the predictions again with --repair exchange-sides.")
    #expect(try #require(finding.before) < -0.5)
    #expect(finding.n == 200)
    var count = 0
    let half = Self.sample(predictions: { values in
      count += 1
      return count > 100 ? Self.exchanged.map { values[$0] } : values
    })
    #expect(CoefficientsCheck.findings(in: half).isEmpty)
  }

  @Test func `bytes of some faces, and thousandths, are none of percent`() throws {
    var count = 0
    let half = Self.sample(predictions: { values in
      count += 1
      return count % 2 == 0 ? values.map { 255 * $0 } : values
    })
    let bytes = CoefficientsCheck.findings(in: half)
    #expect(bytes.map(\.name) == ["coefficients.bytes"])
    let remedy = try #require(bytes.first?.remedy)
    #expect(remedy.contains("that reach beyond 1.5 by 255"), "\(remedy)")
    let thousandths = CoefficientsCheck.findings(
      in: Self.sample(error: 0, predictions: { $0.map { 1000 * $0 } }))
    #expect(
      thousandths.map(\.remedy) == [
        "Divide the coefficients by 1000, and import the predictions again."
      ])
  }

  @Test func `coefficients times 10 are tenths, and percent of faces at rest are percent`() {
    let times10: ([Float]) -> [Float] = { $0.map { 10 * $0 } }
    let predicted = CoefficientsCheck.findings(in: Self.sample(predictions: times10))
    #expect(predicted.map(\.name) == ["coefficients.percent"])
    #expect(
      predicted.map(\.remedy) == [
        "Divide the coefficients by 10, and import the predictions again."
      ])
    let labelled = CoefficientsCheck.findings(in: Self.sample(labels: times10))
    #expect(
      labelled.map(\.remedy) == ["Divide the coefficients by 10, and import the labels again."])
    let resting = CoefficientsCheck.findings(
      in: Self.sample(labels: { $0.map { $0 / 8 } }, predictions: { $0.map { 100 * $0 / 8 } }))
    #expect(resting.map(\.remedy) == ["Import the predictions again with --repair percent."])
  }

  @Test func `sides that are exchanged in one of two videos are not mended in all`() throws {
    let right = Self.sample().frames
    let wrong = Self.sample(predictions: { values in Self.exchanged.map { values[$0] } }).frames
    let second = wrong.enumerated().map { index, joined in
      JoinedFrame(
        frame: Frame(
          index: 200 + index, name: "\(200 + index)", sequence: 1, timestampMicroseconds: 0,
          size: joined.frame.size),
        isVideo: true, labels: joined.labels, prediction: joined.prediction)
    }
    let sample = JoinedSample(
      frames: right + second, isWhole: true, format: "livelink", scheme: nil, hasScores: false)
    let findings = CoefficientsCheck.findings(in: sample)
    #expect(findings.map(\.name) == ["coefficients.sides"])
    let summary = try #require(findings.first?.summary)
    #expect(summary.contains("exchanged in 1 of 2 videos"), "\(summary)")
    let remedy = try #require(findings.first?.remedy)
    #expect(remedy.contains("on all would turn the others wrong"), "\(remedy)")
  }

  @Test func `sides that seem exchanged in one short video of many are chance`() {
    func videos(_ wrong: Set<Int>) -> [Finding] {
      let frames = (0..<9).flatMap { video -> [JoinedFrame] in
        let made = Self.sample(
          faces: 40,
          predictions: { values in
            wrong.contains(video) ? Self.exchanged.map { values[$0] } : values
          })
        return made.frames.map { joined in
          var frame = joined.frame
          (frame.index, frame.sequence) = (40 * video + joined.frame.index, video)
          return JoinedFrame(
            frame: frame, isVideo: true, labels: joined.labels, prediction: joined.prediction)
        }
      }
      return CoefficientsCheck.findings(
        in: JoinedSample(
          frames: frames, isWhole: true, format: "livelink", scheme: nil, hasScores: false))
    }
    #expect(videos([8]).isEmpty)
    #expect(videos([2, 5, 8]).map(\.name) == ["coefficients.sides"])
  }

  @Test func `exchanged sides of the eyes alone are found`() throws {
    func findings(_ word: String) -> [Finding] {
      let order = Blendshape.allCases.map { shape in
        shape.rawValue.hasPrefix(word) ? Blendshape.otherSides[shape.index] : shape.index
      }
      return CoefficientsCheck.findings(
        in: Self.sample(predictions: { values in order.map { values[$0] } }))
    }
    let eyes = try #require(findings("eye").first)
    #expect(eyes.name == "coefficients.sides" && eyes.severity == .suspect)
    #expect(eyes.remedy?.contains("whose names begin with 'eye'") == true)
    #expect(findings("none").isEmpty)
  }

  /// An order in which the coefficients of each pair have each other's place.
  private static func exchanging(_ pairs: [(Blendshape, Blendshape)]) -> [Int] {
    var order = Array(Blendshape.allCases.indices)
    for (one, other) in pairs { order.swapAt(one.index, other.index) }
    return order
  }

  @Test func `opposite directions that are exchanged are named and sides are not`() throws {
    let gaze = Self.exchanging([
      (.eyeLookInLeft, .eyeLookOutLeft), (.eyeLookInRight, .eyeLookOutRight),
    ])
    let looks = CoefficientsCheck.findings(
      in: Self.sample(predictions: { values in gaze.map { values[$0] } }))
    #expect(looks.map(\.name) == ["coefficients.order"])
    let summary = try #require(looks.first?.summary)
    #expect(summary.contains("eyeLookInLeft and eyeLookOutLeft, eyeLookInRight"), "\(summary)")
    #expect(try #require(looks.first?.after) > 0.8)
    let mouth = Self.exchanging([(.mouthLeft, .mouthRight)])
    let lips = CoefficientsCheck.findings(
      in: Self.sample(predictions: { values in mouth.map { values[$0] } }))
    #expect(lips.first?.summary.hasSuffix("are exchanged: mouthLeft and mouthRight.") == true)
  }

  @Test func `a blink that is an eye's openness is inverted alone, or percent alone`() throws {
    let lids = [Blendshape.eyeBlinkLeft.index, Blendshape.eyeBlinkRight.index]
    func findings(_ change: @escaping (Float) -> Float) -> [Finding] {
      CoefficientsCheck.findings(
        in: Self.sample(
          swing: 0.5,
          predictions: { values in
            values.enumerated().map { lids.contains($0) ? change($1) : $1 }
          }))
    }
    let open = try #require(findings { 1 - $0 }.first)
    #expect(open.name == "coefficients.inverted")
    #expect(open.summary.hasPrefix("eyeBlinkLeft, eyeBlinkRight of the predictions fall where"))
    let percent = try #require(findings { 100 * $0 }.first)
    #expect(percent.name == "coefficients.percent")
    #expect(percent.remedy == "Divide these by 100, and import the predictions again.")
    #expect(try #require(percent.after) < 0.2)
    #expect(findings { $0 }.isEmpty)
  }

  @Test func `exchanged sides are found where faces move to one side in a part of the frames`() {
    func alike(_ values: [Float]) -> [Float] {
      Blendshape.allCases.map { shape in
        let isSide = shape.rawValue.hasSuffix("Right")
        let isDirection = shape == .jawRight || shape == .mouthRight
        return values[isSide && !isDirection ? Blendshape.otherSides[shape.index] : shape.index]
      }
    }
    var (labelled, predicted) = (0, 0)
    let sample = Self.sample(
      labels: { values in
        labelled += 1
        return labelled > 100 ? alike(values) : values
      },
      predictions: { values in
        predicted += 1
        let own = predicted > 100 ? alike(values) : values
        return Self.exchanged.map { own[$0] }
      })
    let remedies = CoefficientsCheck.findings(in: sample).map(\.remedy)
    #expect(remedies == ["Import the predictions again with --repair exchange-sides."])
  }

  @Test func `percent is found on either side`() {
    let percent: ([Float]) -> [Float] = { $0.map { $0 * 100 } }
    let predicted = CoefficientsCheck.findings(in: Self.sample(predictions: percent))
    #expect(predicted.map(\.name) == ["coefficients.percent"])
    #expect(predicted.first?.remedy == "Import the predictions again with --repair percent.")
    let labelled = CoefficientsCheck.findings(in: Self.sample(labels: percent))
    #expect(labelled.map(\.name) == ["coefficients.percent"])
    #expect(labelled.first?.remedy == "Import the labels again with --repair percent.")
    #expect(
      CoefficientsCheck.findings(in: Self.sample(labels: percent, predictions: percent)).isEmpty)
    #expect(
      CoefficientsCheck.findings(in: Self.sample(predictions: { $0.map { $0 * 2 } })).isEmpty)
  }

  @Test func `percent in a part of the faces is found with a remedy that spares the others`() throws
  {
    func sample(from first: Int, ofLabels: Bool = false) -> JoinedSample {
      var count = 0
      let change: ([Float]) -> [Float] = { values in
        count += 1
        return count > first ? values.map { 100 * $0 } : values
      }
      return ofLabels ? Self.sample(labels: change) : Self.sample(predictions: change)
    }
    let half = try #require(CoefficientsCheck.findings(in: sample(from: 100)).first)
    #expect(half.name == "coefficients.percent" && half.summary.contains("100 of 200 faces"))
    #expect(half.remedy?.contains("again with --repair mixed-percent, which") == true)
    #expect(try #require(half.after) < 0.15 && half.frames.first?.name == "100")
    let labels = try #require(
      CoefficientsCheck.findings(in: sample(from: 100, ofLabels: true)).first)
    #expect(labels.remedy?.hasPrefix("Import the labels again with --repair mixed-percent") == true)
    // Percent of a face at rest are no fractions, and faces that overshoot are no percent.
    var (labelled, predicted) = (0, 0)
    let resting = Self.sample(
      labels: { values in
        labelled += 1
        return labelled > 20 ? values : values.map { $0 / 100 }
      },
      predictions: { values in
        predicted += 1
        return predicted > 20 ? values.map { 100 * $0 } : values
      })
    #expect(
      CoefficientsCheck.findings(in: resting).map(\.remedy)
        == ["Import the predictions again with --repair percent."])
    var overshoot = 0
    let spikes = Self.sample(predictions: { values in
      overshoot += 1
      return overshoot % 20 == 0 ? values.map { 2 * $0 } : values
    })
    #expect(CoefficientsCheck.findings(in: spikes).isEmpty)
  }

  @Test(arguments: [1e6, 1e30] as [Float]) func `numbers beyond any percent are none`(factor: Float)
  {
    let found = CoefficientsCheck.findings(
      in: Self.sample(predictions: { $0.map { $0 * factor } }))
    #expect(found.isEmpty)
  }

  @Test func `another order is found, and says whose coefficient a name has`() {
    let findings = CoefficientsCheck.findings(
      in: Self.sample(predictions: { values in values.indices.map { values[($0 * 19 + 5) % 52] } }))
    #expect(findings.map(\.name) == ["coefficients.order"])
    // 19 · 20 + 5 leaves 21 over a multiple of 52, and 19 · 8 + 5 leaves 1.
    #expect(
      findings.first?.summary.hasSuffix(
        "browDownLeft moves as the one named \(Blendshape.names[8]).") == true)
  }

  @Test func `few frames and still faces are silent`() {
    let exchange: ([Float]) -> [Float] = { values in Self.exchanged.map { values[$0] } }
    #expect(
      CoefficientsCheck.findings(in: Self.sample(faces: 29, predictions: exchange)).isEmpty)
    #expect(
      CoefficientsCheck.findings(in: Self.sample(error: 0.01, swing: 0.01, predictions: exchange))
        .isEmpty)
  }

  @Test func `coefficients that neither side moves are no dead ones`() {
    let still: ([Float]) -> [Float] = { values in
      values.enumerated().map { $0 == Blendshape.jawOpen.index ? 0 : $1 }
    }
    #expect(CoefficientsCheck.findings(in: Self.sample(labels: still, predictions: still)).isEmpty)
    let findings = CoefficientsCheck.findings(in: Self.sample(predictions: still))
    #expect(findings.map(\.name) == ["coefficients.dead"])
    #expect(findings.first?.summary.hasSuffix("although the labels do: jawOpen.") == true)
  }
}
