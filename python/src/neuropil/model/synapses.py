# SPDX-License-Identifier: Apache-2.0
"""Synapse models as values. What is not given has the default of the model, see `neuropil.synapses()`.

Parameters are common to all synapses that one call of `connect` makes, unless they are given as a distribution or as an array in the order of the
rule: then each synapse has its own, at 8 bytes per parameter and synapse. Weights and delays belong to `connect`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.checks import to_floats
from ..base.named import named_arguments
from ..errors import bad_type
from ..space.expression import Term
from . import catalog
from .constructors import Constructors
from .distributions import Distribution, Value, text_of

__all__ = ["AnySynapse", "Synapse", "static", "stdp", "stdp_pl_hom", "synapse"]


@dataclass(frozen=True, slots=True)
class Synapse:
    """A synapse model of the kernel by its name, with the parameters that differ from the defaults."""

    name: str
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={text_of(v)}' for k, v in self.parameters.items())})"


AnySynapse = Synapse | catalog.Loadable | str
"""What `connect` takes: a model with parameters, a model of one's own, or a name."""


def _make(name: str, parameters: dict[str, Any]) -> Synapse:
    return Synapse(name, {k: _value(name, k, v) for k, v in parameters.items()})


def _value(model: str, name: str, given: Any) -> Any:
    """A number for all synapses, or values for each of them. Raises BadType where synapses cannot differ."""
    value = given if isinstance(given, Distribution | Term) else to_floats(name, given)
    if isinstance(value, np.ndarray) and (value.ndim == 0 or (name == "volume_transmitter" and value.size == 1)):  # a node
        return float(value.item())
    if name not in catalog.synapses()[model].varied:
        some = ", ".join(sorted(catalog.synapses()[model].varied))
        raise bad_type(
            name, given, f"one number: of {model}, {f'only {some}' if some else 'no parameter'} can differ from synapse to synapse"
        )
    return value


synapse: Constructors[Synapse] = Constructors("synapse", catalog.synapses, _make)
"""Any synapse model: synapse("tsodyks2_synapse", U=0.5) or synapse.tsodyks2_synapse(U=uniform(0.1, 0.9))."""


@named_arguments
def static() -> Synapse:
    """Weight that does not change."""
    return Synapse("static_synapse")


@named_arguments
def stdp(
    *,
    tau_plus: float | None = None,
    tau_minus: float | None = None,
    lambda_: float | None = None,
    alpha: float | None = None,
    mu_plus: float | None = None,
    mu_minus: float | None = None,
    Wmax: float | None = None,
    axonal_delay: float | None = None,
) -> Synapse:
    """Spike-timing dependent plasticity of all pairs (Gütig et al. 2003): weights stay between 0 and Wmax.

    tau_plus, tau_minus: windows of potentiation and depression (ms); lambda_: step size; alpha: depression relative to potentiation;
    mu_plus, mu_minus: exponents of the weight dependence; Wmax: largest weight (pA, nS or mV, as the target takes it); axonal_delay: the part
    of the delay (ms) that comes before the synapse, 0 by default; the rest, a step at least, is dendritic.
    """
    given = {"lambda_": lambda_, "alpha": alpha, "mu_plus": mu_plus, "mu_minus": mu_minus, "Wmax": Wmax, "axonal_delay": axonal_delay}
    return synapse("stdp_synapse", tau_plus=tau_plus, tau_minus=tau_minus, **given)


@named_arguments
def stdp_pl_hom(
    *,
    tau_plus: float | None = None,
    tau_minus: float | None = None,
    lambda_: float | None = None,
    alpha: float | None = None,
    mu: float | None = None,
    axonal_delay: float | None = None,
) -> Synapse:
    """STDP with power-law potentiation and multiplicative depression (Morrison, Aertsen & Diesmann 2007).

    tau_plus, tau_minus: windows of potentiation and depression (ms); lambda_: step size; alpha: depression relative to potentiation;
    mu: exponent of the potentiation; axonal_delay: as in `stdp`.
    """
    given = {"lambda_": lambda_, "alpha": alpha, "mu": mu, "axonal_delay": axonal_delay}
    return synapse("stdp_pl_synapse_hom", tau_plus=tau_plus, tau_minus=tau_minus, **given)
