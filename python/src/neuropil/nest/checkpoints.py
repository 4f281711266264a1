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
from ..engine import Clocks, SharedPart, SharedSamples, SharedSpikes, register_saved
from . import kernel, registry, specs, structure, wires
from .devices import back_ends, correlation_detector, meter, spike_recorder, weight_recorder
from .errors import NESTErrors
from .kernel import Session, generation, reset, session
from .models.node_models import NodeModel
from .models.synapse_models import SynapseModel
from .node_collection import NodeCollection

__all__ = ["load", "save"]

_NOT_SAVED = ("_engine", "_network", "born", "made", "node_models", "plans", "ports", "synapse_models")
_MODULES = (registry, specs, structure, wires, back_ends, correlation_detector, meter, spike_recorder, weight_recorder)
_OF_MODULES = [kind for module in _MODULES for kind in vars(module).values() if getattr(kind, "__module__", "") == module.__name__]
for _class in (NodeModel, SynapseModel, Clocks, SharedSamples, SharedSpikes, *_OF_MODULES):
    if isinstance(_class, type):
        register_saved(f"nest.{_class.__name__}", _class)
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
    before, number = kernel._session, kernel._generation
    try:
        reset()  # collections in the file are of the generation that begins
        network = load_network(path, threads=threads)
        found = network.extra
        if not isinstance(found, dict) or {*found} != {"nest", "models", "extra"}:
            raise errors.BadCheckpoint(f"{path}: was not saved by neuropil.nest", str(path), "extra")
        made: Session = session()
        for name, value in found["nest"].items():
            if value is not None:  # in earlier versions: nothing is shared
                setattr(made, name, value)
        for name, (numbers, models) in found["models"].items():
            table = getattr(made, name)
            table._numbers, table._models = numbers, models
        made._network, made.threads = network, network.threads
        if isinstance(made.recorders, list):
            made.recorders = _of_former_version(made.recorders)
    except BaseException:
        kernel._session, kernel._generation = before, number
        raise
    return found["extra"]


def _of_former_version(recorders: list[Any]) -> dict[int, Any]:
    """Recorders by id. Stimulators are connected to them as it is done today; what these sent and nobody has read is lost, with a warning."""
    taps = {recorder.gid: vars(recorder).pop("taps", ()) for recorder in recorders}
    for r in recorders:
        if isinstance(r, spike_recorder.SpikeRecorder):
            r.new_stimulators = (np.array([*(tap.device for tap in taps[r.gid]), *r.new_stimulators], np.int64),)
        elif taps[r.gid]:
            r.waiting = (*r.waiting, np.unique([tap.device for tap, _ in taps[r.gid]]))
    if any(taps.values()):
        warnings.warn("a file of a former version: what stimulators had sent to recorders and nobody had read is lost", stacklevel=3)
    return {recorder.gid: recorder for recorder in recorders}
