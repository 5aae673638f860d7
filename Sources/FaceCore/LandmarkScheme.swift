/// A named set of facial points in a fixed order; points of two schemes do not interchange.
public struct LandmarkScheme: Sendable, Hashable, Codable {
  /// The name that files use, such as `ibug68`.
  public let name: String
  /// How many points the scheme has.
  public let count: Int

  private init(name: String, count: Int) {
    self.name = name
    self.count = count
  }

  /// The 68 points of 300-W: jaw 0-16, brows 17-26, nose 27-35, eyes 36-47, mouth 48-67.
  public static let ibug68 = LandmarkScheme(name: "ibug68", count: 68)

  /// The 478 points of MediaPipe's Face Landmarker: mesh 0-467, irises 468-477.
  public static let mediapipe478 = LandmarkScheme(name: "mediapipe478", count: 478)

  /// Every scheme that files may name.
  public static let all = [ibug68, mediapipe478]

  /// The scheme of that name, or nil.
  public static func named(_ name: String) -> LandmarkScheme? {
    all.first { $0.name == name }
  }

  /// The scheme with that many points, or nil.
  public static func withCount(_ count: Int) -> LandmarkScheme? {
    all.first { $0.count == count }
  }
}
