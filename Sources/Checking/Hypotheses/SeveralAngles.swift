internal import FaceCore

/// Which predicted angle follows each labelled one, where these are others or have other signs or units.
struct SeveralAngles {
  /// Positions in `HeadPair.axes` of the predicted angle for each labelled one.
  private let places: [Int]
  /// Whether each predicted angle falls where the labelled one rises.
  private let areTurned: [Bool]
  /// The slopes of predicted over labelled angles that vary.
  let slopes: [Double]
  /// Correlations with the angle of the same name, of labelled ones that follow another.
  let ownCorrelations: [Double]

  /// Finds them; nil where fewer than two labelled angles vary and are followed, or all as they should be.
  init?(_ heads: [HeadPair], least: (spread: Double, correlation: Double)) {
    var places = [Int?](repeating: nil, count: HeadPair.axes.count)
    var areTurned = [Bool](repeating: false, count: HeadPair.axes.count)
    var (slopes, own): ([Double], [Double]) = ([], [])
    for (label, axis) in HeadPair.axes.enumerated() {
      let relations = HeadPair.axes.map { HeadRelation(heads, axis.value, $0.value) }
      guard relations[label].spread >= least.spread else { continue }
      let strength = relations.map { abs($0.correlation) }
      guard let place = strength.indices.max(by: { strength[$0] < strength[$1] }),
        strength[place] >= least.correlation
      else { return nil }
      places[label] = place
      areTurned[label] = relations[place].slope < 0
      slopes.append(relations[place].slope)
      if place != label { own.append(relations[label].correlation) }
    }
    let known = places.compactMap(\.self)
    guard known.count >= 2, Set(known).count == known.count else { return nil }
    // What does not vary is the angle that is left over.
    let rest = places.indices.filter { !known.contains($0) }
    self.places = places.indices.map { places[$0] ?? (rest.contains($0) ? $0 : rest[0]) }
    self.areTurned = areTurned
    self.slopes = slopes
    ownCorrelations = own
    if isInOrder, !areTurned.contains(true), !slopes.allSatisfy({ abs($0) < 0.1 }) { return nil }
  }

  /// Whether each angle follows the one of its name.
  var isInOrder: Bool { places == Array(places.indices) }
  /// Whether yaw and pitch are exchanged and roll is in its place, which one repair mends.
  var isOfYawAndPitch: Bool { places == [1, 0, 2] }
  /// Labelled angles whose predicted ones fall where they rise.
  var turned: [String] {
    HeadPair.axes.indices.filter { areTurned[$0] }.map { HeadPair.axes[$0].name }
  }
  /// Which predicted angle stands where.
  var order: String {
    let moved = places.indices.filter { places[$0] != $0 }
    return moved.map {
      "the predicted \(HeadPair.axes[places[$0]].name) is taken as \(HeadPair.axes[$0].name)"
    }
    .joined(separator: ", ")
  }

  /// A head with the predicted angles where they belong.
  func repaired(_ head: HeadPair, areRadians: Bool) -> HeadPair {
    head.changed { angles in
      let values = places.indices.map { index in
        HeadPair.axes[places[index]].value(angles) * (areTurned[index] ? -1 : 1)
          * (areRadians ? 180 / .pi : 1)
      }
      return (pitch: values[1], yaw: values[0], roll: values[2])
    }
  }
}
