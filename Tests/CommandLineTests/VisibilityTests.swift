import Foundation
import Platform
import Records
import TestSupport
import Testing

/// Hidden points from the command line, against what the benchmark of COFW68 publishes.
@Suite struct VisibilityTests {
  @Test(.enabled(if: Shared.isAvailable, "needs the shared data"))
  func `HPM's hidden points have the published precision and recall`() throws {
    let bench = try Workbench()
    let data = Shared.data("cofw68").path
    for words in [
      [
        "import", "cofw68", "\(data)/COFW68_Data/test_annotations", "-o", "truth.h5",
      ],
      [
        "import", "cofw68-results", "\(data)/Results/HPM_HelenLfpw_COFW68test.txt", "--of",
        "truth.h5", "-o", "hpm.h5",
      ],
      [
        "evaluate", "truth.h5", "--predictions", "hpm.h5", "-o", "run", "--resamples", "0",
      ],
    ] {
      let result = try bench.facegauge(words)
      #expect(result.status == 0, "\(result.errors)")
    }
    let record = try Record(json: bench.bytes("run/record.json"))
    let found = try #require(record.measurement("landmarks.found_share")?.value)
    let precision = try #require(record.measurement("landmarks.visibility.precision")?.value)
    let recall = try #require(record.measurement("landmarks.visibility.recall")?.value)
    // The benchmark takes all 507 faces as found, and so they are; half of the last digit that is published.
    #expect(found == 1)
    #expect(abs(precision - 0.8065) <= 0.000_05, "\(precision)")
    #expect(abs(recall - 0.3406) <= 0.000_05, "\(recall)")
    let error = try #require(record.measurement("landmarks.nme.interpupil")?.value)
    #expect(abs(error - 0.0940) <= 0.000_05, "\(error)")
  }
}
