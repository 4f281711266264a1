# SPDX-License-Identifier: Apache-2.0
"""Disks that fail or die at a given operation, and small shards to write to them."""

import contextlib
import errno
import os
import threading

import numpy as np

from neuropil.checkpoint.disk import Disk
from neuropil.checkpoint.files import Part, write
from neuropil.checkpoint.loading import Checkpoint
from neuropil.checkpoint.team import Team

OPERATIONS = ("create", "write", "sync", "link", "rename", "remove", "sync_folder")


class Dead(BaseException):
    """What a process that was killed would do from here on: nothing."""


class Mortal(Disk):
    """Dies before operation `at`, for good; `power`: what was not brought to the disk by then is lost, too."""

    def __init__(self, at=10**9, power=False):
        super().__init__()
        self.at, self.power, self.count, self.log = at, power, 0, []
        self._unsynced, self._open, self._lock = {}, set(), threading.Lock()

    def _next(self, name, *what):
        with self._lock:
            self.count += 1
            self.log.append((name, *what))
            if self.count > self.at:
                if self.power:
                    for file in self._unsynced:
                        with contextlib.suppress(OSError):
                            os.ftruncate(file, 0)
                    self._unsynced = {}
                while self._open:  # and with them their locks
                    os.close(self._open.pop())
                raise Dead

    def create(self, path):
        self._next("create", path.name)
        file = super().create(path)
        self._unsynced[file] = True
        self._open.add(file)
        return file

    def close(self, file):
        if file in self._open:
            self._open.remove(file)
            super().close(file)

    def write(self, file, data, at):
        self._next("write", len(data))
        self._unsynced[file] = True
        super().write(file, data, at)

    def sync(self, file):
        self._next("sync")
        super().sync(file)
        self._unsynced.pop(file, None)

    def link(self, path, other):
        self._next("link", path.name, other.name)
        super().link(path, other)

    def rename(self, path, other):
        self._next("rename", path.name, other.name)
        super().rename(path, other)

    def remove(self, path):
        self._next("remove", path.name)
        super().remove(path)

    def sync_folder(self, folder):
        self._next("sync_folder")
        super().sync_folder(folder)


class Failing(Mortal):
    """Operation `at` raises an error of the file system, the others are done."""

    def __init__(self, at, error=errno.ENOSPC):
        super().__init__(at)
        self.error = error

    def _next(self, name, *what):
        with self._lock:
            self.count += 1
            self.log.append((name, *what))
            if self.count == self.at + 1:
                raise OSError(self.error, os.strerror(self.error))


def parts_of(values, common=None):
    """Columns as `write` takes them."""
    arrays = {f"shard/{name}": np.asarray(value) for name, value in values.items()}
    arrays |= {f"common/{name}": np.asarray(value) for name, value in (common or {}).items()}

    def filler(flat):
        def fill(begin, out):
            out[:] = flat[begin : begin + len(out)]

        return fill

    return [Part(name, a.dtype.str, a.shape, filler(a.reshape(-1)), a.nbytes) for name, a in arrays.items()]


def content(tag, rank):
    """Of one rank, told by a number which saving it is of."""
    return {"x": np.full(1000, tag * 100 + rank), "y": np.arange(tag + rank)}


def save(path, tag, comm=None, disk=None, keep=1):
    team = Team(comm)
    parts = parts_of(content(tag, team.rank), {"tag": np.array([tag])} if team.rank == 0 else None)
    return write(path, team, parts, {"tag": tag}, keep=keep, disk=disk)


def tag_of(path):
    """Which saving a checkpoint is of; raises BadCheckpoint unless it is whole."""
    with Checkpoint(path) as found:
        found.check()
        tag = int(found.array(0, "common/tag")[0])
        assert found.about["tag"] == tag
        for rank in range(found.shards):
            for name, value in content(tag, rank).items():
                out = np.empty(len(value), value.dtype)
                found.read(rank, name, 0, out)
                assert np.array_equal(out, value)
        return tag
