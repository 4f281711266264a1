# SPDX-License-Identifier: Apache-2.0
"""Edges of NEST's specifications in space, by the functions of neuropil.space."""

from neuropil.nest.errors import translating
from neuropil.nest.specs import ConnRule, to_flag
from neuropil.nest.wiring import spatial
from neuropil.space import drawing


def parse(spec):
    loops = (to_flag(spec, f"allow_{name}", True) for name in ("autapses", "multapses"))
    return spatial(ConnRule(spec["rule"], None, *loops, spatial=spec))


def edges(pre, post, spec, *more):
    with translating():
        return drawing.edges(pre, post, parse(spec), *more)


def edge_list(pre, post, spec, *more):
    with translating():
        return drawing.edge_list(pre, post, parse(spec), *more)


def edge_context(pre, post, spec, *more):
    return drawing.edge_context(pre, post, parse(spec), *more)
