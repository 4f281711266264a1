# SPDX-License-Identifier: Apache-2.0
"""Classes of values that functions of neuropil make, for annotations and `isinstance`. Records and data: `neuropil.results`."""

from .base.paging import Pages
from .model.catalog import Catalogue, Entry
from .model.devices import Device
from .model.distributions import Distribution
from .model.growing import Growth, SynapticElements
from .model.population import GifPopulation
from .model.rules import Rule
from .model.synapses import Synapse
from .model.tree import Tree
from .parallel.exchanging import ByArea, Exchange
from .parallel.imbalance import Imbalance
from .parallel.sweeping import Failure, Sweep
from .plan.dry_running import DryRun
from .plan.plan import Plan
from .space import Expression, Mask

__all__ = [
    "ByArea",
    "Catalogue",
    "Device",
    "Distribution",
    "DryRun",
    "Entry",
    "Exchange",
    "Expression",
    "Failure",
    "GifPopulation",
    "Growth",
    "Imbalance",
    "Mask",
    "Pages",
    "Plan",
    "Rule",
    "Sweep",
    "Synapse",
    "SynapticElements",
    "Tree",
]
