package import Records

/// What a reader decides with: three answers in sentences, where it is worst, and the charts that they rest on.
package struct Decision: Sendable, Hashable {
  /// A question with its answer.
  package struct Answer: Sendable, Hashable {
    /// What is asked, such as `How accurate?`.
    package var question: String
    /// The answer, the most important sentence first; never empty.
    package var sentences: [String]
    /// The verdict of the gates that the answer is about; nil without any.
    package var verdict: Verdict?
  }

  /// The answers in reading order.
  package var answers: [Answer]
  /// Where the run is worst; nil where nothing says it.
  package var places: Table?
  /// The charts below the answers, at most three.
  package var figures: [Figure]

  /// The answers that a record has.
  package init(_ record: Record) {
    answers = [
      AccuracyAnswer(record: record).answer, Self.setting(of: record),
      LatencyAnswer(record: record).answer,
    ]
    places = record.sweep == nil ? WorstPlaces(record).table : nil
    figures =
      record.sweep.map { Array($0.decisiveFigures.prefix(3)) }
      ?? [
        Figure(mainMetricOf: record), Figure(worstSliceOf: record), Figure(latencyOf: record),
      ].compactMap { $0 }
    if record.profile != nil { figures += Figure.stages(of: record).prefix(2) }
  }

  /// Which setting to use, for each objective of a sweep; else which were used.
  private static func setting(of record: Record) -> Answer {
    let question = "Which setting?"
    guard let sweep = record.sweep else {
      let used = record.options["min-face-detection-confidence"]
        .map { "This run used min-face-detection-confidence \($0). " }
      return Answer(
        question: question,
        sentences: [(used ?? "") + "Not tuned: 'facegauge sweep' compares settings."])
    }
    guard !sweep.advice.isEmpty else {
      return Answer(question: question, sentences: ["No objective was given."])
    }
    var sentences = sweep.advice.prefix(3).flatMap { sweep.sentences(of: $0) }.uniqued
    if sweep.advice.count > 3 {
      sentences.append("\(counted(sweep.advice.count - 3, "more objective")) below.")
    }
    return Answer(question: question, sentences: sentences)
  }
}

extension Sweep {
  /// What follows from an objective, and where the best values lie.
  fileprivate func sentences(of advice: Advice) -> [String] {
    guard let verdict = verdict(of: advice) else {
      return [
        "\(advice.objective): no setting is recommended, "
          + "\(advice.reason ?? "the record contains no reason")."
      ]
    }
    var sentences = ["\(advice.objective): \(verdict.text)."]
    let intervals = zip(parameters, advice.parameters).compactMap { parameter, choice in
      choice.interval.endsText(parameter.text).map { "\(parameter.name) \($0)" }
    }
    let reason = advice.parameters.lazy.compactMap(\.interval.reason).first
    if !intervals.isEmpty {
      sentences.append("Interval of the best value: \(intervals.joined(separator: ", ")).")
    } else if let reason {
      sentences.append("No interval: \(reason).")
    }
    return sentences
  }
}
