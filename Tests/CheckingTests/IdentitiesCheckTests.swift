import Checking
import FaceCore
import Records
import Testing

struct IdentitiesCheckTests {
  private typealias Ids = (Int, Int) -> Int?

  /// Two faces in each of 30 frames that move a pixel a frame, with ids by frame and place.
  private func names(
    labels: Ids = { $1 }, predictions: Ids = { $1 + 7 }, isVideo: Bool = true
  ) -> [String: Finding] {
    let frames = (0..<30).map { frame in
      MadeRecording.frame(
        frame, isVideo: isVideo,
        labels: (0..<2).map {
          MadeRecording.label(MadeRecording.box($0, frame: frame), identity: labels(frame, $0))
        },
        faces: (0..<2).map {
          MadeRecording.face(MadeRecording.box($0, frame: frame), identity: predictions(frame, $0))
        })
    }
    let found = IdentitiesCheck.findings(in: MadeRecording.sample(frames))
    return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
  }

  @Test func `ids that stay with their faces are none, also where a tracker changes some`() {
    #expect(names().isEmpty)
    #expect(names(predictions: { frame, place in place + 2 * (frame / 2) }).isEmpty)
    #expect(names(predictions: { _, _ in nil }).isEmpty)
  }

  @Test func `an id for both faces of a frame is found, with the frames, on either side`() throws {
    let predicted = try #require(
      names(predictions: { frame, place in frame == 9 ? 4 : place })["identities.twice"])
    #expect(predicted.severity == .suspect && predicted.n == 30)
    #expect(predicted.before == 1.0 / 30 && predicted.frames.map(\.index) == [9])
    #expect(predicted.summary.hasPrefix("In 1 of 30 frames predictions"))
    let labelled = names(labels: { _, _ in 3 })
    #expect(Array(labelled.keys) == ["identities.twice-labels"])
    #expect(labelled["identities.twice-labels"]?.frames.count == 5)
  }

  @Test func `an id that is a row number is found, and so is a new one a frame`() throws {
    let rows = try #require(names(predictions: { 2 * $0 + $1 })["identities.new"])
    #expect(rows.severity == .suspect && rows.before == 0 && rows.n == 58)
    #expect(rows.summary.hasPrefix("Ids of predictions count rows"))
    let fresh = try #require(names(predictions: { 31 * $0 + 700 * $1 })["identities.new"])
    #expect(fresh.summary.hasPrefix("Faces of predictions have a new id in each frame"))
    #expect(names(labels: { 2 * $0 + $1 })["identities.new-labels"]?.severity == .suspect)
  }

  @Test func `ids that no label has are worth a note, and those of stills none`() {
    #expect(
      names(labels: { _, _ in nil }, predictions: { _, _ in 1 })["identities.twice"]?.severity
        == .note)
    #expect(names(predictions: { _, _ in 1 }, isVideo: false).isEmpty)
  }
}
