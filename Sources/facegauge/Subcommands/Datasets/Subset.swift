import CommandSyntax
import Datasets
import Foundation
import Scoring

extension Command {
  private static let dataset = datasetArgument("The dataset to take from.")
  private static let output = madeDataset()
  private static let conditions = Option(
    repeating: "where", valueName: "condition", condition,
    help:
      "Condition such as headYaw>=30deg or expression=happy,sad; may be repeated, all must hold.")
  private static let ofSplit = Option(
    "split", valueName: "name", .string, otherwise: "all frames",
    help: "Split to take frames from.")
  private static let frames = Option(
    "frames", valueName: "first:end:step", .frames, otherwise: "all frames",
    help: "Frames to take, without END; each of the three parts may be empty.")
  private static let schemes = Option(
    "schemes", valueName: "names", .list(of: DatasetSubset.schemeNames), otherwise: "all of them",
    help: "Landmark schemes to keep.")
  private static let others = Option(
    "others", valueName: "treatment", .choice(DatasetSubset.Others.self), default: .keep,
    help: "How to treat the other faces of a kept frame, see above.")
  private static let strict = Flag(
    "strict", help: "Fail if tables that are not part of the format would be left out.")

  private static let condition = ValueSyntax<FaceCondition>(
    parse: { word throws(ValueMismatch) in
      guard let condition = FaceCondition(word) else {
        throw ValueMismatch(
          expected: "a field, one of = != < <= > >=, and a value, such as yaw>=0.5")
      }
      return condition
    }, write: { $0.text })

  /// `facegauge subset`.
  static let subset = Command(
    CommandDeclaration(
      "subset", abstract: "Copy the frames of a dataset that satisfy conditions",
      discussion: """
          facegauge subset faces.h5 --where 'expression=happy' -o happy.h5
          facegauge subset faces.h5 --split test --schemes ibug68 -o test.h5
          facegauge subset clips60.h5 --frames ::2 -o clips30.h5

        A condition is a field, one of = != < <= > >=, and a value; all must hold. Fields of \
        faces: any attribute or blendshape by its name, expression, categoryName, landmarks (a scheme), \
        identity, score, category, ignore, crowd, pose, blendshapes (0 or 1), box.width, \
        box.height, box.area. Fields of frames: name, frame, seconds, width, height, faces (their \
        number without ignored ones), sequence, subject, kind, fps. Text is compared with \
        patterns of * and ?; = also \
        accepts several patterns separated by commas. Missing labels satisfy no condition. \
        attributes.NAME is the attribute NAME if a field has the same name. Angles (headYaw, \
        headPitch, headRoll, gaze_angle_x …) are in radians: write headYaw>=0.5, or \
        headYaw>=30deg.

        A frame is kept if its own conditions hold and at least one face satisfies all conditions \
        on faces. Its other faces are kept (keep), marked to be ignored (ignore) or removed \
        (drop). An ignored region that holds a whole frame, whose faces are not labelled, stays; \
        it satisfies only conditions on ignore and crowd.
        """,
      arguments: [dataset],
      options: [output, conditions, ofSplit, frames, schemes, others, strict, force])
  ) { arguments in
    let reader = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    var plan = DatasetSubset()
    plan.conditions = arguments[conditions]
    plan.split = arguments[ofSplit]
    if let chosen = arguments[frames] {
      plan.frames = { chosen.contains($0) }
      plan.step = chosen.step
    }
    plan.schemes = arguments[schemes]
    plan.others = arguments[others]
    let writer = try ShapedDataset.writer(
      arguments[output], of: [reader], replacing: arguments[force])
    let summary = try ShapedDataset.make("Copying", steps: reader.frameCount, writer: writer) {
      try plan.run(over: reader, into: writer, advance: $0, isInterrupted: $1)
    } accept: { summary in
      guard arguments[strict], let loss = summary.remarks.first(where: \.isLoss) else { return }
      throw CommandFailure(.wrongData, "cannot copy without loss (--strict): \(loss.text)")
    }
    ShapedDataset.tell(summary.remarks)
    if summary.framesLeftOut > 0 {
      Diagnostics.standardError.note("\(summary.framesLeftOut) frames left out")
    }
    if summary.otherFaces > 0 {
      let treatment =
        switch arguments[others] {
        case .keep: "kept as they are"
        case .ignore: "marked to be ignored"
        case .drop: "left out"
        }
      Diagnostics.standardError.note("\(summary.otherFaces) other faces \(treatment)")
    }
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }
}
