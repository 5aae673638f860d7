internal import FaceCore
internal import Platform

/// Turns the shapes of CVAT's images into faces and counts what was assumed and left out.
struct CVATFaces {
  private let options: ImportOptions
  private let labels: CVATDocument.Labels
  private let choice: FaceCategories?
  private var table: PointTable
  private var joints: PointTable
  private var jointNames: [String] = []
  private var (own, outlines, doubles) = (0, 0, 0)
  private var others: [String: Int] = [:]
  private var splits: [String: Int] = [:]
  private var hasTracks = false

  /// Takes the labels of all files, and those of them that are faces.
  init(_ options: ImportOptions, _ labels: CVATDocument.Labels, _ choice: FaceCategories?) {
    (self.options, self.labels, self.choice) = (options, labels, choice)
    table = PointTable(options, noun: "points")
    joints = PointTable(options, noun: "points of skeletons")
  }

  /// Goes on to a file.
  mutating func begin(_ document: CVATDocument) {
    others.merge(document.others) { $0 + $1 }
    hasTracks = hasTracks || !document.tracks.isEmpty
    let names = document.jointNames
    guard names != jointNames, !names.isEmpty else { return }
    jointNames = PointNames.inOrder(names)
    joints = PointTable(options, noun: "points of skeletons", names: jointNames)
  }

  /// Looks at the points of images before any is taken.
  mutating func sample(_ images: [CVATDocument.Image]) {
    for shape in images.lazy.flatMap(\.shapes) {
      if let points = shape.points, !table.isFull { table.sample(points) }
      if let points = shape.joints, !joints.isFull {
        joints.sample(jointNames.map { points[$0]?.point })
      }
    }
  }

  /// The faces of an image: its boxes, and points without one.
  mutating func labels(
    of image: CVATDocument.Image, in file: String
  ) throws(FileError) -> [FaceLabel] {
    let given = image.shapes.filter { $0.points == nil && $0.joints == nil }
    let areDoubles = ShapeFaces.areDoubles(given.map { ($0.label, $0.upright, $0.isOutline) })
    let boxes = zip(given, areDoubles).filter { !$1 }.map(\.0)
    doubles += areDoubles.count { $0 }
    outlines += boxes.count(where: \.isOutline)
    var faces = boxes.map { face($0) }
    for shape in image.shapes {
      var set: Landmarks?
      if let points = shape.joints {
        let all = jointNames.map { points[$0]?.point }
        guard all.contains(where: { $0 != nil }) else { continue }
        let states = jointNames.map { name -> PointVisibility in
          points[name].map {
            $0.point == nil ? .notLabelled : $0.isHidden ? .occluded : .visible
          } ?? .notLabelled
        }
        if isKnown(all.count) {
          set = try joints.order(of: all, in: file).landmarks(all, states)
        } else {
          others["skeletons of \(all.count) points", default: 0] += 1
        }
      } else if let points = shape.points {
        if isKnown(points.count) { set = try table.order(of: points, in: file).landmarks(points) }
        if set == nil { others["sets of \(points.count) points", default: 0] += 1 }
      }
      guard let set, let tight = BoundingBox(around: set.labelled) else { continue }
      let grouped = shape.group.flatMap { group in
        boxes.indices.first { boxes[$0].group == group && faces[$0].landmarks.isEmpty }
      }
      if let index = grouped ?? Self.box(around: tight, in: faces) {
        faces[index].landmarks = [set]
        if faces[index].identity == nil { faces[index].identity = shape.track }
      } else {
        own += 1
        var face = face(shape)
        (face.box, face.area) = (tight, tight.area)
        face.landmarks = [set]
        faces.append(face)
      }
    }
    return faces
  }

  private func isKnown(_ count: Int) -> Bool {
    options.pointOrder != nil || options.points != nil || !PointOrder.withCount(count).isEmpty
  }

  private func face(_ shape: CVATDocument.Shape) -> FaceLabel {
    // A turned box has the size that it was drawn with, as CVAT states it in COCO's JSON.
    let area = shape.isOutline ? nil : shape.box.area
    var face = FaceLabel(box: shape.upright, area: area, identity: shape.track)
    if let choice, let index = labels.position(of: shape.label) {
      face.category = choice.number(of: index + 1)
      choice.name(&face, of: index + 1)
    }
    face.attributes = shape.attributes
    if options.isPredictions {
      face.score = shape.attributes["score"] ?? shape.attributes["confidence"]
    }
    face.takeExportedFields()
    return face
  }

  /// The smallest box without points that holds the centre of others' box.
  private static func box(around inner: BoundingBox, in faces: [FaceLabel]) -> Int? {
    faces.indices.filter { faces[$0].landmarks.isEmpty && faces[$0].box.holds(inner.center) }
      .min { faces[$0].box.area < faces[$1].box.area }
  }

  /// A subset other than the default is a split.
  mutating func addSplit(_ subset: String?, to frame: inout ImportedFrame) {
    guard let subset, subset.lowercased() != "default", DatasetLayout.isTableName(subset) else {
      return
    }
    frame.splits = [subset]
    splits[subset, default: 0] += 1
  }

  /// What was assumed and left out.
  var remarks: [ImportRemark] {
    var remarks = table.remarks + joints.remarks
    remarks += ShapeFaces.remarks(ofOutlines: outlines, doubles: doubles)
    remarks.assume(own, "sets of points outside of boxes get their tight boxes")
    remarks.assume("tracks are identities", if: hasTracks)
    for (subset, count) in splits.sorted(by: { $0.key < $1.key }) {
      remarks.assume("\(count) images of subset \(subset) are split \(subset)")
    }
    remarks.drop("left out: \(others.mostFrequent)", if: !others.isEmpty)
    return remarks
  }
}
