import Foundation
import TestSupport
import Testing

extension BrokenInput {
  private static let short = "evaluate good.h5 -o run --models a.tflite"
  private static let bundle = "evaluate good.h5 -o run --models a.task"

  /// Models and bundles.
  static let models: [BrokenInput] =
    [
      BrokenInput(
        "an empty model", short, "a.tflite", "",
        "cannot load blazeface-short-range from a.tflite: expected the identifier TFL3 "
          + "of a TFLite model (at byte 4)"),
      BrokenInput(
        "a text instead of a model", short, "a.tflite", "not a model",
        "cannot load blazeface-short-range from a.tflite: expected the identifier TFL3 "
          + "of a TFLite model (at byte 4)"),
      BrokenInput(
        "the first 8 bytes of a model", short, "a.tflite", bytes: root(8),
        "cannot load blazeface-short-range from a.tflite: an offset of 8 leads outside "
          + "the 8 bytes of the model (at byte 0)"),
      BrokenInput(
        "a root beyond the model", short, "a.tflite",
        bytes: root(0x7FFF_FFFF) + [UInt8](repeating: 0xEE, count: 56),
        "cannot load blazeface-short-range from a.tflite: an offset of 2147483647 "
          + "leads outside the 64 bytes of the model (at byte 0)"),
      BrokenInput(
        "a root before the model", short, "a.tflite",
        bytes: root(0xFFFF_FFFC) + [UInt8](repeating: 0xEE, count: 56),
        "cannot load blazeface-short-range from a.tflite: an offset of 4294967292 "
          + "leads outside the 64 bytes of the model (at byte 0)"),
      BrokenInput(
        "a model of noise", short, "a.tflite",
        bytes: root(16) + (0..<500).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ $0 >> 2) },
        "cannot load blazeface-short-range from a.tflite: a vtable of 4 bytes lies "
          + "outside the 508 bytes of the model (at byte 713284678)"),
      BrokenInput(
        "an empty bundle", bundle, "a.task", "",
        "cannot read face_detector.tflite in a.task: cannot read model bundle "
          + "'a.task': neither a TFLite model nor a ZIP archive: no end-of-directory "
          + "record in 0 bytes"),
      BrokenInput(
        "a text instead of a bundle", bundle, "a.task", "not a bundle",
        "cannot read face_detector.tflite in a.task: cannot read model bundle "
          + "'a.task': neither a TFLite model nor a ZIP archive: no end-of-directory "
          + "record in 12 bytes"),
      BrokenInput(
        "a bundle of no members", bundle, "a.task",
        bytes: [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18),
        "cannot read face_detector.tflite in a.task: cannot read model bundle "
          + "'a.task': the archive's directory lists no members (at byte 0)"),
      BrokenInput(
        "a bundle of 65535 members", bundle, "a.task",
        bytes: [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 255, 255, 255, 255]
          + [UInt8](repeating: 0, count: 10),
        "cannot read face_detector.tflite in a.task: cannot read model bundle "
          + "'a.task': no directory entry at the offset that the archive gives (at byte 0)"),
      BrokenInput(
        "a bundle whose directory starts before it", bundle, "a.task",
        bytes: [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 255, 255, 255, 127]
          + [UInt8](repeating: 0, count: 6),
        "cannot read face_detector.tflite in a.task: cannot read model bundle "
          + "'a.task': a directory of 2147483647 bytes at 0 does not end before its end "
          + "record (at byte 0)"),
    ]
    + [
      (
        "an operator that is not there", "operator",
        "cannot load blazeface-short-range from a.tflite: node 0: operator LSTM is not "
          + "supported"
      ),
      (
        "a quantised model", "quantised input",
        "cannot load blazeface-short-range from a.tflite: input 't0': INT8 without a "
          + "scale, expected one above 0"
      ),
      (
        "a model of 2 tensors that uses the fifth", "no such tensor",
        "cannot load blazeface-short-range from a.tflite: node 0 RELU: inputs name "
          + "tensor 5 of 2"
      ),
      (
        "a tensor that is made twice", "made twice",
        "cannot load blazeface-short-range from a.tflite: node 1 RELU: output tensor 1 "
          + "has a value already"
      ),
      (
        "tensors of gigabytes", "too large together",
        "cannot load blazeface-short-range from a.tflite: node 2 RELU: the tensors "
          + "together take more than 256 MiB"
      ),
      (
        "another output than computed", "output shape",
        "cannot load blazeface-short-range from a.tflite: node 0 CONV_2D: output is "
          + "FLOAT32 [1, 4, 4, 6], the file declares FLOAT32 [1, 4, 5, 6] (at byte 224)"
      ),
    ].map { what, name, message in
      BrokenInput(what, short, message) { folder in
        try folder.write(refusedModel(name), to: "a.tflite")
      }
    } + [
      BrokenInput(
        "a tensor with a line break in its name", short,
        "cannot load blazeface-short-range from a.tflite: input ' 0': INT8 without a scale, "
          + "expected one above 0"
      ) { folder in
        var bytes = try refusedModel("quantised input")
        for position in bytes.indices.dropLast() where bytes[position...].starts(with: "t0".utf8) {
          bytes[position] = 0x0A
        }
        try folder.write(bytes, to: "a.tflite")
      }
    ]

  private static func refusedModel(_ name: String) throws -> [UInt8] {
    let cases = try Oracles.read("tflite_unsupported", as: [RefusedModel].self)
    return [UInt8](try #require(cases.first { $0.name == name }).model)
  }

  private struct RefusedModel: Decodable {
    var name: String
    var model: Data
  }

  private static func root(_ position: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(position >> (8 * $0) & 0xFF) } + Array("TFL3".utf8)
  }

  /// Records of runs.
  static let documents: [BrokenInput] = [
    record(
      "an empty record", "",
      "cannot read run/record.json, line 1, column 1: expected JSON, found the end of the file"),
    record(
      "a record that ends early", "{\"schema\": \"facegauge.record\"",
      "cannot read run/record.json, line 1, column 30: expected ',' or '}', found the end of the file"
    ),
    record(
      "a record of a list", "[]",
      "cannot read run/record.json: expected an object with the schema "
        + "\"facegauge.record\", found an empty list"),
    record(
      "a record of nothing", "{}",
      "cannot read 'schema' in run/record.json: expected \"facegauge.record\", found "
        + "nothing"),
    record(
      "a record of another schema", "{\"schema\": \"x\", \"version\": 1}",
      "cannot read 'schema' in run/record.json: expected \"facegauge.record\", found "
        + "\"x\""),
    record(
      "a record of a later version", "{\"schema\": \"facegauge.record\", \"version\": 99}",
      "cannot read 'version' in run/record.json: expected 3, found 99"),
    record(
      "a record of its schema alone", "{\"schema\": \"facegauge.record\", \"version\": 3}",
      "cannot read run/record.json: expected the key \"tool\", found none"),
    record(
      "a record of bytes that are no text", "{\"schema\": \"\u{0}\"}",
      "cannot read run/record.json, line 1, column 13: expected a closing quote before any control "
        + "character, found byte 0"),
    BrokenInput(
      "a run without a record", "report run", status: 66,
      "cannot read run/record.json: no such file"
    ) {
      try $0.write("", to: "run/other")
    },
    BrokenInput(
      "a run without a record", "overlay run -o out", status: 66,
      "cannot open run/predictions.h5: no such file"
    ) {
      try $0.write("", to: "run/other")
    },
  ]

  private static func record(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, "report run", "run/record.json", text, message)
  }
}
