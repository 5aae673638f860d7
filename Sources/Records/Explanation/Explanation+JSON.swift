extension Explanation {
  /// A detector's result with a sentence for each candidate and place, as JSON has it.
  struct WordedDetector: Encodable {
    /// A value's own fields and a sentence.
    private struct Worded<Value: Encodable>: Encodable {
      private enum CodingKeys: CodingKey { case sentence }

      let value: Value
      let sentence: String

      func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sentence, forKey: .sentence)
      }
    }

    private let detector: String
    private let answers, detections, faces: Int
    private let candidates: [Worded<Candidate>]
    private let places: [Worded<PlaceResult>]

    init(_ result: DetectorResult, of explanation: Explanation) {
      let words = ExplanationWords(explanation.settings, result)
      detector = result.detector
      answers = result.answers
      detections = result.detections
      faces = result.faces
      candidates = result.candidates.map { Worded(value: $0, sentence: words.sentence(of: $0)) }
      places = result.places.map { Worded(value: $0, sentence: words.sentence(ofPlace: $0)) }
    }
  }
}
