# SPDX-License-Identifier: Apache-2.0
"""Exchange of spikes between ranks: Hines et al. 2009 and 2011 (exchange_hines), Jordan et al. 2018 and a cost model (exchange_scaling)."""

from __future__ import annotations

import importlib
import importlib.util

from bench.report import Section
from bench.sides import Settings

PARTS = ("exchange_hines", "exchange_scaling")


def run(settings: Settings) -> Section:
    """Every part makes a section `exchange`; this joins them."""
    parts = [importlib.import_module(f"bench.{name}").run_parts(settings) for name in PARTS if importlib.util.find_spec(f"bench.{name}")]
    whole = parts[0]
    for part in parts[1:]:
        whole.runs |= {name if name not in whole.runs else f"{name} (2)": runs for name, runs in part.runs.items()}
        for name in ("rows", "commands", "notes", "errors", "tables"):
            getattr(whole, name).extend(getattr(part, name))
    return whole
