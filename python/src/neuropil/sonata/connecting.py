# SPDX-License-Identifier: Apache-2.0
"""Edges become connections: slices of a file are given to the kernel by type while a thread reads the next."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..circuit.team import Team
from ..errors import BadFile, UnknownName, bad_file
from ..model import catalog
from ..model.arguments import kernel_arguments
from ..model.distributions import to_spec
from ..model.network import Network
from ..model.rules import Rule
from .config import Config
from .edge_types import EdgeType, Functions, edge_types
from .edges import EdgePopulation, Slice, ahead
from .nodes import Made
from .tables import check_types, different

__all__ = ["Work", "connect"]

_NUMBERS = ["syn_weight", "delay", "nsyns"]
_FEW = 8  # types of one synapse model that have calls of their own: their common weights take no memory

Choice = tuple[int, int]  # group of types, model of the targets


def connect(work: Work, at_once: int) -> None:
    """Connects the edges of a population that tables hold. On several ranks each reads those of its own targets; collective.

    Raises BadFile, as `Network.connect`.
    """
    team, rounds = work.team, work.rounds(at_once)
    while True:
        some = team.together(lambda: next(rounds, None))
        found = team.gather(None if some is None else work.choices(some))
        if all(each is None for each in found):
            return
        for choice in sorted({choice for each in found if each is not None for choice in each}):
            if not work.is_link(choice):
                work.connect(choice, some)


class Work:
    """Edges of a population, their ends and types. links: the sources are stimulators, whose static connections no table holds."""

    def __init__(self, net: Network, config: Config, edges: EdgePopulation, ends: tuple[Made, Made], functions: Functions) -> None:
        self.net, self.edges, (self.source, self.target), self.team = net, edges, ends, Team(net._comm)
        self.links = of_devices(self.source)
        self.numbers, self.types = np.array(sorted(edges.types), np.int64), edge_types(config, edges.file, edges.types, functions)
        self.groups = _groups(self.types)
        self.group_of = np.empty(len(self.numbers), np.int64)
        for k, group in enumerate(self.groups):
            self.group_of[group] = k
        self.first: dict[Choice, int] = {}
        self.shared = self.team.size > 1
        self.mine = np.asarray(net._kernel.ranks_of(self.target.gids)) == net.rank if self.shared else None
        if any(isinstance(kind, EdgeType) and (kind.function or kind.delay_function) for kind in self.types):
            self.names = sorted({*edges.own, *_NUMBERS})
        else:
            self.names = [name for name in _NUMBERS if name in edges.own]

    def rounds(self, at_once: int) -> Iterator[Slice]:
        """Slices of the edges onto nodes of this rank."""
        checked = self._checked(at_once)
        return ahead(checked) if self.edges.n > at_once else checked

    def _checked(self, at_once: int) -> Generator[Slice]:
        for some in self.edges.slices(self.mine, self.names, at_once):
            self._check_types(some.type_of)
            self._check_ids("source", some.source, self.source)
            if self.mine is None:  # else `slices` has checked them
                self._check_ids("target", some.target, self.target)
            yield some

    def _check_ids(self, end: str, ids: NDArray[np.int64], made: Made) -> None:
        low, high = (int(ids.min()), int(ids.max())) if len(ids) else (0, 0)
        if not 0 <= low <= high < max(made.population.n, 1):
            wrong, n = (low if low < 0 else high), made.population.n
            raise bad_file(
                self.edges.file, f"/edges/{self.edges.name}/{end}_node_id", f"has the node id {wrong}, {made.population.name} has {n} nodes"
            )

    def _check_types(self, numbers: NDArray[np.integer[Any]]) -> None:
        """Raises BadFile for types that the table does not have, or that cannot be used."""
        low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
        used = different((numbers[:1] if low == high else numbers).astype(np.int64))
        check_types(self.edges.file, f"/edges/{self.edges.name}/edge_type_id", used.tolist(), self.edges.types)
        for error in [self.types[int(k)] for k in np.searchsorted(self.numbers, used)]:
            if isinstance(error, BadFile):
                raise error

    def choices(self, some: Slice) -> set[Choice]:
        """What the edges of a slice are given to the kernel by."""
        if len(self.groups) == len(self.target.models) == 1:
            return {(0, 0)} if len(some.target) else set()
        group, model = self._sorted(some)
        pairs = different(group * len(self.target.models) + model)
        return {divmod(int(pair), len(self.target.models)) for pair in pairs}

    def _sorted(self, some: Slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Group of types, and model of the target, of each edge."""
        kinds, models = len(self.groups), len(self.target.models)
        group = np.zeros(len(some.target), np.int64) if kinds == 1 else self.group_of[np.searchsorted(self.numbers, some.type_of)]
        return group, np.zeros(len(some.target), np.int64) if models == 1 else self.target.model[some.target]

    def connect(self, choice: Choice, some: Slice | None) -> None:
        """Gives the kernel the edges of a slice that belong to a choice; None: none of this rank. Collective: functions of users may fail on one rank."""
        group, model = choice
        types = self.of_group(group)
        ends, weight, delay = self.team.together(lambda: self._values_of(choice, some))
        rule = Rule("explicit", ends | ({"own_targets": True} if self.shared else {}))
        pre, post = self.source.nodes, self.target.of_model(model)
        arguments = kernel_arguments(self.net, pre, post, rule, 1.0, 1.0, types[0].synapse, types[0].receptor, types[0].double_weights)
        arguments |= {"weight": _spec("weight", weight), "delay": _spec("delay", delay)}
        identity = (self.first[choice], None, None, False) if choice in self.first else (-1, None, None, False)
        number = self.net._connect(pre, post, arguments | {"projection": identity})
        if choice not in self.first:
            self.first[choice] = number
            self.net._note(pre, post, rule, (weight, delay, types[0].synapse, types[0].receptor), ("", 0, number))

    def _values_of(self, choice: Choice, some: Slice | None) -> tuple[dict[str, Any], Any, Any]:
        """Ends, weights and delays of the edges of a slice that belong to a choice."""
        part, types = self.part(choice, some), self.of_group(choice[0])
        ends = listed(self.source.position(part.source), self.target.position_in_model(part.target))
        return ends, self.weights(types, part), self.delays(types, part)

    def only_links(self) -> bool:
        """Whether the kernel keeps all edges with stimulators."""
        return self.links and all(kind.synapse.name == "static_synapse" for kind in self.types if isinstance(kind, EdgeType))

    def is_link(self, choice: Choice) -> bool:
        """Whether these edges are static connections of stimulators."""
        return self.links and self.of_group(choice[0])[0].synapse.name == "static_synapse"

    def of_group(self, group: int) -> list[EdgeType]:
        """The types of a group."""
        return [kind for k in self.groups[group] if isinstance(kind := self.types[k], EdgeType)]

    def part(self, choice: Choice, some: Slice | None) -> Slice:
        """The edges of a slice that belong to a choice; None: no edges."""
        if some is None:
            none = np.empty(0, np.int64)
            return Slice(none, none, none, {})
        if len(self.groups) == 1 and len(self.target.models) == 1:
            return some
        group, model = self._sorted(some)
        at = np.flatnonzero((group == choice[0]) & (model == choice[1]))
        return Slice(some.source[at], some.target[at], some.type_of[at], {key: values[at] for key, values in some.own.items()})

    def _values(self, name: str, types: list[EdgeType], part: Slice) -> Any:
        """A number of each edge: its own, else that of its type; one number where it is the same for all."""
        of_types = np.array([getattr(kind, name) for kind in types])
        own = part.own.get("syn_weight" if name == "weight" else name)
        if own is None and ((of_types == of_types[0]).all() or np.isnan(of_types).all()):
            return float(of_types[0])
        if own is not None and not _any_missing(own):
            return own.astype(np.float64, copy=False)
        common = of_types[np.searchsorted([kind.number for kind in types], part.type_of)]
        return common if own is None else np.where(np.isnan(own), common, own)

    def weights(self, types: list[EdgeType], part: Slice) -> Any:
        """Weights of edges, one number where all are equal."""
        if types[0].function is not None:
            return np.asarray(types[0].function(*self._properties(part)), np.float64)
        nsyns, weight = self._values("nsyns", types, part), self._filled(self._values("weight", types, part))
        return weight if isinstance(nsyns, float) and np.isnan(nsyns) else weight * self._filled(nsyns)

    def delays(self, types: list[EdgeType], part: Slice) -> Any:
        """Delays of edges (ms), likewise."""
        if types[0].delay_function is not None:
            return np.asarray(types[0].delay_function(*self._properties(part)), np.float64)
        return self._filled(self._values("delay", types, part))

    def _filled(self, values: Any) -> Any:
        """Values; where edge and type have none, 1: the default of synapse models."""
        return np.where(np.isnan(values), 1.0, values)[()] if _any_missing(values) else values

    def _properties(self, part: Slice) -> list[Mapping[str, Any]]:
        """What a function of weights is given: properties of edges, sources and targets by name."""
        return [
            _OfEdges(self.edges, part),
            _OfNodes(self.source, part.source),
            _OfNodes(self.target, part.target),
        ]


def listed(sources: NDArray[np.int64], targets: NDArray[np.int64]) -> dict[str, Any]:
    """Parameters of the rule `explicit` for these edges: a list of four bytes per edge where the targets ascend."""
    edges = _core.EdgeList.ascending(np.ascontiguousarray(sources), np.ascontiguousarray(targets))
    return {"sources": sources, "targets": targets} if edges is None else {"list": edges}


def _any_missing(values: Any) -> bool:
    """Whether a value is nan: the minimum that numpy finds is nan then."""
    return bool(np.size(values) and np.isnan(np.min(values)))


def _spec(name: str, values: Any) -> Any:
    """Values for the kernel, which copies them: one copy fewer than `to_spec` makes."""
    one = to_spec(name, values if isinstance(values, float) else 0.0)
    return one if isinstance(values, float) else ("array", *one[1:6], np.ascontiguousarray(values, np.float64), *one[7:])


def of_devices(made: Made) -> bool:
    """Whether the nodes of a population are stimulators whose output is made at each target. Raises BadFile where some are and others are not."""
    devices = [
        model for model in made.models if model in catalog.devices() and catalog.devices()[model].effect not in ("", "emits", "values")
    ]
    if devices and len(devices) < len(made.models):
        others = ", ".join(model for model in made.models if model not in devices)
        raise bad_file(
            made.population.file, made.population.name, f"has {', '.join(devices)} and {others}: give them populations of their own"
        )
    return bool(devices)


def _groups(types: list[EdgeType | BadFile]) -> list[NDArray[np.int64]]:
    """Positions of the types that are connected together: each alone, or where many share a synapse model, all of this one."""
    by_key: dict[Any, list[int]] = {}
    for k, kind in enumerate(types):
        by_key.setdefault(kind.key if isinstance(kind, EdgeType) else k, []).append(k)
    parts = [part for same in by_key.values() for part in ([same] if len(same) > _FEW else [[k] for k in same])]
    return [np.array(part, np.int64) for part in parts]


class _OfNodes(dict[str, Any]):
    """Properties of the nodes at one end of edges, read when they are asked for."""

    def __init__(self, made: Made, ids: NDArray[np.int64]) -> None:
        super().__init__()
        self._made, self._ids = made, ids

    def __missing__(self, key: str) -> Any:
        if key == "node_id":
            return self._ids
        self[key] = found = self._made.population.column(key)[self._ids]
        return found


class _OfEdges(dict[str, Any]):
    """Properties of edges: their own, else those of their types."""

    def __init__(self, edges: EdgePopulation, part: Slice) -> None:
        super().__init__(part.own)
        self._edges, self._part = edges, part
        for key in [key for key in part.own if np.isnan(part.own[key]).any()]:
            if any(key in row for row in edges.types.values()):
                self[key] = np.where(np.isnan(part.own[key]), self._of_types(key), part.own[key])

    def _of_types(self, key: str) -> NDArray[np.float64]:
        numbers, at = np.unique(self._part.type_of, return_inverse=True)
        return np.array([float(self._edges.types[int(number)].get(key, "nan")) for number in numbers])[at]

    def __missing__(self, key: str) -> Any:
        if not any(key in row for row in self._edges.types.values()):
            raise UnknownName(f"unknown property '{key}' of the edge population {self._edges.name}", "property", key)
        self[key] = found = self._of_types(key)
        return found
