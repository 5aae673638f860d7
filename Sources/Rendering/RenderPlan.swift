package import Datasets
internal import FaceCore
internal import Foundation
internal import Imaging
package import Platform
internal import Statistics

/// Renders a design for a number of people into a dataset.
package struct RenderPlan: Sendable {
  /// What varies.
  package var design: RenderDesign
  /// How many people; the first n are the same for each larger number.
  package var people: Int
  /// Where random numbers start.
  package var seed: UInt64
  /// Images per person of `random`.
  package var imagesPerPerson: Int
  /// Frames per clip.
  package var framesPerClip: Int
  /// Frames per second of clips.
  package var framesPerSecond: Double

  /// Plans a dataset.
  package init(
    design: RenderDesign, people: Int, seed: UInt64 = 1, imagesPerPerson: Int = 50,
    framesPerClip: Int = 90, framesPerSecond: Double = 30
  ) {
    (self.design, self.people, self.seed) = (design, people, seed)
    (self.imagesPerPerson, self.framesPerClip) = (imagesPerPerson, framesPerClip)
    self.framesPerSecond = framesPerSecond
  }

  /// How many frames there will be.
  package func frameCount(camera: RenderCamera) -> Int {
    people * sequences(ofPerson: 0, camera: camera).reduce(0) { $0 + $1.frames.count }
  }

  /// Adds all frames to a writer; throws `.interrupted` if the caller asks to stop.
  package func run(
    _ renderer: HeadRenderer, into writer: DatasetWriter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) {
    for number in 0..<people {
      let person = RenderedPerson(number: number, seed: seed, kit: renderer.kit)
      for sequence in sequences(ofPerson: number, camera: renderer.camera) {
        try add(sequence, of: person, renderer, writer, advance, isInterrupted)
      }
    }
  }

  private func add(
    _ sequence: RenderedSequence, of person: RenderedPerson, _ renderer: HeadRenderer,
    _ writer: DatasetWriter, _ advance: (Int) -> Void, _ isInterrupted: () -> Bool
  ) throws(FileError) {
    writer.beginSequence(
      SequenceDescription(
        name: sequence.name, kind: sequence.isVideo ? .video : .still,
        subject: "person \(person.number)",
        framesPerSecond: sequence.isVideo ? framesPerSecond : 0), gathersStills: true)
    let wave = ProcessInfo.processInfo.activeProcessorCount
    for start in stride(from: 0, to: sequence.frames.count, by: wave) {
      guard !isInterrupted() else {
        throw FileError(
          .interrupted, "interrupted after \(writer.frameCount) frames; nothing was written")
      }
      let part = Array(start..<min(start + wave, sequence.frames.count))
      let first = writer.frameCount - start
      let made = try part.concurrentMap { (index) throws(FileError) in
        try frame(first + index, renderer, person, sequence.frames[index].setting)
      }
      for (index, result) in zip(part, made) {
        let frame = sequence.frames[index]
        let seconds = sequence.isVideo ? Double(index) / framesPerSecond : 0
        try writer.add(
          name: "\(sequence.name)/\(frame.name)", image: result.bytes, size: renderer.camera.size,
          timestampMicroseconds: Int64((seconds * 1_000_000).rounded()), faces: [result.label],
          context: context(of: frame.setting, person, renderer.camera))
        advance(1)
      }
    }
  }

  private func frame(
    _ frame: Int, _ renderer: HeadRenderer, _ person: RenderedPerson, _ setting: RenderSetting
  ) throws(FileError) -> (bytes: [UInt8], label: FaceLabel) {
    var noise = SplitMix64(seed: seed &+ 1, draw: frame)
    let rendered = renderer.render(person, setting, seed: noise.next())
    do {
      return (try rendered.pixels.jpegBytes(quality: 95, chroma: .full), rendered.label)
    } catch {
      throw FileError(.cannotWrite, "cannot render frame \(frame): \(error.description)")
    }
  }

  /// The camera, and the facts of the frame by which results can be split.
  private func context(
    of setting: RenderSetting, _ person: RenderedPerson, _ camera: RenderCamera
  ) -> FrameContext {
    let light = setting.light
    let position = setting.placement.position
    return FrameContext(
      intrinsics: camera.intrinsics,
      attributes: [
        "skin-tone-ita": person.skinTone, "distance-cm": -position.z,
        "light-azimuth-degrees": light.azimuth, "light-elevation-degrees": light.elevation,
        "light-ambient": light.ambient, "light-intensity": light.intensity,
      ])
  }

  private func sequences(ofPerson number: Int, camera: RenderCamera) -> [RenderedSequence] {
    let title = "person-\(number)/\(design.rawValue)"
    switch design {
    case .clips:
      let duration = Double(framesPerClip) / framesPerSecond
      return RenderClip.allCases.map { clip in
        RenderedSequence(
          name: "\(title)/\(clip.rawValue)", isVideo: true,
          frames: (0..<framesPerClip).map { index in
            ("\(index)", clip.setting(at: Double(index) / framesPerSecond, of: duration))
          })
      }
    case .random:
      var random = SplitMix64(seed: seed &+ 2, draw: number)
      return [
        RenderedSequence(
          name: title,
          frames: (0..<imagesPerPerson).map { index in
            ("\(index)", .random(&random, camera: camera))
          })
      ]
    default: return [RenderedSequence(name: title, frames: design.stills(camera: camera))]
    }
  }
}
