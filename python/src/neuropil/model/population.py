# SPDX-License-Identifier: Apache-2.0
"""Populations of neurons as one node each, with as long a history of their spikes as they need, for `Network.create`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..base.checks import to_floats, to_vector, to_whole
from ..errors import bad_parameter, unknown_name
from . import catalog

__all__ = ["GifPopulation", "gif_population", "history_steps"]

MODEL = "gif_pop_psc_exp"
_LONGEST = 20000.0  # ms
_NEGLIGIBLE = 0.1  # of Delta_V: an adaptation below is that of a neuron that never fired


@dataclass(frozen=True)
class GifPopulation:
    """A model of populations. values : parameters by the kernel's names; len_kernel : steps of the history, None: as many as are needed."""

    values: Mapping[str, float] = field(default_factory=dict)
    len_kernel: int | None = None

    def name(self, resolution: float) -> str:
        """The name that the kernel has for it with steps of `resolution` (ms). Raises BadParameter for a history that refractory neurons outlast."""
        defaults = catalog.models()[MODEL].parameters
        of = {key: self.values.get(key, entry.default or 0.0) for key, entry in defaults.items()}
        n = int(of["n_sfa"])
        q, tau = ([of[f"{key}_{k + 1}"] for k in range(n)] for key in ("q_sfa", "tau_sfa"))
        least = _refractory(of["t_ref"], resolution) + 1
        if self.len_kernel is None:
            return f"{MODEL}[{history_steps(resolution, of['t_ref'], of['tau_m'], of['Delta_V'], q, tau)}]"
        if self.len_kernel < least:
            raise bad_parameter("len_kernel", self.len_kernel, f"at least {least} steps, longer than t_ref")
        return f"{MODEL}[{self.len_kernel}]"


def gif_population(
    N: int = 100, *, q_sfa: Sequence[float] = (0.5,), tau_sfa: Sequence[float] = (300.0,), len_kernel: int | None = None, **params: float
) -> GifPopulation:
    """Populations of N generalised integrate-and-fire neurons as one node each (Schwalger, Deger & Gerstner 2017): net.create(npl.gif_population(800), 4).

    Parameters
    ----------
    N : neurons of each population, which sends as many spikes as these fire together
    q_sfa, tau_sfa : jumps of the threshold at a spike of a neuron (mV) and the time constants with which they decay (ms); up to 4
    len_kernel : steps of the history, older spikes act as an average; None: until the adaptation that is left matters little (a tenth of Delta_V)
    params : others of gif_pop_psc_exp, equal for all: I_e, tau_m, t_ref, lambda_0, ...; those that do not change the history also to `Network.create`

    Raises BadParameter, UnknownName, BadType, BadLength.
    """
    q, tau = to_vector("q_sfa", q_sfa), to_vector("tau_sfa", tau_sfa)
    if len(q) != len(tau) or len(q) > 4:
        raise bad_parameter("tau_sfa", list(tau_sfa), "up to 4 numbers, as many as q_sfa")
    if np.any(tau <= 0.0):
        raise bad_parameter("tau_sfa", list(tau_sfa), "numbers > 0")
    known = [key for key in catalog.models()[MODEL].parameters if "_sfa" not in key]
    for key in params:
        if key not in known:
            raise unknown_name("parameter", key, known)
    values = {"N": float(to_whole("N", N)), "n_sfa": float(len(q))} | {key: float(to_floats(key, value)) for key, value in params.items()}
    for key in ("tau_m", "Delta_V"):
        if values.get(key, 1.0) <= 0.0:
            raise bad_parameter(key, values[key], "a number > 0")
    if values.get("t_ref", 0.0) < 0.0:
        raise bad_parameter("t_ref", values["t_ref"], "a number >= 0")
    values |= {f"q_sfa_{k + 1}": float(x) for k, x in enumerate(q)} | {f"tau_sfa_{k + 1}": float(x) for k, x in enumerate(tau)}
    return GifPopulation(values, None if len_kernel is None else to_whole("len_kernel", len_kernel))


def _refractory(t_ref: float, resolution: float) -> int:
    return int(np.ceil(np.round(t_ref / resolution, 6)))


def history_steps(resolution: float, t_ref: float, tau_m: float, Delta_V: float, q_sfa: Sequence[float], tau_sfa: Sequence[float]) -> int:
    """Steps of `resolution` (ms) until the adaptation that is left is below a tenth of Delta_V, at least 5 tau_m and longer than t_ref, at most 20 s."""
    steps = np.arange(int(np.floor(5.0 * tau_m / resolution)), int(_LONGEST / resolution) + 1)
    q, tau = np.asarray(q_sfa, np.float64), np.asarray(tau_sfa, np.float64)
    left = (q[:, None] * np.exp(-steps * resolution / tau[:, None])).sum(axis=0) / Delta_V
    matters = np.flatnonzero(left >= _NEGLIGIBLE)
    found = int(steps[matters[-1]] if len(matters) else steps[0])
    return max(found, _refractory(t_ref, resolution) + 1)
