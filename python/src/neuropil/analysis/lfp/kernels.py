# SPDX-License-Identifier: Apache-2.0
"""Kernels: the potential that one spike of a population adds on average, through its synapses on the cells of another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import to_floats, to_number, to_time, to_times, to_whole
from ...base.named import named_arguments
from ...base.quantities import plain
from ...errors import bad_length, bad_parameter
from .cells import Cell, Modes, positive
from .potentials import line_source, to_points

__all__ = ["Synapses", "disc", "kernel"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Synapses:
    """Synapses of a presynaptic population X on the cells of a postsynaptic population Y.

    count : mean number of synapses on Y of a neuron of X
    weight : their mean current at its peak (pA), above 0 for excitation; tau_syn : ms in which it decays, as of iaf_psc_exp
    delay : ms, a number, or the delays of all synapses or of some, over which the kernel is averaged
    places : rows (lowest z, highest z, share of the synapses), µm, shares add up to 1; default: everywhere. Within a row, by area of membrane.
    soma : whether the soma gets some, where it lies in such a row
    """

    count: float
    weight: float
    tau_syn: float = 2.0
    delay: ArrayLike = 1.0
    places: ArrayLike = ((-np.inf, np.inf, 1.0),)
    soma: bool = True

    def shares(self, cell: Cell, z: float) -> Floats:
        """Share of the synapses in each compartment of a cell whose soma is at z, float64 of shape (n_compartments,). Raises BadParameter."""
        rows = np.atleast_2d(to_floats("places", self.places))
        if rows.shape[1] != 3 or not np.isclose(rows[:, 2].sum(), 1.0) or (rows[:, 2] < 0.0).any():
            raise bad_parameter("places", self.places, "rows (lowest z, highest z, share), whose shares add up to 1")
        ends = np.sort(np.stack([cell.start[:, 2], cell.end[:, 2]]) + z, axis=0)
        flat = ends[0] == ends[1]
        found = np.zeros(len(cell.diameter))
        for low, high, share in rows:
            inside = np.clip(np.minimum(ends[1], high) - np.maximum(ends[0], low), 0.0, None) / np.where(flat, 1.0, ends[1] - ends[0])
            area = cell.areas * np.where(flat, (ends[0] >= low) & (ends[0] <= high), inside)
            area[0] *= self.soma
            if share and not area.sum():
                raise bad_parameter("places", (low, high, share), f"at heights where the cell with its soma at z = {z:g} µm has membrane")
            found += share * area / (area.sum() or 1.0)
        return found

    def waveforms(self, rates: Floats, lags: Floats) -> Floats:
        """Modes over time after a spike, per pA, averaged over delays; float64 of shape (n_lags, n_modes): exp(-t / tau_syn) convolved with exp(-rate t)."""
        delays, n = np.unique(to_times("delay", self.delay), return_counts=True)
        if not len(delays) or not (delays >= 0.0).all():
            raise bad_parameter("delay", self.delay, "at least 0 ms")
        own = 1.0 / positive("tau_syn", to_time("tau_syn", self.tau_syn))
        slow, apart = np.minimum(rates, own), np.abs(rates - own)
        near = apart < 1e-9 * own
        found = np.zeros((len(lags), len(rates)))
        for delay, weight in zip(delays, n / n.sum(), strict=True):
            t = np.maximum(lags - delay, 0.0)[:, None]
            found += weight * np.exp(-slow * t) * np.where(near, t, -np.expm1(-apart * t) / np.where(near, 1.0, apart))
        return found


@named_arguments
def kernel(
    cell: Cell,
    somata: ArrayLike,
    synapses: Synapses,
    electrodes: ArrayLike,
    *,
    dt: float = 0.1,
    length: float = 100.0,
    conductivity: float = 0.3,
) -> Floats:
    """The potential that one spike of X adds at electrodes (µV), float64 of shape (n_lags, n_electrodes); row k: k dt after the spike.

    cell : the form of all cells of Y, which are passive; somata : float64, shape (n_cells, 3), µm: their places (see `disc`)
    electrodes : float64, shape (n, 3), or z of shape (n,) for contacts on the axis, µm
    dt : ms between samples; length : ms, after which the kernel is taken to be 0; conductivity : of the tissue, S/m

    Each synapse is on a cell of Y drawn at random, so this is the mean over cells. Kernels of the same X add up over all Y. Raises BadLength,
    BadParameter.
    """
    modes, places = cell.modes(), to_points("somata", somata)
    if not len(places):
        raise bad_length("somata", 0, "at least one")
    points = to_points("electrodes", electrodes)
    gain = _gain(cell, modes, places, synapses, points, conductivity)
    step, last = positive("dt", to_time("dt", dt)), positive("length", to_time("length", length))
    lags = np.asarray(step * np.arange(int(np.ceil(last / step))), np.float64)
    weight = to_number("weight", plain("weight", synapses.weight, "pA"))
    if not np.isfinite(weight):
        raise bad_parameter("weight", weight, "a number of pA")
    size = positive("count", synapses.count) * weight / len(places)
    return size * synapses.waveforms(modes.rates, lags) @ gain.T


def _gain(cell: Cell, modes: Modes, somata: Floats, synapses: Synapses, points: Floats, conductivity: float) -> Floats:
    """Potential per mode, times mode per current of the synapses, added up over cells; shape (n_points, n_modes)."""
    gain = np.zeros((len(points), len(modes.rates)))
    for soma in somata:
        per_current = line_source(cell.start + soma, cell.end + soma, points, cell.diameter / 2.0, conductivity)
        gain += (per_current @ modes.out) * (modes.into @ synapses.shares(cell, soma[2]))
    return gain


@named_arguments
def disc(n: int, radius: float, z: float | tuple[float, float] = 0.0, *, seed: int = 1) -> Floats:
    """Places of n somata, evenly in a disc around the axis, float64 of shape (n, 3), µm.

    radius : µm; z : height of all, or the lowest and the highest, between which they lie evenly
    """
    if to_whole("n", n) < 1:
        raise bad_parameter("n", n, "at least 1")
    draw = np.random.default_rng(seed)
    away, angle = positive("radius", radius) * np.sqrt(draw.random(n)), 2.0 * np.pi * draw.random(n)
    low, high = np.broadcast_to(to_floats("z", z), 2)
    return np.column_stack([away * np.cos(angle), away * np.sin(angle), low + (high - low) * draw.random(n)])
