internal import FaceCore
internal import Foundation
internal import Imaging
package import Platform

/// Makes a dataset of a dataset's images, each as it is and transformed in ways that move a face in a known way.
///
/// It has no labels: what a tracker finds in the transformed image is compared with what it finds in the original. A frame's
/// attribute `transform.NAME` is 1 where NAME transformed it; an original has 0 for all and comes before what is made of it.
package struct TransformationSuite: Sendable {
  /// What transforms the images.
  package var transformations: [ImageTransformation]
  /// Longest side of the images in pixels; larger ones are reduced.
  package var longestSide: Int

  /// Plans a suite.
  package init(
    transformations: [ImageTransformation] = ImageTransformation.allCases, longestSide: Int
  ) {
    self.transformations = transformations
    self.longestSide = longestSide
  }

  /// How many frames the suite has of each frame of the source.
  package var framesPerSource: Int { 1 + transformations.count }

  /// Adds the suite of a dataset to a writer; throws `.interrupted` if the caller asks to stop.
  ///
  /// All images of a still or a video have one subject. Returns how many frames have no image and are left out.
  package func run(
    over dataset: DatasetReader, into writer: DatasetWriter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) -> Int {
    for file in dataset.files + [dataset.url] { try writer.requireOther(than: file) }
    var withoutImage = 0
    for index in 0..<dataset.frameCount {
      try FileError.stop(
        if: isInterrupted(), "interrupted after \(writer.frameCount) frames; nothing was written")
      let frame = try dataset.frames(index..<index + 1)[0]
      if frame.hasNoImage {
        withoutImage += 1
      } else {
        try add(frame, dataset, writer)
      }
      advance(framesPerSource)
    }
    return withoutImage
  }

  private func add(
    _ frame: Frame, _ dataset: DatasetReader, _ writer: DatasetWriter
  ) throws(FileError) {
    let context = try dataset.contexts(frame.index..<frame.index + 1)[0]
    guard !ImageTransformation.isOriginal(context.attributes),
      ImageTransformation(of: context.attributes) == nil
    else {
      throw FileError.wrongData(
        "cannot transform \(dataset.url.relativePath): expected images that are not transformed, found "
          + "a transformed one in frame \(frame.index)")
    }
    let sequence = dataset.sequence(frame.sequence)
    let title = PathText(frame.name).withoutSuffix
    let subject = sequence.map { $0.subject.isEmpty && $0.kind == .video ? $0.name : $0.subject }
    writer.beginSequence(
      SequenceDescription(
        name: "\(title) (frame \(frame.index))", kind: .still,
        subject: subject.flatMap { $0.isEmpty ? nil : $0 } ?? "\(title) (frame \(frame.index))"),
      gathersStills: true)
    let variants: [ImageTransformation?] = [nil] + transformations
    do {
      let original = try dataset.image(frame.index).decoded().reduced(toFit: longestSide)
      let made = try variants.concurrentMap { (variant) throws(ImageError) in
        let image = try variant?.applied(to: original) ?? original
        return (bytes: try image.pngBytes(), size: image.size)
      }
      for (variant, image) in zip(variants, made) {
        var context = FrameContext()
        for one in transformations { context.attributes[one.attribute] = one == variant ? 1 : 0 }
        try writer.add(
          name: "\(title)/\(variant?.rawValue ?? "original")", image: image.bytes,
          size: image.size, faces: [], context: context)
      }
    } catch {
      throw FileError(reading: error) {
        .wrongData("cannot transform frame \(frame.index) of \(dataset.url.relativePath): \($0)")
      }
    }
  }
}
