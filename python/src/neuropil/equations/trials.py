# SPDX-License-Identifier: Apache-2.0
"""Trials of one neuron in a network: the time step halved, and the rate as a function of the current. The model has been loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.libraries import matplotlib
from ..errors import bad_parameter
from ..model.devices import dc
from ..model.network import Network
from .description import Description

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["StepCheck", "fi_curve", "plot_fi_curve", "step_check"]


@dataclass(frozen=True)
class StepCheck:
    """What halving the time step changes; `print` shows it.

    Attributes
    ----------
    resolutions
        Time steps (ms), each half of the one before. The last one is what the others are compared with.
    spikes
        Number of spikes with each.
    shift
        Largest distance of a spike from the one of the same number with the last step (ms).
    difference
        Variable -> largest difference up to the first spike, in its unit, for each step.
    current
        Of the device (pA); None for a model that takes none. No spikes arrive.
    duration
        Of each run (ms).
    is_silent
        Whether the neuron sent no spike and no variable changed.
    """

    resolutions: tuple[float, ...]
    spikes: tuple[int, ...]
    shift: tuple[float, ...]
    difference: Mapping[str, tuple[float, ...]]
    current: float | None = None
    duration: float = 0.0
    is_silent: bool = False

    def __str__(self) -> str:
        head = ["h (ms)", "spikes", "shift (ms)", *self.difference]
        rows = zip(self.resolutions, self.spikes, self.shift, *self.difference.values(), strict=True)
        table = [head, *([f"{value:.3g}" for value in row] for row in rows)]
        lines = ["".join(f"{text:>12}" for text in row) for row in table]
        return "\n".join([self._input(), *lines, *([self._silence()] if self.is_silent else [])])

    def _input(self) -> str:
        current = "no current, as no equation has I_stim or I_e" if self.current is None else f"a current of {self.current:g} pA"
        return f"input: {current}; no spikes arrive. {self.duration:g} ms"

    def _silence(self) -> str:
        way = "parameters=dict(...)" if self.current is None else "current=... (pA) or parameters=dict(...)"
        return (
            f"Nothing happened: no spikes, and no variable changed. This says nothing about the time step: give {way} that make it change"
        )


def step_check(made: Description, current: float, duration: float, resolution: float, parameters: Mapping[str, Any]) -> StepCheck:
    """Three time steps: `resolution`, its half and its quarter."""
    refuse_noise(made)
    if current and not made.takes_current:
        raise bad_parameter("current", current, f"left out: no equation of {made.name} has I_stim or I_e")
    resolutions = (resolution, resolution / 2, resolution / 4)
    runs = [trial(made, current, duration, h, resolution, parameters) for h in resolutions]
    times, traces = runs[-1]
    first = min([duration, *(t[0] for t, _ in runs if len(t))])
    steps = int(first / resolution) - 1
    difference = {
        v.name: tuple(float(np.max(np.abs(trace[v.name][:steps] - traces[v.name][:steps]), initial=0.0)) for _, trace in runs)
        for v in made.variables
    }
    spikes, shifts = tuple(len(t) for t, _ in runs), tuple(shift(t, times) for t, _ in runs)
    is_silent = not any(spikes) and all(is_constant(trace[v.name]) for _, trace in runs for v in made.variables)
    return StepCheck(resolutions, spikes, shifts, difference, current if made.takes_current else None, duration, is_silent)


def is_constant(trace: NDArray[np.float64]) -> bool:
    """Whether the values differ by rounding only."""
    return bool(len(trace) == 0 or np.ptp(trace) <= 1e-12 * np.max(np.abs(trace)))


def refuse_noise(made: Description) -> None:
    """Noise differs from step to step, so its values differ with the time step."""
    if made.chance or made.program.draws:
        raise bad_parameter(
            "check",
            made.name,
            "called for a model without random numbers: noise and random resets take other values with another time step",
        )


def shift(times: NDArray[np.float64], reference: NDArray[np.float64]) -> float:
    """Largest distance of two spikes with the same number."""
    n = min(len(times), len(reference))
    return float(np.max(np.abs(times[:n] - reference[:n]), initial=0.0))


def trial(
    made: Description, current: float, duration: float, h: float, interval: float, parameters: Mapping[str, Any]
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Spike times, and each variable at multiples of the interval, of one neuron with a constant current."""
    net = Network(resolution=h, threads=1, seed=1)
    neuron = net.create(made.name, 1, **parameters)
    if made.takes_current:
        net.stimulate(neuron, dc(current), delay=2 * interval - h)  # a current acts a step after it has arrived
    spikes = net.record(neuron)
    names = [v.name for v in made.variables]
    states = net.record(neuron, names, interval=interval)
    net.run(duration, progress=False)
    data = states.data()
    return np.asarray(spikes.data().times), {name: np.asarray(data[name]).ravel() for name in names}


def fi_curve(
    made: Description, currents: ArrayLike, duration: float, skip: float, resolution: float, parameters: Mapping[str, Any]
) -> NDArray[np.float64]:
    """Rate (Hz) at each current, between `skip` and `skip` + `duration`."""
    if not made.takes_current:
        raise bad_parameter("fi_curve", made.name, "called for a model whose equations have I_stim or I_e")
    amplitudes = np.atleast_1d(np.asarray(currents, float))
    net = Network(resolution=resolution, threads=1, seed=1)
    neurons = net.create(made.name, len(amplitudes), **parameters)
    net.stimulate(neurons, dc(1.0), weight=amplitudes)
    record = net.record(neurons)
    net.run(skip + duration, progress=False)
    spikes = record.data()
    late = np.asarray(spikes.gids)[np.asarray(spikes.times) > skip]
    return np.array([np.count_nonzero(late == gid) for gid in neurons.gids]) / duration * 1e3


def plot_fi_curve(name: str, currents: ArrayLike, rates: NDArray[np.float64], ax: Axes | None) -> Axes:
    """Draws it."""
    if ax is None:
        ax = matplotlib().subplots(figsize=(5.0, 3.5), layout="constrained")[1]
    assert ax is not None
    ax.plot(np.atleast_1d(currents), rates, color="#1f5f99", marker=".")
    ax.set_xlabel("current (pA)")
    ax.set_ylabel("rate (Hz)")
    ax.set_title(name)
    return ax
