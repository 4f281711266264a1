# SPDX-License-Identifier: Apache-2.0
"""A kernel that remembers the calls that made it, so that another one can be made by the same calls: for `Network.reset`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from . import catalog

__all__ = ["Call", "Journal", "RememberingKernel", "kept_kernel"]

_MOST_BYTES = 16 << 20  # of arrays; more are kept only when that is asked for
_NO_LIMIT = 1 << 62
_BY_HANDLE = ("edit", "remove")  # they name places in tables that must be built
_RECORDS = ("record_spikes", "record_state", "record_binned")
_LATER = frozenset({*_RECORDS, "record_weights"})  # remembered also while the network runs
_SETS = ("set", "set_each")
_GROWTH = ("set_elements", "set_calcium", "grow", "forget_growth", "set_updates")
_NODES = ("create", "reshape", "undo_create", "freeze", *_SETS)
_LOGGED = (*_NODES, *_GROWTH, "set_waveform", "connect", "relink", "record_weights", "choose_weights", *_BY_HANDLE, *_RECORDS)


class Call(NamedTuple):
    """A call of the kernel; its arrays are copies."""

    name: str
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = {}  # noqa: RUF012  (never changed)


class Journal:
    """The calls of a kernel that `reset` repeats: those made at time 0, and the records made since."""

    def __init__(self, settings: dict[str, Any], most_bytes: float) -> None:
        self.settings, self._most = settings, most_bytes
        self.first: list[Call] = []
        self.records: list[Call] = []
        self.seed: int | None = None  # of drawn states and all that is drawn while running, when `reset` was given one
        self.can_reset = True
        self._room = [most_bytes]  # bytes that arrays may still have

    def note(self, call: str, args: tuple[Any, ...], options: dict[str, Any], step: int) -> None:
        """Remembers a call that has succeeded; `step`: at which."""
        if not self.can_reset or (step > 0 and call not in _LATER):
            return
        try:
            entry = Call(call, _kept(args, self._room), _kept(options, self._room))
        except _NoRoomError:
            self.first, self.records, self.can_reset = [], [], False
            return
        if step > 0:
            self.records.append(entry)
            return
        if call in _SETS:
            _drop_overwritten(self.first, entry)
        self.first.append(entry)

    def branch(self) -> Journal:
        """The same calls, for a kernel that others will follow in."""
        made = Journal(self.settings, self._most)
        made.first, made.records, made._room = list(self.first), list(self.records), list(self._room)
        made.seed, made.can_reset = self.seed, self.can_reset
        return made

    # --- doing it again

    def begun(self, seed: int | None = None) -> RememberingKernel:
        """A new kernel at time 0. `seed`: instead of the last one that `reset` was given."""
        final = self.seed if seed is None else seed
        journal = Journal(self.settings, self._most)
        made = RememberingKernel(journal)
        made.journal = None
        calls = self.first + self.records
        last = max((k for k, call in enumerate(calls) if call.name in _BY_HANDLE), default=-1)
        for k, call in enumerate(calls):
            if call.name not in _RECORDS and (call.name != "build" or k < last):
                _again(made, call, final)
        if final is not None:
            made.set_seed(final)
        needed = [call for k, call in enumerate(calls) if call.name != "build" or k < last]
        kept = [call if call.name not in _RECORDS else _recorded(made, call) for call in needed]
        # What is made from now on is drawn with the seed of now.
        journal.first = [*kept, Call("set_seed", (seed,))] if seed is not None else kept
        journal.seed, journal._room = final, list(self._room)
        made.journal = journal
        return made


class RememberingKernel(_core.Kernel):
    """The kernel with a journal; None while it is made again."""

    journal: Journal | None

    def __init__(self, journal: Journal) -> None:
        super().__init__(**journal.settings)
        self.journal, self.seed = journal, int(journal.settings["seed"])

    def set_seed(self, seed: int) -> None:
        """As of the kernel, and remembered."""
        super().set_seed(seed)
        self.seed = seed
        if self.journal is not None:
            self.journal.note("set_seed", (seed,), {}, self.step)

    def build(self, poll: Any) -> None:
        """As of the kernel, and remembered where it builds something."""
        self._note_build()
        super().build(poll)

    def set_value(self, nodes: NDArray[np.int64], name: str, value: float) -> None:
        """As of the kernel, and remembered as `set_each`."""
        super().set_value(nodes, name, value)
        if not self.step and self.journal is not None:
            self.journal.note("set_each", (nodes, {name: np.array([value], np.float64)}, []), {}, 0)

    def snapshot(self, store_all: bool = False) -> Any:
        """As of the kernel; it builds what was described."""
        self._note_build()
        return super().snapshot(store_all)

    def _note_build(self) -> None:
        if not self.up_to_date and self.journal is not None:
            self.journal.note("build", (), {}, self.step)

    def note_drawn(self, gids: NDArray[np.int64], draws: list[tuple[str, Any, int]]) -> None:
        """Values of the last call of `set` were drawn: name, spec and number of each."""
        if self.journal is not None and not self.step:
            self.journal.note("drawn", (gids, draws), {}, 0)


def _logged(name: str) -> Callable[..., Any]:
    plain, later = getattr(_core.Kernel, name), name in _LATER

    def method(self: RememberingKernel, *args: Any, **options: Any) -> Any:
        found = plain(self, *args, **options)
        if (journal := self.journal) is not None and (later or not self.step) and not options.get("check_only"):
            journal.note(name, args, options, self.step)
        return found

    return method


for _name in _LOGGED:
    setattr(RememberingKernel, _name, _logged(_name))


def _again(kernel: RememberingKernel, call: Call, seed: int | None) -> None:
    """Makes a call once more. Where there is a seed, states are drawn with it, and generators that a build connects begin with it."""
    if call.name == "drawn":
        return _draw_again(kernel, call.args[0], call.args[1], seed)
    poll = (None,) if call.name == "build" else ()
    if seed is None or call.name not in ("create", "set_each", "build"):
        getattr(kernel, call.name)(*call.args, *poll, **call.options)
        return
    before, args = kernel.seed, list(call.args)
    if call.name == "build":
        kernel.set_seed(seed)
        kernel.build(None)
        return kernel.set_seed(before)
    at = 3 if call.name == "create" else 2
    states = catalog.models()[name].state if (name := _model(kernel, call)) in catalog.models() else {}
    drawn = [draw for draw in args[at] if draw[0] in states]
    args[at] = [draw for draw in args[at] if draw[0] not in states]
    first = getattr(kernel, call.name)(*args, **call.options)
    if drawn:
        nodes = np.array([[first, args[1], 1]], np.int64) if call.name == "create" else args[0]
        kernel.set_seed(seed)
        kernel.set_each(nodes, {}, drawn)
        kernel.set_seed(before)


def _draw_again(kernel: RememberingKernel, gids: NDArray[np.int64], draws: list[tuple[str, Any, int]], seed: int | None) -> None:
    """Sets those that are states of all of the nodes."""
    models = {kernel.model_of(gid) for gid in gids.tolist()} if seed is not None else set()
    found = {name: (spec, k) for name, spec, k in draws if all(m in catalog.models() and name in catalog.models()[m].state for m in models)}
    if seed is not None and found:
        kernel.set(gids, {name: np.asarray(_core.draw_values(spec, seed, k, gids)) for name, (spec, k) in found.items()})


def _model(kernel: RememberingKernel, call: Call) -> str:
    return str(call.args[0] if call.name == "create" else kernel.model_of(int(call.args[0][0, 0])))


def _recorded(kernel: RememberingKernel, call: Call) -> Call:
    """Records again; nothing where the nodes were made while the network ran and are gone, so that recorders keep their numbers."""
    nodes = np.asarray(call.args[0])
    highest = int((nodes[:, 0] + (nodes[:, 1] - 1) * nodes[:, 2]).max(initial=0) if nodes.ndim == 2 else nodes.max(initial=0))
    if highest > kernel.n_nodes:
        call = Call(call.name, (nodes[:0], *call.args[1:]), call.options)
    getattr(kernel, call.name)(*call.args, **call.options)
    return call


def _drop_overwritten(calls: list[Call], new: Call) -> None:
    """Forgets the last of the calls that set what the new one sets, of the same nodes, so that many trials do not make a long list."""
    for k in range(len(calls) - 1, max(-1, len(calls) - 33), -1):
        old = calls[k]
        if old.name not in _SETS:
            return
        if _same(old.args[0], new.args[0]):
            if old.name == new.name and [_names(a) for a in old.args[1:]] == [_names(a) for a in new.args[1:]]:
                del calls[k]
            return
        if not _apart(old.args[0], new.args[0]):
            return


def _names(given: Any) -> Any:
    """Of values; the first of drawn ones, whose numbers differ."""
    return [*given] if isinstance(given, dict) else given[:1]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and bool(a == b)


def _apart(a: Any, b: Any) -> bool:
    """Whether two single nodes, or lists of gids, have none in common; ranges are not looked into."""
    one, other = np.asarray(a), np.asarray(b)
    if one.size == other.size == 1 and one.ndim < 2:  # trains of many generators
        return bool(one.item() != other.item())
    return one.ndim < 2 and other.ndim < 2 and not np.isin(one, other).any()


_PLAIN = frozenset({bool, float, int, str, type(None)})


class _NoRoomError(Exception):
    pass


def _kept(value: Any, room: list[float]) -> Any:
    """The same with arrays of its own. `room`: [bytes that are left for them]."""
    kind = type(value)
    if kind is dict:
        return {k: v if type(v) in _PLAIN else _kept(v, room) for k, v in value.items()}
    if kind is tuple and _PLAIN.issuperset(map(type, value)):
        return value
    if kind is tuple or kind is list:
        return kind([v if type(v) in _PLAIN else _kept(v, room) for v in value])
    is_array = kind is np.ndarray
    room[0] -= value.nbytes if is_array else 16 * len(value) if kind is _core.EdgeList else 0
    if room[0] < 0:
        raise _NoRoomError
    return value.copy() if is_array and not (value.base is None and not value.flags.writeable) else value


def kept_kernel(settings: dict[str, Any], keep: bool | None) -> _core.Kernel:
    """A kernel that remembers its calls: all of them, none, or (None) as long as their arrays are small."""
    if keep is False:
        return _core.Kernel(**settings)
    return RememberingKernel(Journal(settings, _NO_LIMIT if keep else _MOST_BYTES))
