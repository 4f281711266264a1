# SPDX-License-Identifier: Apache-2.0
"""All that saving does to a file system, one method each: a test puts a disk in its place that fails, or dies, at any of them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np

__all__ = ["Disk"]

_PAGE = 4096
_DIRECT = 1 << 20  # bytes from which on it is worth it
_FLUSH_EVERY = 16 << 20  # bytes after which the system is told to begin writing


class Disk:
    """The real one. Files are numbers (descriptors); all raise OSError."""

    def __init__(self) -> None:
        self._direct: dict[int, int] = {}  # the same files once more, -1: this one cannot

    def create(self, path: Path) -> int:
        """A new file, which must not be there, locked as long as it is open: a file without a lock was left by a crash."""
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with contextlib.suppress(OSError):  # not every file system has locks: what is left by a crash stays there, then
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file

    def write(self, file: int, data: memoryview | bytes, at: int) -> None:
        """Writes all of it.

        Whole pages go to the disk past the memory of the system where it can do that: no copy, and nothing left to do for `sync`. Else it is told to begin
        from time to time.
        """
        view, begin = memoryview(data).cast("B"), at
        if self._written_directly(file, view, at):
            return
        while len(view):
            done = os.pwrite(file, view, at)
            view, at = view[done:], at + done
        if begin // _FLUSH_EVERY != at // _FLUSH_EVERY and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file, max(begin // _FLUSH_EVERY - 1, 0) * _FLUSH_EVERY, 2 * _FLUSH_EVERY, os.POSIX_FADV_DONTNEED)

    def _written_directly(self, file: int, view: memoryview, at: int) -> bool:
        if len(view) < _DIRECT or at % _PAGE or len(view) % _PAGE or np.frombuffer(view, np.uint8).ctypes.data % _PAGE:
            return False
        if file not in self._direct:
            try:
                self._direct[file] = os.open(f"/proc/self/fd/{file}", os.O_WRONLY | os.O_DIRECT | os.O_CLOEXEC)
            except (OSError, AttributeError):  # not every system and file system can
                self._direct[file] = -1
        if self._direct[file] < 0:
            return False
        try:
            return os.pwrite(self._direct[file], view, at) == len(view)  # what is missing is written again, as it was
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            os.close(self._direct[file])
            self._direct[file] = -1
            return False

    def sync(self, file: int) -> None:
        """All that was written to the file is on the disk."""
        os.fsync(file)

    def close(self, file: int) -> None:
        """Ends its lock, too."""
        if (direct := self._direct.pop(file, -1)) >= 0:
            os.close(direct)
        os.close(file)

    def held(self, path: Path) -> int:
        """What keeps the bytes of a file that is about to lose its last name; -1: nothing. Freeing them takes time, see `let_go`."""
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return -1

    def let_go(self, held: int) -> None:
        """Frees them while others go on."""
        if held >= 0:
            threading.Thread(target=os.close, args=(held,)).start()

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
