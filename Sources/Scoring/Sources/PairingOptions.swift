internal import Metrics
package import Running

extension FacePairing {
  private static let ruleOption = "pairing"
  private static let distanceOption = "pairing-distance"

  /// The pairing by option name, as the record keeps it.
  package var options: [String: String] {
    [Self.ruleOption: rule.rawValue].merging(
      rule == .nearest ? [Self.distanceOption: "\(distance)"] : [:]
    ) { $1 }
  }

  /// The pairing of a stored run; a record without one was made by overlap.
  ///
  /// Throws `.wrongData` for a rule or a distance that is not known.
  package init(options: [String: String], of run: String) throws(EvaluationError) {
    self = .overlap
    guard let word = options[Self.ruleOption] else { return }
    func wrong(_ name: String, _ expected: String, _ found: String?) -> EvaluationError {
      EvaluationError.wrongData(
        "cannot read option '\(name)' in the record of \(run): expected \(expected), found "
          + (found ?? "none"))
    }
    guard let rule = Rule(rawValue: word) else {
      throw wrong(Self.ruleOption, Rule.allCases.map(\.rawValue).joined(separator: " or "), word)
    }
    self.rule = rule
    guard rule == .nearest else { return }
    guard let distance = options[Self.distanceOption].flatMap(Double.init), distance >= 0,
      distance.isFinite
    else { throw wrong(Self.distanceOption, "a number from 0 on", options[Self.distanceOption]) }
    self.distance = distance
  }

  /// What a reader must know of the pairs; nil where nothing was left out.
  ///
  /// `pairable` is how many missed faces the rule `nearest` would pair.
  func note(_ counts: [FaceMatching.Basis: Int], pairable: Int) -> String? {
    guard rule == .nearest else {
      return pairable == 0
        ? nil
        : "\(pairable) labelled faces count as missed although a prediction is there: their boxes "
          + "overlap by less than .50. Where the tracker was given each face's box, as in landmark "
          + "benchmarks, '--pairing nearest' pairs them."
    }
    let total = counts.values.reduce(0, +)
    func count(_ basis: FaceMatching.Basis) -> Int { counts[basis] ?? 0 }
    return
      "Landmarks, blendshapes, expressions and poses compare \(total) pairs (pairing nearest): "
      + "\(count(.overlap)) by an IoU of .50 or more of the points' boxes, \(count(.only)) as the "
      + "only labelled face and the only prediction of a frame, \(count(.box)) by an IoU of .50 or "
      + "more with the labelled box, \(count(.points)) by points within \(distance) of the box. "
      + "Detection, failure to acquire and tracking count the first alone."
  }
}
