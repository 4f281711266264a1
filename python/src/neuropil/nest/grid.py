# SPDX-License-Identifier: Apache-2.0
"""Times as NEST tells them: rounded to the nearest tic, half up; a step is a whole number of tics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classes import Distribution
from ..engine import Floats
from .errors import NESTErrors, expect, is_a
from .kernel import Session, session
from .models.faces import FOREVER
from .models.node_models import NodeModel, node_models
from .models.synapse_models import SynapseModel, synapse_models
from .models.table import ModelTable

_HALF = 0.5 + 1e-9  # 0.35 ms are 3.5 steps of 0.1 ms, though their quotient as doubles is less
_WITH_BINS = ("correlation_detector", "correlomatrix_detector", "correlospinmatrix_detector")
_FAR = 1e15  # ms that no run reaches


def tics(ms: Any) -> Floats:
    """Times in tics, whole numbers as float64 of the shape of ms."""
    return np.floor(np.asarray(ms, np.float64) * session().tics + _HALF)


def steps(ms: Any) -> Floats:
    """Times in steps, float64 of the shape of ms; a whole number where a time is on the grid once it is a whole number of tics."""
    return tics(ms) / session().tics_per_step


def on_grid(ms: float) -> float | None:
    """A time (ms) on the grid; None where it is between two steps."""
    if not abs(ms) < _FAR:
        return ms if ms == ms else None
    step, between = divmod(math.floor(ms * session().tics + _HALF), session().tics_per_step)
    return None if between else float(time(step))


def checked(name: str, value: Any) -> float:
    """A time (ms) on the grid. Raises StepMultipleRequired."""
    found = on_grid(float(value))
    if found is None:
        raise NESTErrors.StepMultipleRequired(f"{name} = {value} ms must be a multiple of the resolution {session().resolution} ms.")
    return found


def window_time(key: str, value: Any) -> float:
    """A time (ms) that windows of nodes have, on the grid. Raises TypeMismatch, BadProperty."""
    expect(is_a(float, value), f"{key} takes a time in ms", value)
    ms = float(value)
    found = FOREVER if ms >= FOREVER else on_grid(ms)
    if found is None or (found < 0.0 and key in ("start", "stop", "origin")):
        raise NESTErrors.BadProperty(f"{key} = {value} ms must be a multiple of the simulation resolution, at least 0.")
    return found


def time(step: Any) -> Any:
    """Times (ms) of steps, as NEST shows them: tics times the length of a tic."""
    s = session()
    return step * s.tics_per_step * (1.0 / s.tics)


def delay_steps(ms: Any) -> Floats:
    """Delays in steps: the nearest, half up; float64 of the shape of ms."""
    return np.floor(np.asarray(ms, np.float64) / session().resolution + _HALF)


def check_delays(delay: Any) -> None:
    """Raises BadDelay outside of the bounds that were set by hand, or that there were when Simulate began."""
    bounds = session().delay_bounds
    if bounds is None:
        return
    if isinstance(delay, Distribution):
        low, high = delay.ends()
        if low < bounds[0] - 1e-9 or high > bounds[1] + 1e-9:
            raise NESTErrors.BadDelay("Delays that are drawn must be bounded by min_delay and max_delay, e.g. with nest.math.redraw")
        return
    steps, h = delay_steps(delay), session().resolution
    wrong = (steps * h < bounds[0] - 1e-9) | (steps * h > bounds[1] + 1e-9) | ~np.isfinite(steps)
    if wrong.any():
        why = (
            "Minimum and maximum delay cannot be changed after Simulate has been called."
            if session().simulated
            else f"Delay must be from min_delay {bounds[0]} to max_delay {bounds[1]}"
        )
        raise NESTErrors.BadDelay(f"Delay value {np.asarray(delay)[wrong].ravel()[0]:g} is invalid: {why}")


def check_new_delays(delay: Floats) -> None:
    """Raises BadDelay for delays (ms) that existing connections cannot have."""
    steps = delay_steps(delay)
    wrong = ~np.isfinite(steps) | (steps < 1)
    if wrong.any():
        raise NESTErrors.BadDelay(f"Delay value {delay[wrong][0]} is invalid: Delay must be greater than or equal to resolution")
    check_delays(delay)


def put(times: NDArray[np.float64], upwards: bool, shifted: bool) -> NDArray[np.float64]:
    """Times (ms) of a generator on the grid.

    upwards : those between steps move to the next one, else they stay, to be refused; shifted : those of now move one step on
    """
    at = steps(times)
    at = np.ceil(at) if upwards else at
    if shifted:
        now = round(session().time / session().resolution)
        at = np.where(at == now, now + 1.0, at)
    fits = at == np.floor(at)
    return np.where(fits, time(at), times)


def precise(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Precise times (ms): those that NEST takes for the end of a step are exactly that, for the kernel, too."""
    s, at = session(), np.rint(times / session().resolution)
    before = at * s.resolution - times
    return np.where((before >= 0.0) & (before < 2.0**-50 * times), np.minimum(at * s.tics_per_step / s.tics, at * s.resolution), times)


def models(s: Session) -> tuple[ModelTable[NodeModel], ModelTable[SynapseModel]]:
    """Models with defaults on the grid of a new resolution: delays move up, bins that do not fit have the number of steps they have of 0.1 ms."""
    nodes, synapses = node_models(), synapse_models()
    if s.tics % s.tics_per_step:
        for name in synapses:
            synapses[name].delay = float(time(math.ceil(synapses[name].delay / s.resolution - 1e-9)))
    for name in _WITH_BINS:
        extras = nodes[name].extras
        bins, width = extras["tau_max"] / extras["delta_tau"], _fitting(extras["delta_tau"])
        fits = abs(extras["tau_max"] / width - round(extras["tau_max"] / width)) < 1e-9
        nodes[name].shown = {}
        extras["delta_tau"], extras["tau_max"] = width, extras["tau_max"] if fits else bins * width
    noise = nodes["noise_generator"]
    if on_grid(noise.default("dt")) is None:
        noise.shown, noise.kernel["dt"] = {}, _fitting(noise.default("dt"))
    return nodes, synapses


def _fitting(ms: float) -> float:
    return ms if on_grid(ms) else float(time(round(ms / 0.1)))
