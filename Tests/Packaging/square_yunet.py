"""A network with YuNet's input and outputs that finds red squares, to test what is around YuNet without its file.

OpenCV's `FaceDetectorYN` reads at the strides 8, 16 and 32 a class and an object score of each cell, whose geometric
mean is the score, a box (centre in cells from the cell's corner, logarithms of its sides in cells) and five points (in
cells from there). Here a square of 3 x 3 cells around a cell is a face: of 24, 48 or 96 pixels. Both scores rise with
the contrast between it and the cells around it, in the red channel alone. Boxes and points are constants.
"""

import math
import struct

STRIDES = (8, 16, 32)
CELLS = 3
# Where the points are in a face's box: eyes, nose, corners of the mouth, each in the order from left to right.
POINTS = [(0.3, 0.35), (0.7, 0.35), (0.5, 0.6), (0.35, 0.8), (0.65, 0.8)]
# Contrasts of a score of 0 and of 1, as fractions of white: those of squares next to the right place stay below.
CLASS, OBJECT = (0.6, 1.0), (0.2, 1.0)


def score(contrast):
    """The score of a face whose red is that much brighter than its surroundings, as a fraction of white."""
    return math.sqrt(math.prod((contrast - low) / (high - low) for low, high in (CLASS, OBJECT)))


def model():
    """The network as the bytes of an ONNX file."""
    nodes, constants, outputs = [], [], []

    def constant(name, shape, values, kind="f"):
        # TensorProto: 1 and 7 are its types of floats and of 64-bit integers.
        constants.append(message((1, shape), (2, {"f": 1, "q": 7}[kind]), (8, name),
                                 (9, struct.pack(f"<{len(values)}{kind}", *values))))
        return name

    def convolution(source, name, shape, weights, biases, **attributes):
        parameters = [constant(name + "_w", shape, weights), constant(name + "_b", shape[:1], biases)]
        nodes.append(node("Conv", [source, *parameters], name, **attributes))
        return name

    for stride in STRIDES:
        # OpenCV's images are blue, green, red: the mean of the red of each cell.
        area = stride * stride
        red = convolution("input", f"red_{stride}", [1, 3, stride, stride], [0] * 2 * area + [1 / 255 / area] * area,
                          [0], kernel_shape=[stride, stride], strides=[stride, stride])
        inside = [1 <= row <= CELLS and 1 <= column <= CELLS for row in range(CELLS + 2) for column in range(CELLS + 2)]
        contrast = [1 / sum(inside) if one else -1 / (len(inside) - sum(inside)) for one in inside]
        size = [math.log(CELLS)] * 2
        points = [CELLS * part - (CELLS - 1) / 2 for point in POINTS for part in point]
        for name, (low, high) in [("cls", CLASS), ("obj", OBJECT)]:
            convolution(red, f"{name}_map_{stride}", [1, 1, CELLS + 2, CELLS + 2],
                        [one / (high - low) for one in contrast], [-low / (high - low)],
                        kernel_shape=[CELLS + 2] * 2, pads=[(CELLS + 1) // 2] * 4)
        for name, values in [("bbox", [0.5, 0.5, *size]), ("kps", points)]:
            convolution(red, f"{name}_map_{stride}", [len(values), 1, 1, 1], [0] * len(values), values,
                        kernel_shape=[1, 1])
        for name, channels in [("cls", 1), ("obj", 1), ("bbox", 4), ("kps", 10)]:
            nodes.append(node("Transpose", [f"{name}_map_{stride}"], f"{name}_rows_{stride}", perm=[0, 2, 3, 1]))
            shape = constant(f"{name}_shape_{stride}", [3], [1, -1, channels], "q")
            nodes.append(node("Reshape", [f"{name}_rows_{stride}", shape], f"{name}_{stride}"))
            outputs.append(value(f"{name}_{stride}", [1, (320 // stride) ** 2, channels]))
    graph = message(*[(1, one) for one in nodes], (2, "squares"), *[(5, one) for one in constants],
                    (11, value("input", [1, 3, 320, 320])), *[(12, one) for one in outputs])
    return message((1, 7), (7, graph), (8, message((2, 11))))


def node(operator, inputs, output, **attributes):
    # AttributeProto: 7 is its type of integers.
    lists = [message((1, name), *[(8, one) for one in values], (20, 7)) for name, values in attributes.items()]
    return message(*[(1, name) for name in inputs], (2, output), (3, output), (4, operator),
                   *[(5, one) for one in lists])


def value(name, shape):
    dimensions = message(*[(1, message((1, size))) for size in shape])
    return message((1, name), (2, message((1, message((1, 1), (2, dimensions))))))


def message(*fields):
    """A message of Protocol Buffers: numbered integers, texts and bytes; lists are packed integers."""
    parts = []
    for number, content in fields:
        if isinstance(content, int):
            parts += [varint(number << 3), varint(content)]
            continue
        if isinstance(content, list):
            content = b"".join(map(varint, content))
        elif isinstance(content, str):
            content = content.encode()
        parts += [varint(number << 3 | 2), varint(len(content)), content]
    return b"".join(parts)


def varint(number):
    digits = []
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])
