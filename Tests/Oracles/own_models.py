#!/usr/bin/env python3
"""A detector and landmark models that find one light square on black: `own_models.py`.

Writes expected/own_models.json with the models' bytes (base64), which are made here. The input is 16x16 RGB from 0 to 1. The
detector gives one box of fixed size around the centre of brightness, the landmark models five points around it, from 0 to 1
over the input, and a presence. One landmark model has its weights as FLOAT16, one as INT8.
"""
import base64
import json
import os

import numpy as np

from tflite_builder import B, O, Tensor, build, options

SIDE = 16
BOX = (0.3, 0.4)
OFFSETS = np.array([-.2, -.1, .2, -.1, 0, .05, -.15, .2, .15, .2], np.float32)
x, y = np.meshgrid((np.arange(SIDE) + .5) / SIDE, (np.arange(SIDE) + .5) / SIDE)
places = np.repeat(np.stack([x, y]).reshape(2, -1), 3, axis=1).astype(np.float32)
ones = np.ones((1, places.shape[1]), np.float32)
DENSE = O.FullyConnectedOptions


def moments(points, kind):
    """Tensors 0 to 4 and the operators that make moments, 3, and mass, 4, of the image, 0; `kind` is that of the weights."""
    weights = np.tile(places, (points, 1))
    tensors = [Tensor((1, SIDE, SIDE, 3)), None, Tensor(ones.shape, ones), Tensor((1, 2 * points)), Tensor((1, 1))]
    operators = [(B.FULLY_CONNECTED, 1 if kind != "int8" else 3, [0, 1, -1], [3], DENSE, options("FullyConnected")),
                 (B.FULLY_CONNECTED, 1, [0, 2, -1], [4], DENSE, options("FullyConnected"))]
    if kind == "int8":
        tensors[1] = Tensor(weights.shape, np.round(weights * 127).astype(np.int8), 1 / 127)
    elif kind == "float16":
        tensors[1] = Tensor(weights.shape)
        tensors.append(Tensor(weights.shape, weights.astype(np.float16)))
        operators.insert(0, (B.DEQUANTIZE, 3, [5], [1], 0, None))
    else:
        tensors[1] = Tensor(weights.shape, weights)
    return tensors, operators


def add(tensors, *more):
    tensors.extend(more)
    return list(range(len(tensors) - len(more), len(tensors)))


def logistic_of_mass(tensors, operators):
    """The probability that there is light."""
    weight, bias, logit, score = add(
        tensors, Tensor((1, 1), np.array([[.2]], np.float32)), Tensor((1,), np.array([-2], np.float32)), Tensor((1, 1)), Tensor((1, 1)))
    operators += [(B.FULLY_CONNECTED, 1, [4, weight, bias], [logit], DENSE, options("FullyConnected")),
                  (B.LOGISTIC, 1, [logit], [score], 0, None)]
    return score


def landmarks(kind):
    tensors, operators = moments(5, kind)
    center, offsets, points = add(tensors, Tensor((1, 10)), Tensor((1, 10), OFFSETS[None]), Tensor((1, 10)))
    operators += [(B.DIV, 1, [3, 4], [center], O.DivOptions, options("Div")),
                  (B.ADD, 1, [center, offsets], [points], O.AddOptions, options("Add"))]
    return build(tensors, operators, [0], [points, logistic_of_mass(tensors, operators)])


def detector():
    tensors, operators = moments(1, "float")
    center, size, box = add(tensors, Tensor((1, 2)), Tensor((1, 2), np.array([BOX], np.float32)), Tensor((1, 4)))
    operators += [(B.DIV, 1, [3, 4], [center], O.DivOptions, options("Div")),
                  (B.CONCATENATION, 1, [center, size], [box], O.ConcatenationOptions, options("Concatenation", axis=1))]
    return build(tensors, operators, [0], [box, logistic_of_mass(tensors, operators)])


models = {"detector": detector(), **{kind: landmarks(kind) for kind in ("float", "float16", "int8")}}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "own_models.json")
with open(path, "w") as file:
    json.dump({name: base64.b64encode(data).decode() for name, data in models.items()}, file, indent=0)
    file.write("\n")
print(len(models), "models,", os.path.getsize(path), "bytes")
