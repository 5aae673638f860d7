#!/usr/bin/env python3
"""Arithmetic, reductions, slices and slopes, and what is fused of them: `tflite_arithmetic.py`.

Writes expected/tflite_arithmetic.json as tflite_operators.py does, which it builds on and runs first. Shapes, strides
and masks are partly drawn from a seed.
"""
import json
import os

import numpy as np
import tflite as t

import tflite_operators
from tflite_operators import ACTIVATIONS, CONV, DEPTHWISE, activation, case, cases, const, draw, options, output_size

cases.clear()
random = np.random.default_rng(31415)
tflite_operators.random = np.random.default_rng(27182)
B, O = t.BuiltinOperator, t.BuiltinOptions
BINARY = {"ADD": (B.ADD, "Add", O.AddOptions), "SUB": (B.SUB, "Sub", O.SubOptions), "MUL": (B.MUL, "Mul", O.MulOptions),
          "DIV": (B.DIV, "Div", O.DivOptions),
          "SQUARED_DIFFERENCE": (B.SQUARED_DIFFERENCE, "SquaredDifference", O.SquaredDifferenceOptions)}


def drawn(low, high, shape):
    return random.uniform(low, high, shape).astype(np.float32)


def integers(*numbers):
    return const(np.array(numbers, np.int32))


def away_from_zero(shape):
    return (random.uniform(0.25, 2, shape) * random.choice([-1, 1], shape)).astype(np.float32)


def binary(a, b, constant=None, act=None):
    """All of BINARY over the same two inputs; `constant` is 0 or 1 where that one is known at load."""
    names = [n for n in BINARY if not (act and n == "SQUARED_DIFFERENCE")]
    values = [draw(a), away_from_zero(b)]
    tensors = [const(v) if i == constant else activation(v.shape) for i, v in enumerate(values)]
    fields = {"FusedActivationFunction": ACTIVATIONS[act or "NONE"]}
    operators = []
    for name in names:
        code, table, kind = BINARY[name]
        operators.append((code, 1, [0, 1], [len(tensors)], kind, options(table, **({} if name == "SQUARED_DIFFERENCE" else fields))))
        tensors.append(activation(np.broadcast_shapes(a, b)))
    side = "" if constant is None else f", input {constant} constant"
    case(f"{' '.join(names)} {a} and {b}{side}{' ' + act if act else ''}", tensors, operators, [i for i in (0, 1) if i != constant],
         list(range(2, len(tensors))), [v for i, v in enumerate(values) if i != constant])


for a, b in [((7,), (7,)), ((1, 3, 5), (1, 3, 5)), ((2, 3), (3,)), ((4,), (2, 3, 4)), ((1, 9, 2), (1, 1, 2)),
             ((1, 9, 2), (1, 1, 1)), ((1, 1, 6, 1), (16,)), ((1, 1, 6, 16), (1, 1, 6, 1)), ((2, 1, 3, 1), (1, 4, 1, 5)),
             ((3, 1), (1, 4)), ((1,), (2, 2, 2)), ((1, 4, 4), (1,)), ((2, 3, 2, 17), (2, 1, 2, 1)), ((1, 1), (1, 1, 1))]:
    binary(a, b)
binary((2, 5), (), 1)
binary((), (2, 5), 0)
binary((3, 17), (17,), 1)
binary((17,), (3, 17), 0)
for _ in range(6):
    full = random.integers(1, 7, random.integers(1, 5))
    one, other = (tuple(int(n) if random.random() < 0.6 else 1 for n in full[random.integers(0, len(full)):]) for _ in "ab")
    binary(one, other, random.choice([None, 0, 1]))
for act in ("RELU", "RELU6", "RELU_N1_TO_1"):
    binary((2, 3, 19), (1, 19), act=act)


def unary(names, values, what):
    codes = {"NEG": B.NEG, "SQRT": B.SQRT, "RSQRT": B.RSQRT, "LOGISTIC": B.LOGISTIC}
    case(f"{' '.join(names)} {what}", [activation(values.shape)] * (1 + len(names)),
         [(codes[n], 1, [0], [i + 1], 0, None) for i, n in enumerate(names)], [0], list(range(1, 1 + len(names))), [values])


for shape in [(1,), (5,), (2, 3), (1, 4, 4, 17), (3, 1, 33)]:
    unary(["NEG", "SQRT", "RSQRT"], drawn(0.01, 9, shape), shape)
    # LiteRT's reference takes exp(x) itself below -9.
    unary(["LOGISTIC"], drawn(-9, 16, shape), shape)
unary(["NEG", "SQRT", "RSQRT"], np.array([1, 1e-30, 1e30, np.finfo(np.float32).tiny], np.float32), "of edges")
unary(["NEG", "SQRT"], np.array([0, -0.0, -1], np.float32), "of edges")


def reduction(shape, axes, scalar=False):
    """MEAN and SUM, with the reduced dimensions kept and dropped."""
    reduced = {a % len(shape) for a in axes}
    tensors, operators = [activation(shape), const(np.array(axes[0] if scalar else axes, np.int32))], []
    for code in (B.MEAN, B.SUM):
        for keep in (True, False):
            operators.append((code, 1, [0, 1], [len(tensors)], O.ReducerOptions, options("Reducer", KeepDims=keep)))
            tensors.append(activation([1 if i in reduced else n for i, n in enumerate(shape) if keep or i not in reduced]))
    case(f"MEAN SUM {shape} over {axes}{' as a scalar' if scalar else ''}", tensors, operators, [0], [2, 3, 4, 5])


reduction((1, 29, 2), [-2], scalar=True)
reduction((6,), [0], scalar=True)
for shape, axes in [((1, 29, 2), [-1]), ((1, 1, 9, 64), [3]), ((2, 3, 4, 5), [1, 2]), ((2, 3, 4, 5), [0, 2]),
                    ((2, 3, 4, 5), [-1, 1, -1]), ((3, 4), [0, 1]), ((1, 1), [1])]:
    reduction(shape, axes)
for _ in range(4):
    shape = tuple(int(n) for n in random.integers(1, 10, random.integers(1, 5)))
    axes = [int(a) for a in random.choice(len(shape), random.integers(1, len(shape) + 1), replace=False)]
    reduction(shape, [a - len(shape) if random.random() < 0.5 else a for a in axes])


def transposition(shape, permutation):
    case(f"TRANSPOSE {shape} by {permutation}",
         [activation(shape), integers(*permutation), activation([shape[i] for i in permutation])],
         [(B.TRANSPOSE, 1, [0, 1], [2], O.TransposeOptions, options("Transpose"))], [0], [2])


for shape, permutation in [((5,), [0]), ((3, 4), [1, 0]), ((3, 4), [0, 1]), ((1, 1, 29, 2), [0, 1, 3, 2]), ((1, 1, 33, 20), [0, 1, 3, 2]),
                           ((2, 3, 4), [2, 0, 1]), ((1, 6, 1, 5), [2, 1, 0, 3]), ((2, 3, 4, 5), [3, 2, 1, 0]),
                           ((2, 3, 4, 5), [0, 2, 1, 3]), ((17, 16), [1, 0]), ((2, 31, 9), [0, 2, 1])]:
    transposition(shape, permutation)
for _ in range(6):
    shape = tuple(int(n) for n in random.integers(1, 7, 4))
    transposition(shape, [int(i) for i in random.permutation(4)])


def sliced(shape, begin, end, strides, begin_mask=0, end_mask=0, shrink_mask=0):
    out = []
    for axis, size in enumerate(shape):
        if axis >= len(begin):
            out.append(size)
            continue
        b, e, s, bit = begin[axis], end[axis], strides[axis], 1 << axis
        if shrink_mask & bit:
            continue
        out.append(len(range(size)[slice(None if begin_mask & bit else b, None if end_mask & bit else e, s)]))
    case(f"STRIDED_SLICE {shape} [{begin}:{end}:{strides}] masks {begin_mask} {end_mask} {shrink_mask}",
         [activation(shape), integers(*begin), integers(*end), integers(*strides), activation(out)],
         [(B.STRIDED_SLICE, 1, [0, 1, 2, 3], [4], O.StridedSliceOptions,
           options("StridedSlice", BeginMask=begin_mask, EndMask=end_mask, EllipsisMask=0, NewAxisMask=0, ShrinkAxisMask=shrink_mask))],
         [0], [4])


sliced((1, 1, 9, 2), [0, 0, 0, 0], [0, 1, 9, 2], [1, 1, 1, 1], 15, 15)
sliced((1, 1, 9, 8), [0, 0, 0, 0], [0, 0, 2, 0], [1, 1, 1, 1], 15, 11)
sliced((1, 1, 2, 8), [0, 0, 0, 0], [0, 0, 1, 0], [1, 1, 1, 1], 11, 11)
sliced((1, 12), [0, 0], [1, 12], [1, 1], 2, 2, 1)
sliced((1, 1, 1, 12), [0, 0, 0, 0], [1, 1, 1, 12], [1, 1, 1, 1])
sliced((10,), [2], [9], [3])
sliced((10,), [-3], [-1], [1])
sliced((10,), [8], [1], [-2])
sliced((10,), [-1], [0], [-3], 1, 1)
sliced((10,), [-100], [100], [4])
sliced((10,), [100], [-100], [-4])
sliced((3, 4), [1, 0], [2, 4], [1, 1], 0, 0, 1)
sliced((3, 4), [-1, 3], [0, 0], [1, 1], 0, 0, 3)
sliced((3, 4), [0, -2], [3, 7], [2, 1], 0, 0, 2)
sliced((3, 4, 5), [1], [3], [1])
sliced((3, 4, 5), [2, 3], [0, 0], [-1, -2])
for _ in range(10):
    shape = tuple(int(n) for n in random.integers(2, 8, random.integers(1, 5)))
    begin, end, strides = [], [], []
    for size in shape:
        step = int(random.choice([-3, -2, -1, 1, 2, 3]))
        low, high = sorted(int(n) for n in random.choice(size, 2, replace=False))
        first, last = (low, high) if step > 0 else (high, low)
        begin.append(first - size if random.random() < 0.3 else first)
        end.append(last - size if random.random() < 0.3 else last)
        strides.append(step)
    sliced(shape, begin, end, strides, *(int(n) for n in random.integers(0, 1 << len(shape), 2)))


def slope(shape, slopes, constant=True):
    tensors = [activation(shape), const(drawn(-0.5, 1.5, slopes)) if constant else activation(slopes), activation(shape)]
    case(f"PRELU {shape} by {slopes}{'' if constant else ' computed'}", tensors,
         [(B.PRELU, 1, [0, 1], [2], 0, None)], [0] if constant else [0, 1], [2])


for shape, slopes in [((1, 3, 4, 16), (1, 1, 16)), ((1, 3, 4, 5), (1, 1, 5)), ((2, 3, 2, 19), (1, 1, 19)), ((1, 2, 3, 8), (2, 3, 8)),
                      ((1, 2, 3, 8), (1, 1, 1)), ((2, 2, 2, 3), (2, 1, 1)), ((4, 7), (7,)), ((9,), (9,)), ((3, 4), (1,))]:
    slope(shape, slopes)
slope((1, 2, 3, 8), (1, 1, 8), constant=False)

CONVOLUTION = dict(StrideW=1, StrideH=1, DilationWFactor=1, DilationHFactor=1, FusedActivationFunction=0)


def block(name, size, cin, cout, kernel, stride, valid, tail, depthwise=False, act=0):
    """A convolution and what `tail` appends to it: it gets and returns (tensors, operators), and knows the output's shape."""
    h, w = size
    out = (1, output_size(h, kernel[0], stride, valid), output_size(w, kernel[1], stride, valid), cout)
    weights = (1, *kernel, cin) if depthwise else (cout, *kernel, cin)
    fields = dict(CONVOLUTION, Padding=int(valid), StrideW=stride, StrideH=stride, FusedActivationFunction=act)
    first = ((B.DEPTHWISE_CONV_2D, 1, [0, 1, 2], [3], DEPTHWISE, options("DepthwiseConv2D", DepthMultiplier=1, **fields)) if depthwise
             else (B.CONV_2D, 1, [0, 1, 2], [3], CONV, options("Conv2D", **fields)))
    tensors = [activation((1, h, w, cin)), const(draw(weights)), const(draw((cout,))), activation(out)]
    operators, inputs, outputs = [first], [0], []
    tail(out, tensors, operators, inputs, outputs)
    case(f"a {'depthwise ' if depthwise else ''}convolution {kernel}/{stride} {size} {cin}>{cout} {name}", tensors, operators, inputs,
         outputs or [len(tensors) - 1])


def sloped(slopes=None, low=-0.5):
    def tail(out, tensors, operators, inputs, outputs):
        n = len(tensors)
        tensors += [const(drawn(low, 1.5, slopes or (1, 1, out[-1]))), activation(out)]
        operators.append((B.PRELU, 1, [n - 1, n], [n + 1], 0, None))
    return tail


def added(channels=None, after=None, order=0, act=0):
    """Adds an input, which is padded at the end of its channels where it has fewer, and then `after`."""
    def tail(out, tensors, operators, inputs, outputs):
        n = len(tensors)
        inputs.append(n)
        other = n
        if channels:
            tensors += [activation((*out[:3], channels)), integers(*[[0, 0]] * 3, [0, out[3] - channels]), activation(out)]
            operators.append((B.PAD, 1, [n, n + 1], [n + 2], O.PadOptions, options("Pad")))
            other = n + 2
        else:
            tensors.append(activation(out))
        tensors.append(activation(out))
        operators.append((B.ADD, 1, [n - 1, other] if order == 0 else [other, n - 1], [len(tensors) - 1], O.AddOptions,
                          options("Add", FusedActivationFunction=act)))
        if after:
            after(out, tensors, operators, inputs, outputs)
    return tail


def relu(out, tensors, operators, inputs, outputs):
    tensors.append(activation(out))
    operators.append((B.RELU, 1, [len(tensors) - 2], [len(tensors) - 1], 0, None))


def both(first, second):
    def tail(*everything):
        first(*everything)
        second(*everything)
    return tail


def also_read(after):
    """`after`, and the convolution as a second output."""
    def tail(out, tensors, operators, inputs, outputs):
        after(out, tensors, operators, inputs, outputs)
        outputs += [3, len(tensors) - 1]
    return tail


for cin, cout in [(8, 16), (3, 5), (66, 16), (5, 33), (4, 65)]:
    block("and slopes", (4, 5), cin, cout, (1, 1), 1, True, sloped())
    block("and an addition and slopes", (4, 5), cin, cout, (1, 1), 1, True, added(after=sloped(), order=cin % 2))
block("and slopes", (8, 6), 16, 16, (2, 2), 2, True, sloped())
block("and slopes", (6, 4), 9, 20, (2, 2), 2, True, sloped())
block("and slopes", (5, 7), 8, 48, (2, 2), 2, True, sloped())
block("and slopes", (2, 2), 33, 16, (2, 2), 1, True, sloped())
block("and slopes", (9, 8), 3, 16, (3, 3), 2, False, sloped())
block("and a channel-padded addition and slopes", (4, 4), 16, 32, (1, 1), 1, True, added(16, sloped()))
block("and a channel-padded addition and slopes", (3, 5), 7, 33, (1, 1), 1, True, added(17, sloped()))
block("and an addition with RELU, then slopes", (3, 4), 8, 16, (1, 1), 1, True, added(after=sloped(), act=1))
block("and slopes that are negative, then RELU", (3, 4), 8, 16, (1, 1), 1, True, both(sloped(low=-1.5), relu))
block("with RELU and slopes", (3, 4), 8, 16, (1, 1), 1, True, sloped(), act=1)
block("and slopes twice", (3, 4), 8, 16, (1, 1), 1, True, both(sloped(), sloped()))
block("and slopes, then an addition", (3, 4), 8, 16, (1, 1), 1, True, both(sloped(), added()))
block("and slopes of every place", (3, 4), 8, 16, (1, 1), 1, True, sloped((3, 4, 16)))
block("and one slope", (3, 4), 8, 16, (1, 1), 1, True, sloped((1, 1, 1)))
block("and slopes, itself read too", (3, 4), 8, 16, (1, 1), 1, True, also_read(sloped()))
block("and an addition and slopes, itself read too", (3, 4), 8, 16, (1, 1), 1, True, also_read(added(after=sloped())))
for channels, size, stride in [(8, (5, 6), 1), (16, (6, 5), 1), (5, (4, 4), 1), (33, (5, 5), 2), (64, (2, 2), 1), (20, (7, 9), 2)]:
    block("and slopes", size, channels, channels, (3, 3), stride, False, sloped(), depthwise=True)
block("and slopes", (6, 6), 12, 12, (5, 5), 1, False, sloped(), depthwise=True)
block("with RELU and slopes", (6, 6), 16, 16, (3, 3), 1, False, sloped(), depthwise=True, act=1)
block("and an addition and slopes", (6, 6), 16, 16, (3, 3), 1, False, added(after=sloped()), depthwise=True)


def chain(size, wide, narrow):
    """The landmark model's block: narrow, slopes, depthwise, widen, add, slopes."""
    shape, small = (1, *size, wide), (1, *size, narrow)
    tensors = [activation(shape), const(draw((narrow, 1, 1, wide))), const(draw((narrow,))), activation(small),
               const(drawn(-0.5, 1.5, (1, 1, narrow))), activation(small), const(draw((1, 3, 3, narrow))), const(draw((narrow,))),
               activation(small), const(draw((wide, 1, 1, narrow))), const(draw((wide,))), activation(shape), activation(shape),
               const(drawn(-0.5, 1.5, (1, 1, wide))), activation(shape)]
    case(f"a landmark block {size} {wide}>{narrow}>{wide}", tensors,
         [(B.CONV_2D, 1, [0, 1, 2], [3], CONV, options("Conv2D", Padding=1, **CONVOLUTION)), (B.PRELU, 1, [3, 4], [5], 0, None),
          (B.DEPTHWISE_CONV_2D, 1, [5, 6, 7], [8], DEPTHWISE, options("DepthwiseConv2D", Padding=0, DepthMultiplier=1, **CONVOLUTION)),
          (B.CONV_2D, 1, [8, 9, 10], [11], CONV, options("Conv2D", Padding=1, **CONVOLUTION)),
          (B.ADD, 1, [11, 0], [12], O.AddOptions, options("Add", FusedActivationFunction=0)), (B.PRELU, 1, [12, 13], [14], 0, None)],
         [0], [14])


for size, wide, narrow in [((6, 5), 16, 8), ((4, 4), 32, 16), ((3, 5), 10, 5)]:
    chain(size, wide, narrow)


def normalization(shape, extra=None, swapped=False, other=False):
    """A layer normalisation as converters spell it; `extra` is a tensor that is an output too."""
    row = (*shape[:-1], 1)
    tensors = [activation(shape), integers(len(shape) - 1), activation(row), activation(row), activation(shape), activation(row),
               const(np.float32(1e-5 if not other else 2)), activation(row), activation(row), const(drawn(-1, 2, shape[-1:])),
               activation(shape), activation(shape), activation(shape), activation(shape)]
    mean = lambda a, b: (B.MEAN, 1, [a, 1], [b], O.ReducerOptions, options("Reducer", KeepDims=True))
    two = lambda name, a, b, c: (BINARY[name][0], 1, [b, a] if swapped else [a, b], [c], BINARY[name][2],
                                 options(BINARY[name][1], **({} if name == "SQUARED_DIFFERENCE" else {"FusedActivationFunction": 0})))
    case(f"a normalization {shape}{f', tensor {extra} read too' if extra else ''}{' swapped' if swapped else ''}{' of little spread' if other else ''}",
         tensors, [mean(0, 2), (B.NEG, 1, [2], [3], 0, None), two("SQUARED_DIFFERENCE", 0, 2, 4), mean(4, 5), two("ADD", 5, 6, 7),
                   (B.RSQRT, 1, [7], [8], 0, None), two("MUL", 8, 9, 10), two("MUL", 0, 10, 11), two("MUL", 3, 10, 12), two("ADD", 11, 12, 13)],
         [0], [13] + ([extra] if extra else []))


for shape in [(1, 1, 5, 64), (1, 3, 19), (7, 4), (3, 33)]:
    normalization(shape)
normalization((2, 20), swapped=True)
normalization((2, 20), other=True)
for extra in (2, 5, 10, 12):
    normalization((2, 9), extra)


def mixing(tokens, channels, sizes, extra=None):
    """Pointwise convolutions between two transpositions and an addition, an MLP-Mixer's token mixing."""
    shape, swapped = (1, 1, tokens, channels), (1, 1, channels, tokens)
    tensors, operators = [activation(shape), integers(0, 1, 3, 2), activation(swapped)], []
    operators.append((B.TRANSPOSE, 1, [0, 1], [2], 0, None))
    for depth, size in zip([tokens, *sizes], sizes):
        last = len(tensors)
        tensors += [const(draw((size, 1, 1, depth))), const(draw((size,))), activation((1, 1, channels, size))]
        operators.append((B.CONV_2D, 1, [last - 1, last, last + 1], [last + 2], CONV, options(
            "Conv2D", Padding=1, **{**CONVOLUTION, "FusedActivationFunction": int(len(operators) < len(sizes))})))
    back, last = (1, 1, sizes[-1], channels), len(tensors)
    tensors += [activation(back), activation(back)]
    operators.append((B.TRANSPOSE, 1, [last - 1, 1], [last], 0, None))
    if sizes[-1] == tokens:
        operators.append((B.ADD, 1, [last, 0], [last + 1], O.AddOptions, options("Add", FusedActivationFunction=0)))
    else:
        operators.append((B.NEG, 1, [last], [last + 1], 0, None))
    case(f"a mixing of {tokens} rows to {list(sizes)}, {channels} columns{f', tensor {extra} read too' if extra else ''}", tensors,
         operators, [0], [last + 1] + ([extra] if extra else []))


for tokens, channels, sizes in [(7, 16, (20, 7)), (9, 40, (9,)), (13, 23, (30, 5)), (17, 64, (33, 3, 17)), (4, 5, (6, 4))]:
    mixing(tokens, channels, sizes)
mixing(5, 16, (6, 5), 2)
mixing(5, 16, (6, 5), 5)


def down(size, cin, narrow, cout, shrinks):
    """A block that halves the image: a 2x2 convolution, or the depthwise one with stride 2, and a pooled skip."""
    height, width = size[0] // 2, size[1] // 2
    image, half = (1, *(size if not shrinks else (height, width)), narrow), (1, height, width, cout)
    kernel, first = (2, 2) if shrinks else (1, 1), 2 if shrinks else 1
    tensors = [activation((1, *size, cin)), const(draw((narrow, *kernel, cin))), const(draw((narrow,))), activation(image),
               const(draw((1, 3, 3, narrow))), const(draw((narrow,))), activation((1, height, width, narrow)),
               const(draw((cout, 1, 1, narrow))), const(draw((cout,))), activation(half), activation((1, height, width, cin)),
               integers(*[[0, 0], [0, 0], [0, 0], [0, cout - cin]]), activation(half), activation(half)]
    strides = lambda n: {**CONVOLUTION, "StrideW": n, "StrideH": n}
    case(f"a block that halves {size} {cin}>{narrow}>{cout}", tensors,
         [(B.CONV_2D, 1, [0, 1, 2], [3], CONV, options("Conv2D", Padding=1, **{**strides(first), "FusedActivationFunction": 1})),
          (B.DEPTHWISE_CONV_2D, 1, [3, 4, 5], [6], DEPTHWISE, options("DepthwiseConv2D", Padding=0, DepthMultiplier=1, **strides(3 - first))),
          (B.CONV_2D, 1, [6, 7, 8], [9], CONV, options("Conv2D", Padding=1, **CONVOLUTION)),
          (B.MAX_POOL_2D, 1, [0], [10], O.Pool2DOptions, options(
              "Pool2D", Padding=1, StrideW=2, StrideH=2, FilterWidth=2, FilterHeight=2, FusedActivationFunction=0)),
          (B.PAD, 1, [10, 11], [12], O.PadOptions, options("Pad")),
          (B.ADD, 1, [9, 12], [13], O.AddOptions, options("Add", FusedActivationFunction=1))], [0], [13])


down((10, 14), 8, 12, 20, False)
down((10, 14), 8, 24, 12, True)
down((12, 8), 3, 9, 5, True)

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "tflite_arithmetic.json")
with open(path, "w") as file:
    json.dump({"cases": cases}, file, indent=0)
    file.write("\n")
print(len(cases), "cases,", os.path.getsize(path), "bytes")
