import CommandSyntax
import Datasets
import FaceCore
import Foundation
import Platform
import Running

extension Command {
  private static let dataset = datasetArgument("A dataset with images and labelled faces.")
  private static let output = madeDataset(
    help: "The dataset to write, a copy with the attributes.")
  private static let names = chosen(
    ComputedAttribute.all.map(\.name), help: "Attributes to compute.")

  /// One line per attribute: name, slices, what it measures.
  private static var catalogue: String {
    ComputedAttribute.all.map { attribute in
      let name = "  \(attribute.name)".padding(toLength: 13, withPad: " ", startingAt: 0)
      return "\(name)\(attribute.quantity)\n             "
        + "slices \(attribute.sliceNames.joined(separator: ", "))"
    }.joined(separator: "\n")
  }

  /// `facegauge annotate`.
  static let annotate = Command(
    CommandDeclaration(
      "annotate", abstract: "Compute attributes of labelled faces from their images, to slice by",
      discussion: """
          facegauge annotate faces.h5 --by luminance,sharpness -o annotated.h5
          facegauge evaluate annotated.h5 -o run

        The copy has the attribute computed.NAME for each face that counts. 'evaluate' makes slices \
        of it, such as computed.luminance=20-40, and tests the gaps between them.

        \(catalogue)

        The face is its labelled box, reduced to 256 pixels; a face with less than 16 pixels of a \
        side in the image has no attributes but yaw. L* is CIE lightness of sRGB under D65.

        yaw is read by the landmark model where the face is labelled, without the detector, so \
        that missed faces have one too. A face that the model does not recognise has none and is \
        in no slice of it.

        skin-tone is the angle atan((L* - 50) / b*) of the median colors of a square on each cheek. \
        Its centre is halfway between the outer corner of the eye and the corner of the mouth on \
        the same side of the face, its side 15 % of the distance of the two outer eye corners. Of \
        five points the eye takes the place of its corner. The corners are labelled points \
        (\(FaceMeasures.cornerSchemes)), else the landmark model's. A side with a hidden corner is \
        left out. It describes the image, not the person: light, white balance and make-up change \
        it. Gray images have none. Dermatologists divide at -30, 10, 28, 41 and 55 degrees.
        """,
      arguments: [dataset],
      options: [output, names, PipelineOptions.modelsPath, force])
  ) { arguments in
    let reader = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let chosen = arguments[names]
    var plan = DatasetAnnotation(
      ComputedAttribute.all.filter { chosen?.contains($0.name) ?? true })
    guard reader.isLabelled, reader.withoutImageCount < reader.frameCount else {
      throw FileError.wrongData(
        "cannot annotate \(arguments[dataset]): expected labelled faces and their images, found no "
          + (reader.isLabelled ? "images" : "labels"))
    }
    if let models = try landmarkModel(for: plan, arguments[PipelineOptions.modelsPath]) {
      plan.look = { (label, image) throws(FileError) in try models.sight(of: label, in: image) }
    }
    let writer = try ShapedDataset.writer(
      arguments[output], of: [reader], replacing: arguments[force])
    let summary = try ShapedDataset.make("Annotating", steps: reader.frameCount, writer: writer) {
      try plan.run(over: reader, into: writer, advance: $0, isInterrupted: $1)
    }
    ShapedDataset.tell(summary.remarks)
    try StandardOutput.write(table(of: plan, summary))
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }

  /// The landmark model where an attribute needs it; nil where it is only of use and not there.
  private static func landmarkModel(
    for plan: DatasetAnnotation, _ models: String?
  ) throws -> LabelledFaceReader? {
    guard plan.attributes.contains(.yaw) || plan.attributes.contains(.skinTone) else { return nil }
    do {
      return try LabelledFaceReader(models: models.map { URL(fileURLWithPath: $0) })
    } catch {
      guard !plan.attributes.contains(.yaw), EvaluationError(error).kind == .modelMissing else {
        throw error
      }
      Diagnostics.standardError.note(
        "no landmark model: only faces with labelled corners of eyes and mouth have a skin-tone")
      return nil
    }
  }

  /// The faces of each slice, one line per attribute.
  private static func table(
    of plan: DatasetAnnotation, _ summary: DatasetAnnotation.Summary
  ) -> String {
    zip(plan.attributes, summary.slices).map { attribute, counts in
      let defined = counts.reduce(0, +)
      var parts = zip(attribute.sliceNames, counts).map { "\($0) \($1)" }
      if defined < summary.faces { parts.append("undefined \(summary.faces - defined)") }
      return "\(attribute.attribute): \(parts.joined(separator: ", "))\n"
    }.joined()
  }
}
