import CommandSyntax
import Datasets
import FaceCore
import Foundation
import Rendering

extension Command {
  private static let output = madeDataset(
    "faces.h5", help: "The dataset of rendered faces to write.")
  private static let design = Option(
    required: "design", valueName: "name", .choice(RenderDesign.self),
    help: "What the images vary; '--help' describes each.")
  private static let people = Option(
    "people", valueName: "n", .integer(in: 1...10_000), default: 12,
    help: "How many heads; the first n are the same for each larger number.")
  private static let source = Option(
    "from", valueName: "folder", .path, otherwise: "fetched from its repository",
    help: "ICT-FaceKit's folder FaceXModel.")
  private static let identities = Option(
    "identities", valueName: "n", .integer(in: 0...100), default: 12,
    help: "How many of ICT-FaceKit's identity meshes the heads are mixed from.")
  private static let size = Option(
    "size", valueName: "pixels", .integer(in: 64...4096), default: 480,
    help: "Width and height of the images, in pixels.")
  private static let fieldOfView = Option(
    "fov", valueName: "degrees", .number(in: 5...120), default: HeadPose.verticalFieldOfViewDegrees,
    help: "The camera's field of view, in degrees; MediaPipe's poses assume the default.")
  private static let noise = Option(
    "noise", valueName: "steps", .number(in: 0...64), default: 1.5,
    help: "Standard deviation of the camera's noise, in steps of 8 bits.")
  private static let images = Option(
    "images-per-person", valueName: "n", .integer(in: 1...100_000), default: 50,
    help: "Images of each head in the design 'random'.")
  private static let frames = framesPerClip(default: 90)

  /// The designs, one line each.
  private static var designs: String {
    RenderDesign.allCases.map { design in
      "  \(design.rawValue)".padding(toLength: 12, withPad: " ", startingAt: 0) + design.summary
    }.joined(separator: "\n")
  }

  /// `facegauge render`.
  static let render = Command(
    CommandDeclaration(
      "render", abstract: "Render faces whose coefficients and pose are known",
      discussion: """
          facegauge render --design response --people 12 -o faces.h5
          facegauge evaluate faces.h5 -o run

        Draws heads of ICT-FaceKit (MIT licence) and labels them by their geometry: box, 68 \
        points, 51 coefficients, and the pose with the position in centimetres. The designs:

        \(designs)

        Skin is flat paint, and so are brows, lips and irises; there are no lashes, wrinkles or \
        shadows. Results on brows and eyes are lower bounds. The same options and seed give the \
        same images.

        Attributes of each frame have its distance, skin tone and light, so that 'evaluate' makes \
        slices of them.
        """,
      options: [
        output, design, people, seed, source, identities, size, fieldOfView, noise, images, frames,
        clipRate, force,
      ], essentials: ["output", "design", "people", "seed", "from", "images-per-person"])
  ) { arguments in
    let design = arguments[design]
    let target = URL(fileURLWithPath: arguments[output])
    let plan = RenderPlan(
      design: design, people: arguments[people], seed: UInt64(arguments[seed]),
      imagesPerPerson: arguments[images], framesPerClip: arguments[frames],
      framesPerSecond: arguments[clipRate])
    let writer = try DatasetWriter(
      target, name: "rendered \(design.rawValue)",
      source: "facegauge render of ICT-FaceKit, design \(design.rawValue), "
        + "\(plan.people) people of \(arguments[identities]) identities, seed \(plan.seed)",
      licence: "rendered from ICT-FaceKit, MIT licence", replacing: arguments[force])
    let folder = try FaceKitSource.folder(arguments[source], identities: arguments[identities])
    let renderer = HeadRenderer(
      kit: try FaceKit(folder: folder, identities: arguments[identities]),
      camera: RenderCamera(
        size: ImageSize(width: arguments[size], height: arguments[size]),
        verticalFieldOfViewDegrees: arguments[fieldOfView]), noise: arguments[noise])
    try ShapedDataset.make(
      "Rendering", steps: plan.frameCount(camera: renderer.camera), writer: writer
    ) { advance, isInterrupted in
      try plan.run(renderer, into: writer, advance: advance, isInterrupted: isInterrupted)
    }
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }
}
