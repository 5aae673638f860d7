/// The elements that the page's script fills with frames; they are hidden without it.
extension HTMLRenderer {
  /// Writes the threshold's slider with its table.
  func threshold(to html: inout XMLWriter) {
    html.element(
      "p",
      text:
        "Removes detections from the lowest score on, never below the run's threshold. Not known: "
        + "suppression would merge other candidates, and tracking would start elsewhere; "
        + "'facegauge sweep' runs each setting.")
    html.element("div", ["class": "parameter"]) { html in
      html.element("label", ["for": "threshold-slider"]) { html in
        html.text("lowest score that counts ")
        html.element("output")
      }
      html.empty(
        "input", ["type": "range", "id": "threshold-slider", "min": "0", "step": "1", "value": "0"])
    }
    html.element("p", ["class": "buttons"]) { html in
      for (stop, label) in [
        ("run", "Go to the run's"), ("best", "Go to the largest F1"),
        ("show", "Show the frames with removed detections"),
      ] {
        html.element("button", ["type": "button", "data-stop": stop], text: label)
      }
    }
    html.element("div", ["class": "table"]) { html in
      html.table(
        id: "threshold-metrics", caption: "Detections at IoU .50",
        columns: [.words("Metric"), .numbers("Run"), .numbers("At this score")]
      ) { html in
        for title in ["Recall", "Precision", "F1", "False positives per image"] {
          html.element("tr", ["data-metric": title]) { html in
            html.element("td", text: title)
            html.element("td", ["class": "number"])
            html.element("td", ["class": "number"])
          }
        }
      }
    }
  }

  /// Layers of the drawing in the order of their keys, those that are shown first marked.
  private static let layers = [
    ("image", true), ("labels", true), ("prediction", true), ("before smoothing", false),
    ("regions", false), ("rejected", true), ("detections", true), ("zoom to faces", false),
  ]

  /// Writes the explorer of frames, of one run or of two.
  func explorer(to html: inout XMLWriter) {
    let isPair = baseFrames != nil
    html.element("p", ["class": "buttons"]) { html in
      for (key, label, name, id) in [
        ("ArrowLeft", "◀", "Previous frame", nil), (" ", "▶", "Play", "play"),
        ("ArrowRight", "▶▏", "Next frame", nil), ("p", "◀ error", "Previous error", nil),
        ("n", "error ▶", "Next error", nil),
      ] {
        html.element(
          "button", ["type": "button", "id": id, "data-key": key, "aria-label": name], text: label)
      }
      html.element("select", ["id": "shown", "aria-label": "Frames to show"]) {
        $0.element("option", ["value": ""], text: "All frames")
      }
      guard isPair else { return }
      html.element("select", ["id": "mode", "aria-label": "View of both runs"]) { html in
        for view in ["side by side", "swipe", "onion"] { html.element("option", text: view) }
      }
    }
    html.element("p", ["id": "frame", "class": "main", "aria-live": "polite"])
    html.element("div", ["class": "stage"]) { html in
      html.element("div") { html in
        html.element("canvas", ["id": "view", "tabindex": "0", "role": "img"])
        guard isPair else { return }
        html.empty(
          "input",
          [
            "type": "range", "id": "share", "min": "0", "max": "1", "step": "0.01", "value": "0.5",
            "aria-label": "Share of the candidate",
          ])
      }
      html.element("div") { html in
        html.element("dl", ["id": "facts", "class": "facts"])
        html.element("div", ["class": "layers"]) { html in
          for (index, (layer, isShown)) in Self.layers.enumerated() {
            html.element("label") { html in
              html.empty(
                "input",
                [
                  "type": "checkbox",
                  "data-layer": layer.split(separator: " to ").first.map(String.init),
                  "checked": isShown ? "" : nil,
                ])
              html.text(" \(index + 1) \(layer)")
            }
          }
          html.element(
            "p", ["class": "remark"],
            text: "Keys: ← → frames, space plays, n and p errors, 1 to 8 layers"
              + (isPair
                ? ", v view. Base violet, candidate green, labels white; false or rejected red. "
                  + "Lanes: base above the candidate."
                : ". Labels white, missed amber; faces green, false or rejected red."))
        }
      }
    }
    html.empty(
      "input",
      ["type": "range", "id": "scrubber", "min": "0", "step": "1", "aria-label": "Frame"])
    html.element("div", ["id": "strips", "class": isPair ? "strips pair" : "strips"])
    html.element("p", ["id": "selection", "aria-live": "polite"])
    html.element("ol", ["id": "selected", "class": "frames"])
    html.element("p", ["id": "budget", "class": "remark"])
  }
}
