import Datasets
import FaceCore
import Foundation
import HDF5
import Platform
import Statistics
import TestSupport
import Testing

@Suite struct PredictionsFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let mixes: [(name: String, mix: PredictionMix)] = [
    ("everything", PredictionMix(smoothsFrom: 0)),
    ("smoothing that sets in late", PredictionMix(smoothsFrom: 40)),
    ("no smoothing", PredictionMix()),
    ("a detector alone", PredictionMix(hasLandmarks: false)),
    ("no detector", PredictionMix(hasDetector: false)),
    ("another scheme", PredictionMix(smoothsFrom: 5, scheme: .ibug68)),
    ("another tracker's faces", PredictionMix(hasDetector: false, scheme: .five, isForeign: true)),
    ("no frame left out", PredictionMix(smoothsFrom: 1, skips: false)),
  ]

  @Test(arguments: mixes, [UInt64(1), 2])
  func `every number comes back as it was`(
    mix: (name: String, mix: PredictionMix), seed: UInt64
  ) throws {
    let frames = mix.mix.frames(90, seed: seed)
    let reader = try write(frames)
    #expect(reader.header == .sample())
    #expect(reader.frameCount == 90)
    #expect(reader.brokenCount == frames.count { $0.status == .broken })
    #expect(reader.droppedCount == frames.count { $0.status == .dropped })
    #expect(reader.detectionCount == frames.reduce(0) { $0 + $1.detections.count })
    #expect(reader.candidateCount == frames.reduce(0) { $0 + $1.candidates.count })
    #expect(reader.faceCount == frames.reduce(0) { $0 + $1.faces.count })
    #expect(reader.rejectedCount == frames.reduce(0) { $0 + $1.rejected.count })
    #expect(reader.scheme == (mix.mix.hasLandmarks ? mix.mix.scheme : nil))
    #expect(try reader.predictions(0..<90) == frames)
    for start in stride(from: 0, to: 90, by: 7) {
      let range = start..<min(start + 7, 90)
      #expect(try reader.predictions(range) == Array(frames[range]))
    }
    #expect(try reader.predictions(30..<30).isEmpty)
  }

  @Test func `unsmoothed points are stored where they differ anywhere, and only there`() throws {
    for (mix, isStored) in [(PredictionMix(), false), (PredictionMix(smoothsFrom: 60), true)] {
      let reader = try write(mix.frames(80, seed: 3))
      let file = try HDF5File.open(reader.url.path)
      #expect(try file.exists("faces/landmarks/mediapipe478/points"))
      #expect(try file.exists("faces/landmarks/mediapipe478/unsmoothed") == isStored)
    }
  }

  @Test func `the box of a face is the tight box of its points`() throws {
    var numbers = SplitMix64(seed: 9)
    var face = PredictionMix(scheme: .ibug68).face(&numbers, frame: 0)
    face.points = (0..<68).map { SIMD3(Float($0) * 3 - 20, 100 - Float($0) / 4, 7) }
    face.unsmoothedPoints = face.points
    let reader = try write([frame(faces: [face])])
    let boxes = try HDF5File.open(reader.url.path).dataset("faces/box")
    #expect(try boxes.readAll(Float.self) == [-20, 83.25, 201, 16.75])
  }

  @Test func `readings of the device come back, and too many are refused`() throws {
    var header = PredictionsHeader.sample()
    header.readings = [PredictionsHeader.answered, "thermal"]
    header.timesUnit = 1000
    let writer = try PredictionsWriter(folder.file("p.h5"), header: header)
    for index in 0..<3 {
      var next = frame(faces: [])
      next.frame = index
      next.readings = index == 1 ? [0.5] : [Double(index), nil]
      try writer.add(next)
    }
    try writer.add(FramePrediction(frame: 3, notAnalysed: .dropped))
    try writer.finish()
    let reader = try PredictionsReader(folder.file("p.h5"))
    #expect(reader.header == header)
    #expect(
      try reader.predictions(0..<4).map(\.readings) == [[0, nil], [0.5, nil], [2, nil], []])
    #expect(try reader.moments(1..<4).map(\.status) == [.analysed, .analysed, .dropped])
    #expect(try reader.moments(2..<3)[0].stageNanoseconds == [1, nil, 3])

    header.readings = (0..<18).map { "r\($0)" }
    let many = try PredictionsWriter(folder.file("many.h5"), header: header)
    try many.finish()
    let error = #expect(throws: FileError.self) { try PredictionsReader(folder.file("many.h5")) }
    #expect(
      error?.description.contains("expected at most 17 names, each once, found 18") == true,
      "\(String(describing: error))")
  }

  @Test func `detections of an own detector have fewer than six points`() throws {
    let box = BoundingBox(x: 1, y: 2, width: 3, height: 4)
    var next = frame(faces: [])
    next.detections = [5, 2, 0, 6].map { count in
      FaceDetection(
        box: box, score: 0.5,
        keypoints: (0..<count).map { Point(x: Double($0), y: Double($0) / 2) })
    }
    let read = try write([next]).predictions(0..<1)
    #expect(read[0].detections == next.detections)
  }

  @Test func `a file without frames opens`() throws {
    let reader = try write([])
    #expect(reader.frameCount == 0)
    #expect(reader.scheme == nil)
    #expect(try reader.predictions(0..<0).isEmpty)
  }

  static let refusals: [(change: @Sendable (inout FramePrediction) -> Void, message: String)] = [
    ({ $0.frame = 2 }, "expected frame 1, the next one"),
    ({ $0.frame = 0 }, "expected frame 1, the next one"),
    ({ $0.stageNanoseconds = [1] }, "expected times of 3 stages, found 1"),
    ({ $0.faces[0].points.removeLast() }, "expected 68 points of ibug68, found [67, 68]"),
    ({ $0.faces[0].unsmoothedPoints = [] }, "expected 68 points of ibug68, found [68, 0]"),
    (
      { $0.faces[0].scheme = nil },
      "expected 0 points of no scheme, found [68, 68]"
    ),
    (
      { $0.faces[0].ownBox = BoundingBox(x: 0, y: .nan, width: 1, height: 1) },
      "expected a box of finite numbers and a size that is not negative, found [0.0, nan, 1.0, 1.0]"
    ),
    (
      { $0.faces[0].attributes = ["a/b": 1] }, "expected an attribute of a plain name, found 'a/b'"
    ),
    ({ $0.rejected[0].blendshapes = [1] }, "expected 52 blendshapes, found 1"),
    (
      { $0.detections[0].keypoints.append(Point(x: 1, y: 1)) },
      "expected at most 6 keypoints, found 7"
    ),
    (
      {
        $0.rejected[0].scheme = .mediapipe478
        $0.rejected[0].points = Array(repeating: .zero, count: 478)
        $0.rejected[0].unsmoothedPoints = $0.rejected[0].points
      }, "expected points of ibug68 as before, found mediapipe478"
    ),
    (
      { $0.status = .broken },
      "expected only the status of a frame that was not analysed"
    ),
  ]

  @Test(arguments: refusals)
  func `what the tables cannot hold is refused`(
    change: @Sendable (inout FramePrediction) -> Void, message: String
  ) throws {
    var numbers = SplitMix64(seed: 4)
    let mix = PredictionMix(scheme: .ibug68)
    let url = folder.file("p.h5")
    do {
      let writer = try PredictionsWriter(url, header: .sample())
      let face = mix.face(&numbers, frame: 0)
      try writer.add(frame(faces: [face]))
      var second = frame(faces: [face], rejected: [face])
      second.frame = 1
      change(&second)
      let error = #expect(throws: FileError.self) { try writer.add(second) }
      #expect(
        error?.description
          == "cannot write frame \(second.frame) to \(url.relativePath): \(message)")
      #expect(error?.kind == .wrongData)
    }
    #expect(try folder.names.isEmpty)
  }

  @Test func `two schemes in the first frame are refused`() throws {
    var numbers = SplitMix64(seed: 4)
    let writer = try PredictionsWriter(folder.file("p.h5"), header: .sample())
    let faces = [LandmarkScheme.ibug68, .mediapipe478].map {
      PredictionMix(scheme: $0).face(&numbers, frame: 0)
    }
    #expect(throws: FileError.self) { try writer.add(frame(faces: faces)) }
  }

  @Test func `a run without stages is refused`() throws {
    let url = folder.file("p.h5")
    let error = #expect(throws: FileError.self) {
      try PredictionsWriter(url, header: .sample(stages: []))
    }
    #expect(
      error?.description
        == "cannot write \(url.relativePath): expected one stage or more, found none")
  }

  /// 478 points of 3 floats are 5.7 MB in 1000 faces; the rest of a face and frame is under 0.5 kB.
  @Test func `a thousand frames with a face take about six megabytes`() throws {
    var numbers = SplitMix64(seed: 5)
    let template = PredictionMix().face(&numbers, frame: 0)
    let url = folder.file("long.h5")
    let writer = try PredictionsWriter(url, header: .sample())
    func face(_ index: Int) -> FacePrediction {
      var face = template
      face.presence = Float(index)
      face.points[index % 478].x = Float(index)
      face.unsmoothedPoints = face.points
      return face
    }
    let count = 10_000
    for index in 0..<count {
      var next = frame(faces: [face(index)])
      next.frame = index
      try writer.add(next)
    }
    try writer.finish()
    let size = try Data(contentsOf: url, options: .alwaysMapped).count
    #expect(size < 63_000_000 && size > 57_360_000)
    let reader = try PredictionsReader(url)
    for start in stride(from: 0, to: count, by: 16) {
      for prediction in try reader.predictions(start..<(start + 16)) {
        #expect(prediction.faces == [face(prediction.frame)])
      }
    }
  }

  private func frame(
    faces: [FacePrediction], rejected: [FacePrediction] = []
  ) -> FramePrediction {
    FramePrediction(
      frame: 0, size: ImageSize(width: 640, height: 480), stageNanoseconds: [1, nil, 3],
      detections: [
        FaceDetection(
          box: BoundingBox(x: 1, y: 2, width: 3, height: 4), score: 0.5,
          keypoints: Array(repeating: Point(x: 1, y: 1), count: 6))
      ],
      candidates: [], faces: faces, rejected: rejected)
  }

  private func write(_ frames: [FramePrediction]) throws -> PredictionsReader {
    let url = folder.file("\(UUID().uuidString).h5")
    let writer = try PredictionsWriter(url, header: .sample())
    for frame in frames { try writer.add(frame) }
    try writer.finish()
    return try PredictionsReader(url)
  }
}
