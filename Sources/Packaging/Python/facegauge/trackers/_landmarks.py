"""Any landmark model, through ONNX Runtime or LiteRT, on boxes that are given.

The card, a JSON file, names the model's file and says what it expects and gives:

    {"schema": "facegauge.landmark-model", "version": 1, "name": "PFLD", "file": "pfld.onnx", "scheme": "ibug68",
     "input": {"size": [112, 112], "channels": "rgb", "layout": "nchw", "mean": 0, "divisor": 255},
     "crop": {"scale": 1.1, "shift": [0, 0]},
     "output": {"index": 0, "order": "xy", "unit": "crop"}, "presence": {"index": 1, "activation": "logistic"}}

size      width and height of the input in pixels
channels  rgb, bgr or gray; a value of the input is (byte - mean) / divisor, one number or one for each channel
layout    nchw or nhwc
crop      a square around the box's centre, `scale` times its longer side, moved by `shift` times that side; optional
output    index of the tensor of points; order xy (x, y of each point in turn), xyz, or xxyy (all x, then all y);
          unit crop (0 to 1 over the crop) or pixels (of the input)
presence  index of the tensor, and column in it, of the probability of a face, or of its logit with activation logistic
          (otherwise none); optional

`facegauge evaluate --landmark-model` runs the same card, with a .tflite model, in FaceGauge's own pipeline. The time
includes crop and model, and no detector.
"""

from __future__ import annotations

import collections
import hashlib
import json
from pathlib import Path
from typing import Any, Callable

from ..running import PathLike

ORDERS = {"xy": 2, "xyz": 3, "xxyy": 2}
DEFAULTS: dict[str, dict[str, Any]] = {
    "input": {"channels": "rgb", "mean": 0, "divisor": 1}, "crop": {"scale": 1, "shift": [0, 0]},
    "output": {"index": 0, "order": "xy"}, "presence": {"column": 0}}
REQUIRED: dict[str, set[str]] = {
    "input": {"size", "layout"}, "crop": set(), "output": {"unit"}, "presence": {"index", "activation"}}
VALUES: dict[str, set[str]] = {
    "activation": {"none", "logistic"}, "channels": {"rgb", "bgr", "gray"}, "layout": {"nchw", "nhwc"}, "order": set(ORDERS),
    "unit": {"crop", "pixels"}}


class CardError(ValueError):
    """A card, or its model, that cannot be used."""

    def __init__(self, card: PathLike, place: str, expected: Any, found: Any) -> None:
        super().__init__(f"cannot use {card}, {place}: expected {expected}, found {found}")


def read_card(path: Path) -> dict[str, Any]:
    """The card with its defaults; raises where a key is missing, unknown or has another value."""
    def stop(place: str, expected: Any, found: Any) -> CardError:
        return CardError(path, place, expected, found)

    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise stop("file", "a card in JSON", error) from None
    if not isinstance(card, dict):
        raise stop("file", "a JSON object", type(card).__name__)
    required: dict[str, Any] = {"schema": "facegauge.landmark-model", "version": 1}
    for key, value in required.items():
        if card.get(key) != value:
            raise stop(key, value, card.get(key, "nothing"))
    for key in ("name", "file", "scheme"):
        if not isinstance(card.get(key), str):
            raise stop(key, "a text", card.get(key, "nothing"))
    for part, defaults in DEFAULTS.items():
        if part == "presence" and part not in card:
            continue
        given = card.get(part, {})
        allowed = defaults.keys() | REQUIRED[part]
        if not isinstance(given, dict) or given.keys() - allowed:
            raise stop(part, "the keys " + ", ".join(sorted(allowed)),
                       ", ".join(sorted(given.keys() - allowed)) if isinstance(given, dict) else given)
        for key in sorted(REQUIRED[part] - given.keys()):
            raise stop(f"{part}.{key}", "a value", "nothing")
        card[part] = {**defaults, **given}
        for key, value in card[part].items():
            if key in VALUES and value not in VALUES[key]:
                raise stop(f"{part}.{key}", "one of " + ", ".join(sorted(VALUES[key])), value)
    size = card["input"]["size"]
    if not (isinstance(size, list) and len(size) == 2 and all(isinstance(n, int) and 0 < n <= 4096 for n in size)):
        raise stop("input.size", "width and height, 1 to 4096 each", size)
    return card


def load(path: Path) -> Callable[[Any], list[Any]]:
    """A function from the input tensor to all output tensors."""
    if path.suffix == ".tflite":
        from ai_edge_litert.interpreter import Interpreter  # type: ignore[import-untyped, import-not-found, unused-ignore]
        interpreter = Interpreter(str(path), num_threads=1)
        interpreter.allocate_tensors()
        source, targets = interpreter.get_input_details()[0], interpreter.get_output_details()

        def run(tensor: Any) -> list[Any]:
            interpreter.set_tensor(source["index"], quantised(tensor, source))
            interpreter.invoke()
            return [real(interpreter.get_tensor(target["index"]), target) for target in targets]
        return run
    import onnxruntime  # type: ignore[import-untyped, import-not-found, unused-ignore]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda tensor: list(session.run(None, {name: tensor}))


def quantised(values: Any, detail: Any) -> Any:
    """The numbers of a tensor that stand for real ones; themselves where its type is a float."""
    import numpy as np
    if np.issubdtype(detail["dtype"], np.floating):
        return values.astype(detail["dtype"])
    scale, zero = detail["quantization"]
    limits = np.iinfo(detail["dtype"])
    return np.clip(np.round(values / (scale or 1)) + zero, limits.min, limits.max).astype(detail["dtype"])


def real(values: Any, detail: Any) -> Any:
    """The real numbers that those of a tensor stand for."""
    import numpy as np
    scale, zero = detail["quantization"]
    return values if np.issubdtype(detail["dtype"], np.floating) else (values.astype(float) - zero) * (scale or 1)


def read_boxes(path: PathLike) -> dict[int, list[tuple[Any, float]]]:
    """Boxes and scores by frame: the kept faces of predictions, or the labelled faces of a dataset, which have no score."""
    import h5py  # type: ignore[import-untyped, unused-ignore]
    import numpy as np
    boxes = collections.defaultdict(list)
    if not h5py.is_hdf5(path):
        raise ValueError(f"cannot read boxes from {path}: expected one HDF5 file, found another (facegauge merge makes one of several)")
    with h5py.File(path) as file:
        faces = file["faces"]
        count = len(faces["frame"])
        kept = faces["kept"][:] if "kept" in faces else np.ones(count)
        scores = faces["detection_score"][:].astype(float) if "detection_score" in faces else np.full(count, np.nan)
        for frame, box, score, is_kept in zip(faces["frame"][:].tolist(), faces["box"][:].astype(float), scores, kept):
            if is_kept and np.isfinite(box).all() and (box[2:] > 0).all():
                boxes[frame].append((box, float(score)))
    return boxes


class Images:
    """The images that boxes belong to, as far as their file has them: the sizes, and in a dataset the pixels."""

    #: How many images are compared, and the least correlation of the same image, which may be blurred or darker, with itself.
    LIMIT, LEAST = 8, 0.5

    def __init__(self, path: PathLike, cv2: Any) -> None:
        import h5py  # type: ignore[import-untyped, unused-ignore]
        self._path, self._cv2, self._left = path, cv2, self.LIMIT
        with h5py.File(path) as file:
            name = next((one for one in ("images/size", "frames/size") if one in file), None)
            self._sizes = file[name][:].tolist() if name else None

    def check(self, frame: int, image: Any) -> None:
        """Raises where the boxes of a frame are those of another image."""
        size = [image.shape[1], image.shape[0]]
        if self._sizes is not None and frame >= len(self._sizes):
            raise self._other(frame, f"a frame below {len(self._sizes)}")
        if self._sizes is not None and self._sizes[frame] not in (size, [0, 0]):
            raise self._other(frame, "an image of {} x {} pixels".format(*self._sizes[frame]))
        if self._left > 0:
            self._left -= 1
            own = self._thumbnail(frame)
            if own is not None and self._correlation(own, image) < self.LEAST:
                raise self._other(frame, "the image of that file")

    def _other(self, frame: int, expected: str) -> ValueError:
        return ValueError(f"cannot use the boxes of {self._path}, frame {frame}: expected {expected}, found another image "
                          "(boxes go by the number of the frame: give those of the dataset that is tracked)")

    def _thumbnail(self, frame: int) -> Any:
        import h5py  # type: ignore[import-untyped, unused-ignore]
        import numpy as np
        with h5py.File(self._path) as file:
            if "images/pixels" in file:
                return file["images/pixels"][frame]
            if "images/offsets" not in file:
                return None
            first, end = file["images/offsets"][frame:frame + 2].tolist()
            found = None
            if end > first:
                form = self._cv2.IMREAD_COLOR | self._cv2.IMREAD_IGNORE_ORIENTATION
                found = self._cv2.imdecode(np.asarray(file["images/bytes"][first:end]), form)
            return None if found is None else self._cv2.cvtColor(found, self._cv2.COLOR_BGR2RGB)

    def _correlation(self, one: Any, other: Any) -> float:
        """Of both in grey at 16 x 16 pixels; 1 where one is plain."""
        import numpy as np
        grey = [self._cv2.resize(self._cv2.cvtColor(image, self._cv2.COLOR_RGB2GRAY), (16, 16), interpolation=self._cv2.INTER_AREA)
                for image in (one, other)]
        if min(float(np.std(part)) for part in grey) < 1:
            return 1.0
        return float(np.corrcoef(grey[0].ravel(), grey[1].ravel())[0, 1])


class Landmarks:
    """The model of a card on the boxes of a dataset or of predictions."""

    def __init__(self, card: PathLike, boxes: PathLike) -> None:
        import cv2  # type: ignore[import-not-found, unused-ignore]
        import numpy as np
        self._cv2: Any = cv2
        self._card = read_card(Path(card))
        self._size = np.array(self._card["input"]["size"])
        self._boxes, self._images = read_boxes(boxes), Images(boxes, cv2)
        self._frame, self._image = 0, None
        model = Path(card).parent / self._card["file"]
        try:
            self._run = load(model)
        except Exception as error:
            raise CardError(card, "file", "a model that loads", error) from None
        self.name, self.scheme = str(self._card["name"]), str(self._card["scheme"])
        self.models = [
            {"name": model.name, "stage": "landmarks", "sha256": hashlib.sha256(model.read_bytes()).hexdigest()}]
        self.settings = {"boxes": Path(boxes).name, "card": json.dumps(self._card, sort_keys=True)}

    def begin(self, frame: int) -> None:
        """Takes the boxes of a frame."""
        self._frame = frame

    def __call__(self, image: Any, time: float | None) -> Any:
        self._image = image
        return [(box, score, *self._points(image, box)) for box, score in self._boxes.get(self._frame, ())]

    def faces(self, found: Any, width: int, height: int) -> list[dict[str, Any]]:
        """The faces; those on labelled boxes have no score. Raises where the boxes are those of another dataset."""
        if self._image is not None:
            self._images.check(self._frame, self._image)
        return [{"box": box, "points": points, "score": score, "presence": presence}
                for box, score, points, presence in found]

    def _points(self, image: Any, box: Any) -> tuple[Any, float | None]:
        import numpy as np
        card, size = self._card, self._size
        side = max(box[2], box[3])
        center = box[:2] + box[2:] / 2 + np.asarray(card["crop"]["shift"], float) * side
        (left, top), side = center - side * card["crop"]["scale"] / 2, side * card["crop"]["scale"]
        crop, form = self._cut(image, left, top, side), card["input"]
        if form["channels"] != "rgb":
            crop = self._cv2.cvtColor(
                crop, self._cv2.COLOR_RGB2BGR if form["channels"] == "bgr" else self._cv2.COLOR_RGB2GRAY)
        tensor = (crop.reshape(size[1], size[0], -1) - np.asarray(form["mean"], float)) / np.asarray(form["divisor"], float)
        tensor = tensor.transpose(2, 0, 1) if form["layout"] == "nchw" else tensor
        outputs = self._run(tensor[None].astype(np.float32))
        values = outputs[card["output"]["index"]].astype(float).ravel()
        order = card["output"]["order"]
        points = values.reshape(2, -1).T if order == "xxyy" else values.reshape(-1, ORDERS[order])
        unit = np.ones(2) if card["output"]["unit"] == "crop" else size
        points[:, :2] = points[:, :2] / unit * side + (left, top)
        points[:, 2:] *= side / unit[0]
        return points, self._presence(outputs)

    def _cut(self, image: Any, left: float, top: float, side: float) -> Any:
        """The square at the size of the model's input; black outside of the image. Large squares are averaged first."""
        import numpy as np
        size = self._size
        x, y = (min(max(0, int(begin)), end - 1) for begin, end in zip((left, top), (image.shape[1], image.shape[0])))
        part = image[y:max(y, int(top + side)) + 1, x:max(x, int(left + side)) + 1]
        steps = np.maximum(1, side // size).astype(int)
        shape = (-(-part.shape[1] // steps[0]), -(-part.shape[0] // steps[1]))
        reduced = self._cv2.resize(part, shape, interpolation=self._cv2.INTER_AREA)
        scale = np.array([part.shape[1] / reduced.shape[1], part.shape[0] / reduced.shape[0]])
        ratio = size * scale / side  # pixels of the input in a pixel of the reduced part
        begin = (np.array([left, top]) - (x, y)) / scale
        to_input = np.column_stack([np.diag(ratio), (0.5 - begin) * ratio - 0.5])  # centres of pixels are at .5
        return self._cv2.warpAffine(reduced, to_input, tuple(size.tolist()), flags=self._cv2.INTER_LINEAR)

    def _presence(self, outputs: list[Any]) -> float | None:
        import numpy as np
        if "presence" not in self._card:
            return None
        part = self._card["presence"]
        value = float(outputs[part["index"]].ravel()[part["column"]])
        return value if part["activation"] == "none" else float(1 / (1 + np.exp(-value)))
