package import Foundation

extension JSONDecoder {
  /// Reads a value of a file, or of one of its lines; the error names the position and what is there.
  package func value<Value: Decodable>(
    _ type: Value.Type, from json: [UInt8], source: String, line: Int? = nil, noun: String
  ) throws(FileError) -> Value {
    do {
      return try decode(type, from: Data(json))
    } catch {
      throw FileError(error, in: JSONText(json, name: source, line: line), noun: noun)
    }
  }
}

extension FileError {
  /// Describes where decoding JSON as something failed, and what is there instead.
  fileprivate init(_ error: any Error, in json: JSONText, noun: String) {
    func wrong(_ position: String, _ expected: String, _ found: String?) -> FileError {
      FileError(json.place, at: position, expected: expected, found: found ?? "nothing")
    }
    do throws(FileError) {
      switch error as? DecodingError {
      case .keyNotFound(let key, let context)?:
        self = wrong(context.codingPath.pathText, "the key \"\(key.stringValue)\"", "none")
      case .typeMismatch(let type, let context)?, .valueNotFound(let type, let context)?:
        let found = try json.summary(at: context.codingPath)
        self = wrong(context.codingPath.pathText, Self.words(for: type), found)
      case .dataCorrupted(let context)? where context.codingPath.isEmpty:
        var text = json
        _ = try JSONValue(&text)
        try text.finish()
        // Foundation leaves the path empty where a number does not fit its type.
        self = wrong(
          "", "whole numbers where things are counted, and no number beyond 3.4e38",
          "one with decimals or out of range")
      case .dataCorrupted(let context)?:
        let found = try json.summary(at: context.codingPath)
        self = wrong(context.codingPath.pathText, "a value of the schema", found)
      default: self = wrong("", noun, "\(error)")
      }
    } catch {
      self = error
    }
  }

  private static func words(for type: any Any.Type) -> String {
    switch type {
    case is Double.Type, is Float.Type: "a number"
    case is Int.Type: "a whole number"
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is [Any].Type: "a list"
    default: "an object"
    }
  }
}

extension JSONText {
  /// What is at a coding path, in words; nil where the path leaves the file. Throws where the file is not JSON.
  fileprivate func summary(at path: [any CodingKey]) throws(FileError) -> String? {
    var copy = self
    let found = try copy.summary(at: path[...])
    try copy.finish()
    return found
  }

  private mutating func summary(
    at path: ArraySlice<any CodingKey>
  ) throws(FileError) -> String? {
    let kind = try kind()
    var found: String?
    var index = 0
    switch (path.first, kind) {
    case (let key?, .object):
      try members { (json, name) throws(FileError) in
        if name == key.stringValue {
          found = try json.summary(at: path.dropFirst())
        } else {
          try json.skip()
        }
      }
    case (let key?, .array):
      try elements { (json) throws(FileError) in
        if index == key.intValue {
          found = try json.summary(at: path.dropFirst())
        } else {
          try json.skip()
        }
        index += 1
      }
    case (_?, _): try skip()
    case (nil, .object):
      try skip()
      found = JSONValue.object([:]).summary
    case (nil, .array): found = JSONValue.array(try skip() ? [.null] : []).summary
    case (nil, _): found = try JSONValue(&self).summary
    }
    return found
  }
}

extension Sequence<any CodingKey> {
  /// Keys joined by dots, positions in brackets, such as `series[2].content.edges`.
  var pathText: String {
    reduce(into: "") { position, key in
      if let index = key.intValue {
        position += "[\(index)]"
      } else {
        position += (position.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}
