internal import Datasets
internal import FaceCore
internal import Imaging

extension TrackerProcess {
  /// The prediction of a frame from an answer; throws for numbers that cannot be.
  ///
  /// Detections that are not given apart are the faces, by descending score.
  func prediction(
    _ answer: TrackerAnswer, frame: Frame
  ) throws(EvaluationError) -> FramePrediction {
    let limit = DatasetLayout.maxRowsOfFrame
    for (what, count) in [
      ("faces", (answer.faces?.count ?? 0) + (answer.rejected?.count ?? 0)),
      ("detections", answer.detections?.count ?? 0),
      ("candidates", answer.candidates?.count ?? 0),
    ] where count > limit {
      throw wrong(frame.index, "at most \(limit) \(what)", "\(count)")
    }
    var faces: [FacePrediction] = []
    for face in answer.faces ?? [] { faces.append(try prediction(face, frame: frame.index)) }
    var rejected: [FacePrediction] = []
    for face in answer.rejected ?? [] { rejected.append(try prediction(face, frame: frame.index)) }
    var detections: [FaceDetection] = []
    if let given = answer.detections {
      for one in given {
        guard one.score.isFinite else { throw wrong(frame.index, "a finite score", "\(one.score)") }
        detections.append(
          FaceDetection(
            box: try box(one.box, frame: frame.index), score: one.score,
            keypoints: try keypoints(one.keypoints ?? [], frame: frame.index)))
      }
    } else {
      for face in faces {
        guard let box = face.box else { continue }
        detections.append(FaceDetection(box: box, score: Double(face.detectionScore ?? 1)))
      }
    }
    detections = detections.enumerated().sorted {
      ($1.element.score, $0.offset) < ($0.element.score, $1.offset)
    }.map(\.element)
    return FramePrediction(
      frame: frame.index, size: try size(answer.size, frame: frame),
      stageNanoseconds: stages.map { answer.nanoseconds?[$0] },
      detectorRan: answer.detectorRan ?? true, detections: detections,
      candidates: try candidates(answer.candidates ?? [], frame: frame.index),
      faces: faces, rejected: rejected)
  }

  private func size(_ given: [Int]?, frame: Frame) throws(EvaluationError) -> ImageSize {
    guard let given else { return frame.size }
    let sides = 1...ImageHeader.maximumSide
    guard given.count == 2, given.allSatisfy(sides.contains) else {
      throw wrong(
        frame.index, "a size of two numbers of 1 to \(sides.upperBound)", "\(given.prefix(4))")
    }
    return ImageSize(width: given[0], height: given[1])
  }

  private func keypoints(
    _ numbers: [Double], frame: Int
  ) throws(EvaluationError) -> [Point] {
    guard numbers.count <= 12, numbers.count.isMultiple(of: 2) else {
      throw wrong(frame, "x and y of at most 6 points in keypoints", "\(numbers.count) numbers")
    }
    return stride(from: 0, to: numbers.count, by: 2).map {
      Point(x: numbers[$0], y: numbers[$0 + 1])
    }
  }

  private func candidates(
    _ given: [TrackerAnswer.Candidate], frame: Int
  ) throws(EvaluationError) -> [DetectorCandidate] {
    guard given.isEmpty || hello.candidateFloor != nil else {
      throw wrong(frame, "no candidates without a candidate_floor", "\(given.count)")
    }
    var candidates: [DetectorCandidate] = []
    for one in given {
      guard one.regressors.count == 16, (0..<Int(Int32.max)).contains(one.anchor) else {
        throw wrong(
          frame, "candidates with an anchor and 16 regressors",
          "\(one.anchor) and \(one.regressors.count)")
      }
      candidates.append(
        DetectorCandidate(
          anchor: one.anchor, score: one.score, regressors: SIMD16(one.regressors)))
    }
    return candidates
  }

  private func prediction(
    _ face: TrackerAnswer.Face, frame: Int
  ) throws(EvaluationError) -> FacePrediction {
    let scheme = face.points == nil ? nil : hello.scheme.flatMap(LandmarkScheme.named)
    let points = try face.points.map { numbers throws(EvaluationError) in
      try self.points(numbers, scheme, "points", frame: frame)
    }
    let unsmoothed = try face.unsmoothed.map { numbers throws(EvaluationError) in
      try self.points(numbers, scheme, "unsmoothed", frame: frame)
    }
    if let hidden = face.hidden, hidden.count != scheme?.count {
      throw wrong(
        frame, "a state in hidden for each of \(scheme?.count ?? 0) points", "\(hidden.count)")
    }
    if let region = face.region, region.count != 5 {
      throw wrong(frame, "5 numbers in region", "\(region.count)")
    }
    var own: BoundingBox?
    if let given = face.box { own = try box(given, frame: frame) }
    let shapes = try face.blendshapes.map { given throws(EvaluationError) in
      try coefficients(given, frame: frame)
    }
    if let transform = face.transform {
      guard transform.count == 16 else {
        throw wrong(frame, "16 numbers in transform", "\(transform.count)")
      }
      try checkRows(of: transform, frame: frame)
    }
    let identities = 0...Int(Int32.max) - 1
    if let identity = face.identity, !identities.contains(identity) {
      throw wrong(frame, "an identity of 0 to \(identities.upperBound)", "\(identity)")
    }
    var prediction = FacePrediction(
      region: face.region.map {
        NormalizedRect(xCenter: $0[0], yCenter: $0[1], width: $0[2], height: $0[3], rotation: $0[4])
      }, isTracked: face.tracked ?? false, detectionScore: face.score,
      presence: face.presence, tongueOut: face.tongueOut, scheme: scheme, points: points ?? [],
      unsmoothedPoints: unsmoothed, ownBox: own, identity: face.identity,
      blendshapes: shapes,
      pose: face.transform.map { HeadPose(matrix: SIMD16($0)) })
    prediction.hiddenPoints = face.hidden
    for (name, value) in face.blendshapes ?? [:] where Blendshape.isTongue(spelled: name) {
      prediction.attributes["tongueOut"] = Double(value)
    }
    for (name, value) in face.attributes ?? [:] {
      guard DatasetLayout.isTableName(name) else {
        throw wrong(
          frame, "attributes by names of letters, digits, '_', '-' and '.'",
          "'\(name.prefix(60))'")
      }
      prediction.attributes[name] = value
    }
    if let presence = face.presence, !(0...1).contains(presence) {
      throw wrong(frame, "a presence of 0 to 1", "\(Double(presence))")
    }
    let isPlaceless =
      face.box == nil && face.points == nil && (shapes != nil || prediction.pose != nil)
    guard prediction.box != nil || isPlaceless else {
      throw wrong(
        frame, "a box, a point that is known, or coefficients or a transform alone",
        "none of them")
    }
    return prediction
  }

  /// Coefficients by their names in any spelling; ARKit's tongueOut is none of the 52.
  private func coefficients(
    _ given: [String: Float], frame: Int
  ) throws(EvaluationError) -> [Float] {
    var values = [Float](repeating: .nan, count: Blendshape.allCases.count)
    for (name, value) in given where !Blendshape.isTongue(spelled: name) {
      guard let shape = Blendshape(spelled: name) else {
        throw wrong(
          frame, "coefficients by the names of ARKit, such as jawOpen (others are attributes)",
          "'\(name.prefix(60))'")
      }
      guard values[shape.index].isNaN else {
        throw wrong(frame, "each coefficient once", "\(shape.rawValue) in two spellings")
      }
      values[shape.index] = value
    }
    return values
  }

  /// Throws for a matrix whose last row is not 0, 0, 0, 1, with what it looks like.
  private func checkRows(of transform: [Float], frame: Int) throws(EvaluationError) {
    let row = Array(transform[12...])
    guard row != [0, 0, 0, 1] else { return }
    let column = [3, 7, 11, 15].map { transform[$0] }
    throw wrong(
      frame, "a transform by rows, whose last row is 0, 0, 0, 1",
      "\(row)" + (column == [0, 0, 0, 1] ? ", as of one by columns (transpose it)" : ""))
  }

  private func points(
    _ numbers: [Float?], _ scheme: LandmarkScheme?, _ key: String, frame: Int
  ) throws(EvaluationError) -> [SIMD3<Float>] {
    guard let scheme else {
      throw wrong(frame, "no \(key) without a scheme", "\(numbers.count) numbers")
    }
    guard numbers.count == 3 * scheme.count || numbers.count == 2 * scheme.count else {
      throw wrong(
        frame, "\(3 * scheme.count) or \(2 * scheme.count) numbers in \(key)",
        "\(numbers.count)")
    }
    let width = numbers.count / scheme.count
    return (0..<scheme.count).map { point in
      let at = point * width
      return SIMD3(
        numbers[at] ?? .nan, numbers[at + 1] ?? .nan,
        width == 3 ? numbers[at + 2] ?? .nan : .nan)
    }
  }

  private func box(_ numbers: [Double], frame: Int) throws(EvaluationError) -> BoundingBox {
    let box =
      numbers.count == 4
      ? BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]) : nil
    guard let box, box.isWellFormed else {
      throw wrong(frame, "x, y, width, height of a box, sides of 0 or more", "\(numbers.prefix(8))")
    }
    return box
  }
}
