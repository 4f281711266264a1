# SPDX-License-Identifier: Apache-2.0
"""What the kernel attributes of structural plasticity say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Structure:
    """`given`: structural_plasticity_synapses as given, `labels`: by which the kernel tells the synapses of each."""

    on: bool = False
    interval: float = 10000.0  # ms
    given: dict[str, dict[str, Any]] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)  # ms, of these synapses
    told: bool = False  # the kernel knows all this
