internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Profiling
internal import Records

/// The pipeline with one detector on one image, and every answer of the detector down to a score of 0.
struct DetectorExamination {
  /// The pipeline's output at the settings.
  let result: FaceLandmarkerResult
  private let landmarker: FaceLandmarker
  private let decisions: GraphDecisions
  private let image: PixelBuffer
  private let output: DetectorOutput
  private let overlap: Double
  /// Positions of candidates with a box, by descending score and then in the order of anchors.
  private let order: [Int]
  /// Number of a candidate by its position, from 1.
  private let numbers: [Int: Int]
  /// The own box of each candidate, in pixels, by its position.
  private let boxes: [Int: BoundingBox]
  /// What suppression makes of all candidates: the rank of leaders, and the leader of the others.
  private let ranks: [Int: Int]
  private let leaders: [Int: (leader: Int, overlap: Float)]

  init(
    _ models: FaceLandmarkerModels, settings: FaceLandmarkerOptions, rotationDegrees: Int,
    image: PixelBuffer
  ) throws {
    var options = settings
    options.runningMode = .image
    options.candidateFloor = 0
    self.image = image
    landmarker = try FaceLandmarker(models, options: options)
    decisions = GraphDecisions(options, landmarks: models.landmarks?.source)
    overlap = options.suppressionThreshold(with: models.landmarks?.variant)
    var timer = StageTimer(stages: PipelineStage.names)
    result = try landmarker.detect(image, rotationDegrees: rotationDegrees, timer: &timer)
    output = try landmarker.detectCandidates(
      in: image,
      view: try NormalizedRect(
        detectorViewOf: image.originalSize, rotationDegrees: rotationDegrees),
      timer: &timer)
    let decoder = landmarker.detector.decoder
    let candidates = output.candidates
    var boxes: [Int: BoundingBox] = [:]
    for position in candidates.indices {
      boxes[position] =
        decoder.detection(
          of: candidates[position], projection: output.projection
        )?.inPixels(of: image.originalSize).box
    }
    self.boxes = boxes
    order = boxes.keys.sorted {
      (candidates[$1].score, $0) < (candidates[$0].score, $1)
    }
    numbers = Dictionary(uniqueKeysWithValues: zip(order, 1...))
    var ranks: [Int: Int] = [:]
    var leaders: [Int: (leader: Int, overlap: Float)] = [:]
    // Better candidates alone decide whether one leads, so that the leaders of all are those of every threshold.
    let faces = decoder.faces(
      from: candidates, projection: output.projection, threshold: 0, overlap: overlap)
    for (index, face) in faces.enumerated() {
      ranks[face.leader] = index + 1
      for member in face.members where member.position != face.leader {
        leaders[member.position] = (face.leader, member.overlap)
      }
    }
    self.ranks = ranks
    self.leaders = leaders
  }

  /// How many answers there are.
  var count: Int { output.candidates.count }

  /// Positions of the candidates to list: down to the floor of stored ones, and those that places name.
  func listed(_ places: [Explanation.PlaceResult]) -> [Int] {
    var named = Set(places.flatMap { [$0.candidate, $0.nearest].compactMap(\.self) })
    for number in named {
      if let leader = leaders[order[number - 1]]?.leader, let own = numbers[leader] {
        named.insert(own)
      }
    }
    return order.enumerated().filter { index, position in
      Double(output.candidates[position].score) >= Explanation.candidateFloor
        || named.contains(index + 1)
    }.map(\.element)
  }

  /// Describes candidates by position; the best `looks` of those that none suppresses, and those of some numbers, are
  /// looked at by the landmark model.
  func candidates(
    _ positions: [Int], looks: Int, always: Set<Int>
  ) throws -> [Explanation.Candidate] {
    try positions.map { position in
      let isLooked =
        (ranks[position] ?? .max) <= looks || always.contains(numbers[position] ?? 0)
        || leaders.contains { $0.value.leader == position && always.contains(numbers[$0.key] ?? 0) }
      return try candidate(position, isLooked: isLooked)
    }
  }

  private func candidate(_ position: Int, isLooked: Bool) throws -> Explanation.Candidate {
    let candidate = output.candidates[position]
    var described = Explanation.Candidate(
      number: numbers[position] ?? 0, anchor: candidate.anchor, score: Double(candidate.score),
      box: boxes[position] ?? BoundingBox(x: 0, y: 0, width: 0, height: 0), outcome: .notReached)
    if let (leader, overlap) = leaders[position] {
      described.outcome = .suppressed
      described.suppressor = numbers[leader]
      described.overlap = Double(overlap)
      return described
    }
    guard let rank = ranks[position] else { return described }
    described.rank = rank
    described.largestThreshold = Double(candidate.score)
    let options = decisions.options
    let isAbove = candidate.score >= Float(options.minFaceDetectionConfidence)
    let isIn = rank <= options.numFaces
    let threshold = self.threshold(for: position)
    // What the result holds needs no second look for its presence, which decides.
    if isLooked || isAbove && isIn { described.look = try look(at: position, threshold) }
    described.outcome = outcome(isAbove: isAbove, isIn: isIn, described.look)
    return described
  }

  /// The settings' minimum where a candidate reaches it, else a lower one that it reaches.
  private func threshold(for position: Int) -> Double {
    let (score, minimum) = (
      output.candidates[position].score, decisions.options.minFaceDetectionConfidence
    )
    return score >= Float(minimum)
      ? minimum : Explanation.threshold(reachedBy: Double(score))
  }

  /// The face that a candidate leads with a minimum score; nil where it leads none.
  private func face(at position: Int, _ threshold: Double) -> DetectionDecoder.DecodedFace? {
    landmarker.detector.decoder.faces(
      from: output.candidates, projection: output.projection, threshold: threshold,
      overlap: overlap
    ).first { $0.leader == position }
  }

  private func outcome(
    isAbove: Bool, isIn: Bool, _ look: Explanation.Look?
  ) -> Explanation.Outcome {
    guard isAbove else { return .belowThreshold }
    guard isIn else { return .beyondNumFaces }
    guard look?.region != nil else { return .detected }
    guard let presence = look?.presence else { return .noRegion }
    return presence > decisions.options.minFacePresenceConfidence ? .found : .lowPresence
  }

  /// What the landmark model gives for the face that a candidate leads with a minimum score that it reaches.
  private func look(at position: Int, _ threshold: Double) throws -> Explanation.Look? {
    guard let face = face(at: position, threshold) else { return nil }
    var look = Explanation.Look(
      minFaceDetectionConfidence: threshold,
      box: face.detection.inPixels(of: image.originalSize).box,
      averaged: max(1, face.members.count), region: nil, presence: nil, points: [])
    var regions: [FaceRegion] = []
    decisions.regions(
      tracked: [], detections: [face.detection], size: image.originalSize, into: &regions)
    guard let region = regions.first else { return look }
    look.region = region.region
    var timer = StageTimer(stages: PipelineStage.names)
    guard let landmarked = try landmarker.runLandmarks(on: region, of: image, timer: &timer) else {
      return look
    }
    let size = image.originalSize
    let (width, height) = (Double(size.width), Double(size.height))
    look.presence = Double(landmarked.presence)
    look.points = landmarked.landmarks.map {
      Point(x: Double($0.x) * width, y: Double($0.y) * height)
    }
    return look
  }

  /// The best candidate at a place, or the one that is nearest.
  func result(at place: Explanation.Place) -> Explanation.PlaceResult {
    if let point = place.point { return result(at: point) }
    guard let box = place.box else { return Explanation.PlaceResult() }
    var nearest: (position: Int, overlap: Double)?
    for position in order {
      let own = boxes[position]?.iou(with: box) ?? 0
      guard own > 0 else { continue }
      let overlap = detectionBox(of: position)?.iou(with: box) ?? own
      if overlap >= Explanation.Place.minOverlap {
        return Explanation.PlaceResult(candidate: numbers[position], overlap: overlap)
      }
      if nearest == nil, overlap > 0 { nearest = (position, overlap) }
    }
    return Explanation.PlaceResult(
      nearest: nearest.flatMap { numbers[$0.position] }, overlap: nearest?.overlap)
  }

  /// The box that metrics would judge: that of the detection which a candidate leads, after suppression; nil where
  /// it leads none.
  private func detectionBox(of position: Int) -> BoundingBox? {
    guard ranks[position] != nil else { return nil }
    return face(at: position, threshold(for: position))?.detection.inPixels(of: image.originalSize)
      .box
  }

  private func result(at point: Point) -> Explanation.PlaceResult {
    var nearest: (position: Int, distance: Double)?
    for position in order {
      guard let box = boxes[position] else { continue }
      if point.x >= box.x, point.x <= box.maxX, point.y >= box.y, point.y <= box.maxY {
        return Explanation.PlaceResult(candidate: numbers[position])
      }
      let (dx, dy) = (box.x + box.width / 2 - point.x, box.y + box.height / 2 - point.y)
      let distance = (dx * dx + dy * dy).squareRoot()
      if distance < nearest?.distance ?? .infinity { nearest = (position, distance) }
    }
    return Explanation.PlaceResult(
      nearest: nearest.flatMap { numbers[$0.position] }, distance: nearest?.distance)
  }
}
