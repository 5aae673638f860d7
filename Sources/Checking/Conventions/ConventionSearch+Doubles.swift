internal import FaceCore

extension ConventionSearch {
  /// A factor this near to 1 is a bias of boxes.
  private static let biased = 0.9...1.1

  /// Two mistakes at once, tried where hardly a face agrees: mirrored and turned images of another size, crops that were scaled,
  /// and labels of images of another size. Labels of turned images are one mistake, which the labels alone tell: predictions
  /// turn within the image, whose sides are others.
  func doubles() -> [Hypothesis] {
    guard agreement.scenes.contains(where: { !$0.size.isNothing }), !areFractions(\.faces),
      !areFractions(\.labels)
    else { return [] }
    var known: [Hypothesis] = []
    func add(_ repairs: [FaceRepair], ofLabels: Bool = false) {
      known.append(Hypothesis(repairs: repairs, isOfLabels: ofLabels, isDouble: true))
    }
    if let crop = ScaleVotes.crop(of: agreement), !Self.biased.contains(crop.factor) {
      let factor = Self.usualFactor(crop.factor)
      add([.scale(x: factor, y: factor), Self.move(crop.step)])
    }
    for base in basesOfBoxes {
      for flip in Self.flips {
        for scale in scales(agreement, base, hasSizes: true, flip: flip) {
          add(scale + base + flip)
        }
        for repair in sideScales(agreement, base) { add(base + [repair] + flip) }
      }
      for flip in [[]] + Self.turns {
        for scale in scales(agreement, [.exchangedAxes] + base, hasSizes: true, flip: flip) {
          add([scale[0], .exchangedAxes] + scale.dropFirst() + base + flip)
        }
      }
    }
    let exchanged = agreement.exchanged
    for scale in scales(exchanged, [], hasSizes: true) where scale.count == 2 {
      add(scale, ofLabels: true)
    }
    for repair in sideScales(exchanged, []) { add([repair], ofLabels: true) }
    return known
      + Self.turns.map { Hypothesis(repairs: [.exchangedAxes] + $0, isOfLabels: true) }
  }
}
