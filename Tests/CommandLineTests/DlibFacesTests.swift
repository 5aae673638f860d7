import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite(
  "dlib's faces, from the XML to the report",
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"),
  .enabled(if: Material.hasDlibFaces, "the labelled data is not there"))
struct DlibFacesTests {
  @Test func `import finds 43 faces in 9 images, and evaluate finds most of them`() throws {
    let bench = try Workbench()
    let sources = ["testing", "training"].map {
      Material.dlibFaces.appending(path: "\($0)_with_face_landmarks.xml").path
    }
    let imported = try bench.facegauge(["import"] + sources + ["-o", "dlib.h5"])
    #expect(imported.status == 0)
    #expect(
      imported.errors == """
        note: reading as imglab: an XML file with a <dataset> element
        dlib.h5: 9 frames, 43 faces

        """)
    #expect(try bench.facegauge(["validate", "dlib.h5"]).status == 0)
    let run = try bench.facegauge(["evaluate", "dlib.h5", "-o", "run", "--num-faces", "30"])
    #expect(run.status == 0 && run.errors == "")
    let record = try Record(json: bench.bytes("run/record.json"), source: "record.json")
    #expect(record.dataset.frames == 9 && record.dataset.faces == 43)
    let single = try bench.facegauge(["evaluate", "dlib.h5", "-o", "one"])
    #expect(single.output.contains("note: num-faces 1 cuts off labelled faces: 34 of 43"))
  }
}
