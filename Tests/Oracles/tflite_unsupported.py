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


conv("dilation", "node 0 CONV_2D: dilation 33x3 of filter [6, 3, 3, 2]", dict(DilationHFactor=33, DilationWFactor=3))
conv("activation", "node 0 CONV_2D: fused activation 4", dict(FusedActivationFunction=4))
conv("stride 0", "node 0 CONV_2D: kernel 3x3 with stride 0x1", dict(StrideH=0))
conv("padding", "node 0 CONV_2D: padding 7", dict(Padding=7))
conv("version", "node 0 CONV_2D: version 99", {}, version=99)
conv("output shape", "node 0 CONV_2D: output is FLOAT32 [1, 4, 4, 6], the file declares FLOAT32 [1, 4, 5, 6]", {},
     output=(1, 4, 5, 6), kind="corrupt")
conv("groups", "node 0 CONV_2D: filter [6, 3, 3, 1]", {}, filter=(6, 3, 3, 1))
conv("bias", "node 0 CONV_2D: bias [5], expected [6]", {}, bias=5, kind="corrupt")
depthwise("depth multiplier", "node 0 DEPTHWISE_CONV_2D: depth multiplier 2", dict(DepthMultiplier=2))
depthwise("depthwise dilation", "node 0 DEPTHWISE_CONV_2D: dilation 1x40 of filter [1, 3, 3, 2]", dict(DilationWFactor=40))
refuse("operator", "node 0: operator LSTM is not supported", [activation((2,))] * 2, [(B.LSTM, 1, [0], [1], 0, None)], [0], [1])
refuse("custom operator", "node 0: operator CUSTOM is not supported", [activation((2,))] * 2, [(B.CUSTOM, 1, [0], [1], 0, None)], [0], [1])


def pair(name, message, a, b, out, code=B.ADD, kind="unsupported", table=("Add", O.AddOptions), **fields):
    refuse(name, message, [activation(a), activation(b), activation(out)],
           [(code, 1, [0, 1], [2], table[1], options(table[0], **fields))], [0, 1], [2], kind)


pair("broadcast", "node 0 ADD: inputs [2, 3] and [2]", (2, 3), (2,), (2, 3))
pair("broadcast of inner dimensions", "node 0 SUB: inputs [2, 3, 4] and [2, 2, 4]", (2, 3, 4), (2, 2, 4), (2, 3, 4), B.SUB, table=("Sub", O.SubOptions))
pair("broadcast that is too large", "node 0 MUL: inputs [40000, 1] and [1, 40000], expected shapes that broadcast to at most 256 MiB",
     (40000, 1), (1, 40000), (1, 1), B.MUL, table=("Mul", O.MulOptions))
pair("broadcast with a wrong output", "node 0 DIV: output is FLOAT32 [2, 3], the file declares FLOAT32 [3]", (2, 3), (3,), (3,), B.DIV, "corrupt",
     ("Div", O.DivOptions))
pair("activation of a product", "node 0 MUL: fused activation 5", (2,), (2,), (2,), B.MUL, table=("Mul", O.MulOptions), FusedActivationFunction=5)
pair("options of an addition", "node 0 SUB: options of type 11, expected 28", (2,), (2,), (2,), B.SUB, "corrupt")
refuse("slopes larger than their input", "node 0 PRELU: slopes [2, 3] do not broadcast to input [3]",
       [activation((3,)), const(draw((2, 3))), activation((2, 3))], [(B.PRELU, 1, [0, 1], [2], 0, None)], [0], [2], "corrupt")
refuse("slopes of other channels", "node 0 PRELU: inputs [1, 2, 2, 4] and [1, 1, 3]",
       [activation((1, 2, 2, 4)), const(draw((1, 1, 3))), activation((1, 2, 2, 4))], [(B.PRELU, 1, [0, 1], [2], 0, None)], [0], [2])
refuse("slopes of integers", "node 0 PRELU: input of INT32, expected dense FLOAT32",
       [activation((4,)), const(np.array([1, 2, 3, 4], np.int32)), activation((4,))], [(B.PRELU, 1, [0, 1], [2], 0, None)], [0], [2])
refuse("one input of two", "node 0 ADD: 1 inputs, expected 2 to 2", [activation((3,))] * 2, [(B.ADD, 1, [0], [1], 0, None)], [0], [1], "corrupt")
refuse("a function of two inputs", "node 0 LOGISTIC: 2 inputs, expected 1 to 1", [activation((3,))] * 3,
       [(B.LOGISTIC, 1, [0, 1], [2], 0, None)], [0, 1], [2], "corrupt")


def mean(name, message, axes, out, kind="corrupt", code=B.MEAN, keep=True, table=("Reducer", O.ReducerOptions)):
    axis = activation((1,)) if axes is None else const(axes)
    fields = {"KeepDims": keep} if table[0] == "Reducer" else {}
    refuse(name, message, [activation((2, 3)), axis, activation(out)],
           [(code, 1, [0, 1], [2], table[1], options(table[0], **fields))], [0, 1] if axes is None else [0], [2], kind)


mean("axis beyond the last", "node 0 MEAN: axis 2 of input [2, 3]", np.array([0, 2], np.int32), (1, 3))
mean("axis before the first", "node 0 SUM: axis -3 of input [2, 3]", np.array(-3, np.int32), (1, 3), code=B.SUM)
mean("axis of the least integer", "node 0 SUM: axis -2147483648 of input [2, 3]", np.array([-2**31], np.int32), (1, 3), code=B.SUM)
mean("axis of halves", "node 0 MEAN: axes of FLOAT16, expected INT32", np.array([1], np.float16), (2, 1), "unsupported")
mean("computed axis", "node 0 MEAN: axes is computed when the model runs", None, (2, 1), "unsupported")
mean("dropped dimension", "node 0 MEAN: output is FLOAT32 [2], the file declares FLOAT32 [2, 1]", np.array([1], np.int32), (2, 1), keep=False)
mean("options of a slice", "node 0 MEAN: options of type 26, expected 27", np.array([1], np.int32), (2, 1), table=("Transpose", O.TransposeOptions))


def transpose(name, message, permutation, out=(3, 2), kind="corrupt"):
    order = activation((2,)) if permutation is None else const(permutation)
    refuse(name, message, [activation((2, 3)), order, activation(out)],
           [(B.TRANSPOSE, 1, [0, 1], [2], O.TransposeOptions, options("Transpose"))], [0, 1] if permutation is None else [0], [2], kind)


transpose("permutation with a repetition", "node 0 TRANSPOSE: permutation [1, 1] of input [2, 3]", np.array([1, 1], np.int32))
transpose("permutation beyond the last", "node 0 TRANSPOSE: permutation [1, 2] of input [2, 3]", np.array([1, 2], np.int32))
transpose("permutation that counts from the end", "node 0 TRANSPOSE: permutation [-1, 0] of input [2, 3]", np.array([-1, 0], np.int32))
transpose("permutation that is too short", "node 0 TRANSPOSE: permutation [0] of input [2, 3]", np.array([0], np.int32))
transpose("computed permutation", "node 0 TRANSPOSE: permutation is computed when the model runs", None, kind="unsupported")
transpose("permuted output", "node 0 TRANSPOSE: output is FLOAT32 [3, 2], the file declares FLOAT32 [2, 3]", np.array([1, 0], np.int32), (2, 3))


def slices(name, message, begin=(0, 0), end=(2, 3), strides=(1, 1), out=(2, 3), kind="unsupported", constant=True, **masks):
    numbers = [const(np.array(v, np.int32)) for v in (begin, end, strides)]
    if not constant:
        numbers[0] = activation((2,))
    fields = dict(BeginMask=0, EndMask=0, EllipsisMask=0, NewAxisMask=0, ShrinkAxisMask=0)
    refuse(name, message, [activation((2, 3)), *numbers, activation(out)],
           [(B.STRIDED_SLICE, 1, [0, 1, 2, 3], [4], O.StridedSliceOptions, options("StridedSlice", **{**fields, **masks}))],
           [0] if constant else [0, 1], [4], kind)


slices("stride 0 of a slice", "node 0 STRIDED_SLICE: stride 0 along axis 1", strides=(1, 0), kind="corrupt")
slices("empty slice", "node 0 STRIDED_SLICE: no elements along axis 1 of input [2, 3] from 2 to 2 by 1", begin=(0, 2), end=(2, 2))
slices("slice the wrong way", "node 0 STRIDED_SLICE: no elements along axis 0 of input [2, 3] from 0 to 2 by -1", strides=(-1, 1))
slices("ellipsis", "node 0 STRIDED_SLICE: ellipsis mask 1, expected 0", EllipsisMask=1)
slices("new axis", "node 0 STRIDED_SLICE: new axis mask 2, expected 0", NewAxisMask=2)
slices("offset", "node 0 STRIDED_SLICE: end as an offset from begin", Offset=True)
slices("index beyond the last", "node 0 STRIDED_SLICE: index 2 with stride 1 along axis 0 of input [2, 3]", begin=(2, 0), out=(3,), ShrinkAxisMask=1, kind="corrupt")
slices("index with a negative stride", "node 0 STRIDED_SLICE: index 1 with stride -1 along axis 0", begin=(1, 0), strides=(-1, 1), out=(3,), ShrinkAxisMask=1, kind="corrupt")
slices("more places than dimensions", "node 0 STRIDED_SLICE: begin [0, 0, 0], end [1, 1, 1] and strides [1, 1, 1] of input [2, 3]",
       begin=(0, 0, 0), end=(1, 1, 1), strides=(1, 1, 1), kind="corrupt")
slices("fewer ends than begins", "node 0 STRIDED_SLICE: begin [0, 0], end [2] and strides [1, 1]", end=(2,), kind="corrupt")
slices("computed begin", "node 0 STRIDED_SLICE: begin is computed when the model runs", constant=False)
slices("sliced output", "node 0 STRIDED_SLICE: output is FLOAT32 [2, 2], the file declares FLOAT32 [2, 3]", end=(2, 2), kind="corrupt")
slices("stride of the least integer", "node 0 STRIDED_SLICE: output is FLOAT32 [1, 3], the file declares FLOAT32 [2, 3]",
       begin=(-1, 0), end=(0, 3), strides=(-2**31, 1), kind="corrupt")
refuse("corners", "node 0 RESIZE_BILINEAR: align_corners true", [activation((1, 2, 2, 1)), const(np.array([4, 4], np.int32)), activation((1, 4, 4, 1))],
       [(B.RESIZE_BILINEAR, 3, [0, 1], [2], O.ResizeBilinearOptions, options("ResizeBilinear", AlignCorners=True, HalfPixelCenters=False))], [0], [2])
refuse("negative padding", "node 0 PAD: paddings [-1, 1]", [activation((3,)), const(np.array([[-1, 1]], np.int32)), activation((3,))],
       [(B.PAD, 1, [0, 1], [2], O.PadOptions, options("Pad"))], [0], [2], "corrupt")
refuse("computed paddings", "node 0 PAD: paddings is computed when the model runs", [activation((3,)), activation((1, 2)), activation((4,))],
       [(B.PAD, 1, [0, 1], [2], O.PadOptions, options("Pad"))], [0, 1], [2])
refuse("options of another operator", "node 0 ADD: options of type 22, expected 11", [activation((3,))] * 3,
       [(B.ADD, 1, [0, 1], [2], O.PadOptions, options("Pad"))], [0, 1], [2], "corrupt")
refuse("integer input", "input 't0' of INT32", [([3], INT, None, None), ([3], INT, None, None)], [(B.RELU, 1, [0], [1], 0, None)], [0], [1])
refuse("quantised input", "input 't0': INT8 without a scale", [([3], t.TensorType.INT8, None, None), ([3], t.TensorType.INT8, None, None)], [(B.RELU, 1, [0], [1], 0, None)], [0], [1], "corrupt")
refuse("used before it is made", "is used before it has a value", [activation((3,))] * 3, [(B.RELU, 1, [1], [2], 0, None)], [0], [2], "corrupt")
refuse("made twice", "node 1 RELU: output tensor 1 has a value already", [activation((3,))] * 2,
       [(B.RELU, 1, [0], [1], 0, None), (B.RELU, 1, [0], [1], 0, None)], [0], [1], "corrupt")
refuse("no such tensor", "node 0 RELU: inputs name tensor 5 of 2", [activation((3,))] * 2, [(B.RELU, 1, [5], [1], 0, None)], [0], [1], "corrupt")
refuse("too large", "expected sizes of 1 or more and at most 256 MiB", [activation((70000, 70000))] * 2, [(B.RELU, 1, [0], [1], 0, None)], [0], [1])
refuse("too large together", "node 2 RELU: the tensors together take more than 256 MiB", [activation((2**15, 2**10))] * 11,
       [(B.RELU, 1, [i], [i + 1], 0, None) for i in range(10)], [0], [10])
refuse("no elements", "input 't0': shape [0, 3]", [activation((0, 3))] * 2, [(B.RELU, 1, [0], [1], 0, None)], [0], [1])

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "tflite_unsupported.json")
with open(path, "w") as file:
    json.dump(records, file, indent=0)
    file.write("\n")
print(len(records), "cases,", os.path.getsize(path), "bytes")
