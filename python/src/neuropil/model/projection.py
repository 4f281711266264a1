# SPDX-License-Identifier: Apache-2.0
"""Connections of a network, and projections: the connections that one call of `Network.connect` made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.closed import Closed
from ..base.lazy import Former
from ..base.named import named_arguments
from ..base.quantities import has_unit, plain
from ..base.tables import html_table
from ..errors import ForeignNodes, IllegalConnection, bad_length, bad_type
from ..space.expression import Term
from . import catalog
from .arguments import to_synapse
from .connections import Connections, may_be_state, read_only
from .distributions import Distribution, Value, text_of
from .drives import Drives
from .nodes import Nodes
from .readings import Readings
from .rules import Rule
from .synapses import AnySynapse, Synapse
from .values import Values

if TYPE_CHECKING:
    import pandas

R = TypeVar("R", Rule, Synapse)

__all__ = ["NO_CONNECTIONS", "Connected", "Given", "Projection", "kept", "light"]

NO_CONNECTIONS = -2  # number of a projection without connections: the kernel has no entry for it


class Given(NamedTuple):
    """What `connect` was given; `weight` and `delay` for people, `mark`: the number that stands for the label in the kernel, 0 without.

    number : of the projection in the kernel; -1: from a checkpoint that does not tell projections apart;
        NO_CONNECTIONS: a rule drew none from its devices
    """

    pre: Nodes
    post: Nodes
    rule: Rule
    synapse: Synapse
    receptor: int
    weight: Any
    delay: Any
    label: str
    mark: int
    number: int = -1


class Projection(Closed):
    """Connections from `pre` to `post` that one call of `connect` made; `net.projections` has them all, in order.

    `p.weight`, `p.delay` and `p["tau_plus"]` are float64 arrays of shape (len(p),), in the order of `p.source` and `p.target`; assigning to
    them, or to some of their elements, sets them in the network. Reading builds the network first; all that reads or sets is collective.

    Synapses do not carry the number of their projection (it would cost memory): source and target tell it. Where several calls connect the same
    nodes by the same model to the same receptor, synapses of the later ones are stored in tables of their own, at most 256 times (16 for
    `connect_gids`); what further calls make cannot be told apart, and reading raises IllegalConnection. A projection with `growth` also has what has grown between its nodes.

    Static connections of devices (poisson_generator, dc_generator, ...) are not in tables: their weights and delays can be read and set for what
    the device sends from then on, and there are no `connections()` of them, no other values, and nothing to disconnect: `p.weight = 0.0` silences them.
    """

    __slots__ = ("_found", "_given", "_network")

    def __init__(self, network: Connected, given: Given) -> None:
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
    def name(self) -> str:
        """What `connect` was given to tell these connections from others; "" without."""
        return self._given.label

    label = Former("name")

    # --- its connections

    def connections(self) -> Connections:
        """The connections, in canonical order. Builds first. Collective.

        Raises IllegalConnection for devices, whose connections are not stored one by one, and for connections that cannot be told from others.
        """
        net = self._network
        if self._found is None or self._found._version != net._version or not self._found._canonical:
            self._check_known()
            self._found = self._query()
        return self._found

    def _query(self, gather: bool = True) -> Connections:
        """The connections of all ranks, or of this one."""
        pre, post, synapse, number = self._given.pre, self._given.post, self._given.synapse.name, self._given.number
        if number >= 0:
            return self._network._find(None, None, "", gather, number)
        if number == NO_CONNECTIONS:
            found = self._network._find(pre._ranges.ascending(), post._ranges.ascending(), synapse, gather, -1)
            return found[np.zeros(len(found), bool)]
        found = self._network._find(pre._ranges.ascending(), post._ranges.ascending(), synapse, gather, -1)
        mine = found._columns["label"] == self._given.mark
        if self._given.receptor:
            mine &= found.receptor == self._given.receptor
        return found if mine.all() else found[mine]

    def _check_known(self) -> None:
        if not self._stored():
            raise self._unlisted()
        if (other := self._alike()) is not None:
            k = self._network._projections.index(other)
            raise IllegalConnection(
                f"{self!r} cannot be told from projections[{k}], {other!r}: give one of them a name, connect(..., name=...)"
            )

    def _alike(self) -> Projection | None:
        """A projection that this one cannot be told from."""
        every, number = self._network._projections, self._given.number
        if number < 0:
            return next((p for p in every if p is not self and p._given.number == number == -1 and p._looks_like(self)), None)
        other = self._network._kernel.projection_alike(number)
        return None if other < 0 else next(p for p in every if p._given.number == other)

    def _unlisted(self) -> IllegalConnection:
        return IllegalConnection(
            f"connections of {' and '.join(self._given.pre.models)} are not stored one by one: p.weight and p.delay read and set them, "
            "p.weight = 0.0 (or p.weight[mask] = 0.0) silences them, p.pre.set(...) changes the device"
        )

    def _read(self) -> Connections | Drives:
        """What has weights and delays. Raises as `connections`."""
        devices = all(entry.effect not in ("", "emits", "values") for entry, _ in self._given.pre._parts())
        if devices and not self._stored() and self._given.number != -1:
            return Drives(self._network, self._given.number)
        return self.connections()

    def _stored(self) -> bool:
        """Whether the kernel keeps these connections one by one: all but the static ones of generators and those of currents."""
        apart = any(entry.effect not in ("", "emits") for entry, _ in self._given.pre._parts())
        return not apart or self._given.synapse.name != "static_synapse"

    def _looks_like(self, other: Projection) -> bool:
        mine, theirs = self._given, other._given
        same = (mine.mark, mine.synapse.name) == (theirs.mark, theirs.synapse.name) and (
            mine.receptor == theirs.receptor or not mine.receptor or not theirs.receptor
        )
        return (
            same
            and self._given.pre._ranges.overlaps(other._given.pre._ranges)
            and self._given.post._ranges.overlaps(other._given.post._ranges)
        )

    def __len__(self) -> int:
        """Number of connections; builds first."""
        return len(self._read())

    def __bool__(self) -> bool:
        return True  # `if p:` must not build the network

    # --- their values

    @property
    def source(self) -> NDArray[np.int64]:
        """Gids of the sources, int64 of shape (len(p),), read-only."""
        return read_only(self._read().source)

    @property
    def target(self) -> NDArray[np.int64]:
        """Gids of the targets, int64 of shape (len(p),), read-only."""
        return read_only(self._read().target)

    @property
    def weight(self) -> Values:
        """Present weights, see `Connections.weight`."""
        return self._shown("weight")

    @weight.setter
    def weight(self, value: Value) -> None:
        self.set(weight=value)

    @property
    def delay(self) -> Values:
        """Delays (ms)."""
        return self._shown("delay")

    @delay.setter
    def delay(self, value: Value) -> None:
        self.set(delay=value)

    def _shown(self, name: str) -> Values:
        found = self._read()
        if isinstance(found, Drives):
            return Values(getattr(found, name), lambda at, values: found.set(at, {name: values}))
        shown: Values = getattr(found, name)
        return shown

    def distances(self) -> NDArray[np.float64]:
        """Distance between source and target of each connection, the shortest one where space wraps; float64 of shape (len(p),). Collective.

        Raises NoPositions where nodes have none.
        """
        return self.connections().distances()

    def set(self, *, weight: Value | None = None, delay: Value | None = None, **parameters: Value) -> None:
        """Sets weights, delays and parameters of all connections at once, all or nothing, see `Connections.set`. Collective.

        Several synapses between the same two nodes may change their order where delays or parameters have come to differ among them.
        """
        if has_unit(weight):
            weight = plain("weight", weight, self._weight_unit())
        delay = plain("delay", delay, "ms")
        found = self._read()
        if not isinstance(found, Drives):
            return found.set(weight=weight, delay=delay, **parameters)
        if parameters:
            raise self._unlisted()
        found.set(slice(None), {k: v for k, v in {"weight": weight, "delay": delay}.items() if v is not None})

    def __getitem__(self, name: str) -> Values:
        """Values of a parameter, or of a state variable, of the synapse model."""
        if not isinstance(name, str):
            raise bad_type("name", name, "the name of a parameter; p.connections()[...] gives some of the connections")
        return self.connections()[name]

    def __setitem__(self, name: str, value: Value) -> None:
        self.connections()[name] = value

    def _instead(self, name: str) -> str:
        known = name in catalog.synapses()[self._given.synapse.name].parameters or may_be_state(name)
        return f'p["{name}"] reads and sets parameters of synapses' if known else ""

    @named_arguments
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
        """What `Network.summary` shows of it: name, pre, post, rule, synapse model, weight, delay."""
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
        return catalog.weight_unit_between(*([entry for entry, _ in nodes._parts()] for nodes in (self._given.pre, self._given.post)))

    def __repr__(self) -> str:
        label, pre, post, rule, synapse, *_ = self.row()
        return f"Projection({f'{label!r}: ' if label else ''}{pre} -> {post}, {rule}, {synapse})"

    def _repr_html_(self) -> str:
        return html_table(("name", "pre", "post", "rule", "synapse", "weight", "delay (ms)"), [self.row()])


class Connected(Readings):
    """Base of Network: its connections, as they are read and removed."""

    __slots__ = ("_projections",)
    _projections: list[Projection]

    @named_arguments
    def connections(
        self,
        source: Nodes | None = None,
        target: Nodes | None = None,
        synapse: AnySynapse | None = None,
        gather: bool = True,
    ) -> Connections:
        """Connections from source to target of a synapse model, each None for all; in canonical order. Builds first.

        With `gather` every rank gets those of all ranks, and all ranks must ask together. Without, a rank gets those that end on its own
        nodes: neither the query nor reading their weights and state needs other ranks, unless something must be built first; they cannot be
        set or removed, which is for all ranks to do together. Static connections of generators (poisson, ...) and those of currents are not
        among them, and asked for they are refused. Raises UnknownName, ForeignNodes, IllegalConnection.
        """
        for name, nodes in (("source", source), ("target", target)):
            if nodes is not None:
                self._check_mine(name, nodes)
        if (
            source is not None
            and (apart := [e.name for e, _ in source._parts() if e.effect not in ("", "emits", "values")])
            and len(apart) == len(source.models)
            and not any(p._stored() and p.pre._ranges.overlaps(source._ranges) for p in self._projections)
        ):
            raise IllegalConnection(
                f"source: connections of {' and '.join(apart)} are not stored one by one, so they cannot be queried or removed"
            )
        model = "" if synapse is None else synapse if isinstance(synapse, str) else to_synapse(synapse).name
        sources = None if source is None else source._ranges.ascending()
        targets = None if target is None else target._ranges.ascending()
        return self._find(sources, targets, model, gather)

    def _find(self, *query: Any) -> Connections:
        """Connections by sources, targets, synapse model, gather and the number of a projection, see the kernel."""
        if not self._kernel.tables_built:  # the same on all ranks
            self.build(progress=False)
        return Connections(self, self._kernel.connections(*query), self._version, query[3])

    @named_arguments
    def disconnect(self, connections: Connections | Projection) -> None:
        """Removes connections, from `connections()` with gather, each once, or those of a projection. Spikes that are on their way over them still arrive. Collective.

        Other connections must be queried again. Raises Stale, ForeignNodes, BadParameter for repeats; then nothing has changed.
        """
        if isinstance(connections, Projection):
            if connections._network is not self:
                raise ForeignNodes("connections: this projection belongs to another network")
            return connections.disconnect()
        if not isinstance(connections, Connections):
            what = "a projection or Connections of this network, from net.connections(...)"
            raise bad_type("connections", connections, what)
        if connections._network is not self:
            raise ForeignNodes("connections: these belong to another network")
        connections._check_fresh()
        connections._check_gathered()
        c = connections._columns
        self._kernel.remove(c["slice"], c["table"], c["position"], self._kernel.step)
        self._note_edit("removed")
        self._version += 1


def kept(value: Any) -> Any:
    """A weight or delay without its array."""
    return value if isinstance(value, int | float | Distribution | Term) else text_of(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else text_of(value)


def light(given: R) -> R:
    """A rule or a synapse model without its arrays."""
    return type(given)(given.name, {k: v for k, v in given.parameters.items() if not isinstance(v, np.ndarray | _core.EdgeList)})
