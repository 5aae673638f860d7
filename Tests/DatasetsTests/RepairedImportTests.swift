import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Faces of another convention, size or orientation on their way into a file.
@Suite struct RepairedImportTests {
  private typealias Source = PredictionsImportTests.Source

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let stored = ImageSize(width: 40, height: 30)

  /// A JPEG of 40 by 30 pixels whose Exif segment has one entry: orientation (0x0112), short, 1 value.
  static func jpeg(orientation: UInt8) -> [UInt8] {
    let jpeg = Sample.jpeg(40, 30)
    let exif: [UInt8] =
      [0xFF, 0xE1, 0, 34] + Array("Exif\0\0II*\0".utf8)
      + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
    return Array(jpeg[..<2]) + exif + Array(jpeg[2...])
  }

  private static func frame(
    _ faces: [FaceLabel], image: [UInt8]? = jpeg(orientation: 1), stated: ImageSize? = nil
  ) -> ImportedFrame {
    var frame = ImportedFrame(
      name: "a.jpg", image: image.map { .encoded($0) } ?? .none, faces: faces)
    frame.statedSize = stated
    return frame
  }

  private static func face(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, score: Double? = nil
  ) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: x, y: y, width: width, height: height))
    face.score = score
    return face
  }

  private static func options(
    _ repairs: [FaceRepair] = [], isUpright: Bool = false, isLabelsOnly: Bool = false
  ) -> ImportOptions {
    var options = ImportOptions(isLabelsOnly: isLabelsOnly)
    options.repairs = repairs
    options.isUpright = isUpright
    return options
  }

  private func labels(
    _ frame: ImportedFrame, _ options: ImportOptions
  ) throws -> (faces: [FaceLabel], remarks: [String]) {
    let url = folder.file("labels.h5")
    let writer = try DatasetWriter(url, name: "labels", replacing: true)
    let plan = DatasetImport(
      format: Source(frames: [frame]), sources: [folder.file("source")], options: options,
      isStrict: false)
    let remarks = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
    return (try DatasetReader(url).labels(0..<1)[0], remarks.map(Self.text))
  }

  private func predictions(
    _ frame: ImportedFrame, _ options: ImportOptions = options(),
    of image: [UInt8] = jpeg(orientation: 1)
  ) throws -> (faces: [FacePrediction], header: PredictionsHeader, remarks: [String]) {
    let data = folder.file("data.h5")
    let writer = try DatasetWriter(data, name: "data", replacing: true)
    try writer.add(
      name: "a.jpg", image: image,
      size: image.isEmpty ? ImageSize(width: 0, height: 0) : Self.stored, faces: [])
    try writer.finish()
    let plan = PredictionsImport(
      format: Source(frames: [frame]), sources: [folder.file("source")], options: options,
      isStrict: false)
    let url = folder.file("predictions.h5")
    let summary = try plan.run(
      for: DatasetReader(data), sha256: "ab", into: url, replacing: true, advance: { _ in },
      isInterrupted: { false })
    let reader = try PredictionsReader(url)
    return (
      try reader.predictions(0..<1)[0].faces, reader.header, summary.remarks.map(Self.text)
    )
  }

  private static func text(_ remark: ImportRemark) -> String {
    (remark.isLoss ? "lost: " : "") + remark.text
  }

  @Test func `repairs change labels in the given order, and the import says so`() throws {
    let frame = Self.frame([Self.face(0.5, 0.5, 0.25, 0.5)])
    let read = try labels(frame, Self.options([.fractions, .center]))
    #expect(read.faces.map(\.box) == [BoundingBox(x: 15, y: 7.5, width: 10, height: 15)])
    #expect(read.faces[0].area == 150)
    #expect(
      read.remarks == [
        "--repair fractions is applied to 1 faces", "--repair centre is applied to 1 faces",
      ])
  }

  @Test func `repairs change predictions, whose file records them`() throws {
    let frame = Self.frame([Self.face(0.25, 0.1, 0.5, 0.9, score: 0.25)], image: nil)
    let read = try predictions(frame, Self.options([.fractions, .corners, .scoresFalling]))
    let box = try #require(read.faces.first?.ownBox)
    // Boxes are stored in single precision.
    for (found, expected) in zip([box.x, box.y, box.width, box.height], [10, 3, 10, 24.0]) {
      #expect(abs(found - expected) < 1e-5)
    }
    #expect(read.faces[0].detectionScore == 0.75)
    #expect(
      read.header.options == [
        "tracker": "made-up", "repair": "fractions, corners, falling-scores",
      ])
    #expect(read.remarks.contains("--repair corners is applied to 1 faces"))
  }

  @Test func `boxes that a repair turns inside out are left out with their number`() throws {
    let frame = Self.frame([Self.face(10, 10, 5, 20), Self.face(1, 1, 9, 9)])
    let read = try labels(frame, Self.options([.corners]))
    #expect(read.faces.map(\.box) == [BoundingBox(x: 1, y: 1, width: 8, height: 8)])
    #expect(
      read.remarks.contains(
        "lost: 1 faces left out whose box has a negative size after --repair"))
  }

  @Test(arguments: [
    (FaceRepair.slots(1), "coefficients"), (.sides, "points or coefficients"),
    (.percent, "coefficients or scores"), (.scoresFalling, "scores"), (.degrees, "angles"),
    (.negated(["yaw"]), "angles"),
  ])
  func `a repair of what no face has is refused`(repair: FaceRepair, what: String) throws {
    let frame = Self.frame([Self.face(1, 2, 3, 4)])
    let message =
      "cannot repair \(folder.file("source").relativePath) (--repair \(repair.text)): expected "
      + "\(what), found none"
    let first = #expect(throws: FileError.self) { try labels(frame, Self.options([repair])) }
    #expect(first?.description == message)
    let second = #expect(throws: FileError.self) { try predictions(frame, Self.options([repair])) }
    #expect(second?.description == message)
    #expect(!folder.file("predictions.h5").isThere && !folder.file("labels.h5").isThere)
  }

  @Test func `a pose has no unit, unless its format makes it of angles`() throws {
    var face = Self.face(1, 2, 3, 4)
    face.pose = HeadPose(matrix: SIMD16(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -40, 0, 0, 0, 1))
    #expect(throws: FileError.self) { try labels(Self.frame([face]), Self.options([.degrees])) }
    #expect(try labels(Self.frame([face]), Self.options([.negated(["roll"])])).faces.count == 1)
    let row = (["1", "0.9", "1"] + ["0", "0", "400", "0", "30", "0"]).joined(separator: ",")
    let names = "face,confidence,success,pose_Tx,pose_Ty,pose_Tz,pose_Rx,pose_Ry,pose_Rz"
    let columns = (0..<68).map { "x_\($0),y_\($0)" }.joined(separator: ",")
    let points = (0..<68).map { "\($0),\($0)" }.joined(separator: ",")
    let source = try folder.write("\(names),\(columns)\n\(row),\(points)\n", to: "openface.csv")
    let writer = try DatasetWriter(folder.file("pose.h5"), name: "pose", replacing: true)
    _ = try DatasetImport(
      format: OpenFaceCSV(), sources: [source], options: Self.options([.degrees]), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    let label = try #require(try DatasetReader(folder.file("pose.h5")).labels(0..<1)[0].first)
    let angles = HeadAngles(try #require(label.pose.flatMap { Rotation($0) }))
    #expect(abs(angles.yaw - 30) < 1e-4 && abs(angles.pitch) < 1e-4 && abs(angles.roll) < 1e-4)
  }

  @Test func `fractions need a size, from the image or stated`() throws {
    let frame = Self.frame([Self.face(0.5, 0.5, 0.25, 0.5)], image: nil)
    let labelsAlone = Self.options([.fractions], isLabelsOnly: true)
    let first = #expect(throws: FileError.self) { try labels(frame, labelsAlone) }
    #expect(
      first?.description
        == "cannot repair the faces of 'a.jpg' (--repair fractions): expected the size of the image, "
        + "found labels alone (import them with their images, without --labels-only)")
    let second = #expect(throws: FileError.self) {
      try predictions(frame, Self.options([.fractions]), of: [])
    }
    #expect(
      second?.description
        == "cannot repair the faces of 'a.jpg' (--repair fractions): expected the size of the image, "
        + "found a dataset without it (import the dataset with its images)")
    var fractions = frame
    fractions.isRelative = true
    let third = #expect(throws: FileError.self) { try labels(fractions, Self.options()) }
    #expect(
      third?.description
        == "cannot read the fractions of 'a.jpg': expected the size of the image, found a frame without "
        + "an image (--video names the clip of the labels, or write width and height where the format "
        + "has them)")
    let stated = Self.frame(frame.faces, image: nil, stated: Self.stored)
    #expect(
      try labels(stated, labelsAlone).faces[0].box
        == BoundingBox(x: 20, y: 15, width: 10, height: 15))
  }

  @Test func `percent change the numbers that are percent`() throws {
    var face = Self.face(1, 2, 3, 4, score: 0.75)
    face.blendshapes = [Float](repeating: 50, count: 52)
    let coefficients = try predictions(Self.frame([face]), Self.options([.percent])).faces[0]
    #expect(coefficients.blendshapes?[7] == 0.5 && coefficients.detectionScore == 0.75)
    face.score = 75
    face.blendshapes = [Float](repeating: 0.5, count: 52)
    let scores = try predictions(Self.frame([face]), Self.options([.percent])).faces[0]
    #expect(scores.blendshapes?[7] == 0.5 && scores.detectionScore == 0.75)
  }

  @Test func `predictions of another size are scaled to the dataset's frame`() throws {
    let half = ImageSize(width: 20, height: 15)
    var frame = Self.frame([Self.face(5, 5, 5, 5)], image: nil, stated: half)
    let read = try predictions(frame)
    #expect(read.faces[0].ownBox == BoundingBox(x: 10, y: 10, width: 10, height: 10))
    #expect(
      read.remarks.contains(
        "the faces of 1 frames are scaled from the size that they state to that of the dataset's "
          + "images; the first is 'a.jpg': 20 × 15 stated, 40 × 30 found"))
    frame.faces = [Self.face(0.25, 0.2, 0.5, 0.5)]
    #expect(
      try predictions(frame, Self.options([.fractions])).faces[0].ownBox
        == BoundingBox(x: 10, y: 6, width: 20, height: 15))
    frame.statedSize = Self.stored
    #expect(try !predictions(frame).remarks.contains { $0.contains("stated") })
  }

  @Test(arguments: [
    (
      ImageSize(width: 20, height: 20), false,
      "state another size than the dataset's images; their faces are taken for the pixels as stored"
    ),
    (
      ImageSize(width: 20, height: 15), true,
      "state another size than the dataset's images; their faces are taken for the pixels as stored"
    ),
    (
      ImageSize(width: 1 << 62, height: 3), false,
      "state another size than the dataset's images; their faces are taken for the pixels as stored"
    ),
    (
      ImageSize(width: 30, height: 40), false,
      "state the size of the dataset's images with width and height exchanged: the tracker was given "
        + "rotated images (give it the images as stored), or the sizes are written height first; "
        + "faces are left as they are"
    ),
  ])
  func `predictions of another image are left as they are, with a warning`(
    stated: ImageSize, isShared: Bool, warning: String
  ) throws {
    var frame = Self.frame([Self.face(5, 5, 5, 5)], image: nil, stated: stated)
    frame.isSizeOfLabels = isShared
    let read = try predictions(frame)
    #expect(read.faces[0].ownBox == BoundingBox(x: 5, y: 5, width: 5, height: 5))
    #expect(
      read.remarks.contains(
        "lost: 1 frames \(warning); the first is 'a.jpg': \(stated.width) × \(stated.height) "
          + "stated, 40 × 30 found"))
  }

  /// A box of 8 by 10 at (4, 6) of the stored image, and the same pixels where a viewer shows them.
  private static let shown: [(UInt8, BoundingBox)] = [
    (1, BoundingBox(x: 4, y: 6, width: 8, height: 10)),
    (2, BoundingBox(x: 28, y: 6, width: 8, height: 10)),
    (3, BoundingBox(x: 28, y: 14, width: 8, height: 10)),
    (4, BoundingBox(x: 4, y: 14, width: 8, height: 10)),
    (5, BoundingBox(x: 6, y: 4, width: 10, height: 8)),
    (6, BoundingBox(x: 14, y: 4, width: 10, height: 8)),
    (7, BoundingBox(x: 14, y: 28, width: 10, height: 8)),
    (8, BoundingBox(x: 6, y: 28, width: 10, height: 8)),
  ]

  @Test(arguments: shown)
  func `faces of the upright image are turned to the pixels as stored`(
    orientation: UInt8, box: BoundingBox
  ) throws {
    let image = Self.jpeg(orientation: orientation)
    // Corners of the box on the screen, of which one is the right eye and the next one the left.
    var face = FaceLabel(box: box)
    let corners = [
      Point(x: box.x, y: box.y), Point(x: box.maxX, y: box.y), Point(x: box.x, y: box.maxY),
    ]
    face.landmarks = [
      try #require(
        Landmarks(
          scheme: .five, points: corners + [Point(x: 0, y: 0), Point(x: 0, y: 0)],
          visibility: [.visible, .visible, .visible, .notLabelled, .notLabelled]))
    ]
    let truth = BoundingBox(x: 4, y: 6, width: 8, height: 10)
    let upright = Self.options(isUpright: true)
    let read = try labels(Self.frame([face], image: image), upright)
    #expect(read.faces[0].box == truth && read.faces[0].area == 80)
    let points = read.faces[0].landmarks[0].points
    let isMirror = [2, 4, 5, 7].contains(orientation)
    let (right, left, nose) =
      isMirror ? (points[1], points[0], points[2]) : (points[0], points[1], points[2])
    let expected: (Point, Point, Point)
    let (a, b, c, d) = (
      Point(x: 4, y: 6), Point(x: 12, y: 6), Point(x: 4, y: 16), Point(x: 12, y: 16)
    )
    switch orientation {
    case 2: expected = (b, a, d)
    case 3: expected = (d, c, b)
    case 4: expected = (c, d, a)
    case 5: expected = (a, c, b)
    case 6: expected = (c, a, d)
    case 7: expected = (d, b, c)
    case 8: expected = (b, d, a)
    default: expected = (a, b, c)
    }
    #expect((right, left, nose) == expected)
    let side = "of the images that Exif turns 1 have boxes that only the upright image holds"
    #expect(
      read.remarks.filter { $0 != side } == [
        orientation == 1
          ? "no image with labelled faces carries an Exif rotation (--apply-exif)"
          : "the faces of 1 images are turned from the upright image, as --apply-exif says, to the pixels "
            + "as stored, by Exif; the first is 'a.jpg'"
      ])
    #expect(read.remarks.contains(side) == (orientation >= 7), "28 to 36 of 30 or 40 rows")
    var found = Self.frame([FaceLabel(box: box)], image: nil)
    #expect(try predictions(found, upright, of: image).faces[0].ownBox == truth)
    guard orientation >= 5 else { return }
    // Half the size of the upright image: only a tracker's faces are scaled.
    found.statedSize = ImageSize(width: 15, height: 20)
    found.faces = [
      FaceLabel(
        box: BoundingBox(
          x: box.x / 2, y: box.y / 2, width: box.width / 2, height: box.height / 2))
    ]
    #expect(try predictions(found, of: image).faces[0].ownBox == truth)
  }

  @Test func `a stated size with sides exchanged tells that labels are of the upright image`()
    throws
  {
    let box = Self.shown[5].1
    let stated = ImageSize(width: 30, height: 40)
    let turned = try labels(
      Self.frame([FaceLabel(box: box)], image: Self.jpeg(orientation: 6), stated: stated),
      Self.options())
    #expect(turned.faces[0].box == BoundingBox(x: 4, y: 6, width: 8, height: 10))
    #expect(
      turned.remarks == [
        "the faces of 1 images are turned from the upright image, whose size is stated, to the pixels "
          + "as stored, by Exif; the first is 'a.jpg'"
      ])
    let flat = try labels(
      Self.frame([FaceLabel(box: box)], stated: stated), Self.options())
    #expect(flat.faces[0].box == box)
    #expect(flat.remarks.contains { $0.hasPrefix("lost: 1 images have another size") })
  }

  @Test func `a head turns with its image, and a mirrored one is that of a face`() throws {
    let rows = HeadRotation.rows([(axis: 0, radians: 0.2), (axis: 1, radians: -0.5)])
    var pose = try #require(HeadRotation.pose(rows))
    (pose.matrix[3], pose.matrix[7], pose.matrix[11]) = (5, 2, -50)
    var face = FaceLabel(box: BoundingBox(x: 1, y: 1, width: 4, height: 4))
    face.pose = pose
    for orientation: UInt8 in 2...8 {
      let image = Self.jpeg(orientation: orientation)
      let read = try labels(Self.frame([face], image: image), Self.options(isUpright: true))
      let turned = try #require(read.faces[0].pose)
      #expect(Rotation(turned) != nil)
      let (before, after) = (
        pose.cameraCoordinates(of: HeadPose.canonicalNoseTip),
        turned.cameraCoordinates(of: HeadPose.canonicalNoseTip)
      )
      // Where the nose was on the screen, seen from the centre of the image, y up.
      let (x, y) = (before.x, before.y)
      let places = [
        (0.0, 0.0), (-x, y), (-x, -y), (x, -y), (-y, -x), (-y, x), (y, x), (y, -x),
      ]
      let place = places[Int(orientation) - 1]
      #expect(abs(after.x - place.0) < 1e-4 && abs(after.y - place.1) < 1e-4)
      #expect(abs(after.z - before.z) < 1e-4)
    }
  }
}
