internal import FaceCore
internal import Foundation
internal import Platform
package import Records

/// Coordinates and boxes of one side that are written by another convention; of several that fit, the best.
package enum CoordinatesCheck: FindingCheck {
  package static let names = [
    "coordinates.fractions", "coordinates.scale", "coordinates.exchanged-axes",
    "coordinates.from-below", "coordinates.from-right", "coordinates.offset", "coordinates.points",
    "images.rotated",
    "boxes.corners", "boxes.centre",
  ]

  /// Those that lead motion to another side.
  static let turned = [
    "coordinates.exchanged-axes", "coordinates.from-below", "coordinates.from-right",
    "images.rotated",
  ]

  /// Those that make motion larger or smaller.
  static let scaled = ["coordinates.fractions", "coordinates.scale"]

  package static func findings(in sample: JoinedSample) -> [Finding] {
    // Places for missing points are no coordinates: boxes around them say nothing of conventions.
    guard PointsCheck.missing(in: sample)?.of != .predictions else { return [] }
    if let turned = ExifAgreement.finding(in: sample) { return [turned] }
    let search = ConventionSearch(sample)
    let boxes = DetectionAgreement(sample)
    if let best = search.best() {
      let isOfPoints =
        !search.isOwn && !best.isOfLabels && best.repairs.allSatisfy(\.isOfPlace)
        && boxes.contradicts(best.repairs)
      if !isOfPoints || search.bringsPointsNear(best) {
        return [finding(best, search, sample, isOfPoints: isOfPoints)]
      }
    }
    let points = PointAgreement(sample)
    if let points, let part = points.part() {
      if let boxes = ofPart(sample) { return [boxes] }
      return part.repair == .sides ? [] : [PointsCheck.finding(part, of: points, in: sample)]
    }
    if let points, let place = points.place() {
      let isOfPoints = !search.isOwn && boxes.contradicts([place.repair])
      if isOfPoints || search.allows(place.repair) {
        return [finding(place, points, sample, isOfPoints: isOfPoints)]
      }
    }
    if let part = ofPart(sample) { return [part] }
    if let apart = pointsApart(boxes, sample) ?? labelledPointsApart(boxes, points, sample)
      ?? fractions(search, sample)
    {
      return [apart]
    }
    if boxes.share() < DetectionAgreement.leastShare, let found = LabelledBoxes(sample) {
      return [finding(found, sample)]
    }
    if let offset = ConstantOffset(sample) { return [finding(offset, sample)] }
    return FirstPixel(points).map { [finding($0, sample)] } ?? []
  }

  private static func finding(_ found: FirstPixel, _ sample: JoinedSample) -> Finding {
    func repair(_ move: Double) -> String { "--repair \(FaceRepair.move(x: move, y: move).text)" }
    func text(_ value: Double) -> String { abs(value).shortText(significantDigits: 2) }
    let (side, height) = found.move > 0 ? ("left of", "above") : ("right of", "below")
    return Finding(
      "coordinates.offset", .note,
      "Predicted points lie \(text(found.step.x)) px \(side) and \(text(found.step.y)) px \(height) the labelled ones "
        + "(medians), of small faces and of large ones, as where only one side counts pixels from 1.",
      statistic: PointsCheck.statistic, before: found.before, after: found.after, n: found.count,
      remedy: sample.format == nil
        ? "If so, import the labels again with --index-base, or with \(repair(-found.move))."
        : "If so, import that side again with --index-base, or the predictions with \(repair(found.move)).",
      frames: sample.named(found.frames))
  }

  private static func finding(_ found: LabelledBoxes, _ sample: JoinedSample) -> Finding {
    Finding(
      name(of: [found.repair]), .suspect,
      "Labelled boxes agree with the labelled points if "
        + clauses([found.repair]).joined(separator: " and ") + ".",
      statistic: "median IoU of labelled boxes with those of their points",
      before: found.before, after: found.after, n: found.count,
      remedy: Side.labels.remedy(found.repair), frames: sample.named(found.frames))
  }

  private static func finding(
    _ found: ConventionSearch.Hypothesis, _ search: ConventionSearch, _ sample: JoinedSample,
    isOfPoints: Bool
  ) -> Finding {
    let (before, after) = (search.before, found.fit)
    let byOverlap = after.share - before.share >= ConventionSearch.Limit.gain
    let distanceAfter =
      found.repairs.contains(.sides) ? after.exchangedDistance : after.namedDistance
    let isByDistance = !byOverlap && before.distance != nil && after.distance != nil
    let areFractions =
      !found.isOfLabels && search.areFractions(\.faces)
      && !found.repairs.contains(where: ([.fractions] + ConventionSearch.squares).contains)
    return Finding(
      areFractions ? "coordinates.fractions" : name(of: found.repairs), .suspect,
      areFractions
        ? "Predictions are fractions of the image's sides, and no size of the images is known."
        : summary(found.repairs, ofLabels: found.isOfLabels, ofPoints: isOfPoints),
      statistic: isOfPoints && !isByDistance
        ? "share of labelled faces whose points have a box with IoU .50"
        : isByDistance
          ? "median distance of eyes and mouth from the labels, in sizes of the face"
          : byOverlap ? "share of labelled faces found at IoU .50" : "mean IoU of labelled faces",
      before: isByDistance ? before.namedDistance : byOverlap ? before.share : before.mean,
      after: isByDistance ? distanceAfter : byOverlap ? after.share : after.mean, n: before.count,
      remedy: remedy(found.repairs, ofLabels: found.isOfLabels, ofPoints: isOfPoints)
        + (found.repairs.contains(.exchangedAxes)
          && search.agreement.scenes.allSatisfy(\.size.isNothing)
          ? " If the images were turned, import the labels with their images (--images) first: without "
            + "sizes only exchanged axes were tried." : ""),
      frames: sample.named(search.frames(of: found)))
  }

  /// Of the frames alone in which no labelled face is found, where the other frames have one.
  private static func ofPart(_ sample: JoinedSample) -> Finding? {
    let compared = sample.frames.filter { !$0.labels.isEmpty && !$0.predictedBoxes.isEmpty }
    let missed = compared.filter { !$0.hasFoundFace }
    guard missed.count > 0, Double(missed.count) >= partLimit.frames * Double(compared.count)
    else { return nil }
    let search = ConventionSearch(sample.part(missed))
    let rest = ConventionSearch(sample.part(compared.filter(\.hasFoundFace)))
    let isOfOneVideo = Set(missed.map(\.frame.sequence)).count < ConventionSearch.Limit.sources
    guard search.before.count >= partLimit.faces, rest.before.count >= partLimit.faces,
      let best = search.best(ofPairs: false),
      best.fit.share >= (isOfOneVideo ? partLimit.share : partLimit.several)
    else { return nil }
    let others = rest.agreement.fit(best.repairs, ofLabels: best.isOfLabels)
    guard others.share <= rest.before.share / 2 else { return nil }
    let side = best.isOfLabels ? "labels" : "predictions"
    let options = best.repairs.map { "--repair \($0.text)" }.joined(separator: " ")
    return Finding(
      name(of: best.repairs), .suspect,
      "In \(missed.count) of \(compared.count) frames "
        + summary(best.repairs, ofLabels: best.isOfLabels).lowercasedFirst,
      statistic: "share of labelled faces of these frames found at IoU .50",
      before: search.before.share, after: best.fit.share, n: search.before.count,
      remedy:
        "Write the \(side) of these frames as those of the others are. \(options) on all would turn the others wrong.",
      frames: missed.map(\.named))
  }

  /// Frames in another convention than the rest: the fewest faces of both, the least share of the frames, and of the faces that
  /// are found with it, in one video and in several or in stills.
  private static let partLimit = (faces: 20, frames: 0.1, share: 0.8, several: 0.5)

  /// Of faces in the middle of their images, whose boxes are where they belong in either convention.
  private static func finding(
    _ place: PointAgreement.Place, _ points: PointAgreement, _ sample: JoinedSample,
    isOfPoints: Bool
  ) -> Finding {
    let isOfLabels = sample.format == nil
    return Finding(
      name(of: [place.repair]), .suspect,
      summary([place.repair], ofLabels: isOfLabels, ofPoints: isOfPoints),
      statistic: PointsCheck.statistic, before: place.before, after: place.after,
      n: points.faces.count,
      remedy: remedy([place.repair], ofLabels: isOfLabels, ofPoints: isOfPoints),
      frames: sample.named(points.worstFirst))
  }

  private static func finding(_ offset: ConstantOffset, _ sample: JoinedSample) -> Finding {
    let isOfLabels = sample.format == nil
    let sign: Double = isOfLabels ? -1 : 1
    let move = FaceRepair.move(x: sign * offset.step.x, y: sign * offset.step.y)
    return Finding(
      "coordinates.offset", .suspect, summary([move], ofLabels: isOfLabels),
      statistic: "distance of boxes from the labels in pixels, the same for all faces",
      before: offset.step.distance(to: Point(x: 0, y: 0)), after: 0, n: offset.count,
      remedy: remedy([move], ofLabels: isOfLabels), frames: sample.named(offset.frames))
  }

  /// Fractions that nothing else can be made of: no image's size is known, they are those of a part of the frames, or something
  /// more is wrong.
  private static func fractions(_ search: ConventionSearch, _ sample: JoinedSample) -> Finding? {
    guard !search.areFractions(\.labels) else { return nil }
    let scenes = search.agreement.scenes
    let small = scenes.filter { scene in
      scene.faces.map(\.box).allSatisfy {
        max($0.x, $0.y, $0.width, $0.height) <= 1.5 && min($0.width, $0.height) > 0
      }
    }
    guard small.count >= ConventionSearch.Limit.faces,
      Double(small.count) >= partLimit.frames * Double(scenes.count)
    else { return nil }
    let isPart = small.count * 10 <= scenes.count * 9
    let lowest = small.flatMap { $0.faces.map { min($0.box.x, $0.box.y) } }.min() ?? 0
    let remedy =
      if isPart {
        "Write the predictions of these frames in pixels, as those of the others are, and import them again."
      } else if small.allSatisfy(\.size.isNothing) {
        "Import the labels again with their images (--images), and the predictions with --repair fractions."
      } else if lowest < -0.5 {
        "They reach from -1 to 1: write (value + 1) / 2 of each coordinate and half of each size, and import them "
          + "again with --repair fractions."
      } else {
        "Import the predictions again with --repair fractions. These fit no labels yet: something else is wrong too, "
          + "and the check of that import may tell what."
      }
    return Finding(
      "coordinates.fractions", .suspect,
      (isPart ? "In \(small.count) of \(scenes.count) frames predictions" : "Predictions")
        + " are smaller than a pixel, as fractions of the image's sides are.",
      statistic: "share of labelled faces found at IoU .50", before: search.before.share,
      n: search.before.count, remedy: remedy,
      frames: sample.named(small.map(\.frame)))
  }

  /// Points that lie on none of the faces whose boxes are found, as those in pixels of a face's crop do.
  private static func pointsApart(_ boxes: DetectionAgreement, _ sample: JoinedSample) -> Finding? {
    guard sample.format != nil, boxes.share() >= DetectionAgreement.leastShare else { return nil }
    var (count, near, values): (Int, Int, [Double]) = (0, 0, [])
    var frames: [Finding.Frame] = []
    for joined in sample.frames {
      let points = joined.prediction.faces.map { $0.known.compactMap(\.self) }
      let faces = points.compactMap { BoundingBox(around: $0) }
      guard !faces.isEmpty, !joined.labels.isEmpty else { continue }
      values += points.joined().flatMap { [$0.x, $0.y] }
      count += joined.labels.count
      let found = joined.labels.count { label in faces.contains { label.box.holdsCenter(of: $0) } }
      near += found
      if found < joined.labels.count { frames.append(joined.named) }
    }
    guard count >= ConventionSearch.Limit.faces * 2, 3 * near <= count else { return nil }
    values.sort()
    let (low, high) = (values[values.count / 100], values[values.count - 1 - values.count / 100])
    return Finding(
      "coordinates.points", .suspect,
      "Predicted boxes are on the labelled faces and predicted points are not: these go from "
        + "\(short(low)) to \(short(high)).",
      statistic: "share of labelled faces with predicted points near them",
      before: Double(near) / Double(count), n: count,
      remedy:
        "Write the points in pixels of the image, and import the predictions again. Of a point in a "
        + "face's crop that is the crop's corner, and the point times the crop's side over that of the network's input.",
      frames: frames)
  }

  /// Labelled points that lie on none of their faces, whose boxes are right, as fractions of the image's sides do.
  private static func labelledPointsApart(
    _ boxes: DetectionAgreement, _ points: PointAgreement?, _ sample: JoinedSample
  ) -> Finding? {
    guard boxes.share() >= DetectionAgreement.leastShare else { return nil }
    let agree = points?.error().map { $0 <= PointAgreement.Limit.error } ?? false
    var (count, near, highest) = (0, 0, -Double.infinity)
    var frames: [Finding.Frame] = []
    for joined in sample.frames {
      for label in joined.labels where label.box.area > 0 {
        let points = label.landmarks.flatMap(\.labelled)
        guard points.count > 2, let tight = BoundingBox(around: points) else { continue }
        count += 1
        highest = max(highest, tight.maxX, tight.maxY)
        // Fractions of the box that were read as those of the image reach over all of it; right points may reach
        // beyond a box of eyes, nose and mouth.
        let image = Double(joined.size.width) * Double(joined.size.height)
        let reachOver = !agree && tight.area > 2 * label.box.area && 10 * tight.area >= image
        if label.box.holdsCenter(of: tight), !reachOver {
          near += 1
        } else if frames.last?.index != joined.frame.index {
          frames.append(joined.named)
        }
      }
    }
    guard count >= ConventionSearch.Limit.faces * 2, 3 * near <= count else { return nil }
    return Finding(
      "coordinates.points", .suspect,
      "Labelled boxes are on the faces and labelled points are not"
        + (highest <= 1.5
          ? ": these are smaller than a pixel, as fractions of the image's sides are." : "."),
      statistic: "share of labelled faces whose points are in their box",
      before: Double(near) / Double(count), n: count,
      remedy: "Write the points in pixels of the image, as the boxes are"
        + (highest <= 1.5 ? ", or import the labels again with --repair points:fractions." : "."),
      frames: frames)
  }

  // MARK: - Words

  private static func name(of repairs: [FaceRepair]) -> String {
    let axes = Set(repairs).intersection([.exchangedAxes, .fromBelow, .fromRight])
    if axes.count > 1 { return "images.rotated" }
    let names: [(FaceRepair, String)] = [
      (.exchangedAxes, "coordinates.exchanged-axes"), (.fromBelow, "coordinates.from-below"),
      (.fromRight, "coordinates.from-right"),
    ]
    if let named = names.first(where: { axes.contains($0.0) }) { return named.1 }
    if repairs.contains(where: ConventionSearch.squares.contains) { return "coordinates.fractions" }
    if repairs.contains(where: { $0.scaling(of: ImageSize(width: 1, height: 1)) != nil }) {
      return "coordinates.scale"
    }
    switch repairs.first {
    case .fractions: return "coordinates.fractions"
    case .scale: return "coordinates.scale"
    case .move: return "coordinates.offset"
    case .center: return "boxes.centre"
    case .corner where !repairs.contains(.corners): return "boxes.centre"
    default: return "boxes.corners"
    }
  }

  private static func summary(
    _ repairs: [FaceRepair], ofLabels: Bool, ofPoints: Bool = false
  ) -> String {
    let sides =
      ofLabels
      ? "Labels agree with the predictions"
      : ofPoints
        ? "Predicted boxes agree with the labels as they are, predicted points agree with the labels"
        : "Predictions agree with the labels"
    let turn = name(of: repairs) == "images.rotated" ? ", as in an image that was turned" : ""
    return "\(sides) if \(clauses(repairs).joined(separator: " and "))\(turn)."
  }

  private static func clauses(_ repairs: [FaceRepair]) -> [String] {
    if repairs.count > 1, case .scale(let x, let y) = repairs[0], repairs[1] == .fractions {
      let parts =
        switch (x, y) {
        case (0.01, 0.01): "as percent of the image's sides"
        case (0.001, 0.001): "as thousandths of the image's sides"
        default: String(format: "as of images of %.0fx%.0f pixels", 1 / x, 1 / y)
        }
      return ["they are taken \(parts)"] + clauses(Array(repairs.dropFirst(2)))
    }
    return repairs.compactMap { repair in
      switch repair {
      case .fractions: "they are taken as fractions of the image's sides"
      case .scale(let x, let y):
        x == y
          ? "they are multiplied by \(short(x))"
          : "x is multiplied by \(short(x)), y by \(short(y))"
      case .letterbox(1):
        "they are taken as fractions of a square that holds the image, the rest filled"
      case .centerCrop(1): "they are taken as fractions of the square in the image's middle"
      case .longerSide(1): "they are taken as fractions of the image's longer side"
      case .centerCrop(let side):
        "they are taken as of the square in the image's middle, brought to \(short(side)) pixels"
      case .letterbox(let side):
        "they are taken as of images brought to a square of \(short(side)) pixels, the rest filled"
      case .longerSide(let side):
        "they are taken as of images with a longer side of \(short(side)) pixels"
      case .shorterSide(let side):
        "they are taken as of images with a shorter side of \(short(side)) pixels"
      case .edges(let order):
        order == "trbl"
          ? "the four numbers of boxes are taken as top, right, bottom and left"
          : "the four numbers of boxes are taken as left, right, top and bottom"
      case .exchangedAxes: "x and y are exchanged"
      case .fromBelow: "y is counted from the lower edge"
      case .fromRight: "x is counted from the right edge"
      case .move(let x, let y): "x is moved by \(short(x)) and y by \(short(y)) pixels"
      case .corners: "width and height of boxes are taken as the far corner"
      case .center: "x and y of boxes are taken as the centre"
      case .corner: "x and y of boxes are taken as the corner"
      case .sides: "left and right of points are exchanged"
      default: nil
      }
    }
  }

  private static func short(_ value: Double) -> String { String(format: "%.4g", value) }

  private static func remedy(
    _ repairs: [FaceRepair], ofLabels: Bool, ofPoints: Bool = false
  ) -> String {
    (ofLabels ? Side.labels : .predictions).remedy(
      ofPoints ? repairs.map { .points($0) } : repairs)
  }
}

extension JoinedFrame {
  /// Whether one of its labelled faces is found.
  fileprivate var hasFoundFace: Bool {
    let boxes = predictedBoxes
    return labels.contains { $0.box.isFound(among: boxes) }
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
