import Foundation
import TestSupport
import Testing

/// axe-core, which the Python of the tests carries.
enum Accessibility {
  /// The library; nil where it is not installed.
  static let script: String? = {
    guard let python = LivePython.path else { return nil }
    let libraries = URL(filePath: python).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "lib")
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries.path)) ?? []
    return versions.sorted().lazy.compactMap { version in
      let file = libraries.appending(path: "\(version)/site-packages/axe_core_python/axe.min.js")
      return try? String(contentsOf: file, encoding: .utf8)
    }.first
  }()

  /// What axe-core finds serious or critical in a page whose sections are all open.
  ///
  /// The page's policy admits no script but its own, so the copy that is examined has none.
  static func findings(in html: String, options: [String]) throws -> [String] {
    let policy = /<meta http-equiv="Content-Security-Policy"[^>]*>(?:<\/meta>)?/
    let examination = """
      <script>\(try #require(script))</script><script>(async () => {
        const root = document.documentElement;
        while (!root.dataset.ready) await new Promise((done) => setTimeout(done, 50));
        document.querySelectorAll("details").forEach((details) => { details.open = true; });
        const result = await axe.run();
        root.dataset.axe = "done";
        document.body.textContent = result.violations
          .filter((one) => ["serious", "critical"].includes(one.impact))
          .map((one) => "axe:" + one.id + " at " + one.nodes[0].target.join(" ")).join("\\n");
      })()</script></body>
      """
    let page = html.replacing(policy, with: "").replacing("</body>", with: examination)
    let (dom, _) = try Browser(page).load(options: options)
    #expect(dom.contains("data-axe=\"done\""))
    return dom.matches(of: /axe:([^\n<]+)/).map { String($0.1) }
  }
}
