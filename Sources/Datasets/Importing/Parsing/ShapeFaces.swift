internal import FaceCore
internal import Foundation
internal import Platform

/// Boxes and single points of images, as annotation tools have them, and the faces that they are.
struct ShapeFaces {
  struct Box {
    var label: String
    var box: BoundingBox
    /// The name of the group that points refer to.
    var group: String?
    var score: Double?
    var track: Int?
    var attributes: [String: Double] = [:]
    /// Whether it is the tight box of a polygon, a circle, an ellipse or a mask.
    var isOutline = false
  }

  /// A point.
  struct Mark {
    var label: String
    var point: Point
    /// The group of its box.
    var group: String?
    var isHidden = false
  }

  /// An image with its shapes.
  struct Image {
    var name: String
    var boxes: [Box] = []
    var marks: [Mark] = []
  }

  /// How much of an outline is within a box of its label where it is a part of that face.
  private static let shareOfPart = 0.9

  /// Whether shapes are outlines of what has a box of its own, or of a part of it: the same label, and more than half of
  /// both in common, or nearly all of the outline within the box.
  static func areDoubles(
    _ shapes: [(label: String, box: BoundingBox, isOutline: Bool)]
  ) -> [Bool] {
    shapes.map { outline in
      outline.isOutline
        && shapes.contains {
          !$0.isOutline && $0.label == outline.label
            && ($0.box.iou(with: outline.box) >= 0.5
              || outline.box.area > 0
                && $0.box.intersection(with: outline.box) >= shareOfPart * outline.box.area)
        }
    }
  }

  /// The tight box of an ellipse, `angle` being that of the first radius in radians.
  static func box(
    aroundEllipse centre: Point, radii: (x: Double, y: Double), angle: Double
  ) -> BoundingBox {
    let (cosine, sine) = (cos(angle), sin(angle))
    let (x, y) = (radii.x * radii.x, radii.y * radii.y)
    let halfWidth = (x * cosine * cosine + y * sine * sine).squareRoot()
    let halfHeight = (x * sine * sine + y * cosine * cosine).squareRoot()
    return BoundingBox(
      x: centre.x - halfWidth, y: centre.y - halfHeight, width: 2 * halfWidth,
      height: 2 * halfHeight)
  }

  /// The tight box around a box that is turned about its centre by degrees.
  static func box(around box: BoundingBox, turnedBy degrees: Double) -> BoundingBox {
    let angle = degrees * .pi / 180
    let (sine, cosine) = (abs(sin(angle)), abs(cos(angle)))
    let width = box.width * cosine + box.height * sine
    let height = box.width * sine + box.height * cosine
    return BoundingBox(
      x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width: width,
      height: height)
  }

  /// The tight box around a box that is turned about its upper left corner by degrees.
  static func box(around box: BoundingBox, turnedAboutCornerBy degrees: Double) -> BoundingBox {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    let corners = [(0, 0), (box.width, 0), (0, box.height), (box.width, box.height)].map {
      Point(x: box.x + $0.0 * cosine - $0.1 * sine, y: box.y + $0.0 * sine + $0.1 * cosine)
    }
    return BoundingBox(around: corners) ?? box
  }

  /// The remarks on shapes that are taken as boxes, and on those of faces that have boxes.
  static func remarks(ofOutlines count: Int, doubles: Int) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume(
      count, "polygons, circles, ellipses and masks are taken as their tight boxes")
    remarks.assume(doubles, "polygons and other outlines left out, whose faces have boxes")
    return remarks
  }

  /// Shapes of other kinds that are left out, by name.
  var others: [String: Int] = [:]

  private let options: ImportOptions
  private var choice: FaceCategories?
  /// The labels of boxes, in the order of their first occurrence.
  private(set) var labels: [String] = []
  private var labelNumbers: [String: Int] = [:]
  private var points: VOCPoints
  private var (own, alone, outlines, doubles) = (0, 0, 0, 0)

  private static let face = "face"

  /// Knows of `labels`, such as those of other files, before any image.
  init(_ options: ImportOptions, labels: [String] = []) {
    self.options = options
    var options = options
    options.indexBase = 0
    points = VOCPoints(options)
    add(labels)
  }

  /// Adds labels that boxes have.
  mutating func add(_ others: [String]) {
    for label in others where labelNumbers[label] == nil {
      labelNumbers[label] = labels.count
      labels.append(label)
    }
  }

  /// Looks at the shapes of an image before any is taken.
  mutating func sample(_ image: Image) {
    add(image.boxes.map(\.label))
    for marks in Self.groups(of: image) where !marks.isEmpty {
      points.sample(Self.named(marks), of: Self.face)
    }
  }

  /// Decides which labels are faces and what the points are.
  mutating func decide(in file: String) throws(FileError) {
    choice = try FaceCategories(options.categories, ofLabels: labels, in: file)
    try points.decide(face: Self.face, in: file)
  }

  /// The faces of an image: its boxes, and points without one.
  mutating func labels(of image: Image) -> [FaceLabel] {
    var image = image
    let areDoubles = Self.areDoubles(image.boxes.map { ($0.label, $0.box, $0.isOutline) })
    image.boxes = zip(image.boxes, areDoubles).filter { !$1 }.map(\.0)
    doubles += areDoubles.count { $0 }
    let groups = Self.groups(of: image)
    outlines += image.boxes.count(where: \.isOutline)
    var faces: [FaceLabel] = []
    for (box, marks) in zip(image.boxes, groups) {
      var label = FaceLabel(box: box.box, identity: box.track)
      label.score = box.score
      label.attributes = box.attributes
      label.takeExportedFields()
      if let choice, let number = labelNumbers[box.label] {
        label.category = choice.number(of: number + 1)
        choice.name(&label, of: number + 1)
      }
      label.landmarks = set(marks).map { [$0] } ?? []
      faces.append(label)
    }
    for marks in groups.dropFirst(image.boxes.count) {
      guard let set = set(marks), let tight = BoundingBox(around: set.labelled) else {
        alone += marks.count
        continue
      }
      own += 1
      faces.append(FaceLabel(box: tight, landmarks: [set]))
    }
    return faces
  }

  private mutating func set(_ marks: [Mark]) -> Landmarks? {
    guard var set = points.landmarks(Self.named(marks), of: Self.face) else { return nil }
    for mark in marks where mark.isHidden {
      for index in set.points.indices where set.points[index] == mark.point {
        set.visibility[index] = .occluded
      }
    }
    return set
  }

  /// Points by name, or where a name comes twice by their order.
  private static func named(_ marks: [Mark]) -> [VOCPoints.Named] {
    let isEachOnce = Set(marks.map(\.label)).count == marks.count
    return marks.enumerated().map {
      (isEachOnce ? $0.element.label : "\($0.offset)", $0.element.point)
    }
  }

  /// For each box its points, then those of groups without a box.
  ///
  /// Points without a group belong to the smallest box around them, or to the only one.
  private static func groups(of image: Image) -> [[Mark]] {
    var marks = [[Mark]](repeating: [], count: image.boxes.count)
    var alone = OrderedGroups<String, Mark>()
    let named = Dictionary(
      image.boxes.enumerated().compactMap { index, box in box.group.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first })
    for mark in image.marks {
      if let group = mark.group, let box = named[group] {
        marks[box].append(mark)
        continue
      }
      let around = image.boxes.indices.filter { image.boxes[$0].box.holds(mark.point) }
        .min { image.boxes[$0].box.area < image.boxes[$1].box.area }
      if mark.group == nil, let box = around ?? (image.boxes.count == 1 ? 0 : nil) {
        marks[box].append(mark)
        continue
      }
      alone.add(mark, to: mark.group ?? "")
    }
    return marks + alone.keys.map { alone[$0] }
  }

  /// What was assumed and left out.
  var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    if let choice { remarks.append(choice.remark(ofLabels: labels.count)) }
    remarks += points.remarks
    remarks += Self.remarks(ofOutlines: outlines, doubles: doubles)
    remarks.assume(own, "sets of points outside of boxes get their tight boxes")
    remarks.drop(alone, "points that belong to no face left out")
    remarks.drop("left out: \(others.mostFrequent)", if: !others.isEmpty)
    return remarks
  }
}
