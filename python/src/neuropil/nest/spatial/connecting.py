# SPDX-License-Identifier: Apache-2.0
"""Edges of NEST's rules in space, drawn by neuropil.space.

pairwise_bernoulli looks around every source for targets (with use_on_source around every target for sources), fixed_outdegree likewise;
fixed_indegree and pairwise_poisson look around every target for sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...space import drawing
from ...space.context import Context
from ...space.layers import Part
from ...space.task import Edges
from ..errors import translating
from .specification import parse


def edges(pre: Part, post: Part, conn_spec: Mapping[str, Any], seed: int, draw: int, own: NDArray[np.bool_], threads: int = 1) -> Edges:
    """Edges that end on nodes of this rank, see `space.drawing.edges`.

    conn_spec : rule, mask, p, indegree, outdegree, pairwise_avg_num_conns, use_on_source, allow_autapses, allow_multapses, allow_oversized_mask

    Raises ValueError for other rules and keys, BadProperty for masks that do not fit, KernelException where there are not enough candidates.
    """
    with translating():
        return drawing.edges(pre, post, parse(conn_spec), seed, draw, own, threads)


def edge_list(pre: Part, post: Part, conn_spec: Mapping[str, Any], seed: int, draw: int, own: NDArray[np.bool_], threads: int = 1) -> Any:
    """The edges of `edges` as a list for the kernel; None where there is no such list. Raises as `edges`."""
    with translating():
        return drawing.edge_list(pre, post, parse(conn_spec), seed, draw, own, threads)


def edge_context(pre: Part, post: Part, conn_spec: Mapping[str, Any], found: Edges, seed: int, draw: int) -> Context:
    """What weights, delays and other Parameters are evaluated for on these edges: distances wrap as the rule of conn_spec sees them."""
    return drawing.edge_context(pre, post, parse(conn_spec), found, seed, draw)


__all__ = ["edge_context", "edge_list", "edges"]
