internal import FaceCore

extension ConventionSearch {
  /// Sides of images that networks look at, and parts that fractions are written in.
  private static let usualSides: [Double] = [
    100, 112, 128, 192, 224, 256, 300, 320, 384, 416, 448, 480, 512, 600, 640, 720, 768, 800, 960,
    1000, 1024, 1080, 1280, 1333, 1920, 2160, 3840,
  ]
  /// How near middles are then, in sizes of the face; a corner that is taken for the centre is off by .7.
  private static let concentric = 0.3
  /// How many parts a side is counted in by percent, and by the answers of language models.
  private static let parts: [Double] = [100, 1000]
  /// Fractions of a square in place of the image's sides: one that holds the image, or its middle.
  static let squares: [FaceRepair] = [.letterbox(1), .centerCrop(1), .longerSide(1)]
  /// Factors that images are usually made smaller or larger by.
  private static let usualFactors: [Double] = [1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 16]
  /// The most usual of them, which are tried though the measured factor is a little off.
  private static let wholeFactors: Set<Double> = [2, 3, 4, 0.5, 0.333333, 0.25]
  /// How near to a usual value a measured one must be to be taken for it.
  private static let near = 0.015

  /// Coordinates that are counted from other edges, and those that with exchanged axes make a turned image.
  static let flips: [[FaceRepair]] = [[.fromBelow], [.fromRight], [.fromRight, .fromBelow]]
  static let turns: [[FaceRepair]] = [[.fromRight], [.fromBelow]]

  /// The conventions to try, simple ones first.
  func hypotheses() -> [Hypothesis] {
    var known: [Hypothesis] = []
    let hasSizes = agreement.scenes.contains(where: \.hasSize)
    let bases = basesOfBoxes
    func add(_ repairs: [FaceRepair], ofLabels: Bool = false) {
      if !repairs.isEmpty {
        known.append(
          Hypothesis(
            repairs: repairs, isOfLabels: ofLabels, isOfUsualSize: isOfUsualSize(repairs)))
      }
    }
    let areSmall = areFractions(\.faces)
    let areConcentric = self.areConcentric
    for base in bases {
      if areSmall {
        if hasSizes {
          add([.fractions] + base)
          add([.exchangedAxes, .fractions] + base)
          for square in Self.squares where hasOblongImages { add(base + [square]) }
          for flip in Self.flips { add([.fractions] + base + flip) }
          for flip in Self.turns { add([.exchangedAxes, .fractions] + base + flip) }
        } else if let (x, y) = ScaleVotes(agreement, base: base).factors(ofFractions: false) {
          add([.scale(x: Self.usual(x), y: Self.usual(y))] + base)
        }
        continue
      }
      if areConcentric, !base.isEmpty { continue }
      add(base)
      add([.exchangedAxes] + base)
      if hasSizes {
        for flip in Self.flips { add(base + flip) }
        for flip in Self.turns { add([.exchangedAxes] + base + flip) }
        if base.isEmpty, let scale = scaleOfTurned {
          for flip in Self.turns { add([scale, .exchangedAxes] + flip) }
        }
      }
      if areConcentric { continue }
      for scale in scales(agreement, base, hasSizes: hasSizes) { add(scale + base) }
      guard hasSizes else { continue }
      for repair in sideScales(agreement, base) { add(base + [repair]) }
      // Answers of language models: y before x, in parts of the sides.
      for part in Self.parts {
        add([.scale(x: 1 / part, y: 1 / part), .exchangedAxes, .fractions] + base)
      }
    }
    if bases.count > 1 {
      for order in FaceRepair.edgeOrders where areSmall || !areConcentric {
        if !areSmall { add([.edges(order)]) } else if hasSizes { add([.edges(order), .fractions]) }
      }
    }
    if !areSmall, let step = ScaleVotes(agreement, base: []).steps() { add([Self.move(step)]) }
    if hasCentres, !areConcentric {
      // In place of labels whose corner is the centre, which `sided` makes of it where these lie outside.
      add([.corner])
      add([.corner, .corners])
    }
    for base in [[], [.corners], [.center], [.corner, .corners]] as [[FaceRepair]]
    where !hasCentres || base != [.center] {
      if areFractions(\.labels) {
        if hasSizes { add([.fractions] + base, ofLabels: true) }
      } else if !areConcentric || base.count == 2 {
        add(base, ofLabels: true)
      }
    }
    return known
  }

  /// Conventions of boxes, those that are right as they are first; these alone where predictions have no boxes of their own.
  var basesOfBoxes: [[FaceRepair]] {
    agreement.scenes.contains { $0.faces.contains(where: \.ownsBox) }
      ? [[], [.corners], [.center]] : [[]]
  }

  /// The size that all images have; nil where they differ.
  private var onlySize: (width: Double, height: Double)? {
    let sizes = Set(agreement.scenes.map(\.size))
    guard sizes.count == 1, let size = sizes.first else { return nil }
    return (Double(size.width), Double(size.height))
  }

  /// Factors in six digits, as the text form has them.
  private static func scale(_ x: Double, _ y: Double) -> FaceRepair {
    .scale(x: rounded(x), y: rounded(y))
  }

  /// What brings fractions of the turned image to its pixels, where they were multiplied by the sides of the upright one.
  private var scaleOfTurned: FaceRepair? {
    guard let (width, height) = onlySize, width != height else { return nil }
    return Self.scale(height / width, width / height)
  }

  /// A step in halves of pixels.
  static func move(_ step: Point) -> FaceRepair {
    .move(x: (2 * step.x).rounded() / 2, y: (2 * step.y).rounded() / 2)
  }

  /// Whether nearly all coordinates of a side are those of fractions: none is much above 1.
  func areFractions(_ side: KeyPath<Agreement.Scene, [Placement]>) -> Bool {
    let boxes = agreement.scenes.flatMap { $0[keyPath: side].map(\.box) }
    return boxes.count { max($0.x, $0.y, $0.width, $0.height) <= 1.5 } * 10 > boxes.count * 9
  }

  /// Whether most labelled faces have a prediction with nearly the same middle, which no convention of sizes gives.
  private var areConcentric: Bool {
    let apart = agreement.scenes.flatMap { scene in
      scene.labels.compactMap { label in
        scene.faces.map { face in
          label.box.center.distance(to: face.box.center)
            / max(label.box.area, .leastNonzeroMagnitude).squareRoot()
        }.min()
      }
    }
    return apart.median.map { $0 < Self.concentric } ?? false
  }

  /// Whether images are no squares, so that their sides can be told apart.
  private var hasOblongImages: Bool {
    agreement.scenes.contains { $0.size.width != $0.size.height }
  }

  /// Images that were scaled by one of their sides, or filled or cut to a square, to sides that the faces just fit in.
  func sideScales(_ agreement: Agreement, _ base: [FaceRepair]) -> [FaceRepair] {
    guard hasOblongImages else { return [] }
    let reaches = agreement.scenes.flatMap { scene in
      scene.faces.map { face in
        let box = face.repaired(by: base, in: scene.size).box
        return max(box.maxX, box.maxY)
      }
    }
    .sorted()
    guard !reaches.isEmpty else { return [] }
    let reach = reaches[reaches.count * 19 / 20]
    func sides(_ range: ClosedRange<Double>) -> [Double] {
      Self.usualSides.filter { range.contains($0 / reach) }
    }
    return sides(0.98...2).flatMap { [.letterbox($0), .longerSide($0), .centerCrop($0)] }
      + sides(0.4...1.5).map { .shorterSide($0) }
  }

  /// Scales that many faces ask for, the usual ones near them first; with labels counted from the other edges too.
  func scales(
    _ agreement: Agreement, _ base: [FaceRepair], hasSizes: Bool, flip: [FaceRepair] = []
  ) -> [[FaceRepair]] {
    let votes = ScaleVotes(agreement, base: base, labels: flip)
    let size = onlySize
    var scales: [[FaceRepair]] = []
    if hasSizes, let (x, y) = votes.factors(ofFractions: true) {
      let sides = Self.usualSides.filter { Self.areNear($0 * x, 1) || Self.areNear($0 * y, 1) }
      scales += sides.filter { size == nil || Self.parts.contains($0) }.map {
        [Self.scale(1 / $0, 1 / $0), .fractions]
      }
      if let size {
        scales += sides.filter { !Self.parts.contains($0) }.map {
          [Self.scale(size.width / $0, size.height / $0)]
        }
      } else {
        scales.append([Self.scale(1 / Self.usual(1 / x), 1 / Self.usual(1 / y)), .fractions])
      }
    }
    guard let (x, y) = votes.factors(ofFractions: false) else { return scales }
    let factors = Self.usualFactors + Self.usualFactors.map { Self.rounded(1 / $0) }
    let common = Self.rounded((x * y).squareRoot())
    scales += factors.filter {
      Self.wholeFactors.contains($0)
        ? Self.areNear($0, x) || Self.areNear($0, y) : abs($0 / common - 1) < Self.near
    }
    .map { [.scale(x: $0, y: $0)] }
    if Self.areNear(x, 1), Self.areNear(y, 1) { return scales }
    scales.append([.scale(x: common, y: common)])
    if let (width, height) = size, hasSizes {
      scales.append([Self.scale(width / Self.usual(width / x), height / Self.usual(height / y))])
    } else {
      scales.append([Self.scale(x, y)])
    }
    return scales
  }

  /// The factor that images are usually made smaller or larger by next to a measured one; that in six digits where none is near.
  static func usualFactor(_ factor: Double) -> Double {
    let factors = usualFactors + usualFactors.map { rounded(1 / $0) }
    return factors.first { abs($0 / factor - 1) < near } ?? rounded(factor)
  }

  /// Whether a factor is one that images are made smaller or larger by, or turns parts of sides into fractions.
  static func isUsual(_ factor: Double) -> Bool {
    (usualFactors + usualSides).contains { rounded(1 / $0) == factor || $0 == factor }
  }

  private func isOfUsualSize(_ repairs: [FaceRepair]) -> Bool {
    guard case .scale(let x, let y)? = repairs.first, x != y, let size = onlySize else {
      return false
    }
    return [size.width / x, size.height / y].allSatisfy { side in
      Self.usualSides.contains { abs($0 - side) < 0.01 }
    }
  }

  /// Whether a measured factor may be the usual one: boxes of unlike extents have their centres apart.
  private static func areNear(_ one: Double, _ other: Double) -> Bool {
    max(one, other) <= 1.12 * min(one, other)
  }

  /// The usual side of an image that is next to a measured one; that as a whole number where none is near.
  private static func usual(_ side: Double) -> Double {
    usualSides.min { abs($0 / side - 1) < abs($1 / side - 1) }
      .flatMap { abs($0 / side - 1) < near ? $0 : nil } ?? side.rounded()
  }
}
