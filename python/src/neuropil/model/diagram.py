# SPDX-License-Identifier: Apache-2.0
"""What a picture of a network shows: populations and, between each two of them, the number of synapses by sign."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .distributions import Distribution
from .projection import Connected, Projection
from .rules import Rule

__all__ = ["Arrow", "Box", "diagram", "expected_synapses"]

_MOSTLY = 0.95  # part of the drawn weights that must have one sign
_DRAWN = 200


class Box(NamedTuple):
    """A population. name : "" without; is_device : whether it stimulates."""

    name: str
    model: str
    nodes: int
    is_device: bool


class Arrow(NamedTuple):
    """Synapses from one box to another, by their positions. synapses : None where unknown; sign : of their weights, 0 for both or unknown."""

    source: int
    target: int
    synapses: float | None
    sign: int


def diagram(network: Connected) -> tuple[list[Box], list[Arrow]]:
    """Boxes in the order of `create`, and arrows; synapses of equal ends and sign are one arrow. Builds nothing."""
    rows = network._populations.rows()
    boxes = [
        Box(network.name_of(nodes), entry.name, count, entry.kind != "neuron")
        for nodes, (_, count, entry) in zip(network.populations, rows, strict=True)
    ]
    found: dict[tuple[int, int, int], float | None] = {}
    for p in network._projections:
        sign, total = sign_of(p._given.weight), expected_synapses(p)
        for source, target, part in _shares(network, p):
            key, before = (source, target, sign), found.get((source, target, sign), 0.0)
            found[key] = None if total is None or before is None else before + part * total
    return boxes, [Arrow(*key[:2], count, key[2]) for key, count in found.items()]


def _shares(network: Connected, p: Projection) -> list[tuple[int, int, float]]:
    """Populations of both ends, and the part of the pairs that lies between them."""
    before, after = (network._populations.touched(nodes._ranges.table) for nodes in (p.pre, p.post))
    pairs = max(1, len(p.pre) * len(p.post))
    return [(a, b, n * m / pairs) for a, n in before for b, m in after]


def expected_synapses(p: Projection) -> float | None:
    """Number of synapses that the rule makes, or its mean; of rules without a formula the number once the network is built, else None."""
    known = _by_rule(p.rule, len(p.pre), len(p.post))
    if known is None and p._network._kernel.built and p._stored():
        return float(len(p))
    return known


def _by_rule(rule: Rule, n_pre: int, n_post: int) -> float | None:
    def number(name: str) -> float | None:
        value = rule.parameters.get(name)
        return float(value) if isinstance(value, int | float | np.number) else None

    if "mask" in rule.parameters or (rule.name.startswith("fixed_") and "p" in rule.parameters):
        return None
    each: dict[str, tuple[float | None, int]] = {
        "all_to_all": (1.0, n_pre * n_post),
        "one_to_one": (1.0, n_pre),
        "fixed_indegree": (number("indegree"), n_post),
        "fixed_outdegree": (number("outdegree"), n_pre),
        "fixed_total_number": (number("N"), 1),
        "pairwise_bernoulli": (number("p"), n_pre * n_post),
        "pairwise_poisson": (number("mean"), n_pre * n_post),
    }
    one, times = each.get(rule.name, (None, 0))
    return None if one is None else one * times


def sign_of(weight: Any) -> int:
    """1 or -1 where (nearly) all weights have this sign, else 0. Of distributions some are drawn; expressions are not known."""
    if isinstance(weight, Distribution):
        values = weight.sample(_DRAWN)
    elif isinstance(weight, int | float | np.number | np.ndarray | list | tuple):
        values = np.asarray(weight, np.float64).ravel()
    else:
        return 0
    positive, negative = (values > 0.0).mean() if len(values) else 0.0, (values < 0.0).mean() if len(values) else 0.0
    return int(positive >= _MOSTLY) - int(negative >= _MOSTLY)
