import CommandSyntax
import Platform
import Records
import Scoring

/// What `similarity` prints.
enum SimilarityText {
  /// How many coefficients are listed.
  private static let shown = 8

  /// The faces, both scores with their meaning, and the coefficients that differ most.
  static func text(_ similarity: ImageSimilarity) -> String {
    var lines = [similarity.a, similarity.b].map { image in
      let size = image.box.suffix(2).map { $0.text(decimals: 0) }.joined(separator: " x ")
      return image.faces == 1
        ? "\(image.file): 1 face of \(size) pixels"
        : "\(image.file): \(image.faces) faces; the largest, of \(size) pixels, is compared"
    }
    lines.append(
      "shape: Procrustes distance \(similarity.procrustes.map { $0.text(decimals: 4) } ?? "undefined")"
        + " (0: the same shape except for position, size and rotation; 1: nothing in common)")
    if let cosine = similarity.cosine {
      lines.append(
        "expression: cosine \(cosine.text(decimals: 3))"
          + " (1: the same mix of blendshapes; 0: none in common)")
    } else {
      lines.append("expression: undefined: \(similarity.reason ?? "no coefficients")")
    }
    if similarity.isNearerMirrored {
      let cosine = similarity.mirrored.cosine.map { ", cosine \($0.text(decimals: 3))" } ?? ""
      lines.append(
        "mirrored: distance \(similarity.mirrored.procrustes?.text(decimals: 4) ?? "–")\(cosine): the second "
          + "face is nearer as its mirror image (some cameras store selfies mirrored)")
    }
    let differences = similarity.differences.prefix(shown)
    if !differences.isEmpty {
      lines.append("blendshapes that differ most, first and second face:")
      let rows = differences.map { [$0.name, $0.a.text(decimals: 3), $0.b.text(decimals: 3)] }
      lines += TextTable(rows: rows).lines.map { "  " + $0 }
    }
    return lines.printed
  }

  /// Counts, the metrics of each similarity side by side, and the images without a face.
  static func text(_ verification: VerificationPairs) -> String {
    let pairs = verification.pairs
    let together = pairs.count { $0.same }
    var lines = [
      "\(pairs.count) pairs: \(together) belong together, \(pairs.count - together) do not"
    ]
    let names = [
      "procrustes": "by shape (Procrustes distance)", "cosine": "by expression (cosine)",
    ]
    for score in verification.scores {
      lines.append("\(names[score.name] ?? score.name):")
      if let reason = score.reason {
        lines.append("  undefined: \(reason)")
        continue
      }
      let rows: [[String]] = score.measurements.map { measurement in
        let value = measurement.value.map { $0.text(decimals: 4) }
        return [measurement.name, value ?? "undefined: \(measurement.reason ?? "no reason")"]
      }
      lines += TextTable(rows: rows).lines.map { "  " + $0 }
      if score.failures > 0 {
        lines.append("  failures to acquire, counted as rejected: \(score.failures)")
      }
    }
    let mirrored = pairs.count { $0.same && $0.isNearerMirrored }
    if 2 * mirrored > together {
      lines.append(
        "mirrored: \(mirrored) of \(together) pairs that belong together are nearer in shape with the second face "
          + "mirrored (some cameras store selfies mirrored)")
    }
    let faceless = pairs.flatMap(\.withoutFace).uniqued
    if !faceless.isEmpty {
      let more = faceless.count > shown ? " and \(faceless.count - shown) more" : ""
      lines.append("no face in \(faceless.prefix(shown).joined(separator: ", "))\(more)")
    }
    return lines.printed
  }
}
