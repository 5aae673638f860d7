internal import Foundation
package import Platform

/// Debian's headless Chromium, which opens reports from disk as a reader does.
package struct Browser {
  /// The program; nil where it is not installed.
  package static let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The folder that pages are opened from.
  package let folder: TemporaryFolder

  /// Puts a page into a folder of its own.
  package init(_ html: String) throws {
    folder = try TemporaryFolder()
    try folder.write(html, to: "report.html")
  }

  /// The page as elements after its script ran, and what it wrote to the console.
  package func load(
    _ page: String = "report.html", _ hash: String = "", options: [String] = []
  ) throws -> (dom: String, console: String) {
    guard let program = Self.program else { throw Failure(text: "there is no browser") }
    let profile = try TemporaryFolder()
    let result = try ProcessResult(
      running: program,
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(profile.url.path)",
        "--virtual-time-budget=60000", "--enable-logging=stderr", "--window-size=1280,1000",
        "--allow-file-access-from-files",
      ] + options + ["--dump-dom", folder.file(page).absoluteString + hash])
    let console = result.errors.split(separator: "\n").filter { $0.contains("CONSOLE") }
    return (result.output, console.joined(separator: "\n"))
  }

  /// Why a scenario gave no result.
  package struct Failure: Error, CustomStringConvertible {
    let text: String
    package var description: String { text }
  }

  /// Runs the body of an asynchronous function in the page and returns what it returns.
  ///
  /// It has `load(hash)`, which opens the page and returns its document once the page's script is ready. Throws what
  /// is written to the console.
  package func run(_ scenario: String) throws -> JSONValue {
    try folder.write(
      """
      <!DOCTYPE html><meta charset="utf-8"><pre id="result"></pre>
      <iframe id="page" width="1280" height="1000"></iframe><script>
      const wait = (time) => new Promise((done) => setTimeout(done, time));
      const frame = document.getElementById("page");
      async function load(hash = "") {
        frame.src = "about:blank";
        await wait(50);
        frame.src = "report.html" + hash;
        for (let i = 0; i < 500; i++) {
          await wait(20);
          const root = frame.contentDocument && frame.contentDocument.documentElement;
          if (root && (root.dataset.ready || root.dataset.error)) break;
        }
        return frame.contentDocument;
      }
      (async () => { \(scenario) })()
        .then((result) => JSON.stringify(result), (error) => JSON.stringify("failed: " + error.stack))
        .then((text) => { document.getElementById("result").textContent = text; });
      </script>
      """, to: "driver.html")
    let (dom, console) = try load("driver.html")
    guard console == "", let start = dom.range(of: "<pre id=\"result\">"),
      let end = dom.range(of: "</pre>", range: start.upperBound..<dom.endIndex)
    else { throw Failure(text: "no result; on the console: \(console)") }
    let text = dom[start.upperBound..<end.lowerBound].replacing("&lt;", with: "<")
      .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    return try JSONNode(Array(text.utf8), source: "driver.html").value ?? .null
  }
}

extension JSONValue {
  /// The members of an object, or the elements of a list by position; nil for others.
  package subscript(key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// The elements of a list.
  package var list: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

  /// The number; nil for others.
  package var double: Double? { if case .number(let value) = self { value } else { nil } }

  /// The text; nil for others.
  package var text: String? { if case .string(let value) = self { value } else { nil } }
}
