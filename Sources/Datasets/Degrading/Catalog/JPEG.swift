extension Degradation {
  /// The artefacts of a JPEG with one sample of color per two by two pixels.
  static let jpeg = Degradation(
    "jpeg", quantity: "quality of the JPEG, 1 to 100", values: [60, 30, 15, 8, 4]
  ) { frame, quality in
    frame.jpegQuality = Int(quality)
  }
}
