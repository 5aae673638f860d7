"""Counts what the kernels execute with AVX2 and with NEON, under QEMU 7.2: a table in Markdown.

Needs clang with lld, qemu-user and libc6-dev-arm64-cross. A bound of cycles is the larger of multiply-adds by the units
that do them and of instructions by those that are issued in a cycle; no processor reaches it.
"""

import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ["Tests/Portability/count_kernels.c", "Sources/CImaging/crop.c",
           *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "Sources/CKernels").glob("*.c"))]
KERNELS = ["convolve-1x1", "convolve-3x3", "mix", "depthwise-3x3", "planes-1x1", "planes-3x3", "max-pool", "resize", "finish",
           "add", "slope", "clamp", "logistic", "hard-swish", "normalize", "transpose", "crop"]
# Name, level of `Kernels.Level`, emulator, flags of the compiler.
ARCHITECTURES = [("AVX2", 1, ["qemu-x86_64", "-cpu", "max"], []),
                 ("NEON", 3, ["qemu-aarch64"], ["--target=aarch64-linux-gnu"])]
# Vector multiply-adds and instructions in a cycle, from the makers' optimization guides (Apple: measured by others).
PROCESSORS = [("Zen 4", "AVX2", 2, 6), ("Neoverse N1", "NEON", 2, 4), ("Neoverse V1", "NEON", 4, 8), ("Apple M1", "NEON", 4, 8)]


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)


def counts(emulator, plugin, program, kernel, level):
    """Instructions and multiply-adds of one round."""
    def total(rounds):
        words = run(*emulator, "-plugin", plugin, "-d", "plugin", program, kernel, level, rounds).stderr.split()
        return [int(word) for word in words]
    return [(many - few) / 4 for many, few in zip(total(6), total(2))]


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plugin = folder / "counter.so"
        run("clang", "-O2", "-shared", "-fPIC", ROOT / "Tests/Portability/instruction_counter.c", "-o", plugin)
        found = {}
        for name, level, emulator, flags in ARCHITECTURES:
            program = folder / name
            run("clang", "-O2", "-static", "-fuse-ld=lld", *flags, "-I", ROOT / "Sources/CKernels/include", "-I",
                ROOT / "Sources/CImaging/include", *(ROOT / source for source in SOURCES), "-lm", "-o", program)
            for kernel in KERNELS:
                found[name, kernel] = counts(emulator, plugin, program, kernel, level)
    names = [name for name, *_ in ARCHITECTURES]
    print("| kernel |", " | ".join(f"{name}, thousands" for name in names), "| of them multiply-adds | ratio |",
          " | ".join(f"{processor}, cycles" for processor, *_ in PROCESSORS), "|")
    print("|---" * (4 + len(names) - 1 + len(PROCESSORS)) + "|")
    for kernel in KERNELS:
        both = [found[name, kernel] for name in names]
        bounds = [max(found[name, kernel][1] / units, found[name, kernel][0] / width) / 1000
                  for _, name, units, width in PROCESSORS]
        print(f"| {kernel} |", " | ".join(f"{executed / 1000:.1f}" for executed, _ in both), "|",
              " and ".join(f"{adds / 1000:.1f}" for _, adds in both), f"| {both[1][0] / both[0][0]:.2f} |",
              " | ".join(f"{bound:.1f}" for bound in bounds), "|")


if __name__ == "__main__":
    main()
