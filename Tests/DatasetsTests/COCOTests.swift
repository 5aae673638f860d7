import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct COCOTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let images = #"[{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "deep/b.png"}]"#
  static let box = #"{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}"#

  static func document(
    _ annotations: String = box, images: String = images,
    categories: String = #"[{"id": 1, "name": "face"}]"#
  ) -> String {
    #"{"images": \#(images), "categories": \#(categories), "annotations": [\#(annotations)]}"#
  }

  /// K points (1, 2), (3, 4) … with the flags repeated cyclically.
  static func keypoints(_ count: Int, flags: [String] = ["1"]) -> String {
    "["
      + (0..<count).map { "\(2 * $0 + 1), \(2 * $0 + 2), \(flags[$0 % flags.count])" }
      .joined(separator: ", ") + "]"
  }

  /// One category of five points by name, in their usual order.
  static func five(_ id: Int) -> String {
    #"[{"id": \#(id), "name": "face", "keypoints": ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"]}]"#
  }

  private func read(
    _ texts: String..., options: ImportOptions = ImportOptions()
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(
      COCOJSON(), texts.enumerated().map { try folder.write($1, to: "\($0).json") }, options)
  }

  @Test func `boxes, areas, crowds and ignored faces keep their order, and id 0 is one of them`()
    throws
  {
    let read = try read(
      Self.document(
        """
        {"id": 0, "image_id": 2, "category_id": 1, "bbox": [1.5, -2, 3e1, 4.25], "area": 7},
        {"id": 7, "image_id": 2, "category_id": 1, "bbox": [0, 0, 0, 5], "iscrowd": 1},
        {"image_id": 2, "category_id": 1, "bbox": [1, 1, 2, 2], "ignore": true, "area": null,
         "track_id": 9, "segmentation": []}
        """))
    #expect(read.frames.map(\.name) == ["a.jpg", "deep/b.png"])
    #expect(read.frames[1].image.file == folder.file("deep/b.png"))
    #expect(read.frames[0].faces.isEmpty)
    let faces = read.frames[1].faces
    #expect(
      faces.map(\.box) == [
        BoundingBox(x: 1.5, y: -2, width: 30, height: 4.25),
        BoundingBox(x: 0, y: 0, width: 0, height: 5), BoundingBox(x: 1, y: 1, width: 2, height: 2),
      ])
    #expect(faces.map(\.area) == [7, 0, 4])
    #expect(faces.map(\.isCrowd) == [false, true, false])
    #expect(faces.map(\.isIgnored) == [false, false, true])
    #expect(faces.map(\.identity) == [nil, nil, 9])
    // The face of no width is left out by the import, which says so.
    #expect(read.remarks.isEmpty)
  }

  @Test func `a number is the same id as a number and as a word, and another number is another id`()
    throws
  {
    let read = try read(
      Self.document(
        """
        {"id": 5, "image_id": "7", "category_id": 1, "bbox": [1, 2, 3, 4]},
        {"id": "5", "image_id": 7, "category_id": 1, "bbox": [2, 2, 3, 4]},
        {"id": "05", "image_id": "07", "category_id": 1, "bbox": [3, 2, 3, 4]}
        """,
        images: #"[{"id": 7, "file_name": "a.jpg"}, {"id": "07", "file_name": "b.jpg"}]"#))
    #expect(read.frames.map { $0.faces.map(\.box.x) } == [[1, 2], [3]])
    #expect(read.remarks == ["1 ids of annotations are repeated: the rows are kept"])
  }

  @Test func `flags with a 2 among them are COCO's, and others mean visible`() throws {
    let own = try read(
      Self.document(
        """
        {"image_id": 1, "category_id": 1, "keypoints": \(Self.keypoints(5, flags: ["0", "1", "2"]))}
        """, categories: Self.five(1)))
    let set = try #require(own.frames[0].faces.first?.landmarks.first)
    #expect(set.scheme == .five)
    #expect(set.visibility == [.notLabelled, .occluded, .visible, .notLabelled, .occluded])
    #expect(set.points[0].x.isNaN && set.points[1] == Point(x: 3, y: 4))
    #expect(own.frames[0].faces[0].box == BoundingBox(x: 3, y: 4, width: 6, height: 6))
    #expect(
      own.remarks == [
        "point flags are COCO's: 1 hidden, 2 visible",
        "1 sets of 5 keypoints are taken as five, by their names",
        "1 annotations without a box get the tight box of their points",
      ])
    let plain = try read(
      Self.document(
        #"{"image_id": 1, "category_id": 1, "keypoints": \#(Self.keypoints(29, flags: ["1", "0"]))}"#
      ))
    let states = try #require(plain.frames[0].faces.first?.landmarks.first).visibility
    #expect(states.prefix(2) == [.visible, .notLabelled])
    #expect(plain.remarks[0] == "no point has flag 2: flag 1 is taken as labelled and visible")
  }

  @Test func `a remark is one line whatever a key contains`() throws {
    let read = try read(
      Self.document(
        #"{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "a\nb\u001b": 1}"#))
    #expect(
      read.remarks.last == #"lost: unsupported keys of annotations left out: a\nb\u{1b} (1)"#)
  }

  @Test func `body keypoints are no face's and are counted`() throws {
    let rows = ["2", "0"].map {
      #"{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "keypoints": \#(Self.keypoints(17, flags: [$0])), "segmentation": [[1, 2]]}"#
    }
    let read = try read(Self.document(rows.joined(separator: ",")))
    #expect(read.frames[0].faces.allSatisfy { $0.landmarks.isEmpty })
    #expect(
      read.remarks == [
        "lost: 1 sets of 17 keypoints, which are no face's, left out",
        "lost: unsupported keys of annotations left out: segmentation (2)",
      ])
  }

  @Test func `an invalid face of COCO-WholeBody is no face`() throws {
    let points = Self.keypoints(68, flags: ["1.0"])
    let none = Self.keypoints(68, flags: ["0"])
    let read = try read(
      Self.document(
        """
        {"image_id": 1, "category_id": 1, "bbox": [0, 0, 99, 99], "iscrowd": 1, "area": 3,
         "face_box": [5, 6, 7, 8], "face_kpts": \(points), "face_valid": true},
        {"image_id": 1, "category_id": 1, "bbox": [0, 0, 99, 99], "keypoints": \(Self.keypoints(17)),
         "face_box": [0, 0, 0, 0], "face_kpts": \(none), "face_valid": false, "foot_valid": false}
        """, categories: #"[{"id": 1, "name": "person"}]"#))
    let face = try #require(read.frames[0].faces.first)
    #expect(read.frames[0].faces.count == 1)
    #expect(face.box == BoundingBox(x: 5, y: 6, width: 7, height: 8))
    #expect(face.area == 56 && !face.isCrowd && face.landmarks[0].scheme == .ibug68)
    #expect(
      read.remarks == [
        "no point has flag 2: flag 1 is taken as labelled and visible",
        "1 sets of 68 keypoints are taken as ibug68",
        "lost: 1 annotations without a valid face left out", "lost: 2 boxes of bodies left out",
        "lost: 1 sets of 17 body keypoints left out",
        "lost: unsupported keys of annotations left out: foot_valid (1)",
      ])
  }

  static let categories: [(list: String, used: [Int], given: [Int], remark: String?)] = [
    (#"[{"id": 1, "name": "Face"}]"#, [1], [1], nil),
    (
      #"[{"id": 0, "name": "face"}]"#, [0, 0], [1, 1],
      "the only category, 0 'face', is taken as faces"
    ),
    (
      #"[{"id": 1, "name": "person"}]"#, [1], [1],
      "the only category, 1 'person', is taken as faces"
    ),
    ("[]", [4], [1], "the only category, 4, is taken as faces"),
    (
      #"[{"id": 1, "name": "hand"}, {"id": 3, "name": "face"}, {"id": 5, "name": "car"}]"#,
      [1, 3, 5], [3, 1, 5], "category 3 'face' becomes 1, and 1 becomes 3"
    ),
    (
      #"[{"id": 2, "name": "hand"}, {"id": 3, "name": "face"}]"#, [3, 2], [1, 2],
      "category 3 'face' becomes 1"
    ),
    (#"[{"id": 1, "name": "face"}, {"id": 3, "name": "hand"}]"#, [3, 1], [3, 1], nil),
    (
      #"[{"id": 1, "name": "face"}]"#, [1, 8], [1],
      "lost: 1 annotations of categories that the file does not list left out"
    ),
  ]

  @Test(arguments: categories.indices)
  func `faces are category 1, and what becomes of others is reported`(index: Int) throws {
    let (list, used, given, remark) = Self.categories[index]
    let rows = used.map { #"{"image_id": 1, "category_id": \#($0), "bbox": [1, 2, 3, 4]}"# }
    let read = try read(Self.document(rows.joined(separator: ","), categories: list))
    #expect(read.frames[0].faces.map(\.category) == given)
    let others = given.count { $0 != 1 }
    let kept =
      "\(others) annotations of other categories than faces take no part in metrics of faces; their "
      + "numbers are kept, their names are not: "
    let (before, last) = (remark.map { [$0] } ?? [], read.remarks.last)
    #expect(read.remarks.prefix(before.count) == before[...])
    #expect(read.remarks.count == before.count + (others > 0 ? 1 : 0))
    if others > 0 {
      let other = try #require(given.first { $0 != 1 })
      #expect(last?.hasPrefix(kept + "\(other) '") == true, "\(read.remarks)")
    }
  }

  static let several = #"[{"id": 1, "name": "person"}, {"id": 3, "name": "Head"}, {"id": 5}]"#

  static let choices: [(list: String, word: String?, used: [Int], given: [Int]?, found: String)] = [
    (several, "head", [1, 3, 5], [3, 1, 5], ""), (several, "5", [1, 3, 5], [5, 3, 1], ""),
    (several, "person", [1, 3], [1, 3], ""), ("[]", "4", [4, 1, 7], [1, 4, 7], ""),
    (several, "all", [1, 3], [1, 1], ""), (several, nil, [3, 3], [1, 1], ""),
    (
      several, nil, [1, 3], nil,
      "named face, or --category with the name or number of the one that is, or 'all', found 1 "
        + "'person', 3 'Head', 5"
    ),
    (
      several, nil, [], nil,
      "named face, or --category with the name or number of the one that is, or 'all', found 1 "
        + "'person', 3 'Head', 5"
    ),
    (
      "[]", nil, [4, 1], nil,
      "named face, or --category with the name or number of the one that is, or 'all', found 1, 4"
    ),
    (several, "cat", [1], nil, "'cat' (--category), found 1 'person', 3 'Head', 5"),
    (#"[{"id": 0, "name": "face"}, {"id": 1, "name": "face"}]"#, nil, [1], [1], ""),
    (#"[{"id": 0, "name": "face"}, {"id": 1, "name": "face"}]"#, "face", [1, 0], [1, 1], ""),
    (#"[{"id": 1, "name": "face"}, {"id": 2, "name": "person"}]"#, nil, [2], [2], ""),
  ]

  @Test(arguments: choices.indices)
  func `of several categories the one that is a face is named, or the file is refused`(
    index: Int
  ) throws {
    let (list, word, used, given, found) = Self.choices[index]
    let rows = used.map { #"{"image_id": 1, "category_id": \#($0), "bbox": [1, 2, 3, 4]}"# }
    let text = Self.document(rows.joined(separator: ","), categories: list)
    func faces() throws -> [FaceLabel] {
      try read(text, options: ImportOptions(categories: word.map { [$0] } ?? [])).frames[0].faces
    }
    if let given { return #expect(try faces().map(\.category) == given) }
    let error = #expect(throws: FileError.self) { try faces() }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.line(from: folder) == "cannot read 0.json: expected one category " + found)
  }

  static let masks = #"[{"id": 0, "name": "with_mask"}, {"id": 1, "name": "without_mask"}]"#

  @Test(
    arguments: [
      ["with_mask", "without_mask"], ["with_mask, without_mask"], ["all"], ["1", "ALL"], ["1,0"],
    ])
  func `several categories are faces, and faces keep their names`(words: [String]) throws {
    let rows = [0, 1].map { #"{"image_id": 1, "category_id": \#($0), "bbox": [1, 2, 3, 4]}"# }
    let read = try read(
      Self.document(rows.joined(separator: ","), categories: Self.masks),
      options: ImportOptions(categories: words))
    #expect(read.frames[0].faces.map(\.category) == [1, 1])
    #expect(read.frames[0].faces.map(\.categoryName) == ["with_mask", "without_mask"])
    #expect(read.frames[0].faces.allSatisfy { $0.expression == nil })
    let list =
      words[0].hasPrefix("1")
      ? "1 'without_mask', 0 'with_mask'" : "0 'with_mask', 1 'without_mask'"
    #expect(
      read.remarks == [
        "2 categories are faces: \(list); the name is the face's categoryName"
      ])
  }

  @Test func `names of emotions are expressions, and a name may have a comma`() throws {
    let rows = [0, 1].map { #"{"image_id": 1, "category_id": \#($0), "bbox": [1, 2, 3, 4]}"# }
    func faces(_ first: String, _ second: String, _ words: [String]) throws -> [FaceLabel] {
      let list = #"[{"id": 0, "name": "\#(first)"}, {"id": 1, "name": "\#(second)"}]"#
      return try read(
        Self.document(rows.joined(separator: ","), categories: list),
        options: ImportOptions(categories: words)
      ).frames[0].faces
    }
    let moods = try faces("Happy", "sad", ["all"])
    #expect(moods.map(\.expression) == ["Happy", "sad"])
    #expect(moods.allSatisfy { $0.categoryName == nil })
    let mixed = try faces("happy", "with_mask", ["all"])
    #expect(mixed.map(\.categoryName) == ["happy", "with_mask"])
    #expect(try faces("man, old", "dog", ["man, old"]).map(\.category) == [1, 0])
    for words in ["man,cat", "man,", ""] {
      #expect(throws: FileError.self) { try faces("man", "dog", [words]) }
    }
  }

  static let results: [(list: String, used: [Int], given: [[Int]], remark: String?)] = [
    (#"[{"id": 1, "name": "face"}]"#, [0, 0], [[1, 1]], "category 0 is taken as 1"),
    (#"[{"id": 7, "name": "face"}]"#, [2, 2], [[1, 1]], "category 2 is taken as 7"),
    (#"[{"id": 1, "name": "face"}]"#, [0, 1], [[1]], nil),
    (
      #"[{"id": 1, "name": "face"}, {"id": 2, "name": "hand"}]"#, [0], [[1]],
      "category 0 is taken as 1"
    ),
    (#"[{"id": 1, "name": "face"}, {"id": 2, "name": "hand"}]"#, [9], [[]], nil),
  ]

  @Test(arguments: results.indices)
  func `results whose categories count from 0 get those of the annotations`(index: Int) throws {
    let (list, used, given, remark) = Self.results[index]
    let rows = used.map {
      #"{"image_id": 1, "category_id": \#($0), "bbox": [1, 2, 3, 4], "score": 0.5}"#
    }
    let own = #"{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}"#
    let read = try read(
      "[" + rows.joined(separator: ",") + "]", Self.document(own, categories: list))
    #expect(read.frames.prefix(1).map { $0.faces.map(\.category) } == given)
    let text = "no result has a category of the annotations: "
    #expect(read.remarks.first { $0.hasPrefix(text) } == remark.map { text + $0 })
  }

  @Test func `one image under several ids is one frame`() throws {
    let read = try read(
      Self.document(
        """
        {"id": 5, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]},
        {"id": 5, "image_id": "x", "category_id": 1, "bbox": [5, 6, 7, 8]},
        {"id": 6, "image_id": 3, "category_id": 1, "bbox": [5, 6, 7, 8]},
        {"id": 7, "image_id": 1, "category_id": 1}
        """,
        images:
          #"[{"id": 1, "file_name": "a.jpg"}, {"id": "x", "file_name": "a.jpg"}, {"id": 1, "file_name": "a.jpg"}]"#
      ))
    #expect(read.frames.map(\.name) == ["a.jpg"])
    #expect(read.frames[0].faces.map(\.box.x) == [1, 5])
    #expect(
      read.remarks == [
        "2 image rows repeat the name of an earlier image: taken as that image",
        "1 ids of annotations are repeated: the rows are kept",
        "lost: 1 annotations of images that the file does not list left out",
        "lost: 1 annotations with neither box nor face points left out",
      ])
  }

  @Test func `results take their images from the annotations that follow them`() throws {
    let results =
      """
      [{"image_id": 2, "category_id": 3, "bbox": [1, 2, 3, 4], "score": 0.25},
       {"image_id": 2, "category_id": 3, "bbox": [1, 2, -3, 4], "score": 0.5},
       {"image_id": 9, "category_id": 3, "bbox": [1, 2, 3, 4], "score": 0.5},
       {"image_id": 1, "category_id": 3, "keypoints": \(Self.keypoints(5, flags: ["0.5"])),
        "score": -7}]
      """
    let read = try read(
      results, Self.document(categories: Self.five(3)))
    #expect(read.frames.map(\.name) == ["a.jpg", "deep/b.png"])
    #expect(read.frames.allSatisfy { $0.image.file == nil })
    #expect(read.frames.map { $0.faces.map(\.score) } == [[-7], [0.25]])
    #expect(read.frames[0].faces[0].landmarks[0].visibility == Array(repeating: .visible, count: 5))
    #expect(read.frames[1].faces[0].category == 1)
    #expect(
      read.remarks == [
        "the only category, 3 'face', is taken as faces",
        "1 sets of 5 keypoints are taken as five, by their names",
        "1 results without a box get the tight box of their points",
        "lost: 1 results of images that the file does not list left out",
        "lost: 1 results with a box of negative size left out",
        "lost: 1 sets of point scores left out",
        "results are taken as labels: with --of DATASET they are predictions of it",
      ])
    var options = ImportOptions()
    options.isPredictions = true
    let predicted = try self.read(
      results, Self.document(categories: Self.five(3)), options: options)
    #expect(!predicted.remarks.contains { $0.hasPrefix("results are taken as labels") })
  }

  @Test func `remarks of several files name them`() throws {
    let read = try read(
      Self.document(), Self.document(categories: #"[{"id": 1, "name": "person"}]"#))
    #expect(read.frames.count == 4)
    #expect(read.remarks == ["1.json: the only category, 1 'person', is taken as faces"])
  }

  static let heads: [(text: String, isCOCO: Bool)] = [
    (document(), true),
    (#"{"annotations": [{"segmentation": [["# + String(repeating: "1.5, ", count: 2000), true),
    (#"{"info": {"year": 2017}, "licenses": [], "images""#, true),
    (#"{"categories": [{"supercategory": "person", "id": 1, "#, true),
    (#"[{"image_id": 1, "#, true),
    (#"[{"segmentation": ["# + String(repeating: "1.5, ", count: 2000), true),
    (#"[{"bbox": [1, 2, 3, 4], "category_id": 1, "#, true),
    (#"{"schema": "facegauge.labels", "images": [{"file_name": 1}]}"#, false),
    (#"{"images": [{"file": "a.jpg"}]}"#, false),
    (#"{"info": {"image_id": 1}}"#, false),
    (#"[{"bbox": [1, 2, 3, 4]}]"#, false), ("[1, 2]", false), ("", false), ("{", false),
  ]

  @Test(arguments: heads.indices)
  func `the beginning of a file tells whether it is COCO's, in any order of keys`(
    index: Int
  ) throws {
    let source = try folder.write(Self.heads[index].text, to: "a.json")
    #expect((COCOJSON().recognises(source) != nil) == Self.heads[index].isCOCO)
    let text = try folder.write(Self.document(), to: "a.txt")
    #expect(COCOJSON().recognises(text) == nil)
  }
}
