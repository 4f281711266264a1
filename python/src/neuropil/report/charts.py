# SPDX-License-Identifier: Apache-2.0
"""Charts as plain values, which plots.js draws."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Chart", "bars", "dots", "histogram", "lines", "packed", "stacked", "thinned"]

BINS = 50  # of a histogram
MOST_POINTS = 3000  # of a line: twice the pixels of a wide screen


@dataclass
class Chart:
    """One picture. kind : dots, lines, steps (histograms), bars or stacked; series : what plots.js reads of each."""

    kind: str
    title: str
    x: str
    y: str
    series: list[dict[str, Any]] = field(default_factory=list)
    note: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        about = {"kind": self.kind, "title": self.title, "x": self.x, "y": self.y, "note": self.note}
        return about | self.more | {"series": self.series}


def packed(values: ArrayLike) -> str:
    """float32, little-endian, in base64."""
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()


def dots(title: str, x: str, points: Mapping[str, tuple[ArrayLike, ArrayLike]], ticks: Sequence[tuple[float, str]], note: str) -> Chart:
    """A raster: x and row of each dot by name; the first row is on top."""
    series = [{"name": name, "x": packed(at), "y": packed(row)} for name, (at, row) in points.items()]
    return Chart("dots", title, x, "", series, note, {"ticks": [list(tick) for tick in ticks]})


def thinned(x: ArrayLike, y: ArrayLike, most: int = MOST_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """A line with at most `most` points: of each stretch the smallest and the largest value, so that peaks stay."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    size = -(-len(y) // (most // 2))
    if len(y) <= most:
        return x, y
    whole = len(y) // size * size
    parts = y[:whole].reshape(-1, size)
    begin = np.arange(0, whole, size)
    low, high = begin + parts.argmin(axis=1), begin + parts.argmax(axis=1)
    rest = np.arange(whole, len(y))
    kept = np.unique(np.concatenate([low, high, rest[[0, -1]] if len(rest) else rest]))
    return x[kept], y[kept]


def lines(title: str, x: str, y: str, curves: Mapping[str, tuple[ArrayLike, ArrayLike]], note: str = "", **more: bool) -> Chart:
    """Curves by name. more : log, both axes are logarithmic; wide, over the whole page."""
    series = []
    for name, (at, values) in curves.items():
        px, py = thinned(at, values)
        series.append({"name": name, "x": packed(px), "y": packed(py)})
    return Chart("lines", title, x, y, series, note, dict(more))


def histogram(title: str, x: str, values: Mapping[str, ArrayLike], note: str = "", outer: float = 0.001) -> Chart:
    """Histograms on common bins, which leave out the share `outer` of the values at each end; values that are not finite are left out."""
    known = {name: np.asarray(each, np.float64)[np.isfinite(each)] for name, each in values.items()}
    known = {name: each for name, each in known.items() if len(each)}
    every = np.concatenate([*known.values()]) if known else np.zeros(1)
    low, high = np.quantile(every, [outer, 1.0 - outer])
    edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    series = []
    for name, each in known.items():
        counts = np.histogram(each, edges)[0]
        series.append({"name": name, "x": packed(edges), "y": packed(counts / len(each))})
    return Chart("steps", title, x, "share of values", series, note)


def bars(title: str, x: str, values: Mapping[str, float], marks: Mapping[str, float] | None = None, coloured: bool = False) -> Chart:
    """A bar per name; marks : published values; coloured : a colour per bar, that of the populations."""
    numbers = [None if value != value else float(value) for value in values.values()]
    series = [{"name": "", "values": numbers}]
    places = None if not marks else [marks.get(name) for name in values]
    return Chart("bars", title, x, "", series, "", {"names": list(values), "marks": places, "coloured": coloured})


def stacked(title: str, x: str, rows: Sequence[str], parts: Mapping[str, Sequence[float]], note: str = "") -> Chart:
    """A bar per row, made of the values of each part."""
    series = [{"name": name, "values": [float(value) for value in values]} for name, values in parts.items()]
    return Chart("stacked", title, x, "", series, note, {"names": list(rows)})
