#!/usr/bin/env python3
"""Models that ask for what the engine refuses: `tflite_unsupported.py`.

Writes expected/tflite_unsupported.json: name, model bytes (base64), the kind of error and a part of its message.
Builds on tflite_operators.py, whose cases it runs first.
"""
import base64
import json
import os

import numpy as np
import tflite as t

from tflite_operators import CONV, DEPTHWISE, FLOAT, INT, POOL, activation, const, draw, model, options

B, O = t.BuiltinOperator, t.BuiltinOptions
records = []


def refuse(name, message, tensors, operators, inputs, outputs, kind="unsupported"):
    data = model(tensors, operators, inputs, outputs)
    records.append({"name": name, "kind": kind, "message": message, "model": base64.b64encode(data).decode()})


def conv(name, message, fields, output=(1, 4, 4, 6), kind="unsupported", version=1, filter=(6, 3, 3, 2), bias=6):
    values = dict(Padding=0, StrideW=1, StrideH=1, FusedActivationFunction=0, DilationWFactor=1, DilationHFactor=1)
    refuse(name, message, [activation((1, 4, 4, 2)), const(draw(filter)), const(draw((bias,))), activation(output)],
           [(B.CONV_2D, version, [0, 1, 2], [3], CONV, options("Conv2D", **{**values, **fields}))], [0], [3], kind)


def depthwise(name, message, fields, output=(1, 4, 4, 2)):
    values = dict(Padding=0, StrideW=1, StrideH=1, DepthMultiplier=1, FusedActivationFunction=0, DilationWFactor=1, DilationHFactor=1)
    refuse(name, message, [activation((1, 4, 4, 2)), const(draw((1, 3, 3, 2))), const(draw((2,))), activation(output)],
           [(B.DEPTHWISE_CONV_2D, 1, [0, 1, 2], [3], DEPTHWISE, options("DepthwiseConv2D", **{**values, **fields}))], [0], [3])


conv("dilation", "node 0 CONV_2D: dilation 2x3", dict(DilationHFactor=2, DilationWFactor=3))
conv("activation", "node 0 CONV_2D: fused activation 4", dict(FusedActivationFunction=4))
conv("stride 0", "node 0 CONV_2D: kernel 3x3 with stride 0x1", dict(StrideH=0))
conv("padding", "node 0 CONV_2D: padding 7", dict(Padding=7))
conv("version", "node 0 CONV_2D: version 99", {}, version=99)
conv("output shape", "node 0 CONV_2D: output is FLOAT32 [1, 4, 4, 6], the file says FLOAT32 [1, 4, 5, 6]", {},
     output=(1, 4, 5, 6), kind="corrupt")
conv("groups", "node 0 CONV_2D: filter [6, 3, 3, 1]", {}, filter=(6, 3, 3, 1))
conv("bias", "node 0 CONV_2D: bias [5], expected [6]", {}, bias=5, kind="corrupt")
depthwise("depth multiplier", "node 0 DEPTHWISE_CONV_2D: depth multiplier 2", dict(DepthMultiplier=2))
depthwise("depthwise dilation", "node 0 DEPTHWISE_CONV_2D: dilation 1x2", dict(DilationWFactor=2))
refuse("operator", "node 0: operator LSTM is not supported", [activation((2,))] * 2, [(B.LSTM, 1, [0], [1], 0, None)], [0], [1])
refuse("custom operator", "node 0: operator CUSTOM is not supported", [activation((2,))] * 2, [(B.CUSTOM, 1, [0], [1], 0, None)], [0], [1])
refuse("broadcast", "node 0 ADD: inputs [2, 3] and [3]", [activation((2, 3)), activation((3,)), activation((2, 3))],
       [(B.ADD, 1, [0, 1], [2], O.AddOptions, options("Add", FusedActivationFunction=0))], [0, 1], [2])
refuse("corners", "node 0 RESIZE_BILINEAR: align_corners true", [activation((1, 2, 2, 1)), const(np.array([4, 4], np.int32)), activation((1, 4, 4, 1))],
       [(B.RESIZE_BILINEAR, 3, [0, 1], [2], O.ResizeBilinearOptions, options("ResizeBilinear", AlignCorners=True, HalfPixelCenters=False))], [0], [2])
refuse("negative padding", "node 0 PAD: paddings [-1, 1]", [activation((3,)), const(np.array([[-1, 1]], np.int32)), activation((3,))],
       [(B.PAD, 1, [0, 1], [2], O.PadOptions, options("Pad"))], [0], [2], "corrupt")
refuse("computed paddings", "node 0 PAD: paddings is computed when the model runs", [activation((3,)), activation((1, 2)), activation((4,))],
       [(B.PAD, 1, [0, 1], [2], O.PadOptions, options("Pad"))], [0, 1], [2])
refuse("options of another operator", "node 0 ADD: options of type 22, expected 11", [activation((3,))] * 3,
       [(B.ADD, 1, [0, 1], [2], O.PadOptions, options("Pad"))], [0, 1], [2], "corrupt")
refuse("integer input", "input 't0' of INT32", [([3], INT, None, None), ([3], INT, None, None)], [(B.RELU, 1, [0], [1], 0, None)], [0], [1])
refuse("quantised input", "input 't0' of INT8", [([3], t.TensorType.INT8, None, None), ([3], t.TensorType.INT8, None, None)], [(B.RELU, 1, [0], [1], 0, None)], [0], [1])
refuse("used before it is made", "is used before it has a value", [activation((3,))] * 3, [(B.RELU, 1, [1], [2], 0, None)], [0], [2], "corrupt")
refuse("made twice", "node 1 RELU: output tensor 1 has a value already", [activation((3,))] * 2,
       [(B.RELU, 1, [0], [1], 0, None), (B.RELU, 1, [0], [1], 0, None)], [0], [1], "corrupt")
refuse("no such tensor", "node 0 RELU: inputs name tensor 5 of 2", [activation((3,))] * 2, [(B.RELU, 1, [5], [1], 0, None)], [0], [1], "corrupt")
refuse("too large", "expected sizes of 1 or more and at most 1 GiB", [activation((70000, 70000))] * 2, [(B.RELU, 1, [0], [1], 0, None)], [0], [1])
refuse("too large together", "node 8 RELU: the tensors together take more than 1 GiB", [activation((2**15, 2**10))] * 11,
       [(B.RELU, 1, [i], [i + 1], 0, None) for i in range(10)], [0], [10])
refuse("no elements", "input 't0': shape [0, 3]", [activation((0, 3))] * 2, [(B.RELU, 1, [0], [1], 0, None)], [0], [1])

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "tflite_unsupported.json")
with open(path, "w") as file:
    json.dump(records, file, indent=0)
    file.write("\n")
print(len(records), "cases,", os.path.getsize(path), "bytes")
