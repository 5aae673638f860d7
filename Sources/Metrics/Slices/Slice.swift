package import FaceCore
internal import Platform
internal import Records

/// A part of a dataset that metrics are given of: the faces or frames with one value of one property.
package struct Slice: Sendable, Hashable, Comparable {
  /// What the parts differ in, such as `yaw`.
  package let dimension: String
  /// The part, such as `30-60`.
  package let value: String
  /// Where the part stands among those of the dimension.
  private let rank: Double

  /// Names a part; parts of a dimension are ordered by rank, then by value.
  package init(_ dimension: String, _ value: String, rank: Double = 0) {
    self.dimension = dimension
    self.value = value
    self.rank = rank
  }

  /// The name in records and gates, such as `yaw=30-60`.
  package var name: String { DimensionSlice(dimension: dimension, value: value).name }

  package static func < (first: Slice, second: Slice) -> Bool {
    (first.dimension, first.rank, first.value) < (second.dimension, second.rank, second.value)
  }
}

extension Slice {
  /// The parts that a labelled face belongs to: by yaw, size, height, occlusion, class and its attributes.
  ///
  /// Sizes are COCO's (areas of 32² and 96² pixels), heights those of WIDER's sets (10, 50, 300 pixels); a face without
  /// a position, as in recordings of coefficients, has neither.
  package static func slices(of label: FaceLabel) -> [Slice] {
    var slices: [Slice] = []
    if let pose = label.pose.flatMap({ Rotation($0) }),
      let bin = YawBin(yawDegrees: HeadAngles(pose).yaw)
    {
      slices.append(bins("yaw", YawBin.allCases.map(\.rawValue), bin.rawValue))
    }
    if !label.hasNoPosition {
      let size = label.area < 1024 ? "small" : label.area <= 9216 ? "medium" : "large"
      slices.append(bins("size", ["small", "medium", "large"], size))
      let height = label.box.height
      let tall = height < 10 ? "0-10" : height < 50 ? "10-50" : height <= 300 ? "50-300" : "300-"
      slices.append(bins("height", ["0-10", "10-50", "50-300", "300-"], tall))
    }
    // A face that states it by an attribute is in those parts alone.
    if label.attributes["occlusion"]?.isFinite != true, let occlusion = occlusion(of: label) {
      slices.append(bins("occlusion", ["none", "part", "half"], occlusion))
    }
    if let name = label.categoryName { slices.append(Slice("category", name)) }
    return slices + attributes(label.attributes)
  }

  /// The parts that a frame belongs to: by who is seen, and by its attributes.
  ///
  /// The attribute `ambientIntensity` of an ARKit session, in lumens with 1000 for a well-lit scene, is `light`.
  package static func slices(ofFrame attributes: [String: Double], subject: String) -> [Slice] {
    var rest = attributes
    var slices = subject.isEmpty ? [] : [Slice("subject", subject)]
    if let light = rest.removeValue(forKey: "ambientIntensity"), light.isFinite {
      let name = light < 250 ? "0-250" : light < 1000 ? "250-1000" : "1000-"
      slices.append(bins("light", ["0-250", "250-1000", "1000-"], name))
    }
    return slices + self.attributes(rest)
  }

  private static func bins(_ dimension: String, _ names: [String], _ name: String) -> Slice {
    Slice(dimension, name, rank: Double(names.firstIndex(of: name) ?? 0))
  }

  private static func attributes(_ attributes: [String: Double]) -> [Slice] {
    attributes.compactMap { name, value in
      guard value.isFinite else { return nil }
      guard let computed = ComputedAttribute.of(attribute: name) else {
        return Slice(name, value.plainText, rank: value)
      }
      let slice = computed.slice(of: value)
      return Slice(name, computed.sliceNames[slice], rank: Double(slice))
    }
  }

  /// By the share of labelled points that are hidden; nil where no point is labelled.
  private static func occlusion(of label: FaceLabel) -> String? {
    let marks = label.landmarks.flatMap(\.visibility).filter { $0 != .notLabelled }
    guard !marks.isEmpty else { return nil }
    let hidden = marks.count { $0 == .occluded }
    return hidden == 0 ? "none" : 2 * hidden < marks.count ? "part" : "half"
  }
}
