internal import Records

/// The frames with errors at each setting of a sweep, as many as a record has room for.
struct WrongFrames: Sendable, Hashable, Codable {
  /// A frame by its position in the dataset, with its missed faces and false positives.
  struct Entry: Sendable, Hashable, Codable {
    var frame: Int
    var errors: Int
  }

  /// About how many are kept over all settings, and how many at least of each.
  private static let (total, least) = (12_000, 12)

  /// By setting; more than are kept, until they are many.
  private(set) var settings: [[Entry]]
  /// How many there were.
  private var counts: [Int]

  init(settings: Int) {
    self.settings = Array(repeating: [], count: settings)
    counts = Array(repeating: 0, count: settings)
  }

  /// Whether they are of so many settings, and of frames of a dataset of so many.
  func areOf(settings count: Int, frames: Int) -> Bool {
    settings.count == count && counts.count == count
      && settings.joined().allSatisfy { (0..<frames).contains($0.frame) }
  }

  /// How many are kept of each setting.
  private var limit: Int { max(Self.least, Self.total / max(1, settings.count)) }

  /// Takes in what some settings did in the frames of a clip, or in a still.
  mutating func add(_ entries: [Entry], of settings: [Int]) {
    guard !entries.isEmpty else { return }
    let limit = limit
    for setting in settings {
      counts[setting] += entries.count
      self.settings[setting] += entries
      guard self.settings[setting].count > 2 * limit else { continue }
      self.settings[setting] = Array(Self.worst(self.settings[setting]).prefix(limit))
    }
  }

  private static func worst(_ entries: [Entry]) -> [Entry] {
    entries.sorted { ($1.errors, $0.frame) < ($0.errors, $1.frame) }
  }

  /// As a record names them; nil without any.
  func recorded(name: (Int) throws -> String) rethrows -> Sweep.WrongFrames? {
    let kept = settings.map { Self.worst($0).prefix(limit) }
    let frames = Set(kept.joined().map(\.frame)).sorted()
    guard !frames.isEmpty else { return nil }
    let positions = Dictionary(uniqueKeysWithValues: zip(frames, 0...))
    return Sweep.WrongFrames(
      frames: try frames.map { Sweep.WrongFrames.Frame(index: $0, name: try name($0)) },
      settings: kept.map { entries in
        entries.map {
          Sweep.WrongFrames.Entry(position: positions[$0.frame] ?? 0, errors: $0.errors)
        }
      }, counts: counts)
  }
}
