import Datasets
import Foundation
import HDF5
import Platform
import TestSupport
import Testing

/// Boxes, points and other labels of arrays whose layout a draft must not mistake.
@Suite struct HDF5DraftedBoxesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The draft of three images of 16 x 16 pixels and these arrays, and its doubts.
  private func draft(
    _ arrays: [(path: String, shape: [Int], values: [Double])]
  ) throws -> (mapping: String, doubts: [String]) {
    let file = try HDF5File.create(folder.file("a.h5").path)
    let images = try file.createDataset("images", of: UInt8.self, shape: [3, 16, 16, 3])
    try images.write([UInt8](repeating: 90, count: 3 * 16 * 16 * 3), atRow: 0)
    for array in arrays {
      let dataset = try file.createDataset(array.path, of: Double.self, shape: array.shape)
      try dataset.write(array.values, atRow: 0)
    }
    try file.close()
    let contents = try HDF5Contents(of: folder.file("a.h5"))
    return (try contents.mapping(at: folder.file("mapping.json")), contents.doubts)
  }

  /// The same row three times.
  private static func thrice(_ row: [Double]) -> [Double] { row + row + row }
  private static let five: [Double] = [6, 5, 10, 5, 8, 8, 6, 11, 10, 11]

  @Test func `boxes that a mapping cannot name do not become whole images`() throws {
    let several = Self.thrice([1, 2, 3, 4, 0, 0, 0, 0])
    let draft = try draft([("boxes", [3, 2, 4], several)])
    #expect(draft.doubts.contains { $0.hasPrefix("no \"box\": boxes may hold boxes") })
    #expect(!draft.mapping.contains("\"box\""))
    let mapping = try folder.write(draft.mapping, to: "mapping.json")
    let error = #expect(throws: FileError.self) { try readAll(HDF5Mapping(), [mapping]) }
    #expect(error?.description.contains("'faces.box' in") == true)
  }

  @Test func `images without any boxes are still the boxes of their faces`() throws {
    let draft = try draft([("age", [3], [30, 40, 50])])
    #expect(draft.mapping.contains("\"box\": {\"form\": \"image\"}"))
    #expect(
      draft.doubts.contains("no array holds boxes: each image is taken as the box of its face"))
  }

  @Test func `coefficients without names, or in an array each, are not left out silently`() throws {
    let unnamed = try draft([
      ("coefficients", [3, 51], [Double](repeating: 0.25, count: 153))
    ])
    #expect(unnamed.doubts.contains { $0.contains("such as \"coefficients@names\"") })
    let names = ["jawOpen", "mouthClose", "browInnerUp", "cheekPuff", "mouthPucker"]
    let apart = try draft(names.map { ($0, [3], [0, 0.5, 1]) })
    #expect(apart.doubts.contains { $0.hasPrefix("5 arrays with the names of coefficients") })
  }

  @Test(arguments: [("xywh", ["x", "y", "w", "h"]), ("xyxy", ["left", "top", "right", "bottom"])])
  func `four arrays of one number are a box`(form: String, names: [String]) throws {
    let columns: [[Double]] = [[1, 2, 3], [2, 3, 4], [9, 8, 9], [9, 9, 10]]
    let draft = try draft(zip(names, columns).map { ($0, [3], $1) })
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    #expect(draft.mapping.contains("\"form\": \"\(form)\", \"path\": [\(list)]"))
  }

  @Test func `top, right, bottom and left are told by the points`() throws {
    let draft = try draft([
      ("face_locations", [3, 4], Self.thrice([2, 12, 14, 4])),
      ("landmarks", [3, 5, 2], Self.thrice(Self.five)),
    ])
    #expect(draft.mapping.contains("\"form\": \"trbl\""))
    #expect(draft.doubts.contains("face_locations: trbl, as only so the boxes hold the points"))
  }

  @Test func `points in pixels tell the form of boxes in fractions`() throws {
    let fractions = [4, 3, 12, 13].map { $0 / 16.0 }
    let draft = try draft([
      ("boxes", [3, 4], Self.thrice(fractions)),
      ("landmarks", [3, 5, 2], Self.thrice(Self.five)),
    ])
    #expect(
      draft.mapping.contains("\"form\": \"xyxy\", \"path\": \"boxes\", \"space\": \"relative\""))
  }

  @Test(arguments: [(1.0, true), (-4.0, false)])
  func `third numbers of points that may be visibilities are doubted`(
    third: Double, isDoubted: Bool
  ) throws {
    let row = (0..<5).flatMap { [Self.five[2 * $0], Self.five[2 * $0 + 1], third] }
    let draft = try draft([("landmarks", [3, 5, 3], Self.thrice(row))])
    #expect(draft.mapping.contains("\"points\""))
    let start = "landmarks: third numbers of 0 to 2 are taken as depths"
    #expect(draft.doubts.contains { $0.hasPrefix(start) } == isDoubted)
  }

  @Test func `points that count from the middle are no fractions`() throws {
    let centred = Self.five.map { ($0 - 8) / 16 }
    let draft = try draft([("landmarks", [3, 5, 2], Self.thrice(centred))])
    #expect(!draft.mapping.contains("\"points\""))
    #expect(draft.doubts.contains { $0.contains("\"range\": [-1, 1] or [-0.5, 0.5]") })
  }

  @Test func `scores and what is to be ignored are no attributes, classes no subjects`() throws {
    let draft = try draft([
      ("bbox", [3, 4], [1, 1, 4, 5, 2, 2, 5, 6, 3, 3, 6, 7]), ("class_id", [3], [0, 0, 0]),
      ("scores", [3], [0.5, 0.75, 1]), ("ignore", [3], [0, 1, 0]),
    ])
    #expect(draft.mapping.contains("\"score\": \"scores\""))
    #expect(draft.mapping.contains("\"ignore\": \"ignore\""))
    #expect(!draft.mapping.contains("\"subject\""))
  }

  @Test func `a table of pandas with texts as objects is told how to be written`() throws {
    let file = try HDF5File.create(folder.file("p.h5").path)
    try file.createStringDataset("faces/block0_items", shape: [1]).writeStrings(["x"], atRow: 0)
    let values = try file.createDataset("faces/block0_values", of: Double.self, shape: [3, 1])
    try values.write([1, 2, 3], atRow: 0)
    try file.close()
    let contents = try HDF5Contents(of: folder.file("p.h5"))
    let error = #expect(throws: FileError.self) {
      try contents.mapping(at: folder.file("mapping.json"))
    }
    #expect(error?.description.contains("data_columns=True") == true)
  }

}
