internal import Calibration
internal import FaceCore
internal import FacePipeline
internal import Platform
internal import Records
internal import Running

/// The options of MediaPipe's Face Landmarker that one run, or one setting of a sweep, had.
///
/// What MediaPipe does otherwise on the platform of a language is a warning. There are no options for other models,
/// and where a sweep varied nothing that MediaPipe can set there.
struct MediaPipeSettings {
  let mode: RunningMode
  let faces: Int
  /// The options that are confidences, by name without dashes, in MediaPipe's order.
  let confidences: [(option: String, value: Double)]
  /// What differs from the run that was measured, each without a full stop; empty where MediaPipe can repeat it.
  private(set) var warnings: [String] = []
  /// Remarks for the reader in addition to the evidence, one sentence each.
  private(set) var remarks: [String] = []

  /// Whether MediaPipe with these options does what was measured.
  var isAsMeasured: Bool { warnings.isEmpty }

  /// The settings that MediaPipe's graph fixes, with their values.
  private static let fixed: [(setting: PipelineSetting, value: Double)] =
    PipelineSetting.all.compactMap { setting in
      guard case .fixed(let value) = setting.mediaPipe else { return nil }
      return (setting, value)
    }

  /// The options of a calibration's sweep, else of its run; throws where MediaPipe can use none of what was varied.
  init(_ file: CalibrationFile, for language: SettingsLanguage) throws(CalibrationError) {
    func refused(_ expected: String, _ found: String) -> CalibrationError {
      .unemittable(language.rawValue, expected: expected, found: found)
    }
    if let tracker = file.tracker {
      throw refused("a run of the pipeline", "the output of \(tracker.prefix(60))")
    }
    let (detector, landmarks) = (
      file.options[RunOption.detector] ?? "none",
      file.models.serving(.landmarks)?.name ?? "none"
    )
    let own = (
      detector: DetectorVariant.shortRange.rawValue, landmarks: LandmarkVariant.v2.model.name
    )
    guard detector == own.detector, landmarks == own.landmarks else {
      throw refused(
        "a run with the models of the Face Landmarker, detector \(own.detector) and landmark model "
          + own.landmarks, "\(detector.prefix(60)) and \(landmarks.prefix(60))")
    }
    func number(_ setting: PipelineSetting) throws(CalibrationError) -> Double {
      let name = setting.name
      if let settings = file.settings {
        guard let value = settings.values[name] else {
          throw refused("\(name) among the settings", "none")
        }
        return value
      }
      var options = FaceLandmarkerOptions()
      guard let text = file.options[name], setting.read(text, into: &options) else {
        throw refused("a number for \(name) among the options", file.options[name] ?? "none")
      }
      return setting.value(in: options, landmarks: .v2)
    }
    let modeText = file.options[RunOption.mode]
    guard let mode = modeText.flatMap(RunningMode.init(rawValue:)) else {
      throw refused("mode image, video or live among the options", modeText ?? "none")
    }
    var faces = 1
    var confidences: [(option: String, value: Double)] = []
    for setting in PipelineSetting.all where setting.mediaPipe == .settable {
      let value = try number(setting)
      if setting.isCount {
        guard let count = Int(exactly: value), count > 0 else {
          throw refused("\(setting.name) of 1 or more", "\(value)")
        }
        faces = count
      } else {
        confidences.append((setting.name, value))
      }
    }
    (self.mode, self.faces, self.confidences) = (mode, faces, confidences)

    let platform = file.options[RunOption.compatibility] ?? "none"
    let isIOS = language == .swift
    let tracks = mode != .image && !isIOS
    let smooths = tracks && faces == 1
    // What the language's platform does otherwise than the run, as an error and as a warning say it.
    var differences: [(expected: String, found: String, warning: String)] = []
    let wanted = (isIOS ? Compatibility.ios : .standard).rawValue
    if mode != .image, platform != wanted {
      let smoothing = faces == 1 ? " and smooths" : ""
      differences.append(
        (
          "a run or sweep with --compatibility \(wanted) in \(mode.rawValue) mode",
          "--compatibility \(platform): MediaPipe "
            + (isIOS
              ? "on iOS detects in every frame, and neither tracks nor smooths"
              : "tracks and smooths there"),
          isIOS
            ? "measured as MediaPipe tracks\(smoothing) on other platforms; on iOS it does not: it "
              + "detects in every frame, min-tracking-confidence has no effect, and metrics can differ. "
              + "What iOS does is measured with --compatibility ios"
            : "measured as on iOS, with a detection in every frame; here MediaPipe "
              + "tracks\(smoothing), and metrics can differ. What it does here is measured with "
              + "--compatibility standard"
        ))
    }
    for (setting, value) in Self.fixed where smooths || setting.scope != .smoothing {
      let own = try number(setting)
      guard own != value else { continue }
      differences.append(
        (
          "\(setting.name) \(value.plainText), which MediaPipe fixes and has no option for",
          "\(own.plainText) (sweep without it, or set it in the run)",
          "measured with \(setting.name) \(own.plainText); MediaPipe has no option for it and fixes "
            + "it at \(value.plainText), so that metrics can differ"
        ))
    }
    let canUse = file.settings?.swept.contains { name in
      guard let setting = PipelineSetting.named(name) else {
        return name.hasPrefix(SweepParameter.expressionPrefix)
      }
      return setting.mediaPipe == .settable && (tracks || setting.scope == .everyFrame)
    }
    if canUse == false, let first = differences.first {
      throw refused(first.expected, first.found)
    }
    warnings = differences.map(\.warning)
    for (setting, value) in Self.fixed
    where file.settings?.swept.contains(setting.name) == true {
      let isIdle = setting.scope == .smoothing && !smooths
      let own = try number(setting)
      guard isIdle || own == value else { continue }
      remarks.append(
        isIdle
          ? "\(setting.name) was swept; nothing is smoothed here."
          : "\(setting.name) was swept; MediaPipe has no option for it and fixes it at \(value.plainText), the "
            + "value here.")
    }
    for setting in PipelineSetting.all
    where setting.mediaPipe == .absent && file.settings?.swept.contains(setting.name) == true {
      remarks.append("\(setting.name) was swept; MediaPipe has no such setting.")
    }
    remarks += platformRemarks(language, rotation: file.options[RunOption.rotation] ?? "0")
    if let side = file.options[RunOption.minDecodedSide] {
      remarks.append(
        "JPEG images were decoded at the smallest of 1, 1/2, 1/4 and 1/8 whose longer side has "
          + "\(side.prefix(10)) pixels: decode them as small, or run again with whole images.")
    }
  }

  private func platformRemarks(_ language: SettingsLanguage, rotation: String) -> [String] {
    var remarks: [String] = []
    if rotation != "0" {
      remarks.append(
        "Images were turned clockwise by \(rotation.prefix(10)) degrees: pass that with each image."
      )
    }
    switch language {
    case .swift where mode != .image:
      remarks.append("On iOS the detector runs in every frame; nothing is tracked or smoothed.")
      if mode == .live {
        remarks.append(
          "In live stream mode faceLandmarkerLiveStreamDelegate must be set before the task is made."
        )
      }
    case .python:
      remarks.append(
        confidences[0].value == confidences[1].value
          ? "mediapipe 0.10.21 also uses min_face_detection_confidence as the presence threshold; "
            + "both are equal here, so it needs no change."
          : "mediapipe 0.10.21 also uses min_face_detection_confidence as the presence threshold "
            + "and ignores min_face_presence_confidence: these settings need 0.10.35 or later. For "
            + "0.10.21 sweep with both equal, and set both to that value.")
    case .kotlin where mode == .live:
      remarks.append("In live stream mode setResultListener must be called before build.")
    case .javascript where mode == .live:
      remarks.append(
        "The web has no live stream mode: call detectForVideo with each frame as it arrives.")
    default: break
    }
    return remarks
  }
}
