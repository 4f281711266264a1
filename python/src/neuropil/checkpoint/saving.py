# SPDX-License-Identifier: Apache-2.0
"""A network to files: the columns of its kernel as they are, and the front end as a pickle and the arrays in it."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.progress import Poll
from ..errors import BadParameter
from ..model.renewal import Renewal
from ..results.files import to_path
from .background import Background
from .classes import NETWORK
from .disk import Disk
from .files import Part, write
from .loading import COMMON, OWN
from .pickling import dumped
from .team import Team, attempt

__all__ = ["STATE", "save", "state_of"]

STATE = "front/state"


def save(
    net: Renewal,
    path: str | os.PathLike[str],
    extra: Any,
    keep: int,
    poll: Poll,
    *,
    run: dict[str, Any] | None = None,
    store_all: bool = False,
    disk: Disk | None = None,
    background: Background | None = None,
) -> int:
    """See `Network.save`; returns the bytes of all ranks. `run`: what was asked of the run that saves; `store_all`: also connections that can be drawn again.

    With a `background`, whose last checkpoint is on the disk, this one is copied and written there, where it can be: several ranks agree in calls that
    belong to their main threads, and large networks are not copied.
    """
    team = Team(net._comm)
    file = to_path(path)
    if net._kernel.dry:
        raise BadParameter("a dry run cannot be saved: it is one rank of many, without the others", "save", "a dry run", "a whole network")
    front, failure = attempt(lambda: _front(net, extra, team.rank))
    team.agree(failure)
    assert front is not None
    net._streams.sync()
    snapshot = net._kernel.snapshot(store_all)
    try:
        parts, about = front + _columns(snapshot, team.rank) + _samples(net), _about(net, run)
        if background is not None and team.size == 1 and background.copies.fit(parts):
            copied = background.copies.make(parts)
            background.start(lambda told: write(file, team, copied, about, keep=keep, disk=disk, told=told))
            return sum(part.nbytes for part in copied)
        return write(file, team, parts, about, keep=keep, disk=disk, told=lambda done, total: poll("saving", done, max(total, 1)))
    finally:
        del snapshot


def state_of(net: Renewal) -> dict[str, Any]:
    """What comes back from the pickle."""
    state = {name: getattr(net, name) for name in NETWORK[0]}
    settings = {name: value for name, value in net._settings.items() if name != "comm"}
    return state | {"settings": settings, "streams": net._streams.all, "samplers": net._streams.samplers}


def _front(net: Renewal, extra: Any, rank: int) -> list[Part]:
    """Of rank 0; the others look whether they could."""
    data, arrays = dumped({"net": state_of(net), "extra": extra}, net)
    if rank > 0:
        return []
    return [_part(STATE, np.frombuffer(data, np.uint8)), *(_part(f"front/{k}", array) for k, array in enumerate(arrays))]


def _part(name: str, values: NDArray[Any]) -> Part:
    array = np.asarray(values)

    def fill(begin: int, out: NDArray[Any]) -> None:
        # A column in pieces; only what is not in the order of C is copied as a whole.
        nonlocal array
        if not array.flags.c_contiguous:
            array = np.ascontiguousarray(array)
        out[:] = array.reshape(-1)[begin : begin + len(out)]

    return Part(name, array.dtype.str, array.shape, fill, array.nbytes)


def _columns(snapshot: _core.Snapshot, rank: int) -> list[Part]:
    """What the kernel has; what is the same on all ranks from rank 0 alone."""

    def part(common: bool, name: str, kind: str, n: int) -> Part:
        def fill(begin: int, out: NDArray[Any]) -> int:
            return snapshot.read_checked(common, name, begin, out)

        return Part((COMMON if common else OWN) + name, kind, (n,), fill, n * np.dtype(kind).itemsize)

    return [part(common, *column) for common in ([True, False] if rank == 0 else [False]) for column in snapshot.columns(common)]


def _samples(net: Renewal) -> list[Part]:
    """Samples of the connections that end on this rank."""
    found = []
    for k, sampler in enumerate(net._streams.samplers):
        if sampler.is_known:
            pairs = sampler.pairs()
            rows = [row.reshape(-1) for row in sampler.samples]
            shape = (len(rows), len(pairs), len(sampler.names))
            n = len(pairs) * len(sampler.names)
            found += [
                _part(f"own/sampler{k}/pairs", pairs),
                Part(f"own/sampler{k}/samples", "<f8", shape, _rows(rows, n), 8 * n * len(rows)),
            ]
    return found


def _rows(rows: list[NDArray[np.float64]], n: int) -> Any:
    """Fills from rows of n values each."""

    def fill(begin: int, out: NDArray[Any]) -> None:
        at = 0
        while at < len(out):
            row, inside = divmod(begin + at, n)
            part = rows[row][inside : inside + len(out) - at]
            out[at : at + len(part)] = part
            at += len(part)

    return fill


def _about(net: Renewal, run: dict[str, Any] | None) -> dict[str, Any]:
    """What `neuropil checkpoint info` tells without loading."""
    every = [[call.interval, getattr(call.function, "__qualname__", repr(call.function))] for call in net._calls]
    return {
        "neuropil": _core.version(),
        "saved": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "time_ms": net.time,
        "step": int(net._kernel.step),
        "resolution_ms": net.resolution,
        "seed": net.seed,
        "threads": net.threads,
        "nodes": net.n_nodes,
        "connections": int(net.n_connections),
        "populations": [[net.name_of(nodes), nodes.model, len(nodes)] for nodes in net.populations[:100]],
        "streams": [str(stream.path) for stream in net._streams.all],
        "every": every,
        "run": run,
        "models": _own_models(net),
    }


def _own_models(net: Renewal) -> dict[str, list[str]]:
    """Digest and text of the models that are not built in, by name."""
    own = {entry.name: entry.digest for _, _, entry in net._populations.rows() if entry.digest} | net._kernel.loaded_synapses
    if not own:
        return {}
    from ..own_models.loading import source_of  # here: most networks have none

    return {name: [digest, source_of(digest)] for name, digest in own.items()}
