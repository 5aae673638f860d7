import Checking
import CommandSyntax
import Foundation

/// Options that several commands have; each means the same in all of them.
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
  static let seed = Option(
    "seed", valueName: "n", .integer(in: 0...Int.max), default: 1,
    help: "Random seed; the same seed gives the same result.")
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
  /// The size of images that are made.
  static let side = Option(
    "longest-side", valueName: "pixels", .integer(in: 16...8192), default: 640,
    help: "Longest side of the images that are made, in pixels; larger ones are reduced.")
}
