import Records

extension Sample {
  /// A video run of the whole pipeline without the blendshape net, the same on every machine.
  static let pipeline: Record = {
    var run = empty
    run.models.append(
      Record.Model(name: "face-landmarks-v2", stage: "landmarks", sha256: hash("c7")))
    run.stages = [
      Record.Stage(name: "detection", state: .ran), Record.Stage(name: "landmarks", state: .ran),
      Record.Stage(
        name: "blendshapes", state: .noModel,
        reason: "no model: face_blendshapes.tflite is only in face_landmarker.task"),
      Record.Stage(name: "smoothing", state: .off, reason: "num-faces is not 1"),
    ]
    run.measurements = landmarkFigures + trackingFigures + populations
    run.series = normalizers.map { cumulative($0.name, reach: $0.scale) } + [losses]
    return run
  }()

  /// The sections that the record fills.
  static let pipelineSectionIDs = [
    "summary", "stages", "landmarks", "tracking", "latency", "provenance",
  ]

  private static let normalizers: [(name: String, scale: Double)] = [
    ("interocular", 1), ("interpupil", 1.4375), ("box", 0.5), ("diagonal", 0.375),
  ]

  private static let landmarkFigures: [Measurement] = {
    func figure(
      _ name: String, _ value: Double?, _ better: Direction = .lower, n: Int, reason: String = ""
    ) -> Measurement {
      Measurement(
        name: "landmarks.\(name)", title: "Figure \(name)", stage: "landmarks", value: value,
        reason: value == nil ? reason : nil, unit: name.hasPrefix("faces") ? "faces" : "1",
        better: better, n: n)
    }
    let found = Measurement(
      name: "landmarks.found_share", title: "Share of faces with landmarks", stage: "landmarks",
      value: 0.953125, unit: "1", better: .higher, n: 320)
    return [found]
      + normalizers.flatMap { name, scale in
        [
          figure(
            "nme.\(name)", nil, n: 320,
            reason: "15 of 320 labelled faces have no prediction, their error is infinite;"
              + " landmarks.nme.\(name).conditional is the mean over the others"),
          figure("nme.\(name).conditional", 0.0625 * scale, n: 305),
          figure("nme.\(name).visible", nil, n: 0, reason: "no label says what is visible"),
          figure("fr.\(name)@0.08", 0.140625 * scale, n: 320),
          figure("fr.\(name)@0.10", 0.09375 * scale, n: 320),
          figure("auc.\(name)@0.08", 0.25 / scale, .higher, n: 320),
          figure("auc.\(name)@0.10", 0.375 / scale, .higher, n: 320),
          figure("nme.\(name).eyes.conditional", 0.03125 * scale, n: 305),
          figure("nme.\(name).jaw.conditional", 0.09375 * scale, n: 301),
          figure("faces_without.\(name)", name == "interpupil" ? 4 : 0, n: 320),
        ]
      }
  }()

  private static let trackingFigures: [Measurement] = {
    let figures: [(String, String, Double?, String)] = [
      ("tracking.tracked_share", "Tracked share", 0.96875, "1"),
      ("tracking.losses", "Losses", 3, "losses"),
      ("tracking.losses_per_minute", "Losses per minute", 4.5, "1/min"),
      ("tracking.reacquire_ms.median", "Time to find a lost face again, median", 366, "ms"),
      (
        "tracking.reacquire_ms.p95", "Time to find a lost face again, 95th percentile", nil, "ms"
      ),
      ("tracking.longest_gap_ms", "Longest gap", 1200, "ms"),
      ("tracking.detector_rate", "Detector rate", 0.0625, "1"),
      ("tracking.dropped_frames", "Dropped frames", 0, "frames"),
      ("jitter.static", "Static jitter", 0.375, "px"),
      ("jitter.static.interocular", "Static jitter by interocular", 3.5, "‰"),
      ("jitter.static.unsmoothed", "Static jitter before smoothing", 1.25, "px"),
      ("lag.ms", "Lag of smoothing", 21.5, "ms"),
    ]
    return figures.map { name, title, value, unit in
      Measurement(
        name: name, title: title, stage: "tracking", value: value,
        reason: value == nil ? "needs 20 losses that end, there are 2" : nil,
        needs: value == nil ? 20 : nil, unit: unit,
        better: name == "tracking.tracked_share" ? .higher : .lower,
        n: value == nil ? 2 : 1180)
    }
  }()

  private static let populations: [Measurement] = {
    let times: [(String, Double?, Double?)] = [
      ("decode", 2.25, 2.25), ("detect.infer", 3.125, nil), ("landmark.crop", 0.5, 0.5),
      ("landmark.infer", 9.25, 9.125), ("total", 15.5, 12.25),
    ]
    return [nil, "detector_ran", "tracked"].flatMap { (slice: String?) in
      times.flatMap { stage, detected, tracked -> [Measurement] in
        guard let value = slice == "tracked" ? tracked : detected else { return [] }
        return [("p50", value), ("p90", value * 1.5)].map { figure, value in
          Measurement(
            name: "latency.\(stage).\(figure)", title: "Latency", stage: "latency", value: value,
            unit: "ms", better: .lower, n: slice == "detector_ran" ? 74 : 1106, slice: slice)
        }
      }
    }
  }()

  private static func cumulative(_ normalizer: String, reach: Double) -> Series {
    let x = (0...40).map { Double($0) / 200 }
    return Series(
      name: "landmarks.ced.\(normalizer)", title: "Cumulative errors by \(normalizer)",
      content: .curve(
        Series.Curve(
          xLabel: "NME (by \(normalizer))", yLabel: "share of labelled faces",
          lines: [
            Series.Line(
              label: "all labelled faces", x: x,
              y: x.map { min(0.953125, $0 * $0 / (0.015625 * reach)) })
          ], marks: [Series.Mark(label: "at 0.08", x: 0.08, y: 0.0064 / (0.015625 * reach))])))
  }

  private static let losses = Series(
    name: "tracking.losses", title: "Losses",
    content: .table(
      Series.Table(
        columns: ["sequence", "face", "frame lost", "frame re-acquired", "gap (ms)"],
        rows: [["walk", "any", "118", "129", "366.667"], ["turn", "any", "402", "never", "1200"]])))
}
