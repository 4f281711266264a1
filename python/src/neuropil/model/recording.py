# SPDX-License-Identifier: Apache-2.0
"""What a network can record: spikes, state variables and currents, synapses, transmitted weights."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..base.checks import to_time
from ..base.named import named_arguments
from ..errors import ForeignNodes, UnknownName, bad_parameter, bad_type, unknown_name
from ..results.bins import BinnedRecord
from ..results.sampling import Sampler
from ..results.spikes import SpikeRecord, SpikeStream, check_window
from ..results.streaming import Streaming
from ..results.synapse_trace import SynapseStream, SynapseTrace
from ..results.trace_data import Trace, TraceStream, units_of
from ..results.weight_record import WeightRecord
from . import catalog
from .connections import may_be_state
from .nodes import Nodes
from .notes import TRANSMITTED, note_record
from .projection import Projection

__all__ = ["Recording"]

_INSTEAD = {
    "rate": 'record(nodes, "rate", bin=1.0) counts the spikes of the nodes in bins of 1 ms',
    "spikes": "record(nodes) records spikes",
}
PathText = str | os.PathLike[str]


class Recording(Streaming):
    """Base of Network: recorders."""

    __slots__ = ()

    @overload
    def record(self, nodes: Nodes, *, start: float = 0.0, stop: float = np.inf, target: Nodes | None = None) -> SpikeRecord: ...
    @overload
    def record(
        self,
        nodes: Nodes,
        *,
        start: float = 0.0,
        stop: float = np.inf,
        target: Nodes | None = None,
        to: PathText,
        every: float = 100.0,
    ) -> SpikeStream: ...
    @overload
    def record(
        self,
        nodes: Nodes,
        quantities: str | Sequence[str],
        *,
        interval: float = 1.0,
        offset: float = 0.0,
        target: Nodes | None = None,
    ) -> Trace: ...
    @overload
    def record(
        self,
        nodes: Nodes,
        quantities: str | Sequence[str],
        *,
        interval: float = 1.0,
        offset: float = 0.0,
        target: Nodes | None = None,
        to: PathText,
        every: float = 100.0,
    ) -> TraceStream: ...
    @overload
    def record(self, nodes: Nodes, quantities: str, *, bin: float) -> BinnedRecord: ...
    @overload
    def record(
        self, nodes: Projection, quantities: str | Sequence[str] = "weight", *, interval: float = 1.0, offset: float = 0.0
    ) -> SynapseTrace: ...
    @overload
    def record(
        self,
        nodes: Projection,
        quantities: str | Sequence[str] = "weight",
        *,
        interval: float = 1.0,
        offset: float = 0.0,
        to: PathText,
        every: float = 100.0,
    ) -> SynapseStream: ...
    @named_arguments
    def record(
        self,
        nodes: Nodes | Projection,
        quantities: str | Sequence[str] | None = None,
        *,
        interval: float | None = None,
        offset: float | None = None,
        start: float | None = None,
        stop: float | None = None,
        target: Nodes | None = None,
        to: PathText | None = None,
        every: float | None = None,
        bin: float | None = None,
    ) -> SpikeRecord | Trace | BinnedRecord | SpikeStream | TraceStream | SynapseTrace | SynapseStream:
        """Records spikes of nodes in (start, stop] ms, or one or several state variables every `interval` ms (at multiples of it + `offset`).

        Of a projection: "weight", parameters or state of its synapses ("u", "Kplus", ...), as `projection.weight` shows them at those times.
        Of generators: the own train of each, which plastic synapses get, too; "I" of those that send a current, "rate" of those whose rate changes:
        what was sent in the step that ends at the time of the sample. Most generators send each target a train or a current of its own. `target`, a
        device such as `net.create("recorder")`, stands for one more target: what it gets of each generator from now on is recorded. Records with the
        same target are independent of each other, as connections are.

        "rate" with `bin`: only the number of spikes of all nodes together in each bin (k * bin, (k + 1) * bin] ms, in memory that does not grow with
        the number of spikes, see `BinnedRecord`.

        With `to`, a new directory, what was recorded goes there every `every` ms of biological time and at the end of each run, and memory holds
        no more than that; `load()` of what is returned, or `load_spikes` and `load_trace` of the directory, read it, also while the network runs.
        Every rank writes files of its own nodes there; the directory must be one that all ranks see.

        Raises UnknownName for what the model does not have, BadParameter for times off the grid, a `bin` that is not a multiple of the resolution, and a
        directory in use; IllegalConnection for a target that is a neuron, or a target of what sends all targets the same.
        """
        if not isinstance(nodes, Projection):
            self._check_mine("nodes", nodes)
        if to is None:
            _refuse("a record in memory", every=every)
        self._streams.check(to)
        pieces = max(1, round(100.0 / self._grid.resolution)) if every is None else self._grid.steps("every", every, at_least=1)
        if isinstance(nodes, Projection):
            _refuse("a record of synapses", start=start, stop=stop, bin=bin, target=target)
            synapses = self._record_synapses(nodes, "weight" if quantities is None else quantities, interval, offset)
            return synapses if to is None else self._streams.add(SynapseStream(synapses, to, pieces))
        if bin is not None:
            _refuse("a record with bins", interval=interval, offset=offset, start=start, stop=stop, to=to, every=every, target=target)
            return self._record_binned(nodes, quantities, bin)
        if quantities is None:
            _refuse("a record of spikes", interval=interval, offset=offset)
            spikes = self._record_spikes(
                nodes, 0.0 if start is None else start, np.inf if stop is None else stop, self._extra_target(target)
            )
            return spikes if to is None else self._streams.add(SpikeStream(spikes, to, pieces))
        _refuse("a record of state variables", start=start, stop=stop)
        sampled = (1.0 if interval is None else interval, 0.0 if offset is None else offset)
        trace = self._record_state(nodes, quantities, *sampled, self._extra_target(target))
        return trace if to is None else self._streams.add(TraceStream(trace, to, pieces))

    @named_arguments
    def record_weights(self, source: Nodes | None = None, target: Nodes | None = None) -> WeightRecord:
        """A recorder of the weights that synapses send, for `connect(..., weight_recorder=...)`; of those between these nodes, None for all."""
        made = WeightRecord(self, self._kernel.record_weights(*self._chosen_ends(source, target)))
        ends = (None if nodes is None else nodes._ranges for nodes in (source, target))
        note_record(self._notes, TRANSMITTED, next(ends), "at each spike", next(ends))
        return made

    def _chosen_ends(self, source: Nodes | None, target: Nodes | None) -> list[NDArray[np.int64] | None]:
        """What the kernel takes for the ends of recorded synapses. Raises as `record_weights`."""
        for name, nodes in (("source", source), ("target", target)):
            if isinstance(nodes, Projection):
                what = (
                    "Nodes: net.record(projection) samples the weights of a projection; for the weights that are sent, give this recorder "
                )
                raise bad_type(name, nodes, f"{what}to net.connect(..., weight_recorder=...)")
            if nodes is not None:
                self._check_mine(name, nodes)
        return [None if nodes is None else nodes._ranges.ascending() for nodes in (source, target)]

    def _extra_target(self, target: Nodes | None) -> int:
        """The gid of a device that stands for one more target of generators; -1 for none."""
        if target is None:
            return -1
        self._check_mine("target", target)
        if len(target) != 1:
            raise bad_parameter("target", f"{len(target)} nodes", "one device that stands for one more target")
        return int(target.gids[0])

    def _record_spikes(self, nodes: Nodes, start: float, stop: float, target: int) -> SpikeRecord:
        first = self._grid.steps("start", start)
        last = self._grid.steps("stop", stop, past=True)
        begin, end = to_time("start", start), to_time("stop", stop)
        check_window(begin, end)
        recorder = self._kernel.record_spikes(nodes._ranges.ascending(), first, last, target)
        self._begins[recorder] = max(begin, self.time)
        until = f" until {end:g} ms" if np.isfinite(end) else ""
        note_record(self._notes, "spikes", nodes._ranges, f"from {begin:g} ms{until}" if begin or until else "always")
        return SpikeRecord(nodes, recorder, begin, end)

    def _record_state(self, nodes: Nodes, quantities: str | Sequence[str], interval: float, offset: float, target: int) -> Trace:
        names = _to_names(quantities)
        every = self._grid.steps("interval", interval, at_least=1)
        try:
            recorder = self._kernel.record_state(nodes.gids, names, every, self._grid.steps("offset", offset), target)
        except UnknownName as error:
            if error.name not in _INSTEAD:
                raise
            text = f"{error}: {_INSTEAD[error.name]}"
            raise UnknownName(text, error.kind, error.name) from None
        note_record(self._notes, ", ".join(names), nodes._ranges, f"every {self._grid.time(every):g} ms")
        return Trace(nodes, names, recorder, self._grid.time(every), units_of(nodes, names))

    def _record_binned(self, nodes: Nodes, kind: Any, width: float) -> BinnedRecord:
        if not isinstance(kind, str):
            raise bad_type("quantities", kind, 'the name of what is counted in each bin, such as "rate"')
        steps = self._grid.steps("bin", width, at_least=1)
        recorder, size = self._kernel.record_binned(nodes._ranges.ascending(), kind, steps), self._grid.time(steps)
        note_record(self._notes, kind, nodes._ranges, f"in bins of {size:g} ms")
        return BinnedRecord(nodes, kind, recorder, size)

    def _record_synapses(
        self, projection: Projection, quantities: str | Sequence[str], interval: float | None, offset: float | None
    ) -> SynapseTrace:
        if projection._network is not self:
            raise ForeignNodes("projection: it belongs to another network")
        names = _to_names(quantities)
        every = self._grid.steps("interval", 1.0 if interval is None else interval, at_least=1)
        first = self._grid.steps("offset", 0.0 if offset is None else offset)
        projection._check_known()
        known = catalog.synapses()[projection.synapse.name].parameters
        for name in names:
            if name != "weight" and name not in known:
                if not may_be_state(name):
                    raise unknown_name(f"parameter of {projection.synapse.name}", name, ["weight", *known])
                projection[name]  # raises UnknownName where these synapses have no such state
        sampler = Sampler(projection, names, every, first)
        self._streams.samplers.append(sampler)
        return SynapseTrace(sampler)


def _to_names(quantities: Any) -> list[str]:
    names = [quantities] if isinstance(quantities, str) else list(quantities) if isinstance(quantities, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise bad_type("quantities", quantities, "the name of a quantity or several of them")
    if len(set(names)) < len(names):
        raise bad_parameter("quantities", names, "without repeats")
    return names


def _refuse(what: str, **given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise bad_parameter(name, value, f"left out for {what}")
