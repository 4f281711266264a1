# SPDX-License-Identifier: Apache-2.0
"""The files of a checkpoint: how they are written by all ranks so that there is a good one at any time, and which of them may go.

`run.npc` is the manifest and what rank 0 owns. Another rank r writes `run.npc.<id>.<r>`; the id is drawn anew each time and is in the manifest.
Rank 0 writes to `run.npc.<id>.<ranks>.part`, which gets the name run.npc when all ranks have all on the disk: before that, the last checkpoint
is untouched. With keep=2 the one before is then `run.npc.1`, by a hard link, so that run.npc is there all the time.

A manifest that is about to lose its name gets the name `run.npc.<id>.<ranks>.old` first. So the names that end in .part and .old tell which files
of shards may be removed: those whose id no manifest has, and whose .part no one has locked, which a writer does as long as it lives.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BadCheckpoint, bad_checkpoint
from ..plan.plan import size_text
from .container import Fill, Held, Reader, Writer
from .disk import Disk
from .team import Team, failure_of

__all__ = ["Part", "Told", "shard_path", "write"]

_SPARE = 1 << 16  # bytes for headers and index


class Part(NamedTuple):
    """A column to be written: its name, type and shape, and what fills pieces of it. `held`: where its bytes are, of one that was copied."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    fill: Fill
    nbytes: int
    held: Held | None = None


Told = Callable[[int, int], None]
"""Called with the bytes of this rank that are done, and all of them; may raise, which ends the saving."""


def write(
    path: Path,
    team: Team,
    parts: Sequence[Part],
    about: dict[str, Any],
    *,
    keep: int = 1,
    disk: Disk | None = None,
    told: Told | None = None,
) -> int:
    """Writes the parts of every rank; returns the bytes of all ranks. `about`: plain values for the manifest; `told(done, total)`: bytes of this rank.

    After an error, also of another rank, all ranks raise, and what was saved before is there as it was. Collective. Raises BadCheckpoint.
    """
    disk = disk or Disk()
    attempt = _Attempt(path, team, disk)
    try:
        attempt.begin()
        total = attempt.write(parts, about, told)
        attempt.commit(keep)
    except BaseException:
        attempt.undo()
        raise
    return total


def shard_path(manifest: Path, base: str, number: str, rank: int) -> Path:
    """Where the part of another rank than 0 is: beside the manifest, whatever that is called now."""
    return manifest.with_name(f"{base}.{number}.{rank}")


class _Attempt:
    """One saving."""

    def __init__(self, path: Path, team: Team, disk: Disk) -> None:
        self._path, self._team, self._disk = path, team, disk
        self._writer: Writer | None = None
        self._file: Path | None = None  # that this rank writes
        self._number = ""

    def begin(self) -> None:
        """Makes the files: first that of rank 0, by which others are known to be in the making."""

        def check() -> None:
            if not self._path.parent.is_dir():
                raise bad_checkpoint(self._path, "", "not saved: its folder does not exist")
            if self._path.is_dir():
                raise bad_checkpoint(self._path, "", "not saved: this is a folder, not a file")

        def first() -> str:
            check()
            self._number = secrets.token_hex(8)
            with self._disk.alone(self._path.parent):  # others that look for what was left see it locked
                self._open(self._path.with_name(f"{self._path.name}.{self._number}.{self._team.size}.part"))
            return self._number

        self._number = self._team.first(lambda: self._told(first))
        if self._team.size > 1:
            others = self._team.rank > 0
            own = shard_path(self._path, self._path.name, self._number, self._team.rank)
            self._team.agree(failure_of(lambda: self._told(lambda: self._open(own))) if others else None)

    def write(self, parts: Sequence[Part], about: dict[str, Any], told: Told | None) -> int:
        """Writes the parts of this rank to the disk."""
        own = sum(part.nbytes for part in parts)
        sizes = self._team.all(own)
        manifest = {"id": self._number, "rank": self._team.rank, "ranks": self._team.size, "base": self._path.name}
        if self._team.rank == 0:
            manifest |= {**about, "bytes": sum(sizes)}

        def put() -> None:
            assert self._writer is not None
            if (free := self._disk.free(self._path.parent)) < own + _SPARE:
                raise bad_checkpoint(self._path, "", f"not saved: needs {size_text(own)}, {size_text(free)} are free")
            done = 0

            def tell(count: int) -> None:
                nonlocal done
                done += count
                if told is not None:
                    told(done, own)

            for part in parts:
                self._writer.add(part.name, part.dtype, part.shape, part.fill, tell, part.held)
            self._writer.finish("checkpoint" if self._team.rank == 0 else "shard", manifest)
            if self._team.rank > 0:
                self._disk.sync_folder(self._path.parent)

        self._team.agree(failure_of(lambda: self._told(put)))
        return int(sum(sizes))

    def commit(self, keep: int) -> None:
        """The new checkpoint gets its name; then what no manifest names goes. A failure to remove files is none of saving."""
        held: list[int] = []
        file, self._file = self._file, None  # where this fails the checkpoint may have its name: a later saving knows what may go

        def rename() -> None:
            assert file is not None
            last = self._path if keep == 1 else self._path.with_name(f"{self._path.name}.{keep - 1}")
            held.append(self._disk.held(last))
            with self._disk.alone(self._path.parent):
                _rotate(self._path, keep, self._number, self._disk)
                self._disk.rename(file, self._path)
                self._disk.sync_folder(self._path.parent)

        try:
            self._team.agree(failure_of(lambda: self._told(rename)) if self._team.rank == 0 else None)
        finally:
            for each in held:
                self._disk.let_go(each)
        self._close()
        left = self._team.first(lambda: [] if self._team.rank else _left(self._path, self._disk))

        def remove() -> None:
            for number, ranks, _ in left:
                for rank in range(1 + self._team.rank, ranks, self._team.size):
                    with suppress(OSError):
                        self._disk.remove(shard_path(self._path, self._path.name, number, rank))

        if left:
            self._team.agree(failure_of(remove))
        if self._team.rank == 0:
            for *_, name in left:
                with suppress(OSError):
                    self._disk.remove(self._path.with_name(name))

    def undo(self) -> None:
        """Removes what this rank has made, that of rank 0 too: others may be dead."""
        with suppress(OSError):
            if self._file is not None:
                self._disk.remove(self._file)
        with suppress(OSError):
            self._close()

    def _open(self, file: Path) -> None:
        self._writer = Writer(self._disk, file)
        self._file = file

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _told(self, action: Callable[[], Any]) -> Any:
        """What the action gives. Errors of the file system say what was not done, and to what."""
        try:
            return action()
        except OSError as error:
            where = f"rank {self._team.rank}" if self._team.size > 1 else ""
            raise bad_checkpoint(self._path, where, f"not saved: {error.strerror or error}") from error


def _rotate(path: Path, keep: int, number: str, disk: Disk) -> None:
    """The names of those before: run.npc becomes run.npc.1, that run.npc.2, ...; the last one gets a name that says that it may go."""
    names = [path, *(path.with_name(f"{path.name}.{k}") for k in range(1, keep))]
    last = names[-1]
    if last.exists() and (about := _about(last)) is not None and about.get("ranks", 1) > 1:
        disk.link(last, path.with_name(f"{path.name}.{about['id']}.{about['ranks']}.old"))
    for newer, older in reversed(list(pairwise(names))):
        if newer.exists():
            other = path.with_name(f"{path.name}.{number}.0.link")
            disk.link(newer, other)
            disk.rename(other, older)


def _left(path: Path, disk: Disk) -> list[tuple[str, int, str]]:
    """(id, ranks, name) of what may be removed; nothing where a manifest cannot be read, as its id is not known."""
    form = re.compile(re.escape(path.name) + r"\.([0-9a-f]{16})\.(\d{1,9})\.(part|old|link)")
    with disk.alone(path.parent):
        found, live = [], set()
        for name in os.listdir(path.parent):  # noqa: PTH208  (names, not paths: there may be many)
            if match := form.fullmatch(name):
                found.append((match[1], int(match[2]), name, match[3]))
            elif re.fullmatch(re.escape(path.name) + r"(\.\d{1,4})?", name):
                if (about := _about(path.with_name(name))) is None:
                    return []
                live.add(about.get("id"))
        dead = [each for each in found if each[3] != "part" or disk.is_left(path.with_name(each[2]))]
    return [(number, 0 if number in live else ranks, name) for number, ranks, name, _ in dead]


def _about(path: Path) -> dict[str, Any] | None:
    """Of a manifest; None where it is none, or broken."""
    try:
        with Reader(path, "checkpoint", about_only=True) as reader:
            return reader.about
    except BadCheckpoint:
        return None
