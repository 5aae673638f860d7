import FacePipeline
import Foundation
import Platform
import TFLite
import Tensor
import TestSupport
import Testing

struct DetectorModelErrorTests {
  private func error(_ variant: DetectorVariant, _ path: URL) -> FileError? {
    #expect(throws: FileError.self) { try DetectorModel(.blazeFace(variant), from: path) }
  }

  @Test func `a path that is not there is not found`() throws {
    let folder = try TemporaryFolder()
    let missing = folder.file("missing.tflite")
    let error = error(.shortRange, missing)
    #expect(error?.kind == .notFound)
    #expect(error?.description == "cannot read \(missing.relativePath): no such file")
  }

  @Test func `a folder without the model is an error with the files that were searched`() throws {
    let folder = try TemporaryFolder()
    let error = error(.shortRange, folder.url)
    #expect(error?.kind == .missing)
    #expect(
      error?.description.hasPrefix(
        "cannot load blazeface-short-range: expected face_landmarker.task or "
          + "face_detection_short_range.tflite in ") == true)
  }

  @Test func `a folder whose file has other bytes names both digests`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write([1, 2, 3], to: "face_detection_full_range_sparse.tflite")
    let error = error(.fullRange, folder.url)
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description.contains("expected SHA-256 \(ModelFile.fullRangeDetector.sha256), found")
        == true)
  }

  @Test func `a file that is no model is refused at load`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write([UInt8](repeating: 7, count: 400), to: "model.tflite")
    let error = error(.shortRange, file)
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description.hasPrefix("cannot load blazeface-short-range from \(file.relativePath): ")
        == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test func `a bundle that is no archive is refused`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write([UInt8](repeating: 7, count: 400), to: "model.task")
    let error = error(.shortRange, file)
    #expect(error?.kind == .wrongData)
    #expect(error?.description.hasPrefix("cannot read face_detector.tflite in ") == true)
  }

  @Test func `no bundle has the full range`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write([1], to: "model.task")
    let error = error(.fullRange, file)
    #expect(error?.kind == .missing)
    #expect(error?.description.hasSuffix("bundles do not have it") == true)
  }
}

@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct DetectorModelTests {
  @Test func `a model is the same from its file and from its folder`() throws {
    let file = try DetectorModel(.blazeFace(.shortRange), from: PulledModels.shortRange)
    #expect(file.loaded.isPinned)
    #expect(file.loaded.sha256 == ModelFile.shortRangeDetector.sha256)
    let alone = try TemporaryFolder()
    try FileManager.default.copyItem(
      at: PulledModels.shortRange, to: alone.file("face_detection_short_range.tflite"))
    #expect(try DetectorModel(.blazeFace(.shortRange), from: alone.url).loaded == file.loaded)
  }

  /// The counts of the table in millions, rounded to two decimals; of the full-range model's 117.19 those whose weight is
  /// not 0, counted in the tensors that LiteRT densifies; the short-range model's 30.76 without the three tenths of its
  /// first convolution that planes save (2.21).
  @Test(
    arguments: [
      (DetectorVariant.shortRange, Kernels.available.count > 1 ? 28.55 : 30.76),
      (.fullRange, 58.41),
    ])
  func `a model takes as many multiplications as its architecture has`(
    variant: DetectorVariant, millions: Double
  ) throws {
    let models = try FaceLandmarkerModels(detector: variant, from: PulledModels.folder)
    let count = models.plannedModels[0].model.multiplyAccumulates
    #expect(abs(Double(count) / 1e6 - millions) <= 0.005)
  }

  @Test func `a changed model loads from its own path but is not pinned`() throws {
    let folder = try TemporaryFolder()
    let bytes = try [UInt8](Data(contentsOf: PulledModels.shortRange)) + [0]
    let model = try DetectorModel(
      .blazeFace(.shortRange), from: folder.write(bytes, to: "mine.tflite"))
    #expect(!model.loaded.isPinned)
  }

  @Test func `a model of the other range is refused with both shapes`() throws {
    let path = PulledModels.fullRange
    let error = #expect(throws: FileError.self) {
      try DetectorModel(.blazeFace(.shortRange), from: path)
    }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description
        == "cannot use \(path.relativePath) as blazeface-short-range: expected input "
        + "[1, 128, 128, 3] and outputs [1, 896, 16], [1, 896, 1], found [[1, 192, 192, 3]] and "
        + "[[1, 2304, 16], [1, 2304, 1]]")
  }
}

@Suite(.enabled(if: Shared.isAvailable, "needs the shared models"))
struct BundleTests {
  @Test func `the bundle's model is pinned by its own digest`() throws {
    let model = try DetectorModel(.blazeFace(.shortRange), from: Shared.bundle)
    #expect(model.loaded.isPinned)
    #expect(
      model.loaded.sha256 == "b4578f35940bf5a1a655214a1cce5cab13eba73c1297cd78e1a04c2380b0152f")
    let folder = Shared.folder.appending(path: "models")
    #expect(try DetectorModel(.blazeFace(.shortRange), from: folder).loaded.isPinned)
  }
}
