internal import FaceCore

extension ConventionSearch {
  /// Sides of images that networks look at, and parts that fractions are written in.
  private static let usualSides: [Double] = [
    100, 112, 128, 192, 224, 256, 300, 320, 384, 416, 448, 480, 512, 600, 640, 720, 768, 800, 960,
    1000, 1024, 1080, 1280, 1333, 1920, 2160, 3840,
  ]
  /// Factors that images are usually made smaller or larger by.
  private static let usualFactors: [Double] = [1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 16]
  /// How near to a usual value a measured one must be to be taken for it.
  private static let near = 0.015

  /// The conventions to try, simple ones first.
  func hypotheses() -> [Hypothesis] {
    var known: [Hypothesis] = []
    let hasSizes = agreement.scenes.contains { $0.size.width > 0 && $0.size.height > 0 }
    let bases: [[FaceRepair]] =
      agreement.scenes.contains { $0.faces.contains(where: \.ownsBox) }
      ? [[], [.corners], [.center]] : [[]]
    func add(_ repairs: [FaceRepair], ofLabels: Bool = false, measured: Bool = false) {
      if !repairs.isEmpty {
        known.append(Hypothesis(repairs: repairs, isOfLabels: ofLabels, isMeasured: measured))
      }
    }
    let areSmall = areFractions(\.faces)
    for base in bases {
      if areSmall {
        if hasSizes {
          add([.fractions] + base)
          add([.exchangedAxes, .fractions] + base)
          add([.fractions] + base + [.fromBelow])
        } else if let (x, y) = ScaleVotes(agreement, base: base).factors(ofFractions: false) {
          add([.scale(x: Self.usual(x), y: Self.usual(y))] + base, measured: true)
        }
        continue
      }
      add(base)
      add([.exchangedAxes] + base)
      if hasSizes {
        for last in [[.fromBelow], [.fromRight], [.fromRight, .fromBelow]] as [[FaceRepair]] {
          add(base + last)
        }
        for last in [FaceRepair.fromRight, .fromBelow] { add([.exchangedAxes] + base + [last]) }
      }
      for scale in scales(base, hasSizes: hasSizes) { add(scale + base, measured: true) }
    }
    if !areSmall, let (x, y) = ScaleVotes(agreement, base: []).steps() {
      add([.move(x: (2 * x).rounded() / 2, y: (2 * y).rounded() / 2)], measured: true)
    }
    for base in [[], [.corners], [.center]] as [[FaceRepair]] {
      if areFractions(\.labels) {
        if hasSizes { add([.fractions] + base, ofLabels: true) }
      } else {
        add(base, ofLabels: true)
      }
    }
    return known
  }

  /// Whether nearly all coordinates of a side are those of fractions: none is much above 1.
  func areFractions(_ side: KeyPath<Agreement.Scene, [Placement]>) -> Bool {
    let boxes = agreement.scenes.flatMap { $0[keyPath: side].map(\.box) }
    return boxes.count { max($0.x, $0.y, $0.width, $0.height) <= 1.5 } * 10 > boxes.count * 9
  }

  private func scales(_ base: [FaceRepair], hasSizes: Bool) -> [[FaceRepair]] {
    let votes = ScaleVotes(agreement, base: base)
    let sizes = Set(agreement.scenes.map(\.size))
    var scales: [[FaceRepair]] = []
    var isUsual = false
    if hasSizes, let (x, y) = votes.factors(ofFractions: true) {
      let (width, height) = (Self.usual(1 / x), Self.usual(1 / y))
      isUsual = width == height && [100, 1000].contains(width)
      if sizes.count > 1 || isUsual {
        let scale = FaceRepair.scale(x: Self.rounded(1 / width), y: Self.rounded(1 / height))
        scales.append([scale, .fractions])
      }
    }
    if !isUsual, let (x, y) = votes.factors(ofFractions: false) {
      scales.append([Self.scale(x, y, in: sizes.count == 1 ? sizes.first : nil)])
    }
    return scales
  }

  /// A measured scale; the usual one that is near.
  private static func scale(_ x: Double, _ y: Double, in size: ImageSize?) -> FaceRepair {
    func factor(_ value: Double) -> Double {
      let near = usualFactors.first { abs(value / $0 - 1) < Self.near }
      return near ?? usualFactors.first { abs(value * $0 - 1) < Self.near }.map { 1 / $0 } ?? value
    }
    let common = (x * y).squareRoot()
    if abs(x / y - 1) < 2 * near {
      let factor = rounded(factor(common))
      return .scale(x: factor, y: factor)
    }
    guard let size, size.width > 0, size.height > 0 else {
      return .scale(x: rounded(factor(x)), y: rounded(factor(y)))
    }
    let (width, height) = (Double(size.width), Double(size.height))
    return .scale(x: rounded(width / usual(width / x)), y: rounded(height / usual(height / y)))
  }

  private static func usual(_ side: Double) -> Double {
    usualSides.min { abs($0 / side - 1) < abs($1 / side - 1) }
      .flatMap { abs($0 / side - 1) < near ? $0 : nil } ?? side.rounded()
  }
}
