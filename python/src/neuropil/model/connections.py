# SPDX-License-Identifier: Apache-2.0
"""Connections of a network as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from ..base.closed import Closed
from ..base.libraries import needed
from ..base.quantities import has_unit, plain
from ..errors import OutOfRange, Stale, UnknownName, bad_length, bad_parameter, bad_type, unknown_name
from ..space.expression import Term
from . import catalog
from .core import Core
from .distributions import Value
from .drawing import Draws
from .matching import positions_in
from .values import Values

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

__all__ = ["STATES", "Connections", "may_be_state"]

STATES = ("u", "x", "y", "P", "a", "c", "n", "s_NMDA", "Kplus", "Kplus_triplet", "x_bar")  # a new model may have others
_COLUMNS = ("source", "target", "delay_steps", "synapse", "receptor", "slice", "table", "position", "label", "layer")
_ASKED = ("projection",)  # for front ends, see Engine.connections


def may_be_state(name: str) -> bool:
    """Whether a synapse model may have a state variable of this name: models of one's own have names of their own. The same on all ranks."""
    return name in STATES or any(entry.digest for entry in catalog.synapses().values())


class Connections(Closed):
    """Connections in canonical order (source, target, synapse model, delay), the same for any number of threads; from `Network.connections`.

    `c[a:b]`, `c[index]`, `c[mask]` give some of them; `c["U"]` is a parameter or state variable of their synapse models. Weights are those of
    now: they follow plasticity. `weight`, `delay` and parameters can be set, all (`c.weight = 2.0`), some (`c.weight[mask] = 2.0`) or
    several at once (`set`). What `connect` makes later is not in here, and after it nothing can be read or set (error Stale): query again.
    """

    __slots__ = ("_canonical", "_columns", "_gather", "_network", "_version")

    def __init__(self, network: Core, columns: dict[str, NDArray[Any]], version: int, gather: bool = True) -> None:
        self._network, self._version, self._gather = network, version, gather
        self._canonical = True  # until an edit moves some, which stay in their order here
        self._columns = {name: columns[name] for name in (*_COLUMNS, *(name for name in _ASKED if name in columns))}

    @property
    def source(self) -> NDArray[np.int64]:
        """Gids of the sources, int64 of shape (n,), read-only."""
        return read_only(self._columns["source"])

    @property
    def target(self) -> NDArray[np.int64]:
        """Gids of the targets, int64 of shape (n,), read-only."""
        return read_only(self._columns["target"])

    def distances(self) -> NDArray[np.float64]:
        """Distance between source and target of each connection, the shortest one where space wraps; float64 of shape (n,).

        Raises NoPositions where nodes have none, IllegalConnection for nodes of different spaces.
        """
        from .distances import distances

        return distances(self._network._populations, self.source, self.target)

    @property
    def delay(self) -> Values:
        """Delays (ms), float64 of shape (n,). Setting: see `set`."""
        return Values(self._network._grid.ms(self._columns["delay_steps"]), lambda at, values: self[at].set(delay=values))

    @delay.setter
    def delay(self, value: Value) -> None:
        self.set(delay=value)

    @property
    def weight_unit(self) -> str:
        """Unit of the weights, of the models of the targets: pA, nS or mV; "" where they differ or have none."""
        populations = self._network._populations
        rows = populations.rows()
        return catalog.weight_unit(rows[k][2] for k in np.unique(populations.index(self.target)))

    @property
    def weight(self) -> Values:
        """Present weights in `weight_unit`, as the targets take them (pA, nS or mV), float64 of shape (n,). Setting: see `set`.

        Weights that were drawn at random are stored, and come back, as float32.
        """
        self._check_fresh()
        c = self._columns
        found = self._network._kernel.get_weights(c["slice"], c["table"], c["position"], self._gather)
        return Values(found, lambda at, values: self[at].set(weight=values))

    @weight.setter
    def weight(self, value: Value) -> None:
        self.set(weight=value)

    def set(self, *, weight: Value | None = None, delay: Value | None = None, **parameters: Value) -> None:
        """Sets weights, delays (ms) and parameters of the synapse models. Collective.

        Each is one number for all, n numbers, a distribution or an expression, e.g. of npl.distance.

        All or nothing: raises BadParameter, BadDelay, BadLength, UnknownName, Stale; then nothing has changed. Spikes that are on their way arrive
        with their old delay, but with the new weight when weights alone are set, and meet new values of parameters that differ from synapse to
        synapse. The sign of a weight may select another receptor. Other connections must be queried again when delays, signs of weights or
        parameters that are one value for all were set. Synapses with another value of such a parameter are stored in a table of their own: meant
        for a few distinct values; many are given to `connect`, as `synapse(name, U=array)`.
        """
        self._check_fresh()
        self._check_gathered()
        keys = np.arange(1, len(self) + 1, dtype=np.int64)
        if has_unit(weight):
            weight = plain("weight", weight, self.weight_unit)
        delay = plain("delay", delay, "ms")
        if any(map(has_unit, parameters.values())):
            parameters = catalog.without_units(self._models(), parameters)
        with self._network._drawing() as draw:
            given = {k: self._settled(k, v, draw) for k, v in {"weight": weight, "delay": delay, **parameters}.items() if v is not None}
            new = {k: draw.values(k, v, keys) for k, v in given.items()}
            try:
                if new:
                    self._edit(new)
            except UnknownName as error:  # the kernel knows the parameters alone
                raise unknown_name(
                    error.kind, error.name, ["weight", "delay", *(k for m in self._models() for k in m.parameters)]
                ) from None

    def _models(self) -> list[catalog.Entry]:
        """Of the synapses."""
        return [catalog.synapses()[str(name)] for name in np.unique(self.synapse)]

    def _settled(self, name: str, value: Any, draw: Draws) -> Any:
        """What an expression gives for each connection; other values as they are."""
        if not isinstance(value, Term):
            return value
        found = value.native()
        if found is not None:
            return found
        from .distances import values_between

        values = values_between(self._network._populations, value, self.source, self.target, draw.seed, draw.next())
        if not np.isfinite(values).all():
            raise bad_parameter(name, float(values[~np.isfinite(values)][0]), "finite for every connection")
        return values

    def _edit(self, new: dict[str, NDArray[np.float64]]) -> None:
        """Sets values; the connections may move to other places of the tables, and then handles of others are no longer valid."""
        c, kernel, n = self._columns, self._network._kernel, len(self)
        given: dict[str, Any] = {}
        for name, values in new.items():
            if len(values) != 1 and len(values) != n:
                raise bad_length(name, len(values), n)
            if name == "delay":
                given["delay_steps"] = self._network._grid.delays(values)
            elif name != "weight":
                given.setdefault("parameters", {})[name] = values
        done = kernel.edit(c["slice"], c["table"], c["position"], kernel.step, new.get("weight"), **given)
        self._network._note_edit("set")
        if not done.moved:
            return
        self._network._version += 1
        self._version = self._network._version
        self._canonical = False
        moved: dict[str, NDArray[Any]] = dict(zip(("slice", "table", "position"), done.now, strict=True))
        self._columns = {**c, **moved}
        if "delay_steps" in given:
            self._columns["delay_steps"] = np.broadcast_to(given["delay_steps"], len(self)).copy()
        if "weight" in new:
            self._columns["receptor"] = self._receptors_of(new["weight"])

    def _receptors_of(self, weight: NDArray[np.float64]) -> NDArray[np.int32]:
        """Receptors with new weights: the sign chooses between the two of models without ports."""
        populations = self._network._populations
        by_sign = np.array([entry.input == "by_sign" for _, _, entry in populations.rows()])[populations.index(self._columns["target"])]
        return np.where(by_sign & (weight != 0.0), weight < 0.0, self._columns["receptor"]).astype(np.int32)

    def state(self, name: str) -> NDArray[np.float64]:
        """What the synapses have become by their spikes so far, float64 of shape (n,); nan where a model has none of this name.

        Names: "u", "x", "y", "P", "a" of short-term plasticity, the presynaptic traces "Kplus", "Kplus_triplet", "x_bar"; of
        stdp_dopamine_synapse the eligibility "c", the concentration "n" and the "weight", as they are now; of own models the variables that
        are kept per source or synapse. Raises UnknownName when no model has, Stale.
        """
        values = self._states(name)
        if name not in STATES and np.isnan(values).all():
            raise unknown_name("state of synapses", str(name), STATES)
        return values

    def _states(self, name: str) -> NDArray[np.float64]:
        """A state variable; nan where a model has none of this name."""
        self._check_fresh()
        c = self._columns
        return np.asarray(self._network._kernel.get_state(str(name), c["slice"], c["table"], c["position"], self._gather))

    def _own_values(self, name: str) -> NDArray[np.float64]:
        """Weights, a state variable or a parameter of connections of this rank, which needs no other."""
        c, kernel = self._columns, self._network._kernel
        at = (c["slice"], c["table"], c["position"], False)
        if name == "weight":
            return np.asarray(kernel.get_weights(*at))
        if may_be_state(name) and not np.isnan(state := np.asarray(kernel.get_state(name, *at))).all():
            return state
        return np.asarray(kernel.get_parameter(name, *at))

    def _named(self, name: str) -> Values:
        """A state variable of the synapse models, else a parameter of them."""
        if may_be_state(name) and not np.isnan(state := self._states(name)).all():
            return Values(state, None)
        self._check_fresh()
        models = set(self._columns["synapse"].tolist())
        every = [entry for k, entry in enumerate(catalog.synapses().values()) if k in models]
        if not all(name in entry.parameters for entry in every):
            known = [n for n in every[0].parameters if all(n in other.parameters for other in every)]
            raise unknown_name(f"parameter of {' and '.join(entry.name for entry in every)}", name, known)
        c = self._columns
        found = self._network._kernel.get_parameter(name, c["slice"], c["table"], c["position"], self._gather)
        return Values(found, lambda at, values: self[at].set(**{name: values}))

    def positions_in(self, now: Connections) -> NDArray[np.int64]:
        """Position of each of these connections in a later query, -1 where it is not there; int64 of shape (n,).

        The way to follow connections over calls of `connect`, `disconnect` and `set`, after which these can no more be read. A connection is known
        by all that it is but its weight, and where this has changed by its place among those of its source and target.
        """
        if not isinstance(now, Connections):
            raise bad_type("now", now, "Connections")
        return positions_in(now._columns, self._columns)

    @property
    def synapse(self) -> NDArray[np.str_]:
        """Names of the synapse models, shape (n,)."""
        return np.asarray(np.array([*catalog.synapses()])[self._columns["synapse"]])

    @property
    def receptor(self) -> NDArray[np.int32]:
        """Numbers of the receptors of the target's model as `connect` takes them, from 1; names: `neuropil.describe(model).receptors`. int32, (n,).

        Of parrots 0 and 1, which is the one whose spikes are not repeated.
        """
        return read_only(self._columns["receptor"] + self._network._populations.first_receptor(self._columns["target"]))

    def __setitem__(self, name: str, value: Value) -> None:
        """Sets a parameter, see `set`."""
        if not isinstance(name, str):
            raise bad_type("index", name, "the name of a parameter; c.weight[mask] = ... sets some weights")
        self.set(**{name: value})

    def __len__(self) -> int:
        return len(self._columns["source"])

    @overload
    def __getitem__(self, key: str) -> Values: ...
    @overload
    def __getitem__(self, key: Any) -> Connections: ...
    def __getitem__(self, key: Any) -> Connections | Values:
        """Some of the connections: a position, a slice, positions or a boolean mask of shape (n,). A name: values of that parameter (or state)."""
        if isinstance(key, str):
            return self._named(key)
        index = slice(key, key + 1 or None) if isinstance(key, int | np.integer) and not isinstance(key, bool) else key
        if not isinstance(index, slice) and np.asarray(index).ndim != 1:
            raise bad_type("index", key, "a position, a slice, a one-dimensional array of positions or a boolean mask")
        if isinstance(key, int | np.integer) and not -len(self) <= key < len(self):
            raise OutOfRange(f"position {key} of {len(self)} connections")
        try:
            return Connections(self._network, {name: column[index] for name, column in self._columns.items()}, self._version, self._gather)
        except IndexError as error:
            raise OutOfRange(f"index of {len(self)} connections: {error}") from None

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with columns source, target, weight, delay_ms, synapse."""
        columns = {"source": self.source, "target": self.target, "weight": self.weight, "delay_ms": self.delay, "synapse": self.synapse}
        table: pandas.DataFrame = needed("pandas", "results", "this needs").DataFrame(columns)
        return table

    def plot(self, **options: Any) -> Axes:
        """Histogram of the weights, see `neuropil.plot.weights`."""
        from ..analysis.axes import weight_histogram

        return weight_histogram(self.weight, self.weight_unit, **options)

    def __repr__(self) -> str:
        counts = np.bincount(self._columns["synapse"], minlength=1).tolist()
        found = ", ".join(f"{n} {name}" for name, n in zip(catalog.synapses(), counts, strict=False) if n)
        return f"Connections({found or 'none'})"

    def _check_fresh(self) -> None:
        if self._version != self._network._version:
            raise Stale("connections were made or removed after this query: call connections() again")

    def _check_gathered(self) -> None:
        """Raises BadParameter for the connections of one rank: all ranks change connections together, and name the same ones."""
        if not self._gather:
            raise bad_parameter(
                "gather", False, "True: only connections queried with gather=True can be set or removed, which all ranks do together"
            )


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view of it that cannot be written."""
    view = array[:]
    view.flags.writeable = False
    return view
