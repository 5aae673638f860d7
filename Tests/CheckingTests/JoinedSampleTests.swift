import Checking
import FaceCore
import Records
import Testing

struct JoinedSampleTests {
  private func joined(
    _ index: Int, sequence: Int = 0, isVideo: Bool = true, labels: [BoundingBox] = [],
    faces: [BoundingBox] = []
  ) -> JoinedFrame {
    var prediction = FramePrediction(
      frame: index, size: ImageSize(width: 100, height: 100), stageNanoseconds: [nil],
      detections: [], candidates: [])
    prediction.faces = faces.map {
      FacePrediction(
        region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: nil, points: [],
        ownBox: $0)
    }
    return JoinedFrame(
      frame: Frame(
        index: index, name: "\(index)", sequence: sequence, timestampMicroseconds: 0,
        size: ImageSize(width: 100, height: 100)),
      isVideo: isVideo, labels: labels.map { FaceLabel(box: $0) }, prediction: prediction)
  }

  private func sample(_ frames: [JoinedFrame]) -> JoinedSample {
    JoinedSample(frames: frames, isWhole: true, format: nil, scheme: nil, hasScores: true)
  }

  @Test func `successive frames of one video are a run, and stills are in none`() {
    let sample = sample([
      joined(0), joined(1), joined(3), joined(4, sequence: 1), joined(5, isVideo: false),
      joined(6, sequence: 2),
    ])
    #expect(sample.runs == [0..<2, 2..<3, 3..<4, 5..<6])
  }

  @Test func `a frame of several faces is named once`() {
    let sample = sample((0..<9).map { joined($0) })
    #expect(sample.named([2, 2, 0, 2, 1, 1]).map(\.index) == [2, 0, 1])
    #expect(sample.named(0..<9).map(\.index) == [0, 1, 2, 3, 4])
  }

  @Test func `the only two faces of a frame are a pair wherever they are`() {
    let far = BoundingBox(x: 80, y: 80, width: 9, height: 9)
    let near = BoundingBox(x: 0, y: 0, width: 9, height: 9)
    #expect(
      sample([joined(0, labels: [near], faces: [far])]).pairs
        == [JoinedSample.Pair(frame: 0, label: 0, face: 0)])
  }

  @Test func `of several faces those that overlap most are pairs, each once`() {
    let first = BoundingBox(x: 0, y: 0, width: 10, height: 10)
    let shifted = BoundingBox(x: 2, y: 0, width: 10, height: 10)
    let other = BoundingBox(x: 50, y: 50, width: 10, height: 10)
    let pairs = sample([joined(0, labels: [other, first], faces: [shifted, first, other])]).pairs
    #expect(
      pairs == [
        JoinedSample.Pair(frame: 0, label: 0, face: 2),
        JoinedSample.Pair(frame: 0, label: 1, face: 1),
      ])
  }
}
