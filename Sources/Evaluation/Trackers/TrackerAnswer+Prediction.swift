internal import FaceCore

extension TrackerProcess {
  /// The prediction of a frame from an answer; throws for numbers that cannot be.
  ///
  /// Detections that are not given apart are the faces, by descending score.
  func prediction(
    _ answer: TrackerAnswer, frame: Frame
  ) throws(EvaluationError) -> FramePrediction {
    var faces: [FacePrediction] = []
    for face in answer.faces ?? [] { faces.append(try prediction(face, frame: frame.index)) }
    var detections: [FaceDetection] = []
    if let given = answer.detections {
      for one in given {
        detections.append(
          FaceDetection(
            box: try box(one.box, frame: frame.index),
            score: try share(one.score, "a score", frame.index)))
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
      frame: frame.index, size: frame.size,
      stageNanoseconds: stages.map { answer.nanoseconds?[$0] },
      detectorRan: answer.detectorRan ?? true, detections: detections, candidates: [],
      faces: faces)
  }

  private func prediction(
    _ face: TrackerAnswer.Face, frame: Int
  ) throws(EvaluationError) -> FacePrediction {
    var points: [SIMD3<Float>] = []
    let scheme = face.points == nil ? nil : hello.scheme.flatMap(LandmarkScheme.named)
    if let numbers = face.points {
      guard let scheme else {
        throw wrong(frame, "no points without a scheme", "\(numbers.count) numbers")
      }
      guard numbers.count == 3 * scheme.count || numbers.count == 2 * scheme.count else {
        throw wrong(
          frame, "\(3 * scheme.count) or \(2 * scheme.count) numbers in points",
          "\(numbers.count)")
      }
      let width = numbers.count / scheme.count
      points = (0..<scheme.count).map { point in
        let at = point * width
        return SIMD3(
          numbers[at] ?? .nan, numbers[at + 1] ?? .nan,
          width == 3 ? numbers[at + 2] ?? .nan : .nan)
      }
    }
    var own: BoundingBox?
    if let given = face.box { own = try box(given, frame: frame) }
    var shapes: [Float]?
    if let given = face.blendshapes {
      var values = [Float](repeating: .nan, count: Blendshape.allCases.count)
      for (name, value) in given {
        guard let shape = Blendshape(rawValue: name) else {
          throw wrong(frame, "coefficients by the names of ARKit", "'\(name.prefix(60))'")
        }
        values[shape.index] = value
      }
      shapes = values
    }
    if let transform = face.transform, transform.count != 16 {
      throw wrong(frame, "16 numbers in transform", "\(transform.count)")
    }
    if let identity = face.identity, !(0..<Int(Int32.max)).contains(identity) {
      throw wrong(frame, "an identity of 0 or more", "\(identity)")
    }
    var prediction = FacePrediction(
      region: nil, isTracked: face.tracked ?? false, detectionScore: face.score,
      presence: nil, scheme: scheme, points: points, ownBox: own, identity: face.identity,
      blendshapes: shapes,
      pose: face.transform.map { HeadPose(matrix: SIMD16($0)) })
    if let presence = face.presence {
      prediction.presence = Float(try share(Double(presence), "a presence", frame))
    }
    guard prediction.box != nil else {
      throw wrong(frame, "a box, or points that are all known", "neither")
    }
    return prediction
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

  private func share(
    _ value: Double, _ what: String, _ frame: Int
  ) throws(EvaluationError) -> Double {
    guard (0...1).contains(value) else { throw wrong(frame, "\(what) of 0 to 1", "\(value)") }
    return value
  }
}
