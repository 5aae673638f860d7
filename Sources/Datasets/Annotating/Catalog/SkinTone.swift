internal import FaceCore
internal import Foundation
internal import Statistics

extension FaceMeasure {
  /// The individual typology angle of the cheeks: atan((L* − 50) / b*), of medians over both patches.
  ///
  /// Undefined without patches and where b* is below 1, as in gray images: skin is yellower, and the angle of colors
  /// without a hue is noise.
  /// Source: Chardon, Cretois and Hourseau 1991.
  static let skinTone = FaceMeasure(.skinTone) { face in
    let colors = face.cheeks.flatMap(\.colors)
    guard !colors.isEmpty else { return nil }
    let lightness = colors.map(\.lightness).sorted().quantileOfSorted(0.5)
    let yellow = colors.map(\.b).sorted().quantileOfSorted(0.5)
    guard yellow >= 1 else { return nil }
    return atan2(lightness - 50, yellow) * 180 / .pi
  }
}
