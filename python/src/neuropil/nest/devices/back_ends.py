# SPDX-License-Identifier: Apache-2.0
"""Recorded events as columns, and where they go: memory, ascii files, the screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ...engine import OFFSETS, Columns, offsets, text_rows
from .. import grid
from ..errors import NESTErrors
from ..kernel import session

if TYPE_CHECKING:
    from .recorder import Recorder


def times(found: Columns) -> NDArray[np.float64]:
    """Times of events (ms)."""
    ms: NDArray[np.float64] = grid.time(found["steps"].astype(np.int64)) if len(found["steps"]) else np.empty(0, np.float64)
    return ms - found[OFFSETS] if OFFSETS in found else ms


def in_order(found: Columns) -> Columns:
    """Spikes in the order of time, then of senders."""
    order = np.lexsort((found["senders"], -offsets(found), found["steps"]))
    return {name: column[order] for name, column in found.items()}


NAMES = ("ascii", "memory", "screen")
_CHUNK = 1 << 18  # rows that are text together
OPTIONS: dict[str, dict[str, Any]] = {"ascii": {"file_extension": "dat", "precision": 3}, "screen": {"precision": 3}, "memory": {}}


class BackEnd:
    """Takes the events of one recorder."""

    name = "memory"

    def prepare(self, recorder: Recorder) -> None:
        """Called at Prepare."""

    def write(self, recorder: Recorder, found: Columns) -> None:
        """Takes new events, at the end of each Run."""

    def cleanup(self) -> None:
        """Called at Cleanup."""


class Ascii(BackEnd):
    """One file per recorder and rank: three lines of header, then one line per event."""

    name = "ascii"

    def __init__(self) -> None:
        self.file: BinaryIO | None = None

    def prepare(self, recorder: Recorder) -> None:
        """Opens the file of this recorder and writes its head. Raises an error of NEST where it is there and may not be overwritten."""
        s = session()
        st = recorder.status
        path = file_of(recorder)
        if path.exists() and not s.setting("overwrite_files"):
            raise NESTErrors.IOError(f"The file {path} exists: set overwrite_files, or another data_path, data_prefix or label")
        try:
            self.file = path.open("wb")
        except OSError as error:
            raise NESTErrors.IOError(f"{path}: {error.strerror}") from None
        times = ["time_step", "time_offset"] if st["time_in_steps"] else ["time_ms"]
        head = "# NEST version: 3.10.0\n# RecordingBackendASCII version: 2\n"
        names = "\t".join(["sender", *times, *recorder.names()])
        self.file.write(f"{head}{names}\n".encode())

    def write(self, recorder: Recorder, found: Columns) -> None:
        """Appends rows of events."""
        assert self.file is not None
        self.file.writelines(rows(recorder, found, recorder.options["precision"]))
        self.file.flush()

    def cleanup(self) -> None:
        """Closes the file."""
        if self.file is not None:
            self.file.close()
            self.file = None


class Screen(BackEnd):
    """Events on standard output, as the files have them."""

    name = "screen"

    def write(self, recorder: Recorder, found: Columns) -> None:
        """Prints rows of events."""
        for text in rows(recorder, found, recorder.options["precision"]):
            print(text.decode(), end="")


def file_of(recorder: Recorder) -> Path:
    """Where the ascii back end writes the events of a recorder."""
    s = session()
    label = recorder.status["label"] or recorder.model.name
    name = f"{s.setting('data_prefix')}{label}-{recorder.gid}-{s.rank}.{recorder.options['file_extension']}"
    return Path(s.setting("data_path")) / name


def rows(recorder: Recorder, found: Columns, precision: int) -> Iterator[bytes]:
    """Events of this rank as text, some rows at a time."""
    own = session().own(found["senders"].astype(np.int64)) if len(found["senders"]) else np.empty(0, bool)
    if not own.all():
        found = {name: column[own] for name, column in found.items()}
    stamps = [found["steps"], offsets(found)] if recorder.status["time_in_steps"] else [times(found)]
    columns = [found["senders"], *stamps, *(found[name] for name in recorder.names())]
    columns[: len(stamps)] = [column.astype(np.int64) for column in columns[: len(stamps)]]  # senders, and steps where there are any
    columns = [np.ascontiguousarray(column, np.int64 if column.dtype.kind in "iu" else np.float64) for column in columns]
    for k in range(0, len(columns[0]), _CHUNK):
        yield text_rows([column[k : k + _CHUNK] for column in columns], precision)


_CLASSES: dict[str, type[BackEnd]] = {"memory": BackEnd, "ascii": Ascii, "screen": Screen}


def make(recorder: Recorder) -> BackEnd:
    """The back end that a recorder asks for."""
    return _CLASSES[recorder.status["record_to"]]()
