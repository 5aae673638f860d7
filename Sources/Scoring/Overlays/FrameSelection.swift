/// Every so many frames of a range, as `FIRST:END:STEP` names them; END is the first frame left out.
package struct FrameSelection: Sendable, Hashable {
  /// The first frame.
  package let first: Int
  /// The first frame left out; nil for no end.
  package let end: Int?
  /// From one frame to the next.
  package let step: Int

  /// All frames.
  package static let all = FrameSelection(first: 0, end: nil, step: 1)
}

extension FrameSelection {
  /// Reads `FIRST`, `FIRST:END` or `FIRST:END:STEP`, where FIRST, END and STEP may be empty; nil for anything else.
  ///
  /// A range that holds no frame and a step of 0 are refused.
  package init?(_ text: String) {
    let words = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = words.map { word in
      word.allSatisfy { $0.isASCII && $0.isNumber } ? Int(word) : nil
    }
    guard words.count <= 3, zip(words, numbers).allSatisfy({ $0.isEmpty || $1 != nil }) else {
      return nil
    }
    first = numbers[0] ?? 0
    step = words.count > 2 ? numbers[2] ?? 1 : 1
    if words.count == 1 {
      guard let only = numbers[0], only < Int.max else { return nil }
      end = only + 1
    } else {
      end = numbers[1]
    }
    guard step > 0, first < end ?? .max else { return nil }
  }

  /// Whether it holds a frame.
  package func contains(_ frame: Int) -> Bool {
    frame >= first && frame < end ?? .max && (frame - first) % step == 0
  }

  /// How many of a number of frames it holds.
  package func count(of frameCount: Int) -> Int {
    let last = min(end ?? .max, frameCount)
    return first < last ? (last - first - 1) / step + 1 : 0
  }
}
