internal import Tensor

/// Images without a face on which a model shows what a card cannot say for sure: whether numbers are probabilities, and what
/// points are counted in.
enum ModelProbe: CaseIterable {
  case black, white, noise, otherNoise

  /// Whether the image has light and structure everywhere.
  var isNoise: Bool { self == .noise || self == .otherNoise }

  /// The bytes of an image; the same in each run.
  func bytes(_ count: Int) -> [Float] {
    switch self {
    case .black: return [Float](repeating: 0, count: count)
    case .white: return [Float](repeating: 255, count: count)
    case .noise, .otherNoise:
      var state: UInt32 = self == .noise ? 1 : 2
      return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return Float(state >> 24)
      }
    }
  }

  /// Runs a model on each image.
  static func run(
    _ model: any InferenceModel, _ input: ModelInput,
    _ body: (ModelProbe, any InferenceSession) -> Void
  ) {
    let session = model.makeSession()
    let writer = ModelInput.Writer(input)
    for image in allCases {
      session.withInput(0) { (tensor: inout MutableTensorView) in
        writer.write(image, into: &tensor)
      }
      session.run()
      body(image, session)
    }
  }
}

/// The least and the largest of numbers; those that are not finite do not count.
struct NumberRange {
  private(set) var low = Float.infinity
  private(set) var high = -Float.infinity
  private(set) var count = 0

  mutating func add(_ number: Float) {
    guard number.isFinite else { return }
    (low, high) = (min(low, number), max(high, number))
    count += 1
  }

  /// Both ends, for a message.
  var text: String { "\(short(low)) to \(short(high))" }

  private func short(_ number: Float) -> String {
    let thousandths = (number * 1000).rounded() / 1000
    return "\(thousandths)"
  }
}

extension ScoreActivation {
  /// What a probability may be after rounding.
  static let limit: Float = 1.01

  /// What a card must say instead, where a model's numbers on images without a face contradict it.
  ///
  /// Rounding may lead a little beyond 1, and -1 stands for no score. A probability of a half to .73 for each of these images is
  /// none of a model that can tell a face.
  func contradiction(_ numbers: NumberRange) -> String? {
    switch self {
    case .none where numbers.low < -Self.limit || numbers.high > Self.limit:
      return "logistic for logits of \(numbers.text)"
    case .logistic
    where numbers.count >= ModelProbe.allCases.count && numbers.low >= 0 && numbers.high <= 1
      && numbers.low < numbers.high:
      return "none for probabilities of \(numbers.text)"
    default: return nil
    }
  }
}
