import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct LabelledFace {
  var frame: Int
  var video: String?
  var label: FaceLabel
  var face: FacePrediction?
}

private let schemes: [LandmarkScheme] = [.ibug68, .wflw98, .cofw29, .five]
private let anchors = [33, 263, 4, 61, 291, 0, 152]

private func mean(_ indices: [Int], of points: [Point]) -> Point {
  let count = Double(indices.count)
  return Point(
    x: indices.reduce(0) { $0 + points[$1].x } / count,
    y: indices.reduce(0) { $0 + points[$1].y } / count)
}

/// The faces of a case; the same numbers as in Tests/Oracles/landmark_regression.py.
private func faces(_ number: Int) throws -> [LabelledFace] {
  var stream = SplitMix64(seed: UInt64(7000 + number))
  func point(_ reach: Int) -> Point {
    let x = stream.between(-reach, reach)
    return Point(x: x, y: stream.between(-reach, reach))
  }
  let scheme = schemes[stream.below(4)]
  let table = try #require(LandmarkCorrespondence.between(.mediapipe478, scheme))
  let used = Set(table.indices.joined()).union(anchors).sorted()
  var base = [Point](repeating: Point(x: 0, y: 0), count: 478)
  for index in used { base[index] = point(100) }
  let bias = table.indices.map { _ in point(8) }
  let frames = [3, 19, 21, 26, 30, 38, 44][stream.below(7)]
  let grouping = stream.below(6)
  let groups = [1, 4, 6, 12, frames, frames][grouping]
  let misses = stream.below(2) == 1
  var faces: [LabelledFace] = []
  for frame in 0..<frames {
    for index in 0..<(stream.below(4) == 0 ? 2 : 1) {
      let kind = stream.below(24)
      let turn = point(2)
      let position = Point(x: Double(1000 + 9000 * index), y: stream.between(-50, 50))
      func put(_ point: Point) -> Point {
        Point(
          x: point.x * turn.x - point.y * turn.y + position.x,
          y: point.x * turn.y + point.y * turn.x + position.y)
      }
      var moved = base
      for index in used {
        let step = point(6)
        moved[index] = Point(x: base[index].x + step.x, y: base[index].y + step.y)
      }
      if kind == 5 { for index in anchors { moved[index] = moved[anchors[0]] } }
      let (first, start) = (moved[anchors[0]], base[anchors[0]])
      let lean = Point(x: (first.x - start.x) / 2, y: (first.y - start.y) / 2)
      let labelled = zip(table.indices, bias).map { sources, bias in
        let own = mean(sources, of: moved)
        let noise = point(2)
        return put(
          Point(x: own.x + bias.x + lean.x + noise.x, y: own.y + bias.y + lean.y + noise.y))
      }
      var mesh = [Point](repeating: put(moved[used[0]]), count: 478)
      for index in used { mesh[index] = put(moved[index]) }
      let count = labelled.count
      var visibility = [PointVisibility](repeating: .visible, count: count)
      switch kind {
      case 1:
        visibility[[36, 60, 8, 0][try #require(schemes.firstIndex(of: scheme))]] = .notLabelled
      case 2:
        for index in 0..<count {
          visibility[index] = try #require(PointVisibility(rawValue: UInt8(stream.below(3))))
        }
      case 3:
        for index in 0..<count {
          visibility[index] = stream.below(3) == 0 ? .visible : .notLabelled
        }
      default: break
      }
      let rounded = mesh.map { Point(x: Double(Float($0.x)), y: Double(Float($0.y))) }
      let box = try #require(BoundingBox(around: scheme == .five ? rounded : labelled))
      if misses, kind == 4 { mesh[used[3]].x = .nan }
      let landmarks = try #require(
        Landmarks(scheme: scheme, points: labelled, visibility: visibility))
      faces.append(
        LabelledFace(
          frame: frame, video: grouping > 3 ? nil : "clip\(frame % groups)",
          label: FaceLabel(box: box, landmarks: [landmarks]),
          face: misses && (kind == 0 || kind == 6)
            ? nil : FacePrediction(scheme: .mediapipe478, points: mesh)))
    }
  }
  return faces
}

extension LandmarkRegression {
  fileprivate mutating func add(frame index: Int, _ people: [LabelledFace]) throws {
    try add(
      ScoredFrame(
        Frame(
          index: index, name: "picture\(index).jpg", sequence: 0, timestampMicroseconds: 0,
          size: ImageSize(width: 1, height: 1)), group: people.first.flatMap(\.video),
        labels: people.map(\.label),
        prediction: FramePrediction(index, faces: people.compactMap(\.face))))
  }

  fileprivate init(_ faces: [LabelledFace]) throws {
    self.init(scheme: .mediapipe478)
    for (frame, people) in Dictionary(grouping: faces, by: \.frame) {
      try add(frame: frame, people)
    }
  }

  fileprivate func value(_ name: String) -> Measurement? { summarize().first { $0.name == name } }
}

@Suite("Landmarks after regression")
struct LandmarkRegressionTests {
  /// Both solve well-conditioned systems (the ridge's unit matrix keeps the condition under the number of faces).
  @Test(.tags(.oracle))
  func `all metrics of 120 random cases equal NumPy's least squares`() throws {
    let oracle = try Oracles.read("landmark_regression", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    #expect(oracle.cases.count { $0[7] != nil } > 60)
    for number in oracle.cases.indices {
      oracle.expect(try LandmarkRegression(faces(number)).summarize(), case: number)
    }
  }

  @Test func `any split merges to the same bits, the table and the notes included`() throws {
    var generator = SplitMix64(seed: 8)
    for number in 0..<30 {
      let faces = try faces(number)
      let whole = try LandmarkRegression(faces)
      var parts = [LandmarkRegression](
        repeating: LandmarkRegression(scheme: .mediapipe478), count: 3)
      let frames = Dictionary(grouping: faces, by: \.frame)
      for frame in frames.keys.shuffled(using: &generator) {
        let part = Int.random(in: 0..<3, using: &generator)
        try parts[part].add(frame: frame, frames[frame] ?? [])
      }
      var merged = LandmarkRegression(scheme: .mediapipe478)
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
      #expect(
        merged.comparison() == whole.comparison()
          && merged.notes(SeriesContext()) == whole.notes(SeriesContext()))
    }
  }

  /// Labels that lie where an affine map of the face's frame puts them, so that a fit can follow them.
  private func affine(_ count: Int, turned: Double = 0, scaled: Double = 1) throws -> [LabelledFace]
  {
    var stream = SplitMix64(seed: 3)
    var base = (0..<478).map { _ in
      let x = stream.between(-100, 100)
      return Point(x: x, y: stream.between(-100, 100))
    }
    base[263] = Point(x: base[33].x + 150, y: base[33].y)
    let table = LandmarkCorrespondence.mediapipe478ToIBUG68
    return try (0..<count).map { frame in
      let steps = anchors.map { _ in
        let x = stream.between(-20, 20)
        return Point(x: x, y: stream.between(-20, 20))
      }
      func put(_ point: Point) -> Point {
        Point(
          x: scaled * (point.x + turned * point.y) + 1000, y: scaled * (point.y - turned * point.x))
      }
      var moved = base
      for (index, step) in zip(anchors, steps) {
        moved[index] = Point(x: base[index].x + step.x, y: base[index].y + step.y)
      }
      let labelled = table.indices.map { sources in
        let own = mean(sources, of: moved)
        return put(Point(x: own.x + 7 + 0.3 * steps[2].x, y: own.y - 4 + 0.2 * steps[6].y))
      }
      let landmarks = try #require(Landmarks(scheme: .ibug68, points: labelled))
      return LabelledFace(
        frame: frame,
        label: FaceLabel(
          box: try #require(BoundingBox(around: labelled)), landmarks: [landmarks]),
        face: FacePrediction(scheme: .mediapipe478, points: moved.map(put)))
    }
  }

  @Test func `what a linear map of the anchors explains goes, and more faces leave less`() throws {
    var last = Double.infinity
    for count in [20, 100, 400] {
      let regression = try LandmarkRegression(affine(count))
      let left = try #require(regression.value("landmarks.nme.interocular.regressed")?.value)
      let floor = try #require(regression.value("landmarks.bias_floor.interocular")?.value)
      #expect(left < last && floor > 0.02)
      last = left
    }
    #expect(last < 0.02)
  }

  @Test func `turned and scaled images have the same metrics, to the precision of floats`() throws {
    let upright = try LandmarkRegression(affine(60)).summarize()
    let turned = try LandmarkRegression(affine(60, turned: 0.75, scaled: 3)).summarize()
    for (first, second) in zip(upright, turned) where first.name.contains("inter") {
      let (a, b) = (try #require(first.value), try #require(second.value))
      #expect(abs(a - b) < 1e-5 * a, "\(first.name): \(a), \(b)")
    }
  }

  @Test func `too few faces or images leave it undefined with the number needed`() throws {
    let few = try LandmarkRegression(affine(19)).value("landmarks.bias_floor.interocular")
    #expect(few?.value == nil && few?.needs == 20 && few?.n == 19)
    #expect(
      few?.reason
        == "19 found faces of 19 images or sequences are labelled in ibug68; a fit needs 20 of 5")
    let clips = try affine(40).map { face in
      var face = face
      face.video = "clip\(face.frame % 4)"
      return face
    }
    let four = try LandmarkRegression(clips)
    #expect(four.value("landmarks.nme.interocular.regressed")?.needs == nil)
    #expect(
      four.notes(SeriesContext()) == [
        "Landmarks are compared with labels in ibug68 by a table of points, whose part in the error "
          + "is not known: 40 found faces of 4 images or sequences are labelled in ibug68; a fit "
          + "needs 20 of 5."
      ])
  }

  @Test func `frames that are drawn keep the errors that the fit to all gave them`() throws {
    let faces = try affine(60)
    var whole = try LandmarkRegression(faces)
    let metrics = whole.summarize()
    whole.fit()
    #expect(whole.summarize() == metrics)
    let name = "landmarks.nme.box.regressed"
    var halves: [Double] = []
    for half in 0..<2 {
      var part = whole
      part.draw(FrameDraw(FrameRuns((0..<60).filter { $0 % 2 == half })))
      let metric = try #require(part.value(name))
      #expect(metric.n == 30)
      halves.append(try #require(metric.value))
    }
    let all = try #require(whole.value(name)?.value)
    #expect(abs((halves[0] + halves[1]) / 2 - all) < 1e-15 && halves[0] != halves[1])
    var few = whole
    few.draw(FrameDraw(0..<3))
    #expect(few.value(name)?.value != nil && few.value(name)?.n == 3)
  }

  @Test func `labels in the tracker's own scheme need no table`() throws {
    var regression = LandmarkRegression(scheme: .ibug68)
    let face = try affine(1)[0]
    let points = face.label.landmarks[0].points
    let prediction = FacePrediction(scheme: .ibug68, points: points)
    try regression.add(
      ScoredFrame(
        Frame(0, at: 0), labels: [face.label], prediction: FramePrediction(0, faces: [prediction])))
    #expect(
      !regression.isPresent && regression.comparison() == nil
        && regression.notes(SeriesContext()).isEmpty)
    #expect(throws: MetricError.self) {
      try regression.merge(LandmarkRegression(scheme: .mediapipe478))
    }
  }
}
