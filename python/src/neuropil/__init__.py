# SPDX-License-Identifier: Apache-2.0
"""neuropil: a simulator of large networks of spiking neurons.

    import neuropil as npl

    net = npl.Network(seed=42)
    exc = net.create("iaf_psc_exp", 8000, V_m=npl.normal(-65.0, 5.0))
    inh = net.create("iaf_psc_exp", 2000)
    net.connect(exc, exc + inh, npl.fixed_indegree(800), weight=npl.normal(30.0, 3.0).redraw(min=0.0), delay=1.5)
    net.connect(inh, exc + inh, npl.fixed_indegree(200), weight=-150.0, delay=0.8)
    net.stimulate(exc + inh, npl.poisson(rate=8000.0), weight=30.0)
    spikes = net.record(exc)
    net.run(1000.0)
    spikes.plot()

Units: ms, mV, pA, nS, pF, spikes/s. Gids count from 1.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core, errors
from .base.lazy import moved as _moved
from .errors import NeuropilError
from .model.catalog import describe, devices, models, rules, synapses
from .model.connections import Connections
from .model.declared_rules import declared_rules as _declared_rules
from .model.devices import dc, device, noise, poisson, spike_train, step_current
from .model.distributions import exponential, lognormal, normal, uniform, uniform_int
from .model.elements import synaptic_elements
from .model.network import Network
from .model.nodes import Nodes
from .model.projection import Projection
from .model.rules import (
    all_to_all,
    explicit,
    fixed_indegree,
    fixed_outdegree,
    fixed_total_number,
    one_to_one,
    pairwise_bernoulli,
    pairwise_poisson,
    symmetric_pairwise_bernoulli,
)
from .model.synapses import static, stdp, stdp_pl_hom, synapse
from .parallel.exchanging import exchange
from .parallel.ranks import guard as _guard
from .parallel.ranks import n_ranks, rank
from .results.data import Data, Record

if TYPE_CHECKING:
    from . import analysis, classes, parallel, results, space
    from . import nestml as nestml
    from . import nir as nir
    from . import sonata as sonata
    from .analysis import plot
    from .checkpoint.resuming import load
    from .equations.neuron import neuron
    from .equations.synapse import synapse_model as synapse_model
    from .model.population import gif_population
    from .model.tree import tree
    from .own_models.loading import load_model
    from .parallel.sweeping import sweep
    from .plan.dry_running import dry_run
    from .results.saving import open_results
    from .space import distance, free, grid, position

__all__ = [
    "Connections",
    "Data",
    "Network",
    "NeuropilError",
    "Nodes",
    "Projection",
    "Record",
    "all_to_all",
    "analysis",
    "classes",
    "dc",
    "describe",
    "device",
    "devices",
    "distance",
    "dry_run",
    "errors",
    "exchange",
    "explicit",
    "exponential",
    "fixed_indegree",
    "fixed_outdegree",
    "fixed_total_number",
    "free",
    "gif_population",
    "grid",
    "load",
    "load_model",
    "lognormal",
    "models",
    "n_ranks",
    "neuron",
    "noise",
    "normal",
    "one_to_one",
    "open_results",
    "pairwise_bernoulli",
    "pairwise_poisson",
    "parallel",
    "plot",
    "poisson",
    "position",
    "rank",
    "results",
    "rules",
    "space",
    "spike_train",
    "static",
    "stdp",
    "stdp_pl_hom",
    "step_current",
    "sweep",
    "symmetric_pairwise_bernoulli",
    "synapse",
    "synapses",
    "synaptic_elements",
    "tree",
    "uniform",
    "uniform_int",
]

__all__.extend(_declared_rules())

__version__ = _core.version()

_core.set_exceptions({name: getattr(errors, name) for name in errors.__all__})
_guard()

_LAZY = {  # name -> where it is
    **{name: f".{name}" for name in ("analysis", "classes", "nestml", "nir", "parallel", "results", "sonata", "space")},
    **dict.fromkeys(("distance", "free", "grid", "position"), ".space:"),
    "gif_population": ".model.population:",
    "tree": ".model.tree:",
    "load_model": ".own_models.loading:",
    "neuron": ".equations.neuron:",
    "synapse_model": ".equations.synapse:",
    "plot": ".analysis.plot",
    "load": ".checkpoint.resuming:",
    "sweep": ".parallel.sweeping:",
    "dry_run": ".plan.dry_running:",
    "open_results": ".results.saving:",
}
_MOVED_BY_HAND = {
    "distributions": "parallel.layouts",
    "strategies": "parallel.strategies",
    "by_area": "parallel.by_area",
    "pages": "parallel.pages",
}


def __getattr__(name: str) -> Any:
    """What not every script needs is imported when it is used; rules of the kernel that need no more than what they declare."""
    if name in _declared_rules():
        return _declared_rules()[name]
    if name in _LAZY:
        module = importlib.import_module(_LAZY[name].partition(":")[0], __name__)
        return getattr(module, name) if ":" in _LAZY[name] else module
    if name.startswith("_"):  # Python asks for those
        raise AttributeError(f"module 'neuropil' has no attribute '{name}'")
    return _former(name)


def _former(name: str) -> Any:
    """A name of version 0.2 that is in another module now."""
    if name == "clone":
        _moved(name, "Network.copy")
        return Network.copy
    for part in ("errors", "results", "classes"):
        if name in importlib.import_module(f".{part}", __name__).__all__:
            new = f"{part}.{name}"
            break
    else:
        if name not in _MOVED_BY_HAND:
            raise errors.unknown_attribute("neuropil", name, __dir__())
        new = _MOVED_BY_HAND[name]
    _moved(name, new)
    part, _, now = new.partition(".")
    return getattr(importlib.import_module(f".{part}", __name__), now)


def __dir__() -> list[str]:
    """Public names only: what tab completion and `dir(neuropil)` show."""
    return sorted({*__all__, "__version__"})
