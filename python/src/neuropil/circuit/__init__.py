# SPDX-License-Identifier: Apache-2.0
"""Circuits from morphologies: cells and their shapes in, touches between them out, and a network of spiking neurons made of the touches.

    from neuropil import circuit

    config = circuit.grow_column("column", cells=300)                    # or any SONATA circuit configuration
    run = circuit.detect_touches(config, "edges.h5")                     # SONATA edges, resumable, the same bytes on any ranks
    net = circuit.touches_to_network("edges.h5")                         # point neurons; delays from path lengths
    net.run(1000.0)
    circuit.write_report("edges.h5", "report.html")                      # pictures and an interactive 3-D view

Needs the libraries of `pip install "neuropil[circuit]"`, imported when they are used. Lengths in um. Node ids count from 0.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import BadFile, DiskFull, MissingLibrary

if TYPE_CHECKING:
    from .column import grow_column
    from .config import Circuit, read_config
    from .detect import Plan, State, TouchRun, detect_touches
    from .edges import Connections, EdgeFile
    from .morphologies import Morphology, read_morphology
    from .network import CircuitNetwork, SynapseOptions, touches_to_network
    from .nodes import Cells, NodeFile
    from .options import TouchOptions
    from .report import write_report
    from .selection import Selection

_PLACES = {
    "column": ("grow_column",),
    "config": ("Circuit", "read_config"),
    "detect": ("Plan", "State", "TouchRun", "detect_touches"),
    "edges": ("Connections", "EdgeFile"),
    "morphologies": ("Morphology", "read_morphology"),
    "network": ("CircuitNetwork", "SynapseOptions", "touches_to_network"),
    "nodes": ("Cells", "NodeFile"),
    "options": ("TouchOptions",),
    "report": ("write_report",),
    "selection": ("Selection",),
}
_HOME = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "BadFile",
    "Cells",
    "Circuit",
    "CircuitNetwork",
    "Connections",
    "DiskFull",
    "EdgeFile",
    "MissingLibrary",
    "Morphology",
    "NodeFile",
    "Plan",
    "Selection",
    "State",
    "SynapseOptions",
    "TouchOptions",
    "TouchRun",
    "detect_touches",
    "grow_column",
    "read_config",
    "read_morphology",
    "touches_to_network",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Modules are imported when one of their names is used."""
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
