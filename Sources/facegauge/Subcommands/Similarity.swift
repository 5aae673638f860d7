import CommandSyntax
import Datasets
import Evaluation
import Foundation

extension Command {
  private static let pictures = Argument(
    repeating: "picture", .path(extensions: ["jpg", "jpeg", "png"]), minimum: 0,
    help: "Two JPEG or PNG pictures with a face.")
  private static let pairs = Option(
    "pairs", valueName: "pairs.csv", .path(extensions: ["csv"]),
    otherwise: "two pictures are given",
    help: "Score every pair of a list in place of two pictures, see above.")
  private static let confidence = Option(
    "min-face-detection-confidence", valueName: "score", .number(in: 0...1), default: 0.5,
    help: "Lowest score of a face.")
  private static let modelsPath = Option(
    "models", valueName: "path", .path, otherwise: "the cache that 'models pull' fills",
    help: "Folder of model files or .task bundle.")
  private static let json = Flag("json", help: "Print JSON instead of text.")

  /// `facegauge similarity`.
  static let similarity = Command(
    CommandDeclaration(
      "similarity", abstract: "Say how alike two faces hold themselves, as in an imitation",
      discussion: """
        The shape of the 478 points and the 52 blendshapes of the largest face of each picture are \
        compared. The Procrustes distance is what is left of the shape's difference after moving, \
        scaling and turning; the cosine is that of the two lists of coefficients. Both say how a \
        face looks and is held, not whose it is, and a head turned aside changes both.

          facegauge similarity selfie.jpg painting.jpg

        --pairs takes a list with the columns a, b and same (1 where the faces belong together, else \
        0), its pictures beside it. Each similarity then gets its equal error rate, AUROC and the \
        share of true accepts at three rates of false ones. A picture without a face is a failure \
        to acquire: its pairs count as rejected.

          facegauge similarity --pairs pairs.csv
        """,
      arguments: [pictures], options: [pairs, confidence, modelsPath, json])
  ) { arguments in
    let models = arguments[modelsPath].map { URL(fileURLWithPath: $0) }
    if let list = arguments[pairs] {
      guard arguments[pictures].isEmpty else {
        throw arguments.usageError("'--pairs' takes the place of two pictures")
      }
      let pairs = try PicturePairs(URL(fileURLWithPath: list))
      let progress = PhaseProgress()
      let verification = try stopping {
        try PairVerification(
          pairs, models: models, minFaceDetectionConfidence: arguments[confidence],
          monitor: progress.monitor)
      }
      progress.finish()
      if arguments[json] {
        try StandardOutput.writeJSON(SimilarityText.json(verification))
      } else {
        try StandardOutput.write(SimilarityText.text(verification))
      }
      return .success
    }
    let both = arguments[pictures].map { URL(fileURLWithPath: $0) }
    guard both.count == 2 else {
      throw arguments.usageError("expected two pictures or '--pairs', found \(both.count)")
    }
    let similarity = try PictureSimilarity(
      both[0], both[1], models: models, minFaceDetectionConfidence: arguments[confidence])
    if arguments[json] {
      try StandardOutput.writeJSON(SimilarityText.json(similarity))
    } else {
      try StandardOutput.write(SimilarityText.text(similarity))
    }
    return .success
  }
}
