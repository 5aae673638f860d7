// A face detector through ONNX Runtime Web. The folder of --files has ort.min.mjs and the ort-wasm files of the package
// onnxruntime-web, and the model: an image in, a row for each box out, its suppression included, as many exports have them.
//
// Options: model (default model.onnx), provider (wasm or webgpu, default wasm), threads (default: those of the browser),
// size (WIDTHxHEIGHT, default that of the model's input), channels (rgb or bgr, default rgb), mean (default 0) and divisor
// (default 255): a value of the input is (byte - mean) / divisor; fit (letterbox: in the middle of grey, or stretch; default
// letterbox), output (name of the rows, default the first), rows (what their numbers are, default x1,y1,x2,y2,score; others are
// named by any word), unit (pixels of the input or fractions of it, default pixels), min-score (default 0.02).

const DEFAULTS = {
  model: "model.onnx", provider: "wasm", channels: "rgb", mean: "0", divisor: "255", fit: "letterbox",
  rows: "x1,y1,x2,y2,score", unit: "pixels", "min-score": "0.02",
};
const GREY = 114;

let ort, session, settings, width, height, isPlanar, canvas, columns;

function expect(name, values) {
  if (!values.includes(settings[name])) throw new Error(`expected ${name} of ${values.join(", ")}, found ${settings[name]}`);
}

export async function init(options) {
  settings = { ...DEFAULTS, ...options };
  expect("provider", ["wasm", "webgpu"]);
  expect("channels", ["rgb", "bgr"]);
  expect("fit", ["letterbox", "stretch"]);
  expect("unit", ["pixels", "fractions"]);
  const rows = settings.rows.split(",");
  columns = Object.fromEntries(["x1", "y1", "x2", "y2", "score"].map((name) => [name, rows.indexOf(name)]));
  const missing = Object.keys(columns).find((name) => columns[name] < 0);
  if (missing) throw new Error(`expected rows with x1, y1, x2, y2 and score, found no ${missing}`);
  columns.count = rows.length;

  const files = new URL("files/", document.baseURI).href;
  ort = await import(`${files}ort.min.mjs`);
  ort.env.wasm.wasmPaths = files;
  if (settings.threads) ort.env.wasm.numThreads = Number(settings.threads);
  session = await ort.InferenceSession.create(`${files}${settings.model}`, { executionProviders: [settings.provider] });
  const shape = session.inputMetadata?.[0]?.shape ?? [];
  isPlanar = shape[3] !== 3;
  const own = isPlanar ? [shape[3], shape[2]] : [shape[2], shape[1]];
  [width, height] = settings.size ? settings.size.split("x").map(Number) : own;
  if (!(width > 0 && height > 0)) throw new Error("expected the option size, such as 640x640: the model's input has none");
  canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  // The first image takes longer than all others.
  await detect(new ImageData(width, height), { width, height });
  return {
    name: `${settings.model} with onnxruntime-web ${ort.env.versions?.web ?? ""}`.trim(), inputs: ["image", "rgb"], settings,
    facts: ["detector_boxes"], device: { backend: `ONNX Runtime Web, ${settings.provider}` },
  };
}

// The image in the input's size: its scale and its left upper corner.
async function draw(image) {
  const bitmap = image instanceof ImageData ? await createImageBitmap(image) : image;
  const scale = Math.min(width / bitmap.width, height / bitmap.height);
  const [x, y] = settings.fit === "stretch" ? [width / bitmap.width, height / bitmap.height] : [scale, scale];
  const [left, top] = [(width - bitmap.width * x) / 2, (height - bitmap.height * y) / 2].map(Math.floor);
  canvas.fillStyle = `rgb(${GREY} ${GREY} ${GREY})`;
  canvas.fillRect(0, 0, width, height);
  canvas.drawImage(bitmap, left, top, bitmap.width * x, bitmap.height * y);
  if (bitmap !== image) bitmap.close();
  return { x, y, left, top };
}

function tensor() {
  const { data } = canvas.getImageData(0, 0, width, height);
  const count = width * height;
  const values = new Float32Array(3 * count);
  const [mean, divisor] = [Number(settings.mean), Number(settings.divisor)];
  for (let channel = 0; channel < 3; channel += 1) {
    const from = settings.channels === "rgb" ? channel : 2 - channel;
    for (let pixel = 0; pixel < count; pixel += 1) {
      values[isPlanar ? channel * count + pixel : 3 * pixel + channel] = (data[4 * pixel + from] - mean) / divisor;
    }
  }
  return new ort.Tensor("float32", values, isPlanar ? [1, 3, height, width] : [1, height, width, 3]);
}

export async function detect(image) {
  const { x, y, left, top } = await draw(image);
  const outputs = await session.run({ [session.inputNames[0]]: tensor() });
  const output = outputs[settings.output ?? session.outputNames[0]];
  const wide = output?.dims.at(-1);
  if (wide !== columns.count) {
    throw new Error(`expected rows of ${columns.count} numbers (option rows), found ${output ? `[${output.dims}]` : "no such output"}`);
  }
  const { data } = output;
  const faces = [];
  const [across, down] = settings.unit === "pixels" ? [1, 1] : [width, height];
  for (let row = 0; row < data.length; row += wide) {
    const score = data[row + columns.score];
    if (!(score >= Number(settings["min-score"]))) continue;
    const [x1, x2] = [columns.x1, columns.x2].map((at) => (data[row + at] * across - left) / x);
    const [y1, y2] = [columns.y1, columns.y2].map((at) => (data[row + at] * down - top) / y);
    if (x2 >= x1 && y2 >= y1) faces.push({ box: [x1, y1, x2 - x1, y2 - y1], score });
  }
  return faces;
}
