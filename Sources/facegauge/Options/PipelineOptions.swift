import CommandSyntax
import FacePipeline
import Foundation
import Platform
import Running

/// The options of every command that runs the pipeline, except the mode.
enum PipelineOptions {
  /// Which detector runs.
  static let detector = Option(
    "detector", valueName: "range", .choice(DetectorVariant.self), default: .shortRange,
    help: "BlazeFace model; short-range is the one of MediaPipe's Face Landmarker.")
  /// Which landmark model runs.
  static let landmarks = Option(
    "landmarks", valueName: "model", .choice(LandmarkVariant.self),
    otherwise: "v2 if its bundle is present, else attention",
    help: "Landmark model: v2 is the Face Landmarker's, attention the legacy Face Mesh's.")
  /// How images are turned.
  static let rotation: Option<Int> = Option(
    "rotation", valueName: "degrees", .choice([0, 90, 180, 270].map { ("\($0)", $0) }), default: 0,
    help: "Clockwise rotation that makes the images upright, in degrees.")
  /// How small JPEG images are decoded.
  static let minDecodedSide = Option(
    "min-decoded-side", valueName: "pixels", .integer(in: 64...65_500),
    otherwise: "every image is decoded whole",
    help: "Decode JPEGs at the smallest of 1, 1/2, 1/4 and 1/8 of their size whose longer side is "
      + "still this long.")
  /// Whose behaviour is copied.
  static let compatibility = Option(
    "compatibility", valueName: "platform", .choice(Compatibility.self), default: .standard,
    help: "Platform to emulate; on ios, video and live mode neither track nor smooth.")
  /// Where the models are.
  static let modelsPath = Option(
    "models", valueName: "path", .path, otherwise: "the cache that 'models pull' fills",
    help: "Folder of model files, .task bundle or .tflite model.")
  /// What runs in place of the blendshape model.
  static let blendshapes = Option(
    "blendshapes", valueName: "head.json", .path(extensions: ["json"]),
    otherwise: "MediaPipe's model",
    help: "Blendshape head of 'facegauge fit blendshapes' to run in place of the model.")
  /// The card of a detector of the user's.
  static let detectorModel = Option(
    "detector-model", valueName: "card.json", .path(extensions: ["json"]),
    otherwise: "the model of --detector",
    help: "Card of your own TFLite detector to run instead; the guide OwnModels describes cards.")
  /// The card of a landmark model of the user's.
  static let landmarkModel = Option(
    "landmark-model", valueName: "card.json", .path(extensions: ["json"]),
    otherwise: "the model of --landmarks",
    help: "Card of your own TFLite landmark model to run instead; only with --mode image.")
  /// The files that the pipeline is made of.
  static let files: [any Parameter] = [modelsPath, blendshapes, detectorModel, landmarkModel]

  /// The pipeline's numeric options.
  static let numbers = PipelineSetting.all.map { option($0) }
  /// Those that do not smooth.
  static let thresholds = parameters { $0.scope != .smoothing }
  /// The same with any number as the minimum score, since other trackers' scores have scales of their own.
  static let thresholdsOfAnyTracker = replacing(
    PipelineSetting.detectionConfidence, in: thresholds, .number(),
    help: "Minimum score of a face, 0 to 1; any number with another tracker's --predictions.")
  /// Those that smooth.
  static let smoothing = parameters { $0.scope == .smoothing }
  /// Options that are no thresholds: models, compatibility, and how images come in.
  static let choices: [any Parameter] = [
    rotation, minDecodedSide, compatibility, detector, landmarks,
  ]

  /// All options of the pipeline except the mode.
  static let all = thresholds + choices + files + smoothing

  /// The option of a setting, with a command's own syntax or help if it needs one.
  static func option(
    _ setting: PipelineSetting, _ syntax: ValueSyntax<Double>? = nil, help: String? = nil
  ) -> Option<Double?> {
    Option(
      setting.name, valueName: setting.valueName,
      syntax ?? (setting.isCount ? .whole(in: setting.range) : .number(in: setting.range)),
      otherwise: setting.defaultText, help: help ?? setting.help)
  }

  /// Options of which that of one setting has a command's own syntax or help.
  static func replacing(
    _ name: String, in options: [any Parameter], _ syntax: ValueSyntax<Double>? = nil, help: String
  ) -> [any Parameter] {
    options.map { parameter -> any Parameter in
      guard parameter.specification.name == name, let setting = PipelineSetting.named(name) else {
        return parameter
      }
      return option(setting, syntax, help: help)
    }
  }

  /// The options of some settings.
  static func parameters(_ isMeant: (PipelineSetting) -> Bool) -> [any Parameter] {
    zip(PipelineSetting.all, numbers).filter { isMeant($0.0) }.map(\.1)
  }

  /// The pipeline's options on a command line, for another command.
  static func given(in arguments: ParsedArguments) -> [(name: String, value: String)] {
    let names = Set(all.map(\.specification.name))
    return arguments.given { names.contains($0.name) }
  }

  /// Copies the pipeline options of the command line into a plan.
  static func apply(
    _ arguments: ParsedArguments, mode: RunningMode, to plan: inout RunPlan
  ) throws {
    applyFaces(arguments, mode: mode, to: &plan)
    plan.blendshapeHead = arguments[blendshapes].map { URL(fileURLWithPath: $0) }
    plan.own = try own(arguments, mode: mode)
  }

  /// Reads the cards of the user's models, for commands that have the options.
  private static func own(_ arguments: ParsedArguments, mode: RunningMode) throws -> OwnModels {
    func url(_ option: Option<String?>, insteadOf other: any Parameter) throws -> URL? {
      try arguments.refuse(option, with: other)
      guard arguments.isGiven(option), let path = arguments[option] else { return nil }
      return URL(fileURLWithPath: path)
    }
    let detector = try url(detectorModel, insteadOf: detector)
    let landmarks = try url(landmarkModel, insteadOf: landmarks)
    guard landmarks == nil || mode == .image else {
      throw arguments.usageError(
        "'--landmark-model' requires '--mode image': a tracked region would follow from points whose "
          + "crop the model does not expect")
    }
    return OwnModels(
      detector: try detector.map { try DetectorCard($0) },
      landmarks: try landmarks.map { try LandmarkCard($0) })
  }

  /// Copies those of faces and their points alone, for commands without `--blendshapes`.
  static func applyFaces(
    _ arguments: ParsedArguments, mode: RunningMode, to plan: inout RunPlan
  ) {
    plan.detector = arguments[detector]
    plan.landmarks = arguments[landmarks]
    plan.settings.runningMode = mode
    plan.settings.compatibility = arguments[compatibility]
    for (setting, option) in zip(PipelineSetting.all, numbers) {
      if let value = arguments[option] { setting.set(value, in: &plan.settings) }
    }
    plan.settings.outputFaceBlendshapes = true
    plan.settings.outputFacialTransformationMatrixes = true
    plan.rotationDegrees = arguments[rotation]
    plan.minDecodedSide = arguments[minDecodedSide]
    plan.models = arguments[modelsPath].map { URL(fileURLWithPath: $0) }
  }
}
