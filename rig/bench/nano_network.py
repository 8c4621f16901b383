"""A detector network of the size of YOLOv8n, with random weights: to say what one run of such a network costs on this machine.

Speed does not depend on what the weights are. The layers follow the published description of the network (five stages of 16 to 256
channels, split-and-join blocks, pooling pyramid, three heads); as there it has about 3.2 million parameters and needs 8.7 thousand million
multiplications and additions for a picture of 640 x 640 pixels, both of which `size_of` counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE_PX = 640

CLASSES = 80

_BINS = 16
"""Each side of a box is a distribution over so many distances."""


@dataclass(frozen=True)
class Plane:
    """A tensor of the graph: its name, channels, and height and width in pixels."""

    name: str
    channels: int
    side: int


@dataclass
class Graph:
    """The graph as far as it has been written, with what it costs."""

    rng: np.random.Generator
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)
    parameters: int = 0
    operations: int = 0

    def _name(self, word: str) -> str:
        return f"{word}{len(self.nodes)}"

    def constant(self, values: npt.NDArray[np.float32] | npt.NDArray[np.int64]) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def node(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        name = self._name(kind.lower())
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def conv(self, plane: Plane, channels: int, kernel: int = 3, stride: int = 1, plain: bool = False) -> Plane:
        """A convolution with its bias (batch normalisation folded in), and x * sigmoid(x) after it unless `plain`."""
        spread = 1.4 / np.sqrt(plane.channels * kernel * kernel)
        weight = self.rng.normal(0, spread, (channels, plane.channels, kernel, kernel)).astype(np.float32)
        inputs = [plane.name, self.constant(weight), self.constant(np.zeros(channels, np.float32))]
        pad = kernel // 2
        name = self.node("Conv", inputs, kernel_shape=[kernel, kernel], strides=[stride, stride], pads=[pad] * 4)
        if not plain:
            name = self.node("Mul", [name, self.node("Sigmoid", [name])])
        side = plane.side // stride
        self.parameters += weight.size + channels
        self.operations += 2 * weight.size * side * side
        return Plane(name, channels, side)

    def joined(self, *planes: Plane) -> Plane:
        name = self.node("Concat", [plane.name for plane in planes], axis=1)
        return Plane(name, sum(plane.channels for plane in planes), planes[0].side)

    def split_join(self, plane: Plane, channels: int, blocks: int, add: bool) -> Plane:
        """Half of the channels go through `blocks` pairs of convolutions; every stage is kept and all are joined by a 1 x 1 convolution."""
        half = channels // 2
        whole = self.conv(plane, channels, 1)
        sizes = self.constant(np.array([half, half], np.int64))
        names = [self._name("left"), self._name("right")]
        self.nodes.append(helper.make_node("Split", [whole.name, sizes], names, axis=1))
        parts = [Plane(name, half, plane.side) for name in names]
        for _ in range(blocks):
            after = self.conv(self.conv(parts[-1], half), half)
            parts.append(Plane(self.node("Add", [parts[-1].name, after.name]), half, plane.side) if add else after)
        return self.conv(self.joined(*parts), channels, 1)

    def pyramid(self, plane: Plane) -> Plane:
        """Three poolings in a row, joined with what went in."""
        stages = [self.conv(plane, plane.channels // 2, 1)]
        for _ in range(3):
            name = self.node("MaxPool", [stages[-1].name], kernel_shape=[5, 5], strides=[1, 1], pads=[2, 2, 2, 2])
            stages.append(Plane(name, stages[0].channels, plane.side))
        return self.conv(self.joined(*stages), plane.channels, 1)

    def doubled(self, plane: Plane) -> Plane:
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        name = self.node(
            "Resize", [plane.name, "", scales], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"
        )
        return Plane(name, plane.channels, 2 * plane.side)

    def head(self, plane: Plane) -> str:
        """Box distributions and class scores of one scale, (1, 4 * bins + classes, side * side)."""
        box = self.conv(self.conv(self.conv(plane, 64), 64), 4 * _BINS, 1, plain=True)
        score = self.conv(self.conv(self.conv(plane, CLASSES), CLASSES), CLASSES, 1, plain=True)
        shape = self.constant(np.array([1, 4 * _BINS + CLASSES, plane.side * plane.side], np.int64))
        return self.node("Reshape", [self.joined(box, score).name, shape])


def nano_network(seed: int = 0) -> tuple[bytes, int, int]:
    """The network as ONNX bytes, its number of parameters, and its multiplications and additions for one picture (1, 3, 640, 640)."""
    g = Graph(np.random.default_rng(seed))
    x = g.conv(g.conv(Plane("picture", 3, SIDE_PX), 16, stride=2), 32, stride=2)
    x = g.split_join(x, 32, 1, add=True)
    fine = g.split_join(g.conv(x, 64, stride=2), 64, 2, add=True)
    middle = g.split_join(g.conv(fine, 128, stride=2), 128, 2, add=True)
    coarse = g.pyramid(g.split_join(g.conv(middle, 256, stride=2), 256, 1, add=True))
    up = g.split_join(g.joined(g.doubled(coarse), middle), 128, 1, add=False)
    first = g.split_join(g.joined(g.doubled(up), fine), 64, 1, add=False)
    second = g.split_join(g.joined(g.conv(first, 64, stride=2), up), 128, 1, add=False)
    third = g.split_join(g.joined(g.conv(second, 128, stride=2), coarse), 256, 1, add=False)
    told = g.node("Concat", [g.head(plane) for plane in (first, second, third)], axis=2)
    places = sum(plane.side * plane.side for plane in (first, second, third))
    graph = helper.make_graph(
        g.nodes,
        "nano",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, SIDE_PX, SIDE_PX])],
        [helper.make_tensor_value_info(told, TensorProto.FLOAT, [1, 4 * _BINS + CLASSES, places])],
        g.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model.SerializeToString(), g.parameters, g.operations
