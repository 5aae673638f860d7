internal import Foundation
internal import Imaging
internal import Platform

/// Reads requests, and the bytes after them, from a descriptor.
struct RequestReader {
  private let input: Descriptor
  private var buffer: [UInt8] = []
  private var position = 0
  private var line = 0

  init(_ input: Descriptor) {
    self.input = input
  }

  /// A frame, or a question for the clock.
  enum Message {
    case frame(TrackerRequest)
    case sync(Int)
  }

  /// The next message; nil at the end of the input.
  mutating func next() throws -> Message? {
    var text: [UInt8] = []
    while true {
      if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
        text += buffer[position..<end]
        position = end + 1
        break
      }
      text += buffer[position...]
      guard text.count <= 1 << 16 else {
        throw wrong("a line of at most 65536 bytes", "a longer one")
      }
      guard try fill() else {
        guard text.isEmpty else { throw wrong("a whole line", "the input's end") }
        return nil
      }
    }
    line += 1
    do {
      let (data, decoder) = (Data(text), JSONDecoder())
      if let question = try? decoder.decode(TrackerSync.self, from: data) {
        return .sync(question.sync)
      }
      let request = try decoder.decode(TrackerRequest.self, from: data)
      for (key, count) in [("rgb_bytes", request.rgbBytes), ("image_bytes", request.imageBytes)] {
        guard let count, !(0...(3 * ImageHeader.maximumPixels)).contains(count) else { continue }
        throw wrong("\(key) of 0 to \(3 * ImageHeader.maximumPixels)", "\(count)")
      }
      return .frame(request)
    } catch is DecodingError {
      throw wrong("a request", "'\(String(decoding: text.prefix(80), as: UTF8.self))'")
    }
  }

  /// The next bytes.
  mutating func bytes(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      if position == buffer.count, try !fill() {
        throw wrong("\(count) bytes", "\(bytes.count) before the input's end")
      }
      let end = min(position + count - bytes.count, buffer.count)
      bytes += buffer[position..<end]
      position = end
    }
    return bytes
  }

  func wrong(_ expected: String, _ found: String) -> EvaluationError {
    EvaluationError.wrongData(
      "cannot serve, request \(max(line, 1)): expected \(expected), found \(found)")
  }

  private mutating func fill() throws -> Bool {
    do throws(SystemError) {
      buffer = try input.bytes(upTo: 1 << 18)
    } catch {
      throw EvaluationError(.inputOutput, "cannot read requests: \(error)")
    }
    position = 0
    return !buffer.isEmpty
  }
}
