# SPDX-License-Identifier: Apache-2.0
"""All that saving does to a file system, one method each: a test puts a disk in its place that fails, or dies, at any of them."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["Disk"]

_FLUSH_EVERY = 16 << 20  # bytes after which the system is told to begin writing


class Disk:
    """The real one. Files are numbers (descriptors); all raise OSError."""

    def create(self, path: Path) -> int:
        """A new file, which must not be there, locked as long as it is open: a file without a lock was left by a crash."""
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with contextlib.suppress(OSError):  # not every file system has locks: what is left by a crash stays there, then
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file

    def write(self, file: int, data: memoryview | bytes, at: int) -> None:
        """Writes all of it; begins to bring it to the disk from time to time, so that `sync` does not find all of it undone."""
        view, begin = memoryview(data).cast("B"), at
        while len(view):
            done = os.pwrite(file, view, at)
            view, at = view[done:], at + done
        if begin // _FLUSH_EVERY != at // _FLUSH_EVERY and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file, max(begin // _FLUSH_EVERY - 1, 0) * _FLUSH_EVERY, 2 * _FLUSH_EVERY, os.POSIX_FADV_DONTNEED)

    def sync(self, file: int) -> None:
        """All that was written to the file is on the disk."""
        os.fsync(file)

    def close(self, file: int) -> None:
        """Ends its lock, too."""
        os.close(file)

    def link(self, path: Path, other: Path) -> None:
        """Another name for a file; one that is there already stays if it is the same file."""
        try:
            os.link(path, other)
        except FileExistsError:
            if not path.samefile(other):
                raise

    def rename(self, path: Path, other: Path) -> None:
        """At once: there is never neither."""
        path.replace(other)

    def remove(self, path: Path) -> None:
        """One that is not there is no error."""
        path.unlink(missing_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Names of files are on the disk."""
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(file)
        finally:
            os.close(file)

    @contextlib.contextmanager
    def alone(self, folder: Path) -> Iterator[None]:
        """Others that change names in the folder wait, where the file system has locks."""
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)

    def is_left(self, path: Path) -> bool:
        """Whether a file that was made by `create` has no one who writes to it any more. False where this cannot be known."""
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            return False
        finally:
            os.close(file)

    def free(self, folder: Path) -> int:
        """Bytes that can be written there."""
        found = os.statvfs(folder)
        return found.f_bavail * found.f_frsize
