internal import Calibration
internal import Datasets
internal import FaceCore
package import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
package import Running
internal import Scoring
internal import Statistics
internal import Tensor

/// Fits a blendshape head to the landmarks of runs.
package enum BlendshapeHeadFit {
  /// Reads the runs' landmarks and coefficients, fits the head, and writes the file.
  ///
  /// Throws `.wrongData` for runs on other datasets than theirs, with another landmark scheme, or without coefficients.
  package static func run(
    _ plan: BlendshapeHeadPlan, monitor: RunMonitor = .silent
  ) throws -> BlendshapeHead {
    let monitor = monitor.keepingNothing
    BLAS.setThreadCount(1)
    for run in plan.runs {
      for name in ["record.json", "predictions.h5"] {
        try plan.output.requireOther(than: run.appendingPathComponent(name))
      }
    }
    if let recording = plan.recording { try plan.output.requireOther(than: recording) }
    let output = try AtomicFile(plan.output, replacing: plan.replaces)
    var faces = HeadFaces()
    for run in plan.runs { try faces.add(run, plan, monitor) }
    let head = try head(of: faces, plan, monitor)
    try output.write(try head.json())
    return head
  }

  private static func head(
    of faces: HeadFaces, _ plan: BlendshapeHeadPlan, _ monitor: RunMonitor
  ) throws -> BlendshapeHead {
    guard let mesh = BlendshapeHead.Mesh(meanOf: faces.all.map(\.landmarks)) else {
      throw EvaluationError.wrongData(
        "cannot fit a head: expected \(BlendshapeHead.Mesh.minFaces) faces with landmarks and "
          + "coefficients or more, found \(faces.all.count)")
    }
    let frame = HeadFrame(mesh)
    let landmarks = BlendshapeInput.landmarks
    var (inputs, coefficients, clusters): ([[Double]], [[Double]], [Int]) = ([], [], [])
    let shapes = Blendshape.allCases.filter { shape in
      faces.all.allSatisfy { $0.coefficients[shape.index].isFinite }
    }
    var values: [Float] = []
    for face in faces.all
    where frame.fill(&values, from: landmarks, point: { face.landmarks[$0] }) != nil {
      inputs.append(values.map(Double.init))
      coefficients.append(shapes.map { Double(face.coefficients[$0.index]) })
      clusters.append(face.cluster)
    }
    let fits = Set(clusters).count < 2 ? 1 : 1 + min(plan.folds, Set(clusters).count)
    monitor.begin(.fitting, fits)
    let regression = try LogitRegression(
      inputs: inputs, coefficients: coefficients, clusters: clusters, folds: plan.folds,
      ridge: plan.ridge, margin: plan.margin, seed: plan.seed
    ) {
      try monitor.check("while fitting")
      monitor.advance(by: 1)
    }
    func short(_ value: Double) -> Float { Float(value).rounded(significantDigits: 4) }
    let channels = shapes.enumerated().map { position, shape in
      let column = regression.varying.firstIndex(of: position)
      return BlendshapeHead.Channel(
        name: shape.rawValue,
        constant: short(
          column.map { regression.fit.meanOutput[$0] }
            ?? LogitRegression.logit(regression.means[position], margin: 1e-6)),
        weights: column.map { column in regression.fit.weights.map { short($0[column]) } } ?? [],
        heldOut: regression.heldOut.map { agreements in
          BlendshapeHead.Agreement(
            concordance: column == nil ? nil : agreements[position].concordance,
            meanAbsoluteError: agreements[position].meanAbsoluteError)
        })
    }
    var notes: [String] = []
    let missing = Blendshape.allCases.filter { !shapes.contains($0) }
    if !missing.isEmpty {
      notes.append(
        "Left out, since some faces have no value: "
          + missing.map(\.rawValue).joined(separator: ", ") + ".")
    }
    if regression.folds == 0 {
      notes.append(
        "Agreement on held-out faces is undefined: expected 2 subjects, videos or stills or more, "
          + "found \(regression.clusters).")
    }
    return BlendshapeHead(
      tool: HostFacts.tool.name, toolVersion: HostFacts.tool.version,
      created: Date().formatted(.iso8601),
      fitted: BlendshapeHead.Fitted(
        teachers: faces.teachers, runs: faces.runs, faces: inputs.count,
        clusters: regression.clusters, folds: regression.folds, ridge: plan.ridge,
        margin: plan.margin),
      mesh: mesh, landmarks: landmarks, centre: regression.fit.mean.map(short),
      channels: channels, notes: faces.notes + notes)
  }
}

/// Landmarks with coefficients, from any number of runs.
private struct HeadFaces {
  struct Face {
    /// In pixels.
    var landmarks: [SIMD3<Float>]
    var coefficients: [Float]
    var cluster: Int
  }

  private(set) var all: [Face] = []
  private(set) var runs: [BlendshapeHead.Run] = []
  private(set) var teachers: [BlendshapeHead.Source] = []
  private(set) var notes: [String] = []
  /// Numbers of subjects by name, and of other clusters by dataset and number.
  private var clusters: [String: Int] = [:]

  mutating func add(_ url: URL, _ plan: BlendshapeHeadPlan, _ monitor: RunMonitor) throws {
    let stored = try StoredRun(url)
    let dataset = try DatasetReader(try stored.dataset(nil))
    let sha256 = try monitor.hash(dataset)
    guard sha256 == stored.record.dataset.sha256 else {
      throw EvaluationError.wrongData(
        "cannot fit to \(url.relativePath): expected its dataset, SHA-256 "
          + "\(stored.record.dataset.sha256.prefix(12))…, found \(sha256.prefix(12))…")
    }
    let run = try stored.opened(for: dataset)
    let header = run.predictions.header
    guard run.predictions.scheme == .mediapipe478 else {
      throw EvaluationError.wrongData(
        "cannot fit to \(url.relativePath): expected landmarks of mediapipe478, found "
          + (run.predictions.scheme?.name ?? "none"))
    }
    if plan.isTaught { try addTeacher(of: header, url) }
    let recordings = try plan.recording.map {
      try ReferenceRecordings(
        $0, of: run, on: dataset, timeOffset: plan.timeOffset, maxTimeOffset: plan.maxTimeOffset,
        monitor: monitor)
    }
    notes += stored.cautions + (recordings?.notes ?? [])
    notes += recordings.flatMap(\.objection).map { ["\(stored.name): \($0)"] } ?? []
    let before = all.count
    try read(
      dataset, sha256: sha256, run,
      labels: plan.isTaught ? nil : LabelledCoefficients(recordings: recordings), monitor)
    guard all.count > before else {
      throw EvaluationError.wrongData(
        "cannot fit to \(url.relativePath): expected faces with landmarks and "
          + (plan.isTaught ? "predicted" : "labelled") + " coefficients, found none")
    }
    runs.append(
      BlendshapeHead.Run(
        dataset: .init(name: dataset.name, sha256: sha256),
        landmarks: header.models.serving(.landmarks).map {
          .init(name: $0.name, sha256: $0.sha256)
        }, faces: all.count - before))
  }

  private mutating func addTeacher(of header: PredictionsHeader, _ url: URL) throws {
    if let calibration = header.options[AppliedCalibration.option] {
      throw EvaluationError.wrongData(
        "cannot fit to \(url.relativePath): expected raw coefficients, found those of \(calibration)"
      )
    }
    guard let model = header.models.serving(.blendshapes) else {
      throw EvaluationError.wrongData(
        "cannot fit to \(url.relativePath): expected a blendshape model, found none")
    }
    let teacher = BlendshapeHead.Source(name: model.name, sha256: model.sha256)
    if !teachers.contains(teacher) { teachers.append(teacher) }
  }

  /// Takes in the faces of a run; with nil labels the coefficients are the predicted ones.
  private mutating func read(
    _ dataset: DatasetReader, sha256: String, _ run: StoredRun.Opened,
    labels coefficients: LabelledCoefficients?, _ monitor: RunMonitor
  ) throws {
    var known = try monitor.clusters(of: dataset)
    monitor.begin(.reading, dataset.frameCount)
    for range in try PredictionPass.ranges(of: 0..<dataset.frameCount, dataset, [run.predictions]) {
      try monitor.check("while reading")
      let (frames, labels) = (try dataset.frames(range), try dataset.faces(range))
      for (offset, raw) in try run.predictions.predictions(range).enumerated() {
        let (frame, faces) = (frames[offset], run.tracker.counted(raw).faces)
        let sequence = dataset.sequence(frame.sequence)
        let subject = sequence?.subject ?? ""
        known.add(frame, of: sequence)
        let pairs =
          try coefficients.map {
            $0.pairs(
              frame, labels[offset], faces,
              try FaceMatching(frame: frame.index, labels: labels[offset], faces: faces))
          } ?? faces.compactMap { face in face.blendshapes.map { ($0, face) } }
        let name =
          subject.isEmpty ? "\(sha256) \(known.cluster(of: frame.index) ?? 0)" : "of \(subject)"
        for (values, face) in pairs
        where face.points.count == LandmarkScheme.mediapipe478.count
          && values.count == Blendshape.allCases.count
        {
          all.append(
            Face(
              landmarks: face.points, coefficients: values,
              cluster: clusters[name] ?? clusters.count))
          if clusters[name] == nil { clusters[name] = clusters.count }
        }
      }
      monitor.advance(by: range.count)
    }
  }
}
