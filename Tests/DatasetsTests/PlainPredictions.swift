import FaceCore
import Foundation
import HDF5

/// A small sound predictions file as tables, which a test may spoil before it is written as
/// documented in FORMAT.md.
struct PlainPredictions {
  enum Values {
    case flags([UInt8])
    case integers([Int32])
    case offsets([UInt64])
    case floats([Float])
    case doubles([Double])
  }

  var format = "facegauge.predictions"
  var version = 4
  var attributes: [String: [String]] = [
    "models": ["m"], "model_stages": ["detection"], "model_sha256": ["00"], "options": ["a=b"],
  ]
  var blendshapeNames = Blendshape.names
  var tables: [String: (values: Values, row: [Int])] = [
    "frames/status": (.flags([0, 0, 1]), []),
    "frames/size": (.integers([9, 8, 9, 8, 0, 0]), [2]),
    "frames/stage_ns": (.offsets([1, 2, 3]), [1]),
    "frames/detector_ran": (.flags([1, 0, 0]), []),
    "detections/frame": (.integers([0]), []),
    "detections/box": (.floats([1, 2, 3, 4]), [4]),
    "detections/score": (.floats([0.5]), []),
    "detections/keypoints": (.floats(Array(repeating: 1, count: 12)), [6, 2]),
    "detector/offsets": (.offsets([0, 2, 2, 2]), []),
    "detector/anchor": (.integers([3, 4]), []),
    "detector/score": (.floats([0.5, 0.25]), []),
    "detector/regressors": (.floats(Array(repeating: 1, count: 32)), [16]),
    "faces/frame": (.integers([0, 1]), []),
    "faces/kept": (.flags([1, 0]), []),
    "faces/tracked": (.flags([0, 1]), []),
    "faces/detection_score": (.floats([0.5, .nan]), []),
    "faces/presence": (.floats([0.5, 0.1]), []),
    "faces/tongue_out": (.floats([.nan, .nan]), []),
    "faces/region": (.floats(Array(repeating: 0.5, count: 10)), [5]),
    "faces/box": (.floats(Array(repeating: 5, count: 8)), [4]),
    "faces/landmarks/ibug68/points": (.floats(Array(repeating: 5, count: 408)), [68, 3]),
    "faces/blendshapes": (.floats(Array(repeating: 0.5, count: 104)), [52]),
    "faces/pose": (
      .floats((0..<32).map { $0 % 16 < 12 ? 1 : $0 % 16 == 15 ? 1 : 0 }), [4, 4]
    ),
  ]

  func write(to url: URL) throws {
    let file = try HDF5File.create(url.path)
    try file.setAttribute("format", of: "/", to: format)
    try file.setAttribute("version", of: "/", to: version)
    for name in ["dataset_name", "dataset_sha256", "dataset_path", "mode"] {
      try file.setAttribute(name, of: "/", to: "x")
    }
    try file.setAttribute("candidate_floor", of: "/", to: 0.01)
    for (name, texts) in attributes { try file.setAttribute(name, of: "/", to: texts) }
    func put<T: HDF5Element>(_ path: String, _ values: [T], _ row: [Int]) throws {
      let shape = [values.count / row.reduce(1, *)] + row
      try file.createDataset(path, of: T.self, shape: shape).write(values, atRow: 0)
    }
    for (path, table) in tables.sorted(by: { $0.key < $1.key }) {
      switch table.values {
      case .flags(let values): try put(path, values, table.row)
      case .integers(let values): try put(path, values, table.row)
      case .offsets(let values): try put(path, values, table.row)
      case .floats(let values): try put(path, values, table.row)
      case .doubles(let values): try put(path, values, table.row)
      }
    }
    if tables["frames/stage_ns"] != nil {
      try file.setAttribute("stages", of: "frames/stage_ns", to: ["total"])
    }
    if tables["faces/blendshapes"] != nil {
      try file.setAttribute("names", of: "faces/blendshapes", to: blendshapeNames)
    }
    try file.close()
  }
}
