internal import FaceCore
internal import Foundation
package import Platform
internal import Tensor

/// A detector of the user's: the whole image in, boxes with scores and up to six points out.
package struct DetectorCard: CardOfModel, Sendable, Hashable {
  /// Name, file and input.
  package let card: ModelCard
  /// Points of a detection; the first two are the eyes, the image's left one first.
  package let keypointCount: Int
  /// The tensors, whose rows follow each other.
  let outputs: [Output]
  let form: Form
  let unit: Unit
  let firstKeypoint: Int
  let scoreColumn: Int
  let activation: ScoreActivation
  /// One for each row; empty where boxes are not relative to anchors.
  let anchors: [Anchor]
  let variance: SIMD2<Float>
  let sizes: Sizes

  /// Positions of two tensors that have a row for each box.
  struct Output: Sendable, Hashable {
    let boxes: Int
    let scores: Int
  }

  /// The first four numbers of a box.
  enum Form: String, Sendable, CaseIterable {
    /// Centre and size: x, y, width, height.
    case center
    /// Left, top, right, bottom.
    case corners
    /// Top, left, bottom, right.
    case cornersYX = "corners-yx"
  }

  /// What positions are counted in.
  enum Unit: String, Sendable, CaseIterable {
    /// From 0 to 1 over the input.
    case input
    /// Pixels of the input.
    case pixels
  }

  /// How sizes follow from an anchor's.
  enum Sizes: String, Sendable, CaseIterable {
    /// The anchor's size times the number and the variance.
    case linear
    /// The anchor's size times the exponential of number times variance.
    case exponential
  }

  /// Centre and size from 0 to 1 over the input.
  struct Anchor: Sendable, Hashable {
    let center: SIMD2<Float>
    let size: SIMD2<Float>
  }

  /// The schema's name.
  package static let schema = "facegauge.detector-model"
  private static let maximumRows = 1 << 20

  package init(json: [UInt8], path: String) throws(FileError) {
    let root: JSONNode
    (card, root) = try ModelCard.read(
      json: json, path: path, schema: Self.schema, required: ["outputs", "score"],
      optional: ["box", "keypoints", "anchors"], hasFit: true)
    outputs = try root["outputs"].items(1...16).map { (output) throws(FileError) in
      try output.requireKeys(["boxes", "scores"])
      return Output(
        boxes: try output["boxes"].integer(0...255),
        scores: try output["scores"].integer(0...255))
    }
    let keypoints = root["keypoints"]
    try keypoints.given?.requireKeys(optional: ["first", "count"])
    keypointCount =
      try keypoints["count"].given?.integer(0...DetectorGeometry.maximumKeypoints) ?? 0
    firstKeypoint = try keypoints["first"].given?.integer(4...1024) ?? 4
    let score = root["score"]
    try score.requireKeys(["activation"], optional: ["column"])
    scoreColumn = try score["column"].given?.integer(0...1024) ?? 0
    activation = try score["activation"].choice(ScoreActivation.self)
    let box = root["box"]
    try box.given?.requireKeys(optional: ["form", "unit"])
    guard root["anchors"].isGiven else {
      form = try box["form"].choice(Form.self)
      unit = try box["unit"].choice(Unit.self)
      (anchors, variance, sizes) = ([], SIMD2(1, 1), .linear)
      return
    }
    if box["form"].isGiven || box["unit"].isGiven {
      throw box.wrong("no form and no unit of boxes that are relative to anchors")
    }
    (form, unit) = (.center, .input)
    let grid = root["anchors"]
    try grid.requireKeys(["strides", "variance", "sizes"])
    let variance = try grid["variance"].items(2...2, of: "numbers")
    self.variance = SIMD2(
      Float(try variance[0].number(1e-9...1e9)), Float(try variance[1].number(1e-9...1e9)))
    sizes = try grid["sizes"].choice(Sizes.self)
    anchors = try Self.anchors(grid["strides"], over: card.input)
  }

  private static func anchors(
    _ strides: JSONNode, over input: ModelInput
  ) throws(FileError) -> [Anchor] {
    var anchors: [Anchor] = []
    let side = SIMD2(Float(input.width), Float(input.height))
    for level in try strides.items(1...64) {
      try level.requireKeys(["stride", "boxes"])
      let stride = try level["stride"].integer(1...4096)
      var boxes: [SIMD2<Float>] = []
      for box in try level["boxes"].items(1...64) {
        let numbers = try box.items(2...2, of: "numbers")
        boxes.append(
          SIMD2(Float(try numbers[0].number(1e-3...1e6)), Float(try numbers[1].number(1e-3...1e6)))
            / side)
      }
      let columns = (input.width + stride - 1) / stride
      let rows = (input.height + stride - 1) / stride
      guard anchors.count + columns * rows * boxes.count <= maximumRows else {
        throw strides.wrong("at most \(maximumRows) anchors", found: "more")
      }
      for row in 0..<rows {
        for column in 0..<columns {
          let center = SIMD2(Float(column) + 0.5, Float(row) + 0.5) * Float(stride) / side
          for size in boxes { anchors.append(Anchor(center: center, size: size)) }
        }
      }
    }
    return anchors
  }

  /// Loads the model and compares its input and outputs with the card.
  func load(
    engine: any InferenceModel.Type
  ) throws(FileError) -> (model: any InferenceModel, loaded: LoadedModel) {
    let (model, sha256) = try card.load(engine: engine)
    var rows = 0
    for (index, output) in outputs.enumerated() {
      for (key, tensor) in [("boxes", output.boxes), ("scores", output.scores)] {
        guard model.outputs.indices.contains(tensor) else {
          throw card.wrong(
            "outputs[\(index)].\(key)", "0 to \(model.outputs.count - 1)", "\(tensor)")
        }
      }
      let (boxes, scores) = (model.outputs[output.boxes].shape, model.outputs[output.scores].shape)
      let columns = boxes.dimensions.last ?? 1
      let scoreColumns = scores.dimensions.last ?? 1
      let needed = keypointCount == 0 ? 4 : firstKeypoint + 2 * keypointCount
      guard columns >= needed else {
        throw card.wrong("keypoints", "\(columns) numbers for each box", "\(needed)")
      }
      guard scoreColumn < scoreColumns else {
        throw card.wrong("score.column", "0 to \(scoreColumns - 1)", "\(scoreColumn)")
      }
      guard boxes.count / columns == scores.count / scoreColumns else {
        throw card.wrong(
          "outputs[\(index)]", "\(boxes.count / columns) boxes",
          "\(scores.count / scoreColumns) scores")
      }
      rows += boxes.count / columns
    }
    guard anchors.isEmpty || anchors.count == rows else {
      throw card.wrong("anchors", "\(rows) rows", "\(anchors.count) anchors")
    }
    if let other = activation.contradiction(scores(of: model)) {
      throw card.wrong("score.activation", other, activation.rawValue)
    }
    return (
      model,
      LoadedModel(name: card.name, stage: .detection, sha256: sha256, remark: card.remark)
    )
  }

  /// The scores of images without a face, before the activation.
  private func scores(of model: any InferenceModel) -> NumberRange {
    var range = NumberRange()
    ModelProbe.run(model, card.input) { _, session in
      for output in outputs {
        let columns = model.outputs[output.scores].shape.dimensions.last ?? 1
        session.withOutput(output.scores) { scores in
          for row in 0..<scores.count / columns { range.add(scores[row * columns + scoreColumn]) }
        }
      }
    }
    return range
  }

  /// The candidates of a score of `floor` or more, in the coordinates of an image from 0 to 1.
  func candidates(
    of session: any InferenceSession, outputs ports: [InferencePort], floor: Float,
    projection: SIMD16<Float>
  ) -> [DetectorCandidate] {
    var found: [DetectorCandidate] = []
    var first = 0
    for output in outputs {
      let columns = ports[output.boxes].shape.dimensions.last ?? 1
      let scoreColumns = ports[output.scores].shape.dimensions.last ?? 1
      session.withOutput(output.scores) { scores in
        session.withOutput(output.boxes) { boxes in
          for row in 0..<scores.count / scoreColumns {
            let number = scores[row * scoreColumns + scoreColumn]
            let score = activation == .none ? number : 1 / (1 + exp(-number))
            guard score >= floor, score <= ScoreActivation.limit else { continue }
            let numbers = regressors(boxes, from: row * columns, anchor: first + row, projection)
            found.append(
              DetectorCandidate(anchor: first + row, score: min(score, 1), regressors: numbers))
          }
          first += scores.count / scoreColumns
        }
      }
    }
    return found
  }

  /// Centre, size and points of a box in an image, each from 0 to 1.
  private func regressors(
    _ values: TensorView, from start: Int, anchor: Int, _ matrix: SIMD16<Float>
  ) -> SIMD16<Float> {
    func pair(_ index: Int) -> SIMD2<Float> {
      SIMD2(values[start + index], values[start + index + 1])
    }
    let side =
      unit == .input ? SIMD2<Float>(1, 1) : SIMD2(Float(card.input.width), Float(card.input.height))
    func position(_ index: Int) -> SIMD2<Float> {
      guard !anchors.isEmpty else { return pair(index) / side }
      return anchors[anchor].center + pair(index) * variance.x * anchors[anchor].size
    }
    var (low, high): (SIMD2<Float>, SIMD2<Float>)
    switch form {
    case .corners: (low, high) = (pair(0) / side, pair(2) / side)
    case .cornersYX:
      low = SIMD2(values[start + 1], values[start]) / side
      high = SIMD2(values[start + 3], values[start + 2]) / side
    case .center:
      var size = pair(2) / side
      if !anchors.isEmpty {
        let scaled = pair(2) * variance.y
        size =
          anchors[anchor].size * (sizes == .linear ? scaled : SIMD2(exp(scaled.x), exp(scaled.y)))
      }
      let center = position(0)
      (low, high) = (center - size / 2, center + size / 2)
    }
    func map(_ point: SIMD2<Float>) -> SIMD2<Float> {
      SIMD2(
        point.x * matrix[0] + point.y * matrix[1] + matrix[3],
        point.x * matrix[4] + point.y * matrix[5] + matrix[7])
    }
    let corners = [map(low), map(SIMD2(high.x, low.y)), map(high), map(SIMD2(low.x, high.y))]
    // A box inside out stays so, and is dropped as one.
    let isProper = low.x <= high.x && low.y <= high.y
    low = corners.dropFirst().reduce(corners[0]) { pointwiseMin($0, $1) }
    high = corners.dropFirst().reduce(corners[0]) { pointwiseMax($0, $1) }
    let (center, size) = ((low + high) / 2, isProper ? high - low : SIMD2(-1, -1))
    var numbers = SIMD16<Float>()
    (numbers[0], numbers[1], numbers[2], numbers[3]) = (center.x, center.y, size.x, size.y)
    for point in 0..<keypointCount {
      let found = map(position(firstKeypoint + 2 * point))
      (numbers[4 + 2 * point], numbers[5 + 2 * point]) = (found.x, found.y)
    }
    return numbers
  }
}
