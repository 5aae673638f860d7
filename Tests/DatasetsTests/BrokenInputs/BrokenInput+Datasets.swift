import Foundation
import HDF5
import TestSupport
import Testing

extension BrokenInput {
  /// Datasets that are cut, contradict themselves, or reach for other files.
  static let datasets: [BrokenInput] =
    [
      BrokenInput(
        "an empty dataset", "inspect a.h5", "a.h5", "", "cannot open a.h5: the file is empty"),
      BrokenInput(
        "a text instead of a dataset", "validate a.h5", "a.h5", "only text\n",
        "cannot open a.h5: it is not an HDF5 file"),
      BrokenInput(
        "a folder instead of a dataset", "inspect .",
        "cannot open .: expected a file, found a folder"),
      BrokenInput(
        "the first 8 bytes of HDF5", "inspect a.h5", "a.h5", bytes: signature,
        "cannot open a.h5: the file is truncated or its first block is damaged"),
      BrokenInput(
        "HDF5's first bytes, then noise", "inspect a.h5", "a.h5",
        bytes: signature + (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 3) },
        "cannot open a.h5: the file is truncated or its first block is damaged"),
      cut(
        "a dataset cut to 600 bytes", "inspect a.h5", 600,
        "cannot open a.h5: the file is truncated: expected 19496 bytes, found 600"),
      cut(
        "a dataset cut to 2100 bytes", "validate a.h5", 2100,
        "cannot open a.h5: the file is truncated: expected 19496 bytes, found 2100"),
      BrokenInput(
        "a dataset of another program", "validate a.h5", dataset: { $0.format = "x" },
        "cannot read '/' in a.h5: expected format facegauge.dataset, found x"),
      BrokenInput(
        "a dataset of a later version", "validate a.h5", dataset: { $0.version = 2 },
        "cannot read '/' in a.h5: expected version 1, found 2"),
      BrokenInput(
        "no sizes", "inspect a.h5", dataset: { $0.missing = ["images/size"] },
        "cannot read 'images/size' in a.h5: there is no such object"),
      BrokenInput(
        "no boxes", "validate a.h5", dataset: { $0.missing = ["faces/box"] },
        "cannot read 'faces/box' in a.h5: there is no such object"),
      BrokenInput(
        "offsets that run backwards", "inspect a.h5", dataset: { $0.offsets.swapAt(1, 2) },
        "cannot read 'images/offsets'[2] in a.h5: expected 466 to 604, found 342"),
      BrokenInput(
        "offsets beyond the bytes", "validate a.h5", dataset: { $0.offsets[3] = 1 << 40 },
        "cannot read 'images/offsets'[3] in a.h5: expected 466 to 604, found "
          + "1099511627776"),
      BrokenInput(
        "a face of a frame that is not there", "inspect a.h5", dataset: { $0.faceFrames[2] = 3 },
        "cannot read 'faces/frame'[2] in a.h5: expected 0 to 2 in ascending order, "
          + "found 3"),
      BrokenInput(
        "faces that go back in frames", "validate a.h5", dataset: { $0.faceFrames = [2, 0, 0] },
        "cannot read 'faces/frame'[1] in a.h5: expected 2 to 2 in ascending order, "
          + "found 0"
      ),
      BrokenInput(
        "a box that is no number", "animate a.h5 -o b.h5", dataset: { $0.boxes[4] = .nan },
        "cannot read 'faces/box'[1] in a.h5: expected finite numbers and a size that "
          + "is not negative, found [nan, 2.0, 3.0, 3.0]"),
      BrokenInput(
        "an infinite box", "animate a.h5 -o b.h5", dataset: { $0.boxes[6] = .infinity },
        "cannot read 'faces/box'[1] in a.h5: expected finite numbers and a size that "
          + "is not negative, found [2.0, 2.0, inf, 3.0]"),
      BrokenInput(
        "a box of negative width", "animate a.h5 -o b.h5", dataset: { $0.boxes[10] = -7 },
        "cannot read 'faces/box'[2] in a.h5: expected finite numbers and a size that "
          + "is not negative, found [0.0, 0.0, -7.0, 11.0]"),
      BrokenInput(
        "a visible point that is nowhere", "animate a.h5 -o b.h5", dataset: { $0.points[3] = .nan },
        "cannot read 'faces/landmarks/ibug68/points'[0, 1] in a.h5: expected finite "
          + "numbers where visible is 2, found 2.0, nan"),
      BrokenInput(
        "a visibility of 7", "animate a.h5 -o b.h5", dataset: { $0.visible[70] = 7 },
        "cannot read 'faces/landmarks/ibug68/visible'[1, 2] in a.h5: expected 0, 1 or "
          + "2, found 7"),
      BrokenInput(
        "a time a million years away", "animate a.h5 -o b.h5", dataset: { $0.timestamps[1] = .max },
        "cannot read 'frames/timestamp_us'[1] in a.h5: expected microseconds within "
          + "4503599627370496 of 0, found 9223372036854775807"),
      BrokenInput(
        "a sequence of another kind", "inspect a.h5", dataset: { $0.kinds[1] = "movie" },
        "cannot read 'sequences/kind'[1] in a.h5: expected still or video, found "
          + "'movie'"),
      BrokenInput(
        "a sequence beyond the frames", "inspect a.h5", dataset: { $0.counts[1] = .max },
        "cannot read 'sequences/first'[1] in a.h5: expected frames within 0..<3, found "
          + "2147483647 from 2 on"),
      BrokenInput(
        "a split beyond the frames", "inspect a.h5",
        dataset: {
          $0.spoil = { file in
            try file.createDataset("splits/test", of: Int32.self, shape: [1])
              .write([3] as [Int32], atRow: 0)
          }
        },
        "cannot read 'splits/test'[0] in a.h5: expected 0 to 2 in ascending order, "
          + "found 3"),
      BrokenInput(
        "51 blendshapes", "inspect a.h5",
        dataset: {
          $0.spoil = { file in
            _ = try file.createDataset("faces/blendshapes", of: Float.self, shape: [3, 51])
          }
        },
        "cannot read 'faces/blendshapes' in a.h5: expected f64 [3, 52], found f32 [3, "
          + "51]"),
      BrokenInput(
        "images of no format", "animate a.h5 -o b.h5",
        dataset: {
          $0.images = [[1, 2, 3], [4], [5]]
          $0.offsets = [0, 3, 4, 5]
        },
        "cannot animate frame 0 'frame 0' of a.h5: cannot decode image: expected the "
          + "first bytes of a JPEG or PNG, found 0x010203"),
    ]
    + [
      (
        "external storage", "external_storage",
        "cannot read 'images/bytes' in a.h5: its values are in other files (external "
          + "storage), which 'h5repack -f GZIP=4 in.h5 out.h5' makes readable"
      ),
      (
        "a virtual table", "virtual",
        "cannot read 'faces/box' in a.h5: it is a virtual dataset, made of other "
          + "datasets, which 'h5repack -f GZIP=4 in.h5 out.h5' makes readable"
      ),
      (
        "a link into another file", "external_link",
        "cannot read 'faces/frame' in a.h5: 'faces' is a link into another file"
      ),
      (
        "boxes of a compound type", "compound",
        "cannot read 'faces/box' in a.h5: expected f64 [1, 4], found a compound type "
          + "[1]"
      ),
      (
        "10^12 rows that are not stored", "unstored_extent",
        "cannot read 'images/size' in a.h5: it claims 1000000000000 × 2 values in a "
          + "file of 10384 bytes"
      ),
    ].map { what, name, message in
      BrokenInput(what, "validate a.h5", message) { folder in
        let file = try #require(try OracleDatasets.load().refused[name])
        try folder.write(file.unpacked(), to: "a.h5")
      }
    }

  private static let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]

  private static func cut(
    _ what: String, _ command: String, _ count: Int, _ message: String
  ) -> BrokenInput {
    BrokenInput(what, command, message) { folder in
      let url = folder.file("a.h5")
      try PlainDataset().write(to: url)
      try folder.write(Array(folder.bytes("a.h5").prefix(count)), to: "a.h5")
    }
  }

  /// Predictions that contradict themselves.
  static let predictions: [BrokenInput] = [
    BrokenInput(
      "predictions of another version", "inspect p.h5", predictions: { $0.version = 9 },
      "cannot read '/' in p.h5: expected version 4 of facegauge.predictions, found "
        + "version 9"),
    BrokenInput(
      "predictions instead of a dataset", "animate p.h5 -o b.h5", predictions: { _ in },
      "cannot read '/' in p.h5: expected format facegauge.dataset, found "
        + "facegauge.predictions ('facegauge evaluate DATASET --predictions p.h5' evaluates "
        + "predictions)"),
    BrokenInput(
      "models without digests", "inspect p.h5",
      predictions: { $0.attributes["model_sha256"] = [] },
      "cannot read attributes of '/' in p.h5: expected as many model_stages and "
        + "model_sha256 as models, found 1, 1 and 0"),
    BrokenInput(
      "no statuses", "inspect p.h5", predictions: { $0.tables["frames/status"] = nil },
      "cannot read 'frames/status' in p.h5: there is no such object"),
    BrokenInput(
      "a status of 7", "inspect p.h5",
      predictions: { $0.tables["frames/status"]?.values = .flags([0, 7, 1]) },
      "cannot read 'frames/status'[1] in p.h5: expected 0 to 2, found 7"),
    BrokenInput(
      "sizes of other frames", "inspect p.h5",
      predictions: { $0.tables["frames/size"]?.values = .integers([9, 8]) },
      "cannot read 'frames/size' in p.h5: expected i32 [3, 2], found i32 [1, 2]"),
    BrokenInput(
      "candidates whose offsets run backwards", "inspect p.h5",
      predictions: { $0.tables["detector/offsets"]?.values = .offsets([0, 2, 1, 2]) },
      "cannot read 'detector/offsets'[2] in p.h5: expected 2 to 2, found 1"),
    BrokenInput(
      "offsets of 2^63", "inspect p.h5",
      predictions: { $0.tables["detector/offsets"]?.values = .offsets([0, 1 << 63, 2, 2]) },
      "cannot read 'detector/offsets'[1] in p.h5: expected 0 to 2, found "
        + "9223372036854775808"),
    BrokenInput(
      "a detection of no frame", "inspect p.h5",
      predictions: { $0.tables["detections/frame"]?.values = .integers([5]) },
      "cannot read 'detections/frame'[0] in p.h5: expected 0 to 2 in ascending "
        + "order, found 5"),
    BrokenInput(
      "faces that are neither kept nor rejected", "inspect p.h5",
      predictions: { $0.tables["faces/kept"]?.values = .flags([1, 9]) },
      "cannot read 'faces/kept'[1] in p.h5: expected 0 to 1, found 9"),
    BrokenInput(
      "blendshapes of another order", "inspect p.h5",
      predictions: { $0.blendshapeNames.reverse() },
      "cannot read attribute 'names' of 'faces/blendshapes' in p.h5: expected 52 "
        + "names in MediaPipe's order, found 52: noseSneerRight, noseSneerLeft, "
        + "mouthUpperUpRight …"),
    BrokenInput(
      "landmarks of an unknown scheme", "inspect p.h5",
      predictions: {
        $0.tables["faces/landmarks/my66/points"] = $0.tables.removeValue(
          forKey: "faces/landmarks/ibug68/points")
      }, "cannot read 'faces/landmarks' in p.h5: expected one known scheme, found my66"),
  ]
}
