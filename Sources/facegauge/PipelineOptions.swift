import CommandSyntax
import Evaluation
import FacePipeline
import Foundation

/// The options of every command that runs the pipeline, but for the mode.
enum PipelineOptions {
  /// Which detector runs.
  static let detector = Option(
    "detector", valueName: "range", .choice(DetectorVariant.self), default: .shortRange,
    help: "BlazeFace net; short-range is the one of MediaPipe's Face Landmarker.")
  /// Which landmark net runs.
  static let landmarks = Option(
    "landmarks", valueName: "net", .choice(LandmarkVariant.self),
    otherwise: "v2 where its bundle is there, else attention",
    help: "Landmark net: v2 is the Face Landmarker's, attention the legacy Face Mesh's.")
  /// How many faces a frame may have.
  static let numFaces = Option(
    "num-faces", valueName: "n", .integer(in: 1...1000), default: 1,
    help:
      "Most faces of a frame, best score first; exactly 1 also smooths landmarks in video and live mode."
  )
  /// The least score of a detection.
  static let confidence = Option(
    "min-face-detection-confidence", valueName: "score", .number(in: 0...1), default: 0.5,
    help: "Lowest score of a face; average precision goes down to 0.05.")
  /// The presence that a face must exceed.
  static let presence = Option(
    "min-face-presence-confidence", valueName: "score", .number(in: 0...1), default: 0.5,
    help: "Presence that a face must exceed to be kept; with --tracker the least, 0 unless given.")
  /// The overlap from which a detection replaces a tracked face.
  static let tracking = Option(
    "min-tracking-confidence", valueName: "iou", .number(in: 0...1), default: 0.5,
    help:
      "IoU above which a detection replaces a tracked face; MediaPipe compares no score with it.")
  /// The overlap from which two boxes are one face.
  static let suppression = Option(
    "min-suppression-threshold", valueName: "iou", .number(in: 0...1),
    otherwise: "0.5, and 0.3 with the attention net",
    help: "IoU above which two boxes are one face; MediaPipe's own Face Detector has 0.3.")
  /// How pictures are turned.
  static let rotation = Option(
    "rotation", valueName: "degrees", .choice(Rotation.self), default: .none,
    help: "How far the pictures have to be turned clockwise to be upright.")
  /// Whose behaviour is copied.
  static let compatibility = Option(
    "compatibility", valueName: "platform", .choice(Compatibility.self), default: .standard,
    help: "Platform to behave as; on ios, video and live mode neither track nor smooth.")
  /// Where the models are.
  static let modelsPath = Option(
    "models", valueName: "path", .path, otherwise: "the cache that 'models pull' fills",
    help: "Folder of model files, .task bundle or .tflite net.")

  /// The cutoff of the smoothing at rest.
  static let minCutoff = Option(
    "smoothing-min-cutoff", valueName: "hz", .number(in: 1e-6...1e6), default: 0.05,
    help: "One-Euro cutoff at rest; MediaPipe's own API does not let it be set.")
  /// How the cutoff rises with speed.
  static let beta = Option(
    "smoothing-beta", valueName: "number", .number(in: 0...1e6), default: 80,
    help: "Hz by which the cutoff rises for each size of the face a second; higher lags less.")
  /// The cutoff of the speed.
  static let derivativeCutoff = Option(
    "smoothing-derivative-cutoff", valueName: "hz", .number(in: 1e-6...1e6), default: 1,
    help: "One-Euro cutoff of the speed.")
  /// What smoothing can be told.
  static let smoothing: [any Parameter] = [minCutoff, beta, derivativeCutoff]

  /// Everything that the pipeline can be told but for the mode.
  static let all: [any Parameter] =
    [
      numFaces, confidence, presence, tracking, suppression, rotation, compatibility, detector,
      landmarks, modelsPath,
    ] + smoothing

  /// The options that a command line gives, as words for another command.
  static func words(_ arguments: ParsedArguments) -> [String] {
    func word<Value>(_ option: Option<Value>, _ text: (Value) -> String?) -> [String] {
      guard arguments.isGiven(option), let value = text(arguments[option]) else { return [] }
      return ["--\(option.specification.name)", value]
    }
    return word(numFaces) { "\($0)" } + word(confidence) { "\($0)" } + word(presence) { "\($0)" }
      + word(tracking) { "\($0)" } + word(suppression) { $0.map { "\($0)" } }
      + word(rotation) { $0.rawValue } + word(compatibility) { $0.rawValue }
      + word(detector) { $0.rawValue } + word(landmarks) { $0?.rawValue } + word(modelsPath) { $0 }
      + word(minCutoff) { "\($0)" } + word(beta) { "\($0)" } + word(derivativeCutoff) { "\($0)" }
  }

  /// Clockwise turns, in degrees.
  enum Rotation: String, Sendable, CaseIterable {
    case none = "0"
    case quarter = "90"
    case half = "180"
    case threeQuarters = "270"
  }

  /// Puts what the command line says of the pipeline into a plan.
  static func apply(_ arguments: ParsedArguments, mode: RunningMode, to plan: inout EvaluationPlan)
  {
    plan.detector = arguments[detector]
    plan.landmarks = arguments[landmarks]
    plan.settings.runningMode = mode
    plan.settings.compatibility = arguments[compatibility]
    plan.settings.numFaces = arguments[numFaces]
    plan.settings.minFaceDetectionConfidence = arguments[confidence]
    plan.settings.minFacePresenceConfidence = arguments[presence]
    plan.settings.minTrackingConfidence = arguments[tracking]
    plan.settings.minSuppressionThreshold = arguments[suppression]
    plan.settings.smoothing.minCutoff = arguments[minCutoff]
    plan.settings.smoothing.beta = arguments[beta]
    plan.settings.smoothing.derivativeCutoff = arguments[derivativeCutoff]
    plan.settings.outputFaceBlendshapes = true
    plan.settings.outputFacialTransformationMatrixes = true
    plan.rotationDegrees = Int(arguments[rotation].rawValue) ?? 0
    plan.models = arguments[modelsPath].map { URL(fileURLWithPath: $0) }
  }
}
