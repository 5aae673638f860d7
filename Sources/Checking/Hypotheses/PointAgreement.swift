internal import FaceCore
internal import Metrics

/// Predicted and labelled points of the same faces, as they are and in other orders.
struct PointAgreement {
  /// The points of a face on both sides; nil for those that are not given or stand for missing ones.
  struct Face {
    let frame: Int
    let labelled: [Point?]
    let given: [Point?]
    /// The face's size in pixels, the root of the larger box.
    let size: Double
    let image: ImageSize
  }

  /// Other orders of one side's points; a place takes the point that stands where it says.
  struct Candidate {
    enum Change {
      case sides
      case shift(Int)
      case order
    }

    let change: Change
    let side: Side
    let order: [Int?]
    /// Whether `order` leads to points of the labels' scheme without the table between both schemes.
    var isDirect = false

    /// Whether it exchanges left and right.
    var isOfSides: Bool { if case .sides = change { true } else { false } }
  }

  /// The candidate that makes both sides agree.
  struct Result {
    let candidate: Candidate
    let before, after: Double
  }

  /// The way to count coordinates that makes both sides agree.
  struct Place {
    let repair: FaceRepair
    let before, after: Double
  }

  /// The same of a part of the faces alone.
  struct Part {
    let repair: FaceRepair
    /// Positions in the sample of the frames of these faces.
    let frames: [Int]
    /// The median error of these faces.
    let before, after: Double
  }

  /// What decides; tuned on honest pairs and planted mistakes.
  enum Limit {
    /// More than this many faces change no median.
    static let faces = 200
    /// Honest sides have a disorder of .014 at most, with errors of 5 % of a face .1; points in no order have 1.
    static let order = 0.1
    /// Less than this is no disorder; points of a dense mesh that are shifted by one have .02.
    static let least = 0.01
    /// The wrong side gets this many times better: shifted points have 3 times the disorder of honest ones with errors of 3 %
    /// of a face, 10 to 40 times that of good ones.
    static let disorderRatio = 2.0
    /// With a side that is out of order the error falls by this at least: a poor tracker with shifted points by 1.5.
    static let errorRatio = 1.3
    /// Where only errors tell, honest assignments gain less than 2.
    static let blindRatio = 3.0
    /// What an order that is searched for gains on a right one at most.
    static let searched = 2.0
    /// Errors of trackers that find the face. Those before must be larger where only errors tell, and where sides are
    /// exchanged: seen from the side, both are in one place.
    static let error = 0.1
    /// So far are points that lie in the places of others, such as eyes in that of the mouth.
    static let apart = 0.3
    /// Less than this is no error that a part of the points in other places makes.
    static let part = 0.03
    /// Of more points than this an order takes too long to search for where nothing seems wrong.
    static let mostOfPart = 200
    /// With fewer faces than this, errors must be as those of good trackers afterwards.
    static let blindFaces = 10
    /// Some few points fit anywhere.
    static let points = 4
    /// The disorder of points of another scheme is .5 to 1, that of errors of 20 % of a face .2; beyond, a face is mirrored.
    static let foreign = 0.4...1.6
    /// Fewer faces may be poor ones, or seen from the side.
    static let foreignFaces = 10
  }

  let faces: [Face]
  let table: LandmarkCorrespondence
  private let labelGeometry: PointGeometry?
  private let givenGeometry: PointGeometry?

  /// Gathers the faces of the most frequent pair of schemes; nil without any.
  init?(_ sample: JoinedSample) {
    var groups: [LandmarkCorrespondence: [(pair: JoinedSample.Pair, landmarks: Landmarks)]] = [:]
    for pair in sample.pairs {
      let (_, label, face) = sample.faces(of: pair)
      guard let scheme = face.scheme,
        let target = LandmarkCorrespondence.target(of: label, for: scheme)
      else { continue }
      groups[target.table, default: []].append((pair, target.landmarks))
    }
    let largest = groups.max {
      ($0.value.count, $1.key.target.name) < ($1.value.count, $0.key.target.name)
    }
    guard let (table, pairs) = largest else { return nil }
    let step = max(1, pairs.count / Limit.faces)
    faces = stride(from: 0, to: pairs.count, by: step).compactMap { index in
      let (pair, landmarks) = pairs[index]
      let (joined, label, face) = sample.faces(of: pair)
      let labelled = Self.cleaned(landmarks.known)
      let given = Self.cleaned(face.known)
      let sizes = [BoundingBox(around: labelled.compactMap(\.self)), label.box, face.box].map {
        ($0?.area ?? 0).squareRoot()
      }
      guard let size = sizes.max(), size > 0 else { return nil }
      return Face(
        frame: pair.frame, labelled: labelled, given: given, size: size, image: joined.size)
    }
    self.table = table
    labelGeometry = PointGeometry(table.target)
    givenGeometry = PointGeometry(table.source)
    guard !faces.isEmpty else { return nil }
  }

  private static func cleaned(_ points: [Point?]) -> [Point?] {
    var points = points
    for index in MissingPoints.indices(in: points) { points[index] = nil }
    return points
  }
}

extension PointAgreement {
  /// The disorder of a side, the median over faces, as it is or in another order; nil where it is not to be told.
  func disorder(of side: Side, _ candidate: Candidate? = nil) -> Double? {
    let isTarget = side == .labels || candidate?.isDirect == true
    guard let geometry = isTarget ? labelGeometry : givenGeometry else { return nil }
    let values = faces.compactMap { face in
      let points = side == .labels ? face.labelled : face.given
      return geometry.disorder(of: candidate.map { Self.taken(points, $0.order) } ?? points)
    }
    return 2 * values.count >= faces.count ? values.median : nil
  }

  /// The distance of points as a share of the size, the median over faces; nil without points on both sides.
  func error(_ candidate: Candidate? = nil, repair: FaceRepair? = nil) -> Double? {
    errors(candidate, repair: repair).compactMap(\.self).median
  }

  /// The distance of points as a share of the size, face by face.
  func errors(_ candidate: Candidate? = nil, repair: FaceRepair? = nil) -> [Double?] {
    faces.map { face in
      var (labelled, given) = (face.labelled, face.given)
      switch candidate?.side {
      case .labels: labelled = Self.taken(labelled, candidate?.order ?? [])
      case .predictions: given = Self.taken(given, candidate?.order ?? [])
      case nil: break
      }
      if let repair { given = given.map { $0.map { repair.point($0, in: face.image) } } }
      if candidate?.isDirect != true { given = converted(given) }
      var (sum, count) = (0.0, 0)
      for case (let label?, let point?) in zip(labelled, given) {
        sum += label.distance(to: point)
        count += 1
      }
      return count < Limit.points ? nil : sum / Double(count) / face.size
    }
  }

  /// Positions in the sample of the frames, those first whose points are the farthest off.
  var worstFirst: [Int] {
    zip(faces, errors()).sorted { ($0.1 ?? 0) > ($1.1 ?? 0) }.map(\.0.frame)
  }

  /// The points that stand for those of the labels' scheme.
  func converted(_ given: [Point?]) -> [Point?] {
    if table.source == table.target { return given }
    return table.indices.map { sources in
      let known = sources.compactMap { given[$0] }
      return known.count == sources.count ? Point(meanOf: known) : nil
    }
  }

  private static func taken(_ points: [Point?], _ order: [Int?]) -> [Point?] {
    order.map { place in place.flatMap { points.indices.contains($0) ? points[$0] : nil } }
  }
}

extension Landmarks {
  /// The labelled points, nil for those without a label.
  var known: [Point?] { zip(points, visibility).map { $1 == .notLabelled ? nil : $0 } }
}

extension FacePrediction {
  /// The points that are given, nil for others.
  var known: [Point?] {
    points.map {
      $0.x.isFinite && $0.y.isFinite ? Point(x: Double($0.x), y: Double($0.y)) : nil
    }
  }
}
