import CommandSyntax
import Datasets
import Foundation
import Platform
import Scoring

extension Command {
  private static let images = Argument(
    repeating: "image", .path(extensions: ["jpg", "jpeg", "png"]), minimum: 0,
    help: "Two JPEG or PNG images with a face.")
  private static let pairs = Option(
    "pairs", valueName: "pairs.csv", .path(extensions: ["csv"]),
    otherwise: "two images are given",
    help: "List of pairs to score instead of two images, see above.")
  private static let confidence = Option(
    "min-face-detection-confidence", valueName: "score", .number(in: 0...1), default: 0.5,
    help: "Minimum score of a detected face.")

  /// `facegauge similarity`.
  static let similarity = Command(
    CommandDeclaration(
      "similarity", abstract: "Compare the shape and expression of two faces, as in an imitation",
      discussion: """
          facegauge similarity selfie.jpg painting.jpg

        The 478 points and the 52 blendshapes of the largest face of each image are compared. The \
        Procrustes distance is the difference in shape that remains after translation, scaling and \
        rotation; the cosine compares the two lists of coefficients. Both measure shape and \
        expression, not identity, and both change when a head turns to the side.

          facegauge similarity --pairs pairs.csv

        --pairs reads a list with the columns a, b and same (1 if the faces belong together, else \
        0); image names are relative to the list. Each similarity gets its equal error rate, AUROC \
        and true accept rate at three false accept rates. An image without a face is a failure to \
        acquire: its pairs count as rejected.
        """,
      arguments: [images],
      options: [pairs, confidence, PipelineOptions.modelsPath, PipelineOptions.blendshapes, json])
  ) { arguments in
    let models = arguments[PipelineOptions.modelsPath].map { URL(fileURLWithPath: $0) }
    let head = arguments[PipelineOptions.blendshapes].map { URL(fileURLWithPath: $0) }
    if let list = arguments[pairs] {
      guard arguments[images].isEmpty else {
        throw arguments.usageError("'--pairs' cannot be combined with images")
      }
      let pairs = try ImagePairs(URL(fileURLWithPath: list))
      let verification = try PhaseProgress.run {
        try VerificationPairs(
          pairs, models: models, blendshapeHead: head,
          minFaceDetectionConfidence: arguments[confidence], monitor: $0)
      }
      try arguments.print(verification, text: SimilarityText.text(verification))
      return .success
    }
    let both = arguments[images].map { URL(fileURLWithPath: $0) }
    guard both.count == 2 else {
      throw arguments.usageError("expected two images or '--pairs', found \(both.count)")
    }
    let similarity = try ImageSimilarity(
      both[0], both[1], models: models, blendshapeHead: head,
      minFaceDetectionConfidence: arguments[confidence])
    try arguments.print(similarity, text: SimilarityText.text(similarity))
    return .success
  }
}
