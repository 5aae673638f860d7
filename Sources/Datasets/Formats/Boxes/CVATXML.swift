internal import FaceCore
package import Foundation
package import Platform

/// The XML that CVAT exports as "CVAT for images 1.1" or "CVAT for video 1.1": boxes, points and skeletons.
package struct CVATXML: DatasetFormat {
  package let name = "cvat"
  package let summary = "CVAT XML for images or video: boxes, points, skeletons, tracks"
  package let numbersTracks = true
  package let settings = ImportSetting.ofPoints.union([.category, .framesPerSecond])
  /// Points are known by their number and place.
  package let decidesPoints = true

  package init() {}

  /// An XML file with an `<annotations>` element.
  package func recognises(_ source: URL) -> String? {
    SourceFiles.head(of: source, type: "xml")?.contains(/<annotations[\s>]/) == true
      ? "an XML file with an <annotations> element" : nil
  }

  /// Reads each file; image names are relative to it, and frames of tracks have labels alone.
  ///
  /// Of several files, or splits, all labels are read before the first frame.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [.assumed("pixels count from 0, as in CVAT")]
    var only: CVATDocument?
    var labels = CVATDocument.Labels()
    let labelled = options.filesOfLabels(sources)
    for source in labelled {
      let document = try Self.document(source)
      labels.add(document.labels)
      if labelled.count == 1 { only = document }
    }
    let choice = try FaceCategories(
      options.categories, ofLabels: labels.names, in: SourceFiles.list(labelled))
    if let choice { remarks.append(choice.remark(ofLabels: labels.names.count)) }
    var faces = CVATFaces(options, labels, choice)
    let titles = SourceFiles.Titles(sources)
    for source in sources {
      let document: CVATDocument
      if let only { document = only } else { document = try Self.document(source) }
      faces.begin(document)
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      faces.sample(document.images)
      for image in document.images {
        var frame = ImportedFrame(
          image.name, in: folder, faces: try faces.labels(of: image, in: source.relativePath))
        frame.statedSize = image.size
        faces.addSplit(image.subset, to: &frame)
        try sink(frame)
      }
      try document.forEachRecording(title: titles[source], in: source) {
        (recording) throws(FileError) in
        faces.sample(recording.frames)
        for (position, image) in recording.frames.enumerated() {
          var frame = recording.frame(
            position, at: options.framesPerSecond ?? 30,
            faces: try faces.labels(of: image, in: source.relativePath))
          frame.statedSize = image.size
          faces.addSplit(image.subset, to: &frame)
          try sink(frame)
        }
        remarks += recording.remarks(hasRate: options.framesPerSecond != nil)
      }
    }
    return remarks + faces.remarks
  }

  private static func document(_ source: URL) throws(FileError) -> CVATDocument {
    let document = CVATDocument()
    try document.read(source)
    let hasClip = document.images.isEmpty && document.tasks.contains(where: \.isClip)
    guard !document.images.isEmpty || !document.tracks.isEmpty || hasClip else {
      throw FileError.wrongData(
        "cannot read \(source.relativePath): expected <image> or <track> elements of CVAT, found none"
      )
    }
    return document
  }
}

extension CVATDocument {
  /// Passes on the recordings of the tracks, one a task, of which one is in memory at a time.
  ///
  /// Throws for more frames than a file of its size has.
  fileprivate func forEachRecording(
    title: String, in source: URL, _ use: (CVATRecording) throws(FileError) -> Void
  ) throws(FileError) {
    var ofTasks = OrderedGroups<String?, CVATTrack>()
    for track in tracks { ofTasks.add(track, to: track.task) }
    let groups = ofTasks.keys.map { (task: $0, tracks: ofTasks[$0]) }
    let named = Dictionary(
      tasks.compactMap { task in task.values["id"].map { ($0, task) } },
      uniquingKeysWith: { first, _ in first })
    let owners: [CVATTask?] = groups.map { group in
      group.task.map { named[$0] } ?? tasks.first
    }
    let shown = Set(groups.map { $0.task ?? tasks.first?.values["id"] })
    let isWhole = images.isEmpty && shown.isSubset(of: tasks.map { $0.values["id"] })
    let empty = isWhole ? tasks.filter { $0.isClip && !shown.contains($0.values["id"]) } : []
    let byteCount = SourceFiles.byteCount(of: source)
    let limit = CVATRecording.mostFrames(in: source)
    let counts =
      zip(groups, owners).map { CVATRecording.frames(of: $1, $0.tracks).count }
      + empty.map { CVATRecording.frames(of: $0, []).count }
    // More of one task are refused with its name.
    let count = counts.reduce(0) { $0 + min($1, CVATRecording.frameLimit) }
    guard count <= limit else {
      throw FileError.wrongData(
        "cannot read \(source.relativePath): expected at most \(limit) frames of all tasks, found "
          + "\(count)")
    }
    var first = 0
    for (group, task) in zip(groups, owners) {
      try use(
        CVATRecording(
          group.tracks, of: task, title: title, first: first, byteCount: byteCount,
          in: source.relativePath))
      first += group.tracks.count
    }
    for task in empty {
      try use(
        CVATRecording(
          [], of: task, title: title, first: first, byteCount: 0, in: source.relativePath))
    }
  }
}

extension CVATRecording {
  /// What was assumed of it.
  fileprivate func remarks(hasRate: Bool) -> [ImportRemark] {
    var remarks: [ImportRemark] = [.assumed("\(name): frames have labels and no images")]
    remarks.assume("\(name): taken as 30 frames per second (--fps)", if: !hasRate)
    remarks.assume(
      "\(name): the file does not tell its length; taken up to the last shape", if: isOpen)
    remarks.assume(interpolated, "shapes between those of the file are interpolated", about: name)
    remarks.drop(
      repeated, "shapes left out, whose track has another one at the same frame", about: name)
    return remarks
  }
}
