/// The names that columns usually have, letters and digits only.
enum ColumnWords {
  static let image = [
    "image", "file", "filename", "filepath", "path", "imagename", "imagefile", "imagepath",
    "imgname", "imgpath", "img", "imageid", "photo", "picture", "fname", "name", "src",
  ]
  static let box = ["bbox", "box", "boundingbox", "rect", "bboxes"]
  static let left = ["x", "left", "xmin", "minx", "x1", "xtl", "topleftx", "x0", "l", "startx"]
  static let top = ["y", "top", "ymin", "miny", "y1", "ytl", "toplefty", "y0", "t", "starty"]
  static let width = ["width", "w"]
  static let height = ["height", "h"]
  static let centerX = ["cx", "centerx", "centrex", "xcenter", "xcentre", "xc", "x"]
  static let centerY = ["cy", "centery", "centrey", "ycenter", "ycentre", "yc", "y"]
  static let imageWidth = ["imagewidth", "imgwidth", "imwidth", "imgw", "framewidth"]
  static let imageHeight = ["imageheight", "imgheight", "imheight", "imgh", "frameheight"]
  static let corners: [[[String]]] = [
    [
      ["xmin", "minx", "left", "xtl", "topleftx", "startx", "xstart", "l"],
      ["ymin", "miny", "top", "ytl", "toplefty", "starty", "ystart", "t"],
      ["xmax", "maxx", "right", "xbr", "bottomrightx", "endx", "xend", "r"],
      ["ymax", "maxy", "bottom", "ybr", "bottomrighty", "endy", "yend", "b"],
    ],
    [["x1"], ["y1"], ["x2"], ["y2"]],
    [["x0"], ["y0"], ["x1"], ["y1"]],
    [["x"], ["y"], ["x2"], ["y2"]],
  ]
  static let point = [
    "point", "landmark", "keypoint", "pointindex", "landmarkindex", "pointid", "landmarkid",
    "keypointid", "pointname", "landmarkname", "keypointname", "kp", "index", "part",
  ]
  static let visibility = ["visible", "visibility", "vis", "v"]
  static let face = ["face", "faceid", "faceindex", "faceno", "facenumber", "annotationid"]
  static let sequence = ["sequence", "video", "clip", "seq", "videoname", "videoid", "clipname"]
  static let frame = ["frame", "framenumber", "frameid", "frameindex", "frameno", "framenum"]
  static let time = [
    "timestamp", "time", "timestampms", "timems", "timestampus", "timestampns", "seconds",
    "timesec", "times", "timestamps", "milliseconds", "ms", "msec", "timecode",
  ]
  static let label = ["label", "class", "category", "classname", "cls", "labelname"]
  static let expression = ["expression", "emotion"]
  static let score = ["score", "confidence", "conf", "prob", "probability", "certainty"]
  static let identity = ["identity", "track", "trackid", "tid", "objectid", "targetid"]
  static let subject = [
    "subject", "subjectid", "person", "personid", "participant", "participantid", "speaker",
    "actor",
  ]
  static let split = ["split", "subset", "partition", "usage", "set"]
  static let ignored = ["ignore", "ignored"]
  static let crowd = ["crowd", "iscrowd", "isgroupof", "groupof"]

  private static let prefixes = [
    "boundingbox", "bbox", "facerectangle", "facerect", "facebox", "face", "box", "rectangle",
    "rect", "head", "pose", "det", "gt", "bb",
  ]
  private static let units = ["pixels", "px", "degrees", "degree", "deg", "radians", "rad"]

  /// Whether a column's name is a word, with or without what it is of and its unit.
  static func means(_ column: String, _ word: String) -> Bool {
    let name = column.lowercased().filter { $0.isLetter || $0.isNumber }
    if name == word { return true }
    guard name.hasSuffix(word) || units.contains(where: { name == word + $0 || name.hasSuffix($0) })
    else { return false }
    var stems = [name] + units.filter(name.hasSuffix).map { String(name.dropLast($0.count)) }
    stems += stems.flatMap { stem in
      prefixes.filter(stem.hasPrefix).map { String(stem.dropFirst($0.count)) }
    }
    return stems.contains(word)
  }

  /// The unit that a name of times ends with.
  static func timeUnit(of column: String) -> String? {
    let name = column.lowercased()
    for (unit, words) in [
      ("ms", ["ms", "msec", "millis", "milliseconds"]), ("us", ["_us", "micros", "microseconds"]),
      ("ns", ["_ns", "nanos", "nanoseconds"]), ("s", ["_s", "sec", "seconds", "secs"]),
    ] where words.contains(where: name.hasSuffix) {
      return unit
    }
    return nil
  }

  /// The unit that a name of angles has in it.
  static func angleUnit(of column: String) -> String? {
    let name = column.lowercased()
    return name.contains("deg") ? "degrees" : name.contains("rad") ? "radians" : nil
  }

  /// The coefficients of other rigs than ARKit's, without their sides; those of `own` are no other words of tables.
  private static let rigs: [(name: String, own: Set<String>, others: Set<String>)] = [
    (
      "Meta (Oculus)",
      [
        "browlowerer", "cheekpuff", "cheekraiser", "cheeksuck", "chinraiser", "dimpler",
        "eyesclosed", "eyeslookdown", "eyeslookleft", "eyeslookright", "eyeslookup",
        "innerbrowraiser", "jawdrop", "jawsideways", "jawthrust", "lidtightener",
        "lipcornerdepressor", "lipcornerpuller", "lipfunneler", "lippressor", "lippucker",
        "lipstretcher", "lipsuck", "liptightener", "lipstoward", "lowerlipdepressor",
        "nosewrinkler", "outerbrowraiser", "upperlidraiser", "upperlipraiser",
      ], []
    ),
    (
      "VRM", ["blink", "lookup", "lookdown", "look"],
      [
        "a", "i", "u", "e", "o", "aa", "ih", "ou", "ee", "oh", "joy", "angry", "sorrow", "fun",
        "happy", "sad", "relaxed", "surprised", "neutral",
      ]
    ),
  ]
  private static let sides = ["left", "right", "lb", "lt", "rb", "rt", "l", "r", "b", "t", ""]

  /// What a reader must know of columns that have the names of another rig's coefficients; nil for fewer than three.
  static func noteOnRig(_ columns: [String]) -> String? {
    for rig in rigs {
      var (own, all) = (0, [String]())
      for column in columns {
        let name = column.lowercased().filter(\.isLetter)
        let stems = sides.filter(name.hasSuffix).map { String(name.dropLast($0.count)) }
        if stems.contains(where: rig.own.contains) {
          own += 1
        } else if !rig.others.contains(name) {
          continue
        }
        all.append(column)
      }
      guard own > 1, all.count > 2 else { continue }
      let list = all.prefix(12).joined(separator: ", ") + (all.count > 12 ? ", …" : "")
      return "\(list) have the names of \(rig.name)'s coefficients, not of ARKit's: they are "
        + "attributes (--columns jawOpen=COLUMN makes a coefficient of one that means the same)"
    }
    return nil
  }
}
