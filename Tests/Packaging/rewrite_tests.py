"""Copies the project and writes its tests anew for Swift 6.0, the compiler of Debian 13.

    python3 rewrite_tests.py FOLDER

Tests are written for Swift 6.2. An older compiler cannot read three things in them:

* names in backquotes with spaces: they become names with underscores;
* the error that `#expect(throws:)` returns: a function of each test target returns it;
* tests that start a process of their own (`processExitsWith`): they are left out, with `#if`.

Files are written only where they differ, so that a second build compiles what changed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# In each test target: `#expect(throws:)` of Swift 6.0 returns nothing.
THROWN = """import Testing

@discardableResult
func thrown<Thrown: Error>(
  _ type: Thrown.Type, _ comment: Testing.Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, performing body: () throws -> some Any
) -> Thrown? {
  var thrown: Thrown?
  #expect(comment, sourceLocation: sourceLocation) {
    _ = try body()
  } throws: { error in
    thrown = error as? Thrown
    return thrown != nil
  }
  return thrown
}

func thrown(
  _ type: Never.Type, _ comment: Testing.Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, performing body: () throws -> some Any
) {
  #expect(throws: Never.self, comment, sourceLocation: sourceLocation) { _ = try body() }
}

func thrown<Thrown: Error & Equatable>(
  _ error: Thrown, _ comment: Testing.Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, performing body: () throws -> some Any
) {
  #expect(throws: error, comment, sourceLocation: sourceLocation) { _ = try body() }
}
"""


def renamed(text: str) -> str:
    """Names of tests in letters, digits and underscores."""
    return re.sub(
        r"(func\s+)`([^`]*[^`\w][^`]*)`",
        lambda name: name[1] + "test_" + re.sub(r"\W+", "_", name[2]).strip("_"),
        text,
    )


def without_exit_tests(text: str) -> str:
    """Each test with a process of its own, from its attribute to its closing brace, behind `#if`."""
    test = re.compile(r"^  @Test.*?^  }\n", re.MULTILINE | re.DOTALL)
    return test.sub(
        lambda found: f"  #if compiler(>=6.2)\n{found[0]}  #endif\n"
        if "processExitsWith" in found[0]
        else found[0],
        text,
    )


def rewritten(text: str) -> str:
    if "import Testing\n" not in text:
        return text
    return re.sub(r"#expect\(\s*throws: ", "thrown(", without_exit_tests(renamed(text)))


def main() -> None:
    target = Path(sys.argv[1])
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE,
    ).stdout
    files = {}
    for name in listed.decode().split("\0"):
        source = ROOT / name
        if not source.is_file():
            continue
        files[name] = source.read_bytes()
        if re.fullmatch(r"Tests/.*\.swift", name):
            files[name] = rewritten(files[name].decode()).encode()
        if found := re.match(r"Tests/\w+Tests/", name):
            files[found[0] + "Thrown.swift"] = THROWN.encode()
    for name, data in files.items():
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.is_file() or copy.read_bytes() != data:
            copy.write_bytes(data)
            if (ROOT / name).exists():
                copy.chmod((ROOT / name).stat().st_mode)
    for folder in ("Sources", "Tests"):
        for copy in (target / folder).rglob("*.swift"):
            if str(copy.relative_to(target)) not in files:
                copy.unlink()


main()
