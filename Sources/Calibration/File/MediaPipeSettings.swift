internal import Records

/// The options of MediaPipe's Face Landmarker that one run, or one setting of a sweep, had.
///
/// There are none for a run that MediaPipe cannot repeat on the platform of a language: what it has no option
/// for must have the value that is fixed there.
struct MediaPipeSettings {
  /// How frames are taken.
  enum Mode: String {
    case image, video, live
  }

  let mode: Mode
  let faces: Int
  /// The options that are confidences, by name without dashes, in MediaPipe's order.
  let confidences: [(option: String, value: Double)]
  /// What a reader of the lines must know beside the evidence, a sentence each.
  private(set) var remarks: [String] = []

  /// The options that MediaPipe's graph fixes, with their values.
  private static let fixed: [(option: String, value: Double)] = [
    ("min-suppression-threshold", 0.5), ("smoothing-min-cutoff", 0.05), ("smoothing-beta", 80),
    ("smoothing-derivative-cutoff", 1),
  ]

  /// The options of a calibration's sweep, else of its run; throws where MediaPipe has no such configuration.
  init(_ file: CalibrationFile, for language: SettingsLanguage) throws(CalibrationError) {
    func refused(_ expected: String, _ found: String) -> CalibrationError {
      .unemittable(language.rawValue, expected: expected, found: found)
    }
    if let tracker = file.tracker {
      throw refused("a run of the pipeline", "the output of \(tracker.prefix(60))")
    }
    let (detector, landmarks) = (
      file.options["detector"] ?? "none",
      file.models.first { $0.stage == "landmarks" }?.name ?? "none"
    )
    guard detector == "short-range", landmarks == "face-landmarks-v2" else {
      throw refused(
        "a run with the models of the Face Landmarker, detector short-range and landmark model "
          + "face-landmarks-v2", "\(detector.prefix(60)) and \(landmarks.prefix(60))")
    }
    func number(_ option: String) throws(CalibrationError) -> Double {
      if let settings = file.settings {
        guard let value = settings.values[option] else {
          throw refused("\(option) among the settings", "none")
        }
        return value
      }
      // The threshold that goes with the landmark model of the Face Landmarker.
      if option == "min-suppression-threshold", file.options[option] == "auto" { return 0.5 }
      guard let value = file.options[option].flatMap(Double.init) else {
        throw refused(
          "a number for \(option) among the options", file.options[option] ?? "none")
      }
      return value
    }
    guard let mode = file.options["mode"].flatMap(Mode.init) else {
      throw refused("mode image, video or live among the options", file.options["mode"] ?? "none")
    }
    let count = try number("num-faces")
    guard let faces = Int(exactly: count), faces > 0 else {
      throw refused("num-faces of 1 or more", "\(count)")
    }
    (self.mode, self.faces) = (mode, faces)
    var confidences: [(option: String, value: Double)] = []
    for option in [
      "min-face-detection-confidence", "min-face-presence-confidence", "min-tracking-confidence",
    ] { confidences.append((option, try number(option))) }
    self.confidences = confidences

    let platform = file.options["compatibility"] ?? "none"
    let tracks = language != .swift
    if mode != .image, platform != (tracks ? "standard" : "ios") {
      throw refused(
        "a run or sweep with --compatibility \(tracks ? "standard" : "ios") in \(mode) mode",
        "--compatibility \(platform): MediaPipe "
          + (tracks
            ? "tracks and smooths there"
            : "on iOS detects in every frame, and neither tracks nor smooths"))
    }
    let smooths = mode != .image && tracks && faces == 1
    for (option, value) in Self.fixed where smooths || !option.hasPrefix("smoothing") {
      let own = try number(option)
      guard own == value else {
        throw refused(
          "\(option) \(value.plainText), which MediaPipe fixes and has no option for",
          "\(own.plainText) (sweep without it, or set it in the run)")
      }
    }
    for (option, value) in Self.fixed where file.settings?.swept.contains(option) == true {
      remarks.append(
        option.hasPrefix("smoothing") && !smooths
          ? "\(option) was swept; nothing is smoothed here."
          : "\(option) was swept; MediaPipe has no option for it and fixes it at \(value.plainText), the "
            + "value here.")
    }
    remarks += platformRemarks(language, rotation: file.options["rotation"] ?? "0")
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
    case .python:
      remarks.append(
        confidences[0].value == confidences[1].value
          ? "mediapipe 0.10.21 takes min_face_detection_confidence as the presence threshold too; here both "
            + "are equal, so nothing has to be changed for it."
          : "mediapipe 0.10.21 takes min_face_detection_confidence as the presence threshold too and ignores "
            + "min_face_presence_confidence: these settings need 0.10.35 or later. For 0.10.21 sweep with both "
            + "equal, and set both to that value.")
    case .kotlin where mode == .live:
      remarks.append("In live stream mode setResultListener must be called before build.")
    case .javascript where mode == .live:
      remarks.append(
        "The web has no live stream mode: detectForVideo takes the frames as they come.")
    default: break
    }
    return remarks
  }
}
