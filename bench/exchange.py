# SPDX-License-Identifier: Apache-2.0
"""Exchange of spikes between ranks: Hines et al. 2009 and 2011 (exchange_hines), Jordan et al. 2018 and a cost model (exchange_scaling)."""

from __future__ import annotations

from bench import exchange_hines, exchange_scaling
from bench.report import Section
from bench.sides import Settings


def run(settings: Settings) -> Section:
    """Both parts make a section `exchange`; this joins them."""
    whole, part = exchange_hines.run_parts(settings), exchange_scaling.run_parts(settings)
    whole.runs |= {name if name not in whole.runs else f"{name} (2)": runs for name, runs in part.runs.items()}
    for name in ("rows", "commands", "notes", "errors", "tables"):
        getattr(whole, name).extend(getattr(part, name))
    return whole
