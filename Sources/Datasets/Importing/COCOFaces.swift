internal import FaceCore
internal import Platform

/// The faces of a COCO file, and the assumptions made to read them.
struct COCOFaces {
  private let annotations: COCOFile
  private let options: ImportOptions
  /// What sets of points are taken for; a kind that is no face's is left out.
  private var decisions: [PointKind: PointReading.Decision] = [:]
  /// Assumptions and losses, in the order of output.
  private(set) var remarks: [ImportRemark] = []
  /// The category numbers of the dataset, by those of the file.
  private var categories: [Int: Int] = [:]
  /// The categories that are faces; nil if nothing has a category.
  private var faceCategories: FaceCategories?
  /// What is added to the category numbers of results, which may count from 0.
  private var categoryShift = 0
  /// Whether the file lists all categories; rows with others are left out.
  private let isListed: Bool
  private let isWholeBody: Bool
  private var isCOCOFlag = false
  /// Whether the third numbers of a result's points are flags, and not scores.
  private var resultsHaveFlags = false

  /// An image with its faces, and its size if the file states it.
  struct LabelledImage {
    let name: String
    let size: ImageSize?
    var faces: [FaceLabel] = []
  }

  /// Points are of one kind where they have one category and one number.
  private struct PointKind: Hashable {
    var category: Int?
    var count: Int
    var rank: (Int, Int) { (count, category ?? 0) }
  }

  private struct Counts {
    var (strangers, otherCategories, withoutFace, withoutBox) = (0, 0, 0, 0)
    var (tight, flat, otherObjects) = (0, 0, 0)
    var otherKinds: Set<Int> = []
    var sets: [PointKind: Int] = [:]
    var otherSets: [Int: Int] = [:]
  }

  /// Reads the categories from an annotation file, whose images results also refer to.
  init(annotations: COCOFile, _ options: ImportOptions) {
    self.annotations = annotations
    self.options = options
    isListed = !annotations.categories.isEmpty
    isWholeBody = annotations.rows.contains { $0.faceBox != nil || $0.isFaceValid != nil }
  }

  /// The images in their order, each with its faces in the order of the rows of `file`.
  mutating func images(of file: COCOFile) throws(FileError) -> [LabelledImage] {
    var images: [LabelledImage] = []
    let ids = try positionsOfImages(&images)
    let known = COCORowImages(file, ids: ids, names: images.map(\.name))
    remarks += known.remarks
    try settleCategories(of: file)
    try settlePoints(of: file)
    settleFlags(of: file)
    var counts = Counts()
    for (index, row) in file.rows.enumerated() {
      guard let position = known.positions[index] else {
        counts.strangers += 1
        continue
      }
      guard isWholeBody && !file.isResults || row.category != nil || categories.count <= 1 else {
        throw FileError.wrongData(
          "cannot read \(file.name), annotations[\(index)]: expected a category_id, found none")
      }
      if let face = face(of: row, in: file, &counts) { images[position].faces.append(face) }
    }
    add(counts, file)
    return images
  }

  /// Fills the images, each name once, and gives the position of each image id.
  private mutating func positionsOfImages(
    _ images: inout [LabelledImage]
  ) throws(FileError) -> [COCOFile.Identifier: Int] {
    var (positions, byName): ([COCOFile.Identifier: Int], [String: Int]) = ([:], [:])
    var again = 0
    for image in annotations.images {
      let position = byName[image.name] ?? images.count
      if position == images.count {
        images.append(LabelledImage(name: image.name, size: image.size))
        byName[image.name] = position
      } else {
        again += 1
      }
      if let other = positions.updateValue(position, forKey: image.id), other != position {
        throw FileError.wrongData(
          "cannot read \(annotations.name): expected each image id once, found \(image.id) for "
            + "'\(images[other].name)' and '\(image.name)'")
      }
    }
    remarks.assume(again, "image rows repeat the name of an earlier image: taken as that image")
    return positions
  }

  private mutating func settleCategories(of file: COCOFile) throws(FileError) {
    guard !isWholeBody || file.isResults else { return }
    let known =
      isListed
      ? annotations.categories
      : file.usedCategories.sorted().map { COCOFile.Category(id: $0) }
    guard !known.isEmpty || !options.categories.isEmpty else { return }
    if file.isResults { settleShift(of: file, to: known) }
    let labelled = annotations.usedCategories
    let settled = try FaceCategories(
      options.categories, of: known,
      used: categoryShift == 0 && file.isResults ? labelled.union(file.usedCategories) : labelled,
      in: file.name)
    faceCategories = settled
    for category in known { categories[category.id] = settled.number(of: category.id) }
    let face = settled.faces[0]
    let name = face.name.isEmpty ? "" : " '\(face.name.prefix(40))'"
    if let remark = settled.remark {
      remarks.append(remark)
    } else if options.categories.isEmpty, known.count == 1 {
      remarks.assume(
        "the only category, \(face.id)\(name), is taken as faces",
        if: face.id != 1 || !face.name.lowercased().contains("face"))
    } else if options.categories.isEmpty, face.name.lowercased() != "face" {
      remarks.assume("the only category in use, \(face.id)\(name), is taken as faces")
    } else if face.id != 1 {
      remarks.assume(
        "category \(face.id)\(name) becomes 1"
          + (categories[1] == face.id ? ", and 1 becomes \(face.id)" : ""))
    }
  }

  /// Results whose categories are all unknown, as counted from 0, or go one beyond the last, get the numbers of the annotations.
  private mutating func settleShift(of file: COCOFile, to known: [COCOFile.Category]) {
    let (own, ids) = (file.usedCategories, Set(known.map(\.id)))
    if !own.isSubset(of: ids), !own.isDisjoint(with: ids), own.allSatisfy({ ids.contains($0 - 1) })
    {
      categoryShift = -1
      remarks.assume(
        "categories of the results count from 1, those of the annotations from 0: each is taken as the one before"
      )
      return
    }
    guard let first = own.first, own.isDisjoint(with: ids) else { return }
    if own.allSatisfy({ ids.contains($0 + 1) }) {
      categoryShift = 1
    } else if own.count == 1, let only = known.first, known.count == 1 {
      categoryShift = only.id - first
    } else {
      return
    }
    remarks.assume(
      "no result has a category of the annotations: category \(first) is taken as "
        + "\(first + categoryShift)")
  }

  private mutating func settleFlags(of file: COCOFile) {
    guard !file.isResults else {
      // COCO does not define the third number of a result's point; if all are 0, 1 or 2, they are flags.
      let flags = Set(
        file.rows.flatMap { row in
          stride(from: 2, to: row.keypoints.count, by: 3).map { row.keypoints[$0] }
        })
      resultsHaveFlags = flags.contains(2) && flags.isSubset(of: [0, 1, 2])
      isCOCOFlag = resultsHaveFlags
      remarks.assume("point flags are COCO's: 1 hidden, 2 visible", if: resultsHaveFlags)
      return
    }
    let flags = Set(
      file.rows.flatMap { row -> [Double] in
        let points = isWholeBody ? row.faceKeypoints : row.keypoints
        guard decisions[kind(of: row, in: file)] != nil else { return [] }
        return stride(from: 2, to: points.count, by: 3).map { points[$0] }
      })
    isCOCOFlag = flags.contains(2)
    if isCOCOFlag {
      remarks.assume("point flags are COCO's: 1 hidden, 2 visible")
    } else if flags.contains(1) {
      remarks.assume("no point has flag 2: flag 1 is taken as labelled and visible")
    } else if !isWholeBody {
      remarks.drop(
        file.rows.count {
          $0.hasOnlyUnlabelledPoints && !PointOrder.withCount($0.keypoints.count / 3).isEmpty
        },
        "sets of keypoints left out, whose flags are all 0: not labelled (visible ones have flag 2, hidden ones 1)"
      )
    }
  }

  private func face(
    of row: COCOFile.Row, in file: COCOFile, _ counts: inout Counts
  ) -> FaceLabel? {
    let isPart = isWholeBody && !file.isResults
    if isPart, !(row.isFaceValid ?? (row.faceBox != nil)) {
      counts.withoutFace += 1
      return nil
    }
    var category = 1
    let own = row.category.map { $0 + (file.isResults ? categoryShift : 0) }
    if !isPart, let own {
      guard let settled = categories[own] else {
        counts.otherCategories += 1
        return nil
      }
      category = settled
      if settled != FaceCategories.face {
        counts.otherObjects += 1
        counts.otherKinds.insert(own)
      }
    }
    let points = landmarks(
      isPart ? row.faceKeypoints : row.keypoints, kind(of: row, in: file),
      isResult: file.isResults, &counts)
    var box = isPart ? row.faceBox : row.box
    if box == nil, let points {
      box = BoundingBox(around: points.labelled)
      counts.tight += 1
    }
    guard let box else {
      counts.withoutBox += 1
      return nil
    }
    var face = FaceLabel(
      box: box, area: isPart ? nil : row.area, isIgnored: row.isIgnored,
      isCrowd: !isPart && row.isCrowd, category: category, identity: row.identity,
      landmarks: points.map { [$0] } ?? [])
    face.score = row.score
    if !isPart, let own { faceCategories?.name(&face, of: own) }
    // One that says nothing of a face is left out, which the import counts.
    if box.area == 0, !face.isNothing { counts.flat += 1 }
    return face
  }

  private func kind(of row: COCOFile.Row, in file: COCOFile) -> PointKind {
    isWholeBody && !file.isResults
      ? PointKind(category: nil, count: row.faceKeypoints.count / 3)
      : PointKind(category: row.category, count: row.keypoints.count / 3)
  }

  private mutating func settlePoints(of file: COCOFile) throws(FileError) {
    let isPart = isWholeBody && !file.isResults
    var samples: [PointKind: [[Point?]]] = [:]
    for row in file.rows {
      let numbers = isPart ? row.faceKeypoints : row.keypoints
      let kind = kind(of: row, in: file)
      guard kind.count > 0, samples[kind]?.count ?? 0 < PointReading.sample else { continue }
      let points = stride(from: 0, to: numbers.count, by: 3).map { index in
        (file.isResults ? numbers[index] != 0 || numbers[index + 1] != 0 : numbers[index + 2] > 0)
          ? Point.unlessMissing(x: numbers[index], y: numbers[index + 1]) : nil
      }
      samples[kind, default: []] += points.contains { $0 != nil } ? [points] : []
    }
    let reading = PointReading(options)
    for (kind, faces) in samples.sorted(by: { $0.key.rank < $1.key.rank }) {
      if isPart, kind.count == LandmarkScheme.ibug68.count, !reading.isStated {
        decisions[kind] = PointReading.Decision(order: PointOrder(.ibug68))
        continue
      }
      let isFace = kind.category.map { categories[$0] == FaceCategories.face } ?? true
      let names = annotations.categories.first {
        kind.category == nil && annotations.categories.count == 1 || $0.id == kind.category
      }?.keypoints
      let sets = PointReading.Sets(
        file: file.name, count: kind.count, names: names?.count == kind.count ? names : nil,
        hasOwnNames: !file.isResults, faces: faces)
      // Where no point is labelled, nothing depends on the order.
      if isFace, !faces.isEmpty {
        decisions[kind] = try reading.decide(sets)
      } else {
        decisions[kind] = try? reading.decide(sets)
      }
    }
    if options.pointOrder != nil, decisions.isEmpty, !samples.isEmpty {
      throw PointReading.unused(options, found: Set(samples.keys.map(\.count)), in: file.name)
    }
  }

  private func landmarks(
    _ numbers: [Double], _ kind: PointKind, isResult: Bool, _ counts: inout Counts
  ) -> Landmarks? {
    let isResult = isResult && !resultsHaveFlags
    // Results have their points at 0, 0 where they have none.
    let isLabelled = stride(from: 0, to: numbers.count, by: 3).contains { index in
      isResult ? numbers[index] != 0 || numbers[index + 1] != 0 : numbers[index + 2] > 0
    }
    guard isLabelled else { return nil }
    guard let order = decisions[kind]?.order else {
      if kind.count > 0 { counts.otherSets[kind.count, default: 0] += 1 }
      return nil
    }
    counts.sets[kind, default: 0] += 1
    var points: [Point?] = []
    var states: [PointVisibility] = []
    for index in stride(from: 0, to: numbers.count, by: 3) {
      let flag = numbers[index + 2]
      states.append(isCOCOFlag && flag == 1 ? .occluded : .visible)
      points.append(
        isResult || flag > 0
          ? Point.unlessMissing(x: numbers[index], y: numbers[index + 1]) : nil)
    }
    return order.landmarks(points, states)
  }

  /// The names of some categories, at most eight; empty where none has one.
  private func names(of kinds: Set<Int>) -> String {
    let named = annotations.categories.filter { kinds.contains($0.id) && !$0.name.isEmpty }
    guard !named.isEmpty else { return "" }
    let words = named.prefix(8).map { category in
      "\(categories[category.id] ?? category.id) '\(category.name.prefix(40))'"
    }
    return ": " + words.joined(separator: ", ") + (named.count > 8 ? ", …" : "")
  }

  private mutating func add(_ counts: Counts, _ file: COCOFile) {
    let rows = file.isResults ? "results" : "annotations"
    for (kind, sets) in counts.sets.sorted(by: { $0.key.rank < $1.key.rank }) {
      guard let decision = decisions[kind] else { continue }
      remarks.assume("\(sets) sets of \(kind.count) keypoints \(decision.text)")
    }
    remarks.assume(
      counts.otherObjects,
      "\(rows) of other categories than faces take no part in metrics of "
        + "faces; their numbers are kept, their names are not"
        + names(of: counts.otherKinds))
    remarks.assume(counts.tight, "\(rows) without a box get the tight box of their points")
    remarks.assume(counts.flat, "boxes of width or height 0 are kept")
    remarks.assume(file.turnedBoxes, "boxes with a rotation, as CVAT's, get their tight boxes")
    remarks.assume(file.repeatedIDs, "ids of \(rows) are repeated: the rows are kept")
    func drop(_ count: Int, _ text: String) {
      remarks.drop(count, "\(text) left out")
    }
    drop(counts.strangers, "\(rows) of images that the file does not list")
    drop(counts.otherCategories, "\(rows) of categories that the file does not list")
    drop(counts.withoutFace, "\(rows) without a valid face")
    drop(counts.withoutBox, "\(rows) with neither box nor face points")
    drop(file.negativeBoxes, "results with a box of negative size")
    for (count, sets) in counts.otherSets.sorted(by: { $0.key < $1.key }) {
      drop(sets, "sets of \(count) keypoints, which are no face's,")
    }
    if file.isResults, !resultsHaveFlags {
      drop(counts.sets.values.reduce(0, +), "sets of point scores")
    } else if isWholeBody, !file.isResults {
      drop(file.rows.count { $0.box != nil }, "boxes of bodies")
      drop(file.rows.count { !$0.keypoints.isEmpty }, "sets of \(bodyPoints(file)) body keypoints")
    }
    let more = file.leftOut.count > 12 ? " and \(file.leftOut.count - 12) more keys" : ""
    remarks.drop(
      "unsupported keys of \(rows) left out: \(file.leftOut.mostFrequent)\(more)",
      if: !file.leftOut.isEmpty)
  }

  private func bodyPoints(_ file: COCOFile) -> Int {
    (file.rows.first { !$0.keypoints.isEmpty }?.keypoints.count ?? 0) / 3
  }
}

extension COCOFile.Row {
  /// Whether points have places, and none of them has a flag that says so.
  fileprivate var hasOnlyUnlabelledPoints: Bool {
    let isAtPlace = keypoints.indices.contains { $0 % 3 < 2 && keypoints[$0] != 0 }
    return isAtPlace
      && stride(from: 2, to: keypoints.count, by: 3).allSatisfy { keypoints[$0] == 0 }
  }
}
