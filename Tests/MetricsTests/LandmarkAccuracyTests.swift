import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct LabelledFace {
  var label: FaceLabel
  var face: FacePrediction?
}

private func face(_ stream: inout SplitMix64, position: Int, isMesh: Bool) throws
  -> LabelledFace
{
  let kind = stream.below(7)
  var points: [Point] = (0..<68).map { _ in
    let x = Double(300 + 600 * position) + stream.between(-100, 100)
    return Point(x: x, y: 300 + stream.between(-100, 100))
  }
  var visibility = [PointVisibility](repeating: .visible, count: 68)
  switch kind {
  case 1: visibility[36] = .notLabelled
  case 2, 3:
    for index in 0..<68 {
      visibility[index] = try #require(
        PointVisibility(rawValue: UInt8(stream.below(kind == 2 ? 3 : 2))))
    }
  case 4:
    for index in Array(0..<36) + Array(48..<68) { visibility[index] = .notLabelled }
  case 5: points = Array(repeating: points[0], count: 68)
  default: break
  }
  let amplitude = 1 + stream.below(10)
  var offsets = (0..<68).map { _ in
    let x = stream.between(-amplitude, amplitude)
    return Point(x: x, y: stream.between(-amplitude, amplitude))
  }
  let isIgnored = stream.below(8) == 0
  let isFound = stream.below(6) > (position > 0 ? 0 : 1) && kind != 5
  if kind == 6, stream.below(4) == 0 { offsets = Array(repeating: Point(x: 0, y: 0), count: 68) }
  let box = try #require(BoundingBox(around: points))
  let landmarks = try #require(
    Landmarks(scheme: .ibug68, points: points, visibility: visibility))
  let label = FaceLabel(box: box, isIgnored: isIgnored, landmarks: [landmarks])
  guard isFound else { return LabelledFace(label: label) }
  let predicted = zip(points, offsets).map { Point(x: $0.x + $1.x, y: $0.y + $1.y) }
  guard isMesh else {
    return LabelledFace(label: label, face: FacePrediction(scheme: .ibug68, points: predicted))
  }
  var mesh = [Point](repeating: predicted[0], count: 478)
  for (sources, point) in zip(LandmarkCorrespondence.mediapipe478ToIBUG68.indices, predicted) {
    for source in sources { mesh[source] = point }
  }
  return LabelledFace(label: label, face: FacePrediction(scheme: .mediapipe478, points: mesh))
}

private func image(_ number: Int) throws -> (scheme: LandmarkScheme, frames: [[LabelledFace]]) {
  var stream = SplitMix64(seed: UInt64(1000 + number))
  let isMesh = stream.below(2) == 1
  let frames = try (0..<stream.below(5)).map { _ in
    try (0..<stream.below(4)).map { position in
      try face(&stream, position: position, isMesh: isMesh)
    }
  }
  return (isMesh ? .mediapipe478 : .ibug68, frames)
}

extension LandmarkAccuracy {
  fileprivate mutating func add(frame: Int, _ people: [LabelledFace]) throws {
    let labels = people.map(\.label)
    let faces = people.compactMap(\.face)
    try add(
      frame: frame, labels: labels, faces: faces,
      matching: FaceMatching(frame: frame, labels: labels, faces: faces))
  }
}

private func accumulate(_ number: Int) throws -> LandmarkAccuracy {
  let (scheme, frames) = try image(number)
  var accuracy = LandmarkAccuracy(scheme: scheme)
  for (frame, people) in frames.enumerated() { try accuracy.add(frame: frame, people) }
  return accuracy
}

@Suite("Landmark accuracy")
struct LandmarkAccuracyTests {
  @Test(.tags(.oracle))
  func `all metrics of 160 random cases equal NumPy's from the formulas`() throws {
    let oracle = try Oracles.read("landmark_metrics", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(number).summarize(), case: number)
    }
  }

  @Test func `any split merges to the same bits, curves included`() throws {
    var generator = SplitMix64(seed: 5)
    for number in 0..<60 {
      let (scheme, frames) = try image(number)
      let whole = try accumulate(number)
      var parts = [LandmarkAccuracy](repeating: LandmarkAccuracy(scheme: scheme), count: 3)
      for frame in frames.indices.shuffled(using: &generator) {
        try parts[Int.random(in: 0..<3, using: &generator)].add(frame: frame, frames[frame])
      }
      var merged = LandmarkAccuracy(scheme: scheme)
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
      #expect(merged.pointCurve() == whole.pointCurve())
    }
  }

  @Test func `a missed face fails, adds nothing to the area and leaves only the conditional mean`()
    throws
  {
    var stream = SplitMix64(seed: 1)
    var found = try face(&stream, position: 0, isMesh: false)
    while found.face == nil || found.label.isIgnored || found.label.landmarks[0].labelled.count < 68
    {
      found = try face(&stream, position: 0, isMesh: false)
    }
    found.face = FacePrediction(scheme: .ibug68, points: found.label.landmarks[0].points)
    var accuracy = LandmarkAccuracy(scheme: .ibug68)
    try accuracy.add(frame: 0, [found])
    try accuracy.add(frame: 1, [LabelledFace(label: found.label)])
    let values = Dictionary(uniqueKeysWithValues: accuracy.summarize().map { ($0.name, $0) })
    #expect(values["landmarks.found_share"]?.value == 0.5)
    for length in LandmarkNormalizer.allCases.map(\.rawValue) {
      #expect(values["landmarks.nme.\(length)"]?.value == nil)
      #expect(
        values["landmarks.nme.\(length)"]?.reason
          == "1 of 2 labelled faces have no prediction of all their points, their error is infinite; "
          + "landmarks.nme.\(length).conditional is the mean over the others")
      #expect(values["landmarks.nme.\(length).conditional"]?.value == 0)
      #expect(values["landmarks.nme.\(length).conditional"]?.n == 1)
      #expect(values["landmarks.fr.\(length)@0.08"]?.value == 0.5)
      #expect(values["landmarks.auc.\(length)@0.10"]?.value == 0.5)
    }
    let series = try #require(accuracy.cumulativeErrors(by: .interocular))
    guard case .curve(let curve) = series.content else { throw NoCurve() }
    #expect(series.name == "landmarks.ced.interocular")
    #expect(curve.lines[0].y == Array(repeating: 0.5, count: 201))
    #expect(curve.lines[0].x.first == 0 && curve.lines[0].x.last == 0.2)
  }

  @Test func `the curve rises through the share of faces with an error of x or less, as counted`()
    throws
  {
    for number in 0..<40 {
      let accuracy = try accumulate(number)
      let rates = accuracy.summarize().filter { $0.name.hasPrefix("landmarks.fr.diagonal@") }
      guard let series = accuracy.cumulativeErrors(by: .diagonal) else {
        #expect(rates.allSatisfy { $0.value == nil })
        continue
      }
      guard case .curve(let curve) = series.content else { throw NoCurve() }
      #expect(zip(curve.lines[0].y, curve.lines[0].y.dropFirst()).allSatisfy { $0 <= $1 })
      for (mark, rate) in zip(curve.marks, rates) {
        #expect(try abs(mark.y - (1 - #require(rate.value))) <= 1e-12)
      }
    }
  }

  @Test func `each point's mean error is that of its distances, to 2⁻⁴⁰`() throws {
    var compared = 0
    for number in 0..<80 {
      var sums = [Double](repeating: 0, count: 68)
      var counts = [Double](repeating: 0, count: 68)
      for case (let label, let face?) in try image(number).frames.joined().map({
        ($0.label, $0.face)
      }) where !label.isIgnored {
        let landmarks = label.landmarks[0]
        guard let length = LandmarkNormalizer.interocular.pixels(of: landmarks),
          let table = face.scheme.flatMap({ LandmarkCorrespondence.between($0, .ibug68) })
        else { continue }
        for (index, point) in table.points(of: face).enumerated()
        where landmarks.visibility[index] != .notLabelled {
          let point = try #require(point)
          let (dx, dy) = (point.x - landmarks.points[index].x, point.y - landmarks.points[index].y)
          sums[index] += (dx * dx + dy * dy).squareRoot() / length
          counts[index] += 1
        }
      }
      guard case .curve(let curve)? = try accumulate(number).pointCurve()?.content else {
        #expect(counts.allSatisfy { $0 == 0 })
        continue
      }
      for (x, y) in zip(curve.lines[0].x, curve.lines[0].y) {
        #expect(abs(y - sums[Int(x)] / counts[Int(x)]) <= 1e-9 * max(1, y))
        compared += 1
      }
    }
    #expect(compared > 1000)
  }

  @Test func `places lie in the frame of the eye corners, whatever the face's turn and size`()
    throws
  {
    // A right angle and twice the size between the faces; the corners are points 36 and 45 of ibug68.
    let upright = (0..<68).map { Point(x: Double($0 % 9), y: Double($0 / 9)) }
    let turned = upright.map { Point(x: 100 - 2 * $0.y, y: 50 + 2 * $0.x) }
    var accuracy = LandmarkAccuracy(scheme: .ibug68)
    for (frame, points) in [upright, turned].enumerated() {
      let box = try #require(BoundingBox(around: points))
      let landmarks = try #require(
        Landmarks(
          scheme: .ibug68, points: points, visibility: Array(repeating: .visible, count: 68)))
      try accuracy.add(
        frame: frame,
        [
          LabelledFace(
            label: FaceLabel(box: box, landmarks: [landmarks]),
            face: FacePrediction(scheme: .ibug68, points: points))
        ])
    }
    guard case .curve(let curve)? = accuracy.pointPlaces()?.content else { throw NoCurve() }
    // Corners at (0, 4) and (0, 5): the unit is 1 downwards, so that x goes down and y to the left.
    for (index, point) in upright.enumerated() {
      #expect(abs(curve.lines[0].x[index] - (point.y - 4.5)) <= 1e-9)
      #expect(abs(curve.lines[0].y[index] + point.x) <= 1e-9)
    }
  }

  @Test func `repeated frames, other schemes and unlike accumulators are refused`() throws {
    let (scheme, frames) = try image(1)
    let people = frames.joined().filter { $0.face != nil && !$0.label.isIgnored }
    guard var person = people.first, var face = person.face else { throw NoCurve() }
    var accuracy = LandmarkAccuracy(scheme: scheme)
    try accuracy.add(frame: 3, [person])
    let repeated = #expect(throws: MetricError.self) { try accuracy.add(frame: 3, [person]) }
    #expect(
      repeated?.description
        == "cannot add frame 3 to landmarks.nme: expected each frame once, found it twice")
    let copy = accuracy
    #expect(throws: MetricError.self) { try accuracy.merge(copy) }
    var others = LandmarkAccuracy(scheme: .ibug68)
    let other = #expect(throws: MetricError.self) {
      try others.merge(LandmarkAccuracy(scheme: .mediapipe478))
    }
    #expect(
      other?.description
        == "cannot merge landmark errors: expected the scheme ibug68, found mediapipe478")
    face.scheme = face.scheme == .ibug68 ? .mediapipe478 : .ibug68
    person.face = face
    var strict = LandmarkAccuracy(scheme: face.scheme == .ibug68 ? .mediapipe478 : .ibug68)
    #expect(throws: MetricError.self) { try strict.add(frame: 0, [person]) }
  }
}

private struct NoCurve: Error {}
