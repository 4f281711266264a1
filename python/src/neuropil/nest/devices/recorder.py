# SPDX-License-Identifier: Apache-2.0
"""What all devices that listen share: a window of time, and values that are checked.

And what all recorders share: label, events in recordings of the kernel, and where these go: memory, ascii files, the screen.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...engine import OFFSETS, Columns, Floats, Ints, joined, offsets, text_rows
from .. import grid
from ..errors import NESTErrors, expect, is_a
from ..kernel import known_only, session
from ..models.faces import FOREVER
from ..models.node_models import NodeModel

_CHUNK = 1 << 18  # rows that are text together
TIMES = ("start", "stop", "origin", "Tstart", "Tstop")
MANY = 64  # recorders of the kernel; more recorders that begin to record together share one


def times(found: Columns) -> NDArray[np.float64]:
    """Times of events (ms)."""
    ms: NDArray[np.float64] = grid.time(found["steps"].astype(np.int64)) if len(found["steps"]) else np.empty(0, np.float64)
    return ms - found[OFFSETS] if OFFSETS in found else ms


class Windowed:
    """A node with a window (start + origin, stop + origin]."""

    def __init__(self, model: NodeModel, gid: int) -> None:
        self.model, self.gid = model, gid
        self.status: dict[str, Any] = dict(model.extras)

    @classmethod
    def read(cls, recorders: Sequence[Any], keys: Sequence[str]) -> dict[str, list[Any]]:
        """Values of those keys that recorders of one model have."""
        known = recorders[0].key_names()
        return {key: cls.at_once(recorders, key) or [one.get(key) for one in recorders] for key in keys if key in known}

    @classmethod
    def at_once(cls, recorders: Sequence[Any], key: str) -> list[Any] | None:
        """Values of a key that recorders share; None where they do not."""
        return None

    @classmethod
    def connect(cls, recorders: Sequence[Any], others: Ints, pairs: bool, weights: Floats, receptor: int, trains: bool) -> None:
        """Connects recorders of one row to all of other nodes, or the i-th to the i-th, with a weight for each connection.

        trains : the others are stimulators, which send each recorder spikes of its own. Raises IllegalConnection, UnknownReceptorType.
        """
        for k, one in enumerate(recorders):
            some = slice(k, k + 1) if pairs else slice(k * len(others), (k + 1) * len(others))
            one.connect_one(others[k : k + 1] if pairs else others, weights[some], receptor)
            session().recorders.setdefault(one.gid, one)

    def after_run(self) -> None:
        """Called at the end of each Run: what is recorded stays in the kernel until it is asked for."""

    def cleanup(self) -> None:
        """Called at Cleanup."""

    def refuse(self, why: str) -> None:
        """Raises BadProperty about this node."""
        raise NESTErrors.BadProperty(f"Setting status of a '{self.model.name}' with node ID {self.gid}: {why}")

    def checked(self, key: str, value: Any) -> Any:
        """A value that is allowed, of the type that is shown."""
        return grid.window_time(key, value) if key in TIMES else self.typed(key, self.status[key], value)

    def typed(self, key: str, before: Any, value: Any) -> Any:
        """A value of the type of the one before. Raises TypeMismatch."""
        expect(is_a(type(before), value), f"{key} of a {self.model.name} is of type {type(before).__name__}")
        return value

    def window(self) -> tuple[int, int]:
        """First (exclusive) and last (inclusive) step that is recorded."""
        h, ends = session().resolution, [self.status[key] + self.status["origin"] for key in ("start", "stop")]
        begin, end = (2**62 if ms >= FOREVER / 2 else round(ms / h) for ms in ends)
        return begin, end

    def inside(self, found: Columns) -> Columns:
        """The events in the window."""
        begin, end = self.window()
        some = (found["steps"] > begin) & (found["steps"] <= end)
        return found if some.all() else {name: column[some] for name, column in found.items()}


# --- where events go


class BackEnd:
    """Takes the events of one recorder as rows of text. This one takes none: they stay in memory."""

    options: ClassVar[dict[str, Any]] = {}

    def open(self, path: Path, head: str) -> None:
        """Called at Prepare."""

    def write(self, rows: Iterable[bytes]) -> None:
        """Takes new events, at the end of each Run."""

    def close(self) -> None:
        """Called at Cleanup."""


class Ascii(BackEnd):
    """One file per recorder and rank: three lines of header, then one line per event."""

    options: ClassVar[dict[str, Any]] = {"file_extension": "dat", "precision": 3}

    def __init__(self) -> None:
        self.file: BinaryIO | None = None

    def open(self, path: Path, head: str) -> None:
        """Opens the file and writes its head. Raises an error of NEST where it is there and may not be overwritten."""
        if path.exists() and not session().setting("overwrite_files"):
            raise NESTErrors.IOError(f"The file {path} exists: set overwrite_files, or another data_path, data_prefix or label")
        try:
            self.file = path.open("wb")
        except OSError as error:
            raise NESTErrors.IOError(f"{path}: {error.strerror}") from None
        self.file.write(f"# NEST version: 3.10.0\n# RecordingBackendASCII version: 2\n{head}\n".encode())

    def write(self, rows: Iterable[bytes]) -> None:
        """Appends rows of events."""
        assert self.file is not None
        self.file.writelines(rows)
        self.file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self.file is not None:
            self.file.close()
            self.file = None


class Screen(BackEnd):
    """Events on standard output, as the files have them."""

    options: ClassVar[dict[str, Any]] = {"precision": 3}

    def write(self, rows: Iterable[bytes]) -> None:
        """Prints rows of events."""
        for text in rows:
            print(text.decode(), end="")


BACK_ENDS: dict[str, type[BackEnd]] = {"ascii": Ascii, "memory": BackEnd, "screen": Screen}


# --- recorders


class Recorder(Windowed):
    """A recorder node. Its events are in recordings of the kernel, see `neuropil.engine.SharedSpikes`, until they are taken."""

    # Of millions of recorders most have these values, so they are the class's until they change.
    taken: tuple[Columns, ...] = ()  # events up to the step `since`
    since = -1
    connected = False
    alone = False  # in recordings of the kernel: what is read is taken at once
    back_end: BackEnd | None = None
    written = 0  # events that a back end took

    def __init__(self, model: NodeModel, gid: int) -> None:
        super().__init__(model, gid)
        self.options: dict[str, Any] = BACK_ENDS[self.status["record_to"]].options | model.kernel

    @classmethod
    def at_once(cls, recorders: Sequence[Any], key: str) -> list[Any] | None:
        """Numbers of events, or events, of recorders that share all recordings and show their events as they are."""
        since = recorders[0].since
        at_once = key in ("events", "n_events") and len(recorders) > MANY and not session().freezes
        if not (at_once and all(one.is_plain() and one.since == since for one in recorders)):
            return None
        found: list[Any] | None = recorders[0].of_all(np.array([recorder.gid for recorder in recorders], np.int64), key)
        return found

    def is_plain(self) -> bool:
        """Whether the events are those that are shared, with others in memory, and shown as they are."""
        unread = self.connected and not (self.alone or self.taken or self.written)
        plain = self.status["record_to"] == "memory" and not self.status["time_in_steps"] and self.gid <= session().prepared_nodes
        return unread and plain and self.shows_all()

    def shows_all(self) -> bool:
        """True if every spike or sample of the kernel is an event of this recorder: its window is the whole run."""
        return bool(self.status["start"] == self.status["origin"] == 0.0 and self.status["stop"] >= FOREVER)

    def count_unread(self) -> int | None:
        """Number of events after the step `since` where the kernel can count them, else None."""
        return None

    def of_all(self, gids: Ints, key: str) -> list[Any] | None:
        """Events of recorders, this one among them, that share recordings, or their numbers; None where they are not there at once."""
        return None

    # --- what subclasses say

    def names(self) -> list[str]:
        """Names of the recorded values beside senders and times."""
        return []

    @abstractmethod
    def new(self) -> Columns:
        """Events after the step `since`, up to `last_step`."""

    def release(self) -> None:
        """Says that events up to the step `since` are needed no more."""

    def clone(self, gid: int) -> Recorder:
        """Another recorder with this status, where nothing is connected to this one."""
        made = type(self).__new__(type(self))
        for name, value in vars(self).items():  # not at once: then each would have a dict of its own
            setattr(made, name, value)
        made.gid = gid
        return made

    # --- status

    def key_names(self) -> list[str]:
        """Keys of the status."""
        to = self.status["record_to"]
        return [*self.status, *self.options, "n_events", *{"memory": ["events"], "ascii": ["filenames"]}.get(to, [])]

    def get(self, key: str) -> Any:
        """Value of a key. Raises the built-in KeyError."""
        if key == "n_events":
            return self.count()
        if key == "events":
            return self.events()
        if key == "filenames":
            return [str(self.file())]
        if key in self.options:
            return self.options[key]
        value = self.status[key]
        return list(value) if isinstance(value, list) else value

    def checks(self, given: dict[str, Any]) -> dict[str, Any]:
        """New values as they are stored. Raises UnaccessedDictionaryEntry, BadProperty."""
        if given and session().prepared and self.gid:
            self.refuse("Recorder parameters cannot be changed while inside a Prepare/Run/Cleanup context.")
        options = BACK_ENDS.get(given.get("record_to", self.status["record_to"]), BackEnd).options
        given = known_only(given, (*self.status, *options, "n_events"), "params", "NodeManager::set_status:")
        fresh = {key: self.typed(key, options[key], v) if key in options else self.checked(key, v) for key, v in given.items()}
        window = {**self.status, **fresh}
        if "stop" in window and window["stop"] < window["start"]:
            self.refuse("stop >= start required.")
        return fresh

    def apply(self, fresh: dict[str, Any]) -> None:
        """Takes over checked values; a new window holds from now on."""
        if "n_events" in fresh:
            self.clear()
        if any(key in TIMES and self.status[key] != value for key, value in fresh.items()):
            self.settle()
        if fresh.get("record_to", self.status["record_to"]) != self.status["record_to"]:
            self.options = dict(BACK_ENDS[fresh["record_to"]].options)
        options = {key: fresh[key] for key in self.options.keys() & fresh.keys()}
        self.options = self.options | options  # clones have the same dicts
        self.status = self.status | {key: value for key, value in fresh.items() if key in self.status}
        self.listen()

    def checked(self, key: str, value: Any) -> Any:
        """A value that is allowed, of the type that is shown."""
        if key == "n_events" and not (np.ndim(value) == 0 and value == 0):
            self.refuse("Property n_events can only be set to 0 (which clears all stored events).")
        if key == "record_to" and value not in BACK_ENDS:
            self.refuse(f"Unknown recording backend '{value}'")
        if key == "time_in_steps" and session().simulated:
            self.refuse("Property time_in_steps cannot be set after Simulate has been called.")
        return value if key in ("n_events", "record_to") else super().checked(key, value)

    # --- events

    def settle(self) -> None:
        """Takes all events so far, as the window was for them."""
        if self.connected and session().has_network:
            found, self.since = self.inside(self.new()), self.last_step()
            self.release()
            if len(found["senders"]):
                self.taken = (*self.taken, found)

    def last_step(self) -> int:
        """The last step of which all events are known."""
        return int(session().engine.kernel.step)

    def columns(self) -> Columns:
        """All events so far."""
        if self.alone:
            self.settle()
        if len(self.taken) > 1:
            self.taken = (joined(self.taken),)
        if self.connected and not self.alone and len((new := self.inside(self.new()))["senders"]):
            return joined([*self.taken, new])
        return self.taken[0] if self.taken else dict.fromkeys(["steps", "senders", *self.names()], np.empty(0, np.float64))

    def count(self) -> int:
        """Number of events so far, also those that were written to a file. Events are read only where the kernel cannot count."""
        if not (self.connected and session().has_network and self.shows_all()) or (unread := self.count_unread()) is None:
            return self.written + len(self.columns()["senders"])
        return self.written + sum(len(part["senders"]) for part in self.taken) + unread

    def clear(self) -> None:
        """Forgets all events."""
        self.taken, self.written = (), 0
        if self.connected and session().has_network:
            self.since = self.last_step()
            self.release()

    def events(self) -> dict[str, NDArray[Any]]:
        """Senders, times and recorded values as NEST shows them: arrays, float64 when there is nothing."""
        in_memory = self.status["record_to"] == "memory"
        found = self.columns() if in_memory else dict.fromkeys(["steps", "senders", *self.names()], np.empty(0, np.float64))
        steps = found["steps"]
        shown: dict[str, NDArray[Any]] = {name: found[name] for name in (self.names() if self.gid <= session().prepared_nodes else ())}
        shown["senders"] = found["senders"]
        if self.status.get("time_in_steps"):
            shown["times"] = steps
            shown["offsets"] = offsets(found)
        else:
            shown["times"] = times(found)
        return {key: shown[key] for key in sorted(shown)}

    # --- life with Prepare, Run, Cleanup

    def listen(self) -> None:
        """Hears of Prepare, Run and Cleanup from now on, where it is connected and events go elsewhere than to memory."""
        if self.connected and self.status["record_to"] != "memory":
            session().recorders.setdefault(self.gid, self)

    def prepare(self) -> None:
        """Opens files."""
        if type(self.back_end) is not (wanted := BACK_ENDS[self.status["record_to"]]):
            self.back_end = wanted()
        columns = ["time_step", "time_offset"] if self.status["time_in_steps"] else ["time_ms"]
        self.back_end.open(self.file(), "\t".join(["sender", *columns, *self.names()]))

    def after_run(self) -> None:
        """Hands new events to a back end that keeps none in memory."""
        assert self.back_end is not None
        if type(self.back_end) is not BackEnd:
            self.settle()
            found = self.columns()
            self.taken = ()
            self.written += len(found["senders"])
            self.back_end.write(self.rows(found))

    def cleanup(self) -> None:
        """Ends the writing of files."""
        if self.back_end is not None:
            self.back_end.close()

    def file(self) -> Path:
        """Where the ascii back end writes the events."""
        s = session()
        name = f"{self.status['label'] or self.model.name}-{self.gid}-{s.rank}.{self.options.get('file_extension')}"
        return Path(s.setting("data_path")) / f"{s.setting('data_prefix')}{name}"

    def rows(self, found: Columns) -> Iterator[bytes]:
        """Events of this rank as text, some rows at a time."""
        own = session().own(found["senders"].astype(np.int64)) if len(found["senders"]) else np.empty(0, bool)
        if not own.all():
            found = {name: column[own] for name, column in found.items()}
        stamps = [found["steps"], offsets(found)] if self.status["time_in_steps"] else [times(found)]
        columns = [found["senders"], *stamps, *(found[name] for name in self.names())]
        columns[: len(stamps)] = [column.astype(np.int64) for column in columns[: len(stamps)]]  # senders, and steps where there are any
        columns = [np.ascontiguousarray(column, np.int64 if column.dtype.kind in "iu" else np.float64) for column in columns]
        for k in range(0, len(columns[0]), _CHUNK):
            yield text_rows([column[k : k + _CHUNK] for column in columns], self.options["precision"])
