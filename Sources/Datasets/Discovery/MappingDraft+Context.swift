internal import FaceCore
internal import Platform

extension MappingDraft {
  /// Names, subjects, sequences, splits and expressions that stand in texts or numbers.
  mutating func addTexts() {
    for index in free {
      let array = arrays[index]
      let isShared = array.pattern.variables != imageVariables
      guard array.isTexts || array.isNumbers && array.sample.isWhole, isScalar(array) else {
        continue
      }
      let words = array.words
      if words.contain("video", "clip", "sequence", "seq", "session", "recording") {
        addSequence(index)
      } else if words.contain(
        "subject", "subj", "person", "identity", "speaker", "actor", "user", "id", "ids",
        "participant")
      {
        addSubject(index)
      } else if array.isTexts, !isShared,
        words.contain("split", "subset", "partition", "set", "fold"),
        array.sample.texts.allSatisfy({ PathVariable.isSplit($0) })
      {
        give(index, "split", "splits")
      } else if array.isTexts, !isShared, isOfImages(array),
        words.contain("name", "file", "path", "image", "img", "key")
      {
        addNames(index)
      } else if array.isTexts, isOfFaces(array), words.contain("expr", "emotion", "label", "class")
      {
        faces.append(.init("expression", .text(path(index))))
        roles[index] = "expressions"
      }
    }
  }

  private mutating func give(_ index: Int, _ key: String, _ role: String) {
    guard !images.contains(where: { [key, "repeat"].contains($0.key) }), !names.values.contains(key)
    else {
      roles[index] = "\(role), not used"
      doubt(index, ["\(role) too, left out"])
      return
    }
    images.append(.init(key, .text(path(index))))
    roles[index] = role
  }

  private mutating func addNames(_ index: Int) {
    let texts = arrays[index].sample.texts
    guard faceCount == nil || arrays[index].shape.first == imageCount else { return }
    guard Set(texts).count == texts.count, texts.allSatisfy({ !$0.isEmpty }) else {
      roles[index] = "names, not used"
      doubt(index, ["names that repeat, left out"])
      return
    }
    give(index, "names", "names of images")
  }

  /// The values of an array with one for each image, as texts.
  private func values(_ index: Int) -> [String] {
    let sample = arrays[index].sample
    return sample.texts.isEmpty ? sample.parts.flatMap { $0.values.map { "\($0)" } } : sample.texts
  }

  private mutating func addSequence(_ index: Int) {
    let values = values(index)
    var seen: Set<String> = []
    var isConsecutive = imageGuess?.isSingle != true
    for (before, after) in zip([""] + values, values) where before != after {
      if !seen.insert(after).inserted { isConsecutive = false }
    }
    guard seen.count < values.count, arrays[index].pattern.variables == imageVariables else {
      return
    }
    if isConsecutive {
      give(index, "sequence", "sequences")
      doubt(index, ["the images of each value are taken as a video"])
    } else {
      give(index, "subject", "subjects")
      doubt(
        index, ["images of one value do not follow each other: taken as subjects, not as videos"])
    }
  }

  private mutating func addSubject(_ index: Int) {
    let values = values(index)
    let kinds = Set(values).count
    let isRepeated = kinds < values.count && kinds > 1
    let isOfPerson = arrays[index].words.contain("subject", "person", "identity")
    guard isOfPerson || !arrays[index].words.contain("class", "category", "label", "cls") else {
      return
    }
    if faceCount != nil, arrays[index].isTexts, arrays[index].shape.first != imageCount {
      roles[index] = "texts, not used"
      doubt(index, ["left out: \"identity\" of faces is a number"])
      return
    }
    guard isRepeated || isOfPerson else { return }
    if faceCount != nil, !arrays[index].isTexts, arrays[index].shape.first != imageCount {
      faces.append(.init("identity", .text(path(index))))
      roles[index] = "identities"
    } else {
      give(index, "subject", "subjects")
    }
  }

  /// Times of the images of each sequence.
  mutating func addTimes() {
    let hasSequence =
      names.values.contains("sequence") || images.contains { $0.key == "sequence" }
    for index in free where isOfImages(arrays[index]) && imageGuess?.isSingle != true {
      guard let guess = FrameTimesGuess(arrays[index]) else { continue }
      roles[index] = "times in \(guess.unit)"
      guard hasSequence, !images.contains(where: { $0.key == "time" }) else {
        doubt(index, ["times without sequences, left out"])
        continue
      }
      images.append(.init("time", ["path": .text(path(index)), "unit": .text(guess.unit)]))
      doubt(index, ["in \(guess.unit), by how far the images are apart"])
    }
  }

  /// Rotations of heads; angles whose order and signs are not known become attributes.
  mutating func addPose() {
    for index in free {
      let array = arrays[index]
      guard array.isNumbers, isOfFaces(array), !faces.contains(where: { $0.key == "pose" }),
        array.words.contain("pose", "rotation", "rot", "rotmat", "r", "headpose")
      else { continue }
      let cell = cell(array).suffix(2).compactMap { $0 }
      guard cell == [3, 3] || cell == [4, 4] else { continue }
      let side = cell[0]
      let all = rows(array, width: side * side)
      guard !all.isEmpty, all.allSatisfy({ Self.isRotation($0, side) }) else { continue }
      faces.append(.init("pose", ["path": .text(path(index)), "form": "matrix", "axes": "y-down"]))
      roles[index] = "poses, matrices"
      doubt(
        index, ["matrices of heads: the axes are taken as OpenCV's, y down (\"axes\": \"y-down\")"])
    }
  }

  private static func isRotation(_ matrix: [Double], _ side: Int) -> Bool {
    for line in 0..<3 {
      for other in 0..<3 {
        let dot = (0..<3).reduce(0) { $0 + matrix[line * side + $1] * matrix[other * side + $1] }
        guard abs(dot - (line == other ? 1 : 0)) < 0.01 else { return false }
      }
    }
    return true
  }

  /// Coefficients of blendshapes, whose names stand in another array.
  mutating func addCoefficients() {
    for index in free {
      let array = arrays[index]
      guard array.isNumbers, isOfFaces(array), let bounds = array.sample.bounds,
        bounds.lowerBound >= -0.05, bounds.upperBound <= 1.05, let width = cell(array).last ?? nil,
        cell(array).count == 1,
        array.words.contain("blend", "blendshapes", "arkit", "coef", "coefficients")
          || [51, 52].contains(width)
      else { continue }
      let list = arrays.indices.first { other in
        let texts = arrays[other].sample.texts
        return texts.count == width && arrays[other].pattern.variables.isEmpty
          && texts.allSatisfy { Blendshape(spelled: $0) != nil || Blendshape.isTongue(spelled: $0) }
      }
      guard let list else {
        roles[index] = "\(width) coefficients, not used"
        doubt(
          index,
          [
            "\(width) coefficients, left out as no array names them (\"blendshapes\": {\"path\": "
              + "\"\(path(index))\", \"names\": …}, a list or where they stand, such as \"\(path(index))@names\")"
          ])
        continue
      }
      guard !faces.contains(where: { $0.key == "blendshapes" }) else { continue }
      faces.append(.init("blendshapes", ["path": .text(path(index)), "names": .text(path(list))]))
      roles[index] = "coefficients"
      roles[list] = "names of coefficients"
    }
  }

  /// Arrays of numbers of images whose names are those of splits.
  mutating func addSplits() {
    guard let imageCount, imageVariables.isEmpty else { return }
    for index in free {
      let array = arrays[index]
      let name = array.pattern.leafWords.split { !$0.isLetter }.first {
        PathVariable.isSplit(String($0))
      }
      guard let name, array.isNumbers, array.sample.isWhole, array.shape.count == 1,
        let rows = array.shape[0], rows <= imageCount, let bounds = array.sample.bounds,
        bounds.lowerBound >= 0, bounds.upperBound <= Double(imageCount),
        Set(values(index)).count == values(index).count,
        !splits.contains(where: { $0.key == String(name) })
      else { continue }
      let base = bounds.upperBound == Double(imageCount) ? 1.0 : 0
      splits.append(.init(String(name), ["path": .text(path(index)), "base": .number(base)]))
      roles[index] = "split, numbers of images"
      doubt(index, ["the images of a split, from \(base.plainText)"])
    }
  }

  /// Names of coefficients of so many arrays may be those of other numbers.
  private static let fewCoefficients = 4

  /// Numbers of each face that nothing else is known of.
  mutating func addRest() {
    var attributes: [DraftValue.Member] = []
    for index in free {
      let array = arrays[index]
      guard array.isNumbers else {
        if let problem = array.problem {
          doubt(index, ["left out, as it cannot be read: \(problem)"])
        } else if array.isTexts, isScalar(array) {
          roles[index] = "texts, not used"
          doubt(index, ["texts, left out"])
        }
        continue
      }
      guard isScalar(array) || isOfFaces(array) else {
        // A value that says nothing of faces, such as how many there are.
        if !array.shape.isEmpty { doubt(index, ["left out, as it has no values for each face"]) }
        continue
      }
      let width = isScalar(array) ? 1 : cell(array).count == 1 ? cell(array)[0] ?? 0 : 0
      guard (1...4).contains(width), attributes.count + width <= 64 else {
        doubt(index, ["left out, as it is not known what it is"])
        continue
      }
      if width == 1, let key = ownKey(array), !faces.contains(where: { $0.key == key }) {
        roles[index] = key == "score" ? "scores" : "faces to ignore"
        faces.append(.init(key, .text(path(index))))
        continue
      }
      roles[index] = "attribute"
      let name = attributeName(index)
      for column in 0..<width {
        let own = width == 1 ? name : "\(name).\(column)"
        guard !attributes.contains(where: { $0.key == own }), DatasetLayout.isTableName(own) else {
          continue
        }
        let columns = [column, column + 1].map { DraftValue.number(Double($0)) }
        let entry: DraftValue =
          width == 1 ? .text(path(index)) : ["path": .text(path(index)), "columns": .list(columns)]
        attributes.append(.init(own, entry))
      }
    }
    if !attributes.isEmpty { faces.append(.init("attributes", .object(attributes))) }
    let shapes = attributes.map(\.key).filter { Blendshape(spelled: $0) != nil }
    if shapes.count > Self.fewCoefficients {
      remarks.append(
        "\(shapes.count) arrays with the names of coefficients, such as \(shapes[0]), are attributes, which are not "
          + "compared as blendshapes: write one array with a column for each, and \"blendshapes\" for it"
      )
    }
  }

  /// The key of a face's value that is no attribute: its score, or whether it is to be ignored.
  private func ownKey(_ array: FoundArray) -> String? {
    if array.words.contain("ignore", "ignored"), let bounds = array.sample.bounds,
      bounds.lowerBound >= 0, bounds.upperBound <= 1
    {
      return "ignore"
    }
    let isScore =
      array.words.contain("score", "scores", "conf", "confidence", "confidences", "prob", "probs")
      && !array.words.contain(
        "landmark", "point", "quality", "emotion", "expression", "age", "gender", "blur", "pose",
        "track")
    return isScore ? "score" : nil
  }

  /// The last name of a path with the characters that a table's name may have.
  private func attributeName(_ index: Int) -> String {
    let last = path(index).split { "/@:".contains($0) }.last ?? "value"
    let name = String(
      last.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) ? $0 : "_" })
    return String(name.prefix(60))
  }
}
