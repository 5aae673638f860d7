#!/usr/bin/env python3
"""Blocks of few channels at one size, which run through planes: `tflite_stages.py`.

Writes expected/tflite_stages.json as tflite_operators.py does, which it builds on and runs first.
"""
import json
import os

import numpy as np
import tflite as t

import tflite_operators
from tflite_operators import CONV, DEPTHWISE, activation, case, cases, const, draw, options

cases.clear()
random = np.random.default_rng(16180)
tflite_operators.random = np.random.default_rng(33988)
B, O = t.BuiltinOperator, t.BuiltinOptions
CONVOLUTION = dict(StrideW=1, StrideH=1, DilationWFactor=1, DilationHFactor=1)


def drawn(low, high, shape):
    return random.uniform(low, high, shape).astype(np.float32)


def stage(size, image, widths, extra=None, kernel=3):
    """Blocks of few channels at one size, after a convolution that halves an image where there is one."""
    wide, narrow = widths
    shape, small = (1, *size, wide), (1, *size, narrow)
    tensors, operators = [activation((1, 2 * size[0], 2 * size[1], image) if image else shape)], []

    def add(code, inputs, shape, *rest):
        tensors.append(activation(shape))
        operators.append((code, 1, inputs, [len(tensors) - 1], *rest))
        return len(tensors) - 1

    def constants(*values):
        tensors.extend(const(one) for one in values)
        return list(range(len(tensors) - len(values), len(tensors)))

    def convolution(last, cin, cout, kernel=1, stride=1, act=0):
        weights = constants(draw((cout, kernel, kernel, cin)), draw((cout,)))
        return add(B.CONV_2D, [last, *weights], (1, *size, cout), CONV, options(
            "Conv2D", Padding=0, **{**CONVOLUTION, "StrideW": stride, "StrideH": stride, "FusedActivationFunction": act}))

    def filtered(last, channels, act=0):
        weights = constants(draw((1, 3, 3, channels)), draw((channels,)))
        return add(B.DEPTHWISE_CONV_2D, [last, *weights], (1, *size, channels), DEPTHWISE, options(
            "DepthwiseConv2D", Padding=0, DepthMultiplier=1, **{**CONVOLUTION, "FusedActivationFunction": act}))

    def slopes(last, channels, shape):
        return add(B.PRELU, [last, *constants(drawn(-0.5, 1.5, (1, 1, channels)))], shape, 0, None)

    def addition(a, b, act):
        return add(B.ADD, [a, b], shape, O.AddOptions, options("Add", FusedActivationFunction=act))

    last = slopes(convolution(0, image, wide, kernel, 2), wide, shape) if image else 0
    ends = []
    for _ in range(2):
        before = last
        if image:
            last = slopes(convolution(last, wide, narrow), narrow, small)
            last = slopes(addition(convolution(filtered(last, narrow), narrow, wide), before, 0), wide, shape)
        else:
            last = convolution(filtered(last, wide), wide, narrow, act=3)
            last = addition(convolution(filtered(last, narrow, 1), narrow, wide), before, 1)
        ends.append(last)
    name = f"a stage {size} {image or 'without an image'} {wide}>{narrow}"
    name += (f" after {kernel}x{kernel}" if kernel != 3 else "") + (", its first block read too" if extra else "")
    case(name, tensors, operators, [0], [last] + ([ends[0]] if extra else []))


stage((7, 16), 3, (16, 8))
stage((3, 48), 3, (8, 4), True)
stage((4, 16), None, (32, 8))
stage((3, 16), None, (24, 5))
stage((6, 16), 3, (12, 4), kernel=5)
stage((3, 48), 1, (9, 4), kernel=5)

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "tflite_stages.json")
with open(path, "w") as file:
    json.dump({"cases": cases}, file, indent=0)
    file.write("\n")
print(len(cases), "cases,", os.path.getsize(path), "bytes")
