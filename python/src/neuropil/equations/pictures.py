# SPDX-License-Identifier: Apache-2.0
"""Pictures of models from equations, and the slopes that they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.libraries import matplotlib
from ..errors import bad_parameter, nearest
from .description import Description
from .evaluating import value_of
from .names import CURRENT, STEP
from .units import named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["phase_plane", "slopes"]

Values = Mapping[str, ArrayLike]
COLOURS = ("#1f5f99", "#c2452d")  # those of neuropil.plot


def slopes(made: Description, state: Values, current: ArrayLike, parameters: Values) -> dict[str, NDArray[np.float64]]:
    """Slope of each variable (its unit per ms), with `current` (pA) from devices and without noise. Raises BadParameter."""
    states = [(x.name, x.initial) for x in made.program.states if not x.hidden]
    defaults = {v.name: v.initial for v in made.variables} | dict(states)
    values: dict[str, Any] = {**checked(defaults, state, "state"), CURRENT: np.asarray(current, float)}
    values |= checked({p.name: p.default for p in made.parameters}, parameters, "parameters")
    values |= dict.fromkeys([*made.noise, *made.rate_inputs], 0.0) | {STEP: 0.1}
    shape = np.broadcast_shapes(*(np.shape(value) for value in values.values()))
    with np.errstate(all="ignore"):
        for part in made.parts:
            values[part.name] = value_of(part.value, values)
        return {v.name: np.broadcast_to(np.asarray(value_of(v.slope, values), float), shape) for v in made.variables}


def checked(defaults: Mapping[str, float], given: Values, what: str) -> dict[str, Any]:
    """The defaults with what is given in their place."""
    for name in given:
        if name not in defaults:
            raise bad_parameter(what, name, f"one of {', '.join(defaults)}{nearest(name, defaults)}")
    return {**defaults, **{name: np.asarray(value, float) for name, value in given.items()}}


def phase_plane(
    made: Description,
    x: tuple[str, float, float],
    y: tuple[str, float, float],
    state: Values,
    current: float,
    parameters: Values,
    ax: Axes | None,
) -> Axes:
    """Flow and nullclines of two variables, each given as (name, least, greatest)."""
    (x_name, left, right), (y_name, lower, upper) = x, y
    grid = np.meshgrid(np.linspace(left, right, 201), np.linspace(lower, upper, 201))
    found = slopes(made, {**state, x_name: grid[0], y_name: grid[1]}, current, parameters)
    if ax is None:
        ax = matplotlib().subplots(figsize=(5.5, 4.5), layout="constrained")[1]
    assert ax is not None
    flow = [np.ma.masked_invalid(found[name]) for name in (x_name, y_name)]
    ax.streamplot(grid[0], grid[1], flow[0], flow[1], color="#b0b0b0", linewidth=0.6, arrowsize=0.7, density=1.1)
    for name, colour, slope in zip((x_name, y_name), COLOURS, flow, strict=True):
        ax.contour(grid[0], grid[1], slope, levels=[0.0], colors=[colour], linewidths=1.6)
        ax.plot([], [], color=colour, label=f"d{name}/dt = 0")
    units = {v.name: named(v.unit) for v in made.variables}
    for name, set_label in ((x_name, ax.set_xlabel), (y_name, ax.set_ylabel)):
        set_label(f"{name} ({units[name]})" if units[name] else name)
    ax.set_xlim(left, right)
    ax.set_ylim(lower, upper)
    ax.legend(loc="upper right", fontsize="small", framealpha=0.9, edgecolor="none")
    ax.set_title(f"{made.name}, {current:g} pA")
    return ax
