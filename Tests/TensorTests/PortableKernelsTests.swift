import Foundation
import Tensor
import TestSupport
import Testing

/// The kernels and the crop, compiled for this processor and for 64-bit ARM.
@Suite struct PortableKernelsTests {
  private static func program(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map {
      "\($0)/\(name)"
    }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static let clang = program("clang")
  private static let emulator = program("qemu-aarch64") ?? program("qemu-aarch64-static")
  private static let canRunARM =
    clang != nil && emulator != nil
    && FileManager.default.fileExists(atPath: "/usr/aarch64-linux-gnu/lib/libc.a")

  private func compile(_ flags: [String], to program: URL) throws {
    let root = Checkout.root
    let sources = [
      "Tests/Portability/portable_kernels.c", "Sources/CKernels/baseline.c",
      "Sources/CKernels/neon.c", "Sources/CKernels/select.c", "Sources/CKernels/x86_64_v3.c",
      "Sources/CKernels/x86_64_v4.c", "Sources/CImaging/crop.c",
    ].map { root.appending(path: $0).path }
    let result = try ProcessResult(
      running: try #require(Self.clang),
      ["-O2", "-static", "-fuse-ld=lld"] + flags
        + ["Sources/CKernels/include", "Sources/CImaging/include"].map {
          "-I" + root.appending(path: $0).path
        } + sources + ["-lm", "-o", program.path])
    #expect(result.status == 0, "\(result.errors)")
  }

  /// Each float equals plain loops; sums of small whole numbers are exact on every processor.
  @Test(.enabled(if: canRunARM, "there is no clang, qemu-user or libc6-dev-arm64-cross"))
  func `on 64-bit ARM every kernel has the floats of plain loops, and of this processor`() throws {
    let folder = try TemporaryFolder()
    let (here, arm) = (folder.file("here"), folder.file("arm"))
    try compile([], to: here)
    try compile(["--target=aarch64-linux-gnu"], to: arm)
    let emulator = try #require(Self.emulator)
    // NEON's vectors have as many floats as those of x86-64-v3.
    for (level, same) in [(Kernels.Level.baseline, Kernels.Level.baseline), (.neon, .x86_64_v3)] {
      let theirs = try ProcessResult(running: emulator, [arm.path, "\(level.rawValue)"])
      #expect(theirs.status == 0, "\(level): \(theirs.output)")
      let lines = theirs.output.split(separator: "\n")
      #expect(
        lines.map { $0.split(separator: " ").dropLast(2).joined(separator: " ") } == [
          "convolve", "mix", "planes", "depthwise", "max_pool", "resize", "finish", "binary",
          "unary, sum and clamp", "normalize and transpose", "crop",
        ])
      #expect(
        lines.compactMap { Int($0.split(separator: " ").dropLast().last ?? "") }.min() ?? 0 > 1000)
      guard Kernels(level: same) != nil else { continue }
      let own = try ProcessResult(running: here.path, ["\(same.rawValue)"])
      #expect(own.status == 0, "\(own.output)")
      #expect(theirs.output == own.output, "\(level) and \(same)")
    }
  }
}
