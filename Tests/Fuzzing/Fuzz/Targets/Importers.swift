import CZlib
import Datasets
import Foundation
import Platform

extension FuzzTarget {
  /// A table of points, written and read again.
  static let pointMapping = FuzzTarget("point-mapping") { bytes in
    let table = try PointMapping(json: bytes, source: "mapping.json")
    let again = try PointMapping(json: table.json(), source: "mapping.json")
    precondition(table == again)
  }

  /// The readers of label files and of other trackers' output; what one of them reads must make a dataset
  /// that can be read.
  static let importers: [FuzzTarget] = [
    importing("imglab", "fuzz.xml"),
    importing("labels", "fuzz.json"),
    importing("coco", "fuzz.json"),
    importing("pts", "pts/fuzz.pts", with: ["pts/fuzz.jpg": ""], source: "pts"),
    importing("wflw", "fuzz.txt"),
    importing("wider", "fuzz.txt"),
    importing("wider-detections", "w/0--A/fuzz.txt", source: "w"),
    importing("wider-mat", "fuzz.mat"),
    importing("retinaface", "fuzz.txt"),
    importing("fddb", "fuzz.txt"),
    importing("voc", "fuzz.xml"),
    importing("cvat", "fuzz.xml"),
    importing("label-studio", "fuzz.json"),
    importing("labelme", "fuzz.json"),
    importing("mediapipe", "fuzz.json", as: "mediapipe-dump"),
    importing("csv", "fuzz.csv", columns: true),
    columnDraft,
    importing("yolo", "yolo/fuzz.txt", with: ["yolo/fuzz.png": ""], source: "yolo"),
    importing(
      "yolo", "described/data.yaml",
      with: ["described/a/b.png": "", "described/a/b.txt": "0 0.5 0.5 0.2 0.2"],
      source: "described", as: "yolo-description"),
    importing(
      "voc", "listed/ImageSets/Main/train.txt",
      with: ["listed/Annotations/a.xml": "<annotation><filename>a.jpg</filename></annotation>"],
      source: "listed", as: "voc-lists"),
    importing("celeba", "list_attr_celeba.txt"),
    importing("celeba", "list_landmarks_align_celeba.txt", as: "celeba-points"),
    importing("fer2013", "fuzz.csv"),
    importing("aflw2000", "aflw/fuzz.mat", with: ["aflw/fuzz.jpg": ""], source: "aflw"),
    importing("cofw", "fuzz.mat"),
    importing("cofw68", "cofw68/1_points.mat", source: "cofw68"),
    importing("cofw68-results", "fuzz.txt"),
    importing("ferplus", "fuzz.csv"),
    importing("hrnet", "fuzz.csv"),
    importing("livelink", "fuzz.csv"),
    importing("livelink-packets", "fuzz.gesichter", packing: gzip),
    importing("mediapipe", "fuzz.json"),
    importing("arkit", "fuzz.json"),
    importing("vision", "fuzz.json"),
    importing("openface", "fuzz.csv"),
    importing("pyfeat", "fuzz.csv"),
    importing("mot", "fuzz.txt"),
    importing(
      "otb", "o/groundtruth_rect.txt", with: ["o/img/0001.jpg": "", "o/img/0002.jpg": ""],
      source: "o"),
    importing("otb", "fuzz.json", as: "otb-results"),
    importing("hdf5", "map/fuzz.json", with: ["map/a.h5": ""], as: "hdf5-mapping"),
    importing(
      "hdf5", "mapped/a.h5", with: ["mapped/mapping.json": mapping],
      source: "mapped/mapping.json",
      as: "hdf5-mapped"),
    importing(
      "hdf5", "grouped/a.h5", with: ["grouped/mapping.json": groups],
      source: "grouped/mapping.json",
      as: "hdf5-grouped"),
  ]

  /// The columns that are guessed for a table, written and read again.
  private static let columnDraft = FuzzTarget("column-draft") { bytes in
    try ScratchFile.prepare("draft.csv", "")
    let mapping = try ColumnDraft(ScratchFile.write(bytes, to: "draft.csv")).mapping
    let again = try ColumnMapping(json: mapping.json(), source: "columns.json")
    precondition(mapping == again)
  }

  private static let mapping = """
    {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["a.h5"],
     "images": {"pixels": {"path": "x", "layout": "NHWC", "range": [0, 255]}},
     "faces": {"box": {"form": "xywh", "path": "box", "base": 0}}}
    """

  private static let groups = """
    {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["a.h5"], "matlab": true,
     "images": {"pixels": {"path": "{subject}/c{cam}-{image}", "layout": "HWC", "range": [0, 255]},
      "order": "@n", "split": "{subject}@split"},
     "faces": {"box": {"form": "xywh", "path": "{subject}/t{cam}-{image}:at:box"}, "identity": "{subject}/p{cam}-{image}/id",
      "attributes": {"age": "{subject}@age"}}}
    """

  /// A format's reader over a file of that name with others next to it; empty ones exist before the
  /// first run. `source` is what the reader is given if that is not the file.
  private static func importing(
    _ format: String, _ file: String, with others: [String: String] = [:],
    source: String? = nil, as name: String? = nil, columns: Bool = false,
    packing pack: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
  ) -> FuzzTarget {
    FuzzTarget("import-\(name ?? format)") { bytes in
      guard let format = DatasetFormats.named(format) else { return }
      for (other, text) in others { try ScratchFile.prepare(other, text) }
      try ScratchFile.prepare(file, "")
      let url = ScratchFile.write(pack(bytes), to: file)
      let position = source.map { ScratchFile.url($0) } ?? url
      _ = format.recognises(position)
      var options = ImportOptions(isLabelsOnly: true)
      if columns { options.columns = try ColumnDraft(position).mapping }
      var frames = 0
      let remarks = try format.read([position], options: options) { _ in frames += 1 }
      precondition(remarks.allSatisfy { !$0.text.contains("\n") }, "a remark of several lines")
      guard frames > 0, bytes.reduce(0, &+) & 15 == 0 else { return }
      try readBack(
        DatasetImport(format: format, sources: [position], options: options, isStrict: false))
    }
  }

  /// Packs bytes that are not gzip already, whose checksum no mutation would pass.
  private static let gzip: @Sendable ([UInt8]) -> [UInt8] = { bytes in
    guard !bytes.starts(with: [0x1F, 0x8B]), let count = UInt16(exactly: bytes.count) else {
      return bytes
    }
    func little(_ value: UInt32, _ width: Int) -> [UInt8] {
      (0..<width).map { UInt8(value >> (8 * UInt32($0)) & 0xFF) }
    }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + little(UInt32(count), 2)
      + little(UInt32(~count), 2) + bytes
      + little(UInt32(crc32(0, bytes, UInt32(count))), 4) + little(UInt32(count), 4)
  }

  private static func readBack(_ plan: DatasetImport) throws {
    let url = ScratchFile.url("fuzz.h5")
    let writer = try DatasetWriter(url, name: "fuzz", replacing: true)
    _ = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
    do {
      _ = try DatasetValidation(of: DatasetReader(url))
    } catch {
      preconditionFailure("what was imported cannot be read: \(error)")
    }
  }
}
