internal import FaceCore

/// Faces by the name of their picture, in the order in which the pictures come first.
struct FaceGroups {
  /// Names of the pictures, each once.
  private(set) var names: [String] = []
  private var faces: [String: [FaceLabel]] = [:]

  /// Adds a face of a picture.
  mutating func add(_ face: FaceLabel, to name: String) {
    if faces[name] == nil { names.append(name) }
    faces[name, default: []].append(face)
  }

  /// The faces of a picture.
  subscript(name: String) -> [FaceLabel] { faces[name] ?? [] }
}
