#!/usr/bin/env python3
"""INT8 operators, and float ones of other makers' models, with LiteRT's results: `tflite_quantized.py`.

Writes expected/tflite_quantized.json as tflite_operators.py does. INT8 inputs and outputs are the real numbers that they stand
for. LiteRT runs its reference kernels. `refused` has models with the beginning of the error that they must give.
"""
import base64
import json
import os

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from tflite_builder import B, O, Tensor, build, options

random = np.random.default_rng(20261125)
ACTIVATIONS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3}
cases = []


def encode(array):
    return base64.b64encode(np.ascontiguousarray(array, np.float32).tobytes()).decode()


def case(name, tensors, operators, inputs, outputs):
    data = build(tensors, operators, inputs, outputs)
    runner = Interpreter(model_content=data, num_threads=1, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    runner.allocate_tensors()
    reals = []
    for detail in runner.get_input_details():
        scale, zero = detail["quantization"]
        if detail["dtype"] == np.int8:
            values = random.integers(-128, 128, detail["shape"]).astype(np.int8)
            reals.append(np.float32(scale) * (values.astype(np.float32) - zero))
        else:
            values = random.uniform(-4, 4, detail["shape"]).astype(np.float32)
            reals.append(values)
        runner.set_tensor(detail["index"], values)
    runner.invoke()
    results, shapes = [], []
    for detail in runner.get_output_details():
        values, (scale, zero) = runner.get_tensor(detail["index"]), detail["quantization"]
        shapes.append(list(values.shape))
        results.append(np.float32(scale) * (values.astype(np.float32) - zero) if values.dtype == np.int8 else values)
    cases.append({"name": name, "model": base64.b64encode(data).decode(), "inputs": [encode(v) for v in reals],
                  "outputs": [encode(v) for v in results], "shapes": shapes})


def weights(shape, axis, per_channel, top=127):
    count = shape[axis] if per_channel else 1
    return Tensor(shape, random.integers(-top, top + 1, shape).astype(np.int8), random.uniform(.002, .02, count), axis=axis if per_channel else 0)


def window(name, padding, stride, **more):
    return options(name, padding=padding, strideW=stride, strideH=stride, **more)


def convolution(code, name, size, kernel, cin, cout, stride, act, per_channel=True, dilation=1, top=127, scale=.9):
    h, w = size
    is_depthwise = code == B.DEPTHWISE_CONV_2D
    shape = [1, kernel, kernel, cin] if is_depthwise else [cout, kernel, kernel, cin]
    out = [1, -(-h // stride), -(-w // stride), cout]
    more = dict(fusedActivationFunction=ACTIVATIONS[act], dilationWFactor=dilation, dilationHFactor=dilation)
    more |= dict(depthMultiplier=1) if is_depthwise else {}
    case(f"{name} INT8 {kernel}x{kernel} stride {stride} dilation {dilation} {cin}>{cout} of {size} {act}"
         f"{' by channel' if per_channel else ''} weights to {top}",
         [Tensor((1, h, w, cin), scale=.04, zero=-7), weights(shape, 3 if is_depthwise else 0, per_channel, top),
          Tensor((cout,), random.integers(-4000, 4000, cout).astype(np.int32)), Tensor(out, scale=scale, zero=11)],
         [(code, 3, [0, 1, 2], [3], O.DepthwiseConv2DOptions if is_depthwise else O.Conv2DOptions,
           window("DepthwiseConv2D" if is_depthwise else "Conv2D", 0, stride, **more))], [0], [3])


for act in ACTIVATIONS:
    convolution(B.CONV_2D, "CONV_2D", (5, 6), 3, 4, 9, 1, act, scale=.05 if act != "NONE" else .9)
    convolution(B.DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", (6, 5), 3, 9, 9, 2, act, scale=.05 if act != "NONE" else .2)
convolution(B.CONV_2D, "CONV_2D", (4, 4), 1, 20, 17, 1, "RELU", per_channel=False)
convolution(B.CONV_2D, "CONV_2D", (9, 8), 3, 3, 16, 1, "NONE", dilation=2)
# Sums beyond 2^24: 3 x 3 x 96 weights near the limit.
loud = random.choice(np.array([-127, 126], np.int8), (5, 3, 3, 96))
loud[0] = 127
case("CONV_2D INT8 with sums beyond 2^24",
     [Tensor((1, 4, 5, 96), scale=.04, zero=127), Tensor(loud.shape, loud, random.uniform(.002, .02, 5)),
      Tensor((5,), random.integers(-4000, 4000, 5).astype(np.int32)), Tensor((1, 4, 5, 5), scale=40, zero=3)],
     [(B.CONV_2D, 3, [0, 1, 2], [3], O.Conv2DOptions, window("Conv2D", 0, 1, dilationWFactor=1, dilationHFactor=1))], [0], [3])
for rows, keep in ((1, False), (3, False), (3, True)):
    out = (1, rows, 7) if keep else (rows, 7)
    case(f"FULLY_CONNECTED INT8 {rows} rows{' kept' if keep else ''}",
         [Tensor((1, rows, 40), scale=.05, zero=3), weights((7, 40), 0, False), Tensor((7,), random.integers(-900, 900, 7).astype(np.int32)),
          Tensor(out, scale=.3, zero=-5)],
         [(B.FULLY_CONNECTED, 4 if not keep else 5, [0, 1, 2], [3], O.FullyConnectedOptions, options("FullyConnected", keepNumDims=keep))], [0], [3])
case("FULLY_CONNECTED INT8 without a bias", [Tensor((2, 8), scale=.05), weights((3, 8), 0, False), Tensor((2, 3), scale=.1, zero=2)],
     [(B.FULLY_CONNECTED, 6, [0, 1, -1], [2], O.FullyConnectedOptions, options("FullyConnected", fusedActivationFunction=1))], [0], [2])
for name, kind, version in (("ADD", "Add", 2), ("SUB", "Sub", 2), ("MUL", "Mul", 2)):
    for act in ("NONE", "RELU6"):
        for a, b in (((1, 4, 5, 6), (1, 4, 5, 6)), ((1, 3, 4, 6), (6,))):
            case(f"{name} INT8 {a} {b} {act}", [Tensor(a, scale=.031, zero=4), Tensor(b, scale=.057, zero=-20), Tensor(a, scale=.08, zero=-3)],
                 [(getattr(B, name), version, [0, 1], [2], getattr(O, f"{kind}Options"), options(kind, fusedActivationFunction=ACTIVATIONS[act]))],
                 [0, 1], [2])
same = dict(scale=.05, zero=-9)
for act in ("NONE", "RELU"):
    case(f"AVERAGE_POOL_2D INT8 {act}", [Tensor((1, 7, 6, 5), **same), Tensor((1, 4, 3, 5), **same)],
         [(B.AVERAGE_POOL_2D, 2, [0], [1], O.Pool2DOptions, window("Pool2D", 0, 2, filterWidth=3, filterHeight=3, fusedActivationFunction=ACTIVATIONS[act]))],
         [0], [1])
    case(f"MAX_POOL_2D INT8 {act}", [Tensor((1, 7, 6, 5), **same), Tensor((1, 4, 3, 5), **same)],
         [(B.MAX_POOL_2D, 2, [0], [1], O.Pool2DOptions, window("Pool2D", 0, 2, filterWidth=3, filterHeight=3, fusedActivationFunction=ACTIVATIONS[act]))],
         [0], [1])
    case(f"AVERAGE_POOL_2D of floats {act}", [Tensor((2, 7, 6, 5)), Tensor((2, 4, 3, 5))],
         [(B.AVERAGE_POOL_2D, 1, [0], [1], O.Pool2DOptions, window("Pool2D", 0, 2, filterWidth=2, filterHeight=3, fusedActivationFunction=ACTIVATIONS[act]))],
         [0], [1])
pads = np.array([[0, 0], [1, 0], [2, 1], [0, 3]], np.int32)
case("PAD INT8", [Tensor((1, 2, 3, 4), **same), Tensor(pads.shape, pads), Tensor((1, 3, 6, 7), **same)], [(B.PAD, 2, [0, 1], [2], O.PadOptions, options("Pad"))], [0], [2])
case("CONCATENATION INT8", [Tensor((1, 2, 3), **same), Tensor((1, 4, 3), **same), Tensor((1, 6, 3), **same)],
     [(B.CONCATENATION, 2, [0, 1], [2], O.ConcatenationOptions, options("Concatenation", axis=1))], [0, 1], [2])
order = np.array([0, 2, 1], np.int32)
case("TRANSPOSE INT8", [Tensor((1, 2, 3), **same), Tensor((3,), order), Tensor((1, 3, 2), **same)], [(B.TRANSPOSE, 2, [0, 1], [2], O.TransposeOptions, options("Transpose"))], [0], [2])
case("RESHAPE INT8", [Tensor((1, 2, 3), **same), Tensor((2,), np.array([3, 2], np.int32)), Tensor((3, 2), **same)], [(B.RESHAPE, 1, [0, 1], [2], O.ReshapeOptions, options("Reshape"))], [0], [2])
for name, shape in (("RELU", (1, 3, 4, 5)), ("RELU6", (30,))):
    case(f"{name} INT8", [Tensor(shape, scale=.07, zero=-9), Tensor(shape, scale=.05, zero=-40)], [(getattr(B, name), 2, [0], [1], 0, None)], [0], [1])
    case(f"{name} of floats", [Tensor(shape), Tensor(shape)], [(getattr(B, name), 1, [0], [1], 0, None)], [0], [1])
leaky = options("LeakyRelu", alpha=.3)
case("LEAKY_RELU INT8", [Tensor((90,), scale=.05, zero=9), Tensor((90,), scale=.04, zero=-9)], [(B.LEAKY_RELU, 2, [0], [1], O.LeakyReluOptions, leaky)], [0], [1])
case("LEAKY_RELU of floats", [Tensor((37,)), Tensor((37,))], [(B.LEAKY_RELU, 1, [0], [1], O.LeakyReluOptions, leaky)], [0], [1])
case("PRELU INT8", [Tensor((1, 3, 4, 5), scale=.05, zero=9), Tensor((1, 1, 5), random.integers(-127, 128, (1, 1, 5)).astype(np.int8), .01, zero=2), Tensor((1, 3, 4, 5), scale=.04, zero=-9)],
     [(B.PRELU, 1, [0, 1], [2], 0, None)], [0], [2])
case("LOGISTIC INT8", [Tensor((256,), scale=.05, zero=9), Tensor((256,), scale=1 / 256, zero=-128)], [(B.LOGISTIC, 2, [0], [1], 0, None)], [0], [1])
soft = options("Softmax", beta=1.0)
case("SOFTMAX INT8", [Tensor((6, 10), scale=.05, zero=9), Tensor((6, 10), scale=1 / 256, zero=-128)], [(B.SOFTMAX, 2, [0], [1], O.SoftmaxOptions, soft)], [0], [1])
case("SOFTMAX of floats", [Tensor((2, 3, 7)), Tensor((2, 3, 7))], [(B.SOFTMAX, 1, [0], [1], O.SoftmaxOptions, options("Softmax", beta=.7))], [0], [1])
axes = np.array([1, 2], np.int32)
for keep in (True, False):
    out = (2, 1, 1, 5) if keep else (2, 5)
    case(f"MEAN INT8{' kept' if keep else ''}", [Tensor((2, 3, 7, 5), scale=.05, zero=9), Tensor((2,), axes), Tensor(out, scale=.02, zero=-9)],
         [(B.MEAN, 2, [0, 1], [2], O.ReducerOptions, options("Reducer", keepDims=keep))], [0], [2])
    case(f"REDUCE_MAX of floats{' kept' if keep else ''}", [Tensor((2, 3, 7, 5)), Tensor((2,), axes), Tensor(out)],
         [(B.REDUCE_MAX, 1, [0, 1], [2], O.ReducerOptions, options("Reducer", keepDims=keep))], [0], [2])
case("REDUCE_MAX of the last dimension", [Tensor((4, 19)), Tensor((1,), np.array([-1], np.int32)), Tensor((4, 1))],
     [(B.REDUCE_MAX, 1, [0, 1], [2], O.ReducerOptions, options("Reducer", keepDims=True))], [0], [2])
case("QUANTIZE DEQUANTIZE of floats", [Tensor((300,)), Tensor((300,), scale=.011, zero=-30), Tensor((300,))],
     [(B.QUANTIZE, 1, [0], [1], 0, None), (B.DEQUANTIZE, 2, [1], [2], 0, None)], [0], [2])
case("QUANTIZE of INT8", [Tensor((256,), scale=.05, zero=9), Tensor((256,), scale=.03, zero=-7)], [(B.QUANTIZE, 1, [0], [1], 0, None)], [0], [1])
for name in ("EXP", "HARD_SWISH"):
    case(f"{name} of floats", [Tensor((3, 35)), Tensor((3, 35))], [(getattr(B, name), 1, [0], [1], 0, None)], [0], [1])
for name in ("MAXIMUM", "MINIMUM"):
    case(f"{name} of floats", [Tensor((3, 35)), Tensor((3, 1)), Tensor((3, 35))], [(getattr(B, name), 1, [0, 1], [2], O.MaximumMinimumOptions, options("MaximumMinimum"))], [0, 1], [2])
for act in ("NONE", "RELU"):
    case(f"FULLY_CONNECTED of floats {act}", [Tensor((3, 2, 20)), Tensor((7, 40), random.uniform(-1, 1, (7, 40)).astype(np.float32)),
          Tensor((7,), random.uniform(-1, 1, 7).astype(np.float32)), Tensor((3, 7))],
         [(B.FULLY_CONNECTED, 1, [0, 1, 2], [3], O.FullyConnectedOptions, options("FullyConnected", fusedActivationFunction=ACTIVATIONS[act]))], [0], [3])
case("FULLY_CONNECTED of floats without a bias, kept", [Tensor((1, 5, 33)), Tensor((64, 33), random.uniform(-1, 1, (64, 33)).astype(np.float32)), Tensor((1, 5, 64))],
     [(B.FULLY_CONNECTED, 5, [0, 1, -1], [2], O.FullyConnectedOptions, options("FullyConnected", keepNumDims=True))], [0], [2])
case("CONV_2D of floats, dilation 3x2", [Tensor((2, 9, 8, 3)), Tensor((6, 3, 3, 3), random.uniform(-1, 1, (6, 3, 3, 3)).astype(np.float32)),
      Tensor((6,), random.uniform(-1, 1, 6).astype(np.float32)), Tensor((2, 9, 8, 6))],
     [(B.CONV_2D, 2, [0, 1, 2], [3], O.Conv2DOptions, window("Conv2D", 0, 1, dilationWFactor=2, dilationHFactor=3))], [0], [3])
case("DEPTHWISE_CONV_2D of floats, dilation 2x2", [Tensor((1, 9, 8, 5)), Tensor((1, 3, 3, 5), random.uniform(-1, 1, (1, 3, 3, 5)).astype(np.float32)),
      Tensor((5,), random.uniform(-1, 1, 5).astype(np.float32)), Tensor((1, 9, 8, 5))],
     [(B.DEPTHWISE_CONV_2D, 2, [0, 1, 2], [3], O.DepthwiseConv2DOptions, window("DepthwiseConv2D", 0, 1, depthMultiplier=1, dilationWFactor=2, dilationHFactor=2))], [0], [3])
block, margins = np.array([2, 3], np.int32), np.array([[1, 2], [0, 1]], np.int32)
case("SPACE_TO_BATCH_ND of floats", [Tensor((2, 3, 5, 4)), Tensor((2,), block), Tensor((2, 2), margins), Tensor((12, 3, 2, 4))], [(B.SPACE_TO_BATCH_ND, 1, [0, 1, 2], [3], 0, None)], [0], [3])
case("BATCH_TO_SPACE_ND of floats", [Tensor((12, 3, 2, 4)), Tensor((2,), block), Tensor((2, 2), margins), Tensor((2, 3, 5, 4))], [(B.BATCH_TO_SPACE_ND, 1, [0, 1, 2], [3], 0, None)], [0], [3])
for aligns, half in ((False, False), (True, False), (False, True)):
    size = np.array([7, 5], np.int32)
    case(f"RESIZE_NEAREST_NEIGHBOR corners {aligns} half {half}", [Tensor((2, 3, 4, 2)), Tensor((2,), size), Tensor((2, 7, 5, 2))],
         [(B.RESIZE_NEAREST_NEIGHBOR, 3, [0, 1], [2], O.ResizeNearestNeighborOptions, options("ResizeNearestNeighbor", alignCorners=aligns, halfPixelCenters=half))], [0], [2])
case("EXPAND_DIMS SQUEEZE", [Tensor((2, 1, 3)), Tensor((1,), np.array([-1], np.int32)), Tensor((2, 1, 3, 1)), Tensor((2, 3))],
     [(B.EXPAND_DIMS, 1, [0, 1], [2], O.ExpandDimsOptions, options("ExpandDims")), (B.SQUEEZE, 1, [2], [3], O.SqueezeOptions, options("Squeeze"))], [0], [3])
first, next_one, one, rest, three = (Tensor((1,), np.array([v], np.int32)) for v in (0, 1, 1, -1, 3))
case("SHAPE STRIDED_SLICE PACK RESHAPE to sizes known at load, declared as open",
     [Tensor((1, 4, 6)), Tensor((3,), kind=2), first, next_one, one, Tensor((), kind=2), Tensor((), np.array(-1, np.int32)), Tensor((), np.array(3, np.int32)),
      Tensor((3,), kind=2), Tensor((1, 1, 3), signature=[-1, -1, 3])],
     [(B.SHAPE, 1, [0], [1], O.ShapeOptions, options("Shape", outType=2)),
      (B.STRIDED_SLICE, 1, [1, 2, 3, 4], [5], O.StridedSliceOptions, options("StridedSlice", shrinkAxisMask=1)),
      (B.PACK, 1, [5, 6, 7], [8], O.PackOptions, options("Pack", valuesCount=3)),
      (B.RESHAPE, 1, [0, 8], [9], O.ReshapeOptions, options("Reshape"))], [0], [9])
stored = random.integers(-127, 128, (6, 1, 1, 4)).astype(np.int8)
case("DEQUANTIZE of a quantised filter", [Tensor((1, 2, 3, 4)), Tensor(stored.shape, stored, random.uniform(.01, .03, 6)), Tensor(stored.shape), Tensor((6,), random.uniform(-1, 1, 6).astype(np.float32)), Tensor((1, 2, 3, 6))],
     [(B.DEQUANTIZE, 5, [1], [2], 0, None), (B.CONV_2D, 1, [0, 2, 3], [4], O.Conv2DOptions, window("Conv2D", 0, 1, dilationWFactor=1, dilationHFactor=1))], [0], [4])

refused = []


def refuse(name, message, tensors, operators, inputs=(0,), outputs=None, kind="corrupt"):
    data = build(tensors, operators, list(inputs), outputs or [len(tensors) - 1])
    refused.append({"name": name, "kind": kind, "message": message, "model": base64.b64encode(data).decode()})


def input_scale(name, message, kind="corrupt", **quantization):
    refuse(name, message, [Tensor((2, 3), **quantization), Tensor((2, 3), scale=.1)], [(B.RELU, 2, [0], [1], 0, None)], kind=kind)


input_scale("input without a scale", "input 't0': INT8 without a scale, expected one above 0", kind="corrupt", scale=[])
input_scale("scale of 0", "input 't0': scale 0.0, expected a finite number above 0", scale=0)
input_scale("negative scale", "input 't0': scale -0.5, expected a finite number above 0", scale=-.5)
input_scale("endless scale", "input 't0': scale inf, expected a finite number above 0", scale=np.inf)
input_scale("scale that is not a number", "input 't0': scale nan, expected a finite number above 0", scale=np.nan)
input_scale("zero point beyond INT8", "input 't0': zero point 128, expected -128 to 127", scale=.1, zero=128)
input_scale("zero point of many digits", "input 't0': zero point -9223372036854775808, expected -128 to 127", scale=.1, zero=-2**63)
input_scale("scales along no dimension", "input 't0': 3 scales along dimension 7 of [2, 3]", scale=[.1, .2, .3], axis=7)
input_scale("scales along a dimension before the first", "input 't0': 2 scales along dimension -1 of [2, 3]", scale=[.1, .2], axis=-1)
input_scale("scales of another dimension", "input 't0': 3 scales along dimension 0 of [2, 3]", scale=[.1, .2, .3])
input_scale("scales by channel of an input", "input 't0': 2 scales, expected 1", "unsupported", scale=[.1, .2])


def filtered(name, message, filter, kind="unsupported", out=None, bias=3):
    refuse(name, message, [Tensor((1, 4, 4, 2), scale=.1), filter, Tensor((bias,), np.zeros(bias, np.int32)), out or Tensor((1, 4, 4, 3), scale=.1)],
           [(B.CONV_2D, 3, [0, 1, 2], [3], O.Conv2DOptions, window("Conv2D", 0, 1, dilationWFactor=1, dilationHFactor=1))], kind=kind)


small = np.ones((3, 1, 1, 2), np.int8)
filtered("filter with a zero point", "node 0 CONV_2D: filter with a zero point, expected 0", Tensor(small.shape, small, .1, zero=3))
filtered("filter with scales along its depth", "node 0 CONV_2D: filter with scales along dimension 3, expected 0", Tensor(small.shape, small, [.1, .2], axis=3))
filtered("filter of floats", "node 0 CONV_2D: filter of FLOAT32 for an input of INT8, expected INT8", Tensor(small.shape, small.astype(np.float32)))
filtered("factor that is too large", "node 0 CONV_2D: scales that give a factor of", Tensor(small.shape, small, 3e38))
filtered("output of floats", "node 0 CONV_2D: output of FLOAT32 from inputs of INT8, expected INT8", Tensor(small.shape, small, .1), out=Tensor((1, 4, 4, 3)))
filtered("bias of another size", "node 0 CONV_2D: bias [2], expected [3]", Tensor(small.shape, small, .1), "corrupt", bias=2)
refuse("output without a scale", "node 0 CONV_2D: output: INT8 without a scale",
       [Tensor((1, 4, 4, 2), scale=.1), Tensor(small.shape, small, .1), Tensor((3,), np.zeros(3, np.int32)), Tensor((1, 4, 4, 3), kind=9)],
       [(B.CONV_2D, 3, [0, 1, 2], [3], O.Conv2DOptions, window("Conv2D", 0, 1, dilationWFactor=1, dilationHFactor=1))])
refuse("parts of other scales", "node 0 CONCATENATION: input with scale 0.2 and zero point 0, expected those of the output, scale 0.1 and zero point 0",
       [Tensor((1, 2), scale=.1), Tensor((1, 2), scale=.2), Tensor((1, 4), scale=.1)],
       [(B.CONCATENATION, 2, [0, 1], [2], O.ConcatenationOptions, options("Concatenation", axis=1))], (0, 1), kind="unsupported")
refuse("quotient of INT8", "node 0 DIV: input of INT8, expected dense FLOAT32", [Tensor((3,), scale=.1)] * 3,
       [(B.DIV, 1, [0, 1], [2], O.DivOptions, options("Div"))], (0, 1), kind="unsupported")
refuse("INT8 and floats", "node 0 ADD: input of FLOAT32, expected INT8 with one scale", [Tensor((3,), scale=.1), Tensor((3,)), Tensor((3,), scale=.1)],
       [(B.ADD, 2, [0, 1], [2], O.AddOptions, options("Add"))], (0, 1), kind="unsupported")
refuse("input of UINT8", "input 't0' of UINT8, expected FLOAT32 or INT8", [Tensor((3,), kind=3), Tensor((3,), kind=3)], [(B.RELU, 2, [0], [1], 0, None)], kind="unsupported")
refuse("quantised to UINT8", "node 0 QUANTIZE: output of UINT8, expected INT8", [Tensor((3,)), Tensor((3,), kind=3)], [(B.QUANTIZE, 1, [0], [1], 0, None)], kind="unsupported")
refuse("largest of INT8", "node 0 REDUCE_MAX: input of INT8, expected FLOAT32", [Tensor((2, 3), scale=.1), Tensor((1,), np.array([1], np.int32)), Tensor((2, 1), scale=.1)],
       [(B.REDUCE_MAX, 1, [0, 1], [2], O.ReducerOptions, options("Reducer", keepDims=True))], kind="unsupported")
refuse("shape that is not open", "node 0 RELU: output is FLOAT32 [4, 3], the file declares FLOAT32 [1, 3]", [Tensor((4, 3)), Tensor((1, 3), signature=[1, -1])],
       [(B.RELU, 1, [0], [1], 0, None)])
refuse("open shape that is too large", "node 8 RESIZE_NEAREST_NEIGHBOR: the tensors together take more than 256 MiB",
       [Tensor((1, 1, 1, 4)), Tensor((2,), np.array([1400, 1400], np.int32))] + [Tensor((1, 1, 1, 4), signature=[1, -1, -1, 4])] * 10,
       [(B.RESIZE_NEAREST_NEIGHBOR, 3, [0, 1], [2 + i], O.ResizeNearestNeighborOptions, options("ResizeNearestNeighbor")) for i in range(10)], kind="unsupported")
refuse("wide dilation", "node 0 CONV_2D: dilation 33x1 of filter [3, 1, 1, 2], expected 1 to 32",
       [Tensor((1, 4, 4, 2)), Tensor(small.shape, small.astype(np.float32)), Tensor((3,), np.zeros(3, np.float32)), Tensor((1, 4, 4, 3))],
       [(B.CONV_2D, 2, [0, 1, 2], [3], O.Conv2DOptions, window("Conv2D", 0, 1, dilationWFactor=1, dilationHFactor=33))], kind="unsupported")
refuse("squeezed dimension", "node 0 SQUEEZE: dimensions [1] of [2, 3], expected those of size 1", [Tensor((2, 3)), Tensor((2, 3))],
       [(B.SQUEEZE, 1, [0], [1], O.SqueezeOptions, options("Squeeze", squeezeDims=[1]))])
refuse("rows of another depth", "node 0 FULLY_CONNECTED: input [1, 5] is not made of rows of 4",
       [Tensor((1, 5)), Tensor((2, 4), np.ones((2, 4), np.float32)), Tensor((1, 2))], [(B.FULLY_CONNECTED, 1, [0, 1, -1], [2], O.FullyConnectedOptions, options("FullyConnected"))])
refuse("shuffled weights", "node 0 FULLY_CONNECTED: weights of format 1, expected 0",
       [Tensor((1, 4)), Tensor((2, 4), np.ones((2, 4), np.float32)), Tensor((1, 2))],
       [(B.FULLY_CONNECTED, 2, [0, 1, -1], [2], O.FullyConnectedOptions, options("FullyConnected", weightsFormat=1))], kind="unsupported")
refuse("packed floats", "node 0 PACK: input is computed when the model runs, expected a constant", [Tensor(()), Tensor((1,), kind=2)],
       [(B.PACK, 1, [0], [1], O.PackOptions, options("Pack", valuesCount=1))], kind="unsupported")
refuse("unfit blocks", "node 0 SPACE_TO_BATCH_ND: 3x4 pixels in blocks of 2x2",
       [Tensor((1, 3, 4, 1)), Tensor((2,), np.array([2, 2], np.int32)), Tensor((2, 2), np.zeros((2, 2), np.int32)), Tensor((4, 1, 2, 1))],
       [(B.SPACE_TO_BATCH_ND, 1, [0, 1, 2], [3], 0, None)])

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "tflite_quantized.json")
with open(path, "w") as file:
    json.dump({"cases": cases, "refused": refused}, file, indent=0)
    file.write("\n")
print(len(cases), "cases,", len(refused), "refused,", os.path.getsize(path), "bytes")
