# SPDX-License-Identifier: Apache-2.0
"""Passive cells of cylindrical compartments, and their response to synaptic currents in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.checks import to_number, to_time
from ...base.named import named_arguments
from ...errors import bad_length, bad_parameter

__all__ = ["Cell", "Modes", "ball_and_stick", "positive"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Modes(NamedTuple):
    """What a linear cell does: each mode decays at a rate of its own.

    rates : float64, shape (n_modes,), 1/ms
    into : float64, shape (n_modes, n_compartments): mode per current (pA) into a compartment and ms
    out : float64, shape (n_compartments, n_modes): current that leaves a compartment through its membrane (pA), per mode
    """

    rates: Floats
    into: Floats
    out: Floats


@dataclass(frozen=True, eq=False)
class Cell:
    """A cell with a passive membrane, of cylinders that form a tree.

    start, end : float64, shape (n, 3), µm, relative to the soma: axes of the cylinders
    diameter : float64, shape (n,), µm
    parent : int64, shape (n,): the compartment to which each is connected; -1: none, of compartment 0, the soma; else smaller than its own number
    capacitance : µF/cm²; tau_m : ms; resistivity : of the axial current, Ω cm

    Raises BadLength, BadParameter.
    """

    start: Floats
    end: Floats
    diameter: Floats
    parent: Ints
    capacitance: float = 1.0
    tau_m: float = 10.0
    resistivity: float = 150.0

    def __post_init__(self) -> None:
        n = len(self.diameter)
        for name, shape in (("start", (n, 3)), ("end", (n, 3)), ("parent", (n,))):
            if getattr(self, name).shape != shape:
                raise bad_length(name, "x".join(map(str, getattr(self, name).shape)), "x".join(map(str, shape)))
        wrong = (self.parent < 0) | (self.parent >= np.arange(n))
        if not n or self.parent[0] != -1 or wrong[1:].any():
            raise bad_parameter("parent", self.parent.tolist(), "-1 for compartment 0, a smaller number than its own for each other one")
        object.__setattr__(self, "tau_m", to_time("tau_m", self.tau_m))
        for name in ("capacitance", "tau_m", "resistivity"):
            positive(name, getattr(self, name))
        if not (self.lengths > 0.0).all() or not (self.diameter > 0.0).all():
            raise bad_parameter("diameter", self.diameter.tolist(), "positive, and so must be the lengths from start to end")

    @property
    def lengths(self) -> Floats:
        """Lengths of the compartments (µm), float64 of shape (n,)."""
        return np.asarray(np.linalg.norm(self.end - self.start, axis=1))

    @property
    def areas(self) -> Floats:
        """Area of the membrane of each compartment (µm²), float64 of shape (n,)."""
        return np.asarray(np.pi * self.diameter * self.lengths)

    @property
    def capacitances(self) -> Floats:
        """Capacitance of each compartment (pF), float64 of shape (n,)."""
        return np.asarray(0.01 * self.capacitance * self.areas)

    def axial(self) -> Floats:
        """Matrix of axial conductances (nS), shape (n, n): times potentials it is the current that flows out of each compartment along the tree."""
        half = (
            0.5e-5 * self.resistivity * self.lengths / (0.25 * np.pi * self.diameter**2)
        )  # 1/nS, from the middle of a compartment to its end
        child = np.arange(1, len(half))
        matrix = np.zeros((len(half), len(half)))
        for own, other in ((child, self.parent[1:]), (self.parent[1:], child)):
            between = 1.0 / (half[own] + half[other])
            np.add.at(matrix, (own, own), between)
            matrix[own, other] = -between
        return matrix

    def modes(self) -> Modes:
        """Eigenmodes of the cable equation: those of the symmetric matrix C^-1/2 (G_axial + C / tau_m) C^-1/2."""
        axial, scale = self.axial(), 1.0 / np.sqrt(self.capacitances)
        rates, vectors = np.linalg.eigh(scale[:, None] * axial * scale)
        into = vectors.T * scale
        return Modes(np.maximum(rates, 0.0) + 1.0 / self.tau_m, into, -axial @ into.T)


@named_arguments
def ball_and_stick(
    soma: float = 20.0,
    apical: float = 500.0,
    basal: float = 0.0,
    *,
    diameter: float = 2.0,
    step: float = 20.0,
    capacitance: float = 1.0,
    tau_m: float = 10.0,
    resistivity: float = 150.0,
) -> Cell:
    """A soma with one dendrite up (apical) and one down (basal), along z.

    soma : diameter (µm), also the length of its cylinder, whose membrane has the area of the sphere
    apical, basal : lengths of the dendrites (µm); 0: none
    diameter : of the dendrites (µm); step : longest compartment (µm)
    capacitance, tau_m, resistivity : as of `Cell`

    Raises BadParameter.
    """
    for name, value in (("soma", soma), ("diameter", diameter), ("step", step)):
        positive(name, value)
    tops, bottoms, parents = [0.5 * soma], [-0.5 * soma], [-1]
    for name, length, sign in (("apical", apical, 1.0), ("basal", basal, -1.0)):
        if not 0.0 <= length < np.inf:
            raise bad_parameter(name, length, "a length in µm, 0 for none")
        edges = sign * (0.5 * soma + np.linspace(0.0, length, int(np.ceil(length / step)) + 1))
        parents += [0 if k == 0 else len(parents) + k - 1 for k in range(len(edges) - 1)]
        bottoms += edges[:-1].tolist()
        tops += edges[1:].tolist()
    bottom, top = (np.column_stack([np.zeros((len(z), 2)), z]) for z in (bottoms, tops))
    diameters = np.array([soma] + [diameter] * (len(tops) - 1))
    return Cell(bottom, top, diameters, np.array(parents, np.int64), capacitance, tau_m, resistivity)


def positive(name: str, value: float) -> float:
    """A positive number; raises BadParameter, BadType."""
    found = to_number(name, value)
    if not 0.0 < found < np.inf:
        raise bad_parameter(name, value, "a positive number")
    return found
