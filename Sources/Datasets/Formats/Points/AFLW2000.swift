internal import FaceCore
package import Foundation
package import Platform

/// Images with one MAT-file each, as in AFLW2000-3D and 300W-LP: 68 points and the head's pose.
package struct AFLW2000: DatasetFormat {
  package let name = "aflw2000"
  package let summary = "AFLW2000-3D, 300W-LP: one .mat per image: 68 points, head pose"
  package let usesImageFolder = false
  /// `Pose_Para` becomes a rotation.
  package let hasPosesOfAngles = true
  package let settings = ImportSetting.ofPoints.union([.indexBase])

  package init() {}

  /// A folder whose first `.mat` file has a head pose.
  package func recognises(_ source: URL) -> String? {
    guard source.isFolder,
      let files = try? SourceFiles.files(in: source, extensions: ["mat"]),
      let first = files.first(where: { !Self.isLandmarkFile($0) }),
      let file = try? MATFile(source.appendingPathComponent(first)), file.has("Pose_Para")
    else { return nil }
    return "a folder of \(files.count) .mat files, the first with Pose_Para"
  }

  /// Reads each MAT-file together with the image of the same name.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var tally = Tally()
    for source in sources {
      try SourceFiles.requireFolder(source)
      let all = try SourceFiles.files(in: source, extensions: ["mat"])
      let files = all.filter { !Self.isLandmarkFile($0) }
      tally.landmarkFiles += all.count - files.count
      try SourceFiles.require(files, ".mat files", in: source)
      let images = try SourceFiles.files(in: source, extensions: SourceFiles.imageExtensions)
      let byStem = Dictionary(grouping: images) { PathText($0).withoutSuffix }
      var used = 0
      for file in files {
        let stem = PathText(file).withoutSuffix
        let matches = byStem[stem] ?? []
        let url = source.appendingPathComponent(file)
        guard matches.count == 1 || options.isLabelsOnly && matches.isEmpty else {
          throw FileError.wrongData(
            "cannot import \(url.relativePath): expected one image of that name, found "
              + (matches.isEmpty ? "none" : matches.joined(separator: " and ")))
        }
        used += matches.count
        let labels = try MATFile(url)
        let face = try tally.face(in: labels, options)
        let size = try matches.first.flatMap { (image) throws(FileError) in
          try SourceFiles.imageSize(of: source.appendingPathComponent(image))
        }
        tally.count(face, in: size)
        try sink(
          ImportedFrame(
            name: matches.first ?? stem,
            image: matches.first.map { .file(source.appendingPathComponent($0)) } ?? .none,
            faces: [face]))
      }
      tally.imagesWithout += images.count - used
    }
    return tally.remarks(indexBase: options.indexBase)
  }

  /// Whether a file is in 300W-LP's folder `landmarks`, which repeats the points.
  private static func isLandmarkFile(_ path: String) -> Bool {
    path.hasSuffix("_pts.mat") && path.split(separator: "/").contains("landmarks")
  }
}

/// Reads faces and counts irregularities.
private struct Tally {
  var (landmarkFiles, imagesWithout) = (0, 0)
  private var (wrapped, flat, outside, farOutside) = (0, 0, 0, 0)
  private var leftOut: [String: Int] = [:]

  private static let angles = ["pitch", "yaw", "roll"]
  private static let known: Set<String> = ["Pose_Para", "roi"]

  mutating func face(in file: MATFile, _ options: ImportOptions) throws(FileError) -> FaceLabel {
    let pose = try file.matrix("Pose_Para", rows: 1)
    guard pose.columns >= 7 else {
      throw file.wrong("Pose_Para", expected: "1 x 7 numbers", found: "1 x \(pose.columns)")
    }
    guard pose.values.prefix(7).allSatisfy(\.isFinite) else {
      throw file.wrong("Pose_Para", expected: "finite numbers", found: "\(pose.values.prefix(7))")
    }
    let landmarks = try points(in: file, indexBase: options.indexBase)
    guard let box = BoundingBox(around: landmarks.labelled) else {
      throw file.wrong("pt3d_68", expected: "points", found: "none")
    }
    var face = FaceLabel(box: box, landmarks: [landmarks])
    for (name, angle) in zip(Self.angles, pose.values) {
      let isRadians = options.angleFactor == 1
      if isRadians, abs(angle) > .pi { wrapped += 1 }
      face.attributes[name] = isRadians ? HeadRotation.wrapped(angle) : angle
    }
    for (name, number) in zip(["pose_x", "pose_y", "pose_z", "pose_scale"], pose.values[3...]) {
      face.attributes[name] = number
    }
    // 3DDFA's rotations turn the other way than right-handed ones; see the guide.
    let turns = (0..<3).map { (axis: $0, radians: -pose.values[$0] * options.angleFactor) }
    face.pose = HeadRotation.pose(HeadRotation.rows(turns))
    if file.has("roi") {
      let roi = try file.matrix("roi", rows: 1, columns: 4)
      for (name, number) in zip(["left", "top", "right", "bottom"], roi.values)
      where number.isFinite {
        face.attributes["roi_\(name)"] = number
      }
    }
    let used = landmarks.depths == nil ? "pt2d" : "pt3d_68"
    for name in file.variables + file.otherVariables
    where !Self.known.contains(name) && name != used {
      leftOut[name, default: 0] += 1
    }
    return face
  }

  private mutating func points(
    in file: MATFile, indexBase: Int
  ) throws(FileError) -> Landmarks {
    let isDeep = file.has("pt3d_68")
    let variable = isDeep ? "pt3d_68" : "pt2d"
    let array = try file.matrix(variable, rows: isDeep ? 3 : 2, columns: 68)
    let base = Double(indexBase)
    let points = (0..<68).map {
      Point.unlessMissing(x: array[0, $0], y: array[1, $0], base: base)
    }
    let depths = isDeep ? (0..<68).map { array[2, $0] } : nil
    guard array.values.allSatisfy(\.isFinite),
      let landmarks = PointOrder(.ibug68).landmarks(points, depths: depths)
    else { throw file.wrong(variable, expected: "finite numbers", found: "NaN or infinity") }
    if !isDeep { flat += 1 }
    return landmarks
  }

  /// Counts faces with points outside the image, and with points farther outside than its size.
  mutating func count(_ face: FaceLabel, in size: ImageSize?) {
    guard let size else { return }
    let (width, height) = (Double(size.width), Double(size.height))
    let points = face.landmarks.flatMap(\.labelled)
    if points.contains(where: { !(0...width).contains($0.x) || !(0...height).contains($0.y) }) {
      outside += 1
    }
    if points.contains(where: {
      !(-width...2 * width).contains($0.x) || !(-height...2 * height).contains($0.y)
    }) {
      farOutside += 1
    }
  }

  func remarks(indexBase: Int) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(indexBase)-based (--index-base)"),
      .assumed("boxes are the tight boxes of the points"),
      .assumed(
        "angles are radians of 3DDFA's rotation: a positive yaw turns the nose to the left of the "
          + "image; depths grow towards the camera"),
    ]
    remarks.assume(wrapped, "angles beyond half a turn are wrapped: the rotation is the same")
    remarks.assume(flat, "faces have points without depth (pt2d)")
    remarks.assume(outside, "faces have points outside of their image, which are kept")
    remarks.assume(
      farOutside, "of these have points farther outside than the size of the image: check them")
    for (name, count) in leftOut.sorted(by: { $0.key < $1.key }) {
      remarks.drop(count, "faces with \(name), which is left out")
    }
    remarks.drop(landmarkFiles, "files of landmarks/ left out, which repeat the points")
    remarks.drop(imagesWithout, "images without a .mat file left out")
    return remarks
  }
}
