import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import Running
import TestSupport
import Testing

@Suite(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
struct LabelledFaceReaderTests {
  /// AFLW2000-3D's poses and the landmark model differ by 4.7° in the mean, and by 19° in a profile.
  @Test func `yaw is near the labelled one, also of faces that no detector was asked for`() throws {
    let folder = try TemporaryFolder()
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: false)
    _ = try DatasetImport(
      format: AFLW2000(), sources: [Shared.data("aflw2000-prnet")], options: ImportOptions(),
      isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    let reader = try LabelledFaceReader(models: Shared.bundle)
    var plan = DatasetAnnotation([.yaw, .skinTone])
    plan.look = { (label, image) throws(FileError) in try reader.sight(of: label, in: image) }
    let copy = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: false)
    let source = try DatasetReader(folder.file("a.h5"))
    let summary = try plan.run(
      over: source, into: copy, advance: { _ in }, isInterrupted: { false })
    try copy.finish()
    #expect(summary.faces == 16 && summary.slices[0].reduce(0, +) == 16)
    let labels = try DatasetReader(folder.file("b.h5")).labels(0..<16).map {
      try #require($0.first)
    }
    let errors = try labels.map { label in
      let pose = try #require(label.pose.flatMap { Rotation($0) })
      return HeadAngles.difference(
        HeadAngles(pose).yaw, try #require(label.attributes["computed.yaw"]))
    }
    #expect(errors.reduce(0, +) / 16 < 6 && errors.max() ?? 90 < 25, "\(errors)")
    let blank = PixelBuffer(width: 200, height: 200, color: .white)
    #expect(
      try reader.sight(
        of: FaceLabel(box: BoundingBox(x: 40, y: 40, width: 100, height: 100)), in: blank) == nil)
  }
}
