# SPDX-License-Identifier: Apache-2.0
"""Tripartite connections: a primary rule, and third nodes that some of its connections go through as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.checks import to_number, to_whole
from ..base.quantities import plain
from ..errors import IllegalConnection, bad_parameter, bad_type, unknown_argument
from ..space.unplaced import ThirdPool, own_of_all
from . import drawn
from .arguments import check_shape, kernel_arguments, simple, to_receptor, to_rule, to_synapse
from .drawing import Draws
from .edges import Edges, Side
from .from_devices import check_targets, senders
from .linking import Linking
from .nodes import Nodes
from .projection import Projection
from .synapses import Synapse

__all__ = ["connect_tripartite"]

_DEFAULTS: dict[str, Any] = {"weight": None, "delay": 1.0, "synapse": None, "receptor": 0, "double_weights": False, "name": ""}
_USER = 6  # calls from Linking._weight to the user's
_PARTS = ("primary", "third_in", "third_out")


def connect_tripartite(
    network: Linking, nodes: tuple[Nodes, Nodes, Nodes], rule: Any, third_factor: tuple[Any, Any, Any], parts: Mapping[str, Any]
) -> tuple[Projection, Projection, Projection]:
    """See Network.connect_tripartite. nodes: pre, post, third; third_factor: p, pool_size, pool."""
    for name, some in zip(("pre", "post", "third"), nodes, strict=True):
        network._check_mine(name, some)
    pre, post, third = nodes
    rule = to_rule(rule)
    if rule.name == "symmetric_pairwise_bernoulli":
        raise bad_parameter("rule", rule, "a rule that connects in one direction, from pre to post")
    check_targets(post)
    check_targets(third)
    if len(senders(pre)) or len(senders(third)):
        raise IllegalConnection("connect_tripartite: pre and third must be neurons; devices have no tripartite connections")
    p, size, kind = third_factor
    pool = ThirdPool.of(to_number("p", p), to_whole("pool_size", size), kind, len(post), len(third))
    ends = dict(zip(_PARTS, ((pre, post), (pre, third), (third, post)), strict=True))
    given = {}
    for name in _PARTS:  # no comprehension, which some versions of Python count as a call
        given[name] = _given(network, name, parts[name], ends[name], rule)
    marks = _marks(network, [given[name]["name"] for name in _PARTS])
    with network._drawing() as draw:
        sides = {name: (Side.of(network, a), Side.of(network, b)) for name, (a, b) in ends.items()}
        edges = _edges(network, nodes, sides["primary"], rule, pool, draw, given, sides)
        calls = drawn.together(
            network,
            lambda: [_call(network, ends[name], sides[name], edges[name], given[name], marks[k], draw) for k, name in enumerate(_PARTS)],
        )
        numbers = network._connect_all(calls)
    made = []
    for name, mark, number in zip(_PARTS, marks, numbers, strict=True):
        g = given[name]
        values = (g["weight"], g["delay"], g["synapse"], to_receptor(g["receptor"], ends[name][1]))
        made.append(network._note(*ends[name], rule, values, (g["name"], mark, number)))
    return made[0], made[1], made[2]


def _edges(network: Linking, nodes: Any, primary: Any, rule: Any, pool: ThirdPool, draw: Draws, given: Any, sides: Any) -> dict[str, Edges]:
    """Edges of each part that end on nodes of this rank. Collective."""
    pre, post, _ = nodes

    def work() -> tuple[Edges, Any]:
        for name, (a, b) in sides.items():
            asked = {key: given[name][key] for key in ("weight", "delay")} | dict(given[name]["synapse"].parameters)
            drawn.check_positions(a, b, rule if name == "primary" else to_rule(None), asked)
        found = drawn.edges_of(network, (pre, post), primary, rule, draw)
        draws = draw.next(), draw.next(), draw.next()
        return found, pool.thirds(found.target, found.key, draw.seed, draws)

    found, third_of = drawn.together(network, work)
    some = np.flatnonzero(third_of >= 0)
    comm = network._comm if network.n_ranks > 1 and not network._kernel.dry else None
    into = own_of_all(comm, (found.source[some], third_of[some], found.key[some]), sides["third_in"][1].own)
    return {"primary": found, "third_in": Edges(*into), "third_out": Edges(third_of[some], found.target[some], found.key[some])}


def _call(network: Linking, ends: Any, sides: Any, edges: Edges, given: dict[str, Any], mark: int, draw: Draws) -> Any:
    weight, delay, model = drawn.columns(
        network, sides, edges, (given["weight"], given["delay"], given["synapse"]), draw, given["double_weights"]
    )
    rule = drawn.explicit(network, {"sources": edges.source, "targets": edges.target})
    return (
        *ends,
        kernel_arguments(network, ends[0], ends[1], rule, weight, delay, model, given["receptor"], given["double_weights"], mark),
    )


def _given(network: Linking, part: str, given: Any, ends: tuple[Nodes, Nodes], rule: Any) -> dict[str, Any]:
    """What a part was given, with defaults. Raises UnknownArgument, BadParameter, BadType, BadDelay."""
    if given is not None and not isinstance(given, Mapping):
        raise bad_type(part, given, f"a dict with some of {', '.join(_DEFAULTS)}")
    for key in given or {}:
        if key not in _DEFAULTS:
            raise unknown_argument(f"connect_tripartite(..., {part}={{...}})", str(key), _DEFAULTS)
    found = {**_DEFAULTS, **(given or {})}
    model = to_synapse(found["synapse"])
    found["synapse"] = Synapse(model.name, {name: simple(value) for name, value in model.parameters.items()})
    found["weight"] = network._weight(found["weight"], *ends, model, _USER)
    found["delay"] = plain("delay", found["delay"], "ms")
    for key in ("weight", "delay"):
        found[key] = simple(found[key])
    for key, value in {"weight": found["weight"], "delay": found["delay"], **found["synapse"].parameters}.items():
        check_shape(key, value, rule, len(ends[0]), len(ends[1]))
        if isinstance(value, list | tuple | np.ndarray):
            raise bad_type(f"{key} of {part}", value, "a number, a distribution or an expression")
    if isinstance(found["delay"], int | float):
        network._grid.check_delay(found["delay"])
    to_receptor(found["receptor"], ends[1])
    return found


def _marks(network: Linking, labels: list[str]) -> list[int]:
    """Numbers of labels in the kernel."""
    found: list[int] = []
    for k, label in enumerate(labels):
        if label and label in labels[:k]:
            raise bad_parameter("name", label, "different for each of the three projections")
        mark = network._label_number(label)
        found.append(mark + sum(map(bool, labels[:k])) if mark else 0)
    return found
