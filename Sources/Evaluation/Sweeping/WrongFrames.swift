internal import Records

/// The frames with most errors at each setting of a sweep.
struct WrongFrames: Sendable, Hashable, Codable {
  /// A frame by its position in the dataset, with its missed faces and false positives.
  struct Entry: Sendable, Hashable, Codable {
    var frame: Int
    var errors: Int
  }

  /// How many are kept of each setting.
  private static let limit = 12

  /// By setting, from most errors on, then in the order of frames.
  private(set) var settings: [[Entry]]

  init(settings: Int) {
    self.settings = Array(repeating: [], count: settings)
  }

  /// How many are kept of one clip: neighbours look alike.
  private static let perClip = 2

  /// Takes in what some settings did in the frames of a clip, or in a still.
  mutating func add(_ entries: [Entry], of settings: [Int]) {
    guard !entries.isEmpty else { return }
    let worst = Self.worst(entries).prefix(Self.perClip)
    for setting in settings {
      self.settings[setting] = Array(
        Self.worst(self.settings[setting] + worst).prefix(Self.limit))
    }
  }

  private static func worst(_ entries: [Entry]) -> [Entry] {
    entries.sorted { ($1.errors, $0.frame) < ($0.errors, $1.frame) }
  }

  /// As a record names them; nil without any.
  func recorded(name: (Int) throws -> String) rethrows -> Sweep.WrongFrames? {
    let frames = Set(settings.joined().map(\.frame)).sorted()
    guard !frames.isEmpty else { return nil }
    return Sweep.WrongFrames(
      frames: try frames.map { Sweep.WrongFrames.Frame(index: $0, name: try name($0)) },
      settings: settings.map { entries in
        entries.map {
          Sweep.WrongFrames.Entry(
            position: frames.firstIndex(of: $0.frame) ?? 0, errors: $0.errors)
        }
      })
  }
}
