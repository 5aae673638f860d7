import Records

/// A sweep that has something in every field and every kind of absence.
let fullSweep: Sweep = {
  var some = Sweep.Advice(
    objective: "max f1 where nme <= 0.1", metric: "f1", reason: nil)
  some.setting = 1
  some.parameters = [
    Sweep.ParameterChoice(
      name: "threshold", value: 0.5,
      interval: Interval(low: 0.3, high: 0.5, method: "bootstrap"), share: 0.75),
    Sweep.ParameterChoice(
      name: "cutoff", value: 2, interval: .none("no resamples were drawn"), share: nil),
  ]
  some.metrics = [
    Sweep.MetricChoice(
      name: "f1", value: 0.9, interval: Interval(low: 0.8, high: 0.95, method: "bootstrap"),
      heldOut: [0.75, nil], heldOutMean: 0.75),
    Sweep.MetricChoice(
      name: "nme", value: nil, interval: .none("undefined"), heldOut: [nil, nil],
      heldOutMean: nil),
  ]
  (some.draws, some.infeasibleDraws, some.brokenDraws) = (4, 1, 2)
  some.foldSettings = [0, nil]
  some.optimism = 0.15
  var evidence = Sweep.LimitEvidence()
  (evidence.plainSetting, evidence.plainValue) = (1, 0.9)
  (evidence.brokenShare, evidence.bounds) = (0.5, [nil])
  some.limits = evidence
  some.gain = Sweep.Gain(
    value: 0.1, interval: Interval(low: -0.1, high: 0.3, method: "max-t"),
    conclusion: .noEvidence)
  some.warnings = ["threshold 0.5 is the highest that was tried"]
  let none = Sweep.Advice(objective: "min nme", metric: "nme", reason: "nme is undefined")
  var sweep = Sweep(
    mode: "video",
    parameters: [
      Sweep.Parameter(
        name: "threshold", values: [0.3, 0.5], rule: .init(value: "jawOpen", side: "above")),
      Sweep.Parameter(name: "cutoff", unit: "Hz", values: [2], lowest: 0, highest: nil),
    ],
    metrics: [
      Sweep.Metric(name: "f1", title: "F1", unit: "1", better: .higher, note: "over faces"),
      Sweep.Metric(name: "nme", title: "NME", unit: "1", better: .closest, target: 0),
    ],
    settings: [[0.3, 2], [0.5, 2]], columns: ["f1": [0.8, 0.9], "nme": [0.125, nil]],
    defaultSetting: 0,
    cost: Sweep.Cost(
      settings: 2, frames: 5, detectorInferences: 5, landmarkInferences: 7,
      blendshapeInferences: 7, inferencesOfFullRuns: 30, distinctTracks: 3),
    advice: [some, none], fronts: [Sweep.Front(metrics: ["f1", "nme"], settings: [0])],
    effects: [
      Sweep.Effect(
        parameter: "threshold", metric: "f1", low: 0.8, high: 0.9, meanSpan: 0.1,
        intervalWidths: 0.5,
        isThere: true, reason: nil),
      Sweep.Effect(
        parameter: "cutoff", metric: "f1", low: nil, high: nil, meanSpan: nil, intervalWidths: nil,
        isThere: nil, reason: "no two settings differ in this parameter alone"),
    ])
  sweep.intervals = ["f1": [[0.7, 0.85], nil]]
  sweep.wrongFrames = Sweep.WrongFrames(
    frames: [Sweep.WrongFrames.Frame(index: 3, name: "d.jpg")],
    settings: [[Sweep.WrongFrames.Entry(position: 0, errors: 2)], []], counts: [4, 0])
  return sweep
}()
