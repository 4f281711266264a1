# SPDX-License-Identifier: Apache-2.0
"""Where recorded data go: memory, ascii files, the screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from ..errors import NESTErrors
from ..kernel import session
from .columns import Columns, offsets, times

if TYPE_CHECKING:
    from .recorder import Recorder

NAMES = ("ascii", "memory", "screen")
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
        self.file: TextIO | None = None

    def prepare(self, recorder: Recorder) -> None:
        s = session()
        st = recorder.status
        path = file_of(recorder)
        if path.exists() and not s.settings.get("overwrite_files", False):
            raise NESTErrors.IOError(f"The file {path} exists: set overwrite_files, or another data_path, data_prefix or label")
        try:
            self.file = path.open("w")
        except OSError as error:
            raise NESTErrors.IOError(f"{path}: {error.strerror}") from None
        times = ["time_step", "time_offset"] if st["time_in_steps"] else ["time_ms"]
        self.file.write(
            "# NEST version: 3.10.0 (neuropil)\n# RecordingBackendASCII version: 2\n"
            + "\t".join(["sender", *times, *recorder.names()])
            + "\n"
        )

    def write(self, recorder: Recorder, found: Columns) -> None:
        assert self.file is not None
        self.file.writelines(lines(recorder, found, recorder.options["precision"]))
        self.file.flush()

    def cleanup(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None


class Screen(BackEnd):
    """Events on standard output, as the files have them."""

    name = "screen"

    def write(self, recorder: Recorder, found: Columns) -> None:
        print("".join(lines(recorder, found, recorder.options["precision"])), end="")


def file_of(recorder: Recorder) -> Path:
    """Where the ascii back end writes the events of a recorder."""
    s = session()
    label = recorder.status["label"] or recorder.model.name
    name = f"{s.settings.get('data_prefix', '')}{label}-{recorder.gid}-{s.rank}.{recorder.options['file_extension']}"
    return Path(s.settings.get("data_path", "")) / name


def lines(recorder: Recorder, found: Columns, precision: int) -> list[str]:
    """Events of this rank as text."""
    own = session().own(found["senders"].astype(np.int64)) if len(found["senders"]) else np.empty(0, bool)
    found = {name: column[own] for name, column in found.items()}
    if recorder.status["time_in_steps"]:
        pairs = zip(found["steps"].astype(np.int64).tolist(), offsets(found).tolist(), strict=True)
        stamps = [f"{step}\t{offset:.{precision}f}" for step, offset in pairs]
    else:
        stamps = [f"{ms:.{precision}f}" for ms in times(found).tolist()]
    columns = [found[name].tolist() for name in recorder.names()]
    rows = zip(found["senders"].astype(np.int64).tolist(), stamps, *columns, strict=True)
    return [
        f"{sender}\t{ms}" + "".join(f"\t{v}" if isinstance(v, int) else f"\t{v:.{precision}f}" for v in rest) + "\n"
        for sender, ms, *rest in rows
    ]


_CLASSES: dict[str, type[BackEnd]] = {"memory": BackEnd, "ascii": Ascii, "screen": Screen}


def make(recorder: Recorder) -> BackEnd:
    """The back end that a recorder asks for."""
    return _CLASSES[recorder.status["record_to"]]()
