import Records

/// A record like those of real runs, the same on every machine.
enum Sample {
  static let record: Record = {
    var record = Record(
      tool: Record.Tool(name: "facegauge", version: "0.1.0", build: "release"),
      created: "2026-03-14T09:26:53Z",
      dataset: Record.DatasetSummary(
        name: "street-faces", sha256: hash("a1"), frames: 1204, faces: 1873, sequences: 12,
        badFrames: 3),
      models: [
        Record.Model(name: "blaze_face_short_range", stage: "detection", sha256: hash("b7"))
      ],
      options: [
        "num-faces": "1", "min-face-detection-confidence": "0.5", "mode": "image", "jobs": "2",
      ],
      host: Record.Host(
        cpu: "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", cores: 2,
        blasVersion: "OpenBLAS 0.3.29",
        blasCore: "SkylakeX", blasThreads: 2, kernels: "x86-64-v4",
        environment: ["OPENBLAS_NUM_THREADS": "2"],
        loadAverage: 0.42, system: "Debian GNU/Linux 13"),
      notes: [
        "num-faces 1 cuts off 669 of 1,873 labelled faces: recall at the operating settings cannot"
          + " exceed 0.643.",
        "3 images could not be decoded; they are left out of every metric.",
      ],
      measurements: detection + latency, headlines: headlines,
      series: [precisionRecall, scores, latencyHistogram, misses],
      gallery: (1...6).map { index in
        Record.Image(
          file: "worst-0\(index).png", frame: "crossing/frame_0\(index * 37).jpg",
          caption: "\(7 - index) missed, \(index % 3) false positive\(index % 3 == 1 ? "" : "s")",
          width: index % 2 == 0 ? 480 : 320, height: 360)
      })
    record.gates = record.evaluate([
      Gate(metric: "detection.recall@score", direction: .atLeast, limit: 0.6),
      Gate(metric: "detection.ap50", direction: .atLeast, limit: 0.75),
      Gate(metric: "detection.ap_large", direction: .atLeast, limit: 0.5),
      Gate(metric: "latency.total.p50", direction: .atMost, limit: 8),
      Gate(metric: "latency.total.p99", direction: .atMost, limit: 20),
      Gate(metric: "landmarks.nme.interocular", direction: .atMost, limit: 0.05),
    ])
    return record
  }()

  private static let headlines = [
    "detection.ap", "detection.ap50", "detection.recall@score", "detection.precision@score",
    "detection.fp_per_image@score", "landmarks.found_share",
    "landmarks.nme.interocular.conditional", "landmarks.auc.interocular@0.08",
    "tracking.tracked_share", "tracking.losses_per_minute", "tracking.detector_rate",
    "jitter.static.interocular", "lag.ms", "latency.total.p50", "latency.total.p99",
  ]

  /// The same run without anything that it found.
  static let empty: Record = {
    var empty = record
    (empty.notes, empty.measurements, empty.series) = ([], [], [])
    (empty.gallery, empty.gates) = ([], [])
    return empty
  }()

  /// The sections that the record fills.
  static let sectionIDs = [
    "summary", "gates", "detection", "latency", "headlines", "scores", "worst-images", "misses",
    "provenance",
  ]

  /// Sixty-four hexadecimal digits.
  static func hash(_ byte: String) -> String {
    String(repeating: byte, count: 32)
  }

  private static let detection: [Measurement] = {
    let metrics: [(String, String, Double?)] = [
      ("ap", "AP at IoU .50:.95", 0.4126), ("ap50", "AP at IoU .50", 0.7318),
      ("ap75", "AP at IoU .75", 0.4087), ("ap_small", "AP of small faces", 0.0832),
      ("ap_medium", "AP of medium faces", 0.4711), ("ap_large", "AP of large faces", nil),
      ("ar1", "AR of 1 detection", 0.3304), ("ar10", "AR of 10 detections", 0.4892),
      ("ar100", "AR of 100 detections", 0.4901), ("recall@score", "Recall", 0.6124),
      ("precision@score", "Precision", 0.9576), ("f1@score", "F1", 0.747),
      ("fp_per_image@score", "False positives per image", 0.0374),
    ]
    return metrics.map { name, title, value in
      Measurement(
        name: "detection.\(name)", title: title, stage: "detection", value: value,
        reason: value == nil ? "no labelled face is larger than 96² pixels" : nil,
        unit: name == "fp_per_image@score" ? "1/image" : "1",
        better: name == "fp_per_image@score" ? .lower : .higher,
        n: name == "fp_per_image@score" ? 1201 : name == "ap_large" ? 0 : 1873)
    }
  }()

  private static let latency: [Measurement] = {
    let stages: [(String, Double, Double, Double)] = [
      ("decode", 2.214, 3.371, 5.09), ("detect.preprocess", 0.412, 0.487, 0.731),
      ("detect.infer", 3.087, 3.342, 4.615), ("detect.decode", 0.061, 0.083, 0.144),
      ("total", 5.84, 7.21, 10.92), ("unaccounted", 0.052, 0.064, 0.108),
    ]
    return stages.flatMap { stage, p50, p90, p99 in
      [("p50", p50), ("p90", p90), ("p99", p99)].map { percentile, value in
        Measurement(
          name: "latency.\(stage).\(percentile)",
          title: "Latency, \(percentile.dropFirst())th percentile", stage: "latency", value: value,
          needs: stage == "total" && percentile == "p99" ? 2000 : nil, unit: "ms",
          better: .lower, n: 1201)
      }
    }
  }()

  private static let precisionRecall: Series = {
    func line(_ label: String, end: Double, bend: Double) -> Series.Line {
      let recalls = (0...100).map { Double($0) / 100 }
      return Series.Line(
        label: label, x: recalls,
        y: recalls.map { $0 > end ? 0 : 1 - (1 - 0.6 * bend) * power($0 / end, bend > 0 ? 3 : 10) })
    }
    return Series(
      name: "detection.pr@50", title: "Precision and recall",
      content: .curve(
        Series.Curve(
          xLabel: "recall", yLabel: "precision",
          lines: [line("IoU .50", end: 0.84, bend: 0), line("IoU .75", end: 0.62, bend: 0.8)],
          marks: [Series.Mark(label: "score 0.5", x: 0.6124, y: 0.9576)])))
  }()

  /// A whole power, by repeated products, so that every machine gives the same bits.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    (0..<Int(exponent)).reduce(1) { product, _ in product * base }
  }

  private static let scores = Series(
    name: "detection.scores", title: "Scores of true and false positives",
    content: .histogram(
      Series.Histogram(
        xLabel: "score", edges: (0...20).map { Double($0) / 20 },
        groups: ["true positives", "false positives"],
        counts: [
          [0, 12, 15, 17, 22, 20, 25, 31, 30, 41, 48, 52, 66, 81, 97, 130, 171, 214, 262, 119],
          [0, 1412, 733, 402, 251, 160, 111, 70, 48, 32, 17, 11, 8, 4, 3, 1, 1, 0, 0, 0],
        ],
        marks: [Series.Mark(label: "threshold", x: 0.5, y: 0)])))

  private static let latencyHistogram = Series(
    name: "latency.total", title: "Latency of whole frames",
    content: .histogram(
      Series.Histogram(
        xLabel: "ms", edges: (0...30).map { 4 + Double($0) * 0.25 }, groups: ["frames"],
        counts: [
          [
            2, 9, 31, 64, 102, 148, 163, 141, 118, 92, 71, 55, 44, 36, 29, 22, 17, 13, 11, 8, 6, 5,
            4, 3, 2, 2, 1, 1, 0, 1,
          ]
        ],
        marks: [
          Series.Mark(label: "p50", x: 5.84, y: 0), Series.Mark(label: "p90", x: 7.21, y: 0),
          Series.Mark(label: "p99", x: 10.92, y: 0),
        ])))

  private static let misses = Series(
    name: "detection.misses", title: "Labelled faces that were not found",
    content: .table(
      Series.Table(
        columns: ["frame", "face", "box", "why"],
        rows: (0..<57).map { index in
          [
            "crossing/frame_\(100 + index * 7).jpg", "\(index % 4)",
            "\(31 + index * 5), \(40 + index), \(12 + index % 9) × \(14 + index % 9) px",
            index % 3 == 0
              ? "cut off by num-faces 1" : "best score 0.\(11 + index % 37) under 0.5",
          ]
        })))
}

extension Sample {
  /// A video run of the whole pipeline without the blendshape model, the same on every machine.
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
    run.measurements = landmarkMetrics + trackingMetrics + populations
    run.series = normalizers.map { cumulative($0.name, reach: $0.scale) } + [losses]
    return run
  }()

  /// The sections that the record fills.
  static let pipelineSectionIDs = [
    "summary", "headlines", "stages", "landmarks", "tracking", "latency", "provenance",
  ]

  private static let normalizers: [(name: String, scale: Double)] = [
    ("interocular", 1), ("interpupil", 1.4375), ("box", 0.5), ("diagonal", 0.375),
  ]

  private static let landmarkMetrics: [Measurement] = {
    func metric(
      _ name: String, _ value: Double?, _ better: Direction = .lower, n: Int, reason: String = ""
    ) -> Measurement {
      Measurement(
        name: "landmarks.\(name)", title: "Metric \(name)", stage: "landmarks", value: value,
        reason: value == nil ? reason : nil, unit: name.hasPrefix("faces") ? "faces" : "1",
        better: better, n: n)
    }
    let found = Measurement(
      name: "landmarks.found_share", title: "Share of faces with landmarks", stage: "landmarks",
      value: 0.953125, unit: "1", better: .higher, n: 320)
    return [found]
      + normalizers.flatMap { name, scale in
        [
          metric(
            "nme.\(name)", nil, n: 320,
            reason: "15 of 320 labelled faces have no prediction, their error is infinite;"
              + " landmarks.nme.\(name).conditional is the mean over the others"),
          metric("nme.\(name).conditional", 0.0625 * scale, n: 305),
          metric("nme.\(name).visible", nil, n: 0, reason: "no label states what is visible"),
          metric("fr.\(name)@0.08", 0.140625 * scale, n: 320),
          metric("fr.\(name)@0.10", 0.09375 * scale, n: 320),
          metric("auc.\(name)@0.08", 0.25 / scale, .higher, n: 320),
          metric("auc.\(name)@0.10", 0.375 / scale, .higher, n: 320),
          metric("nme.\(name).eyes.conditional", 0.03125 * scale, n: 305),
          metric("nme.\(name).jaw.conditional", 0.09375 * scale, n: 301),
          metric("faces_without.\(name)", name == "interpupil" ? 4 : 0, n: 320),
        ]
      }
  }()

  private static let trackingMetrics: [Measurement] = {
    let metrics: [(String, String, Double?, String)] = [
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
    return metrics.map { name, title, value, unit in
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
        return [("p50", value), ("p90", value * 1.5)].map { metric, value in
          Measurement(
            name: "latency.\(stage).\(metric)", title: "Latency", stage: "latency", value: value,
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
