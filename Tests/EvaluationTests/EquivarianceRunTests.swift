import Datasets
import FaceCore
import Foundation
import Imaging
import Metrics
import Platform
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing

/// Made-up trackers on originals and their transformed images, from files to JSON.
@Suite struct EquivarianceRunTests {
  private let folder: TemporaryFolder
  private static let size = ImageSize(width: 200, height: 160)
  private static let people = 12
  private static let transformations: [ImageTransformation] = [.mirror, .shift, .repeat]

  init() throws { folder = try TemporaryFolder() }

  /// A face of 68 points about a spot that a person has, and a coefficient on each side.
  private static func face(_ person: Int) -> FaceLabel {
    var stream = SplitMix64(seed: 40, draw: person)
    let points = (0..<68).map { _ in
      Point(x: Double(60 + stream.below(80)), y: Double(40 + stream.below(80)))
    }
    var face = FaceLabel(box: BoundingBox(x: 50, y: 30, width: 100, height: 100))
    face.landmarks = [Landmarks(scheme: .ibug68, points: points)].compactMap { $0 }
    var shapes = [Float](repeating: 0, count: Blendshape.allCases.count)
    shapes[Blendshape.eyeLookInLeft.index] = Float(stream.below(32)) / 64
    shapes[Blendshape.eyeLookInRight.index] = Float(stream.below(32)) / 64
    shapes[Blendshape.jawOpen.index] = Float(stream.below(32)) / 64
    face.blendshapes = shapes
    return face
  }

  /// What a tracker that follows every transformation finds.
  private static func followed(_ face: FaceLabel, _ change: ImageTransformation?) -> FaceLabel {
    var moved = face
    let width = Double(size.width)
    switch change {
    case .mirror:
      let others = LandmarkScheme.ibug68.otherSides ?? []
      let points = face.landmarks[0].points.map { Point(x: width - $0.x, y: $0.y) }
      moved.landmarks[0].points = others.map { points[$0] }
      moved.box.x = width - face.box.x - face.box.width
      moved.blendshapes = face.blendshapes.map { shapes in
        Blendshape.otherSides.map { shapes[$0] }
      }
    case .shift:
      moved.landmarks[0].points = face.landmarks[0].points.map {
        Point(x: $0.x + 0.5, y: $0.y + 0.5)
      }
    default: break
    }
    return moved
  }

  /// A run of a tracker on a suite; `error` changes what a tracker that follows finds.
  /// The original of the person `withoutOriginal` is left out; images of `broken` could not be read.
  private func run(
    withoutOriginal: Int? = nil, broken: Set<Int> = [],
    _ error: (inout [FaceLabel], _ person: Int, ImageTransformation?) -> Void = { _, _, _ in }
  ) throws -> URL {
    let writer = try DatasetWriter(
      folder.file("s.h5"), name: "suite", isLabelled: false, replacing: true)
    var predicted: [[FaceLabel]] = []
    for person in 0..<Self.people {
      writer.beginSequence(
        SequenceDescription(name: "\(person)", kind: .still, subject: "\(person)"),
        gathersStills: true)
      for change in [nil] + Self.transformations where change != nil || person != withoutOriginal {
        var context = FrameContext()
        for one in Self.transformations {
          context.attributes[one.attribute] = one == change ? 1 : 0
        }
        try writer.add(
          name: "\(person)/\(change?.rawValue ?? "original")", image: [], size: Self.size,
          faces: [], context: context)
        var faces = [Self.followed(Self.face(person), change)]
        error(&faces, person, change)
        predicted.append(faces)
      }
    }
    try writer.finish()
    try GivenFaces.write(predicted, on: folder.file("s.h5"), to: folder.file("p.h5"))
    let given = try PredictionsReader(folder.file("p.h5"))
    let target = try PredictionsWriter(folder.file("q.h5"), header: given.header)
    for one in try given.predictions(0..<given.frameCount) {
      try target.add(
        broken.contains(one.frame)
          ? FramePrediction(frame: one.frame, notAnalysed: .broken) : one)
    }
    try target.finish()
    var evaluation = EvaluationPlan(dataset: folder.file("s.h5"), run: folder.file("run"))
    evaluation.predictions = folder.file("q.h5")
    evaluation.bootstrap.resamples = 0
    _ = try evaluation.finish()
    return folder.file("run")
  }

  @Test func `a tracker that follows every transformation has no difference`() throws {
    let run = try run { _, _, _ in }
    let result = try EquivarianceRun.run(MeasurementPlan(source: run)).result
    #expect(result.transformations.map(\.name) == ["mirror", "shift", "repeat"])
    for one in result.transformations {
      #expect(one.images == 12 && one.faces == 12 && one.lost == 0 && one.gained == 0)
      #expect(try #require(one.distance.value) < 1e-6, "\(one.name)")
      #expect(one.points.count == 68 && one.channels.count == 51)
      #expect(one.channels.allSatisfy { $0.difference.value == 0 && $0.magnitude.value == 0 })
    }
    #expect(try Equivariance(json: result.json(), source: "equivariance.json") == result)
  }

  /// It adds to the coefficient of one side, whoever looks into the camera, and to all points to the right.
  @Test func `what a tracker does to one side alone is twice as large in a mirror image`() throws {
    let run = try run { faces, person, change in
      if person == 3, change == .shift { faces = [] }
      for index in faces.indices {
        faces[index].blendshapes?[Blendshape.eyeLookInRight.index] += 0.125
        faces[index].landmarks[0].points = faces[index].landmarks[0].points.map {
          Point(x: $0.x + 2, y: $0.y)
        }
      }
    }
    let result = try EquivarianceRun.run(MeasurementPlan(source: run)).result
    let mirror = result.transformations[0]
    func difference(_ shape: Blendshape) -> Double? {
      mirror.channels.first { $0.coefficient == shape.rawValue }?.difference.value
    }
    #expect(difference(.eyeLookInRight) == -0.125 && difference(.eyeLookInLeft) == 0.125)
    #expect(difference(.jawOpen) == 0)
    // 2 pixels to the right in the mirror image are 2 to the left in the original, which has moved by 2 to the right.
    let share = mirror.points.map { ($0.dx * $0.dx + $0.dy * $0.dy).squareRoot() / $0.distance }
    #expect(share.allSatisfy { $0 > 0 && $0 <= 1 + 1e-9 })
    #expect(try #require(mirror.distance.value) > 0.01)
    let (shift, again) = (result.transformations[1], result.transformations[2])
    #expect(shift.faces == 11 && shift.lost == 1 && again.lost == 0)
    #expect(try abs(#require(shift.lostShare.value) - 1.0 / 12) < 1e-9)
    #expect(try #require(shift.distance.value) < 1e-6 && #require(again.distance.value) < 1e-6)
    #expect(again.channels.allSatisfy { $0.difference.value == 0 })
  }

  /// Nobody knows which points of such a scheme are each other's other side, but the face is found.
  @Test func `a face whose points have no known sides is not lost in its mirror image`() throws {
    let source = try run { faces, _, _ in
      for index in faces.indices {
        let points = faces[index].landmarks[0].points
        let set = Landmarks(scheme: .helen194, points: (0..<194).map { points[$0 % 68] })
        faces[index].landmarks = [set].compactMap { $0 }
      }
    }
    let result = try EquivarianceRun.run(MeasurementPlan(source: source)).result
    let mirror = result.transformations[0]
    #expect(mirror.faces == 12 && mirror.lost == 0 && mirror.gained == 0)
    #expect(mirror.points.isEmpty && mirror.channels.count == 51)
    #expect(result.notes.contains { $0.hasPrefix("Points of mirror images are not compared") })
  }

  /// As in a part of a suite: the image before them is the one of somebody else.
  @Test func `transformed images without their original are not compared with another one`() throws
  {
    let run = try run(withoutOriginal: 5)
    let result = try EquivarianceRun.run(MeasurementPlan(source: run)).result
    for one in result.transformations {
      #expect(one.images == 11 && one.faces == 11 && one.lost == 0)
      #expect(try #require(one.distance.value) < 1e-6, "\(one.name)")
    }
    #expect(result.notes.contains { $0.hasPrefix("3 transformed images take no part") })
  }

  @Test func `a broken image loses no face`() throws {
    // The mirror image of the first person, and the original of the second.
    let run = try run(broken: [1, 4])
    let result = try EquivarianceRun.run(MeasurementPlan(source: run)).result
    for one in result.transformations {
      let images = one.name == "mirror" ? 10 : 11
      #expect(one.images == images && one.faces == images && one.lost == 0 && one.gained == 0)
    }
    #expect(result.notes.contains { $0.hasPrefix("4 transformed images take no part") })
  }

  @Test func `a run on another dataset is refused`() throws {
    let writer = try DatasetWriter(folder.file("d.h5"), name: "plain", replacing: true)
    try writer.add(name: "a", image: [], size: Self.size, faces: [Self.face(1)])
    try writer.finish()
    try GivenFaces.write([[Self.face(1)]], on: folder.file("d.h5"), to: folder.file("p.h5"))
    var evaluation = EvaluationPlan(dataset: folder.file("d.h5"), run: folder.file("run"))
    evaluation.predictions = folder.file("p.h5")
    evaluation.bootstrap.resamples = 0
    _ = try evaluation.finish()
    let error = #expect(throws: EvaluationError.self) {
      try EquivarianceRun.run(MeasurementPlan(source: folder.file("run")))
    }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description.contains("expected a run on a dataset of 'facegauge transform'") == true)
  }
}
