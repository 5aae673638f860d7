#!/usr/bin/env python3
"""LiteRT's outputs of public models of other makers, for a comparison with the engine.

    python public_models.py WORK [FOLDER ...]

The models are those of the installed package pyopen-wakeword and of further folders with .tflite files. Writes model,
inputs and outputs to WORK and prints JSON: for each model its name, its operators and the shapes of its outputs. INT8 inputs
and outputs are written as the real numbers that they stand for. LiteRT runs its reference kernels, without XNNPACK.
"""
import collections, importlib.util, json, pathlib, sys

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

work, folders = pathlib.Path(sys.argv[1]), [pathlib.Path(folder) for folder in sys.argv[2:]]
package = importlib.util.find_spec("pyopen_wakeword")
if package:
    folders.insert(0, pathlib.Path(package.origin).parent / "models")
random = np.random.default_rng(5)
names = {value: name for name, value in vars(schema.BuiltinOperator).items() if isinstance(value, int)}


def operators(data):
    model = schema.ModelT.InitFromPackedBuf(data, 0)
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    return dict(collections.Counter(names[codes[one.opcodeIndex]] for graph in model.subgraphs for one in graph.operators))


models = []
for path in sorted(path for folder in folders for path in folder.glob("*.tflite")):
    data = path.read_bytes()
    runner = Interpreter(model_content=data, num_threads=1, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    try:
        runner.allocate_tensors()
    except RuntimeError:
        continue  # Sizes of its input are open.
    stem = work / f"{len(models)}"
    stem.with_suffix(".tflite").write_bytes(data)
    inputs = runner.get_input_details()
    for index, detail in enumerate(inputs):
        scale, zero = detail["quantization"]
        if detail["dtype"] == np.int8:
            values = random.integers(-128, 128, detail["shape"]).astype(np.int8)
            reals = np.float32(scale) * (values.astype(np.float32) - zero)
        else:
            values = reals = random.uniform(-1, 1, detail["shape"]).astype(detail["dtype"])
        runner.set_tensor(detail["index"], values)
        reals.astype("<f4").tofile(f"{stem}.input{index}")
    runner.invoke()
    shapes = []
    for index, detail in enumerate(runner.get_output_details()):
        values, (scale, zero) = runner.get_tensor(detail["index"]), detail["quantization"]
        if values.dtype == np.int8:
            values = np.float32(scale) * (values.astype(np.float32) - zero)
        values.astype("<f4").tofile(f"{stem}.output{index}")
        shapes.append(list(values.shape))
    models.append({"name": path.stem, "inputs": len(inputs), "outputs": shapes, "operators": operators(data)})
print(json.dumps(models))
