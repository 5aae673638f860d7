package import FaceCore

/// The frames of a clip that lacks some, between them or before the first, by the numbers in their names.
package struct NumberedClip {
  /// The numbers, ascending.
  let numbers: [Int]
  /// The frame of each.
  let positions: [Int: Int]
  /// The number of the clip's first frame, 0 or 1; nil where neither a frame 0 nor the times tell.
  private let first: Int?
  private let names: Set<String>

  /// Takes the frames of a sequence; nil for one that lacks none, or whose names have no ascending numbers.
  init?(_ frames: ArraySlice<Frame>, of dataset: DatasetReader) {
    let named = frames.compactMap { NumberedName($0.name) }
    let numbers = named.map(\.number)
    guard named.count == frames.count, zip(numbers, numbers.dropFirst()).allSatisfy(<),
      let lowest = numbers.first, let last = numbers.last,
      last - lowest >= named.count || lowest > 1
    else { return nil }
    self.numbers = numbers
    positions = Dictionary(zip(numbers, frames.indices)) { first, _ in first }
    names = Set(named.map(\.clip))
    let rate = frames.first.flatMap { dataset.sequence($0.sequence) }?.framesPerSecond ?? 0
    // Times that count from the first row tell nothing.
    let hasTimes = rate > 0 && (frames.first?.timestampMicroseconds ?? 0) > 0
    first =
      lowest == 0
      ? 0
      : [0, 1].first { first in
        hasTimes
          && zip(numbers, frames).allSatisfy { number, frame in
            abs(Double(frame.timestampMicroseconds) * rate / 1e6 - Double(number - first)) < 0.5
          }
      }
  }

  /// How many frames the clip has at least.
  var length: Int { (numbers.last ?? 0) - min(numbers.first ?? 0, 1) + 1 }

  /// Whether most frames follow the one before.
  var isMostlySuccessive: Bool {
    2 * zip(numbers, numbers.dropFirst()).count { $1 - $0 == 1 } > numbers.count
  }

  /// The number in the name of a frame of the same clip.
  func number(in name: String) -> Int? {
    NumberedName(name).flatMap { names.contains($0.clip) ? $0.number : nil }
  }

  /// What is added to the numbers in names of an output to find its frames, and whether that is a guess.
  ///
  /// It is 1 frame where one side counts from 0 and the other from 1, unless all numbers are there as they are. `stated` are
  /// those of the same clip. Nil where none is there.
  func step(to stated: [Int?], of given: [FrameJoin.Given]) -> (count: Int, isGuess: Bool)? {
    let numbers = stated.compactMap(\.self)
    func found(_ step: Int) -> Int { numbers.count { positions[$0 + step] != nil } }
    let firsts = Set(
      zip(stated, given).map { stated, frame in
        frame.isPlace || frame.isFirstUnknown ? nil : stated.map { $0 - frame.number }
      })
    let told = firsts.count == 1 ? firsts.compactMap(\.self).first { [0, 1].contains($0) } : nil
    let isGiven = given.contains(where: \.isFirstGiven)
    let isUnknown = given.contains(where: \.isFirstUnknown)
    var step = 0
    if isUnknown {
      step = first == 0 ? -1 : 0
    } else if let told, let first = first ?? (isGiven ? 0 : nil) {
      step = first - told
    }
    let (same, moved) = (found(0), found(step))
    guard max(same, moved) > 0 else { return nil }
    if step != 0, !isGiven, same == numbers.count, moved < same { return (0, false) }
    return (step, isUnknown && step != 0 && (moved < numbers.count || same == moved))
  }

  /// More numbers than this a second are no frames, but times.
  private static let mostPerSecond = 240.0

  /// How many frames of a clip lie from one of some successive frames to the next, as every tenth alone has labels.
  ///
  /// It is 1 where the numbers in names do not tell.
  package static func framesPerRow(of frames: [Frame]) -> Int {
    let numbers = frames.compactMap { NumberedName($0.name)?.number }
    guard numbers.count == frames.count, numbers.count > 1, let first = frames.first,
      let last = frames.last
    else { return 1 }
    let steps = Set(zip(numbers.dropFirst(), numbers).map { $0 &- $1 })
    guard steps.count == 1, let step = steps.first, step > 1 else { return 1 }
    let microseconds = Double(last.timestampMicroseconds - first.timestampMicroseconds)
    let perSecond = Double(step * (numbers.count - 1)) * 1e6 / microseconds
    return microseconds > 0 && perSecond > mostPerSecond ? 1 : step
  }
}
