internal import FaceCore
internal import Platform

/// What the arrays of a file are taken for, and the mapping that follows from it.
struct MappingDraft {
  /// What each array is taken for, by index.
  var roles: [Int: String] = [:]
  /// What is unsure or left out, in one line each.
  var remarks: [String] = []
  /// The names of the variables of paths.
  let names: [Int: String]
  /// What `images` and `faces` of the mapping hold; empty where no images were found.
  var images: [DraftValue.Member] = []
  var faces: [DraftValue.Member] = []
  var splits: [DraftValue.Member] = []

  let arrays: [FoundArray]
  let imageGuess: ImageGuess?
  let imageVariables: [Int]
  /// How many images there are; nil where they are counted in groups.
  let imageCount: Int?
  /// How many faces, if they have rows of their own.
  private(set) var faceCount: Int?
  var pointRows: [[Double]] = []
  var arePointsRelative = false
  var hasBox = false

  init(_ arrays: [FoundArray], _ variables: [PathVariable], isMATLAB: Bool) {
    self.arrays = arrays
    imageGuess = ImageGuess.find(in: arrays, isMATLAB: isMATLAB)
    let main = imageGuess?.index ?? arrays.firstIndex(where: Self.areFileNames)
    let pattern = main.map { arrays[$0].pattern }
    imageVariables = pattern?.variables ?? []
    let isSingle = imageGuess?.isSingle ?? false
    let times = arrays.contains { array in
      array.pattern.variables == pattern?.variables && !(pattern?.variables ?? []).isEmpty
        && array.shape.count == 1 && FrameTimesGuess(array) != nil
    }
    names = PathNames.find(variables, images: pattern, isSingle: isSingle, hasTimes: times)
    // MATLAB's arrays of pixels have their images last.
    let isLast = isMATLAB && imageGuess != nil && imageGuess?.store != .files
    let extents = main.map { arrays[$0].shape } ?? []
    imageCount = isSingle ? nil : (isLast ? extents.last : extents.first) ?? nil
    guard let main else { return }
    addImages(main)
    addFaceNumbers()
    addPoints()
    addBoxes()
    addTexts()
    addTimes()
    addPose()
    addCoefficients()
    addSplits()
    addRest()
    addBoxOfNoArray()
  }

  private static func areFileNames(_ array: FoundArray) -> Bool {
    array.isTexts && array.leaf.attribute == nil
      && array.sample.texts.contains { text in
        [".jpg", ".jpeg", ".png", ".bmp"].contains { text.lowercased().hasSuffix($0) }
      }
  }

  func path(_ index: Int) -> String { arrays[index].pattern.text(names) }

  mutating func doubt(_ index: Int, _ texts: [String]) {
    for text in texts { remarks.append("\(path(index)): \(text)") }
  }

  /// Whether an array has values for each image; nil extents count as fitting.
  func isOfImages(_ array: FoundArray) -> Bool {
    guard array.pattern.variables == imageVariables else { return false }
    if imageGuess?.isSingle ?? false { return true }
    guard let rows = array.shape.first else { return false }
    return rows == imageCount || rows == nil || imageCount == nil
  }

  func isOfFaces(_ array: FoundArray) -> Bool {
    guard let faceCount else { return isOfImages(array) }
    return array.pattern.variables == imageVariables && array.shape.first == faceCount
  }

  /// The extents of what an array says of a face.
  func cell(_ array: FoundArray) -> [Int?] {
    imageGuess?.isSingle ?? false ? array.shape : Array(array.shape.dropFirst())
  }

  /// Whether an array has one value for each image or face, or one for all of a group.
  func isScalar(_ array: FoundArray) -> Bool {
    let isShared =
      Set(array.pattern.variables).isSubset(of: imageVariables) && array.shape.isEmpty
      && !array.pattern.variables.isEmpty
    return isShared || isOfFaces(array) && [[], [1]].contains(cell(array))
  }

  /// The values of an array in runs of as many as one face has.
  func rows(_ array: FoundArray, width: Int) -> [[Double]] {
    array.sample.parts.flatMap { part in
      stride(from: 0, through: part.values.count - width, by: max(width, 1)).map {
        Array(part.values[$0..<$0 + width])
      }
    }
  }

  var free: [Int] { arrays.indices.filter { roles[$0] == nil } }

  private mutating func addImages(_ main: Int) {
    guard let imageGuess else {
      roles[main] = "names of image files"
      images.append(.init("names", .text(path(main))))
      if Set(arrays[main].sample.texts).count < arrays[main].sample.texts.count {
        images.append(.init("repeat", .flag(true)))
        doubt(main, ["rows of one name are taken as faces of one image"])
      }
      return
    }
    switch imageGuess.store {
    case .pixels(let layout, let range, let channels):
      var entry: [DraftValue.Member] = [
        .init("path", .text(path(main))), .init("layout", .text(layout)),
        .init("range", .list(range.map { .number($0) })),
      ]
      if let channels {
        entry.append(.init("channels", .list(channels.map { .number(Double($0)) })))
      }
      images.append(.init("pixels", .object(entry)))
      roles[main] =
        "images, \(layout), \(range[0].plainText) to \(range[1].plainText)"
        + (channels == [2, 1, 0] ? ", BGR" : "")
    case .files:
      images.append(.init("bytes", .text(path(main))))
      roles[main] = "images, JPEG or PNG"
    case .blob(let offsets):
      images.append(.init("bytes", .text(path(main))))
      images.append(.init("offsets", .text(path(offsets))))
      roles[main] = "images, JPEG or PNG one after another"
      roles[offsets] = "offsets of the images"
    }
    doubt(main, imageGuess.doubts)
    for index in free where index != main {
      let other = ImageGuess.find(in: [arrays[index]], isMATLAB: false)
      guard other != nil, isOfImages(arrays[index]), cell(arrays[index]).count > 1 else { continue }
      if PointGuess.Extents(cell(arrays[index])) != nil { continue }
      roles[index] = "images, not used"
      doubt(index, ["images too, left out as those of \(path(main)) are taken"])
    }
  }

  /// The array that gives each face the number of its image.
  private mutating func addFaceNumbers() {
    guard let imageCount, imageGuess?.isSingle != true, imageVariables.isEmpty else { return }
    for index in free {
      let array = arrays[index]
      guard array.words.contain("image", "img", "frame", "index", "idx"), array.isNumbers,
        array.sample.isWhole, array.shape.count == 1, let rows = array.shape[0],
        rows != imageCount, let bounds = array.sample.bounds, bounds.lowerBound >= 0,
        bounds.upperBound <= Double(imageCount),
        arrays.indices.contains(where: {
          $0 != index && arrays[$0].shape.first == rows && arrays[$0].shape.count > 1
        })
      else { continue }
      let isFromOne =
        bounds.upperBound == Double(imageCount) || bounds.lowerBound >= 1 && array.sample.isComplete
      roles[index] = "numbers of images"
      faceCount = rows
      faces.append(
        .init("image", ["path": .text(path(index)), "base": .number(isFromOne ? 1 : 0)]))
      doubt(index, ["the number of each face's image, from \(isFromOne ? 1 : 0)"])
      return
    }
  }

  private mutating func addPoints() {
    var sets: [DraftValue] = []
    for index in ranked(by: ["landmark", "points", "keypoint", "lmk", "lms", "pts", "shape", "kp"])
    {
      let array = arrays[index]
      guard array.isNumbers, isOfFaces(array), array.leaf.attribute == nil else { continue }
      var cell = cell(array)
      // Several faces of one image.
      if imageGuess?.isSingle ?? false, cell.count == 3 { cell.removeFirst() }
      guard let extents = PointGuess.Extents(cell),
        !array.words.contain("matrix", "mat", "param", "embedding", "feature")
      else { continue }
      var reason: String?
      let width = extents.count * extents.dimensions
      guard
        let guess = PointGuess(
          extents, rows(array, width: width), width: imageGuess?.width, height: imageGuess?.height,
          reason: &reason)
      else {
        if let reason {
          roles[index] = "\(extents.count) points, not used"
          doubt(index, ["left out: \(reason)"])
        }
        continue
      }
      guard sets.isEmpty || !sets.contains(where: { $0.line.contains("\"\(guess.scheme.name)\"") })
      else {
        roles[index] = "points, \(guess.scheme.name), not used"
        doubt(index, ["points of \(guess.scheme.name) too, left out"])
        continue
      }
      var entry: [DraftValue.Member] = [
        .init("path", .text(path(index))), .init("scheme", .text(guess.scheme.name)),
        .init("layout", .text(guess.layout)),
      ]
      if guess.isRelative { entry.append(.init("space", .text("relative"))) }
      if sets.isEmpty {
        pointRows = guess.rows
        arePointsRelative = guess.isRelative
      }
      sets.append(.object(entry))
      roles[index] =
        "points, \(guess.scheme.name), \(guess.layout)" + (guess.isRelative ? ", relative" : "")
      doubt(index, guess.doubts)
    }
    if !sets.isEmpty { faces.append(.init("points", .list(sets))) }
  }

  /// The arrays without a role, those first whose names have one of the words.
  func ranked(by words: [String]) -> [Int] {
    let named = free.filter { index in words.contains { arrays[index].words.contain($0) } }
    return named + free.filter { !named.contains($0) }
  }
}
