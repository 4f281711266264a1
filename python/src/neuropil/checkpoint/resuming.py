# SPDX-License-Identifier: Apache-2.0
"""A network from files, on any number of ranks and threads."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.checks import to_whole
from ..base.grid import Grid
from ..base.named import named_arguments
from ..base.progress import Poll, Progress, polling
from ..errors import BadCheckpoint, bad_checkpoint, bad_parameter, bad_type
from ..model.arguments import to_ranks
from ..model.every import Calls
from ..model.network import Network
from ..model.notes import new_notes
from ..parallel.exchanging import ByArea, Exchange, to_distribution, to_exchange
from ..parallel.ranks import default_threads, world
from ..results.sampling import in_order
from ..results.streaming import Streams
from .classes import NETWORK
from .loading import Checkpoint
from .pickling import loaded
from .saving import STATE
from .team import Team, attempt, failure_of

if TYPE_CHECKING:
    from ..results.sampling import Sampler

__all__ = ["load"]


@named_arguments
def load(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    ranks: Any = None,
    distribution: str | ByArea | ArrayLike | None = None,
    exchange: Exchange | str | None = None,
    streams: Mapping[str | os.PathLike[str], str | os.PathLike[str]] | None = None,
    trust: bool = False,
    progress: Progress = None,
    comm: Any = None,
) -> Network:
    """The network that `Network.save` has written to a file: it goes on, to the bit, as the one that was saved would have.

    Parameters
    ----------
    threads : default: all cores this process may use
    comm, ranks : as of Network; as many ranks as you like, whatever the number that saved
    distribution, exchange : as of Network; default: as of the network that was saved
    streams : {directory that results went to: another one}. Results that went to a directory (`record(..., to=)`) go on there, what came after the
        checkpoint is replaced when the network runs; with another directory that begins anew, and what is there stays.
    trust : models of one's own that are not loaded are compiled from the C++ in the file, which then runs: only for files that you trust

    `extra` of what is returned is what was given to `save`; nodes, projections and records in it are those of this network. Functions of `every` are
    not in a checkpoint: a warning names them. The calls that made the network are not either: it cannot be `reset`. Collective.

    Raises BadCheckpoint, which names file and cause, on all ranks; BadParameter; ModelError for a model that is not loaded.
    """
    own = to_ranks(None, ranks, comm)["comm"]
    own = world() if own is None else own
    team = Team(own)
    moved = _moved(streams)
    checkpoint = team_made(team, lambda: Checkpoint(path))
    assert checkpoint is not None
    with checkpoint, polling(progress, team.rank, "loading") as poll:
        net = object.__new__(Network)
        team_made(team, lambda: _bring_models(checkpoint.about.get("models"), trust))
        state, extra, finish = team_made(team, lambda: _front(checkpoint, net))
        settings = state["settings"] | {"comm": own, "threads": default_threads() if threads is None else to_whole("threads", threads)}
        if distribution is not None:
            dealt, rank_map = to_distribution(distribution)
            areas = list(distribution.shares.items()) if isinstance(distribution, ByArea) else settings["areas"]
            settings |= {"distribution": dealt, "rank_map": rank_map, "areas": areas}
        if exchange is not None:
            settings["exchange"] = to_exchange(exchange)
        kernel = _core.Kernel(**settings)
        source = _Telling(checkpoint, poll)
        team.agree(_named(failure_of(lambda: kernel.restore(source)), checkpoint.path))
        kernel.build(poll)  # routes: what is read of a network is then as it was
        assemble(net, state, kernel, settings)
        net._extra = extra
        team_made(team, lambda: _finish(net, checkpoint, finish, state["samplers"]))
    for stream in net._streams.all:
        stream.redirect(moved.pop(os.path.normpath(stream.path), None))
    if moved:
        raise bad_parameter(
            "streams", next(iter(moved)), f"among the directories of this checkpoint: {[str(s.path) for s in net._streams.all]}"
        )
    _warn(checkpoint, team.rank)
    return net


def assemble(net: Network, state: dict[str, Any], kernel: _core.Kernel, settings: dict[str, Any]) -> None:
    """Gives a network its attributes."""
    for name in NETWORK[0]:
        setattr(net, name, state[name])
    net._kernel, net._settings, net._comm = kernel, settings, settings["comm"]
    net._grid, net._calls, net._marks, net._running = Grid(settings["resolution"]), Calls(net), None, False
    net._stored, net._loaded, net._extra = {}, True, {}
    net._streams = Streams(net)
    net._streams.all, net._streams.samplers = state["streams"], state["samplers"]


def team_made(team: Team, make: Callable[[], Any]) -> Any:
    """What is made on each rank; all raise where it fails on one."""
    found, failure = attempt(make)
    team.agree(failure)
    return found


def _bring_models(models: Any, trust: bool) -> None:
    """Sees to it that the models that are not built in are loaded."""
    if models:
        from ..own_models.loading import bring  # here: most networks have none

        bring(models, trust)


class _Telling:
    """A checkpoint that tells how far its reading is."""

    def __init__(self, checkpoint: Checkpoint, poll: Poll) -> None:
        self._checkpoint, self._poll, self._done = checkpoint, poll, 0
        self._total = int(checkpoint.about.get("bytes", 0)) or 1
        self.shards = checkpoint.shards
        self.columns = checkpoint.columns

    def read(self, shard: int, path: str, begin: int, out: NDArray[Any]) -> None:
        """As of the checkpoint."""
        self._checkpoint.read(shard, path, begin, out)
        self._done += out.nbytes
        self._poll("loading", min(self._done, self._total), self._total)


def _front(checkpoint: Checkpoint, net: Network) -> tuple[dict[str, Any], Any, Callable[[], None]]:
    data = checkpoint.array(0, STATE)
    count = len(checkpoint.names(0, "front/")) - 1
    arrays = [checkpoint.array(0, f"front/{k}") for k in range(count)]
    try:
        found, finish = loaded(data.tobytes(), arrays, net)
        state, extra = {"_edits": {}, "_notes": new_notes(), **found["net"]}, found["extra"]  # version 0.2.0 noted none
        missing = [name for name in (*NETWORK[0], "settings", "streams", "samplers") if name not in state]
        if missing:
            raise ValueError(f"{missing} missing")
    except (ValueError, KeyError, TypeError) as error:
        raise bad_checkpoint(checkpoint.path, STATE, f"is inconsistent: {error}") from error
    return state, extra, finish


def _finish(net: Network, checkpoint: Checkpoint, finish: Callable[[], None], samplers: list[Sampler]) -> None:
    finish()
    for k, sampler in enumerate(samplers):
        name = f"own/sampler{k}"
        if checkpoint.names(0, f"{name}/"):
            sampler.resume(*_own_samples(net, checkpoint, name))


def _own_samples(net: Network, checkpoint: Checkpoint, name: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Connections that end on this rank, in canonical order, and their samples [times, connections, names], whichever ranks had them."""
    pairs, samples = [], []
    for shard in range(checkpoint.shards):
        found = checkpoint.array(shard, f"{name}/pairs")
        here = np.flatnonzero(np.asarray(net._kernel.ranks_of(found[:, 1])) == net.rank)
        if len(here) or not shard:
            pairs.append(found[here])
            samples.append(checkpoint.array(shard, f"{name}/samples")[:, here])
    joined = np.concatenate(pairs)
    order = in_order(joined[:, 0], joined[:, 1])
    return joined[order], np.concatenate(samples, axis=1)[:, order]


def _moved(streams: Any) -> dict[str, Path]:
    if streams is None:
        return {}
    if not isinstance(streams, Mapping) or not all(isinstance(p, str | os.PathLike) for pair in streams.items() for p in pair):
        raise bad_type("streams", streams, "a mapping from directories to directories")
    return {os.path.normpath(old): Path(new) for old, new in streams.items()}


def _named(failure: BaseException | None, path: Path) -> BaseException | None:
    """What the kernel finds wrong has no name of a file."""
    if isinstance(failure, BadCheckpoint) and not failure.file:
        return bad_checkpoint(path, "", str(failure))
    return failure


def _warn(checkpoint: Checkpoint, rank: int) -> None:
    every = cast("list[list[Any]]", checkpoint.about.get("every") or [])
    if every and rank == 0:
        named = ", ".join(f"net.every({interval:g}, {name})" for interval, name in every)
        warnings.warn(f"{checkpoint.path}: functions are not in a checkpoint, give them again: {named}", stacklevel=3)
