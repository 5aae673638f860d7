internal import FaceCore
internal import Foundation
internal import Platform

/// Fetches a small file over HTTP, with a bound on its size and on the time.
///
/// Python's standard library does it, as it fetches wheels: the program is linked with no network library.
enum ModelDownload {
  /// The body of the answer; more than `limit` bytes or a status other than 200 is an error.
  static func bytes(
    from address: String, limit: Int, through python: PythonScript
  ) throws(FileError) -> [UInt8] {
    guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
      scheme == "https" || scheme == "http", url.host?.isEmpty == false
    else {
      throw FileError(.missing, "expected an http or https address, found '\(address)'")
    }
    let target = FileManager.default.temporaryDirectory
      .appendingPathComponent("facegauge-\(UUID().uuidString)")
    defer { try? target.remove() }
    let failure = try python.failure(
      of: ["-c", Self.script, address, "\(limit)", target.path], doing: "fetch \(address)",
      limit: Self.limitInAll)
    if let failure {
      throw FileError(
        failure.status == Self.tooMuch ? .wrongData : .missing,
        failure.reason
          ?? "python3 ended with \(failure.status.map { "status \($0)" } ?? "a signal")")
    }
    return try ModelBytes.read(target, member: nil)
  }

  private static let limitInAll = Duration.seconds(600)
  /// The script's exit status for a body that is longer than it may be.
  private static let tooMuch = 65

  /// Writes the body of argument 1, of at most as many bytes as argument 2 says, to argument 3.
  private static let script = """
    import sys, urllib.error, urllib.request
    address, limit, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    def fail(reason, status=69):
        print(reason, file=sys.stderr)
        sys.exit(status)
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            if answer.status != 200:
                fail(f"expected status 200, found {answer.status}")
            body = answer.read(limit + 1)
            announced = answer.headers.get("Content-Length", "")
    except urllib.error.HTTPError as error:
        fail(f"expected status 200, found {error.code}")
    except urllib.error.URLError as error:
        fail(error.reason)
    except Exception as error:
        fail(error or type(error).__name__)
    if len(body) > limit:
        fail(f"expected at most {limit} bytes, found more", 65)
    if announced.isdigit() and len(body) < int(announced):
        fail(f"expected {announced} bytes, found {len(body)}")
    with open(target, "wb") as file:
        file.write(body)
    """
}
