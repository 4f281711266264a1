# SPDX-License-Identifier: Apache-2.0
"""What the scripts may use: models with their parameters, as NEST 3.10 showed them (data/models.json, written by python -m tests.nest.fuzz --models)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.nest.corpus.neurons import INTERNAL, NEURONS, Neuron
from tests.nest.corpus.values import plain

DATA = Path(__file__).resolve().parent / "data"
FILE = DATA / "models.json"

DEVICES = (
    "spike_generator",
    "dc_generator",
    "ac_generator",
    "step_current_generator",
    "spike_recorder",
    "multimeter",
    "spike_train_injector",
    "correlation_detector",
)
RATES = ("lin_rate_ipn", "tanh_rate_ipn", "sigmoid_rate_ipn", "threshold_lin_rate_ipn")
# Random by nature, whatever their parameters.
RANDOM_SYNAPSES = ("bernoulli_synapse", "quantal_stp_synapse")
# They need partners of their own; the corpus has cases for them.
SPECIAL_SYNAPSES = (
    "clopath_synapse",
    "diffusion_connection",
    "eprop",
    "gap_junction",
    "rate_connection",
    "sic_connection",
    "stdp_dopamine_synapse",
    "stdp_facetshw_synapse_hom",
    "urbanczik_synapse",
)
# Parameters with which models that are random do not fire; other random ones are not tried.
SILENT = {"gif_": {"lambda_0": 0.0}, "pp_psc_delta": {"c_1": 0.0, "c_2": 0.0}, "pp_cond_exp_mc_urbanczik": {"phi_max": 0.0}}
NOT_TRIED = ("V_noise", "delta", "rho")
EXTRA: dict[str, Neuron] = {}
# Shown otherwise on purpose (docs/howto/coming_from_nest.md): not recorded.
NOT_RECORDED = {"iaf_psc_exp_htum": ("V_m",), "glif_psc": ("I",), "glif_cond": ("I",), "glif_psc_double_alpha": ("I",)}
NODE_KEYS = INTERNAL | {"origin", "start", "stop", "n_events", "time_in_steps", "element_type", "frozen", "y_0", "y_1", "recordables"}


def neuron(model: str) -> Neuron:
    """Currents, weights, ports and tolerances of a neuron model."""
    return NEURONS.get(model) or EXTRA[model]


def silent(model: str) -> dict[str, float]:
    return next((values for start, values in SILENT.items() if model.startswith(start)), {})


def exact(model: str) -> bool:
    """Whether the model is integrated exactly: every spike and every digit (1e-9) must agree."""
    return model not in NEURONS or (neuron(model).atol <= 1e-5 and neuron(model).step <= 1e-5)


def neuron_models() -> list[str]:
    return [name for name in tables()["neurons"] if name in NEURONS]


def synapse_models() -> list[str]:
    return list(tables()["synapses"])


_loaded: dict[str, Any] = {}


def tables() -> dict[str, Any]:
    """The stored tables: neurons -> defaults and recordables, synapses -> defaults."""
    if not _loaded:
        _loaded.update(json.loads(FILE.read_text()))
    return _loaded


def write(nest: Any) -> None:
    """Asks a simulator for its models and writes the tables."""
    neurons = {name: asked(nest, name) for name in sorted([*NEURONS, *RATES]) if name in nest.node_models}
    names = [
        name
        for name in nest.synapse_models
        if not name.endswith(("_hpc", "_lbl")) and not name.startswith((*RANDOM_SYNAPSES, *SPECIAL_SYNAPSES))
    ]
    synapses = {name: parameters(nest.GetDefaults(name)) for name in names}
    lines = [
        f"{json.dumps(key)}: {{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in part.items()) + "\n}"
        for key, part in (("neurons", neurons), ("synapses", synapses))
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def asked(nest: Any, model: str) -> dict[str, Any]:
    found = nest.GetDefaults(model)
    recordables = [str(name) for name in found.get("recordables", []) if str(name) not in ("t_ref_remaining", *NOT_RECORDED.get(model, ()))]
    defaults = parameters(found)
    return {"defaults": {key: value for key, value in defaults.items() if settable(nest, model, key, value)}, "recordables": recordables}


def settable(nest: Any, model: str, key: str, value: Any) -> bool:
    """Some of what NEST shows cannot be set, not even to the value it has."""
    nest.ResetKernel()
    node = nest.Create(model)
    try:
        node.set({key: value})
    except nest.NESTError:
        return False
    return True


def parameters(found: dict[str, Any]) -> dict[str, Any]:
    """Numbers, flags and lists of numbers; what NEST keeps for its own use is left out."""
    internal = {
        *INTERNAL,
        "num_connections",
        "sizeof",
        "synapse_modelid",
        "has_delay",
        "requires_symmetric",
        "receptor_type",
        "delay",
        "weight",
    }
    internal |= {"n_receptors", "n_synapses", "element_type", "tau_Ca", "Ca", "beta_Ca"}
    kept: dict[str, Any] = {}
    for key, value in found.items():
        try:
            value = plain(list(value) if hasattr(value, "__len__") and not isinstance(value, (str, dict)) else value)
        except TypeError:
            continue
        numeric = isinstance(value, (bool, int, float)) or (isinstance(value, list) and value and all(isinstance(x, float) for x in value))
        if str(key) not in internal and numeric:
            kept[str(key)] = value
    return kept
