internal import FaceCore
internal import Records

/// The labelled and the predicted turn of one head.
struct HeadPair {
  let frame: Int
  let label: Rotation
  let given: Rotation
  let labelAngles: HeadAngles
  let givenAngles: HeadAngles

  init(frame: Int, _ label: Rotation, _ given: Rotation) {
    self.frame = frame
    self.label = label
    self.given = given
    labelAngles = HeadAngles(label)
    givenAngles = HeadAngles(given)
  }

  /// Of poses, else of angles among the attributes, in radians, that both sides have; nil without either.
  init?(frame: Int, _ label: FaceLabel, _ face: FacePrediction) {
    if let known = label.pose.flatMap({ Rotation($0) }),
      let given = face.pose.flatMap({ Rotation($0) })
    {
      self.init(frame: frame, known, given)
      return
    }
    let angles = FaceLabel.headAngleNames.map { names -> (known: Double, given: Double)? in
      let shared = names.filter { label.attributes[$0] != nil && face.attributes[$0] != nil }
      func angle(_ attributes: [String: Double]) -> Double? {
        (shared.isEmpty ? names : shared).lazy.compactMap { attributes[$0] }.first
      }
      guard let known = angle(label.attributes), let given = angle(face.attributes) else {
        return nil
      }
      return (known, given)
    }
    func rotation(_ angle: (_ pair: (known: Double, given: Double)) -> Double) -> Rotation? {
      let values = angles.map { $0.map(angle) ?? 0 }
      guard values.allSatisfy(\.isFinite) else { return nil }
      return Rotation(
        nearest: HeadRotation.rows(zip(0..<3, values).map { (axis: $0, radians: -$1) }))
    }
    guard angles.contains(where: { $0 != nil }), let known = rotation({ $0.known }),
      let given = rotation({ $0.given })
    else { return nil }
    self.init(frame: frame, known, given)
  }

  /// The angles by the names that repairs have.
  static let axes: [(name: String, value: @Sendable (HeadAngles) -> Double)] = [
    ("yaw", { $0.yaw }), ("pitch", { $0.pitch }), ("roll", { $0.roll }),
  ]

  /// Labels for predictions.
  var exchanged: HeadPair { HeadPair(frame: frame, given, label) }

  /// With other predicted angles, in degrees.
  func changed(_ change: (HeadAngles) -> (pitch: Double, yaw: Double, roll: Double)) -> HeadPair {
    let angles = change(givenAngles)
    let rows = HeadRotation.rows(
      zip(0..<3, [angles.pitch, angles.yaw, angles.roll])
        .map { (axis: $0, radians: -$1 * .pi / 180) })
    return HeadPair(frame: frame, label, Rotation(nearest: rows) ?? given)
  }

  /// The median angle between both sides in degrees, with predictions turned.
  static func error(_ heads: [HeadPair], _ turned: (Rotation) -> Rotation = { $0 }) -> Double {
    heads.map { $0.label.degrees(to: turned($0.given)) }.median ?? 0
  }

  /// The median angle but for one turn of the head's own frame that all have in common.
  static func alignedError(_ heads: [HeadPair]) -> Double {
    guard let turn = Rotation.mean(heads.map { $0.given.inverse * $0.label }) else { return 0 }
    return error(heads) { $0 * turn }
  }

  /// The share of heads with an angle beyond a limit.
  static func share(_ angles: [HeadAngles], beyond limit: Double) -> Double {
    let count = angles.count { head in axes.contains { abs($0.value(head)) > limit } }
    return Double(count) / Double(max(1, angles.count))
  }

  /// The heads with the largest angle between both sides.
  static func frames(_ heads: [HeadPair], of sample: JoinedSample) -> [Finding.Frame] {
    let sorted = heads.map { (frame: $0.frame, degrees: $0.label.degrees(to: $0.given)) }
      .sorted { ($1.degrees, $0.frame) < ($0.degrees, $1.frame) }
    return sample.named(sorted.map(\.frame))
  }
}

/// How a predicted angle follows a labelled one.
struct HeadRelation {
  /// The label's standard deviation in degrees.
  let spread: Double
  /// Pearson's correlation; 0 where either does not vary.
  let correlation: Double
  /// The slope of the prediction over the label.
  let slope: Double

  init(
    _ heads: [HeadPair], _ label: (HeadAngles) -> Double, _ given: (HeadAngles) -> Double
  ) {
    let (x, y) = (heads.map { label($0.labelAngles) }, heads.map { given($0.givenAngles) })
    let n = Double(max(1, heads.count))
    let (meanX, meanY) = (x.reduce(0, +) / n, y.reduce(0, +) / n)
    let xy = zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) } / n
    self.init(x.variance, y.variance, covariance: xy)
  }

  private init(_ xx: Double, _ yy: Double, covariance xy: Double) {
    spread = xx.squareRoot()
    correlation = xx > 0 && yy > 0 ? xy / (xx * yy).squareRoot() : 0
    slope = xx > 0 ? xy / xx : 0
  }

  /// Of several angles together; nil for none.
  init?(_ relations: [HeadRelation]) {
    guard !relations.isEmpty else { return nil }
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for one in relations {
      let own = one.spread * one.spread
      xx += own
      xy += one.slope * own
      let ratio = one.correlation == 0 ? 0 : one.slope / one.correlation
      yy += ratio * ratio * own
    }
    self.init(xx, yy, covariance: xy)
  }
}
