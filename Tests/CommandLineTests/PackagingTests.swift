import Foundation
import TestSupport
import Testing

/// The Python module and the gate for other repositories, with the built program.
@Suite("Packaging")
struct PackagingTests {
  private static let python = LivePython.path
  /// Slurm's programs, where Debian's packages of them were unpacked.
  private static let slurm = ProcessInfo.processInfo.environment["FACEGAUGE_SLURM"].flatMap {
    FileManager.default.fileExists(atPath: "\($0)/usr/bin/sbatch") ? $0 : nil
  }
  private static let tests = Checkout.root.appending(path: "Tests/Packaging")

  @Test(
    .enabled(if: python != nil, "FACEGAUGE_PYTHON names no Python"),
    arguments: [
      "test_module", "test_arrays", "test_results", "test_paced", "test_resumed", "test_trackers",
      "test_devices", "test_phones", "test_pages", "test_predictions", "test_gate", "test_packages",
      "test_ray",
    ])
  func `what is around the program passes tests of its own`(module: String) throws {
    try pass(module)
  }

  private func pass(_ module: String) throws {
    let result = try ProcessResult(
      running: try #require(Self.python), ["-m", "unittest", "-q", module], in: Self.tests,
      environment: [
        "FACEGAUGE": Workbench.program,
        "PYTHONPATH": Checkout.root.appending(path: "Sources/Packaging/Python").path,
        "PYTHONDONTWRITEBYTECODE": "1",
      ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("\nOK"), "\(result.errors)")
  }

  @Test(
    .enabled(
      if: python != nil && slurm != nil, "FACEGAUGE_SLURM names no folder with Slurm's programs"))
  func `an evaluation on Slurm is that of one machine`() throws {
    try pass("test_slurm")
  }

  @Test func `the demo says what stands in its way and does not touch it`() throws {
    let bench = try Workbench()
    try bench.write("mine", to: "facegauge-demo/notes.txt")
    try expectFailure(
      bench, ["demo"], status: 73,
      "cannot write facegauge-demo: it exists already (--force replaces it)")
  }

  @Test func `the demo takes no image but the pinned one`() throws {
    let bench = try Workbench()
    try bench.write("not the portrait", to: "demo/data/images/astronaut.png")
    // A Python that has no pip, so that nothing is fetched.
    try bench.write("#!/bin/sh\necho 'No module named pip' >&2\nexit 1\n", to: "bin/python3")
    let result = try bench.shell(
      "chmod +x bin/python3; PATH=$PWD/bin:$PATH; \"$facegauge\" demo -o demo --force")
    #expect(result.status == 69)
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(
      result.errors.contains(
        "error: cannot fetch astronaut.png: scikit-image==0.22.0 through pip: cannot download "
          + "scikit-image==0.22.0: python3 ended with status 1 (No module named pip)"))
    #expect(try bench.text("demo/data/images/astronaut.png") == "not the portrait")
  }
}
