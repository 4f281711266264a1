# SPDX-License-Identifier: Apache-2.0
"""Which objects of neuropil a checkpoint holds, and what of each: every attribute is saved, or made anew when it is loaded.

A class is known by a short name that stays when the class moves. tests/checkpoint/test_classes.py compares the attributes with those that classes have.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import PosixPath
from typing import Any, NamedTuple

from ..base.ranges import Ranges
from ..model.devices import Device
from ..model.distributions import Distribution
from ..model.nodes import Nodes
from ..model.populations import Populations
from ..model.projection import Given, Projection
from ..model.rules import Rule
from ..model.synapses import Synapse
from ..parallel.exchanging import ByArea, Exchange
from ..results.bins import BinnedData, BinnedRecord
from ..results.data import own_nodes
from ..results.sampling import Sampler
from ..results.spikes import SpikeRecord, Spikes, SpikeStream
from ..results.synapse_trace import SynapseStream, SynapseTrace, SynapseTraceData
from ..results.trace_data import Trace, TraceData, TraceStream, units_of
from ..results.weight_record import WeightData, WeightRecord, WeightStream
from ..space.expression import Term
from ..space.layers import Layer
from ..space.masks import Mask
from .former import FormerIdentity, FormerKind, FormerTap

__all__ = ["CLASSES", "NETWORK", "PLAIN", "Saved", "Text", "all_of", "fields_of", "key_of", "register"]

Anew = Callable[[Any], Any]


class Saved(NamedTuple):
    """A class, the attributes that are saved, and what makes the others when all is there; None: nothing has to."""

    cls: type
    saved: tuple[str, ...] | None  # None: all it has but those of `anew`
    anew: Mapping[str, Anew | None] = {}
    state: Callable[[Any], dict[str, Any]] | None = None  # what is saved instead of the attributes as they are


class Text(str):
    """What was an expression or a mask, of which a checkpoint keeps what it looks like."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _known_projection(p: Projection) -> dict[str, Any]:
    given = p._given
    rule = Rule(given.rule.name, {k: _text(v) for k, v in given.rule.parameters.items()})
    synapse = Synapse(given.synapse.name, {k: _text(v) for k, v in given.synapse.parameters.items()})
    shown = given._replace(rule=rule, synapse=synapse, weight=_text(given.weight), delay=_text(given.delay))
    return {"_network": p._network, "_given": shown}


def _text(value: Any) -> Any:
    return Text(repr(value)) if isinstance(value, Term | Mask) else value


def _nothing(_: Any) -> None:
    return None


def _shown(record: SpikeRecord | Trace) -> Nodes:
    return record._recorded if record._gather else own_nodes(record._recorded)


_STREAM = ("_about", "_kind", "_network", "_path", "_recorder", "_since", "every_steps")


def _stream(kind: type, *more: str) -> Saved:
    """Where files end is saved as where they go on."""
    names = (*_STREAM, *more)
    return Saved(
        kind, names, {"_columns": _nothing, "_most_held": lambda _: 0}, lambda s: {n: getattr(s, n) for n in names} | {"_since": s.reached}
    )


_DATA = ("_resolution", "_seed")


def _record(kind: type, saved: str, anew: str, **more: Anew) -> Saved:
    """A record is read again when it is asked for: attributes of its data, `anew`, stay empty."""
    return Saved(
        kind, tuple(saved.split()), {**dict.fromkeys((*_DATA, *anew.split())), "_cached": _nothing, "_cached_at": _nothing, **more}
    )


CLASSES: dict[str, Saved] = {
    "Nodes": Saved(Nodes, ("_network", "_ranges")),
    "Ranges": Saved(Ranges, ("offsets", "table")),
    "Populations": Saved(Populations, ("_counts", "_entries", "_firsts", "_layers", "with_devices")),
    "Layer": Saved(Layer, ("center", "extent", "first", "periodic", "positions", "shape")),
    "Projection": Saved(Projection, ("_given", "_network"), {"_found": _nothing}, _known_projection),
    "Given": Saved(Given, Given._fields),
    "Rule": Saved(Rule, ("name", "parameters")),
    "Synapse": Saved(Synapse, ("name", "parameters")),
    "Device": Saved(Device, ("name", "parameters")),
    "Distribution": Saved(Distribution, ("a", "b", "bits", "factor", "kind", "limit", "max", "min", "shift")),
    "Exchange": Saved(Exchange, ("buffer_bytes", "conservation", "halves", "local", "phases", "regime", "strategy")),
    "ByArea": Saved(ByArea, ("shares",)),
    "SpikeRecord": _record(
        SpikeRecord, "_end _first _gather _recorded _recorder", "_gids _offsets _ranges _start _stop _times", _nodes=_shown
    ),
    "Trace": _record(
        Trace,
        "_gather _interval _names _recorded _recorder",
        "_ranges _times _values",
        _nodes=_shown,
        _units=lambda trace: units_of(trace._recorded, trace._names),
    ),
    "BinnedRecord": _record(BinnedRecord, "_bin _kind _nodes _recorder", "_counts _ranges _times", _gather=lambda _: True),
    "WeightRecord": _record(WeightRecord, "_gather _network _number", "_data"),
    "SynapseTrace": _record(SynapseTrace, "_gather _sampler", "_data _interval _sources _targets _times"),
    # Samples are those of a rank: they are columns, see `samples`.
    "Sampler": Saved(
        Sampler,
        ("_taken_at", "every", "names", "offset", "projection", "steps"),
        {"_found": _nothing, "_places": _nothing, "_pairs": _nothing, "samples": lambda _: []},
    ),
    "SpikeStream": _stream(SpikeStream, "_last", "_nodes"),
    "TraceStream": _stream(TraceStream, "_nodes"),
    "WeightStream": _stream(WeightStream),
    "SynapseStream": _stream(SynapseStream, "_sampler"),
    "Spikes": Saved(Spikes, ("_gids", "_offsets", "_ranges", "_start", "_stop", "_times", *_DATA)),
    "TraceData": Saved(TraceData, ("_interval", "_names", "_ranges", "_times", "_units", "_values", *_DATA)),
    "BinnedData": Saved(BinnedData, ("_bin", "_counts", "_kind", "_ranges", "_times", *_DATA)),
    "WeightData": Saved(WeightData, ("_data", *_DATA)),
    "SynapseTraceData": Saved(SynapseTraceData, ("_data", "_interval", "_sources", "_targets", "_times", *_DATA)),
    "nest.SpikeTap": Saved(FormerTap, None),
    "nest.Kind": Saved(FormerKind, None),
    "nest.Identity": Saved(FormerIdentity, None),
}

NETWORK = (  # attributes of Network, and how they come back: from the pickle, or made anew in `resuming`
    ("_begins", "_beginnings", "_draws", "_edits", "_labels", "_names", "_notes", "_populations", "_projections", "_seed", "_version"),
    ("_calls", "_comm", "_grid", "_kernel", "_marks", "_running", "_stored", "_streams", "_loaded", "_settings", "_extra"),
)

PLAIN: dict[str, Any] = {
    "Counter": Counter,
    "OrderedDict": OrderedDict,
    "Path": PosixPath,
    "Text": Text,
    "complex": complex,
    "deque": deque,
    "frozenset": frozenset,
    "range": range,
    "set": set,
    "slice": slice,
}
"""Other classes whose objects hold data and nothing else, by name."""

_KEYS: dict[Any, str] = {each.cls: name for name, each in CLASSES.items()} | {kind: name for name, kind in PLAIN.items()}


def key_of(kind: Any) -> str | None:
    """The short name of a class, None for one that is not saved."""
    return _KEYS.get(kind)


def register(name: str, kind: type, anew: Mapping[str, Anew]) -> None:
    """See `engine.register_saved`."""
    if issubclass(kind, list):
        PLAIN[name] = kind
    else:
        CLASSES[name] = Saved(kind, None, anew)
    _KEYS[kind] = name


def all_of(value: Any, known: Saved) -> dict[str, Any]:
    """All attributes of an object but those that are made anew."""
    slots = [name for each in type(value).__mro__ for name in getattr(each, "__slots__", ())]
    names = dict.fromkeys([*slots, *getattr(value, "__dict__", ())])
    return {name: getattr(value, name) for name in names if name not in known.anew and hasattr(value, name)}


def fields_of(known: Saved) -> set[str]:
    """What every object of a class has, and is saved: the fields of a dataclass."""
    return {each.name for each in fields(known.cls)} - {*known.anew} if is_dataclass(known.cls) else set()
