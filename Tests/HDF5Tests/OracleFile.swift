import CZlib
import Foundation
import TestSupport
import Testing

/// A file that h5py wrote and what h5py reads from it, made by `Tests/Oracles/hdf5_files.py`.
struct OracleFile: Decodable {
  struct Dataset: Decodable {
    let type: String
    let shape: [Int]
    let numbers: [String]?
    let texts: [String]?
  }

  enum Value: Decodable {
    case text(String), texts([String]), integer(Int), number(Double), integers([Int])
    case numbers([Double])
    case flag(Bool)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let integer = try? container.decode(Int.self) {
        self = .integer(integer)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let integers = try? container.decode([Int].self) {
        self = .integers(integers)
      } else if let numbers = try? container.decode([Double].self) {
        self = .numbers(numbers)
      } else {
        self = .texts(try container.decode([String].self))
      }
    }
  }

  struct Attribute: Decodable {
    let object: String
    let name: String
    let value: Value
  }

  private struct Collection: Decodable {
    let files: [String: OracleFile]
  }

  private let byteCount: Int
  private let zlib: String
  let datasets: [String: Dataset]
  let attributes: [Attribute]

  private enum CodingKeys: String, CodingKey {
    case byteCount = "bytes"
    case zlib, datasets, attributes
  }

  var bytes: [UInt8] {
    get throws {
      let packed = Array(try #require(Data(base64Encoded: zlib)))
      var length = uLongf(byteCount)
      var bytes = [UInt8](repeating: 0, count: byteCount)
      try #require(uncompress(&bytes, &length, packed, uLong(packed.count)) == Z_OK)
      return bytes
    }
  }

  static let all = (try? Oracles.read("hdf5_files", as: Collection.self).files) ?? [:]
}
