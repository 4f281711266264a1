# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N818  (names without Error, as in neuropil.errors)
"""Errors of circuits: files that are not what they should be, disks that are full."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import NeuropilError

__all__ = ["BadFile", "DiskFull", "MissingLibrary", "writing"]

# EFBIG: the limit of file sizes of a user (ulimit -f) ends a run in the same way as a full disk.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class BadFile(NeuropilError, ValueError):
    """`file` is missing, broken or holds what is not allowed; `place`: line, dataset or section, "" for the whole file."""

    def __init__(self, message: str, file: str = "", place: str = "") -> None:
        super().__init__(message)
        self.file, self.place = file, place


class DiskFull(NeuropilError, OSError):
    """No room to write `file`; what was finished is kept, and the same command goes on from there."""

    def __init__(self, message: str, file: str = "") -> None:
        super().__init__(message)
        self.file = file


class MissingLibrary(NeuropilError, ImportError):
    """A library that circuits need is not installed; the message says how to get it."""


def bad_file(file: Path | str, place: str, problem: str) -> BadFile:
    """`file`, `place`: `problem`."""
    return BadFile(f"{file}{f', {place}' if place else ''}: {problem}", str(file), place)


@contextmanager
def writing(file: Path | str) -> Iterator[None]:
    """Errors of the system while writing `file`: DiskFull when there is no room, else BadFile."""
    try:
        yield
    except NeuropilError:
        raise
    except OSError as error:
        if error.errno in _FULL or "No space left" in str(error):
            raise DiskFull(
                f"{file}: no room left on the disk ({error}); what is finished is kept: make room and give the same command again",
                str(file),
            ) from error
        raise bad_file(file, "", f"cannot be written: {error}") from error
