internal import FaceCore

/// The lines between a scheme's points that tools draw.
enum PointSkeleton {
  /// Pairs of neighbouring points, counted from 0; none for a scheme whose points lie in no outlines.
  static func edges(of scheme: LandmarkScheme) -> [(Int, Int)] {
    paths(of: scheme).flatMap { Array(zip($0, $0.dropFirst())) }
  }

  private static func paths(of scheme: LandmarkScheme) -> [[Int]] {
    func open(_ runs: ClosedRange<Int>...) -> [[Int]] { runs.map { Array($0) } }
    func closed(_ runs: ClosedRange<Int>...) -> [[Int]] { runs.map { Array($0) + [$0.lowerBound] } }
    return switch scheme {
    case .ibug68:
      open(0...16, 17...21, 22...26, 27...30, 31...35)
        + closed(36...41, 42...47, 48...59, 60...67)
    case .wflw98:
      open(0...32, 51...54, 55...59)
        + closed(33...41, 42...50, 60...67, 68...75, 76...87, 88...95)
    case .lapa106:
      open(0...32, 51...54, 55...65)
        + closed(33...41, 42...50, 66...73, 75...82, 84...95, 96...103)
    case .helen194:
      open(0...40, 41...57)
        + closed(58...85, 86...113, 114...133, 134...153, 154...173, 174...193)
    case .mediapipe478: FaceMeshConnections.allCases.flatMap(\.paths)
    default: []
    }
  }
}

extension PointNames {
  /// The schemes that a face is written in, where a format has one per face, in order of preference.
  static let exported: [LandmarkScheme] = [
    .ibug68, .wflw98, .lapa106, .cofw29, .aflw21, .aflw19, .five, .dlib5, .blazeface6, .facepp83,
    .helen194, .mediapipe478,
  ]
}

extension FaceLabel {
  /// The points that are written where a format has one set per face: the first of `PointNames.exported` that fits.
  func exportedPoints(where fits: (Landmarks) -> Bool = { _ in true }) -> Landmarks? {
    for scheme in PointNames.exported {
      if let set = landmarks.first(where: { $0.scheme == scheme && fits($0) }) { return set }
    }
    return nil
  }
}
