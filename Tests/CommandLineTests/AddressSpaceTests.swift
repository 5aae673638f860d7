import Foundation
import TestSupport
import Testing

@Suite struct AddressSpaceTests {
  @Test(.timeLimit(.minutes(5))) func `too small an address space ends with one line`() throws {
    let result = try ProcessResult(
      running: "/bin/sh",
      [
        "-c", #"ulimit -v 400000; exec "$0" metrics"#, ProcessResult.path(ofBuilt: "facegauge"),
      ])
    #expect(!result.isSignal)
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(
      result.errors
        == "error: cannot run in an address space of 390 MiB: expected at least 1024 MiB "
        + "('ulimit -v' shows the limit)\n")
  }
}
