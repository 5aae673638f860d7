import Datasets
import FaceCore
import Foundation
import HDF5
import Platform
import TestSupport
import Testing

@Suite struct FileContentsTests {
  @Test func `a dataset is told in lines and in JSON`() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.h5")
    try PlainDataset().write(to: url)
    let contents = try FileContents(of: url)
    let lines = contents.text.split(separator: "\n").map {
      $0.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let size = try Data(contentsOf: url).count
    #expect(
      lines == [
        ["format", "facegauge.dataset 1"], ["name", "a"], ["frames", "3"], ["faces", "3"],
        ["sequences", "2"], ["videos", "1"], ["landmarks", "ibug68"], ["bytes", "\(size)"],
      ])
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(contents))
    let object = try #require(json as? [String: Any])
    #expect(object["frames"] as? Int == 3)
    #expect(object["landmarks"] as? [String] == ["ibug68"])
  }

  @Test func `names cannot steer a terminal or add a line`() throws {
    let folder = try TemporaryFolder()
    var dataset = PlainDataset()
    dataset.spoil = { file in
      try file.setAttribute("name", of: "/", to: "a\u{1B}[2Jb\nfaces 9\u{9B}\u{202E}")
    }
    try dataset.write(to: folder.file("a.h5"))
    let text = try FileContents(of: folder.file("a.h5")).text
    #expect(text.contains(#"a\u{1b}[2Jb\nfaces 9\u{9b}\u{202e}"#))
    #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.isControl })
  }

  @Test func `a predictions file says which kernels computed it, where that is known`() throws {
    let folder = try TemporaryFolder()
    var header = PredictionsHeader(
      datasetName: "d", datasetSHA256: "0", datasetPath: "/d.h5", mode: "image", models: [],
      candidateFloor: 0, stages: ["detect"], options: [:])
    for numerics in [nil, PredictionsHeader.Numerics(kernels: "x86-64-v3", blasCore: "Haswell")] {
      header.numerics = numerics
      let url = folder.file("\(numerics == nil).h5")
      try PredictionsWriter(url, header: header).finish(facts: [])
      #expect(try PredictionsReader(url).header.numerics == numerics)
      let contents = try FileContents(of: url)
      let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(contents))
      let object = try #require(json as? [String: Any])
      #expect(object["kernels"] as? String == numerics?.kernels)
      #expect(object["blas_core"] as? String == numerics?.blasCore)
    }
  }

  @Test(arguments: [0.01, 0, 1e300, .infinity, -.infinity, .nan])
  func `a predictions file with any number for a floor is told`(floor: Double) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("p.h5")
    let header = PredictionsHeader(
      datasetName: "d", datasetSHA256: "0", datasetPath: "/d.h5", mode: "image", models: [],
      candidateFloor: floor, stages: ["detect"], options: ["num-faces": "3"])
    try PredictionsWriter(url, header: header).finish()
    let contents = try FileContents(of: url)
    #expect(contents.text.contains("num-faces"))
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(contents))
    let object = try #require(json as? [String: Any])
    if floor.isFinite {
      #expect((object["candidate_floor"] as? NSNumber)?.doubleValue == floor)
    } else {
      #expect(object["candidate_floor"] as? String == "\(floor)")
    }
  }
}
