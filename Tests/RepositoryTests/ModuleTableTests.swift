import Foundation
import Testing

@Suite("The module table")
struct ModuleTableTests {
  /// A row each target: what its files may import of the package.
  static let table: [String: Set<String>] = [
    "CCrypto": [], "CHDF5": [], "CMatio": [], "COpenBLAS": [], "CPNG": [], "CTurboJPEG": [],
    "CDeflate": [],
    "CZlib": [],
    "CAddressSpace": [],
    "CAllocations": [],
    "CBuild": [],
    "CImaging": ["CPNG"],
    "CKernels": [],
    "CProcesses": [],
    "Platform": ["CCrypto", "CDeflate", "CProcesses"],
    "Statistics": ["COpenBLAS"],
    "FaceCore": [],
    "HDF5": ["CHDF5", "Platform"],
    "Imaging": ["CImaging", "CTurboJPEG", "FaceCore", "Platform"],
    "Tensor": ["CKernels", "COpenBLAS"],
    "TFLite": ["Tensor"],
    "ObjectTracking": ["FaceCore", "Imaging", "Tensor"],
    "FacePipeline": ["FaceCore", "Imaging", "Platform", "Profiling", "TFLite", "Tensor"],
    "Records": ["FaceCore", "Platform", "Statistics"],
    "Datasets": ["CMatio", "CZlib", "FaceCore", "HDF5", "Imaging", "Platform", "Statistics"],
    "Metrics": ["FaceCore", "Platform", "Records", "Statistics"],
    "Calibration": ["FaceCore", "Metrics", "Platform", "Records", "Statistics"],
    "Checking": ["Datasets", "FaceCore", "Metrics", "Platform", "Records", "Statistics"],
    "Rendering": ["Datasets", "FaceCore", "Imaging", "Platform", "Statistics"],
    "Profiling": ["CAllocations", "Platform", "Statistics"],
    "Running": [
      "CBuild", "Datasets", "FaceCore", "FacePipeline", "Imaging", "Platform",
      "Profiling", "Records", "Statistics", "TFLite", "Tensor",
    ],
    "Scoring": [
      "Calibration", "Checking", "Datasets", "FaceCore", "FacePipeline", "Imaging", "Metrics",
      "ObjectTracking", "Platform", "Profiling", "Records", "Running", "Statistics", "Tensor",
    ],
    "Tuning": [
      "Calibration", "Datasets", "FaceCore", "FacePipeline", "Imaging", "Metrics", "Platform",
      "Profiling", "Records", "Running", "Scoring", "Statistics", "Tensor",
    ],
    "Timing": [
      "Datasets", "FaceCore", "FacePipeline", "Imaging", "Metrics", "Platform", "Profiling",
      "Records", "Running", "Scoring", "Statistics", "TFLite", "Tensor",
    ],
    "Reporting": ["FaceCore", "Platform", "Records"],
    "CommandSyntax": ["Platform"],
    "Benchmarks": [
      "FaceCore", "Imaging", "Metrics", "Platform", "Profiling", "Statistics", "Tensor",
    ],
    "facegauge": [
      "CAddressSpace", "Calibration", "Checking", "CommandSyntax", "Datasets", "FaceCore",
      "FacePipeline", "Metrics", "Platform", "Records", "Rendering", "Reporting", "Running",
      "Scoring", "Statistics", "Timing", "Tuning",
    ],
  ]

  /// What comes with Swift, without the parts that need libcurl and libxml2.
  static let platform: Set<String> = [
    "Darwin", "Dispatch", "Foundation", "Glibc", "Synchronization",
  ]

  /// Folders of Sources without a target: what wheels and packages are built from.
  private static let withoutTarget: Set<String> = ["Packaging"]

  @Test func `every folder of Sources is a row, and every row a folder`() {
    let folders = Repository.files(in: "Sources").compactMap {
      let path = $0.split(separator: "/").dropFirst()
      return (path.first == "SystemLibraries" ? path.dropFirst() : path).first.map(String.init)
    }
    #expect(Set(folders).subtracting(Self.withoutTarget) == Set(Self.table.keys))
    for folder in Self.withoutTarget {
      #expect(Repository.files(in: "Sources/\(folder)", ending: ".swift").isEmpty)
    }
  }

  @Test(arguments: table.keys.sorted())
  func `every file imports its row and the platform only`(target: String) throws {
    let allowed = try #require(Self.table[target])
    for file in Repository.files(in: "Sources/\(target)", ending: ".swift") {
      let imports = Self.imports(in: try Repository.text(file))
      let stray = imports.subtracting(allowed).subtracting(Self.platform)
      #expect(stray.isEmpty, "\(file) imports \(stray.sorted())")
    }
  }

  /// Its stages know engines by `InferenceModel` alone.
  @Test func `the pipeline names its own engine in three files`() throws {
    let files = try Repository.files(in: "Sources/FacePipeline", ending: ".swift").filter {
      Self.imports(in: try Repository.text($0)).contains("TFLite")
    }
    #expect(
      files.map(\.stem).sorted() == ["FaceLandmarkerModels", "ModelBytes", "ModelCatalog"])
  }

  @Test func `package.swift declares the rows`() throws {
    let text = try Repository.text("Package.swift")
    var declared: [String: Set<String>] = [:]
    for match in text.matches(of: /library\(\s*"(\w+)"/) { declared[String(match.1)] = [] }
    for match in text.matches(of: /module\(\s*"(\w+)"(?:,\s*imports:\s*\[([^\]]*)\])?/) {
      declared[String(match.1)] = Self.names(in: match.2 ?? "")
    }
    let target =
      /\.(?:target|executableTarget)\(\s*name: "(\w+)"(?:,\s*dependencies:\s*\[([^\]]*)\])?([^)]*)/
    for match in text.matches(of: target) where !match.3.contains("path: \"Tests") {
      declared[String(match.1)] = Self.names(in: match.2 ?? "")
    }
    for (name, imports) in Self.table {
      #expect(declared[name] == imports, "\(name)")
    }
    #expect(Set(declared.keys) == Set(Self.table.keys))
  }

  @Test func `the table of the guide has the rows`() throws {
    let guide = try Repository.text("Sources/facegauge/Guides.docc/Architecture.md")
    var shown: [String: Set<String>] = [:]
    for row in guide.matches(
      of: /^\| (`[\w` ]+`) \| .* \| ([\w, –]+) \|$/.anchorsMatchLineEndings())
    {
      for name in row.1.matches(of: /\w+/) {
        shown[String(name.0)] = Set(row.2.matches(of: /\w+/).map { String($0.0) })
      }
    }
    #expect(shown == Self.table)
  }

  @Test func `imports are found in every way of writing them`() {
    let text = """
      import A
      package import B
      @preconcurrency internal import C
      @testable import struct D.Name
        facegauge import imglab
      // import E
      """
    #expect(Self.imports(in: text) == ["A", "B", "C", "D"])
  }

  static func imports(in text: String) -> Set<String> {
    let declaration =
      /^(?:@\w+ +)*(?:(?:public|package|internal|fileprivate|private) +)?import +(?:(?:struct|class|enum|protocol|typealias|func|let|var) +)?(\w+)/
      .anchorsMatchLineEndings()
    return Set(text.matches(of: declaration).map { String($0.1) })
  }

  private static func names(in list: Substring) -> Set<String> {
    Set(list.matches(of: /"(\w+)"/).map { String($0.1) })
  }
}
