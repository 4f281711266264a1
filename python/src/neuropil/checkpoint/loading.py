# SPDX-License-Identifier: Apache-2.0
"""Reading a checkpoint: its manifest, and the columns of any of its shards, which the kernel asks for."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import BadCheckpoint, bad_checkpoint
from ..results.files import to_path
from .container import Reader
from .files import shard_path

__all__ = ["COMMON", "OWN", "Checkpoint"]

COMMON, OWN = "common/", "shard/"  # columns of the kernel: the description, and what a rank owns
_MOST_OPEN = 64


class Checkpoint:
    """A checkpoint that is open for reading; what `Kernel.restore` takes. Raises BadCheckpoint, which names the file and the cause."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = to_path(path)
        self._manifest = Reader(self.path, "checkpoint")
        self._others: dict[int, Reader] = {}
        self.about: dict[str, Any] = self._manifest.about
        try:
            self._id, self._base, self.shards = self._known("id", str), self._known("base", str), self._known("ranks", int)
            if self.shards < 1 or Path(self._base).name != self._base:
                raise bad_checkpoint(self.path, "index", "is inconsistent: number of ranks or name")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of all files."""
        for reader in (self._manifest, *self._others.values()):
            reader.close()
        self._others.clear()

    # --- what the kernel asks for

    def columns(self, shard: int) -> list[tuple[str, str, int]]:
        """Path, type and number of elements of each column of a shard, -1: of what is the same on all ranks."""
        prefix = COMMON if shard < 0 else OWN
        found = self._reader(max(shard, 0)).columns.values()
        return [(c.name.removeprefix(prefix), c.dtype.str, c.length) for c in found if c.name.startswith(prefix)]

    def read(self, shard: int, path: str, begin: int, out: NDArray[Any]) -> None:
        """Elements begin .. begin + len(out) of a column into `out`."""
        self._reader(max(shard, 0)).read((COMMON if shard < 0 else OWN) + path, begin, out)

    # --- what the front end asks for

    def names(self, shard: int, prefix: str) -> list[str]:
        """Names of columns of a shard that begin in this way."""
        return [name for name in self._reader(shard).columns if name.startswith(prefix)]

    def array(self, shard: int, name: str) -> NDArray[Any]:
        """A whole column by its full name."""
        return self._reader(shard).array(name)

    def check(self) -> None:
        """Reads all bytes of all shards."""
        for shard in range(self.shards):
            self._reader(shard).check()

    def files(self) -> list[Path]:
        """All files of the checkpoint: to be kept, moved and copied together."""
        return [self.path, *(shard_path(self.path, self._base, self._id, rank) for rank in range(1, self.shards))]

    def _reader(self, shard: int) -> Reader:
        if shard == 0:
            return self._manifest
        if shard not in self._others:
            while len(self._others) >= _MOST_OPEN:
                self._others.pop(next(iter(self._others))).close()
            self._others[shard] = self._opened(shard)
        return self._others[shard]

    def _opened(self, shard: int) -> Reader:
        place = f"shard {shard} of {self.shards}"
        try:
            reader = Reader(shard_path(self.path, self._base, self._id, shard), "shard")
        except BadCheckpoint as error:
            raise bad_checkpoint(self.path, place, str(error)) from error
        about = reader.about
        if (about.get("id"), about.get("rank"), about.get("ranks")) != (self._id, shard, self.shards):
            reader.close()
            raise bad_checkpoint(self.path, place, f"{reader.path}: is of another checkpoint, or of another rank")
        return reader

    def _known(self, name: str, kind: type) -> Any:
        if type(value := self.about.get(name)) is not kind:
            raise bad_checkpoint(self.path, "index", f"is inconsistent: {name} = {value!r:.40}")
        return value


def texts(checkpoint: Checkpoint, shard: int, name: str) -> bytes:
    """A column of bytes."""
    return bytes(np.ascontiguousarray(checkpoint.array(shard, name)).view(np.uint8).tobytes())
