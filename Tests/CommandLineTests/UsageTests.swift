import TestSupport
import Testing

@Suite("Wrong usage")
struct UsageTests {
  @Test(
    arguments: [
      (
        ["evaluate", "a.h5", "-o", "run", "--num-face", "5"],
        "unknown option '--num-face'; did you mean '--num-faces'?"
      ),
      (["evaluat", "a.h5"], "unknown subcommand 'evaluat'; did you mean 'evaluate'?"),
      (["models", "pul"], "unknown subcommand 'pul'; did you mean 'pull'?"),
      (["evaluate", "a.h5"], "missing option '--output <run>'"),
      (["import", "imglab", "a.xml"], "missing option '--output <file.h5>'"),
      (["inspect"], "missing argument '<file.h5>'"),
      (["inspect", "a.h5", "b.h5"], "unexpected argument 'b.h5'"),
      (
        ["evaluate", "a.h5", "-o", "run", "--min-face-detection-confidence", "1.5"],
        "invalid value '1.5' for '--min-face-detection-confidence': expected a number from 0 to 1"
      ),
      (
        ["evaluate", "a.h5", "-o", "run", "--num-faces", "0"],
        "invalid value '0' for '--num-faces': expected an integer from 1 to 1000"
      ),
      (
        ["evaluate", "a.h5", "-o", "run", "--min-decoded-side", "0"],
        "invalid value '0' for '--min-decoded-side': expected an integer from 64 to 65500"
      ),
      (
        ["evaluate", "a.h5", "-o", "run", "--min-decoded-side", "-640"],
        "invalid value '-640' for '--min-decoded-side': expected an integer from 64 to 65500"
      ),
      (
        ["profile", "a.h5", "-o", "run", "--min-decoded-side", "half"],
        "invalid value 'half' for '--min-decoded-side': expected an integer from 64 to 65500"
      ),
      (
        [
          "evaluate", "a.h5", "-o", "run", "--predictions", "p.h5", "--min-decoded-side", "640",
        ],
        "'--min-decoded-side' applies to the pipeline and cannot be combined with '--predictions'"
      ),
      (
        ["evaluate", "a.h5", "-o", "run", "--detector", "long-range"],
        "invalid value 'long-range' for '--detector'"
      ),
      (
        ["evaluate", "a.h5", "-o", "run", "--mode", "live", "--resume"],
        "'--resume' cannot be combined with '--mode live'"
      ),
      (
        ["evaluate", "a.h5", "-o", "run", "--mode", "live", "--jobs", "2"],
        "'--jobs' cannot be combined with '--mode live'"
      ),
      (["import", "imglab", "-o", "a.h5"], "missing argument '<source>'"),
      (["report", "run", "--json"], "unknown option '--json'"),
    ] as [([String], String)])
  func `each mistake has its line, status 64, and changes nothing`(words: [String], message: String)
    throws
  {
    try expectFailure(Workbench(), words, status: 64, message)
  }

  @Test func `without a subcommand, help goes to standard error`() throws {
    let result = try Workbench().facegauge([])
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors.hasPrefix("error: missing subcommand\nOVERVIEW: "))
  }
}
