import Foundation
import Imaging
import TestSupport
import Testing

@Suite("Explain")
struct ExplainTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write(try Material.image(), to: "none.jpg")
    try Material.dataset(bench.url("d.h5"), frames: 2)
  }

  @Test(arguments: [
    (["nothing.jpg"], 66, "nothing.jpg"), (["d.h5"], 64, "requires '--index' or '--name'"),
    (["none.jpg", "--at", "1,2", "--box", "1,2,3,4"], 64, "'--at' cannot be combined"),
    (["d.h5", "--index", "0", "--name", "a"], 64, "'--index' cannot be combined"),
    (["none.jpg", "--at", "1"], 64, "a point such as 120,80"),
    (["none.jpg", "--box", "1,2,0,4"], 64, "a width and height above 0"),
    (["d.h5", "--index", "2"], 65, "expected a frame below 2, found 2"),
    (["d.h5", "--name", "nobody"], 65, "expected one frame named 'nobody', found none"),
    (["none.jpg", "--png", "none.jpg"], 73, "found the image"),
    (["none.jpg", "--png", "a", "-o", "./a"], 73, "found the same twice"),
    (["none.jpg", "--min-face-detection-confidence", "2"], 64, "min-face-detection-confidence"),
  ])
  func `what cannot be explained ends with one line`(
    words: [String], status: Int32, message: String
  ) throws {
    try expectFailure(bench, ["explain"] + words, status: status, message)
  }

  @Test func `bytes that are no image, and an image that is cut, are wrong data`() throws {
    try bench.write("no image", to: "text.jpg")
    try bench.write(Array(try Material.image().prefix(500)), to: "cut.jpg")
    for name in ["text.jpg", "cut.jpg"] {
      try expectFailure(bench, ["explain", name], status: 65, name)
    }
  }

  @Test(.enabled(if: Material.hasModels, "needs FACEGAUGE_MODELS"))
  func `text, JSON, page and drawing have the same numbers`() throws {
    let words = ["explain", "none.jpg", "--box", "10,10,50,60"]
    let text = try bench.facegauge(words + ["-o", "page.html", "--png", "drawing.png"])
    #expect(text.status == 0 && text.errors == "", "\(text.errors)")
    #expect(text.output.hasPrefix("none.jpg, 160x120\n"))
    #expect(text.output.contains("box, short-range: "))
    let json = try bench.facegauge(words + ["--json"])
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let answers = try #require(root["answers"] as? [String])
    for answer in answers {
      #expect(text.output.contains(answer))
    }
    let page = try bench.text("page.html")
    #expect(page.contains("default-src &#39;none&#39;") && page.contains("data:image/jpeg;base64,"))
    #expect(!page.contains("src=\"http"))
    let bytes = try bench.bytes("drawing.png")
    let drawing = try PixelBuffer(decoding: bytes[...])
    #expect(drawing.width == 160 && drawing.height == 120)
  }

  @Test(.enabled(if: Material.hasModels, "needs FACEGAUGE_MODELS"))
  func `a frame of a dataset is asked for its labels`() throws {
    let result = try bench.facegauge(["explain", "d.h5", "--name", "image-1"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("d.h5, frame 1 'image-1', 160x120\n"))
    #expect(result.output.contains("label 1, short-range: "))
  }
}
