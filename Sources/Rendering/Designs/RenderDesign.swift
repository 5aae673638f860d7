internal import FaceCore

/// What a rendered dataset varies.
package enum RenderDesign: String, Sendable, CaseIterable {
  /// Each coefficient alone, in four levels.
  case response
  /// Yaw, pitch and roll.
  case pose
  /// Distance and position.
  case distance
  /// Direction, evenness and intensity of the light.
  case light
  /// Clips with known curves of coefficients, angles and distance over time.
  case clips
  /// Everything at once, at random.
  case random

  /// What the design is, for help.
  package var summary: String {
    switch self {
    case .response: "each coefficient alone at .25, .5, .75 and 1, and none"
    case .pose: "yaw to 60° either way, pitch to 30°, roll to 40°, and some of both"
    case .distance: "25 to 200 cm, in the middle and towards each side"
    case .light: "directions, shares of even light, intensities"
    case .clips: "ten videos of known curves: blinks, speech, gaze, turns and others"
    case .random: "expression, pose, distance, position and light at random"
    }
  }
}

/// Images that belong together, in order.
struct RenderedSequence: Sendable {
  var name: String
  var isVideo = false
  /// A name and a setting for each image.
  var frames: [(name: String, setting: RenderSetting)]
}

extension RenderDesign {
  /// The distance where it does not vary, in centimetres.
  private static let usualDistance = 40.0
  /// The levels of `response`.
  static let levels = [0.25, 0.5, 0.75, 1]
  private static let distances = [25.0, 30, 35, 40, 50, 60, 80, 100, 150, 200]

  /// The stills of a design other than `clips` and `random`, the same for each person.
  func stills(camera: RenderCamera) -> [(name: String, setting: RenderSetting)] {
    let usual = RenderSetting(distance: Self.usualDistance)
    switch self {
    case .response: return [("neutral", usual)] + Self.responses(from: usual)
    case .pose: return Self.poses(from: usual)
    case .distance: return Self.distances.flatMap { Self.positions(at: $0, camera: camera) }
    case .light: return Self.lights(from: usual)
    case .clips, .random: return []
    }
  }

  private static func responses(from usual: RenderSetting) -> [(String, RenderSetting)] {
    Blendshape.allCases.filter { $0 != .neutral }.flatMap { shape in
      levels.map { level in
        var setting = usual
        setting[shape] = level
        // Its mesh closes the lips of an open jaw; alone it would cross them.
        if shape == .mouthClose { setting[.jawOpen] = level }
        return ("\(shape.rawValue)-\(level)", setting)
      }
    }
  }

  private static func poses(from usual: RenderSetting) -> [(String, RenderSetting)] {
    func posed(yaw: Double = 0, pitch: Double = 0, roll: Double = 0) -> (String, RenderSetting) {
      var setting = usual
      setting.placement.yaw = yaw
      setting.placement.pitch = pitch
      setting.placement.roll = roll
      return ("yaw\(Int(yaw))-pitch\(Int(pitch))-roll\(Int(roll))", setting)
    }
    func steps(_ limit: Double) -> [Double] {
      stride(from: -limit, through: limit, by: 10).filter { $0 != 0 }
    }
    return [posed()] + steps(60).map { posed(yaw: $0) } + steps(30).map { posed(pitch: $0) }
      + steps(40).map { posed(roll: $0) }
      + [-30.0, 30].flatMap { yaw in [-15.0, 15].map { posed(yaw: yaw, pitch: $0) } }
  }

  private static func positions(
    at distance: Double, camera: RenderCamera
  ) -> [(String, RenderSetting)] {
    let shift = 0.25 * distance / camera.focalLength / 2
    let (across, up) = (shift * Double(camera.size.width), shift * Double(camera.size.height))
    let places: [(String, SIMD3<Double>)] = [
      ("middle", .zero), ("left", SIMD3(-across, 0, 0)), ("right", SIMD3(across, 0, 0)),
      ("up", SIMD3(0, up, 0)), ("down", SIMD3(0, -up, 0)),
    ]
    return places.map { name, shift in
      var setting = RenderSetting(distance: distance)
      setting.placement.position += shift
      return ("\(Int(distance))cm-\(name)", setting)
    }
  }

  private static func lights(from usual: RenderSetting) -> [(String, RenderSetting)] {
    var settings: [(String, RenderSetting)] = []
    func add(_ name: String, _ change: (inout RenderLight) -> Void) {
      var setting = usual
      change(&setting.light)
      settings.append((name, setting))
    }
    for azimuth in [-90.0, -60, -30, 0, 30, 60, 90] {
      for elevation in [0.0, 45] {
        add("from\(Int(azimuth))-above\(Int(elevation))") {
          ($0.azimuth, $0.elevation, $0.ambient) = (azimuth, elevation, 0.2)
        }
      }
    }
    add("below") { ($0.elevation, $0.ambient) = (-45, 0.2) }
    add("even") { $0.ambient = 1 }
    for intensity in [0.05, 0.1, 0.25, 0.5, 1, 1.5] {
      add("intensity\(intensity)") { $0.intensity = intensity }
    }
    return settings
  }
}
