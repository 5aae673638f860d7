import CommandSyntax
import Foundation
import Platform
import Timing

extension Command {
  private static let runs = Option(
    "runs", valueName: "n", .integer(in: 1...100_000), default: 100,
    help: "Timed runs of each model; times are medians.")

  /// `facegauge models plan`.
  static let modelPlan = Command(
    CommandDeclaration(
      "plan", abstract: "Show and time the steps of the models, with the kernel of each",
      discussion: """
        The plan of a model depends on its shapes and on the instruction set alone, so that \
        results repeat. FACEGAUGE_KERNELS limits the instruction set: baseline, x86-64-v3 \
        (AVX2) or x86-64-v4 (AVX-512).

        MACs are multiply-accumulates; one counts as two operations in GF/s, 10^9 operations a \
        second. The peak is measured too: multiply-adds in registers of the same instruction set, \
        on one core. A step that the clock interrupts is slower than in a run, so the steps add up \
        to more than the run.
        """,
      options: [
        PipelineOptions.detector, PipelineOptions.landmarks, PipelineOptions.modelsPath, runs, json,
      ])
  ) { arguments in
    let plans = try PhaseProgress.run {
      try ModelPlans(
        detector: arguments[PipelineOptions.detector],
        landmarks: arguments[PipelineOptions.landmarks],
        from: arguments[PipelineOptions.modelsPath].map { URL(fileURLWithPath: $0) },
        runs: arguments[runs], monitor: $0)
    }
    try arguments.print(plans, text: plans.text)
    return .success
  }
}

extension ModelPlans {
  /// A table a model.
  fileprivate var text: String {
    var lines = [
      "kernels \(kernels), OpenBLAS core \(blasCore), peak \(peakGigaflops.text(decimals: 1)) GF/s, "
        + "one thread, medians of \(runs) runs"
    ]
    for plan in models {
      lines.append("")
      lines.append(
        "\(plan.model): \(plan.microseconds.text(decimals: 1)) µs, "
          + "\((Double(plan.multiplyAccumulates) / 1e6).text(decimals: 2)) M MACs, "
          + "\(plan.gigaflops.text(decimals: 1)) GF/s, "
          + "\((plan.shareOfPeak * 100).text(decimals: 0)) % of the peak, "
          + "\(plan.arenaBytes) bytes of working memory")
      let rows = plan.steps.map { step in
        [
          "\(step.step)", step.kernel, step.output.map(String.init).joined(separator: "x"),
          step.multiplyAccumulates == 0 ? "–" : "\(step.multiplyAccumulates)",
          step.microseconds.text(decimals: 1),
          step.gigaflops.map { $0.text(decimals: 1) } ?? "–",
          step.shareOfPeak.map { ($0 * 100).text(decimals: 0) } ?? "–",
        ]
      }
      let head = ["step", "kernel", "output", "MACs", "µs", "GF/s", "peak, %"]
      lines += TextTable(
        [.right, .left, .left, .right], rows: [head] + rows
      ).lines.map { "  " + $0 }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
