"use strict";
// The page's only script: it fills elements that are hidden without it.

const page = document.documentElement;
const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

/** An element with attributes, handlers (`onclick`) and children; not with false and null. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element[key] = value;
    else if (value != null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
}

const button = (label, onclick, name) => make("button", {"aria-label": name, onclick}, label);
const picture = (jpeg) => jpeg && make("img", {src: "data:" + "image/jpeg;base64," + jpeg, alt: ""});
/** Four digits, and never fewer than the whole ones. */
const shown = (value) => value === Infinity ? "∞ (missed)" : isNaN(value) ? "–"
  : String(Math.abs(value) < 1e4 ? +value.toPrecision(4) : Math.round(value));

const say = (text) => { one("#script-error").textContent = text; };

function fail(error) {
  page.dataset.error = error?.message ?? error;
  say("The script failed: " + page.dataset.error + ". All tables and charts are here without it.");
}
addEventListener("error", (event) => fail(event.error ?? event.message));
addEventListener("unhandledrejection", (event) => fail(event.reason));

async function read(id) {
  const element = document.getElementById(id);
  if (!element) return null;
  const text = atob(element.textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const parsed = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

const state = {
  values: new URLSearchParams(), listeners: [],
  get(key) { return this.values.get(key); },
  set(key, value) {
    if (value == null) this.values.delete(key); else this.values.set(key, value);
    this.values.sort();
    history.replaceState(null, "", "#" + this.values.toString().replaceAll("+", "%20"));
  },
  /** The place in a list that the address gives a key by number or name; null without one. */
  find(key, list) {
    const text = this.get(key), place = list[Number(text ?? NaN)] == null ? list.indexOf(text) : Number(text);
    return place < 0 ? null : place;
  },
  apply() {
    const hash = location.hash.slice(1);
    this.values = new URLSearchParams(hash.includes("=") ? hash.replaceAll("+", "%2B") : "");
    const section = this.listeners.map((listener) => listener()).find(Boolean);
    say(section || !hash.includes("=") ? "" : "Not in this page: " + hash);
    section?.scrollIntoView();
  },
};

/** Copies a text by a selection, which needs no server with TLS. */
function copy(text, button) {
  const area = make("textarea", {}, text), label = button.dataset.label ??= button.textContent;
  button.after(area);
  area.select();
  button.textContent = document.execCommand("copy") ? "copied" : "not copied";
  area.remove();
  button.focus();
  setTimeout(() => { button.textContent = label; }, 1500);
}

function fill(list, entries, content) {
  let count = 0;
  const more = () => list.append(
    ...entries.slice(count, count += 200).map((entry) => make("li", {}, ...content(entry))));
  list.replaceChildren();
  list.onscroll = () => {
    if (list.scrollTop + list.clientHeight > list.scrollHeight - 200) more();
  };
  more();
}

function cellText(cell) {
  const clone = cell.cloneNode(true);
  all("sup", clone).forEach((note) => note.remove());
  return clone.textContent.trim();
}

/** The number that a cell begins with, thousands in groups; NaN for words and dates. */
function number(text) {
  const match = /^(?!\d{4}-\d\d-)[+−-]?[\d,]*\.?\d+(?:e[+-]?\d+)?/i.exec(text);
  return Number(match?.[0].replaceAll(",", "").replace("−", "-") ?? NaN);
}

function sort(table, column, isDescending) {
  const body = table.tBodies[0], heads = table.tHead.rows[0].cells, sign = isDescending ? -1 : 1;
  const rows = [...body.rows].map((row) => ({row, text: cellText(row.cells[column])}));
  for (const one of rows) one.value = number(one.text);
  const hasNumbers = rows.some(({value}) => !isNaN(value));
  rows.sort((a, b) => hasNumbers ? isNaN(a.value) - isNaN(b.value) || sign * (a.value - b.value) || 0
    : sign * a.text.localeCompare(b.text));
  body.append(...rows.map(({row}) => row));
  for (const cell of heads) cell.ariaSort = null;
  heads[column].ariaSort = isDescending ? "descending" : "ascending";
}

function csv(table) {
  const quote = (text) => /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  return [...table.rows].filter((row) => !row.hidden)
    .map((row) => [...row.cells].map((cell) => quote(cellText(cell))).join(",") + "\n").join("");
}

function enhance(table) {
  const rows = table.tBodies[0].rows, name = table.caption.textContent;
  const filter = (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  };
  table.parentElement.before(make("div", {class: "tools"},
    rows.length > 11 && make("input",
      {type: "search", placeholder: "filter", "aria-label": "Filter rows of " + name, oninput: filter}),
    button("CSV", (event) => copy(csv(table), event.target), "Copy " + name + " as CSV")));
  if (rows.length < 2) return;
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    if (!cell.textContent.trim()) return;
    cell.append(make("button", {class: "sort",
      onclick: () => sort(table, column, cell.ariaSort === "ascending")}, ...cell.childNodes));
  });
}

const tip = one("#tip");

function showTip(text, event) {
  tip.textContent = text;
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)) + "px";
}

const nearest = (numbers, value) =>
  numbers.reduce((best, one, index) => Math.abs(one - value) < Math.abs(numbers[best] - value) ? index : best, 0);

class ChartView {
  constructor(figure, data) {
    this.svg = one("svg", figure);
    this.data = data;
    this.lines = data?.lines ?? [];
    [this.left, this.right, this.top, this.bottom, this.low, this.high] =
      this.svg.dataset.plot?.split(" ").map(Number) ?? [];
    this.svg.addEventListener("pointermove", (event) => {
      const title = event.target !== this.svg && one(":scope > title", event.target);
      showTip(title ? title.textContent : this.words(event), event);
    });
    this.svg.addEventListener("pointerleave", () => {
      tip.textContent = "";
      this.cursor(null, "hover");
    });
  }

  value(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const share = (at.x - this.left) / (this.right - this.left);
    return share < -0.02 || share > 1.02 ? null : this.low + share * (this.high - this.low);
  }

  cursor(value, kind) {
    one("line." + kind, this.svg)?.remove();
    if (value == null || !(value >= this.low && value <= this.high)) return;
    const line = document.createElementNS(this.svg.namespaceURI, "line");
    const x = this.left + (value - this.low) / (this.high - this.low) * (this.right - this.left);
    const places = {x1: x, x2: x, y1: this.top, y2: this.bottom, class: kind};
    for (const key in places) line.setAttribute(key, places[key]);
    this.svg.append(line);
  }

  words(event) {
    const own = this.lines[0]?.x, value = own && this.value(event);
    if (value == null) return "";
    const x = own[nearest(own, value)];
    this.cursor(x, "hover");
    return this.data.xLabel + " " + shown(x)
      + this.lines.map((line) => "\n" + line.label + " " + shown(line.y[nearest(line.x, x)])).join("");
  }

  selection(event) {
    const own = event.target.closest("[data-select]"), stops = this.data?.stops, value = stops && this.value(event);
    return own ? own.dataset.select : value == null ? null : stops.select[nearest(stops.x, value)];
  }
}

function settings(sweep, views) {
  const section = one("#settings"), sliders = all("input[type=range]", section), rows = all("[data-metric]", section);
  const code = one("#setting-code", section);
  let current = sweep.start;
  section.hidden = false;

  /** The setting that was run with a parameter at a value and the fewest other changes. */
  function snapped(position, value) {
    const changes = sweep.settings.map((setting) => setting[position] === value
      ? setting.filter((one, other) => one !== sweep.settings[current][other]).length : Infinity);
    return changes.indexOf(Math.min(...changes));
  }

  /** Shows a setting and its text in the address's language; falsy with none to copy. */
  function show(setting, isFromLink) {
    current = setting;
    const values = sweep.settings[setting];
    for (const slider of sliders) {
      const {stops, unit} = sweep.parameters[slider.name], value = values[slider.name];
      slider.value = stops.indexOf(value);
      slider.ariaValueText = one("output", slider.parentElement).textContent = value + unit;
    }
    one("#setting").textContent = sweep.titles[setting];
    rows.forEach((row, metric) => {
      for (const {place, texts} of sweep.columns) {
        const text = texts[metric][setting], cell = row.cells[place];
        cell.textContent = text;
        cell.className = "number " + (/better|worse/.exec(text) ?? "");
      }
    });
    if (sweep.wrong) {
      one("#setting-wrong").textContent = sweep.wrong.words[setting];
      fill(one("#setting-frames"), sweep.wrong.settings[setting], ({position, errors}) => [picture(sweep.images[position]),
        sweep.wrong.frames[position].name + ": " + errors + (errors === 1 ? " error" : " errors")]);
    }
    for (const view of views.values()) view.cursor(values[view.data?.parameter], "current");
    for (const part of all("svg [data-select], #settings button")) {
      part.disabled = part.dataset.select === "setting:" + setting;
      part.classList.toggle("current", part.disabled);
    }
    const entry = sweep.code?.texts[state.get("code")]?.[setting];
    code.textContent = entry?.map?.((place) => sweep.code.lines[place]).join("\n") ?? entry;
    if (!isFromLink) state.set("setting", setting);
    return entry?.map;
  }

  for (const slider of sliders) {
    slider.oninput = () => show(snapped(slider.name, sweep.parameters[slider.name].stops[slider.value]));
  }
  section.addEventListener("click", ({target}) => {
    const {copy: language, select} = target.dataset;
    if (select) show(+select.slice(8));
    if (!language) return;
    state.set("code", language);
    if (show(current)) copy(code.textContent, target);
  });
  state.listeners.push(() => {
    const linked = state.find("setting", sweep.settings);
    show(linked ?? sweep.start, true);
    return (linked != null || code.textContent) && section;
  });
  return {show, section};
}

/** What a frame may have several numbers of, with the outcome that counts. */
const lists = {nme: ["error"], score: ["ranked"], confidence: ["ranked"], true: ["ranked", 1], false: ["ranked", 0]};

class Archive {
  constructor(bytes) {
    const length = new DataView(bytes.buffer).getUint32(0, true);
    Object.assign(this, parsed(bytes.subarray(4, 4 + length)));
    this.parts = {};
    let place = 4 + length;
    for (const {name, type, count} of this.sections) {
      place = Math.ceil(place / 8) * 8;
      this.parts[name] = new globalThis[type](bytes.buffer, place, count);
      place += this.parts[name].byteLength;
    }
    this.count = this.names.length;
    this.every = [...this.names.keys()];
    this.starts = [0];
    for (const size of this.parts["geometry.lengths"] ?? []) this.starts.push(this.starts.at(-1) + size);
    let start = 0;
    this.imageOf = new Map(this.images.map(({frame, bytes: size}) =>
      [frame, this.parts.images.subarray(start, start += size)]));
    this.places = new Map(this.subset?.map((point, position) => [point, position]));
    // Coefficients are stored as differences from the frame before.
    for (const values of [this.parts.coefficients, this.parts["coefficients.labelled"]]) {
      for (let i = 52; i < values?.length; i++) values[i] += values[i - 52];
    }
    this.named = new Map(this.menu);
    this.last = {index: -1};
  }

  lane(name) { return this.parts["lane." + name]; }

  each(name, use) {
    const values = this.parts[name + ".values"], outcomes = this.parts[name + ".outcomes"];
    let place = 0;
    this.parts[name + ".counts"].forEach((count, frame) => {
      for (const end = place + count; place < end; place++) use(frame, values[place], outcomes?.[place]);
    });
  }

  /** The score down to which detections count for a recall, or for no more false positives an image. */
  scoreAt(kind, goal) {
    const ranked = [], counts = [0, 0, 0], labelled = this.parts.labelled.reduce((sum, one) => sum + one, 0);
    this.each("ranked", (_, score, outcome) => ranked.push({score, outcome}));
    ranked.sort((a, b) => b.score - a.score);
    for (const {score, outcome} of ranked) {
      counts[outcome]++;
      if (kind === "recall" && counts[1] / labelled >= goal - 1e-9) return score;
      if (kind === "fppi" && counts[0] / this.evaluated > goal) return ranked.findLast((one) => one.score > score)?.score ?? Infinity;
    }
    return -Infinity;
  }

  /** Boxes and points of a frame; null beyond the budget. */
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
      for (let value = 0, scale = 1; ; scale *= 128) {
        const byte = data[at++];
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
    };
    const signed = () => { const value = count(); return value % 2 ? -(value + 1) / 2 : value / 2; };
    const several = (read) => Array.from({length: count()}, (_, position) => read(position));
    const box = () => [signed() / 8, signed() / 8, signed() / 8, signed() / 8];
    const points = (kind, position) => {
      const number = count(), scheme = this.schemeNames[number];
      const isCut = this.subset && scheme === "mediapipe478";
      const values = new Int32Array(2 * (isCut ? this.subset.length : this.schemeCounts[number]));
      const slot = [kind, position, number].join(), before = earlier.get(slot);
      for (let i = 0; i < values.length; i++) {
        values[i] = signed() + (before ? before[i] : i > 1 ? values[i - 2] : 0);
      }
      slots.set(slot, values);
      return {scheme, values, isCut};
    };
    const positions = [0, 0];
    return {
      index, slots, width: count(), height: count(),
      labels: several((position) => ({state: data[at++], box: box(), points: several(() => points(0, position))})),
      detections: several(() => ({isFalse: data[at++] === 1, score: data[at++] / 254, box: box()})),
      faces: several(() => {
        const flags = data[at++], presence = data[at++], isRejected = (flags & 2) > 0;
        const face = {isRejected, isUnmatched: flags & 4, presence: presence < 255 ? presence / 254 : null};
        const position = positions[isRejected ? 1 : 0]++;
        if (flags & 8) face.region = [...box(), signed() / 1000];
        if (flags & 16) face.points = points(isRejected ? 2 : 1, position);
        if (flags & 32) face.raw = {...face.points, values: face.points.values.map((value) => value + signed())};
        if (flags & 64) face.box = box();
        return face;
      }),
    };
  }

  /** Kind, bounds and words of a selection; null for what this page has no data for. */
  parse(text) {
    const [kind, from, to] = (text ?? "").split(":"), low = Number(from || NaN), high = Number(to || Infinity);
    const name = this.named.get(text), title = Object.hasOwn(this.titles, kind) && this.titles[kind];
    if (!name && (!title || isNaN(low))) return null;
    const last = kind === "frames" ? high - 1 : high;
    const isRate = kind === "recall" || kind === "fppi", range = isRate || last === low ? low
      : last < Infinity ? low + " to " + last : (kind === "frames" ? "from " : "at least ") + low;
    return {kind, low, high, isRate, words: name ?? title[0] + " " + range + title[1]};
  }

  /** The frames of a selection such as `latency:10:20`, `nme:0.08:` or `slice:yaw=30-60`; null for none. */
  select(text) {
    const {kind, low, high, isRate} = this.parse(text) ?? {}, frames = new Set();
    if (!kind) return null;
    if (kind === "change") return [...this.parts[text]];
    if (kind === "slice") return this.every.filter((frame) => this.isIn(this.slices.indexOf(text.slice(6)), frame));
    if (kind === "frames") {
      const clip = this.clip(low) ?? {first: 0, count: this.count};
      return this.every.slice(low, Math.min(high, clip.first + clip.count));
    }
    // Values are single precision, and so must be what they are compared with; histograms compare scores with their
    // edges as they are, of which an address has twelve digits.
    const bound = lists[kind]?.[1] == null ? Math.fround : (end) => end - Math.abs(end) * 1e-11;
    const least = bound(isRate ? this.scoreAt(kind, low) : low);
    // Bins of confidence are (a, b], the first with 0; what lies on ignored faces is in none.
    const isIn = kind === "confidence" ? (value, outcome) => outcome < 2 && value <= high && (value > low || !low)
      : (value) => value >= least && (high === Infinity || value < bound(high));
    if (isRate) {
      const missed = Int32Array.from(this.parts.labelled);
      this.each("ranked", (frame, score, outcome) => {
        if (score >= least && outcome === 0) frames.add(frame);
        if (score >= least && outcome === 1) missed[frame]--;
      });
      missed.forEach((count, frame) => { if (count > 0) frames.add(frame); });
    } else if (lists[kind]) {
      const [list, counted] = lists[kind];
      this.each(list, (frame, value, outcome) => {
        if (isIn(value, outcome) && (counted == null || outcome === counted)) frames.add(frame);
      });
    } else this.lane(kind).forEach((value, frame) => { if (isIn(value)) frames.add(frame); });
    return this.every.filter((frame) => frames.has(frame));
  }

  isIn(slice, frame) {
    return this.parts.slices[slice * Math.ceil(this.count / 8) + (frame >> 3)] >> (frame & 7) & 1;
  }

  clip(index) { return this.sequences.find((one) => index >= one.first && index < one.first + one.count); }
}

function note(base, own, frame) {
  const change = (name) => own.lane(name)?.[frame] - base.lane(name)?.[frame];
  const errors = change("errors"), nme = change("nme"), moved = own.lane("moved")?.[frame];
  const signed = (value) => (value > 0 ? " +" : " −") + shown(Math.abs(value));
  return (errors ? signed(errors) + (errors ** 2 > 1 ? " errors" : " error") : "")
    + (Math.abs(nme) >= 1e-4 && isFinite(nme) ? " NME" + signed(nme) : "")
    + (moved > 0 ? " moved " + shown(moved) + " ‰" : "");
}

function around(frames) {
  const x = [], y = [];
  for (const {box, points} of frames.flatMap((frame) => [...frame.labels, ...frame.detections, ...frame.faces])) {
    if (box) x.push(box[0], box[0] + box[2]), y.push(box[1], box[1] + box[3]);
    else points?.values.forEach((value, place) => { if (value > -32768) (place % 2 ? y : x).push(value / 8); });
  }
  const left = Math.min(...x), top = Math.min(...y), w = Math.max(...x) - left, h = Math.max(...y) - top;
  return x.length ? [left - w / 4, top - h / 4, 1.5 * w, 1.5 * h] : null;
}

/** The frames of a run, or of two with the base first. */
function explorer(runs) {
  const archive = runs.at(-1), isPair = runs.length > 1, section = one("#explorer");
  const {view, facts, frame: title, scrubber, strips, selected: list, selection: chosen, shown: menu, mode, share,
    play, budget} = Object.fromEntries(all("[id]", section).map((element) => [element.id, element]));
  const checks = all("[data-layer]", section);
  const isVisible = (layer) => one('[data-layer="' + layer + '"]', section).checked;
  const isWrong = (index) => runs.some((run) => run.lane("errors")?.[index] > 0);
  let current = archive.start, selection = null, timer = null, drawing = 0;
  section.hidden = false;

  for (const [value, text] of archive.menu) menu.append(new Option(text, value));

  const scope = () => archive.clip(current) ?? {first: 0, count: archive.count, name: "all frames"};

  function next(direction, isFit = () => true) {
    const order = selection ?? archive.every, at = order.indexOf(current);
    return direction > 0 ? order.slice(at + 1).find(isFit) : order.slice(0, Math.max(0, at)).findLast(isFit);
  }

  function step(...where) {
    const frame = next(...where);
    if (frame != null) show(frame, timer);
    return frame != null;
  }

  function playing(isOn) {
    clearInterval(timer);
    timer = isOn ? setInterval(() => step(1) || playing(false), 33) : null;
    play.textContent = isOn ? "❚❚" : "▶";
    play.ariaLabel = isOn ? "Pause" : "Play";
    paint();
    if (!isOn) state.set("frame", current);
  }

  function look(name, isFromLink) {
    mode.value = name;
    if (mode.selectedIndex < 0) mode.selectedIndex = 0;
    share.hidden = !mode.selectedIndex;
    if (isFromLink) return;
    state.set("view", mode.value);
    draw();
  }

  const steps = {ArrowRight: [1], ArrowLeft: [-1], n: [1, isWrong], p: [-1, isWrong]};
  const actions = {" ": () => playing(!timer)};
  for (const key in steps) actions[key] = () => step(...steps[key]);
  if (isPair) {
    actions.v = () => look(mode.options[(mode.selectedIndex + 1) % 3].value);
    mode.onchange = () => look(mode.value);
    share.oninput = draw;
  }
  menu.onchange = () => choose(menu.value || null);
  scrubber.oninput = () => show(scope().first + Number(scrubber.value));
  section.addEventListener("click", ({target}) => actions[target.dataset.key]?.());
  for (const check of checks) check.onchange = draw;
  addEventListener("keydown", (event) => {
    const {key, target} = event, layer = checks[key - 1], isInside = section.contains(target);
    if (event.ctrlKey || event.metaKey || event.altKey || !layer && !actions[key]) return;
    if (target.closest(isInside ? "select, #share" : "select, input, pre, .scroll")) return;
    if (key === " " && target.closest("a, button, summary, [type=checkbox]")) return;
    const {top, bottom} = section.getBoundingClientRect(), isSeen = top < innerHeight / 2 && bottom > innerHeight / 2;
    // There space scrolls.
    if (key === " " && !isSeen) return;
    if (!isSeen) section.scrollIntoView();
    event.preventDefault();
    if (layer) layer.click(); else actions[key]();
  });

  const colors = {label: "#ebebeb", missed: "#ffbe00", face: "#46e682", base: "#d08cff", wrong: "#ff5a5a",
    raw: "#ff7ae0", region: "#3cb4ff", ignored: "#8a939c"};

  async function draw() {
    const turn = ++drawing, index = current, jpeg = archive.imageOf.get(index);
    const frames = runs.map((run) => run.geometry(index)), known = frames.filter(Boolean);
    const bitmap = jpeg && isVisible("image") ? await createImageBitmap(new Blob([jpeg])) : null;
    if (turn !== drawing) return;
    const {width, height} = known[0] ?? bitmap ?? {width: 4, height: 3};
    const [left, top, wide, high] = isVisible("zoom") && around(known) || [0, 0, width, height];
    const isSplit = mode?.value === "side by side", isOnion = mode?.value === "onion", panels = isSplit ? 2 : 1;
    const scale = Math.min(Math.max(200, view.parentElement.clientWidth) / panels / wide, 460 / high);
    const ratio = Math.min(2, devicePixelRatio), unit = scale * ratio, thin = 1 / scale;
    const room = Math.round(wide * unit), pen = view.getContext("2d");
    view.width = room * panels;
    view.height = Math.round(high * unit);
    view.style.width = view.width / ratio + "px";
    pen.fillStyle = "#181c20";
    pen.fillRect(0, 0, view.width, view.height);

    const rectangle = (box, color, text) => {
      pen.strokeStyle = pen.fillStyle = color;
      pen.lineWidth = 1.8 * thin;
      pen.strokeRect(...box);
      if (text) pen.fillText(text, box[0] + 3 * thin, box[1] + 13 * thin);
    };
    const mesh = (run, {scheme, values, isCut}, color) => {
      const paths = run.schemes[scheme] ?? [], dot = paths.length ? 0.6 * thin : 1.8 * thin;
      const at = (point) => {
        const position = isCut ? run.places.get(point) : point, x = values[2 * position];
        return position == null || x === -32768 ? null : [x / 8, values[2 * position + 1] / 8];
      };
      pen.strokeStyle = pen.fillStyle = color;
      pen.lineWidth = 1.3 * thin;
      for (const path of paths) {
        pen.beginPath();
        path.map(at).forEach((point, index) => { if (point) pen[index ? "lineTo" : "moveTo"](...point); });
        pen.stroke();
      }
      for (let point = 0; !isCut && point < values.length / 2; point++) {
        const place = at(point);
        if (place) pen.fillRect(place[0] - dot, place[1] - dot, 2 * dot, 2 * dot);
      }
    };
    const edge = Math.round(share?.value * room), whole = [0, room];
    const parts = isSplit ? [whole, [room, 2 * room]] : isPair && !isOnion ? [[0, edge], [edge, room]] : [whole, whole];
    runs.forEach((run, number) => {
      const frame = frames[number], [from, to] = parts[number], good = isPair && !number ? colors.base : colors.face;
      pen.save();
      pen.beginPath();
      pen.rect(from, 0, to - from, view.height);
      pen.clip();
      pen.setTransform(unit, 0, 0, unit, (isSplit ? from : 0) - left * unit, -top * unit);
      pen.font = 12 * thin + "px system-ui, sans-serif";
      const isGround = !isOnion || !number;
      if (bitmap && isGround) pen.drawImage(bitmap, 0, 0, width, height);
      for (const {state, box, points} of isGround && isVisible("labels") && known[0]?.labels || []) {
        const color = state ? state === 2 && !isPair ? colors.missed : colors.label : colors.ignored;
        rectangle(box, color);
        for (const one of points) mesh(runs[frames.indexOf(known[0])], one, color);
      }
      if (isOnion) pen.globalAlpha = Math.min(1, 2 * (number ? share.value : 1 - share.value));
      pen.fillStyle = good;
      if (isPair) pen.fillText(run.run, left + 8 * thin, top + high - (8 + (isSplit ? 0 : 16 * number)) * thin);
      if (!frame) pen.fillText("Beyond the page's budget.", left + 3 * thin, top + 13 * thin);
      for (const {isFalse, box, score} of isVisible("detections") && frame?.detections || []) {
        rectangle(box, isFalse ? colors.wrong : isPair ? good : colors.region, score.toFixed(2));
      }
      for (const {isRejected, isUnmatched, raw, points, box, region, presence} of frame?.faces ?? []) {
        if (!isVisible(isRejected ? "rejected" : "prediction")) continue;
        const color = isRejected || isUnmatched ? colors.wrong : good;
        if (raw && isVisible("before smoothing")) mesh(run, raw, colors.raw);
        if (points) mesh(run, points, color);
        if (box) rectangle(box, color);
        if (!region || !isRejected && !isVisible("regions")) continue;
        const [x, y, w, h, turned] = region;
        pen.save();
        pen.translate(x, y);
        pen.rotate(turned);
        pen.setLineDash([5 * thin, 4 * thin]);
        rectangle([-w / 2, -h / 2, w, h], isRejected ? colors.wrong : colors.region, presence?.toFixed(2));
        pen.restore();
      }
      pen.restore();
    });
    pen.fillStyle = colors.label;
    if (isPair && !isSplit && !isOnion) pen.fillRect(edge - ratio, 0, 2 * ratio, view.height);
    view.dataset.frame = index;
  }

  const rowsOf = (part, of = runs) => of.filter((run) => run.parts[part]).map((run) => ({run, values: run.parts[part]}));
  const lanes = archive.lanes.map((lane) => ({...lane, rows: rowsOf("lane." + lane.name)}));
  const words = [...rowsOf("expression.labelled", [archive]), ...rowsOf("expression")];
  if (words.length) lanes.push({title: "Expression", unit: "", height: 10 * words.length, rows: words, isWords: true});
  const heats = [...rowsOf("coefficients.labelled", [archive]), ...rowsOf("coefficients")];
  for (const {run, values} of heats) {
    const name = values === archive.parts["coefficients.labelled"] ? "labels" : run.run ?? "prediction";
    lanes.push({title: "52 coefficients, " + name, height: 52, heat: values, rows: []});
  }
  for (const lane of lanes) {
    const canvas = lane.canvas = make("canvas", {height: lane.height, "aria-hidden": "true"});
    lane.value = make("span", {class: "number"});
    strips.append(make("div", {class: "strip"}, make("span", {}, lane.title, " ", lane.value), canvas));
    const go = (event) => {
      const {first, count} = scope(), place = Math.floor(event.offsetX / canvas.clientWidth * count);
      show(first + Math.min(count - 1, Math.max(0, place)));
    };
    canvas.onpointerdown = (event) => {
      go(event);
      canvas.setPointerCapture(event.pointerId);
    };
    canvas.onpointermove = (event) => { if (event.buttons) go(event); };
  }
  let painted = [null];

  function paint() {
    const {first, count} = scope(), style = getComputedStyle(page);
    const [ink, mark, other, rule] = ["--s0", "--s1", "--s3", "--rule"].map((name) => style.getPropertyValue(name));
    const width = Math.max(100, lanes[0].canvas.clientWidth);
    strips.style.setProperty("--place", (current - first + 0.5) / count);
    for (const one of all("[data-key]", section)) one.disabled = !timer && next(...steps[one.dataset.key] ?? [1]) == null;
    const key = [first, count, width, mark, selection];
    if (painted.every((one, place) => one === key[place])) return;
    painted = key;
    const frameAt = (x) => first + Math.floor(x / width * count);
    for (const lane of lanes) {
      lane.canvas.width = width;
      const pen = lane.canvas.getContext("2d"), size = lane.height / lane.rows.length;
      const high = lane.rows.flatMap(({values}) => [...values.subarray(first, first + count)])
        .reduce((most, value) => value > most && value < Infinity ? value : most, 0);
      lane.rows.forEach(({run, values}, row) => {
        const color = isPair && row < lane.rows.length - 1 ? other : ink;
        if (!lane.isWords) paintBars(pen, values, high, color, Math.round((row + 1) * size) - 1, size);
        else for (let x = 0; x < width; x++) {
          pen.fillStyle = run.colors[values[frameAt(x)]] ?? "transparent";
          pen.fillRect(x, row * size, 1, size - 1);
        }
      });
      if (lane.heat) paintHeat(pen, lane, frameAt, width);
      if (lane.heat || lane.isWords) continue;
      pen.fillStyle = mark;
      for (const frame of selection ?? []) {
        if (frame >= first && frame < first + count) pen.fillRect((frame - first) / count * width, 0, Math.max(1, width / count), 2);
      }
    }

    function paintBars(pen, values, high, color, bottom, size) {
      pen.fillStyle = rule;
      pen.fillRect(0, bottom, width, 1);
      for (let x = 0; x < width; x++) {
        const own = values.subarray(frameAt(x), Math.max(frameAt(x) + 1, frameAt(x + 1)));
        const value = own.reduce((most, one) => one <= most || isNaN(one) ? most : one, NaN);
        if (isNaN(value)) continue;
        const length = Math.max(1, high > 0 ? Math.min(1, value / high) * (size - 3) : 0);
        pen.fillStyle = value === Infinity ? mark : color;
        pen.fillRect(x, bottom - length, 1, length);
      }
    }
  }

  function paintHeat(pen, {heat}, frameAt, width) {
    const image = new ImageData(width, 52);
    for (let i = 0; i < 52 * width; i++) {
      const value = heat[frameAt(i % width) * 52 + Math.floor(i / width)], share = value / 254;
      if (value < 255) image.data.set([254 * share, 34 + 198 * share, 78 - 22 * share, 255], 4 * i);
    }
    pen.putImageData(image, 0, 0);
  }

  function show(index, isFromLink) {
    current = Math.min(archive.count - 1, Math.max(0, index));
    const {first, count, name} = scope(), rows = [];
    scrubber.max = count - 1;
    scrubber.value = current - first;
    title.textContent = archive.names[current] + " · frame " + current + " of " + archive.count
      + (archive.clip(current) ? " · " + (current - first + 1) + " of " + count + " in " + name : "");
    scrubber.ariaValueText = title.textContent;
    for (const lane of lanes.filter((one) => !one.heat)) {
      const texts = lane.rows.map(({run, values: {[current]: value}}) => lane.isWords ? run.expressions[value] ?? "–" : shown(value));
      lane.value.textContent = texts.every((text) => text === "–") ? "–"
        : texts.join(lane.isWords ? ", " : " → ") + lane.unit;
      rows.push([lane.title, lane.value.textContent]);
    }
    const slices = archive.slices.filter((_, position) => archive.isIn(position, current));
    if (slices.length) rows.push(["Slices", slices.join(", ")]);
    if (!archive.imageOf.has(current)) rows.push(["Image", "not stored in this page"]);
    facts.replaceChildren(...rows.flatMap(([what, text]) => [make("dt", {}, what), make("dd", {}, text)]));
    view.ariaLabel = "Frame " + title.textContent + ": " + rows.map((row) => row.join(" ")).join("; ");
    for (const item of all("button", list)) item.ariaCurrent = +item.dataset.frame === current;
    draw();
    paint();
    if (!isFromLink) state.set("frame", current);
  }

  function choose(text, isFromLink) {
    const frames = selection = text ? archive.select(text) : null;
    section.dataset.selected = frames?.length ?? "";
    menu.value = frames ? text : "";
    chosen.replaceChildren();
    if (frames) {
      chosen.append(archive.parse(text).words + ": " + frames.length + (frames.length === 1 ? " frame " : " frames "),
        button("Show all", () => choose(null)));
    }
    fill(list, frames ?? [], (frame) => {
      const letters = Array.from(archive.imageOf.get(frame) ?? [], (byte) => String.fromCharCode(byte)).join("");
      return [make("button", {"data-frame": frame, "aria-current": frame === current, onclick: () => show(frame)},
        letters && picture(btoa(letters)), archive.names[frame] + (isPair ? note(...runs, frame) : ""))];
    });
    if (!isFromLink) state.set("select", text);
    if (frames?.length && !frames.includes(current)) show(frames[0], isFromLink);
    else paint();
  }

  budget.textContent = archive.note;
  state.listeners.push(() => {
    const frame = state.find("frame", archive.names), text = state.get("select");
    if (isPair) look(state.get("view"), true);
    if (text || selection) choose(text, true);
    show(frame ?? current, true);
    return (frame != null || selection || isPair && state.get("view")) && section;
  });
  addEventListener("resize", () => {
    draw();
    paint();
  });
  return {archive, show, choose, section};
}

function threshold({archive, choose, section: explorer}, views) {
  const section = one("#threshold"), stops = [];
  if (!section || !archive.threshold) return;
  const hits = archive.parts["kept.true"], {labelled, frames} = archive.threshold;
  let found = 0;
  archive.parts["kept.scores"].forEach((score, place, scores) => {
    found += hits[place];
    const count = place + 1;
    if (scores[count] === score) return;
    stops.push({score, metrics: [found / labelled, found / count, 2 * found / (count + labelled), (count - found) / frames]});
  });
  stops.reverse();
  if (stops.length < 2) return;
  section.hidden = false;
  const slider = one("input", section);
  const best = stops.reduce((best, {metrics}, place) => metrics[2] > stops[best].metrics[2] ? place : best, 0);
  const removed = () => choose(slider.value > 0 ? "score:" + stops[0].score + ":" + stops[slider.value].score : null);
  function set(position, isFromLink) {
    const {score, metrics} = stops[position];
    for (const one of all("[data-stop]", section)) one.disabled = position === (one.dataset.stop === "best" ? best : 0);
    slider.value = position;
    one("output", section).textContent = score.toFixed(4);
    all("[data-metric]", section).forEach(({cells}, row) => {
      cells[1].textContent = stops[0].metrics[row].toFixed(4);
      cells[2].textContent = metrics[row].toFixed(4);
    });
    for (const view of views.values()) if (view.data?.isOfScores) view.cursor(score, "current");
    if (!isFromLink) state.set("threshold", position);
  }
  slider.max = stops.length - 1;
  slider.oninput = () => set(+slider.value);
  slider.onchange = removed;
  section.addEventListener("click", ({target: {dataset: {stop}}}) => {
    if (!stop) return;
    if (stop !== "show") set(stop === "best" ? best : 0);
    removed();
    if (stop === "show") explorer.scrollIntoView();
  });
  state.listeners.push(() => {
    const linked = state.find("threshold", stops);
    set(linked ?? 0, true);
    return linked != null && section;
  });
}

function link(sweep, frames, views) {
  const action = (text) => {
    const [kind, number] = (text ?? "").split(":"), host = kind === "setting" ? sweep : frames;
    const isKnown = kind === "setting" || kind === "frame" || frames?.archive.parse(text);
    return host && isKnown && (() => {
      if (isKnown === true) host.show(+number); else host.choose(text);
      host.section.scrollIntoView();
    });
  };
  const pick = (cell, text) => {
    const onclick = action(text);
    if (onclick) cell.replaceChildren(make("button", {class: "pick", onclick}, ...cell.childNodes));
  };
  for (const [figure, view] of views) {
    if (!action(one("[data-select]", view.svg)?.dataset.select ?? view.data?.stops?.select[0])) continue;
    figure.classList.add("selects");
    view.svg.addEventListener("click", (event) => action(view.selection(event))?.());
  }
  // A name that several frames have leads to none.
  const places = new Map();
  frames?.archive.names.forEach((name, index) => places.set(name, places.has(name) ? null : index));
  for (const cell of all("main td")) {
    const text = cell.textContent, head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex];
    const frame = head?.textContent.toLowerCase() === "frame" ? places.get(text) : null;
    pick(cell, cell.dataset.select ?? (frame == null ? "slice:" + text : "frames:" + frame + ":" + (frame + 1)));
  }
  for (const figure of all("figure[data-frame]")) {
    const frame = places.get(figure.dataset.frame);
    if (frame != null) pick(one("figcaption strong", figure), "frame:" + frame);
  }
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  for (const one of all("details")) one.open ||= one.contains(target) || one.parentElement === target;
  target?.scrollIntoView();
}

async function begin() {
  all("main table").forEach(enhance);
  const bytes = await read("page-data"), data = bytes ? parsed(bytes) : {charts: {}};
  const views = new Map(all("figure:has(svg)")
    .map((figure) => [figure, new ChartView(figure, data.charts[figure.dataset.chart])]));
  const sweep = data.sweep && settings(data.sweep, views);
  const runs = [await read("base-data"), await read("frame-data")].filter(Boolean).map((bytes) => new Archive(bytes));
  const frames = runs.at(-1)?.count ? explorer(runs) : null;
  link(sweep, frames, views);
  if (frames) threshold(frames, views);
  addEventListener("hashchange", () => location.hash.includes("=") ? state.apply() : openTarget());
  state.apply();
  openTarget();
  page.dataset.ready = "true";
}
begin();
