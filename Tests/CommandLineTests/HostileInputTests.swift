import Foundation
import TestSupport
import Testing

@Suite("Hostile places and inputs")
struct HostileInputTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test(arguments: ["doctor", "models pull --mirror http://127.0.0.1:9/"])
  func `no program or module of the working directory runs`(command: String) throws {
    let modules = ["pip", "http", "email", "urllib", "zipfile", "sitecustomize"]
    for name in modules { try bench.write("open('ran', 'a').write('x')\n", to: "\(name).py") }
    for name in ["python3", "ffmpeg", "ffprobe", "xdg-open"] {
      try bench.write("#!/bin/sh\necho x >> '\(bench.url("ran").path)'\n", to: name)
      #expect(chmod(bench.url(name).path, 0o755) == 0)
    }
    let result = try bench.shell(
      "PATH=.::$PATH PYTHONPATH=. timeout 200 \"$facegauge\" \(command)",
      environment: [
        "FACEGAUGE_MODELS": bench.url("models").path, "PIP_INDEX_URL": "http://127.0.0.1:9/",
        "PIP_RETRIES": "0", "https_proxy": "http://127.0.0.1:9/",
      ])
    #expect(result.status == 69, "\(result.errors)")
    #expect(!bench.exists("ran"))
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      "inspect pipe", "validate pipe", "merge pipe good.h5 -o x.h5", "evaluate pipe -o run",
      "evaluate good.h5 -o run --gates pipe", "evaluate good.h5 -o run --predictions pipe",
      "evaluate good.h5 -o run --models pipe", "sweep pipe -o run", "export pipe coco -o x",
      "export coco pipe -o x", "explain good.h5 --index 0 --models pipe", "explain pipe",
      "report pipe",
      "report pipe.json", "animate pipe -o x.h5", "degrade pipe -o x.h5", "track pipe -o x.h5",
      "annotate pipe -o x.h5", "split pipe -o x.h5", "import pipe -o x.h5",
      "import labels pipe -o x.h5", "import video pipe -o x.h5", "models pull --from pipe",
      "models pull --from pipe.whl", "calibrate pipe -o x.json", "leakage pipe", "response pipe",
      "equivariance pipe", "transform pipe -o x.h5",
      "drawing pipe",
      "compare pipe pipe", "settings pipe", "import images folder -o x.h5", "join pipe",
      "similarity pipe pipe", "evaluate folder -o run", "evaluate list.json -o run",
    ])
  func `a pipe that nobody writes to is an error at once`(words: String) throws {
    try Material.dataset(bench.url("good.h5"), frames: 3)
    try bench.write(
      #"{"schema": "facegauge.shards", "version": 1, "files": ["pipe"]}"#, to: "list.json")
    let result = try bench.shell(
      "mkfifo pipe pipe.json pipe.whl; mkdir folder; mkfifo folder/a.jpg; "
        + "FACEGAUGE_MODELS=none timeout -s KILL 120 \"$facegauge\" \(words) < /dev/null")
    #expect([64, 65, 66, 69, 73].contains(result.status), "\(words): \(result.status)")
    #expect(result.errorLines.count == 1, "\(words): \(result.errors)")
  }

  @Test func `a model or record that is too large for its kind is one line`() throws {
    try Material.dataset(bench.url("good.h5"), frames: 1)
    let result = try bench.shell(
      """
      truncate -s 2G x.task; truncate -s 1G big.json; mkdir run; ln -s ../big.json run/record.json
      ulimit -v 3000000
      "$facegauge" evaluate good.h5 -o z --models x.task; echo $?
      "$facegauge" report run; echo $?
      """)
    #expect(result.output == "65\n65\n", "\(result.errors)")
    #expect(
      result.errors == """
        error: cannot read x.task: expected at most 512 MiB, found 2147483648 bytes
        error: cannot read run/record.json: expected at most 64 MiB, found 1073741824 bytes

        """)
  }

  @Test func `names that are not UTF-8 are read, imported and written`() throws {
    try bench.write(Material.image(), to: "plain.jpg")
    let result = try bench.shell(
      #"""
      mkdir lat $'r\xe9f'; cp plain.jpg lat/$'caf\xe9.jpg'; cp plain.jpg lat/plain.jpg
      "$facegauge" import images lat -o $'d\xff.h5' || exit
      "$facegauge" inspect $'d\xff.h5' | grep frames
      "$facegauge" subset $'d\xff.h5' -o $'r\xe9f/s.h5' --frames 0:1 || exit
      "$facegauge" validate $'r\xe9f/s.h5' > /dev/null; echo $?
      "$facegauge" inspect $'gone\xe9.h5'
      LC_ALL=C ls -b . $'r\xe9f'
      """#)
    #expect(result.output.contains("frames     2\n0\n"), "\(result.output) \(result.errors)")
    #expect(result.output.contains(#"d\377.h5"#), "\(result.output)")
    #expect(result.output.contains("s.h5"))
    #expect(result.errors.contains(#"gone\xe9.h5: no such file"#), "\(result.errors)")
  }

  @Test func `without /proc the program has its arguments and does its work`() throws {
    try Material.dataset(bench.url("good.h5"), frames: 3)
    let result = try bench.shell(
      """
      unshare -m true 2> /dev/null || { echo none; exit; }
      unshare -m bash -c 'mount -t tmpfs none /proc && "$facegauge" --version \
        && "$facegauge" inspect good.h5 && "$facegauge" subset good.h5 -o x.h5 --frames 0:2 \
        && "$facegauge" validate x.h5 && "$facegauge" doctor > /dev/null'; echo "status $?"
      """, environment: ["FACEGAUGE_MODELS": bench.url("none").path])
    if result.output == "none\n" { return }
    #expect(result.output.contains("facegauge 0."), "\(result.errors)")
    #expect(result.output.contains("frames     3\n"))
    #expect(result.output.hasSuffix("status 69\n"), "\(result.output) \(result.errors)")
  }
}
