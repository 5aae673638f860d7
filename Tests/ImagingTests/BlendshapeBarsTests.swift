import FaceCore
import Imaging
import Testing

@Suite struct BlendshapeBarsTests {
  private static let blue = RGB(60, 180, 255)
  private static let track = RGB(52, 57, 68)

  private func panel(
    _ faces: [FacePrediction], width: Int = 64, height: Int = 360
  ) -> PixelBuffer {
    FaceOverlay([.blendshapes]).rendered(
      FaceOverlayTests.frame(faces),
      on: PixelBuffer(width: width, height: height, color: RGB(9, 9, 9)))
  }

  /// The bars from the top, each as filled and whole length in pixels; `from` is the column to begin at.
  private func bars(_ image: PixelBuffer, from left: Int, to right: Int) -> [(Int, Int)] {
    var found: [(Int, Int)] = []
    var isInside = false
    for y in 0..<image.height {
      let row = (left..<right).map { image[$0, y] }
      let (filled, empty) = (row.count { $0 == Self.blue }, row.count { $0 == Self.track })
      if filled + empty >= 20, !isInside { found.append((filled, filled + empty)) }
      isInside = filled + empty >= 20
    }
    return found
  }

  private func values(_ value: (Int) -> Float) -> [Float] { (0..<52).map(value) }

  @Test func `one face has all 52 bars in two columns, in their order`() {
    let values = values { Float($0) / 51 }
    let image = panel([FaceOverlayTests.face(blendshapes: values)])
    #expect(image.height == 360 && image.width > 64)
    let middle = 64 + (image.width - 64) / 2
    let found = bars(image, from: 64, to: middle) + bars(image, from: middle, to: image.width)
    #expect(found.count == 52)
    for (index, (filled, whole)) in found.enumerated() {
      #expect(abs(Double(filled) - Double(whole) * Double(values[index])) <= 1, "bar \(index)")
    }
  }

  @Test func `the image next to the bars is untouched`() {
    let image = panel([FaceOverlayTests.face(blendshapes: values { _ in 1 })])
    for y in 0..<360 { for x in 0..<64 { #expect(image[x, y] == RGB(9, 9, 9)) } }
  }

  @Test func `a low image has the largest bars only, falling`() {
    let values = values { Float(($0 * 37) % 52) / 51 }
    let image = panel([FaceOverlayTests.face(blendshapes: values)], height: 100)
    let found = bars(image, from: 64, to: image.width).map(\.0)
    #expect(found.count == 7)
    #expect(found == found.sorted(by: >))
    #expect(found.first == bars(image, from: 64, to: image.width).first?.1)
  }

  @Test func `a coefficient that is not known is none of the largest`() {
    var known = values { Float(($0 * 37) % 52) / 51 }
    for index in [0, 10, 26] { known[index] = .nan }
    let image = panel([FaceOverlayTests.face(blendshapes: known)], height: 100)
    let found = bars(image, from: 64, to: image.width)
    #expect(found.count == 7)
    #expect(found.map(\.0) == found.map(\.0).sorted(by: >))
    #expect(found.first.map { $0.0 == $0.1 } == true)
    #expect(panel([FaceOverlayTests.face(blendshapes: values { _ in .nan })]).width == 64)
  }

  @Test func `several faces have a column each, up to four`() {
    let faces = (0..<6).map { face in
      FaceOverlayTests.face(blendshapes: values { _ in Float(face) / 5 })
    }
    let widths = (1...6).map { panel(Array(faces.prefix($0))).width }
    #expect(widths[2] - widths[1] == widths[3] - widths[2])
    #expect(widths[4] == widths[3] && widths[5] == widths[3])
  }

  @Test func `a larger image has larger bars, and text of whole pixels`() {
    let face = FaceOverlayTests.face(blendshapes: values { _ in 0.5 })
    let (small, large) = (panel([face], height: 360), panel([face], height: 720))
    #expect(large.width - 64 == 2 * (small.width - 64))
  }

  @Test func `without coefficients, and without room, the image stays as it is`() {
    #expect(panel([FaceOverlayTests.face()]).width == 64)
    #expect(panel([]).width == 64)
    #expect(panel([FaceOverlayTests.face(blendshapes: [0.5])]).width == 64)
    #expect(panel([FaceOverlayTests.face(blendshapes: values { _ in 1 })], height: 35).width == 64)
  }

  @Test func `a coefficient outside 0 to 1 fills its track and no more`() {
    let image = panel([FaceOverlayTests.face(blendshapes: values { $0 % 2 == 0 ? 3 : -3 })])
    let middle = 64 + (image.width - 64) / 2
    for (index, (filled, whole)) in bars(image, from: 64, to: middle).enumerated() {
      #expect(filled == (index % 2 == 0 ? whole : 0))
    }
  }
}
