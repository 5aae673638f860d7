internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
package import Platform
internal import Profiling
internal import Records
internal import Tensor

/// Serves our own pipeline through the line protocol of trackers.
package struct PipelineServer {
  /// The settings of the pipeline; its dataset and run are not used.
  let plan: RunPlan

  /// Plans to serve with the settings of a plan.
  package init(_ plan: RunPlan) {
    self.plan = plan
  }

  /// Loads the models, sends the greeting, and answers until the input ends.
  ///
  /// - Parameters:
  ///   - input: The descriptor that requests come from.
  ///   - isRemote: Whether it is a connection: paths of another machine mean nothing here, and are refused.
  ///   - write: Takes a line with its end.
  package func run(
    from input: Descriptor, isRemote: Bool = false, write: (String) throws -> Void
  ) throws {
    BLAS.setThreadCount(1)
    let models = try plan.loadedModels()
    let worker = try FrameWorker(plan, models: models)
    try worker.warmUp()
    let encoder = JSONEncoder.line
    func send(_ message: some Encodable) throws { try write(try encoder.text(of: message)) }
    let inputs: [TrackerHello.Input] = isRemote ? [.image, .rgb] : [.dataset, .image, .rgb]
    try send(hello(models, inputs, restarts: isRemote ? true : nil))
    var requests = RequestReader(input)
    var dataset: DatasetReader?
    while let message = try requests.next() {
      let asked = MonotonicClock.nanoseconds()
      switch message {
      case .sync(let number):
        try send(
          TrackerSync(
            sync: number, receivedNanoseconds: asked,
            sentNanoseconds: MonotonicClock.nanoseconds()))
      case .frame(let request):
        if isRemote, request.dataset != nil {
          throw requests.wrong("image_bytes or rgb_bytes", "a path of another machine")
        }
        let image = try image(request, &requests, &dataset)
        let received = MonotonicClock.nanoseconds()
        var answer = try answer(request, image, worker, models)
        answer.receivedNanoseconds = received
        answer.finishedNanoseconds = MonotonicClock.nanoseconds()
        try send(answer)
      }
    }
  }

  /// Connects to a program that waits for a tracker, presents the token of the address, and answers until the end.
  ///
  /// Connects again after each end, with models loaded anew, until nobody is there.
  package func run(at address: NetworkAddress) throws(EvaluationError) {
    let gone = EvaluationError(
      .inputOutput,
      "cannot serve \(TrackerPlace.shown(address)): expected requests, found the end of the "
        + "connection (another token, or the run has ended)")
    var wasServed = false
    while true {
      // The first is the greeting.
      var lines = 0
      do {
        let socket = try Descriptor.connection(
          to: address, limit: .seconds(10), isInterrupted: { false })
        defer { try? socket.end() }
        if let token = address.token { try socket.sendAll(TrackerToken(token: token).line()) }
        try run(from: socket, isRemote: true) { line throws in
          do { try socket.sendAll(Array(line.utf8)) } catch { throw gone }
          lines += 1
        }
        guard lines > 1 else { throw gone }
        wasServed = true
      } catch {
        if wasServed, lines <= 1 { return }
        let error = EvaluationError(error)
        throw error.description.hasPrefix("cannot read requests") ? gone : error
      }
    }
  }

  private func hello(
    _ models: FaceLandmarkerModels, _ inputs: [TrackerHello.Input], restarts: Bool?
  ) -> TrackerHello {
    var options = plan.predictionOptions
    options[RunOption.blasCore] = BLAS.coreName
    options[RunOption.kernels] = Numerics.own.kernels
    return TrackerHello(
      name: "facegauge \(Version.current)", inputs: inputs,
      stages: PipelineStage.names, scheme: (models.landmarks?.scheme ?? .mediapipe478).name,
      models: models.loaded.map { Record.Model($0) }, options: options, restarts: restarts,
      facts: PredictionsHeader.Fact.allCases.map(\.rawValue).sorted(),
      candidateFloor: plan.settings.minCandidateScore)
  }

  private func image(
    _ request: TrackerRequest, _ requests: inout RequestReader, _ dataset: inout DatasetReader?
  ) throws -> StoredImage {
    if let count = request.rgbBytes {
      guard
        let pixels = PixelBuffer(
          width: request.width, height: request.height, bytes: try requests.bytes(count))
      else {
        throw requests.wrong("width * height * 3 bytes in rgb_bytes", "\(count)")
      }
      return .pixels(pixels)
    }
    if let count = request.imageBytes { return .encoded(try requests.bytes(count)[...]) }
    guard let path = request.dataset else {
      throw requests.wrong("dataset or rgb_bytes", "neither")
    }
    let open: DatasetReader
    if let dataset, dataset.url.path == path {
      open = dataset
    } else {
      open = try DatasetReader(URL(fileURLWithPath: path))
      dataset = open
    }
    guard (0..<open.frameCount).contains(request.frame) else {
      throw requests.wrong("a frame of 0 to \(open.frameCount - 1)", "\(request.frame)")
    }
    return try open.image(request.frame)
  }

  private func answer(
    _ request: TrackerRequest, _ image: StoredImage, _ worker: FrameWorker,
    _ models: FaceLandmarkerModels
  ) throws -> TrackerAnswer {
    if request.reset { worker.trackingState = TrackingState() }
    let frame = Frame(
      index: request.frame, name: "", sequence: 0,
      timestampMicroseconds: request.timestampMicroseconds,
      size: ImageSize(width: request.width, height: request.height))
    let prediction: FramePrediction
    do {
      prediction = try worker.analyse(image, frame: frame, isTracked: request.video)
    } catch let error as ImageError {
      return TrackerAnswer(frame: request.frame, error: error.description)
    }
    let times = zip(PipelineStage.names, prediction.stageNanoseconds).compactMap { name, time in
      time.map { (name, $0) }
    }
    var answer = TrackerAnswer(
      frame: request.frame, nanoseconds: Dictionary(uniqueKeysWithValues: times),
      detectorRan: prediction.detectorRan)
    guard request.timesOnly != true else { return answer }
    answer.faces = prediction.faces.map(Self.face)
    answer.rejected = prediction.rejected.map(Self.face)
    answer.detections = prediction.detections.map { one in
      .init(
        box: [one.box.x, one.box.y, one.box.width, one.box.height], score: one.score,
        keypoints: one.keypoints.flatMap { [$0.x, $0.y] })
    }
    answer.candidates = prediction.candidates.map { one in
      .init(anchor: one.anchor, score: one.score, regressors: (0..<16).map { one.regressors[$0] })
    }
    if let size = prediction.size, size != frame.size { answer.size = [size.width, size.height] }
    return answer
  }

  private static func face(_ face: FacePrediction) -> TrackerAnswer.Face {
    func known(_ value: Float) -> Float? { value.isFinite ? value : nil }
    let box = face.box.map { [$0.x, $0.y, $0.width, $0.height] }
    let shapes = face.blendshapes.map { values in
      Dictionary(uniqueKeysWithValues: zip(Blendshape.names, values).filter { $0.1.isFinite })
    }
    let matrix = face.pose.map { pose in (0..<16).map { pose.matrix[$0] } }
    func numbers(_ points: [SIMD3<Float>]) -> [Float?] {
      points.flatMap { [known($0.x), known($0.y), known($0.z)] }
    }
    var answer = TrackerAnswer.Face(
      points: face.scheme == nil ? nil : numbers(face.points), box: box, presence: face.presence,
      score: face.detectionScore, identity: face.identity, blendshapes: shapes, transform: matrix,
      tracked: face.isTracked)
    if face.scheme != nil, face.unsmoothedPoints != face.points {
      answer.unsmoothed = numbers(face.unsmoothedPoints)
    }
    answer.region = face.region.map {
      [$0.xCenter, $0.yCenter, $0.width, $0.height, $0.rotation]
    }
    answer.tongueOut = face.tongueOut
    return answer
  }
}
