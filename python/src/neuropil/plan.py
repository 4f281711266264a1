# SPDX-License-Identifier: Apache-2.0
"""What a network will need, before it is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Plan", "size_text"]

_ROWS = {
    "built": "built already",
    "payload": "synapses: target, weight, plasticity",
    "index": "synapses: sources and delays",
    "construction": "only while building",
    "peak": "most at any time",
}


@dataclass(frozen=True)
class Plan:
    """Estimate by `Network.plan` for this rank; `bytes` by kind as the kernel tells them, all but "synapses" in bytes.

    `synapses`: those of this rank, by expectation. `available`: memory that the process may still take (bytes), of which ranks on the same
    machine see the same. `ranks`: how many there are.
    """

    n_nodes: int
    synapses: float
    bytes: Mapping[str, float]
    available: float
    ranks: int = 1

    @property
    def peak(self) -> float:
        """Bytes needed at most, what is built already included."""
        return self.bytes.get("peak", self.bytes.get("total", 0.0))

    @property
    def needed(self) -> float:
        """Bytes still to be allocated."""
        return max(self.peak - self.bytes.get("built", 0.0), 0.0)

    @property
    def fits(self) -> bool:
        """Whether there is memory for it."""
        return self.needed <= self.available

    def __repr__(self) -> str:
        lines = [f"Plan: {self.n_nodes} nodes, {count_text(self.synapses)} synapses to build" + (f" on each of {self.ranks} ranks" if self.ranks > 1 else "")]
        lines += [f"  {text:38} {size_text(self.bytes[key]):>10}" for key, text in _ROWS.items() if key in self.bytes]
        if self.synapses:
            kept = self.bytes.get("payload", 0.0) + self.bytes.get("index", 0.0)
            lines.append(f"  {'per synapse':38} {kept / self.synapses:8.1f} B")
        verdict = "fits" if self.fits else "DOES NOT FIT"
        lines.append(f"  {'available':38} {size_text(self.available):>10}: {verdict}")
        return "\n".join(lines)


def size_text(size: float) -> str:
    """Bytes for people, decimal units."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.2f} {unit}"
    return f"{size:.0f} B"


def count_text(n: float) -> str:
    """A large number for people."""
    for unit, factor in (("G", 1e9), ("M", 1e6)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n:.0f}"
