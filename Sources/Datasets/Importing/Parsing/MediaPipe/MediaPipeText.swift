internal import Foundation

/// Results of MediaPipe as Python and Android print them, written as JSON lines.
struct MediaPipeText {
  /// What begins a result in either.
  static let marks = ["FaceLandmarkerResult(", "FaceLandmarkerResult{"]

  private enum Word: CaseIterable {
    case result, landmark, spacedLandmark, category, array, time

    var text: [UInt8] {
      switch self {
      case .result: Array("FaceLandmarkerResult".utf8)
      case .landmark: Array("NormalizedLandmark(".utf8)
      case .spacedLandmark: Array("Normalized Landmark (".utf8)
      case .category: Array("Category".utf8)
      case .array: Array("array(".utf8)
      case .time: Array("timestampMs=".utf8)
      }
    }
  }

  private var lines: [UInt8] = []
  private var faces: [[String]] = []
  private var shapes: [[String]] = []
  private var matrices: [String] = []
  private var time: String?
  private var isOpen = false
  private var hasResult = false

  /// The same results as JSON; nil where the text holds none.
  static func json(_ bytes: [UInt8]) -> [UInt8]? {
    let words = Word.allCases.map { ($0, $0.text) }
    let firsts = Set(words.compactMap(\.1.first))
    var text = MediaPipeText()
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "]") { text.isOpen = false }
      guard firsts.contains(byte),
        let (word, own) = words.first(where: { bytes[position...].starts(with: $0.1) })
      else {
        position += 1
        continue
      }
      position += own.count
      let rest = bytes[position...]
      switch word {
      case .result: text.begin()
      case .time: text.time = number(rest.prefix(24))
      case .array:
        let inside = rest.prefix { $0 != UInt8(ascii: "d") && $0 != UInt8(ascii: ")") }
        let numbers = inside.split { !isNumeric($0) }.compactMap { number($0) }
        if numbers.count == 16 { text.matrices.append("[" + numbers.joined(separator: ",") + "]") }
        position = inside.endIndex
      case .landmark, .spacedLandmark, .category:
        let inside = rest.prefix(4096).prefix { $0 != UInt8(ascii: ")") }
        position = inside.endIndex
        if word == .category { text.addShape(inside) } else { text.addLandmark(inside) }
      }
    }
    text.begin()
    return text.lines.isEmpty ? nil : text.lines
  }

  /// Ends a result and begins the next one.
  private mutating func begin() {
    if hasResult {
      let points = faces.map { "[" + $0.joined(separator: ",") + "]" }
      let scores = shapes.map { "{" + $0.joined(separator: ",") + "}" }
      let head = time.map { "\"timestamp_ms\":\($0)," } ?? ""
      lines += Array(
        ("{\(head)\"face_landmarks\":[\(points.joined(separator: ","))],\"face_blendshapes\":["
          + "\(scores.joined(separator: ","))],\"facial_transformation_matrixes\":["
          + "\(matrices.joined(separator: ","))]}\n").utf8)
    }
    (faces, shapes, matrices, time, isOpen) = ([], [], [], nil, false)
    hasResult = true
  }

  private mutating func addLandmark(_ inside: ArraySlice<UInt8>) {
    let values = ["x=", "y=", "z="].compactMap { Self.value($0, in: inside) }
    guard values.count == 3 else { return }
    if !isOpen { faces.append([]) }
    isOpen = true
    faces[faces.count - 1].append("[" + values.joined(separator: ",") + "]")
  }

  private mutating func addShape(_ inside: ArraySlice<UInt8>) {
    let text = String(decoding: inside, as: UTF8.self)
    let name =
      text.firstMatch(of: /category_name='([A-Za-z0-9_]+)'/)?.1
      ?? text.firstMatch(of: /^ "([A-Za-z0-9_]+)"/)?.1
    guard let name, let score = Self.value("score=", in: inside) else { return }
    if !isOpen { shapes.append([]) }
    isOpen = true
    // A name that comes twice would make the line no JSON.
    let entry = "\"\(name)\":"
    guard !shapes[shapes.count - 1].contains(where: { $0.hasPrefix(entry) }) else { return }
    shapes[shapes.count - 1].append(entry + score)
  }

  private static func value(_ key: String, in text: ArraySlice<UInt8>) -> String? {
    guard let found = text.firstRange(of: Array(key.utf8)) else { return nil }
    return number(text[found.upperBound...].prefix(32))
  }

  /// The number at the start of a text, as JSON has it.
  private static func number(_ text: ArraySlice<UInt8>) -> String? {
    let word = String(decoding: text.prefix(while: isNumeric), as: UTF8.self)
    return Double(word).flatMap { $0.isFinite ? "\($0)" : nil }
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || Array("+-.eE".utf8).contains(byte)
  }
}
