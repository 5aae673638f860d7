package import FaceCore
internal import Foundation
package import Platform
internal import Tensor

/// A landmark model of the user's: a crop around a face's box in, points of a scheme out.
///
/// The schema is `facegauge.landmark-model`, which `facegauge.trackers.landmarks` of the Python module reads too.
package struct LandmarkCard: CardOfModel, Sendable, Hashable {
  /// Name, file and input.
  package let card: ModelCard
  /// Names and orders the points.
  package let scheme: LandmarkScheme
  /// Side of the square crop over the longer side of the box.
  let cropScale: Float
  /// How far the crop's centre is from the box's, over the longer side of the box.
  let cropShift: SIMD2<Float>
  let output: Int
  let order: Order
  let unit: Unit
  let presence: Presence?

  enum Order: String, Sendable, CaseIterable {
    case xy, xyz, xxyy
    var dimensions: Int { self == .xyz ? 3 : 2 }
  }

  enum Unit: String, Sendable, CaseIterable { case crop, pixels }

  /// Which output tells whether there is a face.
  struct Presence: Sendable, Hashable {
    let output: Int
    let column: Int
    let activation: ScoreActivation
  }

  /// The schema's name.
  package static let schema = "facegauge.landmark-model"

  package init(json: [UInt8], path: String) throws(FileError) {
    let root: JSONNode
    (card, root) = try ModelCard.read(
      json: json, path: path, schema: Self.schema, required: ["scheme", "output"],
      optional: ["crop", "presence"])
    let name = try root["scheme"].text()
    guard let scheme = LandmarkScheme.named(name) else {
      throw root["scheme"].wrong(
        "one of " + LandmarkScheme.all.map(\.name).joined(separator: ", "))
    }
    self.scheme = scheme
    let crop = root["crop"]
    try crop.given?.requireKeys(optional: ["scale", "shift"])
    cropScale = Float(try crop["scale"].given?.number(0.01...100) ?? 1)
    let shift = try (crop["shift"].given?.items(2...2, of: "numbers") ?? [])
      .map { (item) throws(FileError) in Float(try item.number(-100...100)) }
    cropShift = shift.isEmpty ? SIMD2() : SIMD2(shift[0], shift[1])
    let output = root["output"]
    try output.requireKeys(["unit"], optional: ["index", "order"])
    self.output = try output["index"].given?.integer(0...255) ?? 0
    order = try output["order"].given?.choice(Order.self) ?? .xy
    unit = try output["unit"].choice(Unit.self)
    presence = try root["presence"].given.map { (node) throws(FileError) in
      try node.requireKeys(["index", "activation"], optional: ["column"])
      return Presence(
        output: try node["index"].integer(0...255),
        column: try node["column"].given?.integer(0...1024) ?? 0,
        activation: try node["activation"].choice(ScoreActivation.self))
    }
  }

  /// Loads the model and compares its input and outputs with the card.
  func load(
    engine: any InferenceModel.Type
  ) throws(FileError) -> (model: any InferenceModel, loaded: LoadedModel) {
    let (model, sha256) = try card.load(engine: engine)
    let count = scheme.count * order.dimensions
    func size(_ output: Int, _ position: String) throws(FileError) -> Int {
      guard model.outputs.indices.contains(output) else {
        throw card.wrong("\(position).index", "0 to \(model.outputs.count - 1)", "\(output)")
      }
      return model.outputs[output].shape.count
    }
    let found = try size(output, "output")
    guard found == count else {
      throw card.wrong("output", "\(found) numbers", "the \(count) of \(scheme.name)")
    }
    if let presence {
      let columns = try size(presence.output, "presence")
      guard presence.column < columns else {
        throw card.wrong("presence.column", "0 to \(columns - 1)", "\(presence.column)")
      }
    }
    try probe(model)
    return (
      model,
      LoadedModel(name: card.name, stage: .landmarks, sha256: sha256, remark: card.remark)
    )
  }

  /// Compares what the model gives for images without a face with the card.
  private func probe(_ model: any InferenceModel) throws(FileError) {
    var presences = NumberRange()
    var points: [NumberRange] = []
    var typical: [Float] = []
    ModelProbe.run(model, card.input) { image, session in
      if let presence {
        session.withOutput(presence.output) { presences.add($0[presence.column]) }
      }
      guard image.isNoise else { return }
      var found: [SIMD3<Float>] = []
      session.withOutput(output) { decode($0, region: .whole, into: &found) }
      let (width, height) = unitSize
      let numbers = found.flatMap { [$0.x * width, $0.y * height] }
      guard !numbers.isEmpty, numbers.allSatisfy(\.isFinite) else { return }
      var range = NumberRange()
      numbers.forEach { range.add($0) }
      points.append(range)
      typical.append(numbers.map(abs).sorted()[numbers.count / 2])
    }
    if let presence, let other = presence.activation.contradiction(presences) {
      throw card.wrong("presence.activation", other, presence.activation.rawValue)
    }
    guard let first = points.first else { return }
    // Half of a model's points lie beyond an eighth of its input; no part of a face lies four crops away.
    let far = max(4, Float(min(card.input.width, card.input.height)) / 8)
    if unit == .crop, typical.allSatisfy({ $0 > far }) {
      throw card.wrong("output.unit", "pixels for points of \(first.text)", unit.rawValue)
    }
    if unit == .pixels,
      points.allSatisfy({ $0.low >= -1 && $0.high <= 2 && $0.high - $0.low >= 0.05 })
    {
      throw card.wrong("output.unit", "crop for points of \(first.text)", unit.rawValue)
    }
  }

  /// The numbers across the crop's width and height.
  private var unitSize: (Float, Float) {
    unit == .crop ? (1, 1) : (Float(card.input.width), Float(card.input.height))
  }

  /// The crop for a detection: a square in pixels that is not turned.
  func region(of detection: NormalizedDetection, in size: ImageSize) -> NormalizedRect {
    let (columns, rows) = (Float(size.width), Float(size.height))
    let side = max(detection.width * columns, detection.height * rows)
    return NormalizedRect(
      xCenter: detection.xmin + detection.width / 2 + cropShift.x * side / columns,
      yCenter: detection.ymin + detection.height / 2 + cropShift.y * side / rows,
      width: cropScale * side / columns, height: cropScale * side / rows)
  }

  /// Appends the points of an output: x over the image's width, y over its height, z over its width.
  func decode(
    _ values: TensorView, region: NormalizedRect, into points: inout [SIMD3<Float>]
  ) {
    points.removeAll(keepingCapacity: true)
    let (width, height) = unitSize
    for point in 0..<scheme.count {
      let (x, y, z): (Float, Float, Float) =
        switch order {
        case .xy: (values[2 * point], values[2 * point + 1], .nan)
        case .xyz: (values[3 * point], values[3 * point + 1], values[3 * point + 2])
        case .xxyy: (values[point], values[scheme.count + point], .nan)
        }
      points.append(
        SIMD3(
          region.xCenter + (x / width - 0.5) * region.width,
          region.yCenter + (y / height - 0.5) * region.height, z / width * region.width))
    }
  }

  /// The logit of the presence; not a number where the model has no output for it.
  func presenceLogit(_ value: (_ output: Int, _ column: Int) -> Float) -> Float {
    guard let presence else { return .nan }
    let number = value(presence.output, presence.column)
    switch presence.activation {
    case .logistic: return number
    case .none:
      let probability = min(max(number, 1e-7), 1 - 1e-7)
      return log(probability / (1 - probability))
    }
  }
}
