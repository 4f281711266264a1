# SPDX-License-Identifier: Apache-2.0
"""The functions of `nest` that look at nodes in space: where they are, what is near, what they are connected to, text files of that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...engine import Floats, Ranges
from ...space.engine import Part, nodes_in, shortest
from ..errors import NESTErrors, expect, translating
from ..kernel import session
from ..node_collection import NodeCollection, checked, collection
from ..parameters.expression import to_point
from ..synapse_collection import GetConnections
from .layers import part_of
from .masks import to_mask


def GetPosition(nodes: Any) -> list[Any]:  # noqa: N802  (the names are NEST's)
    """Position of one node, or list of the positions of several. Raises TypeError, LayerExpected."""
    positions: list[Any] = part_of(checked(nodes, "nodes")).positions.tolist()
    return positions[0] if len(positions) == 1 else positions


def Displacement(from_arg: Any, to_arg: Any) -> list[list[float]]:  # noqa: N802
    """Vectors between nodes, or between positions and nodes, along the shortest way where edges are joined.

    As in NEST the sign depends on what is given: between nodes from_arg - to_arg, with positions as from_arg the node's minus the position.
    One of both may have length 1, else their lengths must be equal. Raises TypeError, ValueError, LayerExpected, BadProperty.
    """
    return _displacement(from_arg, to_arg).tolist()


def Distance(from_arg: Any, to_arg: Any) -> list[float]:  # noqa: N802
    """Lengths of the vectors of `Displacement`."""
    return np.sqrt((_displacement(from_arg, to_arg) ** 2).sum(axis=1)).tolist()


def _displacement(from_arg: Any, to_arg: Any) -> Floats:
    to = part_of(checked(to_arg, "to_arg"))
    n_from, n_to = 1 if isinstance(from_arg, np.ndarray) and from_arg.ndim == 1 else len(from_arg), len(to.positions)
    if n_from != n_to and 1 not in (n_from, n_to):
        raise ValueError(f"from_arg has {n_from} entries and to_arg {n_to}: they must be as many, or one must be 1")
    if isinstance(from_arg, NodeCollection):
        layer = part_of(from_arg)
        if layer.dims != to.dims:
            raise NESTErrors.BadProperty(f"nodes in {layer.dims} and in {to.dims} dimensions")
        difference = layer.positions - to.positions
    else:
        layer = to
        difference = to.positions - _points(from_arg, to.dims)
    return shortest(difference, layer)


def _points(given: Any, dims: int) -> Floats:
    if isinstance(given, np.ndarray) and given.ndim > 1:
        raise TypeError("several positions must be given as a list of them")
    if isinstance(given, np.ndarray):
        return to_point(given, dims)[None, :]
    return np.array([to_point(point, dims) for point in given]).reshape(-1, dims)


def FindNearestElement(layer: Any, locations: Any, find_all: bool = False) -> Any:  # noqa: N802
    """The node nearest to a location; of equally near ones the first, or with `find_all` a list of all.

    locations : one position, or a list of several, which gives a list. Raises TypeError, LayerExpected, BadProperty.
    """
    nodes = checked(layer, "layer")
    if not len(nodes):
        raise ValueError("the layer is empty")
    if not isinstance(locations, list | tuple | np.ndarray) or not len(locations):
        raise TypeError("locations must be a position, or a list of positions")
    part = part_of(nodes)
    points = locations if isinstance(locations[0], list | tuple | np.ndarray) else [locations]
    found = [_nearest(nodes, part, to_point(point, part.dims), find_all) for point in points]
    return found[0] if len(found) == 1 else found


def _nearest(nodes: NodeCollection, part: Part, point: Floats, find_all: bool) -> Any:
    distance = np.sqrt((shortest(part.positions - point, part) ** 2).sum(axis=1))
    least = distance.min()
    near = np.flatnonzero(distance <= least * (1.0 + 1e-14)).tolist()
    return [nodes[k] for k in near] if find_all else nodes[near[0]]


def FindCenterElement(layer: Any) -> NodeCollection:  # noqa: N802
    """The node nearest to the centre of the layer. Raises TypeError, LayerExpected."""
    part = part_of(checked(layer, "layer"))
    found: NodeCollection = FindNearestElement(layer, part.center.tolist())
    return found


def SelectNodesByMask(layer: Any, anchor: Any, mask_obj: Any) -> NodeCollection:  # noqa: N802
    """Nodes of the whole layer that lie in a mask moved to `anchor`; as in NEST, slices of the layer do not matter.

    Raises TypeError, LayerExpected, TypeMismatch for an anchor of other dimensions, BadProperty for a mask that does not fit.
    """
    nodes = checked(layer, "layer")
    if not hasattr(anchor, "__len__"):
        raise TypeError(f"anchor must be a position, not {anchor!r}")
    part_of(nodes)
    whole: Part = nodes._layer.part()
    point = np.asarray(anchor, np.float64)
    expect(point.shape == (whole.dims,), f"a position of {whole.dims} dimensions", anchor)
    mask = to_mask(mask_obj)
    if mask is None:
        raise TypeError("mask_obj must be a mask")
    with translating():
        return collection(Ranges.of(whole.gids[nodes_in(mask, whole, point)]))


def GetTargetNodes(sources: Any, tgt_layer: Any, syn_model: str | None = None) -> tuple[NodeCollection, ...]:  # noqa: N802
    """For each source the nodes of tgt_layer that it connects to, with any synapse model or only with one. Raises TypeError, UnknownSynapseType."""
    found = GetConnections(checked(sources, "sources"), checked(tgt_layer, "tgt_layer"), syn_model)
    return _grouped(sources, found, "source", "target")


def GetSourceNodes(src_layer: Any, targets: Any, syn_model: str | None = None) -> tuple[NodeCollection, ...]:  # noqa: N802
    """For each target the nodes of src_layer that connect to it, as `GetTargetNodes`."""
    found = GetConnections(checked(src_layer, "src_layer"), checked(targets, "targets"), syn_model)
    return _grouped(targets, found, "target", "source")


def GetTargetPositions(sources: Any, tgt_layer: Any, syn_model: str | None = None) -> list[list[list[float]]]:  # noqa: N802
    """For each source the positions of the nodes of `GetTargetNodes`. Raises LayerExpected, too."""
    return _positions(GetTargetNodes(sources, tgt_layer, syn_model), tgt_layer)


def GetSourcePositions(src_layer: Any, targets: Any, syn_model: str | None = None) -> list[list[list[float]]]:  # noqa: N802
    """For each target the positions of the nodes of `GetSourceNodes`. Raises LayerExpected, too."""
    return _positions(GetSourceNodes(src_layer, targets, syn_model), src_layer)


def _grouped(nodes: NodeCollection, connections: Any, by: str, of: str) -> tuple[NodeCollection, ...]:
    columns = connections._columns
    key, partner = getattr(columns, by), getattr(columns, of)
    order = np.lexsort((partner, key))
    key, partner = key[order], partner[order]
    gids = nodes._gids
    first, last = np.searchsorted(key, gids), np.searchsorted(key, gids, side="right")
    return tuple(collection(Ranges.of(np.unique(partner[a:b]))) for a, b in zip(first.tolist(), last.tolist(), strict=True))


def _positions(groups: tuple[NodeCollection, ...], layer: NodeCollection) -> list[list[list[float]]]:
    part_of(layer)
    return [layer._layer.positions_of(nodes._gids).tolist() if nodes else [] for nodes in groups]


def DumpLayerNodes(layer: Any, outname: str) -> None:  # noqa: N802  (the names are NEST's)
    """Writes a line `gid x y [z]` for every node of the whole layer that lives on this rank. Raises TypeError, LayerExpected."""
    nodes = checked(layer, "layer")
    part_of(nodes)
    whole = nodes._layer.part()
    own = session().own(whole.gids)
    _write(outname, whole.gids[own].tolist(), whole.positions[own].tolist())


def DumpLayerConnections(source_layer: Any, target_layer: Any, synapse_model: str, outname: str) -> None:  # noqa: N802
    """Writes a line `source target weight delay dx dy [dz]` for every connection of a model between nodes in space.

    The displacement is that from source to target, along the shortest way where the edges of the target's layer are joined; delays in ms.
    Raises TypeError, LayerExpected, UnknownSynapseType.
    """
    sources, targets = checked(source_layer, "source_layer"), checked(target_layer, "target_layer")
    _, post = part_of(sources), part_of(targets)
    found = GetConnections(sources, targets, synapse_model)
    if not len(found):
        _write(outname, [])
        return
    columns = found._columns
    source, target = columns.source, columns.target
    difference = targets._layer.positions_of(target) - sources._layer.positions_of(source)
    values = np.column_stack([columns.values("weight"), columns.values("delay"), shortest(difference, post)])
    _write(outname, zip(source.tolist(), target.tolist(), strict=True), values.tolist())


def _write(outname: str, ids: Any, numbers: Any = ()) -> None:
    """Lines of whole numbers and then others with six digits."""
    path = Path(outname)
    if session().n_ranks > 1:
        path = path.with_name(f"{path.stem}-{session().rank}{path.suffix}")
    with path.open("w", encoding="utf-8") as file:
        for some, values in zip(ids, numbers, strict=True):
            numbered = (some,) if isinstance(some, int) else some
            file.write(" ".join([*map(str, numbered), *(format(value, "g") for value in values)]) + "\n")
