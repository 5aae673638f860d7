internal import FaceCore
internal import Foundation
internal import Platform

/// A file of JSON objects, one per line: a header with schema and version, then one object per frame.
struct JSONLines {
  /// Contents of the first line, but for schema and version.
  struct Header {
    var name: String?
    var kind: SequenceKind?
    var fps: Double?
  }

  /// The file's name, for messages.
  let name: String
  /// The first line.
  private(set) var header = Header()
  /// Number of the line that was read last, from 1.
  private(set) var line = 0
  private let bytes: [UInt8]
  private var position: Int

  /// Reads a file and its header; throws `.wrongData` for another schema or version than 1.
  init(_ source: URL, schema: String) throws(FileError) {
    name = source.relativePath
    bytes = try SourceFiles.bytes(of: source)
    position = ByteOrderMark.byteCount(in: bytes)
    guard let first = nextLine() else {
      throw FileError.wrongData(
        "cannot read \(name): expected a header of \(schema), found an empty file")
    }
    try JSONHeader(schema, version: 1).check(first, source: name, line: line)
    let stated = try JSONNode(first, source: name, line: line)
    header = Header(
      name: try stated["name"].unlessNull?.text(),
      kind: try stated["kind"].unlessNull?.choice(SequenceKind.self),
      fps: try stated["fps"].unlessNull?.number(0...100_000))
  }

  /// The reason to detect a format: the file's first bytes name its schema.
  static func recognises(_ source: URL, schema: String, type: String? = nil) -> String? {
    SourceFiles.head(of: source, type: type)?.contains("\"\(schema)\"") == true
      ? "a JSON file of schema \(schema)" : nil
  }

  /// The object of the next line that is not blank, or nil at the end; throws `.wrongData` for anything else, and for a
  /// key that an object has twice, of which the decoder takes one.
  mutating func next<Object: Decodable>(_ type: Object.Type) throws(FileError) -> Object? {
    guard let text = nextLine() else { return nil }
    let object = try JSONDecoder().value(
      type, from: text, source: name, line: line, noun: "an object")
    var json = JSONText(text, name: name, line: line)
    try json.skip()
    return object
  }

  private mutating func nextLine() -> [UInt8]? {
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      let text = bytes[position..<end]
      position = end + 1
      line += 1
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      return Array(text)
    }
    return nil
  }

  /// An error about the line that was read last.
  func wrong(_ what: String) -> FileError {
    FileError.wrongData("cannot read \(name), line \(line): \(what)")
  }

  /// Returns the numbers; throws unless there are `count` and all are finite.
  func numbers(
    _ values: [Double], count: Int, _ what: String
  ) throws(FileError) -> [Double] {
    guard values.count == count else {
      throw wrong("expected \(count) numbers in \(what), found \(values.count)")
    }
    if let number = values.first(where: { !Float($0).isFinite }) {
      throw wrong("expected finite numbers in \(what), found \(number)")
    }
    return values
  }

  /// Width and height of an image; throws unless both are 1 to 65535.
  func size(_ width: Int, _ height: Int) throws(FileError) -> (width: Double, height: Double) {
    guard (1...65_535).contains(width), (1...65_535).contains(height) else {
      throw wrong("expected an image of 1 to 65535 pixels, found \(width)x\(height)")
    }
    return (Double(width), Double(height))
  }

  /// Coefficients by name in the order of `Blendshape`; ARKit's `_L` and `_R` mean Left and Right. Returns the rest, of
  /// which `tongueOut` has this name in any spelling.
  func blendshapes(
    _ values: [String: Double]
  ) throws(FileError) -> (known: [Float], others: [String: Double]) {
    var known = [Float](repeating: .nan, count: Blendshape.allCases.count)
    var others: [String: Double] = [:]
    for (key, value) in values {
      guard Float(value).isFinite else {
        throw wrong("expected a finite number in '\(key.prefix(60))', found \(value)")
      }
      guard let shape = Blendshape(spelled: key) else {
        others[Blendshape.isTongue(spelled: key) ? "tongueOut" : key] = value
        continue
      }
      guard known[shape.index].isNaN else {
        throw wrong("expected '\(shape.rawValue)' once, found it twice")
      }
      known[shape.index] = Float(value)
    }
    return (known, others)
  }
}
