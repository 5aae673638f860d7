import Testing

extension Tag {
  @Tag static var oracle: Self
}
