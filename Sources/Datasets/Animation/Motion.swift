internal import Foundation

/// A known movement or disturbance that `animate` applies to a still image.
package enum Motion: String, Sendable, CaseIterable {
  /// Nothing moves.
  case still
  /// The image shifts left, right, up and down by up to 8 % of its sides.
  case pan
  /// The image grows to twice its size and shrinks back.
  case zoom
  /// The image turns 30° either way.
  case roll
  /// The light falls to 35 % and rises to 160 %.
  case brightness
  /// Gaussian blur grows to 3 % of the face's width and vanishes again.
  case blur
  /// An opaque bar, a quarter of the face wide, passes in front of the face.
  case bar
  /// The face leaves at the right, stays away, and returns.
  case leave

  /// The motion of a clip that `facegauge animate` made, by its name, such as `anna/bar`; nil for other clips.
  package static func ofClip(_ name: String) -> Motion? {
    name.split(separator: "/").dropFirst().last.flatMap { Motion(rawValue: String($0)) }
  }

  /// The state of the image at one moment.
  struct Pose {
    /// Enlargement about the face's centre.
    var scale = 1.0
    /// Clockwise turn about the face's centre, in radians.
    var rotation = 0.0
    /// Shift as a fraction of the frame's width.
    var shiftX = 0.0
    /// Shift as a fraction of the frame's height.
    var shiftY = 0.0
    /// Factor on every pixel value.
    var gain = 1.0
    /// Standard deviation of the blur as a fraction of the face's width.
    var blur = 0.0
    /// Centre of the bar in face widths from the face's left edge; nil without a bar.
    var bar: Double?
  }

  /// The pose at a moment of the clip, 0 at its first frame and 1 just after its last.
  func pose(at phase: Double) -> Pose {
    var pose = Pose()
    let turn = 2 * Double.pi * phase
    switch self {
    case .still: break
    case .pan:
      pose.scale = 1.2
      pose.shiftX = 0.08 * sin(turn)
      pose.shiftY = 0.08 * sin(2 * turn)
    case .zoom: pose.scale = 1 + (1 - cos(turn)) / 2
    case .roll: pose.rotation = Double.pi / 6 * sin(turn)
    case .brightness:
      let wave = sin(turn)
      pose.gain = wave > 0 ? 1 + 0.6 * wave : 1 + 0.65 * wave
    case .blur: pose.blur = 0.03 * (1 - cos(turn)) / 2
    case .bar: pose.bar = -0.25 + 1.5 * phase
    case .leave:
      let away = min(max((0.5 - abs(phase - 0.5)) * 4 - 0.4, 0), 1)
      pose.shiftX = 1.1 * away * away * (3 - 2 * away)
    }
    return pose
  }
}
