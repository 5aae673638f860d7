import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct BrokenCOCOTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func row(_ content: String) -> String {
    COCOTests.document(#"{"image_id": 1, "category_id": 1, \#(content)}"#)
  }

  private static func images(_ list: String) -> String {
    COCOTests.document(images: list)
  }

  static let failures: [(text: String, message: String)] = [
    ("", "a.json, line 1, column 1: expected JSON, found the end of the file"),
    ("\u{0}\u{1}", "a.json, line 1, column 1: expected JSON, found byte 0"),
    ("7", "a.json: expected an object, found a number"),
    ("{}", "a.json: expected COCO's keys images and annotations, found none"),
    (
      #"{"a": 1, "images": []}"#,
      "a.json: expected COCO's keys images and annotations, found a, images"
    ),
    (
      #"{"images": []"#, "a.json, line 1, column 14: expected ',' or '}', found the end of the file"
    ),
    ("{\"images\":\n [}", "a.json, line 2, column 3: expected a value, found '}'"),
    (#"{"images": [],}"#, "a.json, line 1, column 15: expected a key in quotes, found '}'"),
    (#"{"images" []}"#, "a.json, line 1, column 11: expected ':', found '['"),
    (#"{"images": {}}"#, "'images' in a.json: expected a list, found an object"),
    (#"{"images": [], "images": []}"#, "a.json: expected each key once, found 'images' twice"),
    (
      COCOTests.document() + "x",
      "a.json, line 1, column 210: expected the end of the file, found 'x'"
    ),
    (images("[1]"), "'images[0]' in a.json: expected an object, found a number"),
    (images("[{}]"), "'images[0]' in a.json: expected an id and a file_name, found no id"),
    (
      images(#"[{"id": 1, "file_name": ""}]"#),
      "'images[0]' in a.json: expected an id and a file_name, found no file_name"
    ),
    (
      images(#"[{"id": 1, "file_name": 5}]"#),
      "'images[0].file_name' in a.json: expected a text, found a number"
    ),
    (
      images(#"[{"id": 1.5, "file_name": "a"}]"#),
      "'images[0].id' in a.json: expected a whole number from -9007199254740992 to 9007199254740992, found 1.5"
    ),
    (
      images(#"[{"id": 1, "file_name": "a"}, {"id": 1, "file_name": "b"}]"#),
      "a.json: expected each image id once, found 1 for 'a' and 'b'"
    ),
    (
      COCOTests.document(categories: #"[{"name": "face"}]"#),
      "'categories[0]' in a.json: expected an id, found none"
    ),
    (
      COCOTests.document(categories: #"[{"id": 9e9}]"#),
      "'categories[0].id' in a.json: expected a whole number from -2147483648 to 2147483647, found 9000000000"
    ),
    (
      COCOTests.document(#"{"category_id": 1}"#),
      "'annotations[0]' in a.json: expected an image_id, found none"
    ),
    (
      row(#""bbox": [NaN, 1, 2, 3]"#),
      "'annotations[0].bbox[0]' in a.json: expected a number, found NaN, which Python writes and JSON does not have"
    ),
    (
      row(#""area": -Infinity"#),
      "'annotations[0].area' in a.json: expected a number, found -Infinity, which Python writes and JSON does "
        + "not have"
    ),
    (
      row(#""bbox": NaN"#),
      "'annotations[0].bbox' in a.json: expected a JSON value, found NaN, which Python writes and JSON does "
        + "not have"
    ),
    (
      row(#""bbox": [1, 2, 3]"#),
      "'annotations[0].bbox' in a.json: expected 4 numbers x, y, width, height, found 3"
    ),
    (
      row(#""bbox": [1, 2, 3, -4]"#),
      "'annotations[0].bbox' in a.json: expected a width and height of 0 or more, found 3.0 and -4.0"
    ),
    (row(#""bbox": "1 2 3 4""#), "'annotations[0].bbox' in a.json: expected a list, found a text"),
    (
      row(#""bbox": [1, 2, 1e999, 3]"#),
      "'annotations[0].bbox[2]' in a.json: expected a number that a double can hold, found 1e999"
    ),
    (
      row(#""bbox": [1, 2, 03, 3]"#),
      "a.json, line 1, column 194: expected no digit after a leading 0, found '3'"
    ),
    (row(#""bbox": [1, 2, +3, 3]"#), "a.json, line 1, column 193: expected a value, found '+'"),
    (row(#""bbox": [1, 2, 3., 3]"#), "a.json, line 1, column 195: expected a digit, found ','"),
    (
      row(#""iscrowd": 2"#),
      "'annotations[0].iscrowd' in a.json: expected a whole number from 0 to 1, found 2"
    ),
    (
      row(#""iscrowd": "no""#),
      "'annotations[0].iscrowd' in a.json: expected true, false, 1 or 0, found a text"
    ),
    (row(#""ignore": tru"#), "a.json, line 1, column 188: expected true, false or null, found 't'"),
    (
      row(#""keypoints": [1, 2]"#),
      "'annotations[0].keypoints' in a.json: expected 3 numbers per point, found 2 numbers"
    ),
    (
      row(#""keypoints": [1, 2, 3]"#),
      "'annotations[0].keypoints' in a.json: expected flags 0, 1 or 2 after x and y, found 3"
    ),
    (
      row(#""keypoints": [1, 2, 0.5]"#),
      "'annotations[0].keypoints' in a.json: expected flags 0, 1 or 2 after x and y, found 0.5"
    ),
    (
      row(#""caption": "\q""#), "a.json, line 1, column 191: expected an escape, found 'q'"
    ),
    (
      row(#""caption": "\ud800""#),
      "a.json, line 1, column 196: expected a pair of surrogates before this, found '\"'"
    ),
    (
      row("\"caption\": \"a\nb\""),
      "a.json, line 1, column 191: expected a closing quote before any control character, found byte 10"
    ),
    (
      row(#""rle": "# + String(repeating: "[", count: 100_000)),
      "a.json, line 1, column 246: expected at most 64 nested values, found '['"
    ),
    (
      #"{"images": [{"id": 1, "file_name": "a"}], "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}, {"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4]}, {"image_id": 1, "bbox": [1, 2, 3, 4]}]}"#,
      "a.json: expected one category named face, or --category with the name or number of the one that is, or 'all', found 1, 2"
    ),
    (
      #"{"images": [{"id": 1, "file_name": "a"}], "categories": [{"id": 0, "name": "face"}, {"id": 2, "name": "smile", "supercategory": "face"}], "annotations": [{"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4]}]}"#,
      "a.json: expected faces in the category 'face', or --category with the names of those that are, or 'all', found only 2 'smile', which are parts of it"
    ),
    (
      #"[{"image_id": 1, "bbox": [1, 2, 3, 4]}]"#, "'[0]' in a.json: expected a score, found none"
    ),
    (
      "[]",
      "a.json: expected a result file to be followed by its annotation file, which names the images, "
        + "found none (import coco a.json ANNOTATIONS.json)"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the position`(index: Int) throws {
    let source = try folder.write(Self.failures[index].text, to: "a.json")
    let error = #expect(throws: FileError.self) { try readAll(COCOJSON(), [source]) }
    #expect(error?.line(from: folder) == "cannot read \(Self.failures[index].message)")
    #expect(error?.kind == .wrongData)
  }

  @Test func `text that is not UTF-8 is an error`() throws {
    var bytes = Array(COCOTests.images.utf8)
    let position = try #require(bytes.firstIndex(of: UInt8(ascii: "a")))
    bytes[position + 3] = 0xFF
    let source = try folder.write(Array(#"{"images": "#.utf8) + bytes, to: "a.json")
    let error = #expect(throws: FileError.self) { try readAll(COCOJSON(), [source]) }
    #expect(error?.description.contains("expected a text in UTF-8") == true)
  }

  @Test func `every way to cut a file off is an error and none a crash`() throws {
    let whole = Array(
      COCOTests.document(
        #"{"image_id": 1, "category_id": 1, "bbox": [1, 2.5e0, -3, true], "é\u00e9": null}"#,
        images: #"[{"id": 1, "file_name": "a"}]"#
      ).utf8)
    for count in whole.indices {
      let source = try folder.write(whole[..<count], to: "a.json")
      let error = #expect(throws: FileError.self) { try readAll(COCOJSON(), [source]) }
      #expect(error?.kind == .wrongData)
      _ = COCOJSON().recognises(source)
    }
  }

  @Test func `results and annotations that are not each other's are errors`() throws {
    let results = try folder.write("[]", to: "r.json")
    let error = #expect(throws: FileError.self) {
      try readAll(COCOJSON(), [results, results])
    }
    #expect(
      error?.line(from: folder).hasPrefix("cannot read r.json: expected a result file to be")
        == true)
    #expect(throws: FileError.self) {
      try readAll(COCOJSON(), [results, folder.file("none.json")])
    }
  }
}
