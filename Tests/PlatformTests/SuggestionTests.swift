import Platform
import Testing

@Suite("Suggestions")
struct SuggestionTests {
  @Test(
    arguments: [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 1),
      ("ca", "abc", 2), ("num-face", "num-faces", 1), ("vidoe", "video", 1),
      ("specter", "spectre", 1), ("elephant", "relevant", 3),
    ])
  func `the distance counts insertions, deletions, substitutions and swaps`(
    a: String, b: String, expected: Int
  ) {
    #expect(Suggestion.distance(a, b) == expected)
    #expect(Suggestion.distance(b, a) == expected)
  }

  @Test(
    arguments: [
      ("--num-face", ["--num-faces"]), ("--numFaces", ["--num-faces"]),
      ("--num_faces", ["--num-faces"]), ("--jsn", ["--json"]), ("--fps", []), ("--x", []),
      ("--min-face", ["--min-face-detection-confidence", "--min-face-presence-confidence"]),
      ("--min-tracking-confidance", ["--min-tracking-confidence"]),
      ("--faces", ["--num-faces"]),
      (
        "--confidence",
        [
          "--min-face-detection-confidence", "--min-face-presence-confidence",
          "--min-tracking-confidence",
        ]
      ),
    ])
  func `a mistyped name finds the nearest ones and a strange one finds none`(
    typed: String, expected: [String]
  ) {
    let names = [
      "--num-faces", "--json", "--jobs", "--min-face-detection-confidence",
      "--min-face-presence-confidence", "--min-tracking-confidence",
    ]
    #expect(Suggestion.nearest(to: typed, among: names) == expected)
  }

  @Test(
    arguments: [
      ("detection.ap51", ", perhaps \"detection.ap50\""),
      ("fp_per_minute", ", perhaps \"detection.fp_per_image@score\""),
      (
        "recall",
        ", perhaps \"faces.recall\", \"detection.recall@score\" or \"expressions.smile.recall\""
      ),
      ("nme", ", perhaps \"landmarks.nme.found\""), ("nothing", ""),
    ])
  func `a short name finds the whole keys`(typed: String, expected: String) {
    let keys = [
      "detection.ap50", "detection.fp_per_image@score", "detection.recall@score", "faces.recall",
      "expressions.smile.recall", "landmarks.nme.found",
    ]
    #expect(
      Suggestion.perhapsKey(
        typed, among: keys, aliases: ["nme": "landmarks.nme.found", "recall": "faces.recall"])
        == expected)
  }

  @Test func `several suggestions are joined as in a sentence`() {
    #expect(
      Suggestion.clause(for: "ab", among: ["abcd", "abce", "abcf"])
        == "; did you mean 'abcd', 'abce' or 'abcf'?")
  }
}
