import Checking
import FaceCore
import Records
import Testing

struct BoxesCheckTests {
  private func part(_ box: BoundingBox, _ width: Double, _ height: Double) -> BoundingBox {
    BoundingBox(
      x: box.x + (1 - width) / 2 * box.width, y: box.y + (1 - height) * box.height,
      width: width * box.width, height: height * box.height)
  }

  @Test func `boxes around less of the head are a note with the median ratios`() throws {
    let sample = PlacedFaces { part($0, 0.7, 0.6) }.sample()
    let finding = try #require(BoxesCheck.findings(in: sample).first)
    #expect(BoxesCheck.names.first == finding.name)
    #expect(finding.severity == .note)
    #expect(
      finding.summary
        == "Predicted boxes are 0.70 times as wide and 0.60 times as high as the labelled ones (medians)."
    )
    #expect(try #require(finding.before) < 0.5)
    #expect(try #require(finding.after) > 0.9)
    #expect(finding.remedy == nil)
  }

  @Test func `boxes around more of the head are a note too`() throws {
    let sample = PlacedFaces { part($0, 1.4, 1.4) }.sample()
    #expect(BoxesCheck.findings(in: sample).map(\.severity) == [.note])
  }

  @Test func `boxes of eyes, nose and mouth alone are suspect against whole ones`() throws {
    let rel = [(0.3, 0.35), (0.7, 0.35), (0.5, 0.55), (0.35, 0.78), (0.65, 0.78)]
    func sample(_ scheme: LandmarkScheme, hasBox: Bool) throws -> JoinedSample {
      let frames = try PlacedFaces { $0 }.frames.map { joined in
        let labels = try joined.labels.map { label in
          let points = (0..<scheme.count).map { index in
            let place = rel[index % rel.count]
            return Point(
              x: label.box.x + place.0 * label.box.width,
              y: label.box.y + place.1 * label.box.height)
          }
          let set = try #require(Landmarks(scheme: scheme, points: points))
          let tight = try #require(BoundingBox(around: points))
          return FaceLabel(box: hasBox ? label.box : tight, landmarks: [set])
        }
        return JoinedFrame(
          frame: joined.frame, isVideo: false, labels: labels, prediction: joined.prediction)
      }
      return JoinedSample(
        frames: frames, isWhole: true, format: "csv", scheme: nil, hasScores: true)
    }
    for scheme in [LandmarkScheme.five, .blazeface6] {
      let found = BoxesCheck.findings(in: try sample(scheme, hasBox: false))
      #expect(found.map(\.name) == ["boxes.extent"])
      #expect(found.first?.severity == .suspect)
      #expect(found.first?.remedy?.contains("Import the labels") == true)
      #expect(BoxesCheck.findings(in: try sample(scheme, hasBox: true)).isEmpty)
    }
  }

  @Test func `boxes that stand twice in their frames are suspect`() throws {
    func sample(_ repeats: Int) -> JoinedSample {
      let frames = PlacedFaces { $0 }.frames.enumerated().map { index, joined in
        var prediction = joined.prediction
        let boxes = prediction.faces.compactMap(\.ownBox)
        let own = boxes.map { FaceDetection(box: $0, score: 0.9) }
        prediction.detections = own + (index < repeats ? own : [])
        return JoinedFrame(
          frame: joined.frame, isVideo: false, labels: joined.labels, prediction: prediction)
      }
      return JoinedSample(
        frames: frames, isWhole: true, format: "csv", scheme: nil, hasScores: true)
    }
    let found = BoxesCheck.findings(in: sample(30))
    #expect(found.map(\.name) == ["boxes.repeated"])
    #expect(found.first?.summary.hasPrefix("60 of 120 predicted boxes") == true)
    #expect(BoxesCheck.findings(in: sample(0)).isEmpty)
    #expect(BoxesCheck.findings(in: sample(9)).isEmpty)
  }

  /// Frames whose detections are the faces' boxes, and more.
  private func sample(
    ignored: [FaceLabel] = [], more: (BoundingBox) -> [BoundingBox]
  ) -> JoinedSample {
    let frames = PlacedFaces { $0 }.frames.map { joined in
      var prediction = joined.prediction
      let boxes = prediction.faces.compactMap(\.ownBox)
      prediction.detections = boxes.map { FaceDetection(box: $0, score: 0.9) }
      prediction.detections += boxes.flatMap(more).map { FaceDetection(box: $0, score: 0.6) }
      return JoinedFrame(
        frame: joined.frame, isVideo: false, labels: joined.labels, prediction: prediction,
        ignored: ignored)
    }
    return JoinedSample(
      frames: frames, isWhole: true, format: "csv", scheme: nil, hasScores: true)
  }

  @Test func `further boxes of found faces are a note, as before suppression`() throws {
    let found = BoxesCheck.findings(
      in: sample { [BoundingBox(x: $0.x + 2, y: $0.y + 2, width: $0.width, height: $0.height)] })
    #expect(found.map(\.name) == ["boxes.unsuppressed"])
    #expect(found.first?.severity == .note)
    #expect(found.first?.summary.hasPrefix("60 of 120 predicted boxes") == true)
    #expect(BoxesCheck.findings(in: sample { _ in [] }).isEmpty)
    // Between them frames whose faces are not labelled, as of a clip: their boxes are no part of the share.
    let labelled = sample {
      [BoundingBox(x: $0.x + 2, y: $0.y, width: $0.width, height: $0.height)]
    }
    let between = (labelled.frames + labelled.frames).map { joined in
      JoinedFrame(
        frame: joined.frame, isVideo: false, labels: [], prediction: joined.prediction,
        ignored: [.unlabelled(joined.frame.size)])
    }
    let clip = BoxesCheck.findings(
      in: JoinedSample(
        frames: labelled.frames + between, isWhole: true, format: "csv", scheme: nil,
        hasScores: true))
    #expect(clip.map(\.name) == ["boxes.unsuppressed"])
    #expect(clip.first?.summary.hasPrefix("60 of 120 predicted boxes") == true)
  }

  @Test func `detections in ignored boxes that are larger are a note, in crowds they are none`() {
    // Below the faces, which end at 600.
    let box = BoundingBox(x: 0, y: 700, width: 800, height: 200)
    let inside = BoundingBox(x: 100, y: 750, width: 50, height: 60)
    let region = FaceLabel(box: box, isIgnored: true)
    let crowd = FaceLabel(box: box, isCrowd: true)
    let found = BoxesCheck.findings(in: sample(ignored: [region]) { _ in [inside] })
    #expect(found.map(\.name) == ["boxes.repeated", "boxes.ignored-regions"])
    #expect(found.last?.severity == .note)
    #expect(found.last?.summary.hasPrefix("60 of 60 false detections") == true)
    let held = BoxesCheck.findings(in: sample(ignored: [crowd]) { _ in [inside] })
    #expect(held.map(\.name) == ["boxes.repeated"])
  }

  @Test func `labels that stand twice in their frames are suspect`() throws {
    func sample(_ repeats: Int, moved: Double = 0) -> JoinedSample {
      let frames = PlacedFaces { $0 }.frames.enumerated().map { index, joined in
        let again = joined.labels.map { label in
          var label = label
          label.box.x += moved
          return label
        }
        return JoinedFrame(
          frame: joined.frame, isVideo: false,
          labels: joined.labels + (index < repeats ? again : []), prediction: joined.prediction)
      }
      return JoinedSample(
        frames: frames, isWhole: true, format: "csv", scheme: nil, hasScores: true)
    }
    let found = BoxesCheck.findings(in: sample(30))
    #expect(found.map(\.name) == ["boxes.repeated-labels"])
    #expect(found.first?.severity == .suspect)
    #expect(found.first?.summary.hasPrefix("60 of 120 labelled boxes") == true)
    #expect(found.first?.remedy?.contains("labels once") == true)
    #expect(BoxesCheck.findings(in: sample(0)).isEmpty)
    #expect(BoxesCheck.findings(in: sample(9)).isEmpty)
    let near = BoxesCheck.findings(in: sample(30, moved: 1))
    #expect(near.map(\.name) == ["boxes.overlapping-labels"])
    #expect(near.first?.severity == .note)
    #expect(near.first?.summary.hasPrefix("60 of 120 labelled boxes") == true)
    #expect(BoxesCheck.findings(in: sample(30, moved: 60)).isEmpty)
  }

  @Test func `like extents, few faces and other conventions are none`() {
    #expect(BoxesCheck.findings(in: PlacedFaces { part($0, 0.9, 0.9) }.sample()).isEmpty)
    #expect(BoxesCheck.findings(in: PlacedFaces(count: 9) { part($0, 0.6, 0.6) }.sample()).isEmpty)
    #expect(
      BoxesCheck.findings(
        in: PlacedFaces {
          BoundingBox(
            x: $0.x / 2, y: $0.y / 2, width: $0.width / 2, height: $0.height / 2)
        }.sample()
      ).isEmpty)
  }
}
