internal import FaceCore

/// What the names of points say about their order.
struct PointNames {
  /// The order of the scheme that they name.
  let order: PointOrder
  /// The same, left and right exchanged; nil where the names leave no doubt about the sides.
  let exchanged: PointOrder?

  /// Names of a scheme, one a point; nil where all are known by none.
  init?(_ names: [String]) {
    if let numbered = Self.numbered(names), let scheme = numbered.scheme {
      (order, exchanged) = (PointOrder(scheme).permuted(numbered.positions), nil)
      return
    }
    for scheme in LandmarkScheme.all {
      guard let own = Self.names(of: scheme), own.count == names.count else { continue }
      let places = Self.places(names.map(Self.plain), in: own.map(Self.plain))
      if scheme.hasPublishedNames, let places {
        (order, exchanged) = (PointOrder(scheme, places: places), nil)
        return
      }
      guard !scheme.hasPublishedNames,
        let places = places
          ?? Self.places(
            names.map { Self.meaning($0) ?? "" }, in: own.map { Self.meaning($0) ?? "?" }),
        let mirror = scheme.mirror
      else { continue }
      order = PointOrder(scheme, places: places)
      exchanged = PointOrder(scheme, places: places.map { mirror[$0] })
      return
    }
    return nil
  }

  /// The names that a scheme's points have in files; nil for a scheme whose points have numbers only.
  static func names(of scheme: LandmarkScheme) -> [String]? {
    switch scheme {
    case .five: ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"]
    case .dlib5:
      [
        "left_eye_outer", "left_eye_inner", "right_eye_outer", "right_eye_inner", "nose_base",
      ]
    case .blazeface6: ["right_eye", "left_eye", "nose_tip", "mouth", "right_ear", "left_ear"]
    case .aflw21: aflw
    case .aflw19: aflw.filter { !$0.hasSuffix("Ear") }
    case .facepp83: facepp
    default: nil
    }
  }

  /// The names of a scheme's points for a file: its own, or its name and a number, which tell it too.
  static func written(for scheme: LandmarkScheme) -> [String] {
    names(of: scheme) ?? (0..<scheme.count).map { "\(scheme.name)-\($0)" }
  }

  /// Köstinger et al. 2011; left is the image's.
  private static let aflw = [
    "LeftBrowLeftCorner", "LeftBrowCenter", "LeftBrowRightCorner", "RightBrowLeftCorner",
    "RightBrowCenter", "RightBrowRightCorner", "LeftEyeLeftCorner", "LeftEyeCenter",
    "LeftEyeRightCorner", "RightEyeLeftCorner", "RightEyeCenter", "RightEyeRightCorner",
    "LeftEar", "NoseLeft", "NoseCenter", "NoseRight", "RightEar", "MouthLeftCorner",
    "MouthCenter", "MouthRightCorner", "ChinCenter",
  ]

  /// Face++'s Detect API; left is the image's.
  private static let facepp: [String] = {
    func eye(_ side: String) -> [String] {
      [
        "bottom", "center", "left_corner", "lower_left_quarter", "lower_right_quarter", "pupil",
        "right_corner", "top", "upper_left_quarter", "upper_right_quarter",
      ].map { "\(side)_eye_\($0)" }
    }
    func brow(_ side: String) -> [String] {
      [
        "left_corner", "lower_left_quarter", "lower_middle", "lower_right_quarter", "right_corner",
        "upper_left_quarter", "upper_middle", "upper_right_quarter",
      ].map { "\(side)_eyebrow_\($0)" }
    }
    func lip(_ name: String) -> [String] {
      ["left", "right"].flatMap { side in
        (1...3).map { "mouth_\(name)_lip_\(side)_contour\($0)" }
      }
    }
    func numbered(_ name: String, _ last: Int) -> [String] { (1...last).map { "\(name)\($0)" } }
    let parts: [[String]] = [
      ["contour_chin"], numbered("contour_left", 9), numbered("contour_right", 9),
      eye("left"), brow("left"),
      ["mouth_left_corner", "mouth_lower_lip_bottom"], lip("lower"),
      ["mouth_lower_lip_top", "mouth_right_corner", "mouth_upper_lip_bottom"], lip("upper"),
      ["mouth_upper_lip_top"], numbered("nose_contour_left", 3),
      ["nose_contour_lower_middle"], numbered("nose_contour_right", 3),
      ["nose_left", "nose_right", "nose_tip"], eye("right"), brow("right"),
    ]
    return parts.flatMap { $0 }
  }()

  /// Names that are successive numbers from 0 or 1 after one word, or none; positions are from 0.
  ///
  /// The scheme is that of the word, as in `ibug68-0`.
  static func numbered(
    _ names: [String]
  ) -> (positions: [Int], scheme: LandmarkScheme?)? {
    var word: Substring?
    var numbers: [Int] = []
    for name in names {
      let start = name.lastIndex { !$0.isASCII || !$0.isNumber }.map(name.index(after:))
      guard let number = Int(name[(start ?? name.startIndex)...]),
        word == nil || word == name[..<(start ?? name.startIndex)]
      else { return nil }
      word = name[..<(start ?? name.startIndex)]
      numbers.append(number)
    }
    guard let first = numbers.min(), (0...1).contains(first),
      numbers.sorted() == Array(first..<first + names.count)
    else { return nil }
    let stem = String((word ?? "").filter { $0.isLetter || $0.isNumber }).lowercased()
    return (
      numbers.map { $0 - first },
      LandmarkScheme.named(stem).flatMap { $0.count == names.count ? $0 : nil }
    )
  }

  /// The names by their numbers, where all are numbers; else as they come.
  static func inOrder(_ names: [String]) -> [String] {
    let numbers = names.compactMap { Int($0) }
    guard numbers.count == names.count else { return names }
    return zip(numbers, names).sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Letters and digits only.
  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  private static func places(_ names: [String], in own: [String]) -> [Int]? {
    let places = names.compactMap { own.firstIndex(of: $0) }
    return Set(places).count == own.count && places.count == own.count ? places : nil
  }

  private static let short = [
    "le": "left eye", "re": "right eye", "n": "nose", "lm": "left mouth", "rm": "right mouth",
  ]
  private static let parts = [
    "eye": "eye", "pupil": "eye", "iris": "eye", "nose": "nose", "mouth": "mouth", "lip": "mouth",
    "lips": "mouth", "ear": "ear",
  ]
  private static let details = [
    "outer": "outer", "outside": "outer", "inner": "inner", "inside": "inner",
  ]
  private static let sides = ["left": "left", "l": "left", "right": "right", "r": "right"]
  private static let ignored: Set<String> = [
    "center", "centre", "tip", "base", "bottom", "corner", "middle", "tragion", "point", "keypoint",
    "landmark",
    "face",
  ]

  /// Part, side and detail of a name such as `left_eye`, `MouthLeftCorner` or `eyeleft`; nil for other words.
  private static func meaning(_ name: String) -> String? {
    let words = words(short[name.lowercased()] ?? name)
    var (part, side, detail): (String?, String?, String?)
    for word in words where !ignored.contains(word) {
      if let known = parts[word], part == nil || part == known {
        part = known
      } else if let known = sides[word], side == nil {
        side = known
      } else if let known = details[word], detail == nil {
        detail = known
      } else {
        return nil
      }
    }
    return part.map { "\($0) \(side ?? "") \(detail ?? "")" }
  }

  /// The words of a name, which its case, its marks or a side at either end tell apart.
  private static func words(_ name: String) -> [String] {
    var words: [String] = []
    var word = ""
    for character in name {
      if character.isUppercase || !character.isLetter {
        if !word.isEmpty, word.contains(where: \.isLowercase) || !character.isLetter {
          words.append(word)
          word = ""
        }
      }
      if character.isLetter { word.append(character) }
    }
    words.append(word)
    return words.filter { !$0.isEmpty }.flatMap { word -> [String] in
      let word = word.lowercased()
      for side in ["left", "right"] where word.count > side.count {
        if word.hasPrefix(side) { return [side, String(word.dropFirst(side.count))] }
        if word.hasSuffix(side) { return [String(word.dropLast(side.count)), side] }
      }
      return [word]
    }
  }
}

extension LandmarkScheme {
  /// Whether its names are those of one publication, which also says whose left they mean.
  fileprivate var hasPublishedNames: Bool { [.aflw21, .aflw19, .facepp83].contains(self) }

  /// The point of the other side for each point; nil for a scheme whose names have published sides.
  fileprivate var mirror: [Int]? {
    switch self {
    case .five: [1, 0, 2, 4, 3]
    case .dlib5: [2, 3, 0, 1, 4]
    case .blazeface6: [1, 0, 2, 3, 5, 4]
    default: nil
    }
  }
}
