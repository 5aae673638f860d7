#!/usr/bin/env python3
"""MediaPipe's custom operators in NumPy, and models that use them: `tflite_custom_operators.py`.

Writes expected/tflite_custom_operators.json. "cases" are like those of tflite_operators.json, the results computed here in
double precision from what the operators do (mediapipe/util/tflite/operations, version 2): LiteRT does not have them.
"refused" are models that must not load, with the kind of error and a part of its message. "options" are FlexBuffers
(base64) of every width, with their values. Builds on tflite_operators.py, whose cases it runs first.
"""
import base64
import json
import os

import numpy as np
from flatbuffers import flexbuffers

from tflite_operators import activation, const, model

random = np.random.default_rng(20250211)
MATRIX, SAMPLE, POINTS = "Landmarks2TransformMatrix", "TransformTensorBilinear", "TransformLandmarks"
WIDTHS = [flexbuffers.BitWidth.W8, flexbuffers.BitWidth.W16, flexbuffers.BitWidth.W32, flexbuffers.BitWidth.W64]
cases, refused, blobs = [], [], []


def encode(width=flexbuffers.BitWidth.W8, **values):
    """A map of numbers, and of tuples as typed vectors of whole numbers."""
    b = flexbuffers.Builder(force_min_bit_width=width)
    with b.Map():
        for key, value in values.items():
            if isinstance(value, (tuple, list)):
                b.TypedVectorFromElements(key, list(value))
            else:
                b.Add(key, value)
    data = bytes(b.Finish())
    if () in values.values():
        # The builder gives an empty vector the type of keys.
        assert data.count(14 << 2 | width) == 1
        data = data.replace(bytes([14 << 2 | width]), bytes([11 << 2 | width]))
    return data


def base(data):
    return base64.b64encode(data).decode()


def floats(array):
    return base(np.ascontiguousarray(array, "<f4").tobytes())


def turn(r):
    return np.array([[np.cos(r), -np.sin(r)], [np.sin(r), np.cos(r)]])


def matrix_of(points, o):
    """The crop's matrix: shift to the centre, rotation, scale, shift by half the crop."""
    points = points[0, :, :2].astype(np.float64)
    dx, dy = points[o["right_rotation_idx"]] - points[o["left_rotation_idx"]]
    r = o["target_rotation_radians"] - np.arctan2(dy, dx)
    chosen = points[list(o["subset_idxs"])] @ turn(r).T
    low, high = chosen.min(0), chosen.max(0)
    size = np.array([o["output_width"], o["output_height"]], np.float64)
    result = np.eye(4)
    result[:2, :2] = turn(-r) @ np.diag(np.array([o["scale_x"], o["scale_y"]]) * (high - low) / size)
    result[:2, 3] = turn(-r) @ (low + high) / 2 - result[:2, :2] @ size / 2
    return result[None]


def sampled(image, matrix, o):
    """Each output pixel's centre, led by the matrix to the image, whose pixels have their centres at halves."""
    _, h, w, channels = image.shape
    result = np.zeros((1, o["output_height"], o["output_width"], channels))
    m = matrix[0].astype(np.float64)
    for y in range(o["output_height"]):
        for x in range(o["output_width"]):
            u, v = (m @ [x + 0.5, y + 0.5, 0, 1])[:2] - 0.5
            for coordinate, last in ((u, w - 1), (v, h - 1)):
                for border in (0, last):
                    assert coordinate == border or abs(coordinate - border) > 1e-5, "too near a border to compare"
            if 0 <= u <= w - 1 and 0 <= v <= h - 1:
                left, top = int(u), int(v)
                for i, wy in ((top, 1 - (v - top)), (top + 1, v - top)):
                    for j, wx in ((left, 1 - (u - left)), (left + 1, u - left)):
                        if wx * wy:
                            result[0, y, x] += wx * wy * image[0, i, j]
    return result


def moved(points, matrix):
    result = points.astype(np.float64)
    result[0, :, :2] = points[0, :, :2] @ matrix[0, :2, :2].astype(np.float64).T + matrix[0, :2, 3]
    return result


def case(name, tensors, operators, inputs, values, outputs, results):
    cases.append({
        "name": name, "model": base(model(tensors, operators, inputs, outputs)), "inputs": [floats(v) for v in values],
        "outputs": [floats(r) for r in results], "shapes": [list(r.shape) for r in results]})


def single(array):
    return np.asarray(array, np.float32)


def options(count, **changes):
    values = dict(left_rotation_idx=0, right_rotation_idx=1, subset_idxs=tuple(range(count)), scale_x=1.5, scale_y=1.5,
                  output_width=16, output_height=16, target_rotation_radians=0.0)
    return {**values, **changes}


def matrix_case(name, points, o, width=flexbuffers.BitWidth.W8):
    points = single(points)[None]
    tensors = [activation(points.shape), activation((1, 4, 4))]
    case(f"{MATRIX} {name}", tensors, [(MATRIX, 2, [0], [1], 0, encode(width, **o))], [0], [points], [1],
         [matrix_of(points, o)])


for degrees in (0, 30, 90, 180, -135):
    cloud = random.uniform(-10, 10, (12, 3))
    cloud[:2, :2] = [[-9, 0], [9, 0]]
    cloud[:, :2] = cloud[:, :2] @ turn(np.radians(degrees)).T + 24
    matrix_case(f"of points turned by {degrees} degrees", cloud, options(12))
cloud = random.uniform(0, 48, (300, 3))
for width in WIDTHS:
    matrix_case(f"of some of the points, in another order, options in {8 << width} bits", cloud,
                options(300, left_rotation_idx=290, right_rotation_idx=7, subset_idxs=(299, 3, 260, 3, 50, 1, 17)), width)
matrix_case("turned to another rotation, scaled and sized unevenly", cloud,
            options(20, scale_x=2.0, scale_y=0.75, output_width=12, output_height=5, target_rotation_radians=0.7))
matrix_case("with whole numbers for real ones", cloud, options(9, scale_x=2, scale_y=3, target_rotation_radians=-1))
matrix_case("of points outside the image", cloud - 500, options(30))
matrix_case("of one point", cloud, options(1))
matrix_case("of points that are all the same", np.full((5, 3), 7.25), options(5))
matrix_case("of points on a vertical line", np.c_[np.full(4, 3.0), np.arange(4.0), np.zeros(4)], options(4))
matrix_case("with one landmark at both ends", cloud, options(6, left_rotation_idx=4, right_rotation_idx=4))


def sample_case(name, shape, matrix, size):
    image = random.uniform(-2, 2, shape).astype(np.float32)
    matrix = single(matrix)
    full = np.eye(4, dtype=np.float32)
    full[:2, :2], full[:2, 3] = matrix[:, :2], matrix[:, 2]
    full[:2, 2] = 5  # Multiplied by a depth of 0.
    o = dict(output_height=size[0], output_width=size[1])
    result = sampled(image, full[None], o)
    tensors = [activation(shape), activation((1, 4, 4)), activation(result.shape)]
    case(f"{SAMPLE} {name}", tensors, [(SAMPLE, 2, [0, 1], [2], 0, encode(**o))], [0, 1], [image, full[None]], [2],
         [result])


def placed(degrees, scale, centre, size):
    """From an output of a size, (height, width), to an image."""
    linear = turn(np.radians(degrees)) * scale
    return np.c_[linear, np.array(centre) - linear @ np.array([size[1], size[0]]) / 2]


sample_case("of the image itself", (1, 4, 5, 3), [[1, 0, 0], [0, 1, 0]], (4, 5))
sample_case("between pixels, the last row and column outside", (1, 4, 5, 3), [[1, 0, 0.5], [0, 1, 0.25]], (4, 5))
sample_case("ending on the last pixels' centres", (1, 5, 5, 1), [[1, 0, 2], [0, 1, 3]], (3, 4))
sample_case("beginning a little outside", (1, 4, 4, 2), [[1, 0, -0.125], [0, 1, -0.125]], (4, 4))
sample_case("far outside", (1, 6, 6, 4), [[1, 0, 100], [0, 1, 0]], (3, 3))
sample_case("above and left of it", (1, 6, 6, 4), [[1, 0, -40], [0, 1, -40]], (3, 3))
sample_case("all in one place", (1, 6, 6, 4), [[0, 0, 2.75], [0, 0, 4.25]], (3, 2))
sample_case("all in one place outside", (1, 6, 6, 4), [[0, 0, 0.25], [0, 0, 4.25]], (3, 2))
sample_case("of one pixel", (1, 1, 1, 5), [[1, 0, 0], [0, 1, 0]], (1, 2))
sample_case("mirrored", (1, 3, 6, 2), [[-1, 0, 6], [0, 1, 0]], (3, 6))
sample_case("inside, turned", (1, 48, 48, 2), placed(33, 1.3, (25.3, 22.6), (8, 8)), (8, 8))
sample_case("turned over the border", (1, 12, 17, 3), placed(-50, 1.21, (14.2, 3.9), (9, 11)), (9, 11))
sample_case("enlarged", (1, 5, 7, 2), placed(10, 0.31, (3.4, 2.6), (9, 8)), (9, 8))
sample_case("reduced", (1, 30, 20, 2), placed(170, 3.7, (9.7, 15.2), (6, 5)), (6, 5))


def points_case(name, shape, matrix, constant=False):
    points = random.uniform(-20, 200, shape).astype(np.float32)
    full = single(matrix)[None]
    tensors = [activation(shape), const(full) if constant else activation((1, 4, 4)), activation(shape)]
    case(f"{POINTS} {name}", tensors, [(POINTS, 2, [0, 1], [2], 0, None)], [0] if constant else [0, 1],
         [points] if constant else [points, full], [2], [moved(points, full)])


points_case("of 2 coordinates", (1, 80, 2), random.uniform(-2, 2, (4, 4)))
points_case("of 3 coordinates, the third kept", (1, 7, 3), random.uniform(-2, 2, (4, 4)))
points_case("of one point that stays", (1, 1, 2), np.eye(4))
points_case("to one place", (1, 5, 3), np.diag([0.0, 0, 1, 1]))
points_case("by a constant", (1, 3, 2), random.uniform(-1, 1, (4, 4)), constant=True)

cloud = single(random.uniform(14, 34, (1, 40, 3)))
image = single(random.uniform(-2, 2, (1, 48, 48, 3)))
local = single(random.uniform(0, 16, (1, 6, 2)))
o, size = options(40), dict(output_height=16, output_width=16)
matrix = matrix_of(cloud, o)
case("the three together: matrix, crop, points led back",
     [activation(cloud.shape), activation(image.shape), activation(local.shape), activation((1, 4, 4)),
      activation((1, 16, 16, 3)), activation(local.shape)],
     [(MATRIX, 2, [0], [3], 0, encode(**o)), (SAMPLE, 2, [1, 3], [4], 0, encode(**size)), (POINTS, 2, [2, 3], [5], 0, None)],
     [0, 1, 2], [cloud, image, local], [3, 4, 5], [matrix, sampled(image, matrix, size), moved(local, matrix)])


def refuse(name, message, operator, kind="corrupt", shapes=((1, 9, 3), (1, 4, 4)), version=2, **changes):
    """An operator over inputs of all shapes but the last, with the options of a good one, changed."""
    usual = {MATRIX: options(9), SAMPLE: dict(output_height=4, output_width=4), POINTS: {}}[operator]
    values = {k: v for k, v in {**usual, **changes}.items() if v is not None}
    last = len(shapes) - 1
    data = model([activation(s) for s in shapes],
                 [(operator, version, list(range(last)), [last], 0, encode(**values) if values else None)],
                 list(range(last)), [last])
    refused.append({"name": name, "kind": kind, "message": message, "model": base(data)})


refuse("an older version", f"node 0 {MATRIX}: version 1, expected 2 to 2", MATRIX, "unsupported", version=1)
refuse("a newer version", f"node 0 {MATRIX}: version 3, expected 2 to 2", MATRIX, "unsupported", version=3)
refuse("an option left out", f"node 0 {MATRIX}: no option 'scale_x' among 7", MATRIX, scale_x=None)
refuse("a landmark beyond the last", f"node 0 {MATRIX}: option 'subset_idxs' is 9, expected 0 to 8", MATRIX, subset_idxs=(3, 9))
refuse("a landmark below 0", f"node 0 {MATRIX}: option 'left_rotation_idx' is -1, expected 0 to 8", MATRIX, left_rotation_idx=-1)
refuse("no landmarks", f"node 0 {MATRIX}: 0 landmarks in 'subset_idxs'", MATRIX, subset_idxs=())
refuse("a scale of 0", f"node 0 {MATRIX}: 9 landmarks in 'subset_idxs', 'scale_x' 1.5 and 'scale_y' 0.0", MATRIX, scale_y=0.0)
refuse("an infinite scale", f"node 0 {MATRIX}: option 'scale_y' is inf, expected a finite number", MATRIX, scale_y=np.inf)
refuse("a size of 0", f"node 0 {MATRIX}: option 'output_width' is 0, expected 1 to 16384", MATRIX, output_width=0)
refuse("a real size", f"node 0 {MATRIX}: option 'output_width' of type 3, expected a whole number", MATRIX, "unsupported", output_width=16.0)
refuse("a list as a number", f"node 0 {MATRIX}: option 'scale_x' of type 11, expected a number", MATRIX, "unsupported", scale_x=(1, 2))
refuse("a number as a list", f"node 0 {MATRIX}: option 'subset_idxs' of type 1, expected a list", MATRIX, "unsupported", subset_idxs=3)
refuse("points of 2 coordinates", f"node 0 {MATRIX}: landmarks [1, 9, 2], expected [1, n, 3]", MATRIX, "unsupported", ((1, 9, 2), (1, 4, 4)))
refuse("two images", f"node 0 {SAMPLE}: input [2, 5, 5, 1] and matrix [1, 4, 4]", SAMPLE, "unsupported",
       ((2, 5, 5, 1), (1, 4, 4), (2, 4, 4, 1)))
refuse("a matrix of 3 rows", f"node 0 {SAMPLE}: input [1, 5, 5, 1] and matrix [1, 3, 4]", SAMPLE, "unsupported",
       ((1, 5, 5, 1), (1, 3, 4), (1, 4, 4, 1)))
refuse("a wide image", f"node 0 {SAMPLE}: input [1, 1, 16385, 1] and matrix [1, 4, 4], expected one image of at most 16384",
       SAMPLE, "unsupported", ((1, 1, 16385, 1), (1, 4, 4), (1, 4, 4, 1)))
refuse("a huge output", f"node 0 {SAMPLE}: output [1, 16384, 16384, 2]", SAMPLE, "unsupported",
       ((1, 5, 5, 2), (1, 4, 4), (1, 4, 4, 2)), output_height=16384, output_width=16384)
refuse("a negative size", f"node 0 {SAMPLE}: option 'output_height' is -4", SAMPLE, shapes=((1, 5, 5, 2), (1, 4, 4), (1, 4, 4, 2)),
       output_height=-4)
refuse("no options", f"node 0 {SAMPLE}: options: a number of 1 times 1 bytes lies outside (at byte -1 of their 0)", SAMPLE,
       shapes=((1, 5, 5, 2), (1, 4, 4), (1, 4, 4, 2)), output_height=None, output_width=None)
refuse("points of 4 coordinates", f"node 0 {POINTS}: points [1, 3, 4]", POINTS, "unsupported", ((1, 3, 4), (1, 4, 4), (1, 3, 4)))

for width in WIDTHS:
    numbers = dict(small=-7, large=70000 if width >= 2 else 200, half=0.5, list=(1, -2, 300), none=())
    blobs.append({"name": f"{8 << width} bits", "bytes": base(encode(width, **numbers)), **{
        k: list(v) if isinstance(v, tuple) else v for k, v in numbers.items()}})

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "tflite_custom_operators.json")
with open(path, "w") as file:
    json.dump({"cases": cases, "refused": refused, "options": blobs}, file, indent=0)
    file.write("\n")
print(len(cases), "cases,", len(refused), "refused,", len(blobs), "options,", os.path.getsize(path), "bytes")
