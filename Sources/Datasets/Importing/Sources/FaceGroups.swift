internal import FaceCore

/// Faces by the name of their image, in the order of the images' first occurrence.
struct FaceGroups {
  /// Names of the images, each once.
  private(set) var names: [String] = []
  private var faces: [String: [FaceLabel]] = [:]

  /// Adds a face of an image, or for nil the image without one.
  mutating func add(_ face: FaceLabel?, to name: String) {
    if faces[name] == nil { names.append(name) }
    faces[name, default: []] += face.map { [$0] } ?? []
  }

  /// The faces of an image.
  subscript(name: String) -> [FaceLabel] { faces[name] ?? [] }
}
