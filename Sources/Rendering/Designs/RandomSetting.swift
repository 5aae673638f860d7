internal import FaceCore
internal import Statistics

extension RenderSetting {
  /// A setting of the design `random`: three to eight coefficients, a pose, a position in the image, and a light.
  static func random(_ random: inout SplitMix64, camera: RenderCamera) -> RenderSetting {
    func number(_ low: Double, _ high: Double, step: Double) -> Double {
      ((low + (high - low) * random.uniform()) / step).rounded() * step
    }
    let distance = number(25, 80, step: 1)
    var setting = RenderSetting(distance: distance)
    let shapes = Blendshape.allCases.filter { $0 != .neutral && $0 != .mouthClose }
    for _ in 0..<Int(number(3, 8, step: 1)) {
      let shape = shapes[Int(random.next() % UInt64(shapes.count))]
      setting[shape] = number(0, 1, step: 0.05)
    }
    for (first, second) in opposites where setting[first] > 0 { setting[second] = 0 }
    setting[.mouthClose] = min(number(0, 0.5, step: 0.05), setting[.jawOpen])
    setting.placement.yaw = number(-45, 45, step: 1)
    setting.placement.pitch = number(-20, 20, step: 1)
    setting.placement.roll = number(-20, 20, step: 1)
    // The head is 12 cm at most to each side of its middle.
    let scale = distance / camera.focalLength / 2
    let room = SIMD2(
      max(0, scale * Double(camera.size.width) - 12),
      max(0, scale * Double(camera.size.height) - 12))
    setting.placement.position.x = number(-room.x, room.x, step: 0.01)
    setting.placement.position.y = number(-room.y, room.y, step: 0.01)
    setting.light.azimuth = number(-60, 60, step: 5)
    setting.light.elevation = number(-10, 60, step: 5)
    setting.light.ambient = number(0.25, 0.7, step: 0.05)
    setting.light.intensity = number(0.4, 1.2, step: 0.1)
    return setting
  }

  /// Coefficients that nobody can raise at once.
  private static let opposites: [(Blendshape, Blendshape)] = [
    (.eyeLookInLeft, .eyeLookOutLeft), (.eyeLookInRight, .eyeLookOutRight),
    (.eyeLookUpLeft, .eyeLookDownLeft), (.eyeLookUpRight, .eyeLookDownRight),
    (.jawLeft, .jawRight), (.mouthLeft, .mouthRight), (.eyeBlinkLeft, .eyeWideLeft),
    (.eyeBlinkRight, .eyeWideRight),
  ]
}
