// swift-tools-version: 6.0
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A C library of the system; no logic.
func library(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([apt]), .brew([brew])])
}

#if os(macOS)
  let hdf5 = "hdf5"
#else
  let hdf5 = "hdf5-serial"
#endif

/// A Swift target under Sources; `imports` is its row of the module table.
func module(
  _ name: String, imports: [Target.Dependency] = [], resources: [Resource]? = nil,
  exclude: [String] = [], settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: imports, exclude: exclude, resources: resources,
    swiftSettings: strict + settings)
}

/// A stage can be made slower than it is in the builds that test whether gates notice, and in no other.
let planted: [SwiftSetting] =
  Context.environment["FACEGAUGE_PLANT"] == nil ? [] : [.define("PLANTED_SLOWDOWN")]

/// The commit that is built, as `make` names it, with `+` after it where files have changed since.
///
/// Not `Context.gitInformation`: SwiftPM keeps a manifest's result over commits, and would name an earlier one.
let commit: [CSetting] = {
  let named = Context.environment["FACEGAUGE_COMMIT"] ?? ""
  let hash = named.hasSuffix("+") ? String(named.dropLast()) : named
  guard hash.count == 40, hash.allSatisfy({ "0123456789abcdef".contains($0) }) else { return [] }
  return [.define("CBUILD_COMMIT", to: hash)]
    + (named.hasSuffix("+") ? [.define("CBUILD_CHANGED")] : [])
}()

/// A test target under Tests; one that computes little itself is compiled faster without optimization.
func tests(
  _ name: String, of targets: [Target.Dependency], exclude: [String] = [], isOptimized: Bool = true
) -> Target {
  .testTarget(
    name: name, dependencies: targets + ["TestSupport", "Platform", "Statistics"], exclude: exclude,
    swiftSettings: strict + (isOptimized ? [] : [.unsafeFlags(["-Onone"])]))
}

/// What `make fuzz` builds and nothing else needs.
let fuzzing: [Target] =
  Context.environment["FACEGAUGE_FUZZ"] == nil
  ? []
  : [
    .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "CLibFuzzer", "CZlib", "Calibration", "Datasets", "FaceCore", "FacePipeline", "HDF5",
        "Imaging", "Metrics", "Platform", "Records", "Rendering", "Reporting", "Running", "TFLite",
        "Tensor", "Tuning",
      ], path: "Tests/Fuzzing/Fuzz", swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
  ]

let package = Package(
  name: "FaceGauge",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "facegauge", targets: ["facegauge"]),
    .library(
      name: "FaceGaugeModules",
      targets: [
        "Calibration", "CommandSyntax", "Datasets", "FaceCore", "FacePipeline", "HDF5", "Imaging",
        "Metrics", "ObjectTracking", "Platform", "Profiling", "Records", "Reporting", "Statistics",
        "TFLite", "Tensor",
      ]),
  ],
  targets: fuzzing + [
    library("CHDF5", pkgConfig: hdf5, apt: "libhdf5-dev", brew: "hdf5"),
    library("CMatio", pkgConfig: "matio", apt: "libmatio-dev", brew: "libmatio"),
    library("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
    library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    library("COpenBLAS", pkgConfig: "openblas", apt: "libopenblas-dev", brew: "openblas"),
    library(
      "CTurboJPEG", pkgConfig: "libturbojpeg", apt: "libturbojpeg0-dev", brew: "jpeg-turbo"),
    library("CPNG", pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
    library("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),

    .target(name: "CAddressSpace"),
    .target(name: "CAllocations"),
    .target(name: "CBuild", cSettings: commit),
    .target(name: "CImaging", dependencies: ["CPNG"]),
    .target(name: "CProcesses"),
    .target(name: "CKernels"),

    module("Platform", imports: ["CCrypto", "CDeflate", "CProcesses"]),
    module("Statistics", imports: ["COpenBLAS"]),
    module("FaceCore"),
    module("HDF5", imports: ["CHDF5", "Platform"], exclude: ["README.md"]),
    module("Imaging", imports: ["CImaging", "CTurboJPEG", "FaceCore", "Platform"]),
    module("Tensor", imports: ["CKernels", "COpenBLAS"]),
    module("TFLite", imports: ["Tensor"]),
    module("ObjectTracking", imports: ["FaceCore", "Imaging", "Tensor"]),
    module(
      "FacePipeline",
      imports: ["FaceCore", "Imaging", "Platform", "Profiling", "TFLite", "Tensor"]),
    module("Records", imports: ["FaceCore", "Platform", "Statistics"]),
    module(
      "Datasets",
      imports: ["CMatio", "CZlib", "FaceCore", "HDF5", "Imaging", "Platform", "Statistics"]),
    module("Metrics", imports: ["FaceCore", "Platform", "Records", "Statistics"]),
    module(
      "Calibration", imports: ["FaceCore", "Metrics", "Platform", "Records", "Statistics"]),
    module(
      "Checking", imports: ["Datasets", "FaceCore", "Metrics", "Platform", "Records", "Statistics"]),
    module(
      "Rendering", imports: ["Datasets", "FaceCore", "Imaging", "Platform", "Statistics"],
      resources: [.embedInCode("FaceKit/meshes.txt")]),
    module("Profiling", imports: ["CAllocations", "Platform", "Statistics"], settings: planted),
    module(
      "Running",
      imports: [
        "CBuild", "Datasets", "FaceCore", "FacePipeline", "Imaging", "Platform",
        "Profiling", "Records", "Statistics", "TFLite", "Tensor",
      ]),
    module(
      "Scoring",
      imports: [
        "Calibration", "Checking", "Datasets", "FaceCore", "FacePipeline", "Imaging", "Metrics",
        "ObjectTracking", "Platform", "Profiling", "Records", "Running", "Statistics", "Tensor",
      ]),
    module(
      "Tuning",
      imports: [
        "Calibration", "Datasets", "FaceCore", "FacePipeline", "Imaging", "Metrics", "Platform",
        "Profiling", "Records", "Running", "Scoring", "Statistics", "Tensor",
      ]),
    module(
      "Timing",
      imports: [
        "Datasets", "FaceCore", "FacePipeline", "Imaging", "Metrics", "Platform", "Profiling",
        "Records", "Running", "Scoring", "Statistics", "TFLite", "Tensor",
      ]),
    module(
      "Reporting", imports: ["FaceCore", "Platform", "Records"],
      resources: [.embedInCode("Page/report.js"), .embedInCode("Page/report.css")]),
    module("CommandSyntax", imports: ["Platform"]),
    .executableTarget(
      name: "facegauge",
      dependencies: [
        "CAddressSpace", "Calibration", "Checking", "CommandSyntax", "Datasets", "FaceCore",
        "FacePipeline", "Metrics", "Platform", "Records", "Rendering", "Reporting", "Running",
        "Scoring", "Statistics", "Timing", "Tuning",
      ],
      resources: [.embedInCode("Demo/portraits.json"), .embedInCode("Demo/gates.json")],
      swiftSettings: strict),

    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "FaceCore", "Imaging", "Metrics", "Platform", "Profiling", "Statistics", "Tensor",
      ], swiftSettings: strict),

    .executableTarget(
      name: "greenhouse", dependencies: ["CommandSyntax", "Platform"], path: "Tests/Greenhouse",
      swiftSettings: strict),
    .executableTarget(
      name: "coco-timing", dependencies: ["FaceCore", "Metrics", "Records", "Statistics"],
      path: "Tests/Peers/COCOTiming",
      swiftSettings: strict),
    .executableTarget(
      name: "paired-trials", dependencies: ["Profiling", "Statistics", "Timing"],
      path: "Tests/Scale/PairedTrials", swiftSettings: strict),
    .executableTarget(
      name: "sweep-check",
      dependencies: [
        "Datasets", "FaceCore", "FacePipeline", "Imaging", "Platform", "Profiling", "Running",
        "Scoring", "Tuning",
      ], path: "Tests/Scale/SweepCheck", swiftSettings: strict),
    .executableTarget(
      name: "model-turns", dependencies: ["Platform", "Profiling", "TFLite", "Tensor"],
      path: "Tests/Peers/ModelTurns", swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["Platform", "Statistics"], path: "Tests/TestSupport",
      swiftSettings: strict),
    tests("PlatformTests", of: ["Records"]),
    tests("HDF5Tests", of: ["HDF5", "CHDF5", "CZlib"]),
    tests("ImagingTests", of: ["Imaging", "CImaging", "FaceCore"]),
    tests("TensorTests", of: ["Tensor"]),
    tests("TFLiteTests", of: ["TFLite", "Tensor"]),
    tests("StatisticsTests", of: []),
    tests("FaceCoreTests", of: ["FaceCore"]),
    tests("ObjectTrackingTests", of: ["FaceCore", "Imaging", "ObjectTracking"]),
    tests(
      "DatasetsTests",
      of: ["Datasets", "FaceCore", "HDF5", "Imaging", "CZlib", "facegauge"]),
    tests("ProfilingTests", of: ["Profiling", "Metrics", "Records"]),
    tests("RecordsTests", of: ["FaceCore", "Records"], isOptimized: false),
    tests(
      "FacePipelineTests",
      of: ["FacePipeline", "FaceCore", "Imaging", "TFLite", "Tensor", "Profiling"]),
    tests(
      "EvaluationTests",
      of: [
        "Calibration", "Datasets", "FaceCore", "FacePipeline", "HDF5", "Imaging", "Metrics",
        "Profiling", "Records", "Running", "Scoring", "Timing", "Tuning",
      ], isOptimized: false),
    tests(
      "MetricsTests", of: ["Metrics", "Datasets", "FaceCore", "Records", "CZlib"]),
    tests("RenderingTests", of: ["Rendering", "Datasets", "FaceCore", "Imaging"]),
    tests("CheckingTests", of: ["Checking", "Datasets", "FaceCore", "Records"]),
    tests(
      "CalibrationTests", of: ["Calibration", "FaceCore", "Metrics", "Records"]),
    tests(
      "ReportingTests", of: ["Reporting", "Records", "FaceCore"], exclude: ["Golden"],
      isOptimized: false),
    tests(
      "CommandLineTests",
      of: [
        "facegauge", "Calibration", "CHDF5", "CommandSyntax", "Datasets", "FaceCore", "Imaging",
        "Records",
      ],
      exclude: ["Golden"], isOptimized: false),
    tests(
      "RepositoryTests",
      of: [
        "facegauge", "Checking", "CommandSyntax", "Datasets", "FaceCore", "FacePipeline", "Metrics",
        "Records", "Reporting", "TFLite",
      ], isOptimized: false),
    tests(
      "CommandSyntaxTests", of: ["CommandSyntax", "greenhouse"], exclude: ["Golden"],
      isOptimized: false),
  ]
)
