import FaceCore
import Testing

/// Names of coefficients as other tools spell them.
@Suite struct BlendshapeTests {
  @Test(arguments: Blendshape.allCases.dropFirst())
  func `a name is known in any case, with words apart, and with sides of one letter`(
    shape: Blendshape
  ) {
    let name = shape.rawValue
    let snake = name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
    var spellings = [
      name, name.prefix(1).uppercased() + name.dropFirst(), name.lowercased(), name.uppercased(),
      snake, snake.uppercased(), snake.replacing("_", with: " "),
    ]
    for side in ["Left", "Right"] where name.hasSuffix(side) {
      let stem = name.dropLast(side.count)
      let letter = side.prefix(1)
      spellings += ["\(stem)_\(letter)", "\(stem)_\(letter.lowercased())", "\(stem)\(letter)"]
    }
    for spelling in spellings { #expect(Blendshape(spelled: spelling) == shape, "\(spelling)") }
  }

  @Test(arguments: [
    "", "_", "_jawOpen", "neutral", "tongueOut", "Blink_L", "A", "lookUp", "Jaw_Drop",
    "Brow_Lowerer_L", "browDown", "mouthLeftLeft", "left", "AU12_r", "bs_jawOpen",
  ])
  func `names of anything else are none`(name: String) {
    #expect(Blendshape(spelled: name) == nil)
  }

  @Test func `MediaPipe's first name has its underscore`() {
    #expect(Blendshape(spelled: "_neutral") == .neutral)
  }
}
