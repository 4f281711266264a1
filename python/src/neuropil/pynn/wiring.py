# SPDX-License-Identifier: Apache-2.0
"""How a projection is connected: by rules of the kernel, or by edges, which are collected and connected together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import Projection as Connected
from .. import explicit, synapse
from ..errors import IllegalConnection
from .cells import MILLI
from .errors import refuse
from .populations import nodes_of, parts_of
from .simulator import state
from .values import Drawn, rng_seed, seeded

__all__ = ["Ints", "Part", "Wiring"]

Ints = NDArray[np.int64]
_COUPLED = "cells that can be coupled: native_cell_type() of hh_psc_alpha_gap, hh_cond_beta_gap_traub and own models with gap junctions"


class End(NamedTuple):
    """Targets that take weights alike: positions from first to stop. factor : the kernel's weight for a weight of 1."""

    first: int
    stop: int
    receptor: int | str
    factor: float


class Part(NamedTuple):
    """What one call of the network's `connect` made. back : connections from each target to its source, where the synapse type has them."""

    made: Connected
    factor: float
    back: Connected | None = None

    def set(self, columns: Mapping[str, NDArray[np.float64]]) -> None:
        """Sets parameters of the kernel, both ways."""
        self.made.set(**columns)
        if self.back is not None:
            weights = np.empty(len(self.back))
            there, back = (np.lexsort(ends) for ends in ((self.made.target, self.made.source), (self.back.source, self.back.target)))
            weights[back] = np.asarray(self.made.weight)[there]
            self.back.set(weight=weights)


class Wiring:
    """Connections of a projection in the network."""

    def __init__(self, projection: Any) -> None:
        self._projection = projection
        self._ends = _ends(projection)
        self._made: dict[int, Part] | None = {}
        self._waiting: list[tuple[Ints, int, Mapping[str, Any]]] = []
        self.version = 0  # changes when connections are made
        state.stores.append(self)

    @property
    def parts(self) -> list[Part]:
        """All connections. Raises NotSupported after the next `setup`."""
        if self._made is None:
            refuse("Projection", "it belongs to a simulation that ended with setup()")
        return [*self._made.values()]

    def release(self) -> None:
        """Lets go of the network."""
        self._made = None

    @property
    def alike(self) -> bool:
        """Whether all targets take weights alike, so that a rule of the kernel can connect them together."""
        return len(self._ends) == 1 and not np.ndim(self._taus()) and not self._projection.synapse_type.both_ways

    def _taus(self) -> Any:
        """Time constants of the synaptic current of each target, for synapses that need them: a number, or shape (n_post,); else None."""
        projection = self._projection
        if not getattr(projection.synapse_type, "needs_taus", False):
            return None
        found = [np.broadcast_to(part.celltype.tau_syn(part, projection.receptor_type), (part.size,)) for part in parts_of(projection.post)]
        taus = np.concatenate(found)
        return float(taus[0]) if len(set(taus.tolist())) == 1 else taus

    def rule(self, rule: Any, values: Mapping[str, Any], rng: Any = None) -> None:
        """Connects by a rule of the kernel. values : numbers and distributions by native names."""
        rngs = [rng, *(value.rng for value in values.values() if isinstance(value, Drawn))]
        seeds = [rng_seed(each) for each in {id(each): each for each in rngs if seeded(each)}.values()]
        self._connect(rule, values, self._taus(), self._ends[0], sum(seeds) if seeds else None)

    def edges(self, pre: Ints, post: Ints, values: Mapping[str, Any]) -> None:
        """Connects cells by their positions. values : numbers, and arrays with one value for each edge, by native names."""
        taus = self._taus()
        for end in self._ends:
            mine = slice(None) if len(self._ends) == 1 else np.flatnonzero((post >= end.first) & (post < end.stop))
            given = {name: value[mine] if np.ndim(value) else value for name, value in values.items()}
            if len(pre[mine]) and self._projection.synapse_type.both_ways:
                self._couple(pre, post, given, end.factor)
            elif len(pre[mine]):
                self._connect(explicit(pre[mine], post[mine] - end.first), given, taus[post[mine]] if np.ndim(taus) else taus, end, None)

    def _couple(self, pre: Ints, post: Ints, values: Mapping[str, Any], factor: float) -> None:
        """Connects both ways, without delay. Raises NotSupported for cells that cannot be coupled."""
        kind, number = self._projection.synapse_type, len(self.parts)

        def operation() -> None:
            source, target = nodes_of(self._projection.pre), nodes_of(self._projection.post)
            options = {"weight": values["weight"] * factor, "synapse": kind.kernel_model}
            made = state.net.connect(source, target, explicit(pre, post), **options)
            self._keep(number, Part(made, factor, state.net.connect(target, source, explicit(post, pre), **options)))

        try:
            state.do(operation)
        except IllegalConnection as error:
            refuse(type(kind).__name__, f"{error}; {_COUPLED}")

    def _keep(self, number: int, part: Part) -> None:
        assert self._made is not None
        self._made[number] = part
        self.version += 1

    def _connect(self, rule: Any, values: Mapping[str, Any], taus: Any, end: End, seed: int | None) -> None:
        given = {name: value.law if isinstance(value, Drawn) else value for name, value in values.items()}
        delay = values["delay"].law if isinstance(values["delay"], Drawn) else state.on_grid(values["delay"])
        delay = float(delay) if isinstance(delay, np.ndarray) and not delay.ndim else delay
        state.shortest_delay = min(
            state.shortest_delay, values["delay"].low if isinstance(values["delay"], Drawn) else float(np.min(delay))
        )
        kind, number = self._projection.synapse_type, len(self.parts)
        model = synapse(kind.kernel_model, **kind.to_kernel(given, end.factor, taus))
        options = {"weight": given["weight"] * end.factor, "delay": delay, "synapse": model, "receptor": end.receptor}

        def operation() -> None:
            if seed is not None:
                state.engine.reseed(seed)
            targets = nodes_of(self._projection.post)
            targets = targets if len(self._ends) == 1 else targets[end.first : end.stop]
            made = state.net.connect(nodes_of(self._projection.pre), targets, rule, **options)
            if seed is not None:
                state.engine.reseed(state.seed)
            self._keep(number, Part(made, end.factor))

        state.do(operation)

    # --- edges that PyNN's own connectors give target by target

    def collect(self, sources: Any, target: int, values: Mapping[str, Any]) -> None:
        """Edges from sources to a target, by positions; values : numbers, or one for each edge."""
        self._waiting.append((np.atleast_1d(np.asarray(sources)).astype(np.int64), int(target), values))

    def flush(self) -> None:
        """Connects what was collected."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        lengths = [len(sources) for sources, _, _ in waiting]
        values: dict[str, Any] = {}
        for name in waiting[0][2]:
            given = [np.asarray(found[name], np.float64) for _, _, found in waiting]
            if all(value.ndim == 0 and value == given[0] for value in given):
                values[name] = float(given[0])
            else:
                values[name] = np.concatenate([np.broadcast_to(value, (n,)) for value, n in zip(given, lengths, strict=True)])
        pre = np.concatenate([sources for sources, _, _ in waiting])
        self.edges(pre, np.repeat([target for _, target, _ in waiting], lengths).astype(np.int64), values)


def _ends(projection: Any) -> list[End]:
    """Runs of targets that take weights alike. Electrical synapses have no receptor; their weights are nS in the kernel."""
    if projection.synapse_type.both_ways:
        return [End(0, projection.post.size, 0, 1.0 / MILLI)]
    found: list[End] = []
    first = 0
    for part in parts_of(projection.post):
        end = End(first, first + part.size, *part.celltype.receptor(projection.receptor_type))
        first = end.stop
        if found and found[-1][2:] == end[2:]:
            found[-1] = found[-1]._replace(stop=end.stop)
        else:
            found.append(end)
    return found
