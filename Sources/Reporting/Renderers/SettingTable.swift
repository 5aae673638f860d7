import FaceCore
import Foundation
internal import Platform
import Records

/// The settings of a sweep with all their metrics, as the sliders show them.
struct SettingTable {
  /// What the script reads.
  struct Data: Encodable {
    /// A parameter with the values that its slider stops at.
    struct Parameter: Encodable {
      /// The name of its axis in charts.
      var label: String
      /// The unit after a space; empty for plain numbers.
      var unit: String
      /// Ascending.
      var stops: [Double]
    }

    /// A column of the table that goes with the setting: its place, and for each metric a text a setting.
    struct Column: Encodable {
      var place: Int
      var texts: [[String]]
    }

    /// The frames with errors at each setting.
    struct WrongFrames: Encodable {
      var frames: [Sweep.WrongFrames.Frame]
      var settings: [[Sweep.WrongFrames.Entry]]
      /// What the frames of each setting are.
      var words: [String]
    }

    var parameters: [Parameter]
    /// A row of values a setting.
    var settings: [[Double]]
    /// The setting that is shown first.
    var start: Int
    /// The number of each setting, and what it is, such as `best`.
    var titles: [String]
    var columns: [Column]
    /// What can be copied; nil for nothing.
    var code: SettingCode?
    var wrong: WrongFrames?
    /// JPEGs of some of these frames in base64, by position; empty without any.
    var images: [Int: String]
  }

  let sweep: Sweep
  /// What can be copied of each setting; nil for nothing.
  let code: SettingCode?

  /// The data, with images of the frames that have errors.
  func data(images: [FrameThumbnail]) -> Data {
    let wrong = sweep.wrongFrames
    let frames = wrong?.frames.map(\.index) ?? []
    return Data(
      parameters: sweep.parameters.indices.map { index in
        Data.Parameter(
          label: sweep.parameters[index].label,
          unit: Measurement.unitSuffix(sweep.parameters[index].unit),
          stops: stops(of: index))
      }, settings: sweep.settings,
      start: sweep.advice.lazy.compactMap { sweep.verdict(of: $0)?.setting }.first
        ?? sweep.defaultSetting ?? 0,
      titles: sweep.settings.indices.map { setting in
        "Setting \(setting) of \(sweep.settings.count)"
          + (sweep.role(of: setting).map { ": \($0)" } ?? "")
      },
      columns: columns, code: code,
      wrong: wrong.map { wrong in
        Data.WrongFrames(
          frames: wrong.frames, settings: wrong.settings,
          words: wrong.settings.indices.map { words(ofSetting: $0, in: wrong) })
      },
      images: Dictionary(
        images.compactMap { image in
          frames.firstIndex(of: image.frame).map {
            ($0, Foundation.Data(image.jpeg).base64EncodedString())
          }
        }, uniquingKeysWith: { $1 }))
  }

  private func stops(of parameter: Int) -> [Double] {
    Set(sweep.settings.map { $0[parameter] }).sorted()
  }

  private func words(ofSetting setting: Int, in wrong: Sweep.WrongFrames) -> String {
    let shown = wrong.settings[setting].count
    guard shown > 0 else {
      return "No frame has a missed face or a false positive at this setting."
    }
    let all = wrong.counts?[setting] ?? shown
    return all > shown
      ? "\(shown.groupedText) of \(counted(all, "frame")) with missed faces or false positives at this "
        + "setting, those with most:"
      : "\(counted(all, "frame")) with missed faces or false positives at this setting:"
  }

  /// The value at the setting, its interval where there are any, and the change from the default.
  private var columns: [Data.Column] {
    func texts(_ text: (Sweep.Metric, Int) -> String) -> [[String]] {
      sweep.metrics.map { metric in
        sweep.settings.indices.map { setting in
          let text = text(metric, setting)
          return text.isEmpty ? "–" : text
        }
      }
    }
    var columns = [
      Data.Column(place: 1, texts: texts { $0.text(sweep.value($0.name, at: $1)) })
    ]
    if let intervals = sweep.intervals {
      columns.append(
        Data.Column(
          place: 2,
          texts: texts { metric, setting in
            let column = intervals[metric.name] ?? []
            guard column.indices.contains(setting), let ends = column[setting] else { return "" }
            return ends.map { $0.shortText(significantDigits: 3) }.joined(separator: " to ")
          }))
    }
    columns.append(Data.Column(place: columns.count + 2, texts: texts(change)))
    return columns
  }

  /// How much better or worse than the default a setting is; empty where that is not known.
  private func change(of metric: Sweep.Metric, at setting: Int) -> String {
    guard let base = sweep.defaultSetting, let value = sweep.value(metric.name, at: setting),
      let before = sweep.value(metric.name, at: base)
    else { return "" }
    let difference = value - before
    guard difference != 0 else { return "0" }
    let word =
      switch metric.better {
      case .higher: Self.word(-difference)
      case .lower: Self.word(difference)
      case .closest: Self.word(metric.distance(value) - metric.distance(before))
      case .neither: ""
      }
    return (difference > 0 ? "+" : "−")
      + difference.magnitude.shortText(significantDigits: 4) + word
  }

  private static func word(_ growth: Double) -> String {
    growth == 0 ? "" : growth < 0 ? " better" : " worse"
  }

  // The elements that the script fills

  /// Writes the sliders, the table and the list of frames.
  func write(to html: inout XMLWriter) {
    html.element(
      "p",
      text: "Sliders stop at settings that were run. ◆ is best by an objective, ◇ the default, the "
        + "band the interval of the first best. Whether to leave the default is what the verdict says."
    )
    html.element("div", ["class": "parameters"]) { html in
      for parameter in sweep.movedParameters { slider(of: parameter, to: &html) }
    }
    html.element("p", ["id": "setting", "class": "main", "aria-live": "polite"])
    html.element("p", ["class": "buttons"]) { html in
      for (setting, role) in sweep.roles {
        html.element(
          "button",
          ["type": "button", "data-select": SelectionAxis.selection(ofSetting: setting)],
          text: "Go to \(role)")
      }
      for language in code?.languages ?? [] {
        html.element(
          "button", ["type": "button", "data-copy": language.name],
          text: "Copy as \(language.title)")
      }
    }
    html.element(
      "pre",
      ["id": "setting-code", "tabindex": "0", "aria-label": "Text of this setting"])
    table(to: &html)
    guard sweep.wrongFrames != nil else { return }
    html.element("p", ["id": "setting-wrong", "class": "remark", "aria-live": "polite"])
    html.element(
      "ol",
      [
        "id": "setting-frames", "class": "frames", "tabindex": "0",
        "aria-label": "Frames with errors at this setting",
      ])
  }

  private func slider(of parameter: Int, to html: inout XMLWriter) {
    let (name, stops) = (sweep.parameters[parameter].name, stops(of: parameter))
    func place(_ value: Double) -> String {
      let share = Double(stops.firstIndex(of: value) ?? 0) / Double(max(1, stops.count - 1))
      return "calc(8px + (100% - 16px) * \(share.shortText(significantDigits: 6)))"
    }
    html.element("div", ["class": "parameter"]) { html in
      html.element("label", ["for": "parameter-\(parameter)"]) { html in
        html.text("\(name) ")
        html.element("output")
      }
      html.empty(
        "input",
        [
          "type": "range", "id": "parameter-\(parameter)", "name": "\(parameter)", "min": "0",
          "max": "\(stops.count - 1)", "step": "1", "aria-label": name,
        ])
      html.element("div", ["class": "scale", "aria-hidden": "true"]) { html in
        if let interval = sweep.advice.first.flatMap({ advice in
          advice.parameters.indices.contains(parameter)
            ? advice.parameters[parameter].interval : nil
        }), let low = interval.low, let high = interval.high {
          html.element(
            "span",
            [
              "class": "band", "title": "interval of the best value",
              "style": "left:\(place(low));right:calc(100% - \(place(high)))",
            ])
        }
        let step = (stops.count + 11) / 12
        for (index, value) in stops.enumerated() where index % step == 0 {
          html.element(
            "span", ["class": "tick", "style": "left:\(place(value))"], text: value.plainText)
        }
        for (setting, _) in sweep.roles {
          let isBase = setting == sweep.defaultSetting
          html.element(
            "span",
            ["class": "role", "style": "left:\(place(sweep.settings[setting][parameter]))"],
            text: isBase ? "◇" : "◆")
        }
      }
    }
  }

  private func table(to html: inout XMLWriter) {
    let hasIntervals = sweep.intervals != nil
    let columns: [Table.Column] =
      [.words("Metric"), .numbers("This setting")]
      + (hasIntervals ? [.numbers("95 % interval")] : [])
      + [.numbers("Default"), .numbers("Change"), .words("Better")]
    html.element("div", ["class": "table"]) { html in
      html.table(id: "setting-metrics", caption: "Metrics at this setting", columns: columns) {
        html in
        for metric in sweep.metrics {
          html.element("tr", ["data-metric": metric.name]) { html in
            html.element("td", text: metric.title)
            html.element("td")
            if hasIntervals { html.element("td") }
            html.element(
              "td", ["class": "number"],
              text: metric.text(sweep.defaultSetting.flatMap { sweep.value(metric.name, at: $0) }))
            html.element("td")
            html.element("td", text: metric.better.symbol(target: metric.target))
          }
        }
      }
    }
  }
}
