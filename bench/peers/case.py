# SPDX-License-Identifier: Apache-2.0
"""A network that uses one mechanism, for the section `mechanisms`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Probe = Callable[[], dict[str, float]]


@dataclass(frozen=True)
class Case:
    """`build(nest, n)` makes a network of n neurons and returns what to ask of it; numbers that must agree between simulators, in their statistics."""

    title: str
    build: Callable[[Any, int], Probe]
    n: int
    ms: float  # biological time of the measured run [ms]
    goal: float  # times as fast as NEST
    warm: float = 20.0  # time before it [ms]
    pieces: int = 1  # calls of Simulate, with a question after each
    resolution: float = 0.1  # [ms]
    nest_threads: int | None = None  # as many as NEST takes, where it does not take all
