# SPDX-License-Identifier: Apache-2.0
"""weight_recorder: what the synapses of the models that name it send."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import HANDLE, Columns, Floats, Ints, columns_of, numbered_rows, rows_in
from .. import connection_query
from ..errors import expect, illegal, translating
from ..kernel import session
from ..models.faces import FILTERS
from ..models.node_models import NodeModel
from ..node_collection import NodeCollection
from ..synapse_columns import receptor_types
from .recorder import Recorder

_FILTERS = FILTERS["weight_recorder"]


class WeightRecorder(Recorder):
    """Records in the kernel from the first Connect with such a synapse model on; connections of devices are not recorded, as in NEST."""

    def __init__(self, model: NodeModel, gid: int) -> None:
        super().__init__(model, gid)
        self.filters: dict[str, Any] = {}  # NodeCollections; all nodes where there is none
        self._number = -1

    def names(self) -> list[str]:
        """What an event has beside time and sender."""
        return ["weights", "targets", "receptors", "ports"]

    @property
    def number(self) -> int:
        """The recorder of the kernel, made when first asked for."""
        if self._number < 0:
            with translating():
                self._number = session().engine.kernel.record_weights(*self._chosen())
            session().recorders[self.gid] = self
            self.connected = self.alone = True
        return self._number

    def connect_one(self, sources: Ints, weights: Floats, receptor: int) -> None:
        """Raises IllegalConnection: synapse models name their recorder, nothing is connected to it."""
        raise illegal("The target node or synapse model does not support spike input.")

    def _chosen(self) -> list[Ints | None]:
        chosen = [self.filters.get(key) for key in _FILTERS]
        return [nodes._ranges.ascending() if nodes is not None and len(nodes) else None for nodes in chosen]

    # --- status

    def key_names(self) -> list[str]:
        """Names of all parameters and filters."""
        return [*super().key_names(), *_FILTERS]

    def get(self, key: str) -> Any:
        """Value of a parameter or filter."""
        return self.filters.get(key, NodeCollection()) if key in _FILTERS else super().get(key)

    def checks(self, given: dict[str, Any]) -> dict[str, Any]:
        """New values as they are stored. Raises an error of NEST."""
        filters = {key: _nodes(key, given[key]) for key in _FILTERS if key in given}
        return super().checks({key: value for key, value in given.items() if key not in filters}) | filters

    def apply(self, fresh: dict[str, Any]) -> None:
        """Takes over checked values."""
        super().apply(fresh)
        if filters := {key: fresh[key] for key in _FILTERS if key in fresh}:
            self.filters = dict.fromkeys(_FILTERS, NodeCollection()) | self.filters | filters
            if self._number >= 0:
                with translating():
                    session().engine.kernel.choose_weights(self._number, *self._chosen())

    # --- events

    def new(self) -> Columns:
        """Takes the events that are new out of the kernel."""
        found = session().engine.kernel.sent_weights(self.number)
        self.release()
        steps, target = found["steps"], found["target"]
        columns = {"steps": steps, "senders": found["source"], "targets": target, "weights": found["weight"]}
        columns["receptors"] = receptor_types(target, found["receptor"]) if len(steps) else steps
        columns["ports"] = _ports(found) if len(steps) else steps
        return {key: np.asarray(column) for key, column in columns.items()}

    def count_unread(self) -> int:
        """Number of events that are still in the kernel."""
        return session().engine.kernel.weight_count(self.number)

    def release(self) -> None:
        """Forgets events that are still in the kernel."""
        session().engine.kernel.clear_weights(self.number)

    def columns(self) -> Columns:
        """In order of times, also where spikes of one time came in different runs."""
        found = super().columns()
        order = np.lexsort((found["ports"], found["targets"], found["senders"], found["steps"]))
        return {key: column[order] for key, column in found.items()}


def _nodes(key: str, given: Any) -> NodeCollection:
    """A NodeCollection as it is, or that of a list of ids. Raises TypeMismatch."""
    if isinstance(given, NodeCollection):
        return given
    expect(isinstance(given, list | tuple | np.ndarray), f"{key} takes a NodeCollection or a list of ids")
    return NodeCollection(list(given))


def _ports(found: dict[str, Any]) -> Ints:
    """Number of the connection of each event, as `SynapseCollection.port` counts: within a thread and model."""
    s = session()
    with translating():
        made = s.engine.connections(None, None)
    order = connection_query.order_of(made, [])
    made = made if order is None else made[order]
    numbers = numbered_rows([connection_query.models_of(made), made.target % (s.threads * s.n_ranks)])
    at = rows_in([found[name] for name in HANDLE], [columns_of(made)[name] for name in HANDLE])
    ports = np.zeros(len(at), np.int64)
    ports[at >= 0] = numbers[at[at >= 0]]
    return ports
