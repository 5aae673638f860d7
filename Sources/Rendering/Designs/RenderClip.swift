internal import FaceCore
internal import Foundation

/// A clip whose coefficients, angles and position are known functions of time.
enum RenderClip: String, Sendable, CaseIterable {
  case still, blink, speech, smile, brows, gaze, turn, nod, approach, drift

  /// The setting at a time in seconds, in a clip of so many seconds.
  func setting(at time: Double, of duration: Double) -> RenderSetting {
    var setting = RenderSetting(distance: 40)
    let turn = 2 * Double.pi * time
    func wave(_ hertz: Double, _ phase: Double = 0) -> Double { sin(turn * hertz + phase) }
    func hump(_ hertz: Double, _ phase: Double = 0) -> Double { (1 - wave(hertz, phase)) / 2 }
    switch self {
    case .still: break
    case .blink:
      let level = Self.blink(at: time.truncatingRemainder(dividingBy: 1.5) - 0.6)
      (setting[.eyeBlinkLeft], setting[.eyeBlinkRight]) = (level, level)
    case .speech:
      let voice = hump(0.7, .pi / 2)
      setting[.jawOpen] = 0.4 * voice * hump(4, .pi / 2)
      setting[.mouthFunnel] = 0.5 * voice * hump(1.9)
      setting[.mouthPucker] = 0.4 * voice * hump(1.3, .pi)
      setting[.mouthLowerDownLeft] = 0.4 * voice * hump(2.6)
      setting[.mouthLowerDownRight] = setting[.mouthLowerDownLeft]
    case .smile:
      let level = Self.plateau(at: time / max(duration, 1e-9))
      for shape in [Blendshape.mouthSmileLeft, .mouthSmileRight] { setting[shape] = level }
      for shape in [Blendshape.cheekSquintLeft, .cheekSquintRight] { setting[shape] = 0.5 * level }
    case .brows:
      let level = hump(1, .pi / 2)
      setting[.browInnerUp] = level
      (setting[.browOuterUpLeft], setting[.browOuterUpRight]) = (level, level)
    case .gaze:
      let (aside, up) = (0.8 * wave(0.5), 0.6 * wave(1))
      setting[aside > 0 ? .eyeLookOutLeft : .eyeLookInLeft] = abs(aside)
      setting[aside > 0 ? .eyeLookInRight : .eyeLookOutRight] = abs(aside)
      setting[up > 0 ? .eyeLookUpLeft : .eyeLookDownLeft] = abs(up)
      setting[up > 0 ? .eyeLookUpRight : .eyeLookDownRight] = abs(up)
    case .turn: setting.placement.yaw = 35 * wave(0.5)
    case .nod: setting.placement.pitch = 15 * wave(1)
    case .approach: setting.placement.position.z = -45 + 15 * wave(0.5)
    case .drift: setting.placement.position.x = 4 * wave(0.5)
    }
    return setting
  }

  /// The level of a blink that begins at 0 s: closing takes 100 ms, staying closed 50 ms, opening 150 ms.
  private static func blink(at time: Double) -> Double {
    switch time {
    case 0..<0.1: smooth(time / 0.1)
    case 0.1..<0.15: 1
    case 0.15..<0.3: 1 - smooth((time - 0.15) / 0.15)
    default: 0
    }
  }

  /// Rises in the second fifth of a clip and falls in the fourth.
  private static func plateau(at share: Double) -> Double {
    smooth(min(max((share - 0.2) * 5, 0), 1)) - smooth(min(max((share - 0.6) * 5, 0), 1))
  }

  private static func smooth(_ share: Double) -> Double { share * share * (3 - 2 * share) }
}
