import Foundation
import Records
import TestSupport
import Testing

@Suite("Drawing sessions")
struct DrawingTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  /// A camera half a metre above a plane that looks down on it; a pixel is half a millimetre.
  private static let camera =
    #"{"transform": [[1,0,0,0],[0,0,-1,0],[0,1,0,0],[0,0.5,0,1]], "intrinsics": [[1000,0,0],[0,1000,0],[320,240,1]]}"#
  private static let plane = #"{"transform": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#
  private static let reference = "[[0, 0], [0.1, 0]]"

  private static func frame(_ time: Double, _ fingertip: String, camera: String = camera) -> String
  {
    #"{"timestamp": \#(time), "fingertip": \#(fingertip), "camera": \#(camera)}"#
  }

  private static func session(
    plane: String = plane, reference: String = reference,
    frames: String = "[\(frame(1, "[320, 250]")), \(frame(2, "null")), \(frame(3, "[520, 250]"))]",
    more: String = ""
  ) -> String {
    """
    {"schema": "facegauge.drawing", "version": 1, "plane": \(plane), "reference": \(reference),
     "frames": \(frames)\(more)}
    """
  }

  @Test func `a table, or measurements as JSON`() throws {
    try bench.write(Self.session(more: #", "name": "line""#), to: "s.json")
    let table = try bench.facegauge(["drawing", "s.json"])
    #expect(table.status == 0 && table.errors == "", "\(table.errors)")
    #expect(
      table.output == """
        line: 3 frames, 2 drawn points
          Drawn-path error, mean             5.000 mm (no interval)
          Drawn-path error, 95th percentile  5.000 mm (no interval)
          Hausdorff distance                 5.000 mm (no interval)
          Discrete Fréchet distance          5.000 mm (no interval)
          Length of drawn over reference     1.000 (no interval)
          Fingertips that meet a plane       1.000 (no interval)
          Drawn points on another plane      0.000 (no interval)

        """)
    let json = try bench.facegauge(["drawing", "s.json", "--json"])
    let metrics = try JSONDecoder().decode([Records.Measurement].self, from: Data(json.output.utf8))
    #expect(metrics.map(\.name).first == "drawing.error.mean" && metrics.count == 7)
    #expect(abs((metrics[0].value ?? 0) - 5) < 1e-9 && metrics[0].unit == "mm")
  }

  @Test
  func
    `a plane by point and normal has its reference in the world; without points there are reasons`()
    throws
  {
    try bench.write(
      Self.session(
        plane: #"{"point": [0, 0, 0], "normal": [0, 2, 0]}"#,
        reference: "[[0, 0, 0], [0.1, 0, 0]]"), to: "s.json")
    #expect(
      try bench.facegauge(["drawing", "s.json"]).output.contains("mean             5.000 mm"))
    try bench.write(Self.session(frames: "[]"), to: "empty.json")
    let empty = try bench.facegauge(["drawing", "empty.json"])
    #expect(empty.status == 0)
    #expect(empty.output.hasPrefix("empty: 0 frames, 0 drawn points\n"))
    #expect(empty.output.contains("undefined: no frame has a fingertip"))
  }

  @Test(arguments: ["portrait", "portraitUpsideDown", "landscapeRight", "landscapeLeft"])
  func `points of a display are pixels of the image that fills it`(orientation: String) throws {
    // Fingertips at pixels 320, 250 and 520, 250 of 640 x 480 on a display of half the size, cut by 20 points a side.
    let isUpright = orientation.hasPrefix("portrait")
    func shown(_ x: Double, _ y: Double) -> (Double, Double) {
      switch orientation {
      case "portrait": ((480 - y) / 2 - 20, x / 2)
      case "portraitUpsideDown": (y / 2 - 20, (640 - x) / 2)
      case "landscapeRight": (x / 2, y / 2 - 20)
      default: ((640 - x) / 2, (480 - y) / 2 - 20)
      }
    }
    let size = isUpright ? "[200, 320]" : "[320, 200]"
    let frames = [(1.0, 320.0), (2, 520)].map { time, x in
      let point = shown(x, 250)
      return Self.frame(time, "[\(point.0), \(point.1)]")
    }
    try bench.write(
      Self.session(
        frames: "[\(frames.joined(separator: ", "))]",
        more:
          #", "display": {"size": \#(size), "image": [640, 480], "orientation": "\#(orientation)"}"#
      ),
      to: "s.json")
    let table = try bench.facegauge(["drawing", "s.json"])
    #expect(table.errors == "" && table.output.contains("mean             5.000 mm"))
    #expect(table.output.contains("reference     1.000"))
  }

  private static let mistakes: [(String, String)] = [
    ("", "expected JSON"),
    ("[]", "expected an object with the schema \"facegauge.drawing\", found an empty list"),
    (session(more: #", "extra": 1"#), "found the key \"extra\""),
    (session().replacing("facegauge.drawing", with: "x"), "expected \"facegauge.drawing\""),
    (session().replacing("\"version\": 1", with: "\"version\": 2"), "expected 1, found 2"),
    (session(plane: "{}"), "expected a transform, or a point and a normal"),
    (session(plane: #"{"point": [0,0,0], "normal": [0,0,0]}"#), "expected a direction"),
    (
      session(plane: #"{"transform": [[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#),
      "plane.transform"
    ),
    (session(plane: #"{"transform": [[1,0,0,0]]}"#), "expected a list of 4"),
    (session(reference: "[[0, 0]]"), "expected a list of 2 to 20000 points, found 1"),
    (session(reference: "[[0, 0], [0, 0]]"), "found the same point in all entries"),
    (session(reference: "[[0, 0], [1e9, 0]]"), "reference[1]"),
    (
      session(
        plane: #"{"point": [0, 0, 0], "normal": [0, 1, 0]}"#,
        reference: "[[0, 0, 0], [0, 0.25, 0]]"), "found a point 250 mm away from it"
    ),
    (
      session(plane: #"{"point": [0,0,0], "normal": [0,1,0], "center": [0,0,0]}"#),
      "plane.center"
    ),
    (
      session(plane: plane.replacing("}", with: #", "center": [0,0,0]}"#)),
      "expected an extent with it"
    ),
    (
      session(
        plane: plane.replacing("}", with: #", "extent": {"width": 0, "height": 1}}"#)),
      "plane.extent.width"
    ),
    (session(more: #", "planes": [{}]"#), "planes[0]"),
    (
      session(
        more:
          #", "display": {"size": [390, 844], "image": [640, 480], "orientation": "upright"}"#),
      "display.orientation"
    ),
    (
      session(
        more: #", "display": {"size": [0, 844], "image": [640, 480], "orientation": "portrait"}"#),
      "expected a width and a height over 0"
    ),
    (session(frames: "[{}]"), "frames[0]"),
    (
      session(frames: "[\(frame(2, "null")), \(frame(2, "null"))]"),
      "expected a time over 2, found 2"
    ),
    (session(frames: "[\(frame(1, "[1]"))]"), "expected a list of 2 numbers, found 1"),
    (session(frames: "[\(frame(1, "[1, \"a\"]"))]"), "frames[0].fingertip"),
    (
      session(
        frames: "[\(frame(1, "null", camera: camera.replacing("[1000,0,0]", with: "[0,0,0]")))]"),
      "frames[0].camera.intrinsics"
    ),
    (
      session(
        frames:
          "[\(frame(1, "null", camera: camera.replacing("[0,0.5,0,1]", with: "[0,0.5,0,2]")))]"),
      "frames[0].camera.transform"
    ),
  ]

  @Test(arguments: mistakes)
  func `each mistake in a session has its line and status 65`(text: String, message: String) throws
  {
    try bench.write(text, to: "s.json")
    try expectFailure(bench, ["drawing", "s.json"], status: 65, message)
  }

  /// A recording of three frames and the run of a tracker on it: of boxes, none in the second, unless given otherwise.
  private func recordRun(
    _ table: String = "n,l,t,w,h\n0,310,240,20,20\n2,510,240,20,20\n", columns: String = "",
    options: [String] = []
  ) throws {
    let header = #"{"schema": "facegauge.arkit", "version": 1, "name": "take", "fps": 30}"#
    let camera = Self.camera.replacing("{", with: #"{"resolution": [640, 480], "#)
    let frames = (1...3).map { #"{"timestamp": \#($0), "camera": \#(camera), "faces": []}"# }
    try bench.write(([header] + frames).joined(separator: "\n"), to: "take.json")
    try bench.write(table, to: "p.csv")
    let mapping = "frame=n,x=l,y=t,width=w,height=h\(columns)"
    let imported = ["import", "csv", "p.csv", "--columns", mapping, "--of", "take.h5"]
    for words in [
      ["import", "arkit", "take.json", "--no-faces", "-o", "take.h5"],
      imported + options + ["-o", "p.h5"],
      ["evaluate", "take.h5", "--predictions", "p.h5", "-o", "run"],
    ] {
      let result = try bench.facegauge(words)
      try #require(result.status == 0, "\(words): \(result.errors)")
    }
  }

  @Test func `a run's boxes and the recording's cameras give the path`() throws {
    try recordRun()
    let plan = Self.session().replacing(/(?s),\s*"frames".*$/, with: "}")
    try bench.write(plan, to: "line.json")
    let table = try bench.facegauge(["drawing", "line.json", "--run", "run"])
    #expect(table.errors == "" && table.output.hasPrefix("line: 3 frames, 2 drawn points\n"))
    #expect(table.output.contains("mean             5.000 mm"))
    try expectFailure(
      bench, ["drawing", "line.json", "--run", "run", "--point", "3"], status: 65,
      "expected faces with point 3, found one of 0 points")
    try expectFailure(bench, ["drawing", "line.json"], status: 65, "frames")
    try expectFailure(
      bench, ["drawing", "line.json", "--point", "3"], status: 64, "'--point' requires '--run'")
    try bench.write(Self.session(), to: "both.json")
    try expectFailure(
      bench, ["drawing", "both.json", "--run", "run"], status: 65,
      "expected nothing, as fingertips and cameras are those of the run")
    try expectFailure(bench, ["drawing", "line.json", "--run", "none"], status: 66, "none")
  }

  @Test func `a recording other than the run's is refused`() throws {
    try recordRun()
    let other = try bench.text("take.json").replacing("[0,0.5,0,1]", with: "[0,0.7,0,1]")
    try bench.write(other, to: "other.json")
    let imported = try bench.facegauge([
      "import", "arkit", "other.json", "--no-faces", "-o", "other.h5",
    ])
    try #require(imported.status == 0, "\(imported.errors)")
    try bench.write(Self.session().replacing(/(?s),\s*"frames".*$/, with: "}"), to: "line.json")
    let own = ["drawing", "line.json", "--run", "run", "--dataset", "take.h5"]
    #expect(try bench.facegauge(own).status == 0)
    try expectFailure(
      bench, ["drawing", "line.json", "--run", "run", "--dataset", "other.h5"], status: 65,
      "expected the dataset of the run, SHA-256")
  }

  @Test func `a point that is not known is no fingertip`() throws {
    let others = "315,245,325,245,316,256,324,256"
    let rows = [
      "n,l,t,w,h,u0,v0,u1,v1,u2,v2,u3,v3,u4,v4", "0,310,240,20,20,320,250,\(others)",
      "1,310,240,20,20,,,\(others)", "2,310,240,20,20,520,250,\(others)",
    ]
    try recordRun(
      rows.joined(separator: "\n") + "\n", columns: ",px=u{},py=v{}", options: ["--scheme", "five"])
    let plan = Self.session().replacing(/(?s),\s*"frames".*$/, with: "}")
    try bench.write(plan, to: "line.json")
    let table = try bench.facegauge(["drawing", "line.json", "--run", "run", "--point", "0"])
    #expect(table.errors == "" && table.output.hasPrefix("line: 3 frames, 2 drawn points\n"))
    #expect(table.output.contains("Fingertips that meet a plane       1.000"))
  }

  @Test func `no file is status 66, a folder 65`() throws {
    try expectFailure(bench, ["drawing", "none.json"], status: 66, "no such file")
    try FileManager.default.createDirectory(
      at: bench.url("folder.json"), withIntermediateDirectories: false)
    try expectFailure(bench, ["drawing", "folder.json"], status: 65, "found a folder")
  }
}
