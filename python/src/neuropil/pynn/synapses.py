# SPDX-License-Identifier: Apache-2.0
"""Standard synapse types of PyNN as models of the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from pyNN.errors import ConnectionError
from pyNN.standardmodels import build_translations, synapses
from pyNN.standardmodels.base import check_delays, check_weights

from .errors import Unavailable, refuse
from .simulator import state

__all__ = [
    "AdditivePotentiationMultiplicativeDepression",
    "AdditiveWeightDependence",
    "ElectricalSynapse",
    "GutigWeightDependence",
    "MultiQuantalSynapse",
    "MultiplicativeWeightDependence",
    "STDPMechanism",
    "SimpleStochasticSynapse",
    "SpikePairRule",
    "StaticSynapse",
    "StochasticTsodyksMarkramSynapse",
    "TsodyksMarkramSynapse",
    "Vogels2011Rule",
]

Values = Mapping[str, Any]
Read = Callable[[str], Any]  # values of a parameter of the kernel, by its name


class KernelSynapse:
    """A synapse type that the kernel simulates. Weights and delays are those of the projection.

    names : parameters of the kernel by those of PyNN that are the same numbers
    """

    kernel_model: Any
    names: ClassVar[Mapping[str, str]] = {}
    parameter_checks: ClassVar[Mapping[str, Any]] = {"weight": check_weights, "delay": check_delays}
    together: Any = ()  # parameters that the kernel can only be given together
    both_ways = False  # whether each connection has another one back, with the same weight

    def _get_minimum_delay(self) -> float:
        return state.min_delay

    def to_kernel(self, values: Values, factor: float, taus: Any) -> dict[str, Any]:
        """Parameters of the kernel. factor : the kernel's weight for a weight of 1; taus : time constants of the synaptic current, see `needs_taus`."""
        return {self.names[name]: value for name, value in values.items() if name in self.names}

    def from_kernel(self, name: str, read: Read, factor: float) -> Any:
        """Values of a parameter."""
        return read(self.names[name])


_PLAIN = (("weight", "weight"), ("delay", "delay"))


class StaticSynapse(KernelSynapse, synapses.StaticSynapse):
    __doc__ = synapses.StaticSynapse.__doc__
    translations = build_translations(*_PLAIN)
    kernel_model = "static_synapse"


def _check_conductance(weights: Any, projection: Any) -> None:
    if not np.all(np.asarray(weights) >= 0.0):
        raise ConnectionError(f"weight = {weights}: the conductance of an electrical synapse (uS) must not be negative")


class ElectricalSynapse(KernelSynapse, synapses.ElectricalSynapse):
    __doc__ = synapses.ElectricalSynapse.__doc__
    translations = build_translations(("weight", "weight"))
    kernel_model, both_ways = "gap_junction", True
    parameter_checks: ClassVar[Mapping[str, Any]] = {"weight": _check_conductance}

    def get_schema(self) -> dict[str, type]:
        """Types of parameters: PyNN's have a delay, too."""
        return {"weight": float}


class TsodyksMarkramSynapse(KernelSynapse, synapses.TsodyksMarkramSynapse):
    __doc__ = synapses.TsodyksMarkramSynapse.__doc__
    translations = build_translations(*_PLAIN, ("U", "U"), ("tau_rec", "tau_rec"), ("tau_facil", "tau_facil"))
    kernel_model, needs_taus = "tsodyks_synapse", True
    names: ClassVar[Mapping[str, str]] = {"U": "U", "tau_rec": "tau_rec", "tau_facil": "tau_fac", "u": "u"}

    def to_kernel(self, values: Values, factor: float, taus: Any) -> dict[str, Any]:
        """The active share of the resources decays with the synaptic current."""
        return {**super().to_kernel(values, factor, taus), **({} if taus is None else {"tau_psc": taus})}


class StochasticTsodyksMarkramSynapse(Unavailable, synapses.StochasticTsodyksMarkramSynapse):
    __doc__ = synapses.StochasticTsodyksMarkramSynapse.__doc__


class SimpleStochasticSynapse(KernelSynapse, synapses.SimpleStochasticSynapse):
    __doc__ = synapses.SimpleStochasticSynapse.__doc__
    translations = build_translations(*_PLAIN, ("p", "p"))
    kernel_model = "bernoulli_synapse"
    names: ClassVar[Mapping[str, str]] = {"p": "p_transmit"}


class MultiQuantalSynapse(KernelSynapse, synapses.MultiQuantalSynapse):
    __doc__ = synapses.MultiQuantalSynapse.__doc__
    translations = build_translations(*_PLAIN, ("U", "U"), ("n", "n"), ("tau_rec", "tau_rec"), ("tau_facil", "tau_facil"))
    kernel_model = "quantal_stp_synapse"
    names: ClassVar[Mapping[str, str]] = {"U": "U", "n": "n", "tau_rec": "tau_rec", "tau_facil": "tau_fac", "u": "u"}

    def to_kernel(self, values: Values, factor: float, taus: Any) -> dict[str, Any]:
        """All sites are ready at first."""
        found = super().to_kernel(values, factor, taus)
        return {**found, **({"a": found["n"]} if "n" in found else {}), **({"u": found["U"]} if "U" in found and "u" not in found else {})}


class STDPMechanism(KernelSynapse, synapses.STDPMechanism):
    __doc__ = synapses.STDPMechanism.__doc__
    base_translations = build_translations(*_PLAIN, ("dendritic_delay_fraction", "dendritic_delay_fraction"))

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        if self.voltage_dependence is not None:
            refuse("voltage_dependence", "no synapse of the kernel has it")
        if self.timing_dependence is None or self.weight_dependence is None:
            refuse("STDPMechanism", "timing_dependence and weight_dependence must be given")

    def _build_translations(self) -> None:
        self.translations = dict(self.base_translations)
        for part in (self.timing_dependence, self.weight_dependence):
            if part is not None:
                self.translations.update(part.translations)

    @property
    def kernel_model(self) -> str:
        assert self.possible_models  # raises NoModelAvailableError for rules that do not go together
        return str(self.timing_dependence.kernel_model)

    @property
    def together(self) -> Any:
        return self.timing_dependence.together

    def to_kernel(self, values: Values, factor: float, taus: Any) -> dict[str, Any]:
        """Both parts together."""
        given = dict(values)
        fraction = float(given.pop("dendritic_delay_fraction", 1.0))
        if np.any(given.get("w_min", 0.0)):
            refuse("w_min", f"{given['w_min']}: weights of plastic synapses are bounded by 0 and w_max; w_min must be 0")
        found = {} if fraction == 1.0 else {"axonal_delay": state.on_grid((1.0 - fraction) * np.asarray(given["delay"]))}
        if "w_max" in given:
            found["Wmax"] = np.asarray(given["w_max"]) * factor if np.ndim(given["w_max"]) else given["w_max"] * factor
        return {**found, **self.timing_dependence.to_kernel(given, factor), **self.weight_dependence.exponents(given)}

    def from_kernel(self, name: str, read: Read, factor: float) -> Any:
        if name == "w_max":
            return read("Wmax") / factor
        if name in self.timing_dependence.default_parameters:
            return self.timing_dependence.from_kernel(name, read, factor)
        shown = {"w_min": 0.0, "dendritic_delay_fraction": self.dendritic_delay_fraction}
        return np.full(len(read("weight")), shown[name]) if name in shown else read(name)


def _plain(values: Any) -> Any:
    """A number, where an array holds one."""
    return values if np.ndim(values) else float(values)


class SpikePairRule(synapses.SpikePairRule):
    __doc__ = synapses.SpikePairRule.__doc__
    translations = build_translations(*((name, name) for name in ("tau_plus", "tau_minus", "A_plus", "A_minus")))
    possible_models = frozenset({"stdp_synapse"})
    kernel_model, together = "stdp_synapse", ("A_plus", "A_minus", "tau_plus")

    def to_kernel(self, values: Values, factor: float) -> dict[str, Any]:
        """lambda is A_plus, alpha A_minus / A_plus. Without A_plus, lambda is A_minus and the trace of potentiation decays at once."""
        found = {name: values[name] for name in ("tau_plus", "tau_minus") if name in values}
        if "A_plus" in values:
            plus, minus = np.asarray(values["A_plus"], np.float64), np.asarray(values["A_minus"], np.float64)
            none = plus == 0.0
            found["lambda"], found["alpha"] = (
                _plain(np.where(none, minus, plus)),
                _plain(np.where(none, 1.0, minus / np.where(none, 1.0, plus))),
            )
            found["tau_plus"] = _plain(np.where(none, 0.0, values["tau_plus"]))
        return found

    def from_kernel(self, name: str, read: Read, factor: float) -> Any:
        if name == "A_plus":
            return np.where(read("tau_plus") == 0.0, 0.0, read("lambda"))
        return read("lambda") * read("alpha") if name == "A_minus" else read(name)


class Vogels2011Rule(synapses.Vogels2011Rule):
    __doc__ = synapses.Vogels2011Rule.__doc__
    translations = build_translations(*((name, name) for name in ("tau", "eta", "rho")))
    possible_models = frozenset({"vogels_sprekeler_synapse"})
    kernel_model, together = "vogels_sprekeler_synapse", ("rho", "tau")

    def to_kernel(self, values: Values, factor: float) -> dict[str, Any]:
        """alpha is 2 rho tau, with rho in spikes/s and tau in ms; eta is that of weights in the unit of PyNN."""
        found: dict[str, Any] = {}
        if "tau" in values:
            found |= {"tau": values["tau"], "tau_minus": values["tau"]}
        if "eta" in values:
            found["eta"] = values["eta"] * abs(factor)
        if "rho" in values:
            found["alpha"] = 2e-3 * values["rho"] * values["tau"]
        return found

    def from_kernel(self, name: str, read: Read, factor: float) -> Any:
        if name == "rho":
            return read("alpha") / (2e-3 * read("tau"))
        return read(name) / (abs(factor) if name == "eta" else 1.0)


class _Bounded:
    """Weight dependences by the exponents of the kernel's rule."""

    possible_models = frozenset({"stdp_synapse"})
    translations = build_translations(("w_min", "w_min"), ("w_max", "w_max"))
    mu: ClassVar[tuple[float, float]]

    def exponents(self, values: Values) -> dict[str, Any]:
        """Of potentiation and depression."""
        return {"mu_plus": self.mu[0], "mu_minus": self.mu[1]} if "w_max" in values and "A_plus" in values else {}


class AdditiveWeightDependence(_Bounded, synapses.AdditiveWeightDependence):
    __doc__ = synapses.AdditiveWeightDependence.__doc__
    possible_models = frozenset({"stdp_synapse", "vogels_sprekeler_synapse"})
    mu: ClassVar[tuple[float, float]] = (0.0, 0.0)


class MultiplicativeWeightDependence(_Bounded, synapses.MultiplicativeWeightDependence):
    __doc__ = synapses.MultiplicativeWeightDependence.__doc__
    mu: ClassVar[tuple[float, float]] = (1.0, 1.0)


class AdditivePotentiationMultiplicativeDepression(_Bounded, synapses.AdditivePotentiationMultiplicativeDepression):
    __doc__ = synapses.AdditivePotentiationMultiplicativeDepression.__doc__
    mu: ClassVar[tuple[float, float]] = (0.0, 1.0)


class GutigWeightDependence(_Bounded, synapses.GutigWeightDependence):
    __doc__ = synapses.GutigWeightDependence.__doc__
    translations = build_translations(*((name, name) for name in ("w_min", "w_max", "mu_plus", "mu_minus")))

    def exponents(self, values: Values) -> dict[str, Any]:
        """Those that were given."""
        return {name: values[name] for name in ("mu_plus", "mu_minus") if name in values}
