import Checking
import FaceCore
import Records
import Testing

struct SameSidesCheckTests {
  private func finding(
    _ count: Int = 40, isVideo: Bool = false,
    _ pair: (Int) -> (FaceLabel, FacePrediction)
  ) -> Finding? {
    let frames = (0..<count).map { index in
      let (label, face) = pair(index)
      return MadeRecording.frame(index, isVideo: isVideo, labels: [label], faces: [face])
    }
    return SameSidesCheck.findings(in: MadeRecording.sample(frames)).first
  }

  private func box(_ index: Int, moved: Double = 0) -> BoundingBox {
    BoundingBox(x: 10.1 + Double(index) + moved, y: 20.3, width: 80.7, height: 90.9)
  }

  @Test func `boxes that are the labels' as single-precision numbers are found`() throws {
    let found = try #require(
      finding { index in
        let stored = [10.1 + Double(index), 20.3, 80.7, 90.9].map { Double(Float($0)) }
        return (
          MadeRecording.label(box(index)),
          MadeRecording.face(
            BoundingBox(x: stored[0], y: stored[1], width: stored[2], height: stored[3]))
        )
      })
    #expect(found.name == "sides.same" && found.severity == .suspect)
    #expect(found.before == 1 && found.n == 40 && found.frames.count == 5)
  }

  @Test func `a share of equal faces is named, and the box of a first frame is none`() throws {
    let half = try #require(
      finding { index in
        (MadeRecording.label(box(index)), MadeRecording.face(box(index, moved: Double(index % 2))))
      })
    #expect(half.before == 0.5 && half.summary.hasPrefix("20 of 40"))
    #expect(
      finding(400) { index in
        (
          MadeRecording.label(box(index)),
          MadeRecording.face(box(index, moved: index % 10 == 0 ? 0 : 1))
        )
      } == nil)
  }

  @Test func `a box that a tracker was given and keeps where nothing moves is none`() {
    let held = finding(60, isVideo: true) { index in
      let moved = max(0, index - 30)
      return (
        MadeRecording.label(box(moved)), MadeRecording.face(box(moved, moved: moved > 0 ? 0.5 : 0))
      )
    }
    #expect(held == nil)
    let same = finding(60, isVideo: true) { index in
      (MadeRecording.label(box(index)), MadeRecording.face(box(index)))
    }
    #expect(same?.before == 1 && same?.n == 59)
  }

  @Test func `what is equal by chance is no finding`() {
    let whole = BoundingBox(x: 0, y: 0, width: 640, height: 480)
    #expect(finding { _ in (MadeRecording.label(whole), MadeRecording.face(whole)) } == nil)
    let none = BoundingBox(x: 0, y: 0, width: 0, height: 0)
    #expect(finding { _ in (MadeRecording.label(none), MadeRecording.face(none)) } == nil)
    func small(_ step: Int) -> Finding? {
      finding(60) { index in
        let box = BoundingBox(x: Double(index), y: 40, width: 12, height: 15)
        var other = box
        other.y += index % step == 0 ? 0 : 1
        return (MadeRecording.label(box), MadeRecording.face(other))
      }
    }
    #expect(small(2) == nil && small(1)?.before == 1)
    let rest = [Float](repeating: 0, count: 52)
    #expect(
      finding { _ in
        (
          MadeRecording.label(none, coefficients: rest),
          MadeRecording.face(none, coefficients: rest)
        )
      } == nil)
    #expect(finding(19) { (MadeRecording.label(box($0)), MadeRecording.face(box($0))) } == nil)
  }

  @Test
  func `a model that was given the labelled boxes and predicts points or coefficients is none`()
    throws
  {
    let points = (0..<68).map { Point(x: Double($0) + 0.25, y: 40.5) }
    func pair(_ index: Int, noise: Float) throws -> (FaceLabel, FacePrediction) {
      var label = MadeRecording.label(box(index))
      label.landmarks = [try #require(Landmarks(scheme: .ibug68, points: points))]
      return (
        label,
        MadeRecording.face(
          box(index), scheme: .ibug68,
          points: points.map { SIMD3(Float($0.x) + noise, Float($0.y), .nan) })
      )
    }
    let noisy = try (0..<40).map { try pair($0, noise: 0.5) }
    #expect(finding { noisy[$0] } == nil)
    let equal = try (0..<40).map { try pair($0, noise: 0) }
    #expect(finding { equal[$0] }?.before == 1)
    #expect(
      finding {
        (
          MadeRecording.label(box($0)),
          MadeRecording.face(box($0), coefficients: MadeRecording.coefficients($0))
        )
      } == nil)
  }

  @Test func `coefficients that are the labels' are found`() {
    func pair(_ index: Int, _ other: Int) -> (FaceLabel, FacePrediction) {
      (
        MadeRecording.label(box(0), coefficients: MadeRecording.coefficients(index)),
        MadeRecording.face(nil, coefficients: MadeRecording.coefficients(other))
      )
    }
    #expect(finding { pair($0, $0) }?.before == 1)
    #expect(finding { pair($0, $0 + 1) } == nil)
  }
}
