internal import Datasets
internal import FaceCore
internal import Foundation

/// Tries conventions in which predictions, or labels, may have been written.
struct ConventionSearch {
  /// A convention of one side that makes both agree.
  struct Hypothesis: Sendable {
    /// What makes the side's faces ours, in this order.
    let repairs: [FaceRepair]
    /// Whether it is the labels that it repairs.
    let isOfLabels: Bool
    /// Whether its unlike factors of x and y are those of a usual size that all images were brought to.
    var isOfUsualSize = false
    /// Whether it is two mistakes at once, which more frames must show.
    var isDouble = false
    var fit = Agreement.Fit()

    /// Whether it takes predictions as fractions of the turned image, whose sides tell the numbers.
    private var isOfTurnedSides: Bool {
      guard !isDouble, case .scale? = repairs.first, repairs.count == 3 else { return false }
      return repairs[1] == .exchangedAxes && [.fromBelow, .fromRight].contains(repairs[2])
    }

    /// Whether its numbers come from the data and are not usual ones.
    fileprivate var isMeasured: Bool {
      guard !hasTwoFreeNumbers, !isOfTurnedSides, case .scale(let x, _)? = repairs.first else {
        return hasTwoFreeNumbers
      }
      return !isOfUsualSize && !ConventionSearch.isUsual(x)
    }

    /// Whether it is that of a part of the image which was scaled.
    fileprivate var isOfCrop: Bool {
      if repairs.count == 2, case .move = repairs[1] { true } else { false }
    }

    /// Whether it is another mistake together with one of the many sizes that images may have had.
    fileprivate var isOneOfManySizes: Bool {
      let unit = ImageSize(width: 1, height: 1)
      let ofOneSize = repairs.dropFirst().first == .fractions ? 2 : 1
      return repairs.count > ofOneSize
        && repairs.contains {
          if case .scale = $0 { true } else { $0.scaling(of: unit) != nil }
        }
    }

    /// Whether it exchanges left and right of the image.
    fileprivate var isMirrored: Bool { repairs.contains(.fromRight) }

    /// How much it supposes: repairs, numbers that are not usual, and unlike ones of x and y.
    fileprivate var complexity: Int {
      guard !isOfTurnedSides else { return 2 }
      var supposed = repairs.count
      if case .scale(let x, let y)? = repairs.first {
        supposed += isOfUsualSize ? 2 : x != y ? 3 : ConventionSearch.isUsual(x) ? 0 : 2
        if repairs.count > 1, repairs[1] == .fractions { supposed -= 1 }
      }
      if repairs.contains(where: ConventionSearch.squares.contains) { supposed += 1 }
      return hasTwoFreeNumbers ? supposed + 1 : supposed
    }

    /// Whether x and y have a measured number each, which any two still things that are apart can have.
    fileprivate var hasTwoFreeNumbers: Bool {
      guard !isOfTurnedSides else { return false }
      return switch repairs.first {
      case .scale(let x, let y): isOfCrop || x != y && !isOfUsualSize
      case .move: true
      default: false
      }
    }

    /// What a convention with measured numbers must reach.
    fileprivate var leastFit: Double {
      hasTwoFreeNumbers ? Limit.measuredTwice : Limit.measured
    }
  }

  /// What a convention must show before it is reported.
  enum Limit {
    /// The mean agreement with it: honest trackers have more, and chance gives a crowd less.
    static let agreement = 0.3
    /// How much the mean agreement must grow: unlike extents of boxes do not give that much.
    static let gain = 0.2
    /// The agreement must be so many times as large, or what lacks to 1 so many times as small.
    static let factor = (more: 3.0, less: 2.0)
    /// How many faces more must agree better than worse.
    static let faces = 5
    /// So many times as many faces must agree better as worse.
    static let otherFaces = 4
    /// Of fewer faces, down to this number, every one must agree better.
    static let allFaces = 3
    /// At fewer places than this, all may be one still face and one still mistake of the tracker.
    static let places = 3
    /// What a convention must then reach, and what agreement before at most: an exact fit.
    static let still = (after: 0.8, before: 0.3)
    /// By how much each further thing that a convention supposes must add to the agreement: noise fits a free number better
    /// than the true one.
    static let part = 0.05
    /// In fewer stills, videos, or frames of as many faces, one mistake of the tracker may be all: it follows another person.
    static let sources = 3
    /// What a convention must then reach, and what agreement before at most; two people who walk face to face are mirrored,
    /// and a free number fits any two.
    static let oneVideo = (before: 0.3, after: 0.45, exact: 0.65, frames: 12, share: 0.5)
    /// What a convention with measured numbers must reach: they fit biased boxes a little better too.
    static let measured = 0.5
    /// The same with a measured number each for x and y.
    static let measuredTwice = 0.65
    /// How far eyes and mouth are by their names, in sizes of the face, where both eyes are exchanged, and where they are not.
    static let mirrored = (before: 0.2, after: 0.1)
    /// Steps of a constant offset may scatter by this part of it, over faces whose quartiles of size are so many times apart:
    /// a tracker's bias grows with the face. Of one this far, in sizes of the face, sizes do not matter.
    static let offset = (scatter: 0.15, sizes: 1.25, far: 0.6)
    /// How far to the right or down the ninth decile of right predictions reaches, in sides of the image: .7 to 1.2.
    static let filled = 0.6
    /// Below this agreement no face is found.
    static let nothing = 0.01
    /// Beyond this agreement no convention can be much better.
    static let good = 0.8
  }

  let agreement: Agreement
  /// The agreement of both sides as they are.
  let before: Agreement.Fit
  /// Whether predictions are of our own pipeline, which has one convention.
  let isOwn: Bool
  /// Whether predictions are of a format whose boxes have centres.
  let hasCentres: Bool

  /// Measures a sample as it is.
  init(_ sample: JoinedSample) {
    agreement = Agreement(sample)
    before = agreement.fit()
    isOwn = sample.format == nil
    hasCentres = sample.format == YOLOText().name
  }

  /// The convention that explains both sides best, of single mistakes or of pairs of them too; nil where none makes them agree
  /// much better.
  func best(ofPairs: Bool = true) -> Hypothesis? {
    guard before.count >= Limit.allFaces else { return nil }
    guard before.mean < Limit.good else { return mirroredPoints() }
    var (best, unsteady): (Hypothesis?, Double) = (nil, 0)
    let areFar = ofPairs && before.mean < Limit.oneVideo.before
    for var next in hypotheses() + (areFar ? doubles() : []) {
      next.fit = agreement.fit(next.repairs, ofLabels: next.isOfLabels)
      guard isMuchBetter(next) else { continue }
      if case .move(let x, let y)? = next.repairs.first, !isSteady(Point(x: x, y: y)) {
        unsteady = next.fit.mean
        continue
      }
      guard let known = best else {
        best = next
        continue
      }
      let more = max(0, next.complexity - known.complexity)
      let less = max(0, known.complexity - next.complexity)
      if next.fit.mean + Limit.part * Double(less) > known.fit.mean + Limit.part * Double(more) {
        best = next
      }
    }
    if let known = best, unsteady > known.fit.mean + 2 * Limit.part { return nil }
    return best.map { sided(withSides($0)) } ?? mirroredPoints()
  }

  /// Faces in the middle of the image whose points are mirrored: eyes are at the labelled ones of the other name, and at those of
  /// their own name once x is counted from the right edge.
  private func mirroredPoints() -> Hypothesis? {
    guard before.distances.count >= Limit.faces, let named = before.namedDistance,
      let exchanged = before.exchangedDistance, named >= Limit.mirrored.before
    else { return nil }
    var found = Hypothesis(repairs: [.fromRight], isOfLabels: false)
    found.fit = agreement.fit(found.repairs)
    guard let after = found.fit.namedDistance, after <= Limit.mirrored.after,
      after * Limit.factor.less <= exchanged,
      10 * before.distances.count(where: { $0.named <= Limit.mirrored.after })
        <= before.distances.count
    else { return nil }
    return sided(found)
  }

  // MARK: - Judging

  private func isMuchBetter(_ next: Hypothesis) -> Bool {
    let (old, new) = (before.mean, next.fit.mean)
    guard new >= Limit.agreement, new - old >= Limit.gain,
      new >= Limit.factor.more * old || 1 - new <= (1 - old) / Limit.factor.less
    else { return false }
    guard !next.isMeasured || new >= next.leastFit, !next.isDouble || new >= Limit.measured else {
      return false
    }
    // Three free choices fit boxes that are only too wide.
    guard !next.hasTwoFreeNumbers || next.repairs.count == 1 || next.isOfCrop,
      !next.isOfUsualSize || next.repairs.count == 1 || new >= Limit.good
    else { return false }
    let changes = zip(next.fit.qualities, before.qualities).map { $0 - $1 }
    let better = changes.count { $0 >= Limit.gain }
    let worse = changes.count { $0 <= -Limit.gain }
    // What turns others wrong is a mistake of a part of the faces.
    guard Limit.otherFaces * worse <= better,
      !next.isOneOfManySizes || next.fit.share >= Limit.oneVideo.share
    else { return false }
    guard
      better - worse >= Limit.faces
        || better == before.count && better >= Limit.allFaces && new >= 2 * Limit.agreement
    else { return false }
    let seen = scenes(of: changes, with: next)
    // Boxes below a pixel are nobody's tracker's mistake, also where all faces are at one place, as in aligned crops.
    if next.repairs == [.fractions], seen.sources >= Limit.sources, old < Limit.nothing,
      new >= Limit.measured
    {
      return true
    }
    let isExact = new >= Limit.still.after && old <= Limit.still.before
    if seen.sources >= Limit.sources, seen.places >= Limit.places { return true }
    guard !next.hasTwoFreeNumbers, !next.isDouble else { return false }
    if seen.places < Limit.places {
      return isExact && !(next.isMirrored && before.distances.isEmpty)
        && (!next.isOfLabels || next.repairs.contains(.fractions))
    }
    // A few frames of one video are one mistake of the tracker.
    return old <= Limit.oneVideo.before && agreement.scenes.count >= Limit.oneVideo.frames
      && next.fit.share >= Limit.oneVideo.share
      && new
        >= (next.isMirrored || next.isMeasured || next.isOfLabels
          ? Limit.oneVideo.exact : Limit.oneVideo.after)
  }

  /// At how many places labelled faces are that agree better, or predictions where these are at fewer, and in how many stills,
  /// videos, or frames of as many faces; all up to what is asked for.
  ///
  /// A box that stands agrees with any label that passes by.
  private func scenes(
    of changes: [Double], with next: Hypothesis
  ) -> (places: Int, sources: Int) {
    var (places, given, sources): ([BoundingBox], [BoundingBox], Set<Int>) = ([], [], [])
    var first = 0
    for scene in agreement.scenes {
      let gained = zip(scene.labels, changes[first...]).filter { $0.1 >= Limit.gain }
      first += scene.labels.count
      if gained.isEmpty { continue }
      sources.insert(source(of: scene))
      for (label, _) in gained where places.count < Limit.places {
        if !places.contains(where: { $0.iou(with: label.box) >= 0.7 }) { places.append(label.box) }
      }
      for face in scene.faces where given.count < Limit.places {
        let box = face.repaired(by: next.isOfLabels ? [] : next.repairs, in: scene.size).box
        if !given.contains(where: { $0.iou(with: box) >= 0.9 }) { given.append(box) }
      }
    }
    return (min(places.count, given.count), sources.count)
  }

  /// A number for what a scene's mistake is independent of: itself, or its video where a tracker follows one face.
  private func source(of scene: Agreement.Scene) -> Int {
    scene.count >= Limit.sources ? scene.frame : scene.video.map { -1 - $0 } ?? scene.frame
  }

  /// Whether predictions are away from the nearest label by a constant step, in several images or videos.
  private func isSteady(_ step: Point) -> Bool {
    var (apart, sources): ([Double], Set<Int>) = ([], [])
    for scene in agreement.scenes {
      for label in scene.labels.map(\.box.center) {
        let moved = Point(x: label.x - step.x, y: label.y - step.y)
        guard let least = scene.faces.map({ moved.distance(to: $0.box.center) }).min() else {
          continue
        }
        apart.append(least)
        sources.insert(source(of: scene))
      }
    }
    guard sources.count >= Limit.sources else { return false }
    let sizes = agreement.scenes.flatMap { $0.labels.map { $0.box.area.squareRoot() } }.sorted()
    let (low, high) = (sizes[sizes.count / 4], sizes[sizes.count * 3 / 4])
    let shift = step.distance(to: Point(x: 0, y: 0))
    guard high >= Limit.offset.sizes * low || shift >= Limit.offset.far * high else { return false }
    return (apart.median ?? .infinity) <= Limit.offset.scatter * shift
  }

  /// Whether faces are found as often with a repair of one side.
  func allows(_ repair: FaceRepair) -> Bool {
    agreement.fit([repair]).share >= before.share - Limit.part
  }

  /// Whether eyes and mouth are near the labelled ones with a convention: points in another order are not, though they then
  /// overlap the face.
  func bringsPointsNear(_ found: Hypothesis) -> Bool {
    let fit = found.fit
    let distance = found.repairs.contains(.sides) ? fit.exchangedDistance : fit.namedDistance
    guard let old = before.namedDistance, let after = distance else { return true }
    return after <= Limit.mirrored.before || after * Limit.factor.less <= old
  }

  /// Positions in the sample of the frames whose faces agree better, those of the largest gain first.
  func frames(of found: Hypothesis) -> [Int] {
    var first = 0
    let gains = agreement.scenes.map { scene -> (frame: Int, gain: Double) in
      let range = first..<first + scene.labels.count
      first = range.upperBound
      return (scene.frame, range.reduce(0) { $0 + found.fit.qualities[$1] - before.qualities[$1] })
    }
    return gains.sorted { ($1.gain, $0.frame) < ($0.gain, $1.frame) }.map(\.frame)
  }

  /// The same convention, with left and right of points exchanged where only that brings eyes to the labelled ones of their name:
  /// the image itself was mirrored.
  private func withSides(_ found: Hypothesis) -> Hypothesis {
    guard let named = found.fit.namedDistance, let exchanged = found.fit.exchangedDistance,
      exchanged < named / 2
    else { return found }
    return Hypothesis(
      repairs: found.repairs + [.sides], isOfLabels: found.isOfLabels, fit: found.fit)
  }

  // MARK: - Which side

  /// The same convention, of the labels where it is they that do not fit into the images.
  private func sided(_ found: Hypothesis) -> Hypothesis {
    guard !found.isOfLabels, let inverse = Self.inverse(of: found.repairs) else { return found }
    let predictions = outside { $0.faces }
    let labels = outside { $0.labels }
    // Where predictions fill a part of the images alone, labels reach beyond these because the images end in faces.
    let areLabels = labels > predictions + 0.1 && reach { $0.faces } >= Limit.filled
    guard isOwn || areLabels || isOfLabels(found) else { return found }
    return Hypothesis(repairs: inverse, isOfLabels: true, fit: found.fit)
  }

  /// Whether labels fill only a part of the images that the predictions fill, and so are too small.
  private func isOfLabels(_ found: Hypothesis) -> Bool {
    guard found.repairs.count == 1, case .scale(let x, let y)? = found.repairs.first, x < 0.9,
      y < 0.9
    else { return false }
    return outside { $0.faces } < 0.02 && reach { $0.faces } > 0.7
  }

  /// The share of boxes that lie beyond the image by more than a tenth of their size.
  private func outside(_ side: (Agreement.Scene) -> [Placement]) -> Double {
    var (count, outside) = (0, 0)
    for scene in agreement.scenes where scene.hasSize {
      for face in side(scene) {
        let (x, y) = (0.1 * abs(face.box.width), 0.1 * abs(face.box.height))
        count += 1
        if face.box.maxX > Double(scene.size.width) + x
          || face.box.maxY > Double(scene.size.height) + y
          || face.box.x < -x || face.box.y < -y
        {
          outside += 1
        }
      }
    }
    return count == 0 ? 0 : Double(outside) / Double(count)
  }

  /// The ninth decile of how far to the right or down boxes reach, as a share of the image's side.
  private func reach(_ side: (Agreement.Scene) -> [Placement]) -> Double {
    let reaches = agreement.scenes.filter(\.hasSize).flatMap { scene in
      side(scene).map {
        max($0.box.maxX / Double(scene.size.width), $0.box.maxY / Double(scene.size.height))
      }
    }
    .sorted()
    return reaches.isEmpty ? 0 : reaches[reaches.count * 9 / 10]
  }

  /// What makes of labels what `repairs` makes of predictions; nil where no repair does.
  private static func inverse(of repairs: [FaceRepair]) -> [FaceRepair]? {
    var inverse: [FaceRepair] = []
    for repair in repairs.reversed() {
      switch repair {
      case .scale(let x, let y): inverse.append(.scale(x: rounded(1 / x), y: rounded(1 / y)))
      case .move(let x, let y): inverse.append(.move(x: -x, y: -y))
      case .exchangedAxes, .fromBelow, .fromRight, .sides: inverse.append(repair)
      case .center: inverse.append(.corner)
      case .corner: inverse.append(.center)
      default: return nil
      }
    }
    return inverse
  }

  /// A factor in six digits, as the text form has it.
  static func rounded(_ value: Double) -> Double { Double(String(format: "%.6g", value)) ?? value }
}
