# SPDX-License-Identifier: Apache-2.0
"""Linear nodes of NIR as lists of entries, and what several of them one after another do to a signal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_parameter

__all__ = ["CONSTANT", "Entries", "Signal", "applied", "identity", "operation", "plus"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Entries:
    """A matrix with delays: target[k] gets weight[k] times source[k], steps[k] time steps later; all of shape (n,)."""

    target: Ints
    source: Ints
    weight: Floats
    steps: Ints

    def after(self, before: Entries) -> Entries:
        """The matrix of both, this one applied to what another one gives."""
        order = np.argsort(before.target, kind="stable")
        first = np.searchsorted(before.target[order], self.source, "left")
        count = np.searchsorted(before.target[order], self.source, "right") - first
        own = np.repeat(np.arange(len(self.target)), count)
        theirs = order[np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())]
        weight, steps = self.weight[own] * before.weight[theirs], self.steps[own] + before.steps[theirs]
        return Entries(self.target[own], before.source[theirs], weight, steps).united()

    def united(self) -> Entries:
        """Entries of the same target, source and delay added up; those of weight 0 left out."""
        order = np.lexsort((self.steps, self.source, self.target))
        columns = [column[order] for column in (self.target, self.source, self.steps)]
        fresh = np.ones(len(order), bool)
        fresh[1:] = np.any([np.diff(column) != 0 for column in columns], axis=0)
        first = np.flatnonzero(fresh)
        weight = np.add.reduceat(self.weight[order], first) if len(first) else np.empty(0)
        keep = weight != 0.0
        target, source, steps = (column[first][keep] for column in columns)
        return Entries(target, source, weight[keep], steps)


Signal = Mapping[str, Entries]
"""What arrives at a node: a matrix from each node that sends spikes, by name, and from CONSTANT, whose one element is 1 in every step."""

CONSTANT = "constant"


def plus(a: Signal, b: Signal) -> Signal:
    """The sum of two signals."""
    return {name: _joined([part[name] for part in (a, b) if name in part]) for name in {**a, **b}}


def _joined(parts: list[Entries]) -> Entries:
    if len(parts) == 1:
        return parts[0]
    return Entries(*(np.concatenate([getattr(part, key) for part in parts]) for key in ("target", "source", "weight", "steps"))).united()


def identity(n: int) -> Entries:
    """Each element as it is."""
    every = np.arange(n)
    return Entries(every, every, np.ones(n), np.zeros(n, np.int64))


def applied(entries: Entries, bias: Floats, signal: Signal) -> Signal:
    """A linear node applied to a signal."""
    found = {name: entries.after(part) for name, part in signal.items()}
    some = np.flatnonzero(bias)
    constant = Entries(some, np.zeros(len(some), np.int64), bias[some], np.zeros(len(some), np.int64))
    return plus(found, {CONSTANT: constant}) if len(some) else found


# --- nodes


def operation(name: str, node: Any, dt: float) -> tuple[Entries, Floats]:
    """Matrix and constant of a linear node. Raises BadParameter."""
    kind = type(node).__name__
    made: tuple[Entries, Floats] = _OPERATIONS[kind](name, node, dt)
    return made


def _linear(name: str, node: Any, dt: float) -> tuple[Entries, Floats]:
    weight = np.asarray(node.weight, np.float64)
    if weight.ndim != 2:
        raise bad_parameter(f"weight of {name}", f"{weight.ndim} dimensions", "2 dimensions")
    target, source = np.nonzero(weight)
    bias = np.asarray(getattr(node, "bias", np.zeros(len(weight))), np.float64)
    return _plain(target, source, weight[target, source]), np.broadcast_to(bias, len(weight))


def _delay(name: str, node: Any, dt: float) -> tuple[Entries, Floats]:
    """Delays must be whole numbers of time steps."""
    delay = np.atleast_1d(np.asarray(node.delay, np.float64)).ravel()
    steps = np.rint(delay / dt)
    if (steps < 0).any() or (np.abs(delay / dt - steps) > 1e-6).any():
        raise bad_parameter(
            f"delay of {name}", float(delay[np.argmax(np.abs(delay / dt - steps))]), f"a multiple of dt = {dt:g}, at least 0"
        )
    n = len(delay)
    return Entries(np.arange(n), np.arange(n), np.ones(n), steps.astype(np.int64)), np.zeros(n)


def _flatten(name: str, node: Any, dt: float) -> tuple[Entries, Floats]:
    n = int(np.prod(node.input_type["input"]))
    return identity(n), np.zeros(n)


def _conv(name: str, node: Any, dt: float) -> tuple[Entries, Floats]:
    weight = np.asarray(node.weight, np.float64)
    outputs, inputs, *kernel = weight.shape
    groups, dilation = int(node.groups), _pair(node.dilation)
    if node.input_shape is None:
        raise bad_parameter(f"input_shape of {name}", None, "given: the size of the picture")
    size = _pair(node.input_shape)
    padding = _padding(name, node, kernel, dilation)
    at, place = _windows(size, kernel, _pair(node.stride), padding, dilation)
    pixels, places = int(np.prod(size)), int(np.prod(at))
    output, channel, tap = np.indices((outputs, inputs, kernel[0] * kernel[1])).reshape(3, -1)
    source_channel = channel + inputs * (output // (outputs // groups))
    window, pixel = place[tap]  # [entries, places]
    inside = pixel >= 0
    target = output[:, None] * places + window
    source = source_channel[:, None] * pixels + pixel
    values = np.broadcast_to(weight.reshape(outputs, inputs, -1)[output, channel, tap][:, None], target.shape)
    bias = np.asarray(node.bias, np.float64) if node.bias is not None else np.zeros(outputs)
    return _plain(target[inside], source[inside], values[inside]), np.repeat(np.broadcast_to(bias, outputs), places)


def _pool(name: str, node: Any, dt: float) -> tuple[Entries, Floats]:
    channels, *size = (int(k) for k in node.input_type["input"])
    kernel = list(_pair(node.kernel_size))
    at, place = _windows((size[0], size[1]), kernel, _pair(node.stride), _pair(node.padding), (1, 1))
    window, pixel = place[np.arange(kernel[0] * kernel[1])]
    inside = pixel >= 0
    target, source = (
        np.concatenate([c * step + column[inside] for c in range(channels)])
        for column, step in ((window, int(np.prod(at))), (pixel, size[0] * size[1]))
    )
    return _plain(target, source, np.ones(len(target))), np.zeros(channels * int(np.prod(at)))


_OPERATIONS = {"Linear": _linear, "Affine": _linear, "Delay": _delay, "Flatten": _flatten, "Conv2d": _conv, "SumPool2d": _pool}


def _plain(target: Any, source: Any, weight: Any) -> Entries:
    return Entries(target.astype(np.int64), source.astype(np.int64), weight.astype(np.float64), np.zeros(len(target), np.int64))


def _pair(value: Any) -> tuple[int, int]:
    first, second = np.broadcast_to(np.asarray(value, np.int64), 2).tolist()
    return first, second


def _padding(name: str, node: Any, kernel: list[int], dilation: tuple[int, int]) -> tuple[int, int]:
    given = node.padding
    if not isinstance(given, str):
        return _pair(given)
    if given == "valid":
        return 0, 0
    needed = [dilation[k] * (kernel[k] - 1) for k in range(2)]
    if given != "same" or any(n % 2 for n in needed) or _pair(node.stride) != (1, 1):
        raise bad_parameter(f"padding of {name}", given, "numbers, 'valid', or 'same' with stride 1 and kernels of odd size")
    return needed[0] // 2, needed[1] // 2


class _Places:
    """For taps of a kernel the pixel of each window, -1 outside the picture: indexing gives arrays of shape (taps, windows)."""

    def __init__(self, pixel: Ints) -> None:
        self._pixel = pixel

    def __getitem__(self, taps: Ints) -> tuple[Ints, Ints]:
        pixel = self._pixel[taps]
        return np.broadcast_to(np.arange(pixel.shape[1]), pixel.shape), pixel


def _windows(size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> tuple[tuple[int, int], _Places]:
    """Number of windows along each axis, and the pixels of each."""
    axes, counts = [], []
    for k in range(2):
        count = (size[k] + 2 * padding[k] - dilation[k] * (kernel[k] - 1) - 1) // stride[k] + 1
        at = np.arange(kernel[k])[:, None] * dilation[k] + np.arange(count)[None, :] * stride[k] - padding[k]
        axes.append(np.where((at >= 0) & (at < size[k]), at, -1))
        counts.append(count)
    row, column = axes[0][:, None, :, None], axes[1][None, :, None, :]
    pixel = np.where((row >= 0) & (column >= 0), row * size[1] + column, -1)
    return (counts[0], counts[1]), _Places(pixel.reshape(kernel[0] * kernel[1], counts[0] * counts[1]))
