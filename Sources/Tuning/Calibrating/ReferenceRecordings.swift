internal import Calibration
internal import Datasets
internal import FaceCore
internal import Foundation
internal import Records
internal import Running
internal import Scoring

/// Labelled blendshapes of a run's videos, from recordings on clocks of their own.
struct ReferenceRecordings {
  /// One video with its recording.
  private struct Take {
    let curve: BlendshapeCurve
    let offset: TimeOffset
    /// Moments that are further apart have nothing between them, in seconds.
    let reach: Double
  }

  private var takes: [Int: Take] = [:]
  /// What was found, by the video's name.
  private(set) var offsets: [String: TimeOffset] = [:]
  /// What a reader must know, a sentence each.
  private(set) var notes: [String] = []
  /// What is suspect about the recorded coefficients beside the predicted ones.
  private(set) var findings: [Finding] = []

  /// Why what is fitted to them is probably wrong; nil where nothing is suspect.
  var objection: String? {
    findings.first { $0.severity == .suspect }.map { "\($0.summary) \($0.remedy ?? "")" }
  }

  /// Joins each video to the recording of its name, or the only one to the only one.
  ///
  /// Throws where there is no such pair, and for a time offset that is ambiguous.
  init(
    _ url: URL, of run: StoredRun.Opened, on dataset: DatasetReader, timeOffset given: Double?,
    maxTimeOffset: Double, monitor: RunMonitor
  ) throws {
    let recording = try DatasetReader(url)
    let videos = dataset.sequences.indices.filter { dataset.sequences[$0].kind == .video }
    let recorded = recording.sequences.indices.filter { recording.sequences[$0].kind == .video }
    func plain(_ name: String) -> String {
      URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent
    }
    var pairs: [(video: Int, take: Int)] = []
    if videos.count == 1, recorded.count == 1 {
      pairs = [(videos[0], recorded[0])]
    } else {
      for video in videos {
        let name = plain(dataset.sequences[video].name)
        let named = recorded.filter { plain(recording.sequences[$0].name) == name }
        if named.count == 1 { pairs.append((video, named[0])) }
      }
    }
    guard !pairs.isEmpty else {
      throw EvaluationError.wrongData(
        "cannot join \(url.relativePath) to \(dataset.url.relativePath): expected a video of the same "
          + "name in both, or one in each, found \(recorded.count) and \(videos.count)")
    }
    monitor.begin(.joiningRecording, pairs.count)
    for (video, take) in pairs {
      try monitor.check("while joining the recording")
      let sequence = dataset.sequences[video]
      let recorded = recording.sequences[take]
      var curve = BlendshapeCurve()
      for range in try PredictionPass.ranges(of: recorded.frames, recording) {
        for (frame, labels) in zip(try recording.frames(range), try recording.faces(range)) {
          guard let face = labels.first?.blendshapes else { continue }
          curve.add(face, at: Double(frame.timestampMicroseconds) / 1_000_000)
        }
      }
      var predicted = BlendshapeCurve()
      for range in try PredictionPass.ranges(of: sequence.frames, nil, [run.predictions]) {
        let frames = try dataset.frames(range)
        for (frame, prediction) in zip(frames, try run.predictions.predictions(range)) {
          let faces = run.tracker.counted(prediction).faces
          guard let face = faces.first?.blendshapes else { continue }
          predicted.add(face, at: Double(frame.timestampMicroseconds) / 1_000_000)
        }
      }
      let offset: TimeOffset
      if let given {
        offset = TimeOffset(given: given)
      } else {
        do throws(CalibrationError) {
          offset = try TimeOffset(of: curve, to: predicted, range: maxTimeOffset)
        } catch {
          throw EvaluationError.wrongData("\(sequence.name): \(error) (--time-offset gives it)")
        }
      }
      takes[video] = Take(curve: curve, offset: offset, reach: 2.5 * (curve.usualStep ?? 0))
      offsets[sequence.name] = offset
      let found = try Self.findings(in: sequence, of: run, on: dataset) { coefficients(of: $0) }
      findings += found.filter { $0.severity == .suspect }
      monitor.advance(by: 1)
    }
    if pairs.count < videos.count {
      notes.append(
        "\(videos.count - pairs.count) of \(videos.count) videos have no recording of their name.")
    }
  }

  /// About how many frames of a video are checked.
  private static let checked = 1000

  /// What is suspect in a video's coefficients, as in a recording of a mirrored face or in percent.
  private static func findings(
    in sequence: SequenceDescription, of run: StoredRun.Opened, on dataset: DatasetReader,
    recorded: (Frame) -> [Float]?
  ) throws -> [Finding] {
    var joined: [(frame: Frame, recorded: [Float], prediction: FramePrediction)] = []
    let step = max(1, sequence.frames.count / checked)
    for range in try PredictionPass.ranges(of: sequence.frames, nil, [run.predictions]) {
      let frames = try dataset.frames(range)
      for (frame, raw) in zip(frames, try run.predictions.predictions(range))
      where frame.index % step == 0 {
        guard let coefficients = recorded(frame) else { continue }
        joined.append((frame, coefficients, run.tracker.counted(raw)))
      }
    }
    return .of(joined, format: run.predictions.header.options[PredictionsHeader.trackerOption])
  }

  /// The recorded coefficients at a frame's time; nil where there are none.
  func coefficients(of frame: Frame) -> [Float]? {
    takes[frame.sequence].flatMap { take in
      take.curve.coefficients(
        at: take.offset.recordingTime(at: Double(frame.timestampMicroseconds) / 1_000_000),
        reach: take.reach)
    }
  }
}
