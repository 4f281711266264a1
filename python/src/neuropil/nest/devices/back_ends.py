# SPDX-License-Identifier: Apache-2.0
"""Where recorded events go: memory, ascii files, the screen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from ..errors import NESTErrors
from ..kernel import session


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
