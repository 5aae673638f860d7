internal import FaceCore
internal import Platform

/// Brings imported faces to the pixels of the stored image, by its Exif orientation, its size and the user's repairs.
struct FacePlacement {
  /// The image of a frame, as its source and its file describe it.
  struct Image {
    /// The frame's name.
    var name: String
    /// Size that the source states; nil if it does not.
    var stated: ImageSize?
    /// Size of the stored image; nil without one.
    var stored: ImageSize?
    /// Whether the stated size is also that of the labels, which were not scaled.
    var isSizeOfLabels = false
    /// Whether the stated size was read from the image itself.
    var isSizeOfImage = false
    /// How Exif turns the image of the source; nil for an upright one, and for predictions.
    var exif: ExifTurn?
    /// Whether coordinates are fractions of the image's sides.
    var isRelative = false
  }

  /// Whether the faces of the last frame were turned.
  private(set) var isTurned = false
  /// Numbers that are fractions already, which `percent` leaves as they are.
  var spared: Set<FaceRepair.Subject> = []

  private let options: ImportOptions
  private let hasPosesOfAngles: Bool
  private var repairedFaces: [Int]
  /// What was found besides repairs; an import that goes on takes it over.
  var counts = Counts()

  /// How many frames and faces there were of each kind that has a remark.
  struct Counts: Codable {
    fileprivate var negativeBoxes = 0
    fileprivate var keepsAngles = false
    fileprivate var turned = Tally()
    fileprivate var scaled = Tally()
    fileprivate var otherSizes = Tally()
    fileprivate var swapped = Tally()
    /// Images that Exif turns without exchanging width and height, whose stated size tells nothing.
    fileprivate var unturned = Tally()
    fileprivate var sides: [ExifTurn.Side: Int] = [:]

    /// Begins with nothing.
    init() {}
  }

  /// Frames of a kind, and the first of them.
  fileprivate struct Tally: Codable {
    var count = 0
    var first = ""

    mutating func add(_ text: String) {
      if count == 0 { first = text }
      count += 1
    }
  }

  init(_ options: ImportOptions, of format: any DatasetFormat) {
    self.options = options
    hasPosesOfAngles = format.hasPosesOfAngles
    repairedFaces = [Int](repeating: 0, count: options.repairs.count)
  }

  /// The faces in pixels of the stored image; `orientation`, of Exif, is read where it matters.
  mutating func place(
    _ faces: [FaceLabel], in image: Image, orientation: () throws(FileError) -> Int
  ) throws(FileError) -> [FaceLabel] {
    let turn = try turn(for: image, orientation)
    isTurned = turn != nil
    // Of a stated size that is the upright image's the faces are turned, which has a remark.
    if !faces.isEmpty, options.isUpright || !isTurned,
      let side = image.exif?.side(of: faces, stated: image.isSizeOfImage ? nil : image.stated)
    {
      counts.sides[side, default: 0] += 1
    }
    if !faces.isEmpty, !isTurned, image.stated != nil, !image.isSizeOfImage, let exif = image.exif,
      exif.upright == exif.stored
    {
      counts.unturned.add("'\(image.name)'")
    }
    let seen = turn?.upright ?? image.stored
    var faces = faces
    if image.isRelative, !faces.isEmpty {
      guard let size = image.stated ?? seen else {
        throw withoutSize("read the fractions of '\(image.name)'")
      }
      faces = faces.map { FaceRepair.fractions.label($0, in: size) }
    }
    var next = 0
    // Fractions are of the image that was labelled; other repairs were found in pixels of the stored one.
    while next < options.repairs.count, options.repairs[next] == .fractions {
      faces = try repair(faces, next, image, size: image.stated ?? seen)
      next += 1
    }
    if let stated = image.stated, let seen, stated != seen,
      let scale = scale(from: stated, to: seen, of: image)
    {
      faces = faces.map { scale.label($0, in: seen) }
    }
    if let turn {
      if !faces.isEmpty { counts.turned.add("'\(image.name)'") }
      for face in faces where turn.isMirror { try Self.requireSides(of: face, in: image) }
      counts.keepsAngles = counts.keepsAngles || faces.contains(where: FaceRepair.hasAngles)
      faces = faces.map(turn.label)
    }
    while next < options.repairs.count {
      faces = try repair(faces, next, image, size: image.stored ?? image.stated)
      next += 1
    }
    guard !options.repairs.isEmpty else { return faces }
    let wellFormed = faces.filter(\.box.isWellFormed)
    counts.negativeBoxes += faces.count - wellFormed.count
    return wellFormed
  }

  /// Counts the faces of a frame that an earlier import has placed.
  mutating func count(_ faces: [FaceLabel]) {
    for (index, repair) in options.repairs.enumerated() {
      repairedFaces[index] += faces.count { repair.works(on: $0, ofAngles: hasPosesOfAngles) }
    }
  }

  private func turn(
    for image: Image, _ orientation: () throws(FileError) -> Int
  ) throws(FileError) -> ExifTurn? {
    guard let stored = image.stored else { return nil }
    let isSwapped = image.stated.map { hasSwappedSides($0, stored) } ?? false
    guard options.isUpright || isSwapped else { return nil }
    let turn = ExifTurn(orientation: try orientation(), stored: stored)
    return options.isUpright || turn?.upright != stored ? turn : nil
  }

  private func hasSwappedSides(_ stated: ImageSize, _ stored: ImageSize) -> Bool {
    options.isPredictions
      ? stated.hasRatio(of: stored.exchanged) && !stated.hasRatio(of: stored)
      : stated == stored.exchanged && stated != stored
  }

  /// The scale of predictions from the stated size to that of the dataset's image; counts what is none.
  private mutating func scale(
    from stated: ImageSize, to seen: ImageSize, of image: Image
  ) -> FaceRepair? {
    let sizes =
      "'\(image.name)': \(stated.width) × \(stated.height) stated, "
      + "\(seen.width) × \(seen.height) found"
    guard options.isPredictions, !image.isSizeOfLabels, stated.hasRatio(of: seen) else {
      if options.isPredictions, hasSwappedSides(stated, seen) {
        counts.swapped.add(sizes)
      } else {
        counts.otherSizes.add(sizes)
      }
      return nil
    }
    counts.scaled.add(sizes)
    return .scale(
      x: Double(seen.width) / Double(stated.width), y: Double(seen.height) / Double(stated.height))
  }

  private mutating func repair(
    _ faces: [FaceLabel], _ index: Int, _ image: Image, size: ImageSize?
  ) throws(FileError) -> [FaceLabel] {
    let repair = options.repairs[index]
    return try faces.map { (face) throws(FileError) in
      guard repair.works(on: face, ofAngles: hasPosesOfAngles) else { return face }
      guard size != nil || !repair.needsSize else {
        throw withoutSize("repair the faces of '\(image.name)' (--repair \(repair.text))")
      }
      if repair == .sides { try Self.requireSides(of: face, in: image) }
      repairedFaces[index] += 1
      var repaired = repair.label(face, in: size ?? ImageSize(width: 0, height: 0))
      if repair == .percent {
        if spared.contains(.scores) { repaired.score = face.score }
        if spared.contains(.coefficients) { repaired.blendshapes = face.blendshapes }
      }
      return repaired
    }
  }

  private func withoutSize(_ operation: String) -> FileError {
    let found =
      if options.isPredictions {
        "a dataset without it (import the dataset with its images)"
      } else if options.isLabelsOnly {
        "labels alone (import them with their images, without --labels-only)"
      } else {
        "a frame without an image (--video names the clip of the labels, or write width and height where the "
          + "format has them)"
      }
    return FileError.wrongData(
      "cannot \(operation): expected the size of the image, found \(found)")
  }

  private static func requireSides(of face: FaceLabel, in image: Image) throws(FileError) {
    guard let set = face.landmarks.first(where: { $0.scheme.otherSides == nil }) else { return }
    throw FileError.wrongData(
      "cannot exchange the sides of a face of '\(image.name)': expected points whose left and right "
        + "are known, found \(set.scheme.name)")
  }

  /// Throws for a repair of something that no face has.
  func requireEffect(on sources: String) throws(FileError) {
    for (repair, count) in zip(options.repairs, repairedFaces) where count == 0 {
      throw FileError.wrongData(
        "cannot repair \(sources) (--repair \(repair.text)): expected \(repair.subject.rawValue), "
          + "found none")
    }
  }

  /// What stated sizes and boxes say of the side of labels; a loss where they contradict what was done.
  private var sidesRemark: ImportRemark? {
    let known: [(ExifTurn.Side, String)] = [
      (.storedBySize, "state the size of the stored image"),
      (.uprightBySize, "state the size of the upright image"),
      (.storedByBoxes, "have boxes that only the stored image holds"),
      (.uprightByBoxes, "have boxes that only the upright image holds"),
    ]
    let sides = counts.sides
    let list = known.compactMap { side, text in sides[side].map { "\($0) \(text)" } }
    guard !list.isEmpty else { return nil }
    let isWrong =
      options.isUpright
      ? sides[.storedBySize] != nil || sides[.storedByBoxes] != nil
      : sides[.uprightByBoxes] != nil
    let text = "of the images that Exif turns " + list.joined(separator: ", ")
    return isWrong
      ? .dropped(
        text + "; labels were taken to be for the "
          + (options.isUpright
            ? "upright images (leave out --apply-exif)"
            : "pixels as stored (--apply-exif labels: for the upright images)"))
      : .assumed(text)
  }

  /// What was changed, and what was found to be of another image.
  var remarks: [ImportRemark] {
    let (turned, scaled, swapped) = (counts.turned, counts.scaled, counts.swapped)
    let (otherSizes, unturned) = (counts.otherSizes, counts.unturned)
    var remarks: [ImportRemark] = []
    if turned.count > 0 {
      remarks.assume(
        "the faces of \(turned.count) images are turned from the upright image, "
          + (options.isUpright ? "as --apply-exif says" : "whose size is stated")
          + ", to the pixels as stored, by Exif"
          + (counts.keepsAngles ? "; angles among their attributes are not" : "")
          + "; the first is \(turned.first)")
    } else if options.isUpright, !options.turnsImages {
      remarks.assume("no image with labelled faces carries an Exif rotation (--apply-exif)")
    }
    remarks.drop(
      "\(unturned.count) images that Exif turns without exchanging width and height are taken for the pixels "
        + "as stored, though others state the size of the upright image (--apply-exif labels turns all); "
        + "the first is \(unturned.first)",
      if: turned.count > 0 && unturned.count > 0)
    if let remark = sidesRemark { remarks.append(remark) }
    remarks.assume(
      "the faces of \(scaled.count) frames are scaled from the size that they state to that of "
        + "the dataset's images; the first is \(scaled.first)",
      if: scaled.count > 0)
    remarks.drop(
      swapped.count,
      "frames state the size of the dataset's images with width and height "
        + "exchanged: the tracker was given rotated images (give it the images as stored), or the sizes are written "
        + "height first; faces are left as they are; the first is \(swapped.first)")
    remarks.drop(
      otherSizes.count,
      options.isPredictions
        ? "frames state another size than the dataset's images; their faces are "
          + "taken for the pixels as stored; the first is \(otherSizes.first)"
        : "images have another size than their labels state, which are taken "
          + "for the pixels as stored; the first is \(otherSizes.first)")
    for (repair, count) in zip(options.repairs, repairedFaces) {
      remarks.assume("--repair \(repair.text) is applied to \(count) faces")
    }
    remarks.drop(
      counts.negativeBoxes, "faces left out whose box has a negative size after --repair")
    return remarks
  }
}
