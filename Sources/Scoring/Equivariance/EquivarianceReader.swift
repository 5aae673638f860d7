internal import Datasets
internal import FaceCore
internal import Imaging
internal import Metrics
internal import Platform
internal import Running

/// Reads originals and the transformed images that follow each, and compares what a tracker found.
struct EquivarianceReader {
  /// By transformation of the image.
  private(set) var sums: [ImageTransformation: EquivarianceSums] = [:]
  /// Whether the points of some face have no other sides that are known.
  private(set) var hasUnknownSides = false
  /// Transformed images whose original does not stand before them.
  private(set) var withoutOriginal = 0
  /// Transformed images that were not analysed, or whose original was not, as broken ones are not.
  private(set) var notAnalysed = 0
  private var clusters: FrameClusters
  private var original: (frame: Frame, prediction: FramePrediction, cluster: Int)?

  /// Two faces with a smaller intersection over union are not the same.
  private static let minOverlap = 0.3

  /// Reads into clusters that hold no frames yet.
  init(clusters: FrameClusters) { self.clusters = clusters }

  mutating func read(
    _ dataset: DatasetReader, _ run: StoredRun.Opened, _ monitor: RunMonitor
  ) throws {
    monitor.begin(.reading, dataset.frameCount)
    let ranges = try PredictionPass.ranges(of: 0..<dataset.frameCount, nil, [run.predictions])
    for range in ranges {
      try monitor.check("while reading")
      let predictions = try run.predictions.predictions(range).map { run.tracker.counted($0) }
      let contexts = try dataset.contexts(range)
      for (index, frame) in try dataset.frames(range).enumerated() {
        add(
          frame, dataset.sequence(frame.sequence)?.subject ?? "", contexts[index].attributes,
          predictions[index])
      }
      monitor.advance(by: range.count)
    }
  }

  private mutating func add(
    _ frame: Frame, _ subject: String, _ attributes: [String: Double],
    _ prediction: FramePrediction
  ) {
    clusters.add(frame.index, sequence: frame.sequence, subject: subject, isVideo: false)
    guard let cluster = clusters.cluster(of: frame.index) else { return }
    if ImageTransformation.isOriginal(attributes) {
      original = (frame, prediction, cluster)
      return
    }
    guard let transformation = ImageTransformation(of: attributes) else { return }
    // All images of one original are one sequence, also in a part of the suite.
    guard let original, original.frame.sequence == frame.sequence else {
      withoutOriginal += 1
      return
    }
    guard original.prediction.status == .analysed, prediction.status == .analysed else {
      notAnalysed += 1
      return
    }
    let map = transformation.source(original.frame.size, transformed: frame.size)
    let faces = original.prediction.faces
    let back = prediction.faces.map { moved($0, by: map, transformation) }
    let pairs = faces.map(\.box).paired(with: back.map(\.box), least: Self.minOverlap)
    var sum = sums[transformation] ?? EquivarianceSums()
    sum.count(
      pairs: pairs.count, lost: faces.count - pairs.count,
      gained: back.count - pairs.count, cluster: cluster)
    for pair in pairs { sum.add(faces[pair.first], back[pair.second], cluster: cluster) }
    sums[transformation] = sum
  }

  /// The face in pixels of the original, with its sides exchanged where the image is a mirror image.
  private mutating func moved(
    _ face: FacePrediction, by map: AffineMap, _ transformation: ImageTransformation
  ) -> FacePrediction {
    var moved = face
    moved.points = face.points.map { point in
      let position = map(Point(x: Double(point.x), y: Double(point.y)))
      return SIMD3(Float(position.x), Float(position.y), point.z)
    }
    moved.ownBox = face.ownBox.flatMap { box in
      let corners = [(box.x, box.y), (box.maxX, box.y), (box.x, box.maxY), (box.maxX, box.maxY)]
      return BoundingBox(around: corners.map { map(Point(x: $0.0, y: $0.1)) })
    }
    guard transformation.isMirror else { return moved }
    if let shapes = face.blendshapes, shapes.count == Blendshape.otherSides.count {
      moved.blendshapes = Blendshape.otherSides.map { shapes[$0] }
    }
    if let others = face.scheme?.otherSides, others.count == moved.points.count {
      let points = moved.points
      moved.points = others.map { points[$0] }
    } else if !face.points.isEmpty {
      hasUnknownSides = true
      // Without points it would have no place, and count as a lost face.
      moved.ownBox = moved.box
      moved.points = []
    }
    return moved
  }
}
