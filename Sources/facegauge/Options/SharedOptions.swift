import Checking
import CommandSyntax
import FacePipeline
import Scoring

/// Parameters that several commands have; each means the same in all of them.
extension Command {
  /// Whether what is there may be replaced.
  static let force = Flag(
    "force", help: "Replace the output if it exists, also an unfinished one.")
  /// Whether an interrupted command goes on.
  static let resume = Flag(
    "resume", help: "Continue an interrupted command with the same input and settings.")
  /// Whether programs will read the output.
  static let json = Flag("json", help: "Print JSON instead of text.")
  /// Whether reports go without photographs.
  static let withoutImages = Flag(
    "no-images", help: "Omit all photographs; frames are then drawn without their images.")
  /// Where random numbers begin.
  static let seed = seedOption(default: 1)
  /// The same with a default of a command's own.
  static func seedOption(default value: Int) -> Option<Int> {
    Option(
      "seed", valueName: "n", .integer(in: 0...Int.max), default: value,
      help: "Random seed; the same seed gives the same result.")
  }
  /// How often data are resampled.
  static let resamples = Option(
    "resamples", valueName: "n", .integer(in: 0...100_000), default: 1000,
    help: "Number of resamples for the 95 % intervals; 0 omits the intervals.")
  /// The smallest slice.
  static let minSliceCount = Option(
    "min-slice", valueName: "n", .integer(in: 1...Int.max), default: 30,
    help: "Minimum sample count per slice; smaller slices are suppressed.")
  /// How many images may be broken.
  static let maxBadFrames = Option(
    "max-bad-frames", valueName: "n", .integer(in: 0...Int.max), default: 0,
    help: "Maximum number of broken images to skip; one more ends the run with status 65.")
  /// The limits.
  static let gates = Option(
    "gates", valueName: "gates.json", .path(extensions: ["json"]), otherwise: "no gates",
    help: "Limits on the metrics and their changes; 'help evaluate' shows an example.")
  /// What an inconclusive gate does.
  static let inconclusive = Option(
    "inconclusive", valueName: "verdict", .choice(InconclusiveGates.self), default: .fail,
    help: "Exit status for an inconclusive gate: fail is status 3, pass is 0.")
  /// Findings that a person has looked at.
  static let accept = Option(
    repeating: "accept", valueName: "finding", .choice(of: Findings.names),
    help: "Let gates decide in spite of this suspect finding; give it once per finding.")
  /// The rules of expressions.
  static let expressions = Option(
    "expressions", valueName: "rules.json", .path(extensions: ["json"]),
    otherwise: "happy, sad, angry and neutral",
    help: "Expression rules over blendshapes; 'help evaluate' shows an example.")
  /// How labelled numbers are compared.
  static let attributes = Option(
    "attributes", valueName: "attributes.json", .path(extensions: ["json"]),
    otherwise: "shared names, as numbers",
    help: "How labelled numbers such as action units are compared with other trackers' output.")
  /// The dataset of a run.
  static let datasetOfRun = Option(
    "dataset", valueName: "dataset.h5", .path(extensions: ["h5", "json"]),
    otherwise: "the path in the run's record", help: "The dataset of the run.")
  /// A recording with a clock of its own.
  static let recording = Option(
    "recording", valueName: "take.h5", .path(extensions: ["h5"]),
    otherwise: "the dataset's labelled blendshapes",
    help: "Imported recording of the run's videos with labelled blendshapes and its own clock.")
  /// The offset of that clock.
  static let timeOffset = Option(
    "time-offset", valueName: "seconds", .number(in: -86_400...86_400),
    otherwise: "estimated from the blendshapes",
    help: "Seconds to add to the recording's times; both clocks start at 0.")
  /// The dataset to read, and what a command needs of it.
  static func datasetArgument(_ help: String) -> Argument<String> {
    Argument("dataset.h5", .path(extensions: ["h5", "json"]), help: help)
  }
  /// The dataset to write.
  static func madeDataset(
    _ name: String = "out.h5", help: String = "The dataset to write."
  ) -> Option<String> {
    Option(required: "output", short: "o", valueName: name, .path(extensions: ["h5"]), help: help)
  }
  /// The folder of a new run.
  static func newRun(_ contents: String) -> Option<String> {
    Option(
      required: "output", short: "o", valueName: "run", .directory,
      help: "Folder to create for \(contents).")
  }
  /// The name of a dataset that is written.
  static let datasetName = Option(
    "name", .string, otherwise: "the output's file name",
    help: "Name of the dataset in reports.")
  /// Which of some things to make.
  static func chosen(_ names: [String], help: String) -> Option<[String]?> {
    Option("by", valueName: "names", .list(of: names), otherwise: "all of them", help: help)
  }
  /// How frames follow one another, in one of the modes that a command has.
  static func modeOption(
    _ modes: [RunningMode], default mode: RunningMode, help: String
  ) -> Option<RunningMode> {
    Option(
      "mode", valueName: "mode", .choice(modes.map { ($0.rawValue, $0) }), default: mode,
      help: help)
  }
  /// How long clips are that are made.
  static func framesPerClip(default count: Int) -> Option<Int> {
    Option(
      "frames-per-clip", valueName: "n", .integer(in: 2...100_000), default: count,
      help: "Length of a clip, in frames.")
  }
  /// The frame rate of clips that are made.
  static let clipRate = Option(
    "fps", valueName: "rate", .number(in: 0.001...1000), default: 30,
    help: "Frame rate of the timestamps, in frames per second.")
  /// The size of images that are made.
  static let side = Option(
    "longest-side", valueName: "pixels", .integer(in: 16...8192), default: 640,
    help: "Longest side of the images that are made, in pixels; larger ones are reduced.")
}

extension ValueSyntax<FrameSelection> {
  /// `FIRST:END:STEP`, or one number.
  static var frames: Self {
    Self { word throws(ValueMismatch) in
      guard let frames = FrameSelection(word) else {
        throw ValueMismatch(expected: "frames such as 7, 0:100 or 0:100:5")
      }
      return frames
    }
  }
}
