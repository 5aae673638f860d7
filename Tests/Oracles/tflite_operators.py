#!/usr/bin/env python3
"""Single-operator TFLite models with inputs and LiteRT's results: `tflite_operators.py`.

Writes expected/tflite_operators.json: for each case the model's bytes (base64, built here), the input floats
(base64 of little-endian float32) and the expected output the same way. LiteRT runs its reference kernels, without
XNNPACK. Needs numpy, flatbuffers, tflite (the schema) and ai-edge-litert.
"""
import base64
import itertools
import json
import os

import flatbuffers
import numpy as np
import tflite as t
from ai_edge_litert.interpreter import Interpreter, OpResolverType

random = np.random.default_rng(20240611)
FLOAT, HALF, INT = t.TensorType.FLOAT32, t.TensorType.FLOAT16, t.TensorType.INT32
NUMPY = {FLOAT: np.float32, HALF: np.float16, INT: np.int32}


def vector(builder, start, items, prepend):
    start(builder, len(items))
    for item in reversed(items):
        prepend(item)
    return builder.EndVector()


def model(tensors, operators, inputs, outputs):
    """tensors: (shape, type, array or None, sparsity or None); operators: (code, version, ins, outs, type, options).

    A custom operator's code is its name and its options are bytes or None.
    """
    b = flatbuffers.Builder(1024)
    buffers, built = [], []
    t.BufferStart(b)
    buffers.append(t.BufferEnd(b))
    for number, (shape, kind, array, sparsity) in enumerate(tensors):
        buffer = 0
        if array is not None:
            data = b.CreateByteVector(np.ascontiguousarray(array).tobytes())
            t.BufferStart(b)
            t.BufferAddData(b, data)
            buffer = len(buffers)
            buffers.append(t.BufferEnd(b))
        sparse = sparsity(b) if sparsity else None
        name = b.CreateString(f"t{number}")
        dims = vector(b, t.TensorStartShapeVector, shape, b.PrependInt32)
        t.TensorStart(b)
        t.TensorAddShape(b, dims)
        t.TensorAddType(b, kind)
        t.TensorAddBuffer(b, buffer)
        t.TensorAddName(b, name)
        if sparse is not None:
            t.TensorAddSparsity(b, sparse)
        built.append(t.TensorEnd(b))
    codes, nodes = [], []
    for number, (code, version, ins, outs, kind, options) in enumerate(operators):
        custom = isinstance(code, str) and b.CreateString(code)
        code = t.BuiltinOperator.CUSTOM if custom else code
        t.OperatorCodeStart(b)
        if custom:
            t.OperatorCodeAddCustomCode(b, custom)
        t.OperatorCodeAddDeprecatedBuiltinCode(b, min(code, 127))
        t.OperatorCodeAddBuiltinCode(b, code)
        t.OperatorCodeAddVersion(b, version)
        codes.append(t.OperatorCodeEnd(b))
        table = options(b) if options and not custom else None
        data = b.CreateByteVector(options) if options and custom else None
        i = vector(b, t.OperatorStartInputsVector, ins, b.PrependInt32)
        o = vector(b, t.OperatorStartOutputsVector, outs, b.PrependInt32)
        t.OperatorStart(b)
        t.OperatorAddOpcodeIndex(b, number)
        t.OperatorAddInputs(b, i)
        t.OperatorAddOutputs(b, o)
        if table is not None:
            t.OperatorAddBuiltinOptionsType(b, kind)
            t.OperatorAddBuiltinOptions(b, table)
        if data is not None:
            t.OperatorAddCustomOptions(b, data)
        nodes.append(t.OperatorEnd(b))
    ts = vector(b, t.SubGraphStartTensorsVector, built, b.PrependUOffsetTRelative)
    ns = vector(b, t.SubGraphStartOperatorsVector, nodes, b.PrependUOffsetTRelative)
    i = vector(b, t.SubGraphStartInputsVector, inputs, b.PrependInt32)
    o = vector(b, t.SubGraphStartOutputsVector, outputs, b.PrependInt32)
    t.SubGraphStart(b)
    t.SubGraphAddTensors(b, ts)
    t.SubGraphAddInputs(b, i)
    t.SubGraphAddOutputs(b, o)
    t.SubGraphAddOperators(b, ns)
    graph = t.SubGraphEnd(b)
    graphs = vector(b, t.ModelStartSubgraphsVector, [graph], b.PrependUOffsetTRelative)
    cs = vector(b, t.ModelStartOperatorCodesVector, codes, b.PrependUOffsetTRelative)
    bs = vector(b, t.ModelStartBuffersVector, buffers, b.PrependUOffsetTRelative)
    t.ModelStart(b)
    t.ModelAddVersion(b, 3)
    t.ModelAddOperatorCodes(b, cs)
    t.ModelAddSubgraphs(b, graphs)
    t.ModelAddBuffers(b, bs)
    b.Finish(t.ModelEnd(b), b"TFL3")
    return bytes(b.Output())


def options(name, **fields):
    def build(b):
        getattr(t, f"{name}OptionsStart")(b)
        for key, value in fields.items():
            getattr(t, f"{name}OptionsAdd{key}")(b, value)
        return getattr(t, f"{name}OptionsEnd")(b)
    return build


def draw(shape):
    return random.uniform(-2, 2, shape).astype(np.float32)


def activation(shape):
    return (list(shape), FLOAT, None, None)


def const(array):
    kind = {np.dtype(v): k for k, v in NUMPY.items()}[array.dtype]
    return (list(array.shape), kind, array, None)


def output_size(n, k, s, valid):
    return (n - k) // s + 1 if valid else -(-n // s)


cases = []


def case(name, tensors, operators, inputs, outputs, values=None):
    data = model(tensors, operators, inputs, outputs)
    runner = Interpreter(
        model_content=data, num_threads=1,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    runner.allocate_tensors()
    values = values or [draw(tensors[i][0]) for i in inputs]
    for detail, value in zip(runner.get_input_details(), values):
        runner.set_tensor(detail["index"], value)
    runner.invoke()
    results = [runner.get_tensor(d["index"]) for d in runner.get_output_details()]
    code = lambda a: base64.b64encode(np.ascontiguousarray(a, np.float32).tobytes()).decode()
    cases.append({
        "name": name, "model": base64.b64encode(data).decode(),
        "inputs": [code(v) for v in values], "outputs": [code(r) for r in results],
        "shapes": [list(r.shape) for r in results]})


CONV, DEPTHWISE, POOL = t.BuiltinOptions.Conv2DOptions, t.BuiltinOptions.DepthwiseConv2DOptions, t.BuiltinOptions.Pool2DOptions
ACTIVATIONS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3}


def convolution(batch, size, kernel, stride, cin, cout, valid, act):
    h, w = size
    out = [batch, output_size(h, kernel[0], stride[0], valid), output_size(w, kernel[1], stride[1], valid), cout]
    tensors = [activation((batch, h, w, cin)), const(draw((cout, *kernel, cin))), const(draw((cout,))), activation(out)]
    case(f"CONV_2D {kernel} stride {stride} {cin}>{cout} of {batch}x{size} {'VALID' if valid else 'SAME'} {act}",
         tensors,
         [(t.BuiltinOperator.CONV_2D, 1, [0, 1, 2], [3], CONV,
           options("Conv2D", Padding=int(valid), StrideW=stride[1], StrideH=stride[0],
                   FusedActivationFunction=ACTIVATIONS[act], DilationWFactor=1, DilationHFactor=1))], [0], [3])


def depthwise(batch, size, kernel, stride, channels, valid, act):
    h, w = size
    out = [batch, output_size(h, kernel[0], stride[0], valid), output_size(w, kernel[1], stride[1], valid), channels]
    tensors = [activation((batch, h, w, channels)), const(draw((1, *kernel, channels))), const(draw((channels,))), activation(out)]
    case(f"DEPTHWISE_CONV_2D {kernel} stride {stride} {channels} of {batch}x{size} {'VALID' if valid else 'SAME'} {act}",
         tensors,
         [(t.BuiltinOperator.DEPTHWISE_CONV_2D, 1, [0, 1, 2], [3], DEPTHWISE,
           options("DepthwiseConv2D", Padding=int(valid), StrideW=stride[1], StrideH=stride[0], DepthMultiplier=1,
                   FusedActivationFunction=ACTIVATIONS[act], DilationWFactor=1, DilationHFactor=1))], [0], [3])


def pool(batch, size, kernel, stride, channels, valid, act):
    h, w = size
    out = [batch, output_size(h, kernel[0], stride[0], valid), output_size(w, kernel[1], stride[1], valid), channels]
    case(f"MAX_POOL_2D {kernel} stride {stride} {channels} of {batch}x{size} {'VALID' if valid else 'SAME'} {act}",
         [activation((batch, h, w, channels)), activation(out)],
         [(t.BuiltinOperator.MAX_POOL_2D, 1, [0], [1], POOL,
           options("Pool2D", Padding=int(valid), StrideW=stride[1], StrideH=stride[0], FilterWidth=kernel[1],
                   FilterHeight=kernel[0], FusedActivationFunction=ACTIVATIONS[act]))], [0], [1])


for cin, cout in [(1, 1), (3, 5), (8, 3), (7, 17), (16, 24), (24, 28), (33, 42), (40, 64)]:
    convolution(1, (5, 3), (1, 1), (1, 1), cin, cout, True, "RELU")
convolution(1, (1, 1), (1, 1), (1, 1), 9, 20, False, "NONE")
convolution(2, (6, 4), (1, 1), (2, 2), 6, 9, False, "RELU6")
convolution(1, (9, 8), (5, 5), (2, 2), 3, 24, False, "NONE")
convolution(1, (8, 8), (5, 5), (2, 2), 3, 24, False, "RELU_N1_TO_1")
convolution(1, (7, 9), (3, 3), (2, 2), 3, 16, True, "RELU")
convolution(1, (8, 6), (3, 3), (1, 1), 5, 12, False, "RELU")
convolution(3, (4, 5), (2, 3), (1, 2), 4, 18, False, "NONE")
convolution(1, (4, 4), (2, 2), (2, 2), 16, 16, True, "NONE")
convolution(1, (2, 2), (2, 2), (1, 1), 8, 33, True, "NONE")
convolution(1, (2, 3), (5, 7), (3, 4), 2, 6, False, "NONE")
for channels, size, stride, valid in itertools.islice(itertools.product(
        (1, 3, 4, 6, 8, 20, 28), ((5, 7), (6, 6)), ((1, 1), (2, 2)), (True, False)), 0, None, 2):
    depthwise(1, size, (3, 3), stride, channels, valid, "NONE" if channels % 2 else "RELU")
depthwise(2, (1, 1), (3, 3), (1, 1), 16, False, "NONE")
depthwise(1, (2, 2), (3, 3), (2, 2), 17, False, "RELU6")
depthwise(1, (6, 9), (5, 5), (2, 2), 9, False, "RELU")
depthwise(1, (4, 11), (1, 3), (3, 3), 4, True, "RELU_N1_TO_1")
depthwise(1, (7, 5), (3, 3), (1, 1), 42, False, "NONE")
pool(1, (6, 8), (2, 2), (2, 2), 5, True, "NONE")
pool(1, (5, 7), (2, 2), (2, 2), 28, False, "RELU")
pool(2, (7, 5), (3, 2), (1, 2), 3, False, "RELU6")
pool(1, (3, 3), (4, 4), (1, 1), 17, False, "NONE")

for shape in [(1,), (3, 5), (1, 4, 4, 17), (2, 3, 2, 2)]:
    for act in ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")[: 4 if len(shape) == 4 else 1]:
        case(f"ADD {shape} {act}", [activation(shape)] * 3,
             [(t.BuiltinOperator.ADD, 1, [0, 1], [2], t.BuiltinOptions.AddOptions,
               options("Add", FusedActivationFunction=ACTIVATIONS[act]))], [0, 1], [2])
    case(f"RELU {shape}", [activation(shape)] * 2,
         [(t.BuiltinOperator.RELU, 1, [0], [1], 0, None)], [0], [1])

for shape, pads in [((4,), [(1, 2)]), ((2, 3), [(0, 1), (2, 0)]), ((2, 2, 3), [(1, 0), (0, 0), (0, 2)]),
                    ((1, 3, 2, 5), [(0, 0), (1, 1), (1, 1), (0, 0)]), ((1, 2, 2, 4), [(0, 0), (0, 0), (0, 0), (0, 3)]),
                    ((2, 2, 1, 2), [(1, 1), (2, 0), (0, 1), (3, 1)])]:
    out = [n + a + z for n, (a, z) in zip(shape, pads)]
    case(f"PAD {shape} by {pads}", [activation(shape), const(np.array(pads, np.int32)), activation(out)],
         [(t.BuiltinOperator.PAD, 1, [0, 1], [2], t.BuiltinOptions.PadOptions, options("Pad"))], [0], [2])

for shape, asked, out in [((2, 6), [3, 4], [3, 4]), ((1, 2, 3, 4), [1, -1, 2], [1, 12, 2]), ((4,), [2, 2], [2, 2])]:
    case(f"RESHAPE {shape} to {asked} by an input", [activation(shape), const(np.array(asked, np.int32)), activation(out)],
         [(t.BuiltinOperator.RESHAPE, 1, [0, 1], [2], 0, None)], [0], [2])

    def reshape_options(b, asked=asked):
        v = vector(b, t.ReshapeOptionsStartNewShapeVector, asked, b.PrependInt32)
        t.ReshapeOptionsStart(b)
        t.ReshapeOptionsAddNewShape(b, v)
        return t.ReshapeOptionsEnd(b)
    case(f"RESHAPE {shape} to {asked} by options", [activation(shape), activation(out)],
         [(t.BuiltinOperator.RESHAPE, 1, [0], [1], t.BuiltinOptions.ReshapeOptions, reshape_options)], [0], [1])

for axis, shapes in [(0, [(2, 3), (1, 3)]), (1, [(2, 3), (2, 1), (2, 4)]), (-1, [(1, 2, 2, 3), (1, 2, 2, 5)]),
                     (1, [(1, 4, 2), (1, 3, 2)]), (2, [(1, 1, 1, 2), (1, 1, 3, 2)])]:
    out = list(shapes[0])
    out[axis] = sum(s[axis] for s in shapes)
    n = len(shapes)
    case(f"CONCATENATION {shapes} axis {axis}", [activation(s) for s in shapes] + [activation(out)],
         [(t.BuiltinOperator.CONCATENATION, 1, list(range(n)), [n], t.BuiltinOptions.ConcatenationOptions,
           options("Concatenation", Axis=axis, FusedActivationFunction=0))], list(range(n)), [n])

for shape, block in [((1, 2, 3, 4), 2), ((2, 1, 2, 18), 3), ((1, 3, 3, 5), 1), ((1, 2, 2, 64), 2)]:
    n, h, w, c = shape
    case(f"DEPTH_TO_SPACE {shape} by {block}", [activation(shape), activation([n, h * block, w * block, c // block ** 2])],
         [(t.BuiltinOperator.DEPTH_TO_SPACE, 1, [0], [1], t.BuiltinOptions.DepthToSpaceOptions,
           options("DepthToSpace", BlockSize=block))], [0], [1])

for shape, size in [((1, 2, 3, 5), (4, 6)), ((1, 6, 6, 17), (12, 12)), ((2, 3, 4, 2), (7, 5)), ((1, 5, 7, 3), (2, 3)), ((1, 1, 1, 4), (3, 2))]:
    case(f"RESIZE_BILINEAR {shape} to {size}",
         [activation(shape), const(np.array(size, np.int32)), activation([shape[0], *size, shape[3]])],
         [(t.BuiltinOperator.RESIZE_BILINEAR, 3, [0, 1], [2], t.BuiltinOptions.ResizeBilinearOptions,
           options("ResizeBilinear", AlignCorners=False, HalfPixelCenters=True))], [0], [2])


def sparsity(array, segments_kind, indices_kind):
    """Dims 0 to 2 dense, dim 3 compressed; kind 1 is int32, 2 uint16, 3 uint8."""
    rows = array.reshape(-1, array.shape[-1])
    segments = [0] + list(np.cumsum((rows != 0).sum(1)))
    indices = [int(c) for row in rows for c in np.flatnonzero(row)]
    names = {1: ("Int32Vector", "PrependInt32"), 2: ("Uint16Vector", "PrependUint16"), 3: ("Uint8Vector", "PrependUint8")}

    def numbers(b, kind, items):
        name, prepend = names[kind]
        v = vector(b, getattr(t, f"{name}StartValuesVector"), [int(i) for i in items], getattr(b, prepend))
        getattr(t, f"{name}Start")(b)
        getattr(t, f"{name}AddValues")(b, v)
        return getattr(t, f"{name}End")(b)

    def build(b):
        levels = []
        for size in array.shape[:-1]:
            t.DimensionMetadataStart(b)
            t.DimensionMetadataAddFormat(b, t.DimensionType.DENSE)
            t.DimensionMetadataAddDenseSize(b, size)
            levels.append(t.DimensionMetadataEnd(b))
        s, i = numbers(b, segments_kind, segments), numbers(b, indices_kind, indices)
        t.DimensionMetadataStart(b)
        t.DimensionMetadataAddFormat(b, t.DimensionType.SPARSE_CSR)
        t.DimensionMetadataAddArraySegmentsType(b, segments_kind)
        t.DimensionMetadataAddArraySegments(b, s)
        t.DimensionMetadataAddArrayIndicesType(b, indices_kind)
        t.DimensionMetadataAddArrayIndices(b, i)
        levels.append(t.DimensionMetadataEnd(b))
        order = vector(b, t.SparsityParametersStartTraversalOrderVector, list(range(array.ndim)), b.PrependInt32)
        ls = vector(b, t.SparsityParametersStartDimMetadataVector, levels, b.PrependUOffsetTRelative)
        t.SparsityParametersStart(b)
        t.SparsityParametersAddTraversalOrder(b, order)
        t.SparsityParametersAddDimMetadata(b, ls)
        return t.SparsityParametersEnd(b)
    return build


half = draw((6, 1, 1, 4)).astype(np.float16)
case("DEQUANTIZE of a filter", [activation((1, 2, 2, 4)), const(half), (list(half.shape), FLOAT, None, None), const(draw((6,))), activation((1, 2, 2, 6))],
     [(t.BuiltinOperator.DEQUANTIZE, 3, [1], [2], 0, None),
      (t.BuiltinOperator.CONV_2D, 1, [0, 2, 3], [4], CONV,
       options("Conv2D", Padding=1, StrideW=1, StrideH=1, FusedActivationFunction=0, DilationWFactor=1, DilationHFactor=1))], [0], [4])
for kinds in [(1, 1), (2, 3), (3, 3), (2, 2)]:
    dense = (draw((5, 1, 1, 9)) * (random.random((5, 1, 1, 9)) < 0.3)).astype(np.float16)
    dense[2] = 0
    tensors = [activation((1, 2, 3, 9)), (list(dense.shape), HALF, dense[dense != 0], sparsity(dense, *kinds)),
               (list(dense.shape), HALF, None, None), (list(dense.shape), FLOAT, None, None), const(draw((5,))), activation((1, 2, 3, 5))]
    case(f"DENSIFY with index vectors of type {kinds}", tensors,
         [(t.BuiltinOperator.DENSIFY, 1, [1], [2], 0, None), (t.BuiltinOperator.DEQUANTIZE, 3, [2], [3], 0, None),
          (t.BuiltinOperator.CONV_2D, 1, [0, 3, 4], [5], CONV,
           options("Conv2D", Padding=1, StrideW=1, StrideH=1, FusedActivationFunction=1, DilationWFactor=1, DilationHFactor=1))], [0], [5])

conv = lambda act=0, valid=1: options("Conv2D", Padding=valid, StrideW=1, StrideH=1, FusedActivationFunction=act, DilationWFactor=1, DilationHFactor=1)
shape = (1, 6, 5, 20)
case("a block: depthwise, pointwise, channel padding of the skip, addition, RELU",
     [activation(shape), const(draw((1, 3, 3, 20))), const(draw((20,))), activation(shape), const(draw((29, 1, 1, 20))), const(draw((29,))),
      activation((1, 6, 5, 29)), const(np.array([[0, 0], [0, 0], [0, 0], [0, 9]], np.int32)), activation((1, 6, 5, 29)), activation((1, 6, 5, 29)), activation((1, 6, 5, 29))],
     [(t.BuiltinOperator.DEPTHWISE_CONV_2D, 1, [0, 1, 2], [3], DEPTHWISE, options("DepthwiseConv2D", Padding=0, StrideW=1, StrideH=1, DepthMultiplier=1, FusedActivationFunction=0, DilationWFactor=1, DilationHFactor=1)),
      (t.BuiltinOperator.CONV_2D, 1, [3, 4, 5], [6], CONV, conv()),
      (t.BuiltinOperator.PAD, 1, [0, 7], [8], t.BuiltinOptions.PadOptions, options("Pad")),
      (t.BuiltinOperator.ADD, 1, [6, 8], [9], t.BuiltinOptions.AddOptions, options("Add", FusedActivationFunction=0)),
      (t.BuiltinOperator.RELU, 1, [9], [10], 0, None)], [0], [10])
case("a block whose convolution is read twice, so that nothing may be fused into it",
     [activation(shape), const(draw((20, 1, 1, 20))), const(draw((20,))), activation(shape), activation(shape), activation(shape)],
     [(t.BuiltinOperator.CONV_2D, 1, [0, 1, 2], [3], CONV, conv()),
      (t.BuiltinOperator.RELU, 1, [3], [4], 0, None),
      (t.BuiltinOperator.ADD, 1, [3, 4], [5], t.BuiltinOptions.AddOptions, options("Add", FusedActivationFunction=1))], [0], [5])
case("rows and columns padded before a VALID convolution and a VALID depthwise one",
     [activation((1, 5, 4, 6)), const(np.array([[0, 0], [1, 2], [2, 0], [0, 0]], np.int32)), activation((1, 8, 6, 6)),
      const(draw((7, 3, 3, 6))), const(draw((7,))), activation((1, 6, 4, 7)), const(draw((1, 3, 3, 6))), const(draw((6,))), activation((1, 6, 4, 6))],
     [(t.BuiltinOperator.PAD, 1, [0, 1], [2], t.BuiltinOptions.PadOptions, options("Pad")),
      (t.BuiltinOperator.CONV_2D, 1, [2, 3, 4], [5], CONV, conv(act=1)),
      (t.BuiltinOperator.DEPTHWISE_CONV_2D, 1, [2, 6, 7], [8], DEPTHWISE, options("DepthwiseConv2D", Padding=1, StrideW=1, StrideH=1, DepthMultiplier=1, FusedActivationFunction=0, DilationWFactor=1, DilationHFactor=1))],
     [0], [5, 8])

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "tflite_operators.json")
os.makedirs(os.path.dirname(path), exist_ok=True)
with open(path, "w") as file:
    json.dump({"cases": cases}, file, indent=0)
    file.write("\n")
print(len(cases), "cases,", os.path.getsize(path), "bytes")
