# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, an extension: NEST has nothing like it. `from neuropil.nest import checkpoints`.

What `neuropil.load` says of bits, ranks and threads holds here, too.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from .. import errors
from .. import load as load_network
from ..engine import HANDLE, Clocks, SharedPart, SharedSamples, SharedSpikes, catalog, columns_of, register_saved
from . import editing, kernel, registry, specs, wires
from .devices import correlation_detector, meter, recorder, spike_recorder, weight_recorder
from .errors import NESTErrors
from .kernel import Session, Structure, begin, generation, session
from .models.node_models import NodeModel, as_made
from .models.synapse_models import SynapseModel
from .node_collection import NodeCollection
from .wires import SynapseKind

__all__ = ["load", "save"]

_NOT_SAVED = ("_engine", "_network", "born", "made", "node_models", "plans", "ports", "synapse_models")
_MODULES = (registry, specs, wires, recorder, correlation_detector, meter, spike_recorder, weight_recorder)
_OF_MODULES = [kind for module in _MODULES for kind in vars(module).values() if getattr(kind, "__module__", "") == module.__name__]
for _class in (SynapseModel, Structure, Clocks, SharedSamples, SharedSpikes, *_OF_MODULES):
    if isinstance(_class, type):
        register_saved(f"nest.{_class.__name__}", _class)
_OF_ROOT = {key: lambda model, key=key: getattr(as_made(model.root, 0), key) for key in ("face", "same", "groups")}
register_saved("nest.NodeModel", NodeModel, anew={"shown": lambda _: {}, **_OF_ROOT})
register_saved("nest.Part", SharedPart)
register_saved("nest.NodeCollection", NodeCollection, anew={"_generation": lambda _: generation()})


def save(path: str | os.PathLike[str], extra: Any = None, keep: int = 1) -> None:
    """Writes the kernel with all that was made and recorded to a file. Collective.

    extra : what `load` shall return: numbers, texts, lists, dicts, arrays and NodeCollections; keep : checkpoints that are there then, path, path.1, ...

    Raises BadCheckpoint, which names file and cause; BadType for what cannot be saved; NESTError between Prepare and Cleanup.
    """
    s = session()
    if s.prepared:
        raise NESTErrors.KernelException("a kernel that is prepared cannot be saved: call Cleanup first")
    tables = {name: (table._numbers, table._models) for name in ("node_models", "synapse_models") for table in [getattr(s, name)]}
    state = {name: value for name, value in vars(s).items() if name not in _NOT_SAVED}
    s.network.save(path, {"nest": state, "models": tables, "extra": extra}, keep=keep)


def load(path: str | os.PathLike[str], threads: int | None = None) -> Any:
    """Instead of the kernel of now the one that `save` has written; returns the `extra` it was given. Collective.

    threads : default: all cores this process may use, whatever it had before; results do not depend on them. Raises BadCheckpoint; then the kernel of now is as it was.
    """
    before = kernel._session
    try:
        begin()  # collections in the file are of the registry that begins
        network = load_network(path, threads=threads)
        found = network.extra
        if not isinstance(found, dict) or {*found} != {"nest", "models", "extra"}:
            raise errors.BadCheckpoint(f"{path}: was not saved by neuropil.nest", str(path), "extra")
        made: Session = session()
        vars(made.registry).update(vars(found["nest"].pop("registry")))
        for name, value in found["nest"].items():
            if value is not None:  # in earlier versions: nothing is shared
                setattr(made, name, value)
        for name, (numbers, models) in found["models"].items():
            table = getattr(made, name)
            table._numbers, table._models = numbers, models
        made._network, made.threads = network, network.threads
        _renew_recorders(made)
        _renew_kinds(made)
    except BaseException:
        kernel._session = before
        raise
    return found["extra"]


_OF_FORMER = ("taps", "parts", "waiting", "new_stimulators", "registered", "shares", "gathered_at")


def _renew_recorders(s: Session) -> None:
    """Recorders of former versions kept their recordings of the kernel themselves; what stimulators sent and nobody read is lost, with a warning."""
    if isinstance(s.recorders, list):
        s.recorders = {recorder.gid: recorder for recorder in s.recorders}
    lost = False
    for one in (one for row in s.registry.rows for one in row.recorders):
        if isinstance(one, weight_recorder.WeightRecorder):
            one.connected = one.alone = one._number >= 0
        if not isinstance(one, spike_recorder.SpikeRecorder | meter.Meter):
            continue
        taps, parts, waiting, trains, *rest = (vars(one).pop(key, ()) for key in _OF_FORMER)
        lost |= len(taps) > 0
        one.connected |= any(map(bool, (taps, parts, waiting, trains, *rest)))
        one.alone |= len(parts) > 0
        if isinstance(one, meter.Meter):
            for gids in (*waiting, *([np.unique([tap.device for tap, _ in taps])] if taps else ())):
                s.shared_samples.connect(one.settings(), np.full(len(gids), one.gid), gids)
            for part, gids, since in parts:
                s.shared_samples.parts.append(SharedPart(part, gids, np.full(len(gids), one.gid), np.arange(len(gids)), 1, since))
            continue
        s.shared_spikes.waiting += [(gids, np.full(len(gids), one.gid)) for gids in waiting]
        s.shared_spikes.trains += [(one.gid, gids) for gids in (*trains, *(np.array([tap.device]) for tap in taps))]
        if parts:
            s.shared_spikes.own[one.gid] = ([*parts], [])
    if lost:
        warnings.warn("a file of a former version: what stimulators had sent to recorders and nobody had read is lost", stacklevel=3)


def _renew_kinds(s: Session) -> None:
    """In former versions kinds of connections shared a label of the kernel, where the nodes that they join told them apart. Collective."""
    wires: Any = s.wires
    former = [kind for kind in wires.kinds if not isinstance(kind, SynapseKind)]
    if not former:
        return
    columns, bases = columns_of(s.engine.connections(None, None)), list(catalog.synapses())
    labels = columns["label"].copy()
    for k, kind in enumerate(former):
        fits = (columns["label"] == kind.label) & (columns["synapse"] == bases.index(kind.base))
        for (low, high), end in ((kind.pre, columns["source"]), (kind.post, columns["target"])):
            fits &= (kind.label != 0) | ((end >= low) & (end <= high))
        labels[fits] = k
    wires.kinds = [SynapseKind(kind.base, kind.model, kind.synapse_label) for kind in former]
    numbers = {kind.label: k for k, kind in enumerate(former) if kind.label}
    s.structure.labels, s.structure.told = {name: numbers[label] for name, label in s.structure.labels.items()}, False
    wires._labels = {kind: k for k, kind in reversed([*enumerate(wires.kinds)]) if k not in s.structure.labels.values()}
    if len(labels):
        with editing.changing():
            slices, tables, positions = (columns[name] for name in HANDLE)
            s.engine.kernel.edit(slices, tables, positions, 0, label=labels)  # spikes in flight move along
