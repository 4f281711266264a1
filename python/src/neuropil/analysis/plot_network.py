# SPDX-License-Identifier: Apache-2.0
"""A picture of a network: populations as boxes, projections as arrows. See `plot`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.libraries import matplotlib
from ..base.named import named_arguments
from ..model.diagram import Arrow, Box, diagram
from .axes import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..model.projection import Connected

__all__ = ["network"]

_COLOURS = {1: COLOURS[0], -1: COLOURS[1], 0: "#808080"}
_SIGNS = {1: "weight > 0", -1: "weight < 0", 0: "other weights"}
_WIDTHS = (0.6, 3.5)  # points, of the fewest and the most synapses
_MOST_NUMBERS = 12  # arrows that get their number of synapses written beside them
_SIZE = (0.62, 0.26)  # width and height of a box
_NEAR = 1.15  # distance of neighbours on the circle
_INCHES = 1.75  # per unit, so that two lines of text fit into a box
_MOST_INCHES = 24.0


@named_arguments
def network(net: Connected, *, devices: bool = True, ax: Axes | None = None) -> Axes:
    """Populations of a network as boxes, and the synapses between each two of them as an arrow. Builds nothing.

    Blue arrows have positive weights, red arrows negative ones, grey arrows both or unknown ones. Wider arrows have more synapses; for few arrows
    the number is written beside them. Numbers are those that the rules make, or their means.

    devices : False leaves the stimulators out
    """
    boxes, arrows = diagram(net)
    places = layout(boxes, arrows, devices)
    shown = [arrow for arrow in arrows if arrow.source in places and arrow.target in places]
    low, high = _limits([*places.values()])
    axes: Any = ax
    if ax is None:
        size = np.minimum((high - low) * _INCHES, _MOST_INCHES)
        axes = matplotlib().subplots(figsize=size, layout="constrained")[1]
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set_axis_off()
    for arrow in shown:
        _arrow(axes, arrow, places, _width(arrow, shown), len(shown) <= _MOST_NUMBERS, _double(arrow, shown))
    for k, place in places.items():
        _box(axes, boxes[k], place)
    _legend(axes, shown)
    return axes  # type: ignore[no-any-return]


def layout(boxes: Sequence[Box], arrows: Sequence[Arrow], devices: bool) -> dict[int, Any]:
    """Centre of each box that is shown, by its position: neurons on a circle, or side by side; devices outside of it, beside their one target or above."""
    neurons = [k for k, box in enumerate(boxes) if not box.is_device]
    radius = _radius(len(neurons))
    angles = math.pi * (1.0 - 2.0 * np.arange(len(neurons)) / max(len(neurons), 1))  # from the left, clockwise
    places: dict[int, Any] = {k: radius * np.array([math.cos(a), 0.8 * math.sin(a)]) for k, a in zip(neurons, angles, strict=True)}
    if not devices:
        return places
    targets = {k: {a.target for a in arrows if a.source == k and a.target in places} for k, box in enumerate(boxes) if box.is_device}
    before: dict[int, int] = {}  # devices that stand beside a target already
    above = []
    for k, driven in targets.items():
        if len(driven) != 1 or len(neurons) == 1:
            above.append(k)
            continue
        (target,) = driven
        before[target] = before.get(target, 0) + 1
        angle = angles[neurons.index(target)]
        places[k] = places[target] + before[target] * np.array([0.9 * math.cos(angle), 0.62 * math.sin(angle)])
    top = max((place[1] for place in places.values()), default=0.0)
    columns = max(1, round(2.0 * radius) + 1)
    for n, k in enumerate(above):
        row, column = divmod(n, columns)
        here = min(columns, len(above) - row * columns)
        places[k] = np.array([(column - 0.5 * (here - 1)) * 0.95, top + 0.8 + 0.5 * row])
    return places


def _limits(places: Sequence[Any]) -> tuple[Any, Any]:
    """Corners of a picture around all boxes and loops, with room for the legend."""
    if not places:
        return np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    return np.min(places, axis=0) - np.array([0.5, 0.68]), np.max(places, axis=0) + np.array([0.5, 0.52])


def _radius(n: int) -> float:
    """Radius of a circle on which n boxes have room."""
    return 0.0 if n < 2 else max(0.8, 0.5 * _NEAR / math.sin(math.pi / n))


def _width(arrow: Arrow, shown: Sequence[Arrow]) -> float:
    """Width of an arrow (points), by the logarithm of its synapses."""
    known = [math.log10(a.synapses) for a in shown if a.synapses]
    if not arrow.synapses:
        return _WIDTHS[0]
    low, high = min(known), max(known)
    part = (math.log10(arrow.synapses) - low) / (high - low) if high > low else 0.4
    return _WIDTHS[0] + part * (_WIDTHS[1] - _WIDTHS[0])


def _double(arrow: Arrow, shown: Sequence[Arrow]) -> int:
    """How many arrows of other signs between the same boxes come before."""
    same = [a for a in shown if (a.source, a.target) == (arrow.source, arrow.target)]
    return same.index(arrow)


def _arrow(ax: Any, arrow: Arrow, places: dict[int, Any], width: float, numbered: bool, before: int) -> None:
    """An arc from box to box, or a loop beside the box."""
    patches = matplotlib("patches")
    begin, end, bend = _ends(places[arrow.source], places[arrow.target], arrow.source == arrow.target, before)
    style = f"Simple,tail_width={width},head_width={2.0 * width + 3.0},head_length={2.0 * width + 3.0}"
    colour = _COLOURS[arrow.sign]
    path = f"arc3,rad={bend}"
    ax.add_patch(
        patches.FancyArrowPatch(begin, end, connectionstyle=path, arrowstyle=style, color=colour, alpha=0.75, linewidth=0, zorder=1)
    )
    if numbered and arrow.synapses is not None:
        middle = _on_arc(begin, end, bend)
        ax.text(*middle, count(arrow.synapses), fontsize=7, color=colour, ha="center", va="center", zorder=4, bbox=_PAPER)


_PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}


def _ends(source: Any, target: Any, loop: bool, before: int) -> tuple[Any, Any, float]:
    """Points on the edges of the two boxes, and the bend of the arc."""
    half = 0.5 * np.array(_SIZE)
    if loop:  # on the outer corner of the box
        side, away = (-1.0 if x < -1e-9 else 1.0 for x in source)
        edge = source + np.array([0.1 * side, away * half[1]])
        return edge, edge + np.array([0.19 * side, 0.0]), side * away * -(2.4 + before)
    along = target - source
    return _edge(source, along, half), _edge(target, -along, half * 1.06), 0.18 + 0.14 * before


def _edge(centre: Any, along: Any, half: Any) -> Any:
    """Where a ray from the centre leaves the box."""
    return centre + along * min(half[i] / abs(along[i]) for i in range(2) if abs(along[i]) > 1e-12)


def _on_arc(begin: Any, end: Any, bend: float) -> Any:
    """The middle of matplotlib's arc3: a Bezier curve whose control point lies beside the middle of the chord."""
    chord = end - begin
    control = 0.5 * (begin + end) + bend * np.array([chord[1], -chord[0]])
    return 0.25 * begin + 0.5 * control + 0.25 * end


def _box(ax: Any, box: Box, place: Any) -> None:
    """A population: its name, its number of nodes and its model."""
    patches = matplotlib("patches")
    corner = place - 0.5 * np.array(_SIZE)
    shape = "round,pad=0.02,rounding_size=0.12" if box.is_device else "square,pad=0.0"
    face = "#f2f2f2" if box.is_device else "white"
    ax.add_patch(patches.FancyBboxPatch(corner, *_SIZE, boxstyle=shape, facecolor=face, edgecolor="#333333", linewidth=1.0, zorder=3))
    model = box.model if len(box.model) <= 20 else box.model[:19] + "…"
    number = "" if box.is_device and box.nodes == 1 else count(box.nodes)
    text = "\n".join(filter(None, [f"{box.name}  {number}".strip(), model]))
    ax.text(*place, text, ha="center", va="center", fontsize=7, zorder=5)


def _legend(ax: Any, shown: Sequence[Arrow]) -> None:
    """The colours that are there."""
    lines = matplotlib("lines")
    signs = [sign for sign in (1, -1, 0) if any(arrow.sign == sign for arrow in shown)]
    handles = [lines.Line2D([], [], color=_COLOURS[sign], linewidth=3.0, label=_SIGNS[sign]) for sign in signs]
    if handles:
        ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, -0.02), ncols=len(handles), frameon=False, fontsize=8)


def count(n: float) -> str:
    """A number for people: 320, 4.0 k, 1.3 M."""
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e4)):
        if n >= factor:
            return f"{n / (1e3 if unit == 'k' else factor):.3g} {unit}"
    return f"{n:.0f}"
