/// Text in the labels format, made piece by piece.
struct LabelsSample {
  struct Image {
    var name: String
    var file: String
    var faces = [#"{"box": [1, 2, 10, 12]}"#]
  }

  var schema = "facegauge.labels"
  var version = "1"
  var images: [Image]

  var text: String {
    let entries = images.map {
      #"{"name": "\#($0.name)", "file": "\#($0.file)", "faces": [\#($0.faces.joined(separator: ","))]}"#
    }
    return """
      {"schema": "\(schema)", "version": \(version), "images": [\(entries.joined(separator: ","))]}
      """
  }

  /// A face with a set of points under a scheme's name.
  static func face(scheme: String = "ibug68", points: Int = 68, states: [Int]? = nil) -> String {
    let positions = (0..<points).map { "[\($0), \($0 + 1)]" }.joined(separator: ",")
    let visible = (states ?? Array(repeating: 2, count: points)).map(String.init)
      .joined(separator: ",")
    return """
      {"box": [0, 0, 5, 5], "landmarks": {"\(scheme)": {"points": [\(positions)], "visible": [\(visible)]}}}
      """
  }
}
