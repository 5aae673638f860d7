import Foundation
import HDF5
import TestSupport
import Testing

/// Files from elsewhere: Lua Torch, PyTables, Caffe and old h5py wrote them. Constants are what h5py 3.16 reads.
@Suite(.enabled(if: Shared.isAvailable, "the shared folder is not there"))
struct RealFileTests {
  struct Expected: Sendable {
    let file: String
    let dataset: String
    let type: String
    let shape: [Int]
    let first: [Double]
    let last: Double
  }

  static let numbers = [
    Expected(
      file: "caffe/sample_data.h5", dataset: "data", type: "f32", shape: [10, 8, 6, 5],
      first: [0, 1, 2], last: 2399),
    Expected(
      file: "caffe/sample_data.h5", dataset: "label", type: "f32", shape: [10, 1],
      first: [1, 2, 3], last: 10),
    Expected(
      file: "caffe/sample_data.h5", dataset: "label2", type: "f32", shape: [10, 1],
      first: [2, 3, 4], last: 11),
    Expected(
      file: "caffe/solver_data.h5", dataset: "data", type: "f32", shape: [8, 3, 10, 10],
      first: [0.5436002612113953, -0.8000645637512207, -1.4199172258377075],
      last: 1.7201595306396484),
    Expected(
      file: "caffe/solver_data.h5", dataset: "targets", type: "f32", shape: [8, 1],
      first: [2.2617084980010986, 0.9301559925079346, -0.892310380935669], last: 1.3378657102584839),
    Expected(
      file: "coursera-signs/test_signs.h5", dataset: "list_classes", type: "i64", shape: [6],
      first: [0, 1, 2], last: 5),
    Expected(
      file: "coursera-signs/test_signs.h5", dataset: "test_set_x", type: "u8",
      shape: [120, 64, 64, 3],
      first: [231, 224, 216], last: 175),
    Expected(
      file: "coursera-signs/test_signs.h5", dataset: "test_set_y", type: "i64", shape: [120],
      first: [0, 0, 0], last: 3),
    Expected(
      file: "fsanet-keras/history_fsanet_metric_3_16_2_21_5.h5", dataset: "history/axis1",
      type: "i64", shape: [90],
      first: [0, 1, 2], last: 89),
    Expected(
      file: "fsanet-keras/history_fsanet_metric_3_16_2_21_5.h5", dataset: "history/block0_values",
      type: "f64", shape: [90, 2],
      first: [9.168900986045015, 6.539854336528905, 6.397498006772759], last: 2.480569391182833),
    Expected(
      file: "fsanet-keras/history_ssrnet_mt.h5", dataset: "history/axis1", type: "i64", shape: [90],
      first: [0, 1, 2], last: 89),
    Expected(
      file: "fsanet-keras/history_ssrnet_mt.h5", dataset: "history/block0_values", type: "f64",
      shape: [90, 2],
      first: [9.65528339459226, 7.440020256375914, 7.070182932714187], last: 2.5630205089358515),
    Expected(
      file: "mpii-newell/valid.h5", dataset: "center", type: "f64", shape: [2958, 2],
      first: [966, 410.77731840074193, 316], last: 221.2552727087208),
    Expected(
      file: "mpii-newell/valid.h5", dataset: "index", type: "f64", shape: [2958],
      first: [6, 17, 27], last: 24984),
    Expected(
      file: "mpii-newell/valid.h5", dataset: "normalize", type: "f64", shape: [2958],
      first: [117.96219733456985, 44.04588516535909, 78.48082568372992], last: 23.758787847867996),
    Expected(
      file: "mpii-newell/valid.h5", dataset: "part", type: "f64", shape: [2958, 16, 2],
      first: [804, 711, 816], last: 198),
    Expected(
      file: "mpii-newell/valid.h5", dataset: "person", type: "f64", shape: [2958],
      first: [0, 0, 0], last: 2),
    Expected(
      file: "mpii-newell/valid.h5", dataset: "scale", type: "f64", shape: [2958],
      first: [5.898109866728492, 2.2022942582679548, 3.9240412841864956], last: 1.1879393923933999),
    Expected(
      file: "mpii-newell/valid.h5", dataset: "torsoangle", type: "f64", shape: [2958],
      first: [3.2620334773967556, 2.7791668640720815, 2.4110297466112343], last: -41.09950625761812),
    Expected(
      file: "mpii-newell/valid.h5", dataset: "visible", type: "f64", shape: [2958, 16],
      first: [1, 1, 1], last: 0),
  ]

  private func open(_ name: String) throws -> HDF5File {
    try HDF5File.open(Shared.folder.appending(path: "data/hdf5-real/\(name)").path)
  }

  @Test(arguments: numbers) func `numbers are those that h5py reads`(_ expected: Expected) throws {
    let dataset = try open(expected.file).dataset(expected.dataset)
    #expect(dataset.elementType.description == expected.type)
    #expect(dataset.shape == expected.shape)
    let values =
      expected.type == "i64"
      ? try dataset.readAll(Int64.self).map(Double.init) : try dataset.readAll(Double.self)
    #expect(values.count == expected.shape.reduce(1, *))
    #expect(Array(values.prefix(3)) == expected.first)
    #expect(values.last == expected.last)
  }

  @Test func `text is that which h5py reads`() throws {
    let mpii = try open("mpii-newell/valid.h5")
    let names = try mpii.stringDataset("imgname", shape: [2958]).readAllStrings()
    #expect(names.prefix(3) == ["005808361.jpg", "052475643.jpg", "051423444.jpg"])
    #expect(names.last == "084761779.jpg")
    #expect(try mpii.attribute("name", of: "/") == "mpii")
    for name in ["history_fsanet_metric_3_16_2_21_5", "history_ssrnet_mt"] {
      let history = try open("fsanet-keras/\(name).h5")
      #expect(try history.dataset("history/axis0").readAllStrings() == ["loss", "val_loss"])
      #expect(try history.attribute("PYTABLES_FORMAT_VERSION", of: "/") == "2.1")
      #expect(try history.attribute("nblocks", of: "history") == 1)
      #expect(try history.attribute("transposed", of: "history/axis0") == 1)
    }
  }

  @Test func `every shared file is tested`() throws {
    let root = Shared.folder.appending(path: "data/hdf5-real").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: root)
      .filter { $0.hasSuffix(".h5") }
    #expect(Set(files) == Set(Self.numbers.map(\.file)))
  }
}
