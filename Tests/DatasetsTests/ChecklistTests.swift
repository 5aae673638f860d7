import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import TestSupport
import Testing

/// Each check of `validate` finds what it is there for, and nothing else does.
@Suite struct ChecklistTests {
  typealias Case = (name: String, make: @Sendable (inout MadeDataset) -> Void, findings: [String])

  static func clip(_ times: [Int64], rate: Double) -> @Sendable (inout MadeDataset) -> Void {
    { dataset in
      dataset.frames = times.enumerated().map { index, time in
        MadeDataset.Still(
          name: "clip/\(index)",
          begins: index == 0
            ? SequenceDescription(name: "clip", kind: .video, framesPerSecond: rate) : nil,
          microseconds: time)
      }
    }
  }

  /// The schemes with corners of eyes and mouth.
  static let cornered = LandmarkScheme.all.filter {
    ![.dlib5, .blazeface6, .helen194].contains($0)
  }

  /// Points of a scheme at the corners of an upright face, turned by an angle, mirrored where asked.
  static func corners(_ scheme: LandmarkScheme, degrees: Double, mirrored: Bool) -> Landmarks? {
    let positions: [LandmarkScheme: [Int]] = [
      .ibug68: [36, 45, 48, 54], .wflw98: [60, 72, 76, 82], .cofw29: [8, 9, 22, 23],
      .five: [0, 1, 3, 4], .lapa106: [66, 79, 84, 90], .aflw21: [6, 11, 17, 19],
      .aflw19: [6, 11, 15, 17], .mediapipe478: [33, 263, 61, 291], .facepp83: [21, 71, 37, 46],
    ]
    let angle = degrees * .pi / 180
    var points = [Point](repeating: Point(x: .nan, y: .nan), count: scheme.count)
    var states = [PointVisibility](repeating: .notLabelled, count: scheme.count)
    let upright: [(Double, Double)] = [(-9, -6), (9, -6), (-6, 6), (6, 6)]
    for (position, (x, y)) in zip(positions[scheme] ?? [], upright) {
      let side = mirrored ? -x : x
      points[position] = Point(
        x: 40 + side * cos(angle) - y * sin(angle), y: 35 + side * sin(angle) + y * cos(angle))
      states[position] = .visible
    }
    return Landmarks(scheme: scheme, points: points, visibility: states)
  }

  static let cases: [Case] = [
    ("nothing wrong", { _ in }, []),
    (
      "a box outside its image",
      { $0.frames[1].faces[0].box.x = 100 },
      [
        "error: 1 x box that is entirely outside its image and not ignored (frame 1 'b.png', "
          + "face 0: 100,10 40x50 of 100x80)"
      ]
    ),
    (
      "a box outside its image that does not count",
      {
        $0.frames[1].faces[0].box.x = -41
        $0.frames[1].faces[0].isIgnored = true
      }, []
    ),
    (
      "boxes that reach beyond their images",
      {
        $0.frames[0].faces[0].box.x = -1
        $0.frames[1].faces[0].box.y = 40
      },
      [
        "note: 2 x box that is partly outside its image (frame 0 'a.png', face 0: -1,10 40x50 of "
          + "100x80)"
      ]
    ),
    (
      "a face that stands twice in its frame, and one that does not count",
      { dataset in
        let face = dataset.frames[0].faces[0]
        dataset.frames[0].faces.append(face)
        dataset.frames[1].faces.append(dataset.frames[1].faces[0])
        dataset.frames[1].faces[1].isIgnored = true
      },
      [
        "warning: 1 x box that another face of its frame has too, number by number (frame 0 "
          + "'a.png', face 1: 20,10 40x50)"
      ]
    ),
    (
      "a point far from its box",
      { dataset in
        var points = (0..<5).map { Point(x: 30 + Double($0), y: 30) }
        points[2] = Point(x: 200, y: 30)
        dataset.frames[0].faces[0].landmarks =
          Landmarks(scheme: .five, points: points).map { [$0] } ?? []
      },
      [
        "warning: 1 x face with a landmark more than a diagonal of its box outside it, or with none in it (frame 0 "
          + "'a.png', face 0: point 2 of five at 200,30)"
      ]
    ),
    (
      "an identity and a subject in two splits",
      { dataset in
        dataset.frames = ["a", "b", "c"].map { name in
          MadeDataset.Still(
            name: name, faces: [MadeDataset.face(identity: 7)],
            begins: SequenceDescription(name: name, kind: .still, subject: "Ada"))
        }
        dataset.splits = ["train": [0, 1], "test": [2]]
      },
      [
        "warning: 1 x identity in two splits (identity 7 in test and train)",
        "warning: 1 x subject in two splits ('Ada' in test and train)",
      ]
    ),
    (
      "splits that overlap, and one inside another",
      { dataset in
        dataset.frames = (0..<4).map { MadeDataset.Still(name: "\($0)") }
        dataset.splits = ["a": [0, 1], "b": [1, 2], "c": [0, 1, 2]]
      },
      [
        "warning: 1 x frame in two splits (a and b: 1 frames)",
        "note: 2 x split inside another, assumed to be intended (a in c)",
      ]
    ),
    (
      "times that jump", clip([0, 40, 80, 120, 400, 440].map { $0 * 1000 }, rate: 25),
      [
        "warning: 1 x timestamp that jumps, by more than 5 times the usual step (frame 4 of sequence "
          + "0 'clip': 0.28 s after the one before, usually 0.04 s)"
      ]
    ),
    (
      "30 fps of data inside a 60-fps timecode",
      clip((0..<8).map { Int64($0) * 2_000_000 / 60 }, rate: 60),
      [
        "warning: 1 x sequence whose times contradict its frame rate (sequence 0 'clip': 60 frames "
          + "per second, by its times 30)"
      ]
    ),
    (
      "one photo in several files, a face each (Helen's _1 and _2)",
      { dataset in
        dataset.frames = [
          MadeDataset.Still(
            name: "232194_1.jpg", faces: [MadeDataset.face(x: 5)], image: MadeDataset.image(1)),
          MadeDataset.Still(
            name: "232194_2.jpg", faces: [MadeDataset.face(x: 50)], image: MadeDataset.image(1)),
        ]
      },
      [
        "warning: 1 x image with the same bytes as another and other labels (frame 1 "
          + "'232194_2.jpg' and frame 0: other faces)"
      ]
    ),
    (
      "folders named by emotion with identical bytes",
      { dataset in
        dataset.isLabelled = false
        dataset.frames = ["Happy/1.png", "Angry/1.png", "Sad/1.png"].map {
          MadeDataset.Still(name: $0, image: MadeDataset.image(1))
        }
      },
      [
        "warning: 2 x image with the same bytes as another and other labels (frame 1 'Angry/1.png' "
          + "and frame 0: other folder)"
      ]
    ),
    (
      "the same image in two splits",
      { dataset in
        dataset.frames = ["a", "b"].map {
          MadeDataset.Still(name: $0, image: MadeDataset.image(1))
        }
        dataset.splits = ["train": [0], "test": [1]]
      },
      [
        "warning: 1 x image with the same bytes as another in another split (frame 1 'b' and frame "
          + "0, test and train)",
        "note: 1 x image with the same bytes and labels as another (frame 1 'b' and frame 0)",
      ]
    ),
    (
      "poses that are no rotations",
      { dataset in
        dataset.frames[0].faces[0].pose = HeadPose(
          matrix: SIMD16(2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1))
        dataset.frames[1].faces[0].pose = HeadPose(
          matrix: SIMD16(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1))
      },
      ["warning: 1 x head pose that is no rotation (frame 1 'b.png', face 0: it mirrors)"]
    ),
  ]

  static let sound: MadeDataset = {
    var dataset = MadeDataset()
    dataset.frames = ["a.png", "b.png"].map {
      MadeDataset.Still(name: $0, faces: [MadeDataset.face()])
    }
    return dataset
  }()

  private func findings(in dataset: MadeDataset) throws -> [String] {
    let folder = try TemporaryFolder()
    try dataset.write(to: folder.file("a.h5"))
    let result = try DatasetValidation(of: DatasetReader(folder.file("a.h5")))
    #expect(Set(result.checks.map(\.name)).count == result.checks.count)
    return result.findings.map {
      "\($0.severity.rawValue): \($0.count) x \($0.what) (\($0.examples.first ?? ""))"
    }
  }

  @Test(arguments: cases.indices)
  func `a checklist finds what is wrong, and nothing else`(index: Int) throws {
    let (name, make, expected) = Self.cases[index]
    var dataset = Self.sound
    make(&dataset)
    #expect(try findings(in: dataset) == expected, "\(name)")
  }

  @Test(arguments: cornered, [0.0, 40, 90, 180, -120])
  func `exchanged sides are found at any roll, and right ones are not`(
    scheme: LandmarkScheme, degrees: Double
  ) throws {
    var dataset = Self.sound
    for mirrored in [false, true] {
      let set = try #require(Self.corners(scheme, degrees: degrees, mirrored: mirrored))
      dataset.frames[0].faces[0].landmarks = [set]
      let found = try findings(in: dataset)
      #expect(found.count == (mirrored ? 1 : 0), "\(found)")
      if mirrored { #expect(found[0].contains("exchanged"), "\(found)") }
    }
  }

  @Test func `a check that looked at nothing is not ok`() throws {
    let folder = try TemporaryFolder()
    func outcomes(_ change: (inout MadeDataset) -> Void) throws -> [String: String] {
      var dataset = Self.sound
      change(&dataset)
      try? FileManager.default.removeItem(at: folder.file("a.h5"))
      try dataset.write(to: folder.file("a.h5"))
      let checks = try DatasetValidation(of: DatasetReader(folder.file("a.h5"))).checks
      for check in checks where check.outcome == .notChecked { #expect(check.lacks != nil) }
      return Dictionary(uniqueKeysWithValues: checks.map { ($0.name, $0.outcome.rawValue) })
    }
    let sound = try outcomes { _ in }
    #expect(sound["boxes-inside"] == "ok" && sound["images-once"] == "ok")
    for name in ["landmarks-near", "poses-rotate", "times-rise", "splits-apart"] {
      #expect(sound[name] == "not checked", "\(name)")
    }
    // Boxes of recordings without images have no image to lie in.
    let blind = try outcomes { for index in $0.frames.indices { $0.frames[index].image = [] } }
    for name in ["boxes-inside", "boxes-area", "boxes-whole", "images-readable", "images-once"] {
      #expect(blind[name] == "not checked", "\(name)")
    }
    #expect(blind["images-there"] == "note")
    // Two frames have one step, which is no usual one.
    let short = try outcomes { Self.clip([0, 40_000], rate: 25)(&$0) }
    #expect(short["times-rise"] == "ok" && short["times-even"] == "not checked")
    #expect(short["boxes-inside"] == "not checked")
    let ignored = try outcomes {
      for index in $0.frames.indices { $0.frames[index].faces[0].isIgnored = true }
    }
    #expect(ignored["boxes-inside"] == "not checked" && ignored["boxes-area"] == "ok")
  }

  @Test func `splits that other commands cannot write are named`() throws {
    let folder = try TemporaryFolder()
    var plain = PlainDataset()
    plain.spoil = { file in
      for name in ["fine", "a b\u{1B}"] {
        try file.createDataset("splits/\(name)", of: Int32.self, shape: [1]).write(
          [0] as [Int32], atRow: 0)
      }
    }
    try plain.write(to: folder.file("a.h5"))
    let checks = try DatasetValidation(of: DatasetReader(folder.file("a.h5"))).checks
    let check = try #require(checks.first { $0.name == "splits-named" })
    #expect(check.outcome == .warning && check.count == 1)
    #expect(check.examples == ["'a b\u{1B}'"])
  }

  @Test func `an unknown landmark scheme is named`() throws {
    let folder = try TemporaryFolder()
    var plain = PlainDataset()
    plain.spoil = { file in
      try file.createDataset("faces/landmarks/toy7/points", of: Float.self, shape: [3, 7, 2])
        .write([Float](repeating: 1, count: 42), atRow: 0)
    }
    try plain.write(to: folder.file("a.h5"))
    let reader = try DatasetReader(folder.file("a.h5"))
    #expect(reader.unknownSchemes == ["toy7"])
    let line = try #require(
      DatasetValidation(of: reader).findings.first { $0.name == "tables-known" })
    #expect(line.outcome == .warning && line.examples == ["'faces/landmarks/toy7'"])
    #expect(
      try FileContents(of: folder.file("a.h5")).text.contains(
        "unknown_tables  faces/landmarks/toy7"))
  }

  @Test func `dead channels are listed by name, and coefficients beyond 0 to 1 counted`() throws {
    var dataset = MadeDataset()
    dataset.frames = (0..<40).map { index in
      var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
      var values = (0..<52).map { Float(($0 * 7 + index * 3) % 20) / 20 }
      values[0] = 0
      values[Blendshape.cheekPuff.index] = 0.25
      values[Blendshape.jawLeft.index] = .nan
      if index < 3 { values[Blendshape.jawOpen.index] = 1.5 }
      face.blendshapes = values
      return MadeDataset.Still(name: "\(index)", faces: [face], image: [])
    }
    let found = try findings(in: dataset)
    #expect(
      found == [
        "note: 40 x frame without an image (frame 0 '0')",
        "warning: 3 x blendshape coefficient outside of 0 to 1 (frame 0 '0', face 0: jawOpen 1.5)",
        "warning: 1 x blendshape channel that never moves (cheekPuff (0.25))",
      ])
    dataset.frames.removeLast(11)
    #expect(try findings(in: dataset).allSatisfy { !$0.contains("never moves") })
  }

  @Test func `recordings of the same coefficients under other names are found`() throws {
    var dataset = MadeDataset()
    for (take, name) in ["Happy", "Angry", "Sad"].enumerated() {
      for index in 0..<3 {
        var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
        face.blendshapes = (0..<52).map {
          Float($0 * (index + 1) % 10) / 10 + (take == 2 ? 0.01 : 0)
        }
        dataset.frames.append(
          MadeDataset.Still(
            name: "\(name)/\(index)", faces: [face], image: [],
            begins: index == 0 ? SequenceDescription(name: name, kind: .video) : nil,
            microseconds: Int64(index) * 33_333))
      }
    }
    #expect(
      try findings(in: dataset).contains(
        "warning: 1 x sequence with the same coefficients as another (sequence 1 'Angry' and "
          + "sequence 0 'Happy', 3 frames)"))
  }

  @Test func `rows that cannot be read are found one by one`() throws {
    let folder = try TemporaryFolder()
    var plain = PlainDataset()
    plain.boxes[0] = .nan
    plain.boxes[10] = -7
    try plain.write(to: folder.file("a.h5"))
    let result = try DatasetValidation(of: DatasetReader(folder.file("a.h5")))
    let rows = try #require(result.findings.first)
    #expect(rows.name == "rows-readable" && rows.isError && rows.count == 2)
    #expect(rows.examples[0].contains("cannot read 'faces/box'[0]"))
    #expect(rows.examples[1].contains("cannot read 'faces/box'[2]"))
    #expect(result.frames == 3)
  }

  @Test func `an image cut off is found without decoding, zeros inside only with it`() throws {
    let folder = try TemporaryFolder()
    var dataset = Self.sound
    let whole = Sample.jpeg(100, 80)
    dataset.frames[0].image = Array(whole.prefix(whole.count / 2))
    try dataset.write(to: folder.file("a.h5"))
    let reader = try DatasetReader(folder.file("a.h5"))
    let quick = try DatasetValidation(of: reader)
    #expect(quick.findings.map(\.name) == ["images-readable"])
    #expect(quick.hasErrors)
  }

  @Test func `predictions are read to their end, and a row that cannot be read is found`() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("p.h5")
    try PlainPredictions().write(to: url)
    let sound = try DatasetValidation(of: PredictionsReader(url))
    #expect(!sound.hasErrors)
    #expect(
      sound.checks.map(\.name) == [
        "rows-readable", "frames-analysed", "frames-kept", "scores-range", "identities-once",
      ])
  }
}
