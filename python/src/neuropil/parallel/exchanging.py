# SPDX-License-Identifier: Apache-2.0
"""How spikes travel between ranks, and how neurons are dealt to ranks. Speed only: results are the same bits for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.checks import to_number
from ..base.named import named_arguments
from ..errors import bad_parameter, bad_type, unknown_name

__all__ = ["ByArea", "Exchange", "by_area", "exchange", "layouts", "strategies"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A strategy with its options, see `exchange`."""

    strategy: str
    regime: str = "auto"
    halves: bool = False
    phases: int = 1
    conservation: str = "allreduce"
    buffer_bytes: int = 0
    local: str = ""


@named_arguments
def exchange(
    strategy: str = "auto",
    *,
    regime: str = "auto",
    halves: bool = False,
    phases: int = 1,
    conservation: str = "allreduce",
    buffer_bytes: int = 0,
    local: str = "",
) -> Exchange:
    """How spikes travel between ranks; docs/concepts/exchange.md explains the strategies listed below.

    Parameters
    ----------
    strategy : name; "auto" tries several during the first intervals and keeps the fastest
    regime : "dense" sends a spike once to every rank with targets, "sparse" once to every row of synapses, "auto" chooses by a model of memory
    halves : split the minimal delay into two parts: spikes of one travel while the other is computed (Hines et al. 2011)
    phases : 2: by way of about sqrt(ranks) others (Hines et al. 2011, two-phase multisend); some strategies refuse it
    conservation : "allreduce" or "reduce_scatter": how strategies of many messages know that all spikes have arrived; others refuse the latter
    buffer_bytes : of fixed buffers, per partner; 0: the strategy's own
    local : strategy inside the groups of ranks that `by_area` makes, with its default options; "": as between groups

    Raises UnknownName, BadParameter.
    """
    known: dict[str, tuple[str, Iterable[str]]] = {
        "strategy": (strategy, strategies()),
        "regime": (regime, _core.regimes()),
        "conservation": (conservation, _core.conservations()),
    }
    if local:
        known["strategy inside groups"] = (local, strategies())
    for kind, (name, names) in known.items():
        if name not in names:
            raise unknown_name(kind, str(name), names)
    if phases not in (1, 2):
        raise bad_parameter("phases", phases, "1 or 2")
    if buffer_bytes < 0:
        raise bad_parameter("buffer_bytes", buffer_bytes, "at least 0")
    return Exchange(strategy, regime, bool(halves), int(phases), conservation, int(buffer_bytes), local)


def _listed(doc: str | None) -> str | None:
    """Adds the strategies that the kernel has to a docstring (which python -OO leaves out)."""
    return (
        doc
        and doc.rstrip()
        + "\n\n    Strategies\n    ----------\n"
        + "".join(f"    {name} : {text}\n" for name, text in sorted(strategies().items()))
        + "    "
    )


@dataclass(frozen=True, slots=True)
class ByArea:
    """Areas and their shares of the ranks, see `by_area`."""

    shares: Mapping[str, float]


def by_area(shares: Mapping[str, float]) -> ByArea:
    """For `Network(distribution=...)`: areas live on ranks of their own, `net.create(..., area=name)` says what belongs to which.

    `shares`: name of each area -> its share of the ranks, above 0, in any unit: best the expected load, like the number of neurons or
    synapses. Every area has at least one rank; where there are fewer ranks than areas, a rank has several areas. Inside an area spikes are
    exchanged after its own shortest delay, between ranks of different areas only after the shortest delay between them: fewer exchanges
    of all ranks where areas are far apart. Results are the same bits. Nodes without an area are spread over all ranks.
    Raises BadType, BadParameter.
    """
    if not isinstance(shares, Mapping) or not all(isinstance(name, str) and name for name in shares):
        raise bad_type("shares", shares, "a mapping from names of areas to numbers")
    if not shares:
        raise bad_parameter("shares", "{}", "at least one area")
    checked = {name: to_number(f"share of {name}", share) for name, share in shares.items()}
    for name, share in checked.items():
        if not (share > 0 and math.isfinite(share)):
            raise bad_parameter(f"share of {name}", share, "a finite number above 0")
    return ByArea(checked)


def strategies() -> dict[str, str]:
    """Exchange strategies by name, with one line about each."""
    return dict(_core.strategies())


exchange.__doc__ = _listed(exchange.__doc__)


def layouts() -> dict[str, str]:
    """How `Network(distribution=...)` can deal neurons to ranks, by name, with one line about each."""
    return dict(_core.distributions())


def to_exchange(value: Exchange | str | None) -> dict[str, Any]:
    """What the kernel takes. Raises UnknownName, BadType."""
    if value is None or isinstance(value, str):
        return dict(_named(value or "auto"))
    if not isinstance(value, Exchange):
        raise bad_type("exchange", value, "the name of a strategy or neuropil.exchange(...)")
    return asdict(value)


@cache
def _named(name: str) -> dict[str, Any]:
    return asdict(exchange(name))


def to_distribution(value: str | ByArea | ArrayLike) -> tuple[str, NDArray[np.int32] | None]:
    """Name and map for the kernel. Raises UnknownName, BadType."""
    if isinstance(value, ByArea):
        return "by_area", None
    if isinstance(value, str):
        if value not in layouts():
            raise unknown_name("distribution", value, layouts())
        return value, None
    ranks = np.asarray(value)
    if ranks.ndim != 1 or not np.issubdtype(ranks.dtype, np.integer):
        raise bad_type("distribution", value, "a name, by_area(...), or whole numbers of shape (n_nodes,): the rank of every node")
    return "by_map", np.ascontiguousarray(ranks, np.int32)
