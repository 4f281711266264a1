# SPDX-License-Identifier: Apache-2.0
"""Models whose nodes settle the shape of the kernel's model: cm_default by its compartments and receptors, gif_pop_psc_exp by its history."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..classes import Tree
from ..engine import Ints, Ranges, catalog, history_steps
from .errors import NESTErrors, NotSupported, expect, translating, unaccessed
from .kernel import Session, reshape, session
from .models.node_models import CM, NodeModel, with_shape
from .registry import PerNode, Row

PARTS = {"compartments": "add_compartments", "receptors": "add_receptors"}
KEYS = frozenset({*PARTS, *PARTS.values()})
_WORDS = {"compartments": {"parent_idx": "parent"}, "receptors": {"comp_idx": "compartment", "receptor_type": "kind"}}
_BARE = Tree(())


class _Parts(tuple[Any, ...]):
    """Parts of nodes. What `get` returns: of one node the dicts of its parts, of several a list of them each; setting its sum with others adds these.

    `there`: how many of them nodes have already. Raises TypeError unless elements are a list or tuple of dicts.
    """

    there: int

    def __new__(cls, node_collection: Any, elements: Any, there: int = 0) -> Self:
        """Of the nodes of a collection."""
        if not isinstance(elements, list | tuple):
            raise TypeError(f"elements must be a tuple of dicts, got {type(elements)}")
        made = super().__new__(cls, elements)
        made.there = there
        return made

    def get_tuple(self) -> tuple[Any, ...]:
        """The dicts."""
        return tuple(self)

    def __add__(self, other: Any) -> Self:
        name = type(self).__name__
        more = (other,) if isinstance(other, Mapping) else other
        if not isinstance(more, list | tuple) or (isinstance(more, _Parts) and type(more) is not type(self)):
            raise NotImplementedError(f"{name} can only be added with dicts, lists of dicts, or other {name}, got {type(other)}")
        if not all(isinstance(part, Mapping) for part in more):
            raise TypeError(f"{name} can only be added with dicts, lists of dicts, or other {name}")
        return type(self)(None, (*self, *more), self.there)


class Compartments(_Parts):
    """The compartments of nodes."""


class Receptors(_Parts):
    """The receptors of nodes."""


def shown(key: str, nodes: Any, columns: list[Any]) -> _Parts:
    """The value of a key of one node or several."""
    entries = tuple(columns[0]) if len(columns) == 1 else tuple(map(list, columns))
    return (Compartments if key == "compartments" else Receptors)(nodes, entries, len(entries))


def growth(row: Row, gids: Ints, given: Mapping[str, Any]) -> list[Callable[[], None]]:
    """Checks the parts that are given for nodes of a row and returns what remains to be done.

    Raises BadProperty, UnknownCompartment, UnaccessedDictionaryEntry, IndexError, NotSupported.
    """
    if not given:
        return []
    if len(gids) < row.count:
        raise NotSupported(f"{', '.join(given)} of some of the nodes of a Create", "create them on their own")
    before: Tree = row.extras.get("tree", _BARE)
    tree = before
    for kind, add in PARTS.items():
        for key in (kind, add):
            if key in given:
                new, defined = _listed(kind, key, given[key]), tree.parents if kind == "compartments" else tree.receptors
                if defined and key == kind and not (isinstance(given[key], _Parts) and given[key].there):
                    why = f"'{kind}' is already defined for this model"
                    raise NESTErrors.BadProperty(f"Setting status of a '{CM}' with node ID {row.first}: {why}")
                tree = _grown(tree, kind, new)
    return [lambda: _reshape(row, before, tree)]


def _listed(kind: str, key: str, value: Any) -> list[Mapping[str, Any]]:
    if isinstance(value, PerNode):
        if any(each != value[0] for each in value):
            raise NotSupported(f"other {kind} for each node of a Create", "create them on their own")
        value = value[0]
    found = [value] if isinstance(value, Mapping) else value[value.there :] if isinstance(value, _Parts) else value
    if (
        not isinstance(found, list | tuple)
        or not all(isinstance(part, Mapping) for part in found)
        or not (found or isinstance(value, _Parts))
    ):
        raise NESTErrors.BadProperty(f"'{key}' entry could not be identified, provide list of parameter dicts for multiple {kind}")
    return list(found)


def _grown(tree: Tree, kind: str, parts: list[Mapping[str, Any]]) -> Tree:
    """Raises UnknownCompartment, UnaccessedDictionaryEntry, IndexError, BadProperty."""
    words = _WORDS[kind]
    for part in parts:
        if unknown := [key for key in part if key not in (*words, "params")]:
            raise unaccessed("Unread dictionary entries: ", f"cm_default::add_{kind[:-1]}_", unknown)
        if any(key not in part for key in words):
            raise IndexError("map::at")
        params = dict(part.get("params", {}))
        _check_place(tree, kind, part)
        native = {words[key]: part[key] for key in words} | params
        known = catalog.models()[f"{CM}[-1;{'0:' + str(part['receptor_type']) if kind == 'receptors' else ''}]"].parameters
        if unknown := [key for key in params if f"{key}_0" not in known and key != "v_comp"]:
            raise unaccessed("Unread dictionary entries: ", f"{kind[:-1]}_params", unknown)
        with translating():
            tree = tree.grown(**{kind: [native]})
    return tree


def _check_place(tree: Tree, kind: str, part: Mapping[str, Any]) -> None:
    at, n = part["parent_idx" if kind == "compartments" else "comp_idx"], len(tree.parents)
    expect(not isinstance(at, float) or at == int(at), "Failed to cast from double to type long.")
    if kind == "compartments" and at == -1:
        if n:
            raise NESTErrors.UnknownCompartment("Compartment 0 , the root, has already been instantiated.")
    elif not 0 <= at < n:
        but = ", but was specified as a parent compartment." if kind == "compartments" else "."
        raise NESTErrors.UnknownCompartment(f"Compartment {at} does not exist in tree{but}")
    if kind == "receptors" and part["receptor_type"] not in ("AMPA", "GABA", "NMDA", "AMPA_NMDA"):
        raise NESTErrors.BadProperty(f"{part['receptor_type']} is no receptor of {CM}.")


def _reshape(row: Row, before: Tree, tree: Tree) -> None:
    if tree == before:
        return
    entry = catalog.models()[tree.name]
    reshape(row, replace(row.model, base=entry.name, entry=entry, recordable=tuple(sorted(entry.state))))
    if new := {key: value for key, value in tree.values.items() if key not in before.values}:
        with translating():
            session().engine.nodes(Ranges.span(row.first, row.count)).set(new)
    row.extras["tree"] = tree
    row.extras["compartments"] = tuple({"comp_idx": k, "parent_idx": parent} for k, parent in enumerate(tree.parents))
    listed = ({"comp_idx": where, "receptor_idx": k, "receptor_type": kind} for k, (where, kind) in enumerate(tree.receptors))
    row.extras["receptors"] = tuple(sorted(listed, key=lambda receptor: receptor["comp_idx"]))


def check_port(port: int, row: Row, of_spikes: bool) -> None:
    """Raises UnknownPort where nodes have no such receptor, or no such compartment for a current."""
    tree: Tree = row.extras.get("tree", _BARE)
    n = len(tree.receptors if of_spikes else tree.parents)
    if not 0 <= port < n:
        kind = "spike" if of_spikes else "current"
        raise NESTErrors.UnknownPort(f"Port with id {port} does not exist. Valid {kind} receptor ports for {CM} are in [0, {n}[")


# --- gif_pop_psc_exp: how long the history of its spikes is is settled before the first Simulate

POPULATION = "gif_pop_psc_exp"
LENGTH = "len_kernel"
_UNSHAPED = f"{POPULATION}[1]"  # shapes only grow


def begun(model: NodeModel) -> NodeModel:
    """The model of nodes that are made."""
    return with_shape(model, _UNSHAPED) if model.root == POPULATION else model


def check_length(row: Row) -> None:
    """Raises NotSupported once the history has begun."""
    if row.model.base != _UNSHAPED:
        raise NotSupported(f"{LENGTH} of a {POPULATION} that was simulated", "set it before Simulate")


def prepare_populations(s: Session) -> None:
    """Gives new populations their history."""
    for row in s.registry.rows:
        if row.model.base == _UNSHAPED:
            _shape(row)


def _shape(row: Row) -> None:
    steps = [_steps(row, gid) for gid in row.gids.tolist()]
    reshape(row, with_shape(row.model, f"{POPULATION}[{max(steps)}]"))
    row.set_extra(LENGTH, row.gids, PerNode(steps))


def _steps(row: Row, gid: int) -> int:
    one: Ints = np.array([gid])
    t_ref, tau_m, Delta_V, n = (float(session().engine.kernel.get(one, key)[0]) for key in ("t_ref", "tau_m", "Delta_V", "n_sfa"))
    q, tau = ([float(session().engine.kernel.get(one, f"{key}_{k + 1}")[0]) for k in range(int(n))] for key in ("q_sfa", "tau_sfa"))
    h = session().resolution
    given = int(row.extra(LENGTH, one)[0])
    if given < 1:
        return history_steps(h, t_ref, tau_m, Delta_V, q, tau)
    if given * h <= t_ref:
        raise NESTErrors.BadProperty(
            f"{LENGTH} of node {gid} must be more than t_ref, {math.ceil(round(t_ref / h, 6))} steps, not {given}."
        )
    return given
