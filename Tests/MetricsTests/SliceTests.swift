import FaceCore
import Foundation
import Metrics
import Records
import Testing

private func label(width: Double = 40, height: Double = 40) -> FaceLabel {
  FaceLabel(box: BoundingBox(x: 0, y: 0, width: width, height: height))
}

private func names(_ label: FaceLabel, _ dimension: String) -> [String] {
  Slice.slices(of: label).filter { $0.dimension == dimension }.map(\.value)
}

@Suite("Slices")
struct SliceTests {
  @Test func `the name of a face's class is a slice`() {
    var face = label()
    #expect(names(face, "category").isEmpty)
    face.categoryName = "with_mask"
    #expect(names(face, "category") == ["with_mask"])
  }

  @Test(
    arguments: [(1023.99, "small"), (1024, "medium"), (9216, "medium"), (9216.01, "large")])
  func `sizes are COCO's, both ends of medium belonging to it or above`(area: Double, name: String)
  {
    var label = label()
    label.area = area
    #expect(names(label, "size") == [name])
  }

  @Test(
    arguments: [
      (9.99, "0-10"), (10, "10-50"), (49.99, "10-50"), (50, "50-300"), (300, "50-300"),
      (300.01, "300-"),
    ])
  func `heights are those of WIDER's sets`(height: Double, name: String) {
    #expect(names(label(height: height), "height") == [name])
  }

  @Test func `a face without a position is of no size and height`() {
    let face = label(width: 0, height: 0)
    #expect(names(face, "size").isEmpty && names(face, "height").isEmpty)
  }

  @Test(
    arguments: [
      (0.0, "0-30"), (30, "0-30"), (-30.1, "30-60"), (60, "30-60"), (-75, "60-"), (179, "60-"),
    ])
  func `yaw is cut at 30 and 60 degrees to either side; without a pose there is none`(
    degrees: Double, name: String
  ) {
    let (cosine, sine) = (Float(cos(degrees * .pi / 180)), Float(sin(degrees * .pi / 180)))
    var label = label()
    #expect(names(label, "yaw").isEmpty)
    label.pose = HeadPose(
      matrix: SIMD16(cosine, 0, sine, 0, 0, 1, 0, 0, -sine, 0, cosine, 0, 0, 0, 0, 1))
    #expect(names(label, "yaw") == [name])
  }

  @Test(
    arguments: [(0, "none"), (1, "part"), (33, "part"), (34, "half"), (68, "half")])
  func `occlusion is the share of labelled points that are hidden; half is half`(
    hidden: Int, name: String
  ) throws {
    var label = label()
    #expect(names(label, "occlusion").isEmpty)
    let points = Array(repeating: Point(x: 1, y: 1), count: 68)
    label.landmarks = [
      try #require(
        Landmarks(
          scheme: .ibug68, points: points,
          visibility: (0..<68).map { $0 < hidden ? .occluded : .visible }))
    ]
    #expect(names(label, "occlusion") == [name])
    // As WFLW states it: the parts of one property have no face in common.
    label.attributes["occlusion"] = 1
    #expect(names(label, "occlusion") == ["1"])
  }

  @Test func `attributes are slices by their own names, what is not finite in none`() {
    var label = label()
    label.attributes = ["blur": 2, "pitch": .nan]
    #expect(names(label, "blur") == ["2"] && names(label, "pitch").isEmpty)
    #expect(Slice("blur", "2").name == "blur=2")
  }

  @Test func `frames go by subject, light and their attributes`() {
    func slices(_ light: Double) -> [String] {
      Slice.slices(ofFrame: ["ambientIntensity": light, "rain": 1], subject: "anna").map(\.name)
        .sorted()
    }
    for (light, name) in [
      (249.9, "0-250"), (250, "250-1000"), (999.9, "250-1000"), (1000, "1000-"),
    ] {
      #expect(slices(light) == ["light=\(name)", "rain=1", "subject=anna"])
    }
    #expect(slices(.nan) == ["rain=1", "subject=anna"])
    #expect(Slice.slices(ofFrame: [:], subject: "").isEmpty)
  }

  @Test func `parts of a dimension come in the order of their cuts, numbers by value`() {
    let heights = [400.0, 5, 100, 20].flatMap { Slice.slices(of: label(height: $0)) }
    #expect(
      heights.filter { $0.dimension == "height" }.sorted().map(\.value)
        == ["0-10", "10-50", "50-300", "300-"])
    let numbers = [10.0, 9, -1].flatMap { Slice.slices(ofFrame: ["age": $0], subject: "") }
    #expect(numbers.sorted().map(\.value) == ["-1", "9", "10"])
  }
}

@Suite("Failure to acquire")
struct FaceAcquisitionTests {
  @Test
  func
    `missed faces over labelled faces; ignored ones and frames without labels count neither way`()
    throws
  {
    var acquisition = FaceAcquisition()
    #expect(acquisition.summarize()[0].value == nil && acquisition.summarize()[0].reason != nil)
    let boxes = [0.0, 100, 200].map { BoundingBox(x: $0, y: 0, width: 40, height: 40) }
    var labels = boxes.map { FaceLabel(box: $0) }
    labels[2].isIgnored = true
    func add(_ frame: Int, _ labels: [FaceLabel], _ faces: [BoundingBox]) throws {
      try acquisition.add(
        ScoredFrame(
          Frame(frame, at: 0), labels: labels,
          prediction: FramePrediction(frame, faces: faces.map { FacePrediction(box: $0) })))
    }
    try add(0, labels, [boxes[0]])
    try add(1, labels, [boxes[1], boxes[0], boxes[2]])
    try add(2, [], [boxes[0]])
    try add(3, [labels[2]], [])
    let metric = acquisition.summarize()[0]
    #expect(metric.name == "faces.failure_to_acquire")
    #expect(metric.value == 0.25 && metric.n == 4)
    #expect(acquisition.countedFrames == [0, 1])
    #expect(throws: MetricError.self) { try add(0, labels, []) }
  }

  @Test func `faces of other labels count neither as found nor as false in a part`() throws {
    let boxes = [0.0, 100].map { BoundingBox(x: $0, y: 0, width: 40, height: 40) }
    let matching = try FaceMatching(
      frame: 0, labels: boxes.map { FaceLabel(box: $0) },
      faces: boxes.map { FacePrediction(box: $0) })
    let part = matching.restricted { $0 == 1 }
    #expect(part.matches.map(\.label) == [1] && part.missed.isEmpty)
    #expect(part.ignored == [0] && part.unmatched.isEmpty && part.labelled == 1)
  }
}
