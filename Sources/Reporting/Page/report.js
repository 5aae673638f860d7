"use strict";
(() => {
  const page = document.documentElement;
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  /** An element with attributes, listeners (`onclick`) and children. */
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value === true) element.setAttribute(key, "");
      else if (value !== false && value != null) element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
  }

  const jpegStart = "data:" + "image/jpeg;base64,";
  const cell = (text, isNumber) => make("td", {class: isNumber && "number"}, text);
  const head = (text, isNumber) => make("th", {scope: "col", class: isNumber && "number"}, text);
  const button = (label, action, name) =>
    make("button", {type: "button", "aria-label": name, onclick: action}, label);

  /** Errors are said on the page: what is below it is complete without the script. */
  function fail(error) {
    page.dataset.error = String(error && error.message || error);
    if (one("#script-error")) return;
    document.body.prepend(make("p", {id: "script-error", class: "notes", role: "alert"},
      "The script failed (" + page.dataset.error + "). The tables and charts are complete without it."));
  }
  addEventListener("error", (event) => fail(event.error || event.message));
  addEventListener("unhandledrejection", (event) => fail(event.reason));

  /** The bytes of a compressed block of the page; null where there is none. */
  async function read(id) {
    const element = document.getElementById(id);
    if (!element) return null;
    const text = atob(element.textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /** What the address keeps after `#`, so that a link opens the page in the same state. */
  const state = {
    values: {}, listeners: [],
    read() {
      this.values = {};
      const hash = location.hash.slice(1);
      if (!hash.includes("=")) return;
      for (const part of hash.split("&")) {
        const [key, ...rest] = part.split("=");
        try { this.values[key] = decodeURIComponent(rest.join("=")); } catch { /* not ours */ }
      }
    },
    get(key) { return this.values[key]; },
    set(changes) {
      for (const [key, value] of Object.entries(changes)) {
        if (value == null) delete this.values[key]; else this.values[key] = String(value);
      }
      const hash = Object.keys(this.values).sort()
        .map((key) => key + "=" + encodeURIComponent(this.values[key])).join("&");
      history.replaceState(null, "", "#" + hash);
    },
  };

  async function copy(text, button) {
    const label = button.textContent;
    const isDone = await navigator.clipboard.writeText(text).then(() => true, () => false);
    button.textContent = isDone ? "copied" : "not copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  }

  // Tables

  const cellText = (cell) => {
    const clone = cell.cloneNode(true);
    all("sup", clone).forEach((note) => note.remove());
    return clone.textContent.trim();
  };

  /** The number that a cell begins with, thousands in groups; NaN for words. */
  function number(text) {
    const match = /^[+−-]?[\d,]*\.?\d+(?:e[+-]?\d+)?/i.exec(text);
    return match ? Number(match[0].replaceAll(",", "").replace("−", "-")) : NaN;
  }

  function sort(table, column, isDescending) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({row, text: cellText(row.cells[column])}));
    for (const one of rows) one.number = number(one.text);
    const isNumeric = rows.some((one) => !Number.isNaN(one.number));
    const isKnown = (one) => !isNumeric || !Number.isNaN(one.number);
    const known = rows.filter(isKnown).sort((a, b) =>
      (isNumeric ? a.number - b.number : a.text.localeCompare(b.text)) * (isDescending ? -1 : 1));
    body.append(...known.concat(rows.filter((one) => !isKnown(one))).map((one) => one.row));
    [...table.tHead.rows[0].cells].forEach((cell, index) => {
      if (index === column) cell.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
  }

  function csv(table) {
    const quote = (text) => /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    return [...table.rows].filter((row) => !row.hidden)
      .map((row) => [...row.cells].map((cell) => quote(cellText(cell))).join(",")).join("\n") + "\n";
  }

  function enhance(table) {
    if (!table.tHead || !table.tBodies.length) return;
    const rows = table.tBodies[0].rows;
    const name = table.caption ? table.caption.textContent : "table";
    const tools = make("div", {class: "tools"});
    if (rows.length > 11) {
      tools.append(make("input", {
        type: "search", placeholder: "filter", "aria-label": "Filter rows of " + name,
        oninput: (event) => {
          const words = event.target.value.toLowerCase().split(/\s+/);
          for (const row of table.tBodies[0].rows) {
            const text = row.textContent.toLowerCase();
            row.hidden = !words.every((word) => text.includes(word));
          }
        },
      }));
    }
    tools.append(button("CSV", (event) => copy(csv(table), event.target), "Copy " + name + " as CSV"));
    table.parentElement.before(tools);
    if (rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      if (!cell.textContent.trim()) return;
      const sorter = make("button", {type: "button", class: "sort"}, ...cell.childNodes);
      sorter.addEventListener("click", () =>
        sort(table, column, cell.getAttribute("aria-sort") === "ascending"));
      cell.append(sorter);
    });
  }

  // Charts

  const tip = make("div", {id: "tip", hidden: true, role: "status"});

  function showTip(text, event) {
    tip.textContent = text;
    tip.hidden = !text;
    if (!text) return;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
    tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - box.height - 8)) + "px";
  }

  const shown = (value) => Number(value.toPrecision(4)).toString();

  /** A chart with its plot's edges in the drawing's units and its axes. */
  class ChartView {
    constructor(figure, data) {
      this.figure = figure;
      this.data = data;
      this.svg = one("svg", figure);
      const plot = (this.svg.dataset.plot || "").split(" ").map(Number);
      [this.left, this.right, this.top, this.bottom, this.low, this.high] = plot;
    }

    /** The value under a pointer; null outside the plot. */
    value(event) {
      const box = this.svg.getBoundingClientRect();
      const view = this.svg.viewBox.baseVal;
      const x = (event.clientX - box.left) / box.width * view.width;
      const share = (x - this.left) / (this.right - this.left);
      return share < -0.02 || share > 1.02 ? null
        : this.low + Math.min(1, Math.max(0, share)) * (this.high - this.low);
    }

    x(value) {
      return this.left + (value - this.low) / (this.high - this.low) * (this.right - this.left);
    }

    /** Draws one vertical line of a kind, or removes it for null. */
    cursor(value, kind) {
      const old = one("line." + kind, this.svg);
      if (old) old.remove();
      if (value == null || !(value >= this.low && value <= this.high)) return;
      const line = document.createElementNS(this.svg.namespaceURI, "line");
      const place = {x1: this.x(value), x2: this.x(value), y1: this.top, y2: this.bottom, class: kind};
      for (const [key, one] of Object.entries(place)) line.setAttribute(key, one);
      this.svg.append(line);
    }

    /** The position among a line's points that is nearest to a value. */
    nearest(line, value) {
      let best = -1;
      line.x.forEach((x, index) => {
        if (best < 0 || Math.abs(x - value) < Math.abs(line.x[best] - value)) best = index;
      });
      return best;
    }

    /** What the lines are where one points. */
    words(value) {
      const lines = this.data.lines.filter((line) => line.x.length);
      if (!lines.length) return "";
      const first = lines[0].x[this.nearest(lines[0], value)];
      this.cursor(first, "hover");
      return this.data.xLabel + " " + shown(first) + "\n" + lines.map((line) =>
        line.label + " " + shown(line.y[this.nearest(line, first)])).join("\n");
    }
  }

  function listen(views) {
    for (const figure of all("figure")) {
      const svg = one("svg", figure);
      if (!svg) continue;
      const view = views.get(figure.dataset.chart);
      svg.addEventListener("pointermove", (event) => {
        const title = event.target.tagName !== "svg" && one(":scope > title", event.target);
        const value = view && view.data.lines.length ? view.value(event) : null;
        showTip(title ? title.textContent : value == null ? "" : view.words(value), event);
      });
      svg.addEventListener("pointerleave", () => {
        tip.hidden = true;
        if (view) view.cursor(null, "hover");
      });
    }
  }

  // Settings of a sweep

  const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const ownOptions = ["min-face-detection-confidence", "min-face-presence-confidence",
    "min-tracking-confidence", "num-faces"];
  const languages = {
    Swift: (name, value) => (ownOptions.includes(name) ? "" : "// not in MediaPipe: ")
      + "options." + camel(name) + " = " + value,
    Python: (name, value) => (ownOptions.includes(name) ? "" : "# not in MediaPipe: ")
      + name.replaceAll("-", "_") + "=" + value + ",",
  };

  function settings(sweep, views) {
    const section = one("#settings");
    if (!section || !sweep.settings.length) return;
    const host = one("div", section);
    section.hidden = false;
    const moved = sweep.knobs.map((_, index) => index).filter((knob) =>
      sweep.settings.some((setting) => setting[knob] !== sweep.settings[0][knob]));
    const best = sweep.advice.map((advice) => advice.setting).filter((setting) => setting != null);
    const texts = sweep.texts.map((text) => text.split("\n"));
    const intervals = sweep.intervals && sweep.intervals.map((text) => text.split("\n"));
    const marked = [...new Set([...best, sweep.base].filter((setting) => setting != null))];
    const start = best.length ? best[0] : sweep.base ?? 0;
    let current = start;

    /** The setting that was run with a knob at a value and the fewest other changes. */
    function snapped(knob, value) {
      const from = sweep.settings[current];
      let found = null, changes = Infinity;
      sweep.settings.forEach((setting, index) => {
        if (setting[knob] !== value) return;
        const count = setting.filter((one, other) => other !== knob && one !== from[other]).length;
        if (count < changes) [found, changes] = [index, count];
      });
      return found;
    }

    const role = (setting) => sweep.advice
      .map((advice, index) => advice.setting === setting
        ? "best" + (sweep.advice.length > 1 ? " " + (index + 1) : "") : null)
      .concat(setting === sweep.base ? "default" : null).filter(Boolean).join(", ");

    const sliders = moved.map((position) => {
      const knob = sweep.knobs[position], output = make("output", {});
      const input = make("input", {
        type: "range", min: 0, max: knob.values.length - 1, step: 1, id: "knob-" + position,
        "aria-label": knob.name,
        oninput: () => {
          const setting = snapped(position, knob.values[Number(input.value)]);
          if (setting != null) show(setting);
        },
      });
      const place = (value) => {
        return "calc(8px + (100% - 16px) * " + knob.values.indexOf(value) / (knob.values.length - 1) + ")";
      };
      const scale = make("div", {class: "scale", "aria-hidden": "true"});
      sweep.advice.forEach((advice, index) => {
        const ends = advice.intervals[position];
        if (ends && index === 0) {
          const band = make("span", {class: "band", title: "interval of the best value"});
          band.style.left = place(ends[0]);
          band.style.right = "calc(100% - " + place(ends[1]) + ")";
          scale.append(band);
        }
      });
      knob.values.forEach((value, index) => {
        const tick = make("span", {class: "tick"},
          index % Math.ceil(knob.values.length / 12) ? "" : String(value));
        tick.style.left = place(value);
        scale.append(tick);
      });
      for (const setting of marked) {
        const mark = make("span", {class: "role"}, setting === sweep.base ? "◇" : "◆");
        mark.style.left = place(sweep.settings[setting][position]);
        scale.append(mark);
      }
      return {position, knob, input, output, element: make("div", {class: "knob"},
        make("label", {for: "knob-" + position}, knob.name + " ", output), input, scale)};
    });

    const code = Object.fromEntries(Object.entries(languages).map(([name, line]) =>
      [name, () => sweep.knobs.map((knob, index) =>
        line(knob.name, sweep.settings[current][index])).join("\n") + "\n"]));
    code.JSON = () => JSON.stringify(Object.fromEntries(sweep.knobs.map((knob, index) =>
      [knob.name, sweep.settings[current][index]])), null, 2) + "\n";
    const buttons = make("p", {class: "buttons"});
    for (const setting of marked) buttons.append(button("Go to " + role(setting), () => show(setting)));
    for (const [name, text] of Object.entries(code)) {
      buttons.append(button("Copy as " + name, (event) => copy(text(), event.target)));
    }

    const title = make("p", {id: "setting", class: "main", "aria-live": "polite"});
    const body = make("tbody", {});
    const table = make("table", {id: "setting-metrics"},
      make("caption", {}, "Metrics at this setting"),
      make("thead", {}, make("tr", {}, head("Metric"), head("This setting", true),
        intervals ? head("95 % interval", true) : null, head("Default", true), head("Change", true),
        head("Better"))), body);
    host.append(
      make("p", {}, "Sliders stop at settings that were run. ◆ is recommended, ◇ the default, the band the first recommendation's interval."),
      make("div", {class: "knobs"}, ...sliders.map((slider) => slider.element)), title, buttons,
      make("div", {class: "table"}, make("div", {class: "scroll"}, table)));

    const gallery = make("ol", {id: "setting-frames", class: "frames"});
    const wrong = make("p", {class: "remark", "aria-live": "polite"});
    if (sweep.wrong) host.append(wrong, gallery);

    /** The frames with most errors at a setting. */
    function showFrames(setting) {
      if (!sweep.wrong) return;
      const entries = sweep.wrong.settings[setting];
      wrong.textContent = entries.length ? "Frames with most missed faces and false positives at this setting:"
        : "No frame has a missed face or a false positive at this setting.";
      gallery.replaceChildren(...entries.map(({position, errors}) => make("li", {},
        sweep.images[position] ? make("img", {src: jpegStart + sweep.images[position], alt: ""}) : null,
        sweep.wrong.frames[position].name + ": " + errors + (errors === 1 ? " error" : " errors"))));
      gallery.hidden = !entries.length;
    }

    function show(setting, isFromLink) {
      current = setting;
      showFrames(setting);
      const values = sweep.settings[setting];
      for (const {position, knob, input, output} of sliders) {
        input.value = knob.values.indexOf(values[position]);
        const unit = knob.unit === "1" ? "" : " " + knob.unit;
        output.textContent = values[position] + unit;
        input.setAttribute("aria-valuetext", values[position] + unit);
      }
      title.textContent = "Setting " + setting + " of " + sweep.settings.length
        + (role(setting) ? ": " + role(setting) : "");
      body.replaceChildren(...sweep.metrics.map((metric, index) => {
        const value = sweep.values[index][setting];
        const base = sweep.base == null ? null : sweep.values[index][sweep.base];
        let change = "–", kind = "";
        if (value != null && base != null) {
          const difference = value - base;
          change = difference === 0 ? "0" : (difference > 0 ? "+" : "−") + shown(Math.abs(difference));
          if (difference !== 0 && (metric.better === "higher" || metric.better === "lower")) {
            kind = (difference > 0) === (metric.better === "higher") ? "better" : "worse";
          }
        }
        return make("tr", {"data-metric": metric.name},
          cell(metric.title), cell(texts[index][setting], true),
          intervals ? cell(intervals[index][setting] || "–", true) : null,
          cell(sweep.base == null ? "–" : texts[index][sweep.base], true),
          make("td", {class: "number " + kind}, change + (kind ? " " + kind : "")),
          cell(metric.better === "higher" ? "↑" : metric.better === "lower" ? "↓" : "–"));
      }));
      for (const view of views.values()) {
        const position = sweep.knobs.findIndex((knob) =>
          view.data.xLabel === (knob.unit === "1" ? knob.name : knob.name + " (" + knob.unit + ")"));
        if (position >= 0) view.cursor(values[position], "current");
      }
      if (!isFromLink) state.set({setting});
    }
    const open = () => {
      const linked = Number(state.get("setting") ?? NaN);
      show(sweep.settings[linked] ? linked : start, true);
    };
    state.listeners.push(open);
    open();
  }

  // Frames

  const kinds = {u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array};

  /** The frames of the run: a header, and sections of numbers. */
  class Archive {
    constructor(bytes) {
      const length = new DataView(bytes.buffer).getUint32(0, true);
      Object.assign(this, JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))));
      this.parts = {};
      let place = 4 + length;
      for (const {name, type, count} of this.sections) {
        place = Math.ceil(place / 8) * 8;
        this.parts[name] = new kinds[type](bytes.buffer, place, count);
        place += this.parts[name].byteLength;
      }
      this.count = this.names.length;
      this.starts = [0];
      for (const size of this.parts["geometry.lengths"] || []) this.starts.push(this.starts.at(-1) + size);
      let start = 0;
      this.imageOf = new Map(this.images.map(({frame, bytes: size}) => {
        start += size;
        return [frame, this.parts.images.subarray(start - size, start)];
      }));
      this.places = new Map((this.subset || []).map((point, position) => [point, position]));
      this.decoded = {};
      this.last = {index: -1};
    }

    /** The coefficients of all frames, which are stored as differences. */
    heatOf(name) {
      const values = this.parts[name];
      if (!this.decoded[name]) for (let i = 52; i < values.length; i++) values[i] += values[i - 52];
      this.decoded[name] = true;
      return values;
    }

    lane(name) { return this.parts["lane." + name]; }

    /** The values that each frame may have several of, as `[frame, value]`. */
    * values(name) {
      const counts = this.parts[name + ".counts"], values = this.parts[name + ".values"];
      let place = 0;
      for (let frame = 0; frame < counts.length; frame++) {
        for (let i = 0; i < counts[frame]; i++) yield [frame, values[place++]];
      }
    }

    /** Boxes and points of a frame; null where the budget had no room for them. */
    geometry(index) {
      if (!this.parts.geometry || this.starts[index] === this.starts[index + 1]) return null;
      const first = index - index % this.blockLength;
      if (this.last.index > index || this.last.index < first) this.last = {index: first - 1, slots: new Map()};
      while (this.last.index < index) this.last = this.decode(this.last.index + 1, this.last.slots);
      return this.last;
    }

    decode(index, earlier) {
      const data = this.parts.geometry, slots = new Map();
      let at = this.starts[index];
      const count = () => {
        let value = 0, scale = 1, byte;
        do {
          byte = data[at++];
          value += (byte & 127) * scale;
          scale *= 128;
        } while (byte > 127);
        return value;
      };
      const signed = () => { const value = count(); return value % 2 ? -(value + 1) / 2 : value / 2; };
      const box = () => [signed() / 8, signed() / 8, signed() / 8, signed() / 8];
      const points = (kind, position) => {
        const number = count(), scheme = this.schemeNames[number];
        const isCut = this.subset && scheme === "mediapipe478";
        const size = isCut ? this.subset.length : this.schemeCounts[number];
        const slot = [kind, position, number].join(), before = earlier.get(slot);
        const values = new Int32Array(size * 2);
        for (let i = 0; i < size * 2; i++) {
          values[i] = signed() + (before ? before[i] : i > 1 ? values[i - 2] : 0);
        }
        slots.set(slot, values);
        return {scheme, values, size, isCut};
      };
      const result = {index, slots, width: count(), height: count(), labels: [], detections: [], faces: []};
      for (let i = count(), position = 0; position < i; position++) {
        const label = {state: data[at++], box: box(), points: []};
        for (let n = count(); n > 0; n--) label.points.push(points(0, position));
        result.labels.push(label);
      }
      for (let i = count(); i > 0; i--) {
        result.detections.push({isFalse: data[at++] === 1, score: data[at++] / 254, box: box()});
      }
      const positions = [0, 0];
      for (let i = count(); i > 0; i--) {
        const flags = data[at++], presence = data[at++], isRejected = (flags & 2) > 0;
        const face = {isTracked: (flags & 1) > 0, isRejected, isUnmatched: (flags & 4) > 0,
          presence: presence === 255 ? null : presence / 254};
        if (flags & 8) face.region = [...box(), signed() / 1000];
        if (flags & 16) face.points = points(isRejected ? 2 : 1, positions[isRejected ? 1 : 0]);
        if (flags & 32) {
          face.raw = {...face.points, values: face.points.values.map((value) => value + signed())};
        }
        if (flags & 64) face.box = box();
        positions[isRejected ? 1 : 0]++;
        result.faces.push(face);
      }
      return result;
    }

    /** The frames of a selection such as `latency:10:20`, `nme:0.08:` or `slice:yaw=30-60`; null for none. */
    select(text) {
      const [kind, ...rest] = (text || "").split(":");
      const frames = new Set();
      if (kind === "change") return this.changes && this.changes[rest[0]] || null;
      if (kind === "slice") {
        const position = this.slices.indexOf(rest.join(":"));
        if (position < 0) return null;
        for (let frame = 0; frame < this.count; frame++) if (this.isIn(position, frame)) frames.add(frame);
        return [...frames];
      }
      const low = Number(rest[0]), high = rest[1] ? Number(rest[1]) : null;
      if (!rest.length || Number.isNaN(low)) return null;
      const isIn = (value) => value >= low && (high == null || value < high);
      if (kind === "score" || kind === "nme") {
        for (const [frame, value] of this.values(kind === "nme" ? "error" : "ranked")) {
          if (isIn(value)) frames.add(frame);
        }
      } else if (this.lane(kind)) {
        this.lane(kind).forEach((value, frame) => { if (isIn(value)) frames.add(frame); });
      } else return null;
      return [...frames];
    }

    isIn(slice, frame) {
      return this.parts.slices[slice * Math.ceil(this.count / 8) + (frame >> 3)] >> (frame & 7) & 1;
    }

    /** The selection in words. */
    words(text) {
      const [kind, ...rest] = text.split(":");
      if (kind === "change") return changes[rest[0]];
      if (kind === "slice") return rest.join(":");
      const lane = this.lanes.find((one) => one.name === kind);
      const unit = lane && lane.unit !== "1" ? " " + lane.unit : "";
      return (lane ? lane.title : kind) + (rest[1] ? " " + rest[0] + " to " + rest[1] : " at least " + rest[0]) + unit;
    }

    clip(index) { return this.sequences.find((one) => index >= one.first && index < one.first + one.count); }
  }

  const layers = ["image", "labels", "prediction", "before smoothing", "regions", "rejected", "detections"];
  const changes = {worse: "Frames that got worse", better: "Frames that got better", moved: "Frames by points moved"};

  /** Sorts the frames of two runs by what changed: errors, then NME; and by how far the points moved. */
  function sortChanges(base, own) {
    const at = (run, name, frame) => run.lane(name) ? run.lane(name)[frame] : NaN;
    const rows = own.names.map((_, frame) => {
      const nme = at(own, "nme", frame) - at(base, "nme", frame);
      return {frame, errors: at(own, "errors", frame) - at(base, "errors", frame) || 0,
        nme: Math.abs(nme) < 1e-4 || !Number.isFinite(nme) ? 0 : nme, moved: at(own, "moved", frame)};
    });
    const signed = (value, unit) => value ? " " + (value > 0 ? "+" : "−") + shown(Math.abs(value)) + unit : "";
    own.note = (frame) => signed(rows[frame].errors, rows[frame].errors ** 2 > 1 ? " errors" : " error")
      + (rows[frame].nme ? " NME" : "") + signed(rows[frame].nme, "")
      + (rows[frame].moved > 0 ? " moved " + shown(rows[frame].moved) + " ‰" : "");
    const sorted = (sign) => rows.filter((row) => sign * (row.errors || row.nme) > 0)
      .sort((a, b) => sign * (b.errors - a.errors || b.nme - a.nme) || a.frame - b.frame);
    const moved = rows.filter((row) => row.moved > 0).sort((a, b) => b.moved - a.moved || a.frame - b.frame);
    own.changes = {worse: sorted(1), better: sorted(-1), moved};
    for (const kind in changes) own.changes[kind] = own.changes[kind].map((row) => row.frame);
  }

  /** The frames of a run, or of two with the base first. */
  function explorer(runs) {
    const archive = runs.at(-1), isPair = runs.length > 1;
    const section = one("#explorer");
    section.hidden = false;
    const host = one("div", section);
    const visible = new Set(layers.filter((name) => !["before smoothing", "regions"].includes(name)));
    const errors = archive.lane("errors");
    const isWrong = (index) => runs.some((run) => run.lane("errors") && run.lane("errors")[index] > 0);
    let current = 0, selection = null, timer = null, isZoomed = false, drawing = 0;
    for (let i = 1; errors && i < archive.count; i++) if (errors[i] > errors[current]) current = i;

    const view = make("canvas", {id: "view", tabindex: 0, role: "img"});
    const facts = make("dl", {class: "facts"});
    const title = make("p", {id: "frame", class: "main", "aria-live": "polite"});
    const scrubber = make("input", {type: "range", min: 0, step: 1, "aria-label": "Frame",
      oninput: () => show(scope().first + Number(scrubber.value))});
    const strips = make("div", {class: isPair ? "strips pair" : "strips"});
    const list = make("ol", {id: "selected", class: "frames"});
    const chosen = make("p", {id: "selection", "aria-live": "polite"});
    const play = button("▶", () => playing(!timer), "Play");
    const choice = (name, options, onchange) => make("select", {"aria-label": name, onchange},
      ...options.map(([value, text]) => make("option", {value}, text)));
    const options = [["", "All frames"]];
    if (isPair) options.push(...Object.entries(changes).map(([kind, text]) => ["change:" + kind, text]));
    if (errors) options.push(["errors:1:", "Frames with errors"]);
    for (const lane of archive.lanes.filter((one) => ["latency", "nme", "jitter"].includes(one.name))) {
      const known = archive.lane(lane.name).filter(Number.isFinite).sort();
      const bound = known[Math.floor(known.length * 0.95)];
      if (bound != null) options.push([lane.name + ":" + Number(bound.toPrecision(4)) + ":", lane.title + ", highest 5 %"]);
    }
    for (const slice of archive.slices) options.push(["slice:" + slice, slice]);
    const menu = choice("Frames to show", options, () => choose(menu.value || null));
    const mode = isPair && choice("View of both runs",
      ["side by side", "swipe", "onion"].map((name) => [name, name]), () => look(mode.value));
    const share = isPair && make("input", {type: "range", id: "share", min: 0, max: 1, step: 0.01, value: 0.5,
      "aria-label": "Share of the candidate", oninput: () => draw()});
    const checks = layers.map((name, index) => make("label", {}, make("input", {
      type: "checkbox", checked: visible.has(name), "data-layer": name,
      onchange: (event) => {
        if (event.target.checked) visible.add(name); else visible.delete(name);
        draw();
      },
    }), " " + (index + 1) + " " + name));
    checks.push(make("label", {}, make("input", {type: "checkbox",
      onchange: (event) => { isZoomed = event.target.checked; draw(); }}), " zoom to faces"));

    const scope = () => archive.clip(current) || {first: 0, count: archive.count, name: "all frames"};
    /** The next frame in a direction: of the selection in its order, or with an error. */
    function next(direction, isFit = () => true) {
      if (selection) {
        const at = selection.indexOf(current);
        return direction > 0 ? selection.slice(at + 1).find(isFit) : selection.slice(0, Math.max(0, at)).findLast(isFit);
      }
      for (let i = current + direction; i >= 0 && i < archive.count; i += direction) if (isFit(i)) return i;
    }
    const step = (direction, isFit) => {
      const frame = next(direction, isFit);
      if (frame != null) show(frame);
      return frame != null;
    };
    function playing(isOn) {
      clearInterval(timer);
      timer = isOn ? setInterval(() => { if (!step(1)) playing(false); }, 33) : null;
      play.textContent = isOn ? "❚❚" : "▶";
      play.setAttribute("aria-label", isOn ? "Pause" : "Play");
    }
    function look(name, isFromLink) {
      mode.value = name;
      if (mode.selectedIndex < 0) mode.selectedIndex = 0;
      share.hidden = mode.selectedIndex === 0;
      if (!isFromLink) {
        state.set({view: mode.value});
        draw();
      }
    }

    section.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const {tagName, type} = event.target;
      if (tagName === "SELECT" || tagName === "INPUT" && type === "search") return;
      const actions = {ArrowRight: () => step(1), ArrowLeft: () => step(-1),
        n: () => step(1, isWrong), p: () => step(-1, isWrong)};
      if (tagName !== "BUTTON" && type !== "checkbox") actions[" "] = () => playing(!timer);
      if (isPair) actions.v = () => look(mode.options[(mode.selectedIndex + 1) % 3].value);
      const layer = layers[Number(event.key) - 1];
      if (layer) one('[data-layer="' + layer + '"]', section).click();
      else if (actions[event.key] && (event.target !== share || event.key.length === 1)) actions[event.key]();
      else return;
      event.preventDefault();
    });

    // The frame

    const colors = {label: "#ebebeb", missed: "#ffbe00", face: "#46e682", base: "#d08cff", wrong: "#ff5a5a",
      raw: "#ff7ae0", region: "#3cb4ff", detection: "#3cb4ff", ignored: "#8a939c"};

    async function draw() {
      const turn = ++drawing;
      const index = current;
      const frames = runs.map((run) => run.geometry(index)), frame = frames.find(Boolean);
      const jpeg = archive.imageOf.get(index);
      const bitmap = jpeg && visible.has("image") ? await createImageBitmap(new Blob([jpeg])) : null;
      if (turn !== drawing) return;
      const width = frame && frame.width || bitmap && bitmap.width || 4;
      const height = frame && frame.height || bitmap && bitmap.height || 3;
      let area = [0, 0, width, height];
      const boxes = frames.filter(Boolean).flatMap((frame) => [...frame.labels.map((one) => one.box),
        ...frame.detections.map((one) => one.box), ...frame.faces.map(bounds).filter(Boolean)]);
      if (isZoomed && boxes.length) {
        const left = Math.min(...boxes.map((box) => box[0])), top = Math.min(...boxes.map((box) => box[1]));
        const w = Math.max(...boxes.map((box) => box[0] + box[2])) - left;
        const h = Math.max(...boxes.map((box) => box[1] + box[3])) - top;
        area = [left - w * 0.25, top - h * 0.25, w * 1.5, h * 1.5];
      }
      const panels = isPair && mode.selectedIndex === 0 ? 2 : 1;
      const room = Math.max(200, view.parentElement.clientWidth) / panels;
      const scale = Math.min(room / area[2], 460 / area[3]);
      const ratio = Math.min(2, devicePixelRatio || 1), unit = scale * ratio;
      const wide = Math.round(area[2] * unit);
      view.width = wide * panels;
      view.height = Math.round(area[3] * unit);
      view.style.width = view.width / ratio + "px";
      const pen = view.getContext("2d"), thin = 1 / scale;
      pen.fillStyle = "#181c20";
      pen.fillRect(0, 0, view.width, view.height);
      /** Draws within a part of the canvas, in the frame's pixels. */
      const within = (left, right, offset, action) => {
        pen.save();
        pen.beginPath();
        pen.rect(left, 0, right - left, view.height);
        pen.clip();
        pen.setTransform(unit, 0, 0, unit, offset - area[0] * unit, -area[1] * unit);
        pen.font = 12 * thin + "px system-ui, sans-serif";
        action();
        pen.restore();
      };
      const rectangle = (box, color, dash = []) => {
        pen.strokeStyle = color;
        pen.lineWidth = 1.8 * thin;
        pen.setLineDash(dash.map((length) => length * thin));
        pen.strokeRect(...box);
        pen.setLineDash([]);
      };
      const caption = (text, box, color) => {
        pen.fillStyle = color;
        pen.fillText(text, box[0] + 3 * thin, box[1] + 13 * thin);
      };
      const ground = () => {
        if (bitmap) pen.drawImage(bitmap, 0, 0, width, height);
        if (!frame || !visible.has("labels")) return;
        for (const label of frame.labels) {
          const missed = !isPair && label.state === 2;
          const color = label.state ? missed ? colors.missed : colors.label : colors.ignored;
          rectangle(label.box, color);
          for (const points of label.points) mesh(pen, runs[frames.indexOf(frame)], points, color, thin);
        }
      };
      const predictions = (number) => {
        const run = runs[number], frame = frames[number];
        const good = isPair && number === 0 ? colors.base : colors.face;
        if (isPair) {
          pen.fillStyle = good;
          pen.fillText(run.run, area[0] + 8 * thin, area[1] + area[3] - (8 + 16 * (panels === 1 && number)) * thin);
        }
        if (!frame) return caption("Beyond the page's budget.", area, colors.label);
        for (const detection of visible.has("detections") ? frame.detections : []) {
          const color = detection.isFalse ? colors.wrong : isPair ? good : colors.detection;
          rectangle(detection.box, color);
          caption(detection.score.toFixed(2), detection.box, color);
        }
        for (const face of frame.faces) {
          if (!visible.has(face.isRejected ? "rejected" : "prediction")) continue;
          const color = face.isRejected || face.isUnmatched ? colors.wrong : good;
          if (visible.has("before smoothing") && face.raw) mesh(pen, run, face.raw, colors.raw, thin);
          if (face.points) mesh(pen, run, face.points, color, thin);
          if (face.box) rectangle(face.box, color);
          if (face.region && (visible.has("regions") || face.isRejected)) {
            const [x, y, w, h, turned] = face.region;
            pen.save();
            pen.translate(x, y);
            pen.rotate(turned);
            rectangle([-w / 2, -h / 2, w, h], face.isRejected ? colors.wrong : colors.region, [5, 4]);
            if (face.presence != null) caption(face.presence.toFixed(2), [-w / 2, -h / 2], color);
            pen.restore();
          }
        }
      };
      const panel = (number, left, right, offset) => within(left, right, offset, () => { ground(); predictions(number); });
      if (!isPair) panel(0, 0, wide, 0);
      else if (panels === 2) runs.forEach((_, number) => panel(number, number * wide, (number + 1) * wide, number * wide));
      else if (mode.value === "swipe") {
        const edge = Math.round(share.value * wide);
        panel(0, 0, edge, 0);
        panel(1, edge, wide, 0);
        pen.fillStyle = colors.label;
        pen.fillRect(edge - ratio, 0, 2 * ratio, view.height);
      } else {
        within(0, wide, 0, () => {
          ground();
          runs.forEach((_, number) => {
            pen.globalAlpha = Math.min(1, 2 * (number ? share.value : 1 - share.value));
            predictions(number);
          });
        });
      }
      view.dataset.frame = index;
    }

    function bounds(face) {
      if (face.box || !face.points) return face.box || null;
      const {values} = face.points;
      const known = values.map((value) => value / 8).filter((value) => value > -4096);
      const x = known.filter((_, index) => index % 2 === 0), y = known.filter((_, index) => index % 2);
      const left = Math.min(...x), top = Math.min(...y);
      return x.length ? [left, top, Math.max(...x) - left, Math.max(...y) - top] : null;
    }

    function mesh(pen, run, {scheme, values, size, isCut}, color, thin) {
      const at = (point) => {
        const position = isCut ? run.places.get(point) : point;
        const x = values[2 * position];
        return position == null || x === -32768 ? null : [x / 8, values[2 * position + 1] / 8];
      };
      pen.strokeStyle = pen.fillStyle = color;
      pen.lineWidth = 1.3 * thin;
      const paths = run.schemes[scheme] || [];
      for (const path of paths) {
        pen.beginPath();
        path.map(at).forEach((point, index) => { if (point) pen[index ? "lineTo" : "moveTo"](...point); });
        pen.stroke();
      }
      if (isCut) return;
      const dot = paths.length ? 0.6 * thin : 1.8 * thin;
      for (let point = 0; point < size; point++) {
        const place = at(point);
        if (place) pen.fillRect(place[0] - dot, place[1] - dot, 2 * dot, 2 * dot);
      }
    }

    // Lanes: each has a row for each run, in bars, in the colours of words, or in those of coefficients

    const lanes = [{title: "Detector ran", unit: "1", height: 12, rows: runs.map((run) => run.parts.detector)},
      ...archive.lanes.map((lane) => ({...lane, height: 34, isFact: true,
        rows: (lane.name === "moved" ? [archive] : runs).map((run) => run.lane(lane.name)).filter(Boolean)}))];
    const words = runs.map((run) => ["expression.labelled", run]).slice(-1).concat(runs.map((run) => ["expression", run]))
      .filter(([name, run]) => run.parts[name]);
    if (words.length) {
      lanes.push({title: "Expression", unit: "1", height: 10 * words.length, isFact: true, words,
        rows: words.map(([name, run]) => run.parts[name])});
    }
    const heats = [[archive, "coefficients.labelled", "labels"],
      ...runs.map((run) => [run, "coefficients", isPair ? run.run : "prediction"])];
    for (const [run, name, text] of heats) {
      if (run.parts[name]) lanes.push({title: "52 coefficients, " + text, unit: "1", height: isPair ? 52 : 104, heat: [run, name], rows: []});
    }
    const hue = (word) => [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
    for (const lane of lanes) {
      const canvas = lane.canvas = make("canvas", {height: lane.height, "aria-hidden": "true"});
      lane.value = make("span", {class: "number"});
      strips.append(make("div", {class: "strip"}, make("span", {}, lane.title, " ", lane.value), canvas));
      canvas.addEventListener("pointerdown", (event) => {
        const {first, count} = scope();
        const go = (at) => {
          const box = canvas.getBoundingClientRect();
          const share = (at.clientX - box.left) / box.width;
          show(first + Math.min(count - 1, Math.max(0, Math.floor(share * count))));
        };
        go(event);
        canvas.setPointerCapture(event.pointerId);
        canvas.onpointermove = go;
        canvas.onpointerup = () => { canvas.onpointermove = null; };
      });
    }
    let painted = null;

    function paint() {
      const {first, count} = scope();
      const style = getComputedStyle(page);
      const color = (name) => style.getPropertyValue(name).trim();
      const inks = isPair ? [color("--s3"), color("--s0")] : [color("--s0")], mark = color("--s1");
      const width = Math.max(100, lanes[0].canvas.clientWidth);
      strips.style.setProperty("--place", (current - first + 0.5) / count);
      const key = [first, count, width, mark, selection && selection.join()].join();
      if (key === painted) return;
      painted = key;
      for (const lane of lanes) {
        lane.canvas.width = width;
        const pen = lane.canvas.getContext("2d");
        const size = lane.height / lane.rows.length;
        if (lane.heat) heat(pen, lane, first, count, width);
        else if (lane.words) {
          lane.rows.forEach((values, row) => {
            for (let x = 0; x < width; x++) {
              const word = lane.words[row][1].expressions[values[first + Math.floor(x / width * count)]];
              if (word == null) continue;
              pen.fillStyle = "hsl(" + hue(word) + " 65% 50%)";
              pen.fillRect(x, row * size, 1, size - 1);
            }
          });
        } else bars(pen, lane, size, inks, mark, color("--rule"), first, count, width);
        if (lane.heat || lane.words || !selection) continue;
        pen.fillStyle = mark;
        for (const frame of selection) {
          if (frame >= first && frame < first + count) pen.fillRect(Math.floor((frame - first) / count * width), 0, Math.max(1, width / count), 2);
        }
      }
    }

    function bars(pen, lane, size, inks, mark, rule, first, count, width) {
      let high = 0;
      for (const values of lane.rows) {
        for (let i = first; i < first + count; i++) if (values[i] > high && values[i] < Infinity) high = values[i];
      }
      lane.rows.forEach((values, row) => {
        const bottom = Math.round((row + 1) * size) - 1;
        pen.fillStyle = rule;
        pen.fillRect(0, bottom, width, 1);
        const columns = new Float32Array(width).fill(NaN);
        for (let i = 0; i < count; i++) {
          const value = values[first + i];
          if (Number.isNaN(value)) continue;
          const from = Math.floor(i / count * width), to = Math.max(from + 1, Math.floor((i + 1) / count * width));
          for (let x = from; x < to && x < width; x++) if (!(columns[x] >= value)) columns[x] = value;
        }
        const ink = inks[lane.rows.length > 1 ? row : inks.length - 1];
        columns.forEach((value, x) => {
          if (Number.isNaN(value)) return;
          const length = Math.max(1, high > 0 ? Math.min(1, value / high) * (size - 3) : 0);
          pen.fillStyle = value === Infinity ? mark : ink;
          pen.fillRect(x, bottom - length, 1, length);
        });
      });
    }

    function heat(pen, lane, first, count, width) {
      const values = lane.heat[0].heatOf(lane.heat[1]), image = new ImageData(width, 52);
      for (let x = 0; x < width; x++) {
        const frame = first + Math.floor(x / width * count);
        for (let y = 0; y < 52; y++) {
          const value = values[frame * 52 + y], share = value / 254, place = 4 * (y * width + x);
          image.data.set(value === 255 ? [0, 0, 0, 0] : [254 * share, 34 + 198 * share, 78 - 22 * share, 255], place);
        }
      }
      createImageBitmap(image).then((bitmap) => {
        pen.imageSmoothingEnabled = false;
        pen.clearRect(0, 0, width, lane.height);
        pen.drawImage(bitmap, 0, 0, width, lane.height);
      });
    }

    const rounded = (value) => value === Infinity ? "∞ (missed)" : Number(value.toPrecision(4)).toString();

    function show(index, isFromLink) {
      current = Math.min(archive.count - 1, Math.max(0, index));
      const {first, count, name} = scope();
      scrubber.max = count - 1;
      scrubber.value = current - first;
      title.textContent = archive.names[current] + " · frame " + current + " of " + archive.count
        + (archive.clip(current) ? " · " + (current - first + 1) + " of " + count + " in " + name : "");
      scrubber.setAttribute("aria-valuetext", title.textContent);
      const rows = [];
      for (const lane of lanes) {
        if (!lane.isFact) continue;
        const unit = lane.unit === "1" ? "" : " " + lane.unit;
        const texts = lane.rows.map((values, row) => {
          const value = values[current];
          if (lane.words) return lane.words[row][1].expressions[value] ?? "–";
          return Number.isNaN(value) ? "–" : rounded(value);
        });
        lane.value.textContent = texts.every((text) => text === "–") ? "–" : texts.join(lane.words ? ", " : " → ") + unit;
        rows.push([lane.title, lane.value.textContent]);
      }
      const slices = archive.slices.filter((_, position) => archive.isIn(position, current));
      if (slices.length) rows.push(["Slices", slices.join(", ")]);
      if (!archive.imageOf.has(current)) rows.push(["Image", "not stored in this page"]);
      facts.replaceChildren(...rows.flatMap(([what, text]) => [make("dt", {}, what), make("dd", {}, text)]));
      view.setAttribute("aria-label", "Frame " + title.textContent + ": "
        + rows.map((row) => row.join(" ")).join("; "));
      all("button", list).forEach((item) => item.setAttribute("aria-current", Number(item.dataset.frame) === current));
      draw().catch(fail);
      paint();
      if (!isFromLink) state.set({frame: current});
    }

    /** Fills explorer and list with exactly the frames of a selection. */
    function choose(text, isFromLink) {
      const frames = text ? archive.select(text) : null;
      selection = frames;
      section.dataset.selected = frames ? frames.length : "";
      if ([...menu.options].some((option) => option.value === (text || ""))) menu.value = text || "";
      else menu.selectedIndex = -1;
      chosen.replaceChildren();
      if (frames) {
        chosen.append(archive.words(text) + ": " + frames.length + (frames.length === 1 ? " frame " : " frames "),
          button("Show all", () => choose(null), "Show all frames"));
      }
      const items = (frames || []).slice(0, 200).map((frame, position) => {
        const item = make("button", {type: "button", "data-frame": frame, onclick: () => show(frame)});
        const jpeg = position < 36 && archive.imageOf.get(frame);
        if (jpeg) {
          let letters = "";
          for (const byte of jpeg) letters += String.fromCharCode(byte);
          item.append(make("img", {src: jpegStart + btoa(letters), alt: ""}));
        }
        item.append(archive.names[frame] + (isPair ? archive.note(frame) : ""));
        return make("li", {}, item);
      });
      if (frames && frames.length > 200) items.push(make("li", {}, "and " + (frames.length - 200) + " more"));
      list.replaceChildren(...items);
      list.hidden = !items.length;
      if (!isFromLink) state.set({select: text});
      if (frames && frames.length && !frames.includes(current)) show(frames[0], isFromLink);
      else paint();
    }

    const kept = archive.starts.slice(1).filter((end, index) => end > archive.starts[index]).length;
    host.append(
      make("p", {class: "buttons"}, button("◀", () => step(-1), "Previous frame"), play,
        button("▶▏", () => step(1), "Next frame"), button("◀ error", () => step(-1, isWrong), "Previous error"),
        button("error ▶", () => step(1, isWrong), "Next error"), menu, mode || null),
      title,
      make("div", {class: "stage"}, make("div", {}, view, share || null),
        make("div", {}, facts, make("div", {class: "layers"}, ...checks),
          make("p", {class: "remark"}, "Keys: ← → frames, space plays, n and p errors, 1 to 7 layers"
            + (isPair ? ", v view. Base violet, candidate green, labels white; false or rejected red. Lanes: base above the candidate."
              : ". Labels white, missed amber; faces green, false or rejected red.")))),
      scrubber, strips, chosen, list,
      make("p", {class: "remark"}, archive.images.length + " of " + archive.count + " images and the "
        + (archive.subset ? "outlines" : "points") + " of " + kept + " frames are in this page."));

    const open = () => {
      const frame = Number(state.get("frame") ?? NaN);
      if (isPair) look(state.get("view"), true);
      if (state.get("select")) choose(state.get("select"), true);
      else if (selection) choose(null, true);
      else if (isPair && state.get("frame") == null) current = archive.changes.worse[0] ?? archive.changes.moved[0] ?? current;
      show(Number.isInteger(frame) ? frame : current, true);
      if (state.get("frame") != null || state.get("select") != null) section.scrollIntoView();
    };
    state.listeners.push(open);
    open();
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth !== width) { width = innerWidth; draw().catch(fail); paint(); }
    });
    return {show, choose, section};
  }

  /** Lets bins, points, rows and images of the report choose frames. */
  function link(archive, view, views) {
    const go = (action) => { action(); view.section.scrollIntoView(); };
    for (const chart of views.values()) {
      const {lane, edges} = chart.data;
      if (!lane || !archive.lanes.some((one) => one.name === lane)) continue;
      chart.figure.classList.add("selects");
      const edge = (value) => edges.reduce((best, one) => Math.abs(one - value) < Math.abs(best - value) ? one : best, edges[0]);
      chart.svg.addEventListener("click", (event) => {
        const bar = event.target.closest("rect.bin");
        if (bar) {
          const [x, width] = [Number(bar.getAttribute("x")), Number(bar.getAttribute("width"))];
          const value = (at) => chart.low + (at - chart.left) / (chart.right - chart.left) * (chart.high - chart.low);
          go(() => view.choose(lane + ":" + edge(value(x)) + ":" + edge(value(x + width))));
        } else if (chart.data.lines.length) {
          const value = chart.value(event);
          if (value != null) go(() => view.choose(lane + ":" + Number(value.toPrecision(3)) + ":"));
        }
      });
      if (!edges.length) continue;
      for (const cell of all(".values tbody td:first-child", chart.figure)) {
        const range = cell.textContent.split(" to ").map(number);
        if (range.length === 2) pick(cell, () => go(() => view.choose(lane + ":" + edge(range[0]) + ":" + edge(range[1]))));
      }
    }
    function pick(cell, action) {
      cell.replaceChildren(make("button", {type: "button", class: "pick", onclick: action}, ...cell.childNodes));
    }
    const places = new Map(archive.names.map((name, index) => [name, index]));
    for (const cell of all("main td")) {
      const frame = places.get(cell.textContent);
      if (frame != null) pick(cell, () => go(() => view.show(frame)));
    }
    for (const row of all("tr[data-slice]")) {
      const cell = [...row.cells].find((one) => row.dataset.slice.endsWith("=" + one.textContent));
      if (cell && archive.slices.includes(row.dataset.slice)) {
        pick(cell, () => go(() => view.choose("slice:" + row.dataset.slice)));
      }
    }
    for (const figure of all("figure[data-frame]")) {
      const frame = places.get(figure.dataset.frame), caption = one("figcaption strong", figure);
      if (frame != null && caption) pick(caption, () => go(() => view.show(frame)));
    }
  }

  /** What a higher threshold would leave of the detections that the run kept. */
  function threshold(archive, view, views) {
    const section = one("#threshold");
    if (!section || !archive.threshold) return;
    const scores = archive.parts["kept.scores"], hits = archive.parts["kept.true"];
    const {labelled, frames} = archive.threshold;
    const stops = [];
    let found = 0;
    for (let i = 0; i < scores.length; i++) {
      found += hits[i];
      if (i + 1 < scores.length && scores[i + 1] === scores[i]) continue;
      stops.push({score: scores[i], count: i + 1, found});
    }
    stops.reverse();
    if (stops.length < 2) return;
    section.hidden = false;
    const metrics = {
      "Recall": (stop) => stop.found / labelled, "Precision": (stop) => stop.found / stop.count,
      "F1": (stop) => 2 * stop.found / (stop.count + labelled),
      "False positives per image": (stop) => (stop.count - stop.found) / frames,
    };
    let best = 0;
    stops.forEach((stop, index) => { if (metrics.F1(stop) > metrics.F1(stops[best])) best = index; });
    const output = make("output", {});
    const removed = () => view.choose(input.value > 0 ? "score:" + stops[0].score + ":" + stops[input.value].score : null);
    const input = make("input", {type: "range", min: 0, max: stops.length - 1, step: 1, id: "threshold-slider",
      oninput: () => set(Number(input.value)), onchange: removed});
    const body = make("tbody", {});
    const text = (value) => value.toFixed(4);
    function set(position, isFromLink) {
      const stop = stops[position];
      input.value = position;
      output.textContent = text(stop.score);
      body.replaceChildren(...Object.entries(metrics).map(([name, of]) => make("tr", {"data-metric": name},
        cell(name), cell(text(of(stops[0])), true), cell(text(of(stop)), true))));
      for (const chart of views.values()) if (chart.data.lane === "score") chart.cursor(stop.score, "current");
      if (!isFromLink) state.set({threshold: position});
    }
    one("div", section).append(
      make("p", {}, "Removes detections from the lowest score on, never below the run's threshold. Not known: suppression would merge other candidates, and tracking would start elsewhere; 'facegauge sweep' runs each setting."),
      make("div", {class: "knob"}, make("label", {for: "threshold-slider"}, "lowest score that counts ", output), input),
      make("p", {class: "buttons"},
        ...[["Go to the run's", 0], ["Go to the largest F1", best]].map(([label, stop]) => button(label, () => {
          set(stop);
          removed();
        })),
        button("Show the frames with removed detections", () => {
          removed();
          view.section.scrollIntoView();
        })),
      make("div", {class: "scroll"}, make("table", {id: "threshold-metrics"},
        make("caption", {}, "Detections at IoU .50"),
        make("thead", {}, make("tr", {}, head("Metric"), head("Run", true), head("At this score", true))), body)));
    const open = () => {
      const position = Number(state.get("threshold") ?? 0);
      set(stops[position] ? position : 0, true);
    };
    state.listeners.push(open);
    open();
  }

  async function frames(views) {
    const bytes = await read("frame-data");
    if (!bytes || !one("#explorer")) return;
    const archive = new Archive(bytes), before = await read("base-data");
    if (!archive.count) return;
    const runs = before ? [new Archive(before), archive] : [archive];
    if (before) sortChanges(...runs);
    const view = explorer(runs);
    link(archive, view, views);
    threshold(archive, view, views);
  }

  // The page

  function openTarget() {
    const id = location.hash.slice(1);
    if (!id || id.includes("=")) return;
    const target = document.getElementById(id);
    if (!target) return;
    const inside = target.closest("details") || one("details", target);
    if (inside) inside.open = true;
    target.scrollIntoView();
  }

  async function begin() {
    document.body.append(tip);
    all("main table").forEach(enhance);
    state.read();
    const bytes = await read("page-data");
    const data = bytes ? JSON.parse(new TextDecoder().decode(bytes)) : {charts: {}};
    const views = new Map();
    for (const figure of all("figure[data-chart]")) {
      const chart = data.charts[figure.dataset.chart];
      if (chart && one("svg", figure)) views.set(figure.dataset.chart, new ChartView(figure, chart));
    }
    listen(views);
    if (data.sweep) settings(data.sweep, views);
    await frames(views);
    addEventListener("hashchange", () => {
      openTarget();
      if (!location.hash.includes("=")) return;
      state.read();
      state.listeners.forEach((listener) => listener());
    });
    openTarget();
    page.dataset.ready = "true";
  }
  begin().catch(fail);
})();
