import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import Running
import Scoring
import Synchronization
import TestSupport
import Testing

@Suite struct OverlayPassTests {
  let folder: TemporaryFolder
  let dataset: URL
  private static let size = ImageSize(width: 128, height: 96)

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("dataset.h5")
    try Self.write(dataset, names: ["a.jpg", "b", "c"], shade: 90)
    try FileManager.default.createDirectory(
      at: folder.file("run"), withIntermediateDirectories: true)
    try write(frames: 3)
  }

  private static func write(_ url: URL, names: [String], shade: UInt8) throws {
    let image = try PixelBuffer(
      width: size.width, height: size.height, color: RGB(shade, shade, shade)
    ).pngBytes()
    let writer = try DatasetWriter(url, name: "drawn", replacing: true)
    for name in names {
      try writer.add(
        name: name, image: image, size: size,
        faces: [FaceLabel(box: BoundingBox(x: 20, y: 10, width: 80, height: 70))])
    }
    try writer.finish()
  }

  /// A run in which frame 1 was dropped and every other one has a detection and a face.
  private func write(frames: Int, dropped: Int = 1) throws {
    let header = PredictionsHeader(
      datasetName: "drawn", datasetSHA256: try SHA256.hexadecimal(ofFile: dataset.path),
      datasetPath: dataset.path, mode: "live", models: [], candidateFloor: 0.05,
      stages: ["total"], options: [:])
    let writer = try PredictionsWriter(folder.file("run/predictions.h5"), header: header)
    for frame in 0..<frames {
      guard frame != dropped else {
        try writer.add(FramePrediction(frame: frame, notAnalysed: .dropped))
        continue
      }
      let points = (0..<478).map { index in
        SIMD3<Float>(30 + Float(index % 22) * 3, 16 + Float(index / 22) * 3, 0)
      }
      let face = FacePrediction(
        region: .whole, isTracked: false, detectionScore: 0.9, presence: 0.8,
        scheme: .mediapipe478, points: points)
      try writer.add(
        FramePrediction(
          frame: frame, size: Self.size, stageNanoseconds: [1],
          detections: [
            FaceDetection(
              box: BoundingBox(x: 24, y: 12, width: 70, height: 70), score: 0.9,
              keypoints: Array(repeating: Point(x: 60, y: 50), count: 6))
          ], candidates: [], faces: [face]))
    }
    try writer.finish()
  }

  private func plan(_ parts: [String] = ["contours"]) -> OverlayPlan {
    var plan = OverlayPlan(run: folder.file("run"), folder: folder.file("out"))
    plan.parts = parts
    return plan
  }

  private func images() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file("out").path).sorted()
  }

  private func image(_ name: String) throws -> PixelBuffer {
    try PixelBuffer(decoding: [UInt8](Data(contentsOf: folder.file("out/\(name)")))[...])
  }

  private func failure(
    _ plan: OverlayPlan, monitor: RunMonitor = .silent
  ) -> EvaluationError? {
    #expect(throws: EvaluationError.self) { try OverlayPass(plan, monitor: monitor).run() }
  }

  @Test func `every analysed frame becomes an image, named by its position and a harmless name`()
    throws
  {
    try Self.write(
      dataset,
      names: ["a.jpg", "dropped", "../b/\u{1b}[1m\u{fc}" + String(repeating: "x", count: 300)],
      shade: 90)
    try write(frames: 3)
    let summary = try OverlayPass(plan()).run()
    #expect(summary.images == 2 && summary.leftOut == 1)
    let long = ".._b___1m_" + String(repeating: "x", count: 70)
    #expect(try images() == ["000000-a.png", "000002-\(long).png"])
    #expect(try folder.names == ["dataset.h5", "out", "run"])
  }

  @Test func `faces are drawn on the dataset's image, which stays as it is elsewhere`() throws {
    _ = try OverlayPass(plan()).run()
    let drawn = try image("000000-a.png")
    #expect(drawn.size == Self.size)
    #expect(drawn[2, 2] == RGB(90, 90, 90))
    let lip = FaceMeshConnections.lips.paths[0][0]
    #expect(drawn[30 + lip % 22 * 3, 16 + lip / 22 * 3] != RGB(90, 90, 90))
  }

  @Test(arguments: [(OverlayPlan.Canvas.dark, RGB(18, 20, 26)), (.white, .white)])
  func `a canvas shows no photograph and needs no dataset`(
    canvas: OverlayPlan.Canvas, ground: RGB
  ) throws {
    try FileManager.default.removeItem(at: dataset)
    var plan = plan(["contours", "detections"])
    plan.canvas = canvas
    _ = try OverlayPass(plan).run()
    #expect(try images() == ["000000.png", "000002.png"])
    let drawn = try image("000002.png")
    #expect(drawn[2, 2] == ground && drawn.size == Self.size)
    #expect(drawn[60, 12] != ground)
    plan.parts = ["labels"]
    plan.replaces = true
    #expect(failure(plan)?.kind == .notFound)
  }

  @Test func `labels come from the dataset`() throws {
    _ = try OverlayPass(plan(["labels"])).run()
    // The box's upper side is half in this row and half in the one above.
    #expect(try image("000000-a.png")[60, 10].red > 180)
  }

  @Test func `frames are chosen by range, and none is an error`() throws {
    var plan = plan()
    plan.frames = try #require(FrameSelection("2:"))
    #expect(try OverlayPass(plan).run().images == 1)
    #expect(try images() == ["000002-c.png"])
    plan.replaces = true
    plan.frames = try #require(FrameSelection("3:"))
    #expect(failure(plan)?.kind == .wrongData)
  }

  @Test func `another dataset is refused before anything is written`() throws {
    let other = folder.file("other.h5")
    try Self.write(other, names: ["a.jpg", "b", "c"], shade: 91)
    var plan = plan()
    plan.dataset = other
    let error = failure(plan)
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("expected the dataset with SHA-256") == true)
    try Self.write(dataset, names: ["a.jpg", "b", "c"], shade: 91)
    plan.dataset = nil
    #expect(failure(plan)?.kind == .wrongData)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out").path))
  }

  @Test func `a dataset that moved is named by the caller`() throws {
    let moved = folder.file("moved.h5")
    try FileManager.default.moveItem(at: dataset, to: moved)
    var plan = plan()
    #expect(failure(plan)?.kind == .notFound)
    plan.dataset = moved
    #expect(try OverlayPass(plan).run().images == 2)
  }

  @Test
  func `a folder with files is refused, or written into when asked, and links are not followed`()
    throws
  {
    let precious = try folder.write(Array("precious".utf8), to: "precious")
    _ = try folder.write(Array("mine".utf8), to: "out/mine.txt")
    try FileManager.default.createSymbolicLink(
      at: folder.file("out/000000-a.png"), withDestinationURL: precious)
    #expect(failure(plan())?.kind == .cannotWrite)
    var plan = plan()
    plan.replaces = true
    #expect(try OverlayPass(plan).run().images == 2)
    #expect(try images() == ["000000-a.png", "000002-c.png", "mine.txt"])
    #expect(try String(contentsOf: precious, encoding: .utf8) == "precious")
    #expect(try image("000000-a.png").size == Self.size)
    plan.folder = precious
    #expect(failure(plan)?.kind == .cannotWrite)
  }

  @Test func `an interruption leaves whole images and reports how many`() throws {
    let asked = Mutex(0)
    let monitor = RunMonitor(
      begin: { _, _ in }, advanceBy: { _ in },
      isInterrupted: {
        asked.withLock {
          $0 += 1
          return $0 > 1
        }
      })
    let error = failure(plan(), monitor: monitor)
    #expect(error?.kind == .interrupted)
    #expect(error?.description.hasPrefix("interrupted after 1 of 3 images") == true)
    #expect(try images() == ["000000-a.png"])
    #expect(try image("000000-a.png").size == Self.size)
  }

  @Test func `the run's own folder is not drawn into`() throws {
    var plan = plan()
    plan.replaces = true
    plan.folder = folder.file("link")
    try FileManager.default.createSymbolicLink(
      at: plan.folder, withDestinationURL: folder.file("run"))
    let error = failure(plan)
    #expect(error?.kind == .cannotWrite)
    #expect(
      error?.description.hasSuffix("expected another folder than the run, found the same") == true)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("run").path) == [
        "predictions.h5"
      ])
  }

  @Test func `a mesh without the model is dots and has a note`() throws {
    var plan = plan(["mesh"])
    plan.models = folder.url
    let summary = try OverlayPass(plan).run()
    #expect(summary.meshNote?.hasPrefix("the mesh is drawn as dots: cannot load") == true)
    let dots = try image("000000-a.png")
    #expect(dots[30, 16] != RGB(90, 90, 90))
    plan.replaces = true
    plan.models = try folder.write([7, 7], to: "model.tflite")
    #expect(
      try OverlayPass(plan).run().meshNote == "the mesh is drawn as dots: cannot load "
        + "face-geometry-metadata: expected a folder or bundle of models, found the single model "
        + "model.tflite")
    plan.models = folder.file("nowhere")
    #expect(failure(plan)?.kind == .notFound)
  }

  @Test(.enabled(if: Shared.isAvailable, "the bundle is not there"))
  func `a mesh with the model has its edges`() throws {
    var plan = plan(["mesh"])
    plan.models = folder.url
    _ = try OverlayPass(plan).run()
    let dots = try image("000000-a.png")
    plan.models = Shared.bundle
    plan.replaces = true
    #expect(try OverlayPass(plan).run().meshNote == nil)
    #expect(try image("000000-a.png") != dots)
  }
}
