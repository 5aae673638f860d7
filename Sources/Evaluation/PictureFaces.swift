internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Profiling
internal import Tensor

/// Finds the faces of pictures that are to be compared, with the pipeline as it runs on stills.
final class PictureFaces {
  /// The largest face of a picture.
  struct Face {
    /// How many faces the picture shows.
    var count: Int
    /// The tight box around the points, in pixels of the picture as it is stored.
    var box: BoundingBox
    /// The 478 points in the same pixels.
    var points: [Point]
    /// The 52 coefficients; nil without a blendshape net.
    var blendshapes: [Float]?
  }

  /// Why there are no blendshapes; nil where there are.
  let absentBlendshapes: String?
  private let landmarker: FaceLandmarker
  private var timer = StageTimer(stages: PipelineStage.names)

  /// The most faces of a picture that are looked at, best score first.
  private static let faceLimit = 50

  /// Loads the nets; throws where there is no detector or no landmark net.
  init(models: URL?, minFaceDetectionConfidence: Double) throws {
    BLAS.setThreadCount(1)
    let nets = try FaceLandmarkerNets(detector: .shortRange, from: models)
    func absence(_ stage: String) -> String? {
      nets.absent.first { $0.stage == stage }?.reason
    }
    guard nets.landmarks != nil else {
      throw EvaluationError(
        .modelMissing,
        "cannot compare faces without landmarks: \(absence("landmarks") ?? "no model")")
    }
    absentBlendshapes = nets.blendshapes == nil ? absence("blendshapes") ?? "no model" : nil
    var options = FaceLandmarkerOptions()
    options.numFaces = Self.faceLimit
    options.minFaceDetectionConfidence = minFaceDetectionConfidence
    options.outputFaceBlendshapes = true
    landmarker = try FaceLandmarker(nets, options: options)
  }

  /// The largest face, turned upright as the file's Exif orientation says; nil where there is none.
  ///
  /// Throws `.notFound` where there is no file, and `.wrongData` where it is no whole picture or mirrored by Exif.
  func face(of url: URL) throws -> Face? {
    let picture = try StoredPicture(file: url)
    let pixels: PixelBuffer
    do throws(PictureError) {
      pixels = try picture.decoded()
    } catch {
      throw error.about(url.relativePath)
    }
    timer.beginFrame()
    let result = try landmarker.detect(
      pixels, rotationDegrees: try rotation(of: picture, url), timer: &timer)
    let faces = result.prediction(frame: 0, stageNanoseconds: []).faces
    var largest: (face: FacePrediction, box: BoundingBox)?
    for face in faces {
      guard let box = face.box else { continue }
      if box.area > largest?.box.area ?? 0 { largest = (face, box) }
    }
    return largest.map { face, box in
      Face(
        count: faces.count, box: box,
        points: face.points.map { Point(x: Double($0.x), y: Double($0.y)) },
        blendshapes: face.blendshapes)
    }
  }

  private func rotation(of picture: StoredPicture, _ url: URL) throws -> Int {
    guard case .encoded(let bytes) = picture else { return 0 }
    let orientation = try PictureHeader(of: bytes.span).orientation
    guard let degrees = [1: 0, 6: 90, 3: 180, 8: 270][orientation] else {
      throw EvaluationError(
        .wrongData,
        "cannot compare \(url.relativePath): expected an Exif orientation without a mirror (1, 3, 6 "
          + "or 8), found \(orientation)")
    }
    return degrees
  }
}
