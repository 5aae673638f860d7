import Foundation
import Platform
import Running
import TestSupport
import Testing

@Suite("What is installed")
struct InstallationCheckTests {
  private func limits(allowed: Int = 4, _ files: [String: String]) -> MachineLimits {
    MachineLimits(processors: 8, allowedProcessors: allowed) { files[$0] }
  }

  @Test func `memory is read in bytes`() {
    let limits = limits([
      "/proc/meminfo": "MemTotal:       24689764 kB\nMemFree: 1 kB\nMemAvailable:    2048 kB\n"
    ])
    #expect(limits.memoryBytes == 24_689_764 << 10)
    #expect(limits.availableBytes == 2 << 20)
    #expect(limits.processorQuota == nil && limits.memoryLimitBytes == nil)
  }

  @Test func `of nested control groups the strictest limit holds`() {
    let limits = limits([
      "/proc/self/cgroup": "0::/outer/inner\n",
      "/sys/fs/cgroup/outer/inner/cpu.max": "max 100000\n",
      "/sys/fs/cgroup/outer/cpu.max": "150000 100000\n",
      "/sys/fs/cgroup/outer/inner/memory.max": "max\n",
      "/sys/fs/cgroup/outer/memory.max": "536870912\n",
    ])
    #expect(limits.processorQuota == 1.5)
    #expect(limits.memoryLimitBytes == 512 << 20)
  }

  @Test func `control groups of version 1 say their limits in files of their own`() {
    let limits = limits([
      "/proc/self/cgroup": "4:memory:/job\n2:cpuacct:/\n1:cpu,cpuacct:/job\n",
      "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us": "50000\n",
      "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us": "100000\n",
      "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
      "/sys/fs/cgroup/memory/job/memory.limit_in_bytes": "9223372036854771712\n",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
    ])
    #expect(limits.processorQuota == 0.5)
    #expect(limits.memoryLimitBytes == 1 << 30)
  }

  @Test func `a quota below the cores is a warning that names the jobs to run`() throws {
    let cores = InstallationCheck.machine(
      limits([
        "/proc/self/cgroup": "0::/", "/sys/fs/cgroup/cpu.max": "250000 100000",
        "/proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB",
      ]))
    #expect(cores.map(\.state) == [.warning, .ok])
    #expect(cores[0].found == "4 of 8, by affinity, the control group grants 2.5 processors' time")
    #expect(try #require(cores[0].advice).contains("'--jobs' no more than 2"))
    #expect(cores[1].found == "8.0 GiB, 4.0 GiB available")
  }

  @Test func `little memory is a warning, whether the machine or the control group is short of it`()
  {
    for files in [
      ["/proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable: 1000 kB"],
      [
        "/proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB",
        "/proc/self/cgroup": "0::/", "/sys/fs/cgroup/memory.max": "536870912",
      ],
    ] {
      #expect(InstallationCheck.machine(limits(files)).map(\.state) == [.ok, .warning])
    }
  }

  private func probe(_ script: String, limit: Duration = .seconds(60)) throws -> ProgramProbe {
    try ProgramProbe.run("/bin/sh", ["-c", script], limit: limit) { false }
  }

  @Test func `a program answers with its first line that is not blank`() throws {
    #expect(try probe("echo; echo 'x version 1'; echo more") == .answers("x version 1"))
  }

  @Test func `a program that is not there, fails, is silent or hangs does not answer`() throws {
    #expect(try ProgramProbe.run("no-such-program", []) { false } == .missing)
    #expect(
      try probe("echo x; echo 'lib.so: not found' >&2; exit 3")
        == .fails("it ended with status 3: lib.so: not found"))
    #expect(try probe(":") == .fails("it printed nothing"))
    #expect(
      try probe("sleep 600", limit: .milliseconds(100))
        == .fails("/bin/sh took longer than 0.1 s"))
  }
}
