# SPDX-License-Identifier: Apache-2.0
"""Neuron nodes of NIR as neuron models of neuropil whose exact steps are the steps of forward Euler.

LIF, LI: v <- a v + (1 - a)(v_leak + r I), a = 1 - dt / tau, which is iaf_psc_delta with the time constant -h / ln(a).
CubaLIF: v <- a v + (1 - a)(v_leak + r I); I <- b I + (1 - b) w_in S, b = 1 - dt / tau_syn, both from the values of the step before: iaf_psc_exp.
Then z = v > v_threshold, and where z is 1, v = v_reset. I and S are sums of weights of the spikes of a step, and constants.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_parameter

__all__ = ["NEURONS", "Layer", "layer_of"]

NEURONS = ("LIF", "CubaLIF", "LI")
Floats = NDArray[np.float64]


class Layer(NamedTuple):
    """A neuron node. factor: of weights and constants, of shape (n,); parameters: of shape (n,) each, ms and mV."""

    kind: str
    model: str
    shape: tuple[int, ...]
    factor: Floats
    parameters: dict[str, Floats]

    @property
    def n(self) -> int:
        """Number of neurons."""
        return int(np.prod(self.shape))

    @property
    def spikes(self) -> bool:
        """Whether it sends spikes."""
        return self.kind != "LI"


def layer_of(name: str, node: Any, dt: float, resolution: float) -> Layer:
    """A neuron node as a population. dt: in the unit of the node's time constants; resolution: ms. Raises BadParameter."""
    kind, shape = type(node).__name__, tuple(int(k) for k in node.input_type["input"])

    def values(key: str) -> Floats:
        return np.broadcast_to(np.asarray(getattr(node, key), np.float64), shape).ravel()

    leak, resistance = values("v_leak"), values("r")
    kept = _kept(f"tau_mem of {name}" if kind == "CubaLIF" else f"tau of {name}", values("tau_mem" if kind == "CubaLIF" else "tau"), dt)
    common = {"E_L": leak, "V_m": leak, "tau_m": -resolution / np.log(kept), "t_ref": np.zeros(len(leak))}
    if kind == "LI":
        never = {"V_th": np.full(len(leak), np.inf), "V_reset": leak}
        return Layer(kind, "iaf_psc_delta", shape, (1.0 - kept) * resistance, common | never)
    threshold = values("v_threshold")
    if (leak > threshold).any():
        raise bad_parameter(
            f"v_leak of {name}", float(leak[leak > threshold][0]), "at most v_threshold: neurons are at rest before the input"
        )
    # NIR: v > threshold; the models: V_m >= V_th.
    common |= {"V_th": np.nextafter(threshold, np.inf), "V_reset": np.zeros(len(leak)) if node.v_reset is None else values("v_reset")}
    if kind == "LIF":
        return Layer(kind, "iaf_psc_delta", shape, (1.0 - kept) * resistance, common)
    if (resistance <= 0.0).any():
        raise bad_parameter(f"r of {name}", float(resistance.min()), "positive")
    current = _kept(f"tau_syn of {name}", values("tau_syn"), dt)
    tau = -resolution / np.log(current)
    capacity = propagator(common["tau_m"], tau, resolution) / ((1.0 - kept) * resistance)
    exponential = {"tau_syn_ex": tau, "tau_syn_in": tau, "C_m": capacity}
    return Layer(kind, "iaf_psc_exp", shape, (1.0 - current) * values("w_in"), common | exponential)


def _kept(what: str, tau: Floats, dt: float) -> Floats:
    """The part of a variable that a step of forward Euler keeps."""
    if not (tau > dt).all():
        raise bad_parameter(what, float(tau.min()), f"above dt = {dt:g}: steps of forward Euler are stable then")
    return np.asarray(1.0 - dt / tau)


def propagator(tau_m: Floats, tau_syn: Floats, step: float) -> Floats:
    """What a synaptic current of 1 adds to the potential in a step, times the capacitance (Rotter & Diesmann 1999)."""
    near = np.abs(tau_m - tau_syn) < 1e-7 * tau_m
    other = np.where(near, 2.0 * tau_m, tau_syn)
    apart = tau_m * other / (tau_m - other) * (np.exp(-step / tau_m) - np.exp(-step / other))
    return np.where(near, step * np.exp(-step / tau_m), apart)
