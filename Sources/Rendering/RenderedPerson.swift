internal import FaceCore
internal import Statistics

/// A head of its own shape and colors.
package struct RenderedPerson: Sendable {
  /// Its number; the same number and seed make the same person.
  package let number: Int
  /// The individual typology angle of the skin's color, in degrees; higher is lighter.
  package let skinTone: Double
  /// The mesh without expression.
  let mesh: [SIMD3<Float>]
  /// The color of each vertex: the share of light that it reflects, linear red, green and blue.
  let colors: [SIMD3<Float>]
  /// The color of the irises.
  let iris: SIMD3<Float>
  /// The color behind the head.
  let background: SIMD3<Float>

  /// The typology angles of persons 0 to 5, and of those that follow in turn: one of each of Chardon's six classes.
  package static let skinTones = [48.0, 35, 19, -10, 65, -45]

  /// Draws identity weights from the standard normal distribution, limited to 2 either way, and colors.
  package init(number: Int, seed: UInt64, kit: FaceKit) {
    self.number = number
    var random = SplitMix64(seed: seed, draw: number)
    var weights: [Float] = []
    while weights.count < kit.identities.count {
      let pair = random.normalPair()
      weights += [pair.0, pair.1].map { Float(min(max($0, -2), 2)) }
    }
    mesh = kit.vertices(weights: Array(weights.prefix(kit.identities.count)))
    skinTone = Self.skinTones[number % Self.skinTones.count]
    let skin = LinearColor.skin(typologyAngle: skinTone)
    let darkHair = SIMD3<Float>(0.012, 0.009, 0.008)
    let lightHair = SIMD3<Float>(0.09, 0.055, 0.03)
    let hair = darkHair + Float(skinTone > 25 ? random.uniform() : 0) * (lightHair - darkHair)
    iris =
      [
        SIMD3<Float>(0.03, 0.016, 0.008), SIMD3(0.06, 0.035, 0.015), SIMD3(0.07, 0.1, 0.13),
        SIMD3(0.06, 0.08, 0.04),
      ][skinTone > 40 ? Int(random.next() % 4) : 0]
    let grey = Float(0.15 + 0.4 * random.uniform())
    let tint = Float(0.9 + 0.2 * random.uniform())
    background = SIMD3(grey * tint, grey, grey / tint)
    colors = Self.colors(paint: kit.paint, skin: skin, hair: hair)
  }

  private static func colors(
    paint: FaceKitPaint, skin: SIMD3<Float>, hair: SIMD3<Float>
  ) -> [SIMD3<Float>] {
    let lips = skin * SIMD3(0.85, 0.5, 0.55)
    return paint.materials.indices.map { vertex in
      var color: SIMD3<Float>
      switch paint.materials[vertex] {
      case .skin:
        color = skin + 0.85 * paint.lips[vertex] * (lips - skin)
        color += 0.85 * paint.brow[vertex] * (hair - color)
        color += paint.hair[vertex] * (hair - color)
        color *= 1 - 0.8 * paint.lids[vertex]
      case .mouth: color = SIMD3(0.16, 0.035, 0.03)
      case .gums: color = SIMD3(0.38, 0.11, 0.1)
      case .teeth: color = SIMD3(0.75, 0.7, 0.58)
      case .eye: color = SIMD3(0.72, 0.69, 0.66)
      }
      return color * paint.openness[vertex]
    }
  }
}
