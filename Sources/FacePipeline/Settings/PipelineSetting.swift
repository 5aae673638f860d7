/// A numeric setting of the pipeline, with one name everywhere.
///
/// Command-line options, validation, storage in predictions and records, reading back, the parameters of sweeps and
/// emitted code follow from `PipelineSetting.all`.
package struct PipelineSetting: Sendable {
  /// When the number has an effect.
  package enum Scope: Sendable {
    /// Always.
    case everyFrame
    /// Where faces are tracked and there may be several.
    case trackedFaces
    /// Where landmarks are smoothed over time.
    case smoothing
  }

  /// Whether MediaPipe's own API can set the number.
  package enum MediaPipeOption: Sendable, Hashable {
    /// It has an option of the same name.
    case settable
    /// It has no option and always takes this value.
    case fixed(Double)
    /// It has no such number, and its results do not depend on it.
    case absent
  }

  /// Where the options hold the number.
  private enum Storage: Sendable {
    case number(any WritableKeyPath<FaceLandmarkerOptions, Double> & Sendable)
    /// A number that follows from the landmark model where it is nil.
    case automatic(
      any WritableKeyPath<FaceLandmarkerOptions, Double?> & Sendable,
      @Sendable (LandmarkVariant) -> Double)
    case count(any WritableKeyPath<FaceLandmarkerOptions, Int> & Sendable)
  }

  /// Name in options, files and sweeps, such as `min-tracking-confidence`.
  package let name: String
  /// The word for its value in help, such as `score`.
  package let valueName: String
  /// What it is, for lists and labels.
  package let meaning: String
  /// The unit; `1` for a plain number.
  package let unit: String
  /// The values that it may take.
  package let range: ClosedRange<Double>
  /// When it has an effect.
  package let scope: Scope
  /// What MediaPipe can do with it.
  package let mediaPipe: MediaPipeOption
  /// The help of its option.
  package let help: String
  /// What the default is where it depends on the model; nil where it is a number.
  private let defaultNote: String?
  private let storage: Storage

  private init(
    _ name: String, _ storage: Storage, valueName: String, _ meaning: String, unit: String = "1",
    in range: ClosedRange<Double> = 0...1, scope: Scope = .everyFrame,
    mediaPipe: MediaPipeOption, defaultNote: String? = nil, help: String
  ) {
    self.name = name
    self.storage = storage
    self.valueName = valueName
    self.meaning = meaning
    self.unit = unit
    self.range = range
    self.scope = scope
    self.mediaPipe = mediaPipe
    self.defaultNote = defaultNote
    self.help = help
  }

  /// Name of the maximum number of faces.
  package static let numFaces = "num-faces"
  /// Name of the minimum score of a detection.
  package static let detectionConfidence = "min-face-detection-confidence"
  /// Name of the presence that a face must exceed.
  package static let presenceConfidence = "min-face-presence-confidence"
  /// Name of the overlap above which two boxes are one face.
  package static let suppressionThreshold = "min-suppression-threshold"

  /// Every number, in the order of help; a line adds one.
  package static let all: [PipelineSetting] = [
    PipelineSetting(
      numFaces, .count(\.numFaces), valueName: "n", "maximum number of faces", in: 1...1000,
      mediaPipe: .settable,
      help: "Maximum number of faces in a frame, best first; 1 also smooths landmarks over time."),
    PipelineSetting(
      detectionConfidence, .number(\.minFaceDetectionConfidence), valueName: "score",
      "minimum score of a detection", mediaPipe: .settable,
      help: "Minimum score of a detected face."),
    PipelineSetting(
      presenceConfidence, .number(\.minFacePresenceConfidence), valueName: "score",
      "presence that a face must exceed", mediaPipe: .settable,
      help: "Presence that a face must exceed to be kept."),
    PipelineSetting(
      "min-tracking-confidence", .number(\.minTrackingConfidence), valueName: "iou",
      "IoU above which a detection replaces a tracked face", scope: .trackedFaces,
      mediaPipe: .settable,
      help: "IoU above which a detection replaces a tracked face; no score is compared with it."),
    PipelineSetting(
      suppressionThreshold,
      .automatic(\.minSuppressionThreshold, { $0.suppressionThreshold }), valueName: "iou",
      "IoU above which two detections are one face", mediaPipe: .fixed(0.5),
      defaultNote: "0.5; 0.3 with the attention model",
      help: "IoU above which two boxes are one face; MediaPipe's Face Detector has 0.3."),
    PipelineSetting(
      "smoothing-min-cutoff", .number(\.smoothing.minCutoff), valueName: "hz",
      "One-Euro cutoff at rest, Hz", unit: "Hz", in: 1e-6...1e6, scope: .smoothing,
      mediaPipe: .fixed(0.05), help: "One-Euro cutoff at rest; MediaPipe's API cannot set it."),
    PipelineSetting(
      "smoothing-beta", .number(\.smoothing.beta), valueName: "number",
      "One-Euro rise of the cutoff with speed, Hz per object size per second",
      unit: "Hz per object size/s", in: 0...1e6, scope: .smoothing, mediaPipe: .fixed(80),
      help: "Rise of the cutoff in Hz per face size per second; higher values lag less."),
    PipelineSetting(
      "smoothing-derivative-cutoff", .number(\.smoothing.derivativeCutoff), valueName: "hz",
      "One-Euro cutoff of the speed, Hz", unit: "Hz", in: 1e-6...1e6, scope: .smoothing,
      mediaPipe: .fixed(1), help: "One-Euro cutoff of the speed."),
  ]

  /// Those that a sweep can vary.
  package static let swept = all.filter { !$0.isCount }

  /// The setting of a name; nil for a name that none has.
  package static func named(_ name: String) -> PipelineSetting? { all.first { $0.name == name } }

  /// Whether it is a whole number.
  package var isCount: Bool { if case .count = storage { true } else { false } }

  /// The value in some options; nil where it follows from the landmark model.
  package func value(in options: FaceLandmarkerOptions) -> Double? {
    switch storage {
    case .number(let path): options[keyPath: path]
    case .automatic(let path, _): options[keyPath: path]
    case .count(let path): Double(options[keyPath: path])
    }
  }

  /// The value in some options with a landmark model; nil stands for no such model.
  package func value(in options: FaceLandmarkerOptions, landmarks: LandmarkVariant?) -> Double {
    switch storage {
    case .number(let path): options[keyPath: path]
    case .automatic(let path, let automatic): options[keyPath: path] ?? automatic(landmarks ?? .v2)
    case .count(let path): Double(options[keyPath: path])
    }
  }

  /// Sets the value; a count takes whole numbers alone.
  package func set(_ value: Double, in options: inout FaceLandmarkerOptions) {
    switch storage {
    case .number(let path): options[keyPath: path] = value
    case .automatic(let path, _): options[keyPath: path] = value
    case .count(let path): options[keyPath: path] = Int(value)
    }
  }

  /// The default as help shows it.
  package var defaultText: String { defaultNote ?? Self.text(value(in: FaceLandmarkerOptions())) }

  /// Why the number cannot change anything with these options; nil where it can.
  package func idleReason(with options: FaceLandmarkerOptions) -> String? {
    switch scope {
    case .everyFrame: nil
    case .trackedFaces:
      !options.tracks
        ? "each frame is analysed on its own, nothing is tracked"
        : options.numFaces == 1
          ? "it is an overlap threshold, not a score: with one face the detector does not run while "
            + "a face is tracked, so that there is nothing to overlap" : nil
    case .smoothing:
      options.smooths ? nil : "smoothing acts between frames, in video mode with num-faces 1"
    }
  }
}

extension PipelineSetting {
  /// The text in files for a value that follows from the landmark model.
  package static let automatic = "auto"

  /// The value as files and records hold it.
  package func text(in options: FaceLandmarkerOptions) -> String {
    guard let value = value(in: options) else { return Self.automatic }
    return isCount ? "\(Int(value))" : "\(value)"
  }

  /// All values by name, as files and records hold them.
  package static func texts(of options: FaceLandmarkerOptions) -> [String: String] {
    Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.text(in: options)) })
  }

  /// Reads a value that `text(in:)` wrote; false where it is none.
  package func read(_ text: String, into options: inout FaceLandmarkerOptions) -> Bool {
    if case .automatic(let path, _) = storage, text == Self.automatic {
      options[keyPath: path] = nil
      return true
    }
    guard let value = Double(text), range.contains(value), !isCount || value == value.rounded()
    else { return false }
    set(value, in: &options)
    return true
  }

  /// Throws for a value that is out of its range.
  func validate(_ options: FaceLandmarkerOptions) throws(FaceLandmarkerError) {
    guard let value = value(in: options), !range.contains(value) else { return }
    throw FaceLandmarkerError(
      .invalidOption, "make a face landmarker",
      expected: "\(name) from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))",
      found: isCount ? "\(Int(value))" : "\(value)")
  }

  private static func text(_ value: Double?) -> String {
    let text = value.map { "\($0)" } ?? automatic
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension PipelineSetting: Hashable {
  package static func == (first: PipelineSetting, second: PipelineSetting) -> Bool {
    first.name == second.name
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
