# SPDX-License-Identifier: Apache-2.0
"""Classes of values that functions of neuropil make, for annotations and `isinstance`. Records and data: `neuropil.results`."""

from typing import TYPE_CHECKING

from .base.lazy import lazy

if TYPE_CHECKING:
    from .base.paging import Pages
    from .model.catalog import Catalogue, Entry
    from .model.devices import Device
    from .model.distributions import Distribution
    from .model.elements import SynapticElements
    from .model.growing import Growth
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

__getattr__ = lazy(
    "neuropil",
    {
        "Pages": ".base.paging",
        **dict.fromkeys(("Catalogue", "Entry"), ".model.catalog"),
        "Device": ".model.devices",
        "Distribution": ".model.distributions",
        "Growth": ".model.growing",
        "SynapticElements": ".model.elements",
        "GifPopulation": ".model.population",
        "Rule": ".model.rules",
        "Synapse": ".model.synapses",
        "Tree": ".model.tree",
        **dict.fromkeys(("ByArea", "Exchange"), ".parallel.exchanging"),
        "Imbalance": ".parallel.imbalance",
        **dict.fromkeys(("Failure", "Sweep"), ".parallel.sweeping"),
        "DryRun": ".plan.dry_running",
        "Plan": ".plan.plan",
        **dict.fromkeys(("Expression", "Mask"), ".space"),
    },
    __name__,
)


def __dir__() -> list[str]:
    """Public names only."""
    return __all__
