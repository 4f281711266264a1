# SPDX-License-Identifier: Apache-2.0
"""Connect, TripartiteConnect and Disconnect: what users write, checked and taken apart into what the kernel can do at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine import Ints, any_rank, rows_in, world
from ..space.engine import ThirdPool, own_of_all
from . import connection_query, editing, plans, projections, wiring
from . import edges as drawn
from .edges import Edges
from .errors import NESTErrors, NotSupported, illegal, translating
from .kernel import drawing, known_only, session
from .node_collection import NodeCollection, checked
from .node_values import is_list, is_parameter
from .specs import ConnRule, SynSpec, check_symmetric, to_rule, to_specs
from .synapse_collection import SynapseCollection


def Connect(  # noqa: N802
    pre: Any, post: Any, conn_spec: Any = None, syn_spec: Any = None, return_synapsecollection: bool = False
) -> SynapseCollection | None:
    """Connects nodes.

    Parameters
    ----------
    pre, post : NodeCollections, or arrays of node ids; ids that repeat or are in no order need the rule one_to_one
    conn_spec : name of a rule or a dict with it ("rule"), its number, allow_autapses, allow_multapses, make_symmetric, mask, use_on_source
    syn_spec : name of a synapse model; a dict with synapse_model, weight (pA or nS), delay (ms), receptor_type and parameters, each a
        number, an array in the order of the rule, or a Parameter; or CollocatedSynapses
    return_synapsecollection : return the connections from pre to post, those of before as well

    Raises the errors of NEST; then nothing was connected.
    """
    s = session()
    start = s.clocks.start()
    done, key = plans.repeat(s, pre, post, conn_spec, syn_spec)
    if not done:
        pre, post = _connect(pre, post, to_rule(conn_spec), syn_spec, key)
    s.counted_nodes = s.registry.size
    s.clocks.took("connect", start, alone=s.threads == 1)
    if not return_synapsecollection or not isinstance(pre, NodeCollection):
        return None
    return SynapseCollection(connection_query.query(pre._ranges, post._ranges))


@drawing
def _connect(pre: Any, post: Any, rule: ConnRule, syn_spec: Any, key: plans.Key | None) -> tuple[Any, Any]:
    """Connects the long way; returns the nodes, as collections unless they are ids in no order. key : by which to keep what was found out."""
    if rule.name == "one_to_one" and not (isinstance(pre, NodeCollection) and isinstance(post, NodeCollection)):
        sources, targets = (_collection(nodes)._gids if isinstance(nodes, NodeCollection) else _ids(nodes) for nodes in (pre, post))
        if not all((np.diff(ids) > 0).all() for ids in (sources, targets)):
            _connect_ids(sources, targets, rule, syn_spec)
            return sources, targets
    pre, post = _collection(pre), _collection(post)
    specs, s = to_specs(syn_spec, rule, len(pre), len(post)), session()
    wired = wiring.stimulators(pre, [spec.model.name for spec in specs]) if pre else {}
    s.made = [] if key is not None else None
    try:
        connect_collections(pre, post, rule, specs)
    finally:
        made, s.made = s.made, None
    s.wires.of_stimulators |= wired
    if key is not None and made:
        plans.keep(key, made, pre, post)
    return pre, post


def _ids(nodes: Any) -> Ints:
    ids = np.asarray(list(nodes))
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise TypeError("node ids must be integers")
    return ids.astype(np.int64)


def _collection(nodes: Any) -> NodeCollection:
    if isinstance(nodes, NodeCollection):
        if nodes:
            nodes._present()
        return nodes
    ids = _ids(nodes)
    if len(np.unique(ids)) < len(ids):
        raise ValueError("When connecting two arrays with non-unique IDs, `conn_spec` must be 'one_to_one'.")
    return NodeCollection(ids)


def _connect_ids(sources: Ints, targets: Ints, rule: ConnRule, syn_spec: Any) -> None:
    """The i-th id to the i-th: repeats and any order are allowed."""
    if len(sources) != len(targets):
        raise ValueError("All arrays of node ids and parameters must be of equal length")
    for ids in (sources, targets):
        if len(ids) and ids.min() < 1:
            raise NESTErrors.UnknownNode(f"Node with id {ids.min()} does not exist.")
        session().check_nodes(int(ids.max(initial=0)))
    given = syn_spec.get("receptor_type") if isinstance(syn_spec, Mapping) else None
    if isinstance(given, np.ndarray) and given.dtype.kind == "f":
        if (given != np.floor(given)).any():
            raise NESTErrors.BadParameter("Receptor types must be integers.")
        syn_spec = {**syn_spec, "receptor_type": given.astype(np.int64)}
    specs = to_specs(syn_spec, rule, len(sources), len(targets))
    wired = wiring.stimulators(NodeCollection(np.unique(sources)), [spec.model.name for spec in specs])
    for spec in specs:
        wiring.connect_pairs(sources, targets, spec)
    session().wires.of_stimulators |= wired


def connect_collections(pre: NodeCollection, post: NodeCollection, rule: ConnRule, specs: list[SynSpec]) -> None:
    """Connects by a rule, once for each specification; several specifications for the same pairs draw these pairs once."""
    if not len(pre) or not len(post):
        side = "Post" if len(pre) else "Pre"
        raise illegal(f"{side}synaptic nodes cannot be an empty NodeCollection")
    if rule.name == "one_to_one" and len(pre) != len(post):
        raise NESTErrors.DimensionMismatch("Source and Target population must be of the same size.")
    check_symmetric(pre._ranges, post._ranges, rule, specs)
    if (
        rule.spatial
        or (rule.drawn and rule.number.is_spatial())
        or any(is_parameter(v) and v.is_spatial() for spec in specs for v in (spec.weight, spec.delay, *spec.parameters.values()))
    ):
        if any(spec.parameters for spec in specs):
            raise ValueError("In space syn_spec may have synapse_model, weight, delay, receptor_type and synapse_label only")
        wiring.connect_in_space(pre, post, rule, specs)
        return
    drawn_values = (v for spec in specs for v in spec.values.values() if is_parameter(v))
    if rule.symmetric and not all(isinstance(value.native(), float | int) for value in drawn_values):
        raise NESTErrors.NotImplemented("Symmetric connections require parameters that can be reset.")
    wiring.connect(pre, post, rule, specs)
    if rule.symmetric and rule.name != "symmetric_pairwise_bernoulli":
        wiring.connect(post, pre, rule, specs)


# --- third factors

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
        checked(nodes, name)
    for name, spec in (("third_factor_conn_spec", third_factor_conn_spec), ("syn_specs", syn_specs or {})):
        if not isinstance(spec, Mapping):
            raise TypeError(f"{name} must be a dict, not {type(spec).__name__}")
    rule = to_rule(conn_spec)
    if rule.symmetric:
        raise NESTErrors.BadProperty("Third-factor connectivity cannot be used with 'make_symmetric == True'.")
    if rule.spatial or (rule.drawn and rule.number.is_spatial()):
        raise NotSupported("TripartiteConnect with a spatial primary rule")
    if third_factor_conn_spec.get("rule") != "third_factor_bernoulli_with_pool":
        raise NESTErrors.IllegalConnection(f"Unknown third-factor connection rule '{third_factor_conn_spec.get('rule')}'.")
    third_rule = known_only(third_factor_conn_spec, ("rule", "p", "pool_size", "pool_type"), "third_factor_conn_spec", "TripartiteConnect:")
    p, size, kind = (third_rule.get(key, default) for key, default in (("p", 1.0), ("pool_size", 1), ("pool_type", "random")))
    with translating():
        pool = ThirdPool.of(float(p), int(size), kind, len(post), len(third))
    specs = {name: _spec(name, syn_specs or {}, rule, len(pre), len(post)) for name in _PARTS}
    unknown = set(syn_specs or {}) - set(_PARTS)
    if unknown:
        raise ValueError(f"syn_specs may have {', '.join(_PARTS)}, not {', '.join(sorted(unknown))}")
    primary = drawn.by_rule(pre, post, rule)
    s = session()
    third_of = pool.thirds(primary.target, primary.key, s.seed, (s.next_draw(), s.next_draw(), s.next_draw()))
    joined = np.flatnonzero(third_of >= 0)
    out = Edges(third_of[joined], primary.target[joined], primary.key[joined])
    comm = world() if s.n_ranks > 1 else None  # edges to third nodes were drawn where the targets are
    into = Edges(*own_of_all(comm, (primary.source[joined], third_of[joined], primary.key[joined]), s.own(third._gids)))
    parts = {"primary": (pre, post, primary), "third_out": (third, post, out), "third_in": (pre, third, into)}
    for name, edges in parts.items():
        for one in specs[name]:
            projections.connect_edges(*edges, one)


def _spec(name: str, given: Mapping[str, Any], rule: ConnRule, n_pre: int, n_post: int) -> list[SynSpec]:
    spec = given.get(name)
    if isinstance(spec, Mapping) and any(is_list(value) for value in spec.values()):
        raise ValueError(f"Tripartite connections do not accept parameter lists: syn_specs['{name}']")
    return to_specs(spec, rule, n_pre, n_post)


# --- removal


def Disconnect(*args: Any, conn_spec: Any = None, syn_spec: Any = None) -> None:  # noqa: N802
    """Removes connections: those of a SynapseCollection, or of each pair of `pre` and `post` the one that was made first.

    conn_spec : one_to_one (default) or all_to_all
    syn_spec : the synapse model, static_synapse by default

    Raises TypeError, InexistentConnection (also where `allow_autapses` leaves no pair), DimensionMismatch, NotImplemented for other
    rules; then nothing has changed.
    """
    if len(args) == 1 and isinstance(args[0], SynapseCollection):
        if conn_spec is not None or syn_spec is not None:
            raise ValueError("When disconnecting with a SynapseCollection, conn_spec and syn_spec cannot be specified")
        args[0].disconnect()
    elif len(args) == 2 and all(isinstance(nodes, NodeCollection) for nodes in args):
        _disconnect_pairs(_collection(args[0]), _collection(args[1]), conn_spec, syn_spec)
    else:
        raise TypeError("Arguments must be either a SynapseCollection or two NodeCollections")


def _disconnect_pairs(pre: NodeCollection, post: NodeCollection, given: Any, syn_spec: Any) -> None:
    """Removes one connection of each pair of a rule, the one made first. Raises the errors of NEST; then nothing has changed."""
    rule = to_rule({"rule": "one_to_one", **given} if isinstance(given, Mapping) else "one_to_one" if given is None else given)
    if rule.name not in ("one_to_one", "all_to_all"):
        raise NESTErrors.NotImplemented("This disconnection rule is not implemented.")
    if rule.name == "one_to_one" and len(pre) != len(post):
        raise NESTErrors.DimensionMismatch("Source and Target population must be of the same size.")
    spec = to_specs(syn_spec, rule, len(pre), len(post))[0]
    columns = connection_query.query(pre._ranges, post._ranges, spec.model.name)
    sources, targets = _pairs(pre, post, rule)
    own = session().own(targets)
    at = rows_in([sources[own], targets[own]], [columns.source, columns.target])
    no_pair = bool(pre) and bool(post) and not len(sources)
    if no_pair or any_rank(bool((at < 0).any())) or any_rank(bool((columns.origin[at] < 0).any())):
        raise NESTErrors.InexistentConnection(editing.MISSING)
    editing.disconnect(columns.part(np.sort(at)))


def _pairs(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> tuple[Ints, Ints]:
    sources, targets = pre._gids, post._gids
    if rule.name == "all_to_all":
        sources, targets = np.tile(sources, len(targets)), np.repeat(targets, len(sources))
    if rule.autapses:
        return sources, targets
    return sources[sources != targets], targets[sources != targets]
