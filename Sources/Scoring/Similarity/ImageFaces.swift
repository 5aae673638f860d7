internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Profiling
internal import Running
internal import Tensor

/// Finds the faces of images that are to be compared, with the pipeline as it runs on stills.
final class ImageFaces {
  /// The largest face of an image.
  struct Face {
    /// How many faces the image shows.
    var count: Int
    /// The tight box around the points, in pixels of the stored image.
    var box: BoundingBox
    /// The 478 points in pixels of the upright image.
    var points: [Point]
    /// The 52 coefficients; nil without a blendshape model.
    var blendshapes: [Float]?

    /// Its mirror image: left and right exchanged, positions about the image's left edge.
    var mirrored: Face {
      var face = self
      let others = LandmarkScheme.mediapipe478.otherSides ?? Array(points.indices)
      face.points = others.map { Point(x: -points[$0].x, y: points[$0].y) }
      face.blendshapes = blendshapes.map { shapes in Blendshape.otherSides.map { shapes[$0] } }
      return face
    }
  }

  /// Why there are no blendshapes; nil where there are.
  let absentBlendshapes: String?
  private let landmarker: FaceLandmarker
  private var timer = StageTimer(stages: PipelineStage.names)

  /// Maximum number of faces per image, best score first.
  private static let faceLimit = 50

  /// Loads the models; throws where there is no detector or no landmark model.
  init(models: URL?, blendshapeHead: URL?, minFaceDetectionConfidence: Double) throws {
    BLAS.setThreadCount(1)
    let models = try FaceLandmarkerModels(
      detector: .shortRange, blendshapes: blendshapeHead, from: models)
    func absence(_ part: PipelinePart) -> String? {
      models.absent.first { $0.stage == part }?.reason
    }
    guard models.landmarks != nil else {
      throw EvaluationError(
        .modelMissing,
        "cannot compare faces without landmarks: \(absence(.landmarks) ?? "no model")")
    }
    absentBlendshapes = models.blendshapes == nil ? absence(.blendshapes) ?? "no model" : nil
    var options = FaceLandmarkerOptions()
    options.numFaces = Self.faceLimit
    options.minFaceDetectionConfidence = minFaceDetectionConfidence
    options.outputFaceBlendshapes = true
    landmarker = try FaceLandmarker(models, options: options)
  }

  /// The largest face, turned upright by the file's Exif orientation; nil if there is none.
  ///
  /// Throws `.notFound` where there is no file, and `.wrongData` where it is no whole image or mirrored by Exif.
  func face(of url: URL) throws -> Face? {
    let image = try StoredImage(file: url)
    let pixels: PixelBuffer
    do throws(ImageError) {
      pixels = try image.decoded()
    } catch {
      throw error.about(url.relativePath)
    }
    timer.beginFrame()
    // The blendshape model is for upright points, which a turned view of the detector does not give.
    let turn = try turn(of: image, url, pixels.size)
    let result = try landmarker.detect(turn?.upright(pixels) ?? pixels, timer: &timer)
    let faces = result.prediction(frame: 0, stageNanoseconds: []).faces
    var largest: (face: FacePrediction, box: BoundingBox)?
    for face in faces {
      guard let box = face.box else { continue }
      if box.area > largest?.box.area ?? 0 { largest = (face, box) }
    }
    return largest.map { face, box in
      Face(
        count: faces.count, box: turn?.box(box) ?? box,
        points: face.points.map { Point(x: Double($0.x), y: Double($0.y)) },
        blendshapes: face.blendshapes)
    }
  }

  /// How Exif turns an image; nil for an upright one.
  private func turn(of image: StoredImage, _ url: URL, _ size: ImageSize) throws -> ExifTurn? {
    guard case .encoded(let bytes) = image else { return nil }
    let orientation = try ImageHeader(of: bytes[...]).orientation
    guard [1, 3, 6, 8].contains(orientation) else {
      throw EvaluationError.wrongData(
        "cannot compare \(url.relativePath): expected an Exif orientation without a mirror (1, 3, 6 "
          + "or 8), found \(orientation)")
    }
    return ExifTurn(orientation: orientation, stored: size)
  }
}
