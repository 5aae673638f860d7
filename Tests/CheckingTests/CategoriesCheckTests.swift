import Checking
import FaceCore
import Records
import Testing

struct CategoriesCheckTests {
  /// A face in each of 40 frames, and an object of category 3 at another place; predictions find a share of the objects.
  private func findings(every step: Int, frames: Int = 40) -> [Finding] {
    CategoriesCheck.findings(
      in: MadeRecording.sample(
        (0..<frames).map { index in
          var other = MadeRecording.label(MadeRecording.box(2))
          other.category = 3
          return MadeRecording.frame(
            index, isVideo: false, labels: [MadeRecording.label(MadeRecording.box(0))],
            faces: [MadeRecording.face(MadeRecording.box(0))]
              + (index % step == 0 ? [MadeRecording.face(MadeRecording.box(2))] : []),
            others: [other])
        }))
  }

  @Test func `a category most of whose objects are predicted as faces is found`() throws {
    let found = try #require(findings(every: 1).first)
    #expect(found.name == "categories.other" && found.severity == .suspect)
    #expect(found.before == 0.5 && found.after == 1 && found.n == 80)
    #expect(found.summary.contains("category 3 (40 of 40)"))
    #expect(found.remedy?.contains("--category") == true)
    #expect(findings(every: 2).count == 1)
  }

  @Test func `objects that a tracker takes for faces now and then are its errors`() {
    #expect(findings(every: 3).isEmpty)
    #expect(findings(every: 1, frames: 1).isEmpty)
  }

  /// Boxes of heads that cover labelled faces by .3, and predictions that are boxes of heads too.
  @Test func `heads around labelled faces are no other faces`() {
    let heads = [MadeRecording.box(0), MadeRecording.box(2)]
    let labels = heads.map {
      MadeRecording.label(BoundingBox(x: $0.x + 20, y: $0.y + 25, width: 50, height: 55))
    }
    let others = heads.map { box in
      var head = MadeRecording.label(box)
      head.category = 2
      return head
    }
    let sample = MadeRecording.sample(
      (0..<40).map {
        MadeRecording.frame(
          $0, isVideo: false, labels: labels, faces: heads.map { MadeRecording.face($0) },
          others: others)
      })
    #expect(sample.pairs.isEmpty && CategoriesCheck.findings(in: sample).isEmpty)
  }

  @Test func `the same of a few objects is a note`() throws {
    let found = try #require(findings(every: 1, frames: 2).first)
    #expect(found.severity == .note && found.summary.contains("category 3 (2 of 2)"))
    #expect(found.remedy?.contains("--category NAME,NAME") == true)
    #expect(findings(every: 1, frames: 9).map(\.severity) == [.note])
    #expect(findings(every: 1, frames: 10).map(\.severity) == [.suspect])
  }
}
