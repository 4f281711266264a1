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

from . import _core, errors, space
from .base.paging import Pages, pages
from .errors import (
    BadCheckpoint,
    BadDelay,
    BadFile,
    BadLength,
    BadParameter,
    BadType,
    ForeignNodes,
    IllegalConnection,
    InputOverflow,
    MissingLibrary,
    MpiError,
    NeuropilError,
    NoPositions,
    NothingDrawn,
    NotKept,
    NumericalInstability,
    OutOfRange,
    RankError,
    ReadOnly,
    Stale,
    SweepError,
    TooFewNodes,
    TooLarge,
    UnknownArgument,
    UnknownAttribute,
    UnknownName,
    WeightOutgrown,
)
from .model.catalog import Catalogue, Entry, describe, devices, models, rules, synapses
from .model.connections import Connections
from .model.declared_rules import declared_rules as _declared_rules
from .model.devices import Device, dc, device, noise, poisson, spike_train, step_current
from .model.distributions import Distribution, exponential, lognormal, normal, uniform, uniform_int
from .model.growing import Growth, SynapticElements, synaptic_elements
from .model.keeping import clone
from .model.network import Network
from .model.nodes import Nodes
from .model.population import GifPopulation, gif_population
from .model.projection import Projection
from .model.rules import (
    Rule,
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
from .model.synapses import Synapse, static, stdp, stdp_pl_hom, synapse
from .model.tree import Tree, tree
from .parallel.exchanging import ByArea, Exchange, by_area, distributions, exchange, strategies
from .parallel.imbalance import Imbalance
from .parallel.ranks import guard as _guard
from .parallel.ranks import n_ranks, rank
from .plan.plan import Plan
from .results.bins import BinnedData, BinnedRecord
from .results.data import Data, Record
from .results.spikes import SpikeRecord, Spikes
from .results.streaming import Stream
from .results.synapse_trace import SynapseTrace, SynapseTraceData
from .results.trace_data import Trace, TraceData
from .results.weight_record import WeightData, WeightRecord
from .space import Expression, Mask, distance, free, grid, position

if TYPE_CHECKING:
    from . import analysis
    from .analysis import plot
    from .checkpoint.resuming import load
    from .parallel.sweeping import Failure, Sweep, sweep
    from .plan.dry_running import DryRun, dry_run
    from .results.saving import load_spikes, load_synapse_trace, load_trace, load_weights, open_results

__all__ = [
    "BadCheckpoint",
    "BadDelay",
    "BadFile",
    "BadLength",
    "BadParameter",
    "BadType",
    "BinnedData",
    "BinnedRecord",
    "ByArea",
    "Catalogue",
    "Connections",
    "Data",
    "Device",
    "Distribution",
    "DryRun",
    "Entry",
    "Exchange",
    "Expression",
    "Failure",
    "ForeignNodes",
    "GifPopulation",
    "Growth",
    "IllegalConnection",
    "Imbalance",
    "InputOverflow",
    "Mask",
    "MissingLibrary",
    "MpiError",
    "Network",
    "NeuropilError",
    "NoPositions",
    "Nodes",
    "NotKept",
    "NothingDrawn",
    "NumericalInstability",
    "OutOfRange",
    "Pages",
    "Plan",
    "Projection",
    "RankError",
    "ReadOnly",
    "Record",
    "Rule",
    "SpikeRecord",
    "Spikes",
    "Stale",
    "Stream",
    "Sweep",
    "SweepError",
    "Synapse",
    "SynapseTrace",
    "SynapseTraceData",
    "SynapticElements",
    "TooFewNodes",
    "TooLarge",
    "Trace",
    "TraceData",
    "Tree",
    "UnknownArgument",
    "UnknownAttribute",
    "UnknownName",
    "WeightData",
    "WeightOutgrown",
    "WeightRecord",
    "all_to_all",
    "analysis",
    "by_area",
    "clone",
    "dc",
    "describe",
    "device",
    "devices",
    "distance",
    "distributions",
    "dry_run",
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
    "load_spikes",
    "load_synapse_trace",
    "load_trace",
    "load_weights",
    "lognormal",
    "models",
    "n_ranks",
    "noise",
    "normal",
    "one_to_one",
    "open_results",
    "pages",
    "pairwise_bernoulli",
    "pairwise_poisson",
    "plot",
    "poisson",
    "position",
    "rank",
    "rules",
    "space",
    "spike_train",
    "static",
    "stdp",
    "stdp_pl_hom",
    "step_current",
    "strategies",
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
    "analysis": ".analysis",
    "plot": ".analysis.plot",
    "load": ".checkpoint.resuming:",
    **dict.fromkeys(("Failure", "Sweep", "sweep"), ".parallel.sweeping:"),
    **dict.fromkeys(("DryRun", "dry_run"), ".plan.dry_running:"),
    **dict.fromkeys(("load_spikes", "load_synapse_trace", "load_trace", "load_weights", "open_results"), ".results.saving:"),
}


def __getattr__(name: str) -> Any:
    """What not every script needs is imported when it is used; rules of the kernel that need no more than what they declare."""
    if name in _declared_rules():
        return _declared_rules()[name]
    if name not in _LAZY:
        if name.startswith("_"):  # Python asks for those
            raise AttributeError(f"module 'neuropil' has no attribute '{name}'")
        raise errors.unknown_attribute("neuropil", name, __dir__())
    module = importlib.import_module(_LAZY[name].partition(":")[0], __name__)
    return getattr(module, name) if ":" in _LAZY[name] else module


def __dir__() -> list[str]:
    """Public names only: what tab completion and `dir(neuropil)` show."""
    return sorted({*__all__, "__version__", "errors"})
