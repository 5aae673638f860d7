// A tracker of the page's protocol: the face is where the image is bright, as in brightness_tracker.py.
let options;

export async function init(given) {
  options = given;
  if (options.fail) throw new Error(options.fail);
  return { name: "square 1", inputs: [options.input ?? "rgb"], device: { backend: "script" } };
}

let taken = 0;
export function readings() {
  taken += 1;
  return { taken, unknown: NaN };
}

export function detect(image, frame) {
  let pixels = image;
  if (!(image instanceof ImageData)) {
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    pixels = context.getImageData(0, 0, image.width, image.height);
  }
  if (Number(options.stop) === frame.index) throw new Error("stopped as asked");
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let y = 0; y < pixels.height; y += 1) {
    for (let x = 0; x < pixels.width; x += 1) {
      const at = 4 * (y * pixels.width + x);
      if (pixels.data[at] + pixels.data[at + 1] + pixels.data[at + 2] <= 600) continue;
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    }
  }
  if (right < 0) return [];
  const score = Math.round(900 - frame.index) / 1000;
  return [{ box: [left, top, right + 1 - left, bottom + 1 - top], score }];
}
