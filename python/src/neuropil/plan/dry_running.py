# SPDX-License-Identifier: Apache-2.0
"""Dry runs: one rank of many, built and run alone on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _core
from ..base.checks import to_number, to_whole
from ..base.named import named_arguments
from ..errors import bad_parameter, bad_type

__all__ = ["DryRun", "dry_run"]


@dataclass(frozen=True, slots=True)
class DryRun:
    """Which rank is played, see `dry_run`."""

    ranks: int
    rank: int = 0
    threads: int | None = None
    rate: float | None = None


@named_arguments
def dry_run(ranks: int, rank: int = 0, threads: int | None = None, rate: float | None = None) -> DryRun:
    """Rank `rank` of `ranks` with `threads` threads, for `Network(dry_run=...)`: built and run alone, with its true tables and buffers.

    Parameters
    ----------
    ranks, rank : number of ranks, at least 1, and which one is played, from 0
    threads : threads of the played rank: it gets as many slices, whatever the threads of this machine; default: those of the network
    rate : spikes/s; neurons of this rank are taken to spike at this rate, as a Poisson process, for what goes to and comes from other
        ranks; default: as they do

    All ranks are taken to be statistically alike: what this rank sends to another one is what it receives from it. Recordings,
    connections and node parameters are those of this rank. Not with the strategy "shared" and with phases=2. Raises BadParameter, BadType.
    """
    m, r = to_whole("ranks", ranks), to_whole("rank", rank)
    if not 1 <= m < 2**31:
        raise bad_parameter("ranks", ranks, "from 1 to 2^31 - 1")
    if not 0 <= r < m:
        raise bad_parameter("rank", rank, f"from 0 to {m - 1}")
    if threads is not None and not 1 <= to_whole("threads", threads) <= 65536:
        raise bad_parameter("threads", threads, "from 1 to 65536")
    if rate is not None and not to_number("rate", rate) >= 0:
        raise bad_parameter("rate", rate, "at least 0")
    return DryRun(m, r, None if threads is None else to_whole("threads", threads), None if rate is None else float(rate))


def played(dry: object, ranks: object) -> dict[str, Any]:
    """Keyword arguments of the kernel for a network that is given this dry run or these ranks. Raises BadType, BadParameter."""
    if dry is None:
        return {"comm": ranks}
    if not isinstance(dry, DryRun):
        raise bad_type("dry_run", dry, "neuropil.dry_run(...)")
    if ranks is not None:
        raise bad_parameter("ranks", ranks, "left out in a dry run")
    return {"comm": _core.dry_run_ranks(dry.ranks, dry.rank), "slices": dry.threads or 0, "rate": dry.rate}
