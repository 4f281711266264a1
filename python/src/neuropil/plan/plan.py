# SPDX-License-Identifier: Apache-2.0
"""What a network will need before it is built: memory per rank by term, time to build, how many ranks, how large it could be."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Plan", "size_text"]

TERMS = {
    "neurons": "neurons: state, parameters",
    "synapses": "synapses: target, weight",
    "index": "synapses: sources, rows, delays",
    "traces": "postsynaptic traces",
    "input": "input sums",
    "devices": "devices",
    "recordings": "recordings",
    "in_flight": "spikes in flight",
    "routing": "routes to other ranks",
    "buffers": "spike buffers",
    "base": "process, Python, MPI",
}
PHASES = {
    "nodes": "create",
    "links": "devices",
    "edges": "connect",
    "sorted": "connect, sparse",
    "routes": "route",
    "dense": "route, dense",
}


@dataclass(frozen=True)
class Plan:
    """Prediction for one rank by `Network.plan` or `neuropil plan`; by a model, within some per cent (docs/concepts/scaling.md).

    `synapses`: those of this rank that are still to be built, by expectation. `bytes`: by the terms of TERMS; "total", the most at any time
    "peak", and of these what is there already "built". `seconds`: to build, by phase, with the rates of build_rates.json. `available`: bytes
    that the process may still take; ranks on the same machine see the same. `counts`: nodes, slices, rows, runs, routes, partners (ranks that
    hear of this one), words (per interval); checkpoint and checkpoint_stored: bytes of this rank, without and with static synapses that can be
    drawn again. `limits`: what this version cannot hold. `work`: what `seconds` are for, in numbers.
    """

    n_nodes: int
    synapses: float
    bytes: Mapping[str, float]
    available: float
    ranks: int = 1
    threads: int = 1
    counts: Mapping[str, float] = field(default_factory=dict)
    work: Mapping[str, float] = field(default_factory=dict)
    limits: Sequence[str] = ()

    @property
    def total(self) -> float:
        """Bytes in use once it is built."""
        return self.bytes.get("total", 0.0)

    @property
    def peak(self) -> float:
        """Bytes needed at most, what is built already included."""
        return self.bytes.get("peak", self.total)

    @property
    def needed(self) -> float:
        """Bytes still to be allocated."""
        return max(self.peak - self.bytes.get("built", 0.0) - self.bytes.get("base", 0.0), 0.0)

    @property
    def fits(self) -> bool:
        """Whether there is memory for it, and nothing beyond the limits of this version."""
        return self.needed <= self.available and not self.limits

    @property
    def seconds(self) -> dict[str, float]:
        """Time to build by phase (s), at the rates of build_rates.json: guesses as long as it names no commit."""
        rates = build_rates()["ns"]
        return {PHASES[name]: 1e-9 * amount * rates[name] / (1 if name == "dense" else self.threads) for name, amount in self.work.items()}

    @property
    def checkpoints(self) -> tuple[float, float] | None:
        """Bytes of the checkpoint of a rank: static synapses drawn again; all stored. None where it is not known."""
        return (self.counts["checkpoint"], self.counts["checkpoint_stored"]) if "checkpoint" in self.counts else None

    @property
    def terms(self) -> dict[str, float]:
        """Bytes by term in the order of TERMS, only those that are not 0."""
        return {name: self.bytes[name] for name in TERMS if self.bytes.get(name, 0.0) >= 0.5}

    def to_json(self) -> dict[str, Any]:
        """Everything, for json.dump."""
        return {
            "ranks": self.ranks,
            "threads": self.threads,
            "n_nodes": self.n_nodes,
            "synapses_per_rank": self.synapses,
            "bytes_per_rank": dict(self.bytes),
            "seconds": self.seconds,
            "counts_per_rank": dict(self.counts),
            "limits": list(self.limits),
        }

    def __repr__(self) -> str:
        lines = [
            f"Plan: {self.n_nodes} nodes, {count_text(self.synapses)} synapses to build"
            + (f" on each of {self.ranks} ranks" if self.ranks > 1 else "")
        ]
        lines += [f"  {TERMS[name]:38} {size_text(value):>10}" for name, value in self.terms.items()]
        lines += [f"  {text:38} {size_text(self.bytes[key]):>10}" for key, text in _SUMS.items() if self.bytes.get(key, 0.0) >= 0.5]
        if self.synapses:
            lines.append(f"  {'time to build':38} {sum(self.seconds.values()):8.3g} s")
        if sizes := self.checkpoints:
            lines.append(
                f"  {'checkpoint':38} {size_text(sizes[0]):>10}" + (f" (all stored: {size_text(sizes[1])})" if sizes[0] != sizes[1] else "")
            )
        verdict = "fits" if self.fits else "DOES NOT FIT"
        lines.append(f"  {'available':38} {size_text(self.available):>10}: {verdict}")
        return "\n".join([*lines, *(f"  limit: {text}" for text in self.limits)])


_SUMS = {"construction": "only while building", "peak": "most at any time", "built": "of this built already"}


@functools.cache
def build_rates() -> dict[str, Any]:
    """Rates of building and memory of processes as measured (`./run bench scaling --rates`): {"machine", "commit", "ns": {...}, "bytes": {...}}."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / "build_rates.json").read_text())
    return found


def base_bytes(resident: float, ranks: int, threads: int, mpi_open: bool) -> float:
    """A process without any network: `resident` bytes here and now, stacks of threads, and MPI where it is not open here."""
    known = build_rates()["bytes"]
    mpi = 0.0 if ranks == 1 else known["mpi_per_rank"] * ranks + (0.0 if mpi_open else known["mpi"])
    return float(resident + threads * known["thread"] + mpi)


def largest_scale(memory: float, bytes_at: Callable[[float], float], least: float = 1e-6, most: float = 1e9) -> float:
    """Factor of the size of the network that just fits: bytes_at(factor) <= memory, to 1 in 10^4; 0.0 if none does."""
    if bytes_at(least) > memory:
        return 0.0
    low, high = least, least
    while high < most and bytes_at(high) <= memory:
        low, high = high, 2.0 * high
    while high / low > 1.0001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if bytes_at(middle) <= memory else (low, middle)
    return low


def least_ranks(memory: float, bytes_on: Callable[[int], float], most: int = 2**31 - 1) -> int:
    """Least number of ranks with bytes_on(ranks) <= memory; 0 if none up to `most` is enough."""
    high = 1
    while bytes_on(high) > memory:
        if high == most:
            return 0
        high = min(2 * high, most)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bytes_on(middle) <= memory else (middle, high)
    return high


def size_text(size: float) -> str:
    """Bytes for people, decimal units."""
    for unit, factor in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.2f} {unit}"
    return f"{size:.0f} B"


def count_text(n: float) -> str:
    """A large number for people."""
    for unit, factor in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n:.0f}"
