package import CommandSyntax

/// A program that exists to show and to test the command-line library.
@main
struct Greenhouse {
  static func main() {
    program.main()
  }
}

/// The greenhouse's commands and documents.
package let program = Program(
  "greenhouse", version: "1.2.3", abstract: "Look after plants under glass",
  discussion: """
    Every plant is known by its bed and its number. Water is measured in litres and time in days.

      greenhouse water can basil-1 basil-2 --output log.json
      greenhouse grow 30
    """,
  commands: [.water, .grow, .seeds]
)
