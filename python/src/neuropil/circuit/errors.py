# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N818  (names without Error, as in neuropil.errors)
"""Errors of circuits: files that are not what they should be, disks that are full."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import BadFile, MissingLibrary, NeuropilError, bad_file

__all__ = ["BadFile", "DiskFull", "MissingLibrary", "bad_file", "writing"]

# EFBIG: the limit of file sizes of a user (ulimit -f) ends a run in the same way as a full disk.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class DiskFull(NeuropilError, OSError):
    """No room to write `file`; what was finished is kept, and the same command goes on from there."""

    def __init__(self, message: str, file: str = "") -> None:
        super().__init__(message)
        self.file = file


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
