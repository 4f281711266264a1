# SPDX-License-Identifier: Apache-2.0
"""TripartiteConnect: a primary rule, and third-factor nodes that some of its connections are joined to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine import world
from ..space.unplaced import ThirdPool, own_of_all
from . import edges as drawn
from . import projections
from .edges import Edges
from .errors import NESTErrors, NotSupported, translating
from .kernel import drawing, known_only, session
from .node_collection import NodeCollection
from .node_values import is_list
from .specs import ConnRule, SynSpec, to_rule, to_specs

_PARTS = ("primary", "third_in", "third_out")


@drawing
def TripartiteConnect(  # noqa: N802
    pre: NodeCollection,
    post: NodeCollection,
    third: NodeCollection,
    conn_spec: Any,
    third_factor_conn_spec: Mapping[str, Any],
    syn_specs: Mapping[str, Any] | None = None,
) -> None:
    """Connects pre to post by a rule; some of the connections also go from pre to a node of third, and from there to post.

    third_factor_conn_spec : rule "third_factor_bernoulli_with_pool", p, pool_size (default 1), pool_type "random" or "block"
    syn_specs : specifications of "primary", "third_in", "third_out"; no arrays

    Raises TypeError, BadProperty, IllegalConnection, ValueError, UnaccessedDictionaryEntry; then nothing was connected.
    """
    for name, nodes in (("pre", pre), ("post", post), ("third", third)):
        if not isinstance(nodes, NodeCollection):
            raise TypeError(f"{name} must be a NodeCollection, not {type(nodes).__name__}")
    for name, spec in (("third_factor_conn_spec", third_factor_conn_spec), ("syn_specs", syn_specs or {})):
        if not isinstance(spec, Mapping):
            raise TypeError(f"{name} must be a dict, not {type(spec).__name__}")
    rule = to_rule(conn_spec)
    if rule.symmetric:
        raise NESTErrors.BadProperty("Third-factor connectivity cannot be used with 'make_symmetric == True'.")
    if rule.spatial or (rule.drawn and rule.number.is_spatial()):
        raise NotSupported("TripartiteConnect with a spatial primary rule")
    pool = _pool(third_factor_conn_spec, len(post), len(third))
    specs = {name: _spec(name, syn_specs or {}, rule, len(pre), len(post)) for name in _PARTS}
    unknown = set(syn_specs or {}) - set(_PARTS)
    if unknown:
        raise ValueError(f"syn_specs may have {', '.join(_PARTS)}, not {', '.join(sorted(unknown))}")
    primary = drawn.by_rule(pre, post, rule)
    s = session()
    third_of = pool.thirds(primary.target, primary.key, s.seed, (s.next_draw(), s.next_draw(), s.next_draw()))
    for one in specs["primary"]:
        projections.connect_edges(pre, post, primary, one)
    joined = np.flatnonzero(third_of >= 0)
    out = Edges(third_of[joined], primary.target[joined], primary.key[joined])
    for one in specs["third_out"]:
        projections.connect_edges(third, post, out, one)
    comm = world() if s.n_ranks > 1 else None  # edges to third nodes were drawn where the targets are
    into = Edges(*own_of_all(comm, (primary.source[joined], third_of[joined], primary.key[joined]), s.own(third._gids)))
    for one in specs["third_in"]:
        projections.connect_edges(pre, third, into, one)


def _spec(name: str, given: Mapping[str, Any], rule: ConnRule, n_pre: int, n_post: int) -> list[SynSpec]:
    spec = given.get(name)
    if isinstance(spec, Mapping) and any(is_list(value) for value in spec.values()):
        raise ValueError(f"Tripartite connections do not accept parameter lists: syn_specs['{name}']")
    return to_specs(spec, rule, n_pre, n_post)


def _pool(given: Mapping[str, Any], n_post: int, n_third: int) -> ThirdPool:
    if given.get("rule") != "third_factor_bernoulli_with_pool":
        raise NESTErrors.IllegalConnection(f"Unknown third-factor connection rule '{given.get('rule')}'.")
    spec = known_only(given, ("rule", "p", "pool_size", "pool_type"), "third_factor_conn_spec", "TripartiteConnect:")
    with translating():
        return ThirdPool.of(float(spec.get("p", 1.0)), int(spec.get("pool_size", 1)), spec.get("pool_type", "random"), n_post, n_third)
