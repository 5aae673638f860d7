import Datasets
import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

@Suite("Rendered faces")
struct RenderTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  @Test func `a folder without ICT-FaceKit, or with other meshes, is refused in one line`() throws {
    let words = ["render", "--design", "pose", "-o", "faces.h5", "--from"]
    try bench.write("no mesh", to: "empty/readme.txt")
    for folder in ["no", "empty"] {
      try expectFailure(
        bench, words + [folder], status: 66,
        "cannot render with \(folder): expected the folder FaceXModel of "
          + "github.com/ICT-VGL/ICT-FaceKit, found no browDown_L.obj")
    }
    try bench.write("v 0 0 0\n", to: "part/browDown_L.obj")
    try expectFailure(
      bench, words + ["part"], status: 66,
      "cannot render with part: expected part/browDown_R.obj, found none")
    for file in Material.faceKitFiles { try bench.write("v 0 0 0\n", to: "kit/\(file)") }
    try expectFailure(
      bench, words + ["kit", "--identities", "1"], status: 66,
      "expected kit/identity000.obj, found none ('--identities' uses fewer)")
    try expectFailure(
      bench, words + ["kit", "--identities", "0"], status: 65,
      "cannot read kit/generic_neutral_mesh.obj: expected a mesh of 26719 vertices, found 1")
    try bench.write("v 0 0\n", to: "kit/generic_neutral_mesh.obj")
    try expectFailure(
      bench, words + ["kit", "--identities", "0"], status: 65,
      "cannot read 'line 1' in kit/generic_neutral_mesh.obj: expected three coordinates, found 2")
  }

  @Test func `what exists is not replaced without being asked to`() throws {
    try bench.write("precious", to: "faces.h5")
    try expectFailure(
      bench, ["render", "--design", "pose", "-o", "faces.h5", "--from", "no"], status: 73,
      "cannot write faces.h5")
  }

  @Test(
    .enabled(if: Shared.faceKit != nil, "FACEGAUGE_SHARED has no reference/ict-facekit"))
  func `a rendered dataset is well-formed, says how it was made, and is the same again`() throws {
    let kit = try #require(Shared.faceKit).url.path
    for name in ["a.h5", "b.h5"] {
      let made = try bench.facegauge([
        "render", "--design", "random", "--people", "2", "--images-per-person", "3", "--size", "96",
        "--from", kit, "--identities", "2", "-o", name,
      ])
      #expect(made.status == 0 && made.output == "")
      #expect(made.errors == "\(name): 6 frames, 6 faces\n")
    }
    let told = try bench.facegauge(["inspect", "a.h5"]).output
    #expect(
      told.contains(
        "facegauge render of ICT-FaceKit, design random, 2 people of 2 identities, seed 1\n"))
    #expect(told.contains("blendshapes, pose\n"))
    let (first, second) = (
      try DatasetReader(bench.url("a.h5")), try DatasetReader(bench.url("b.h5"))
    )
    for index in 0..<first.frameCount {
      #expect(try first.image(index).decoded() == second.image(index).decoded())
      #expect(
        try first.labels(index..<index + 1)[0][0].box == second.labels(index..<index + 1)[0][0].box)
    }
    let valid = try bench.facegauge(["validate", "a.h5"])
    #expect(valid.status == 0, "\(valid.output)")
  }
}

extension Material {
  /// The names of ICT-FaceKit's meshes without its identities.
  fileprivate static var faceKitFiles: [String] {
    let names = Blendshape.allCases.filter { $0 != .neutral }.flatMap { shape -> [String] in
      let name = shape.rawValue
      guard !["jawLeft", "jawRight", "mouthLeft", "mouthRight"].contains(name) else {
        return [name]
      }
      if name.hasSuffix("Left") { return [String(name.dropLast(4)) + "_L"] }
      if name.hasSuffix("Right") { return [String(name.dropLast(5)) + "_R"] }
      return ["browInnerUp", "cheekPuff"].contains(name) ? ["\(name)_L", "\(name)_R"] : [name]
    }
    return (names + ["generic_neutral_mesh"]).map { $0 + ".obj" }
  }
}
