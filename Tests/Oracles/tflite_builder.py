#!/usr/bin/env python3
"""Writes TFLite models with quantised tensors, for the oracles that import it."""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

B, O = schema.BuiltinOperator, schema.BuiltinOptions
KINDS = {np.dtype(np.float32): 0, np.dtype(np.float16): 1, np.dtype(np.int32): 2, np.dtype(np.int8): 9}


class Tensor:
    """A tensor: shape, data or None, and for INT8 its scales, zero points and axis."""

    def __init__(self, shape, data=None, scale=None, zero=0, axis=0, kind=None, signature=None):
        self.shape, self.data, self.axis, self.signature = list(shape), data, axis, signature
        self.scale = None if scale is None else np.atleast_1d(np.float32(scale))
        self.zero = np.broadcast_to(np.int64(zero), (0 if scale is None else len(self.scale),))
        self.kind = kind if kind is not None else 9 if scale is not None and data is None else 0 if data is None else KINDS[data.dtype]


def build(tensors, operators, inputs, outputs):
    """operators: (code, version, inputs, outputs, options type, options)."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.buffers, model.operatorCodes, graph.tensors, graph.operators = 3, [schema.BufferT()], [], [], []
    for number, one in enumerate(tensors):
        made = schema.TensorT()
        made.name, made.shape, made.type, made.buffer = f"t{number}", one.shape, one.kind, 0
        if one.signature:
            made.shapeSignature = one.signature
        if one.data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(one.data).tobytes(), np.uint8)
            made.buffer = len(model.buffers)
            model.buffers.append(buffer)
        if one.scale is not None:
            made.quantization = schema.QuantizationParametersT()
            made.quantization.scale, made.quantization.zeroPoint = one.scale, one.zero
            made.quantization.quantizedDimension = one.axis
        graph.tensors.append(made)
    for code, version, ins, outs, kind, options in operators:
        one, node = schema.OperatorCodeT(), schema.OperatorT()
        one.builtinCode, one.deprecatedBuiltinCode, one.version = code, min(code, 127), version
        node.opcodeIndex, node.inputs, node.outputs = len(model.operatorCodes), ins, outs
        node.builtinOptionsType, node.builtinOptions = kind, options
        model.operatorCodes.append(one)
        graph.operators.append(node)
    graph.inputs, graph.outputs, model.subgraphs = inputs, outputs, [graph]
    builder = flatbuffers.Builder(1 << 12)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def options(name, **fields):
    table = getattr(schema, f"{name}OptionsT")()
    for key, value in fields.items():
        assert hasattr(table, key), key
        setattr(table, key, value)
    return table
