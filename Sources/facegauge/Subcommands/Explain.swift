import CommandSyntax
import FaceCore
import FacePipeline
import Foundation
import Platform
import Records
import Reporting
import Running
import Scoring

extension Command {
  private typealias Pipeline = PipelineOptions

  private static let image = Argument(
    "image", .path(extensions: ["jpg", "jpeg", "png", "h5", "json"]),
    help: "A JPEG or PNG image, or a dataset with --index or --name.")
  private static let index = Option(
    "index", valueName: "n", .integer(in: 0...Int.max), otherwise: "the image is a file",
    help: "Frame of the dataset, from 0.")
  private static let name = Option(
    "name", valueName: "name", .string, otherwise: "the image is a file",
    help: "Name of the dataset's frame.")
  private static let point = Option(
    "at", valueName: "x,y", .numbers(2, expected: "a point such as 120,80"),
    otherwise: "the labelled faces of a frame",
    help: "Point of the image to ask about, in pixels of the stored image.")
  private static let box = Option(
    "box", valueName: "x,y,w,h", .numbers(4, expected: "a box such as 100,60,40,40"),
    otherwise: "the labelled faces of a frame",
    help: "Box of the image to ask about: left, top, width and height in pixels.")
  private static let looks = Option(
    "looks", valueName: "n", .integer(in: 1...1000), default: 8,
    help: "Number of candidates that the landmark model looks at, best first.")
  private static let output = Option(
    "output", short: "o", valueName: "file.html", .path(extensions: ["html"]),
    otherwise: "no page is written", help: "Page to write; replaced if it exists.")
  private static let png = Option(
    "png", valueName: "file.png", .path(extensions: ["png"]), otherwise: "no drawing is written",
    help: "Drawing to write; replaced if it exists.")

  /// `facegauge explain`.
  static let explain = Command(
    CommandDeclaration(
      "explain", abstract: "Show why a face of an image was found or not",
      discussion: """
          facegauge explain group.jpg --at 410,220 --num-faces 10
          facegauge explain faces.h5 --index 12 -o explain.html

        Runs the pipeline on one image and shows what decided: every answer of the detector with \
        its score, what suppression made of it, the region, and the presence that the landmark \
        model saw there, each against its setting. For a candidate that the settings leave out the \
        pipeline runs again with a minimum score that it reaches, so that the answer says whether \
        it would be found, not just detected. If the model of the other detector is there, it is \
        asked the same.

        --at and --box ask about a place: the best candidate whose box holds the point, or that \
        overlaps the box by an IoU of .50, is explained. Without them the labelled faces of a \
        dataset's frame are asked about. A frame of a video is analysed alone, as in image mode.

        In the drawing, blue boxes with a score are detections, red ones with a number candidates \
        that the settings leave out; turned rectangles are regions with their presence.
        """,
      arguments: [image],
      options: [index, name, point, box] + Pipeline.thresholds + Pipeline.choices + [
        Pipeline.modelsPath, looks, output, png, json,
      ] + Pipeline.smoothing,
      essentials: [
        "index", "at", "box", "num-faces", "min-face-detection-confidence", "output", "png", "json",
      ])
  ) { arguments in
    let plan = try plan(arguments)
    try check(arguments)
    let outcome = try FaceExplainer(plan).run()
    if let file = arguments[png] {
      try OutputFolder.write(Data(outcome.png), to: URL(fileURLWithPath: file))
    }
    if let file = arguments[output] {
      let name = "drawing.jpg"
      let report = ExplanationReport(
        outcome.explanation,
        image: Record.Image(
          file: name, frame: outcome.explanation.source,
          caption: "what the pipeline found, and what it left out", width: outcome.jpegWidth,
          height: outcome.jpegHeight))
      try OutputFolder.write(
        report.document.html(images: { $0 == name ? outcome.jpeg : nil }),
        to: URL(fileURLWithPath: file))
    }
    try arguments.print(
      outcome.explanation, text: ExplanationText(explanation: outcome.explanation).lines.printed)
    return .success
  }

  /// Throws where a file to write is the image, or both are the same.
  private static func check(_ arguments: ParsedArguments) throws {
    let source = URL(fileURLWithPath: arguments[image]).withoutLinks
    let files = [arguments[output], arguments[png]].compactMap(\.self)
    let targets = files.map { URL(fileURLWithPath: $0).withoutLinks }
    for (file, target) in zip(files, targets)
    where target == source || targets.count(where: { $0 == target }) > 1 {
      throw CommandFailure(
        .cannotWrite,
        "cannot write \(file): expected a file of its own, found "
          + (target == source ? "the image" : "the same twice"))
    }
  }

  private static func plan(_ arguments: ParsedArguments) throws -> ExplanationPlan {
    let url = URL(fileURLWithPath: arguments[image])
    var pipeline = RunPlan(dataset: url, run: url)
    Pipeline.applyFaces(arguments, mode: .image, to: &pipeline)
    var plan = ExplanationPlan(pipeline)
    plan.looks = arguments[looks]
    try arguments.refuse(index, with: name)
    plan.frame =
      arguments[index].map { .index($0) } ?? arguments[name].map { .name($0) }
    if plan.frame == nil, ["h5", "json"].contains(url.pathExtension.lowercased()) {
      throw arguments.usageError("a dataset requires '--index' or '--name'")
    }
    try arguments.refuse(point, with: box)
    if let numbers = arguments[point] {
      plan.place = .point(Point(x: numbers[0], y: numbers[1]))
    }
    if let numbers = arguments[box] {
      guard numbers[2] > 0, numbers[3] > 0 else {
        throw arguments.usageError(
          "invalid value for '--box': expected a width and height above 0, found "
            + "\(numbers[2].plainText) and \(numbers[3].plainText)")
      }
      plan.place = .box(
        BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
    }
    return plan
  }
}

extension ValueSyntax<[Double]> {
  /// So many numbers with commas between them.
  fileprivate static func numbers(_ count: Int, expected: String) -> Self {
    let number = ValueSyntax<Double>.number()
    return Self { word throws(ValueMismatch) in
      let parts = word.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == count else { throw ValueMismatch(expected: expected) }
      var values: [Double] = []
      for part in parts {
        guard let value = try? number.parse(String(part)) else {
          throw ValueMismatch(expected: expected)
        }
        values.append(value)
      }
      return values
    } write: {
      $0.map(\.plainText).joined(separator: ",")
    }
  }
}
