# SPDX-License-Identifier: Apache-2.0
"""A projection: the connections that one call of `Network.connect` made."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.closed import Closed
from ..errors import IllegalConnection, bad_length, bad_type
from ..space.expression import Term
from . import catalog
from .connections import Connections
from .distributions import Distribution, Value, text_of
from .nodes import Nodes
from .rules import Rule
from .synapses import Synapse
from .values import Values

if TYPE_CHECKING:
    import pandas

    from .network import Network

R = TypeVar("R", Rule, Synapse)

__all__ = ["Given", "Projection", "kept", "light"]


class Given(NamedTuple):
    """What `connect` was given; `weight` and `delay` for people, `mark`: the number that stands for the label in the kernel, 0 without."""

    pre: Nodes
    post: Nodes
    rule: Rule
    synapse: Synapse
    receptor: int
    weight: Any
    delay: Any
    label: str
    mark: int


class Projection(Closed):
    """Connections from `pre` to `post` that one call of `connect` made; `net.projections` has them all, in order.

    `p.weight`, `p.delay` and `p["tau_plus"]` are float64 arrays of shape (len(p),), in the canonical order of `p.connections()`; assigning to
    them, or to some of their elements, sets them in the network. Reading builds the network first; all that reads or sets is collective.

    Connections do not carry the number of the call that made them (it would cost memory): they are found by nodes, synapse model and receptor.
    Where another call made such connections between the same nodes, reading raises IllegalConnection, unless `connect` was given a `label`.
    """

    __slots__ = ("_found", "_given", "_network")

    def __init__(self, network: Network, given: Given) -> None:
        self._network, self._given = network, given
        self._found: Connections | None = None

    @property
    def pre(self) -> Nodes:
        """Nodes that `connect` was given as sources."""
        return self._given.pre

    @property
    def post(self) -> Nodes:
        """Nodes that `connect` was given as targets."""
        return self._given.post

    @property
    def rule(self) -> Rule:
        """The rule, without arrays."""
        return self._given.rule

    @property
    def synapse(self) -> Synapse:
        """The synapse model, with the parameters that `connect` was given."""
        return self._given.synapse

    @property
    def label(self) -> str:
        """What `connect` was given to tell these connections from others; "" without."""
        return self._given.label

    # --- its connections

    def connections(self) -> Connections:
        """The connections, in canonical order. Builds first. Collective.

        Raises IllegalConnection for devices, whose connections are not stored one by one, and where another call of `connect` made connections that
        these cannot be told from.
        """
        net = self._network
        if self._found is None or self._found._version != net._version:
            self._check_known()
            self._found = self._query()
        return self._found

    def _query(self, gather: bool = True) -> Connections:
        """The connections of all ranks, or of this one."""
        found = self._network.connections(self._given.pre, self._given.post, self._given.synapse, gather)
        mine = found._columns["label"] == self._given.mark
        if self._given.receptor:
            mine &= found.receptor == self._given.receptor
        return found if mine.all() else found[mine]

    def _check_known(self) -> None:
        if not self._stored():
            raise IllegalConnection(
                f"connections of {' and '.join(self._given.pre.models)} are not stored one by one: set the parameters of the device"
            )
        for k, other in enumerate(self._network.projections):
            if other is not self and other._given.mark == self._given.mark and other._looks_like(self):
                raise IllegalConnection(
                    f"{self!r} cannot be told from projections[{k}], {other!r}: give one of them a label, connect(..., label=...)"
                )

    def _stored(self) -> bool:
        """Whether the kernel keeps these connections one by one: all but the static ones of generators and those of currents."""
        apart = any(entry.effect not in ("", "emits") for entry, _ in self._given.pre._parts())
        return not apart or self._given.synapse.name != "static_synapse"

    def _looks_like(self, other: Projection) -> bool:
        same = self._given.synapse.name == other._given.synapse.name and (
            self._given.receptor == other._given.receptor or not self._given.receptor or not other._given.receptor
        )
        return (
            same
            and self._given.pre._ranges.overlaps(other._given.pre._ranges)
            and self._given.post._ranges.overlaps(other._given.post._ranges)
        )

    def __len__(self) -> int:
        """Number of connections; builds first."""
        return len(self.connections())

    def __bool__(self) -> bool:
        return True  # `if p:` must not build the network

    # --- their values

    @property
    def weight(self) -> Values:
        """Present weights, see `Connections.weight`."""
        return self.connections().weight

    @weight.setter
    def weight(self, value: Value) -> None:
        self.set(weight=value)

    @property
    def delay(self) -> Values:
        """Delays (ms)."""
        return self.connections().delay

    @delay.setter
    def delay(self, value: Value) -> None:
        self.set(delay=value)

    def distances(self) -> NDArray[np.float64]:
        """Distance between source and target of each connection, the shortest one where space wraps; float64 of shape (len(p),). Collective.

        Raises NoPositions where nodes have none.
        """
        return self.connections().distances()

    def set(self, *, weight: Value | None = None, delay: Value | None = None, **parameters: Value) -> None:
        """Sets weights, delays and parameters of all connections at once, all or nothing, see `Connections.set`. Collective."""
        self.connections().set(weight=weight, delay=delay, **parameters)

    def __getitem__(self, name: str) -> Values:
        """Values of a parameter, or of a state variable, of the synapse model."""
        if not isinstance(name, str):
            raise bad_type("name", name, "the name of a parameter; p.connections()[...] gives some of the connections")
        return self.connections()[name]

    def __setitem__(self, name: str, value: Value) -> None:
        self.connections()[name] = value

    def disconnect(self, mask: ArrayLike | None = None) -> None:
        """Removes the connections where `mask`, bool of shape (len(self),), is true; None: all. Collective. See `Network.disconnect`."""
        found = self.connections()
        if mask is None:
            return self._network.disconnect(found)
        chosen = np.asarray(mask)
        if chosen.dtype != bool or chosen.ndim != 1:
            raise bad_type("mask", mask, "a one-dimensional array of bool")
        if len(chosen) != len(found):
            raise bad_length("mask", len(chosen), len(found))
        self._network.disconnect(found[chosen])

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with columns source, target, weight, delay_ms, synapse."""
        return self.connections().to_pandas()

    def _ipython_key_completions_(self) -> list[str]:
        return [*catalog.synapses()[self._given.synapse.name].parameters]

    def row(self) -> list[str]:
        """What `Network.summary` shows of it: label, pre, post, rule, synapse model, weight, delay."""
        nodes = [self._network.name_of(n) or f"{len(n)} {' and '.join(n.models)}" for n in (self._given.pre, self._given.post)]
        return [
            self._given.label,
            *nodes,
            repr(self._given.rule),
            self._given.synapse.name,
            f"{_text(self._given.weight)} {self._weight_unit()}".rstrip(),
            _text(self._given.delay),
        ]

    def _weight_unit(self) -> str:
        """That of the targets; the weight of a current is a factor."""
        current = any(entry.effect == "current" for entry, _ in self._given.pre._parts())
        return "" if current else catalog.weight_unit(entry for entry, _ in self._given.post._parts())

    def __repr__(self) -> str:
        label, pre, post, rule, synapse, *_ = self.row()
        return f"Projection({f'{label!r}: ' if label else ''}{pre} -> {post}, {rule}, {synapse})"

    def _repr_html_(self) -> str:
        return html_table(("label", "pre", "post", "rule", "synapse", "weight", "delay (ms)"), [self.row()])


def kept(value: Any) -> Any:
    """A weight or delay without its array."""
    return value if isinstance(value, int | float | Distribution | Term) else text_of(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else text_of(value)


def light(given: R) -> R:
    """A rule or a synapse model without its arrays."""
    return type(given)(given.name, {k: v for k, v in given.parameters.items() if not isinstance(v, np.ndarray | _core.EdgeList)})


def html_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of texts as a table for notebooks."""
    head = "".join(f"<th>{escape(t)}</th>" for t in titles)
    return f"<table><tr>{head}</tr>{''.join('<tr>' + ''.join(f'<td>{escape(c)}</td>' for c in row) + '</tr>' for row in rows)}</table>"
