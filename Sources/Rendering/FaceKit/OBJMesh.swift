package import Foundation
package import Platform

/// The vertices and polygons of a Wavefront OBJ file; texture coordinates, normals and materials are left out.
package struct OBJMesh: Sendable, Hashable {
  /// Positions, in the file's unit.
  package let vertices: [SIMD3<Float>]
  /// Polygons as fans of triangles, by position in `vertices`.
  package let triangles: [SIMD3<Int32>]

  /// The most vertices that a file may have.
  package static let vertexLimit = 1 << 20
  /// The most corners that all polygons of a file may have together.
  package static let cornerLimit = 1 << 23
  /// The largest file, in MiB.
  package static let mebibytes = 64

  /// Reads a file of at most 64 MiB; throws `.notFound`, `.inputOutput`, or `.wrongData` with the line.
  package init(_ url: URL, withTriangles: Bool = true) throws(FileError) {
    try self.init(
      InputFile.bytes(of: url, mebibytes: Self.mebibytes), name: url.relativePath,
      withTriangles: withTriangles)
  }

  /// Reads the bytes of a file that errors call `name`; throws `.wrongData` with the line.
  package init(_ bytes: [UInt8], name: String, withTriangles: Bool = true) throws(FileError) {
    var reader = OBJReader(name: name, withTriangles: withTriangles)
    try reader.read(bytes)
    vertices = reader.vertices
    triangles = reader.triangles
  }
}

/// One pass over the lines of a file.
private struct OBJReader {
  let name: String
  let withTriangles: Bool
  var vertices: [SIMD3<Float>] = []
  var triangles: [SIMD3<Int32>] = []
  private var line = 0
  private var corners = 0

  /// What a line may begin with besides `v` and `f`.
  private static let ignored: Set<String> = [
    "vt", "vn", "vp", "g", "o", "s", "l", "p", "mtllib", "usemtl",
  ]

  init(name: String, withTriangles: Bool) {
    self.name = name
    self.withTriangles = withTriangles
  }

  mutating func read(_ bytes: [UInt8]) throws(FileError) {
    var fields = ByteFields(bytes)
    while fields.nextLine() {
      line += 1
      guard let keyword = fields.next(), bytes[keyword.lowerBound] != UInt8(ascii: "#") else {
        continue
      }
      let first = bytes[keyword.lowerBound]
      if keyword.count == 1, first == UInt8(ascii: "v") {
        try addVertex(&fields)
      } else if keyword.count == 1, first == UInt8(ascii: "f") {
        if withTriangles { try addPolygon(&fields) }
      } else {
        let word = fields.text(keyword)
        guard Self.ignored.contains(word) else {
          throw wrong("'v', 'f' or another element of a polygon mesh", "'\(word.prefix(20))'")
        }
      }
    }
    guard !vertices.isEmpty else { throw wrong("a vertex", "none") }
  }

  private mutating func addVertex(_ fields: inout ByteFields) throws(FileError) {
    guard vertices.count < OBJMesh.vertexLimit else {
      throw wrong("at most \(OBJMesh.vertexLimit) vertices", "more")
    }
    var position = SIMD3<Float>.zero
    for axis in 0..<3 {
      guard let field = fields.next() else { throw wrong("three coordinates", "\(axis)") }
      guard let number = fields.number(field), Float(number).isFinite else {
        throw wrong("a finite number", "'\(fields.text(field).prefix(20))'")
      }
      position[axis] = Float(number)
    }
    vertices.append(position)
  }

  private mutating func addPolygon(_ fields: inout ByteFields) throws(FileError) {
    var count = 0
    var (first, last) = (Int32(0), Int32(0))
    while let field = fields.next() {
      let corner = try vertex(fields.integer(field), of: fields.text(field))
      corners += 1
      guard corners <= OBJMesh.cornerLimit else {
        throw wrong("at most \(OBJMesh.cornerLimit) corners of polygons", "more")
      }
      if count == 0 { first = corner }
      if count >= 2 { triangles.append(SIMD3(first, last, corner)) }
      last = corner
      count += 1
    }
    guard count >= 3 else { throw wrong("a polygon of three corners or more", "\(count)") }
  }

  /// The position of a corner's vertex: 1 is the first of the file, -1 the last so far.
  private func vertex(_ number: Int?, of text: String) throws(FileError) -> Int32 {
    let position = number.map { $0 > 0 ? $0 - 1 : $0 == 0 ? -1 : vertices.count + $0 }
    guard let position, vertices.indices.contains(position) else {
      throw wrong("a corner among \(vertices.count) vertices", "'\(text.prefix(20))'")
    }
    return Int32(position)
  }

  private func wrong(_ expected: String, _ found: String) -> FileError {
    FileError(name, at: "line \(max(line, 1))", expected: expected, found: found)
  }
}

/// The fields of a text's lines, separated by blanks, without a copy of either.
private struct ByteFields {
  private let bytes: [UInt8]
  private var at = 0
  private var end = 0
  private var following = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Goes to the next line; false after the last.
  mutating func nextLine() -> Bool {
    guard following < bytes.count else { return false }
    at = following
    end = at
    while end < bytes.count, bytes[end] != 10 { end += 1 }
    following = end + 1
    return true
  }

  /// The bytes of the line's next field; nil at its end.
  mutating func next() -> Range<Int>? {
    while at < end, bytes[at] == 32 || bytes[at] == 9 || bytes[at] == 13 { at += 1 }
    guard at < end else { return nil }
    let start = at
    while at < end, bytes[at] != 32, bytes[at] != 9, bytes[at] != 13 { at += 1 }
    return start..<at
  }

  func text(_ field: Range<Int>) -> String { String(decoding: bytes[field], as: UTF8.self) }

  /// The whole number before the first slash; nil for anything else or more than nine digits.
  func integer(_ field: Range<Int>) -> Int? {
    var at = field.lowerBound
    let isNegative = bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    var (value, digits) = (0, 0)
    while at < field.upperBound, bytes[at] >= 48, bytes[at] <= 57 {
      guard digits < 9 else { return nil }
      value = value * 10 + Int(bytes[at] - 48)
      digits += 1
      at += 1
    }
    guard digits > 0, at == field.upperBound || bytes[at] == UInt8(ascii: "/") else { return nil }
    return isNegative ? -value : value
  }

  /// A decimal number, rounded as the standard library rounds; nil for anything else.
  func number(_ field: Range<Int>) -> Double? {
    guard field.count <= 64 else { return nil }
    var at = field.lowerBound
    let isNegative = bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    var (mantissa, digits, decimals) = (0, 0, 0)
    var hasPoint = false
    while at < field.upperBound, digits <= 15 {
      let byte = bytes[at]
      if byte >= 48, byte <= 57 {
        mantissa = mantissa * 10 + Int(byte - 48)
        digits += 1
        if hasPoint { decimals += 1 }
      } else if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        break
      }
      at += 1
    }
    // Both are exact up to 2^53 and 10^22, so their quotient is the nearest number.
    if at == field.upperBound, digits > 0, digits <= 15 {
      let value = Double(mantissa) / Self.powersOfTen[decimals]
      return isNegative ? -value : value
    }
    let text = text(field)
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Double(text)
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]
}
