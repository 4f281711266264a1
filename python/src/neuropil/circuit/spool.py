# SPDX-License-Identifier: Apache-2.0
"""Finished batches on disk: a folder of pieces and a journal, so that a run that was killed goes on after its last finished batch.

A piece is what one rank found of one batch: the columns one after the other, then its connections (source, target, number of touches) as
int64. The journal has a line of JSON per batch, written after its pieces are safe, each with a checksum of itself.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import COLUMNS, ROW_BYTES, SOURCE, TARGET, Touches, check
from .errors import bad_file, writing

__all__ = ["Piece", "Spool", "connections_of"]

_JOURNAL, _FORMAT = "journal.jsonl", 1


@dataclass(frozen=True)
class Piece:
    """A file of touches: their number, that of their connections, the checksum of the bytes."""

    name: str
    touches: int
    connections: int
    crc: int

    @property
    def nbytes(self) -> int:
        """Bytes of the files: touches and connections."""
        return self.touches * ROW_BYTES + self.connections * 24


def connections_of(touches: Touches) -> NDArray[np.int64]:
    """Rows (source, target, number of touches) of sorted touches: int64 (n, 3)."""
    source, target = np.asarray(touches[SOURCE], np.int64), np.asarray(touches[TARGET], np.int64)
    if not len(source):
        return np.empty((0, 3), np.int64)
    first = np.flatnonzero(np.concatenate([[True], (np.diff(source) != 0) | (np.diff(target) != 0)]))
    return np.stack([source[first], target[first], np.diff(np.append(first, len(source)))], axis=1)


class Spool:
    """The folder of a run. `key`: all that its touches depend on; a folder that was made with another key is refused."""

    def __init__(self, folder: Path, key: dict[str, Any]) -> None:
        self.folder = folder
        self.key = json.loads(json.dumps(key))
        self.pieces: list[Piece] = []
        self.done = 0  # presynaptic cells in finished batches

    # --- on rank 0

    def open(self, restart: bool = False) -> None:
        """Makes the folder, or reads what it holds; `restart` throws that away. Raises BadFile when it belongs to another run."""
        if restart:
            shutil.rmtree(self.folder, ignore_errors=True)
        journal = self.folder / _JOURNAL
        if journal.exists():
            self._read(journal)
            return
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._append({"format": _FORMAT, "key": self.key})

    def _read(self, journal: Path) -> None:
        lines = list(_sound_lines(journal))
        if not lines or lines[0].get("format") != _FORMAT:
            raise bad_file(journal, "line 1", "is no journal of this version of touch detection; --restart deletes it and begins anew")
        different = [name for name in {**self.key, **lines[0]["key"]} if self.key.get(name) != lines[0]["key"].get(name)]
        if different:
            raise bad_file(
                journal,
                "",
                f"belongs to a run with another {', '.join(sorted(different))}; give its options to go on with it, or --restart to begin anew",
            )
        for line in lines[1:]:
            pieces = [Piece(*entry) for entry in line["pieces"]]
            broken = next((p for p in pieces if not _is_there(self.folder / p.name, p)), None)
            if line["begin"] != self.done or broken:
                break  # what follows is not to be trusted: it is done again
            self.pieces += pieces
            self.done = line["end"]
        self._rewrite(journal, lines)

    def _rewrite(self, journal: Path, lines: list[dict[str, Any]]) -> None:
        """Drops lines that are cut or not trusted, so that new ones follow sound ones."""
        sound = [lines[0], *(line for line in lines[1:] if line["end"] <= self.done)]
        draft = journal.with_suffix(".part")
        with writing(draft):
            draft.write_bytes(b"".join(map(_sealed, sound)))
            draft.replace(journal)

    def finish_batch(self, begin: int, end: int, pieces: list[Piece]) -> None:
        """Notes a batch whose pieces are on disk."""
        pieces = [piece for piece in pieces if piece.touches]
        with writing(self.folder / _JOURNAL):
            self._append({"begin": begin, "end": end, "pieces": [[p.name, p.touches, p.connections, p.crc] for p in pieces]})

    def _append(self, line: dict[str, Any]) -> None:
        with (self.folder / _JOURNAL).open("ab") as file:
            file.write(_sealed(line))
            file.flush()
            os.fsync(file.fileno())

    def remove(self) -> None:
        """Throws everything away."""
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- on any rank

    def write(self, begin: int, rank: int, touches: Touches) -> Piece:
        """Writes this rank's piece of the batch that begins at presynaptic cell `begin`. Raises DiskFull; then the batch is not there."""
        n = check(touches)
        rows = connections_of(touches)
        path = self.folder / f"batch-{begin:012d}-rank-{rank:06d}"
        crc = 0
        if n == 0:
            return Piece(path.name, 0, 0, 0)
        try:
            with writing(path), path.open("wb") as file:
                for name, kind in COLUMNS.items():
                    data = np.ascontiguousarray(touches[name], kind).data
                    crc = zlib.crc32(data, crc)
                    file.write(data)
                data = np.ascontiguousarray(rows, "<i8").data
                crc = zlib.crc32(data, crc)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return Piece(path.name, n, len(rows), crc)

    def touches(self, piece: Piece) -> dict[str, NDArray[Any]]:
        """The columns of a piece. Raises BadFile when it has changed since it was written."""
        path = self.folder / piece.name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise bad_file(path, "", f"cannot be read: {error.strerror}; --restart begins anew") from None
        if len(data) != piece.nbytes or zlib.crc32(data) != piece.crc:
            raise bad_file(path, "", "has changed since it was written; --restart begins anew")
        found, offset = {}, 0
        for name, kind in COLUMNS.items():
            found[name] = np.frombuffer(data, kind, piece.touches, offset)
            offset += found[name].nbytes
        return found

    def connections(self, piece: Piece) -> NDArray[np.int64]:
        """Rows (source, target, number of touches) of a piece. Raises BadFile."""
        path = self.folder / piece.name
        try:
            rows = np.fromfile(path, "<i8", 3 * piece.connections, offset=piece.touches * ROW_BYTES).reshape(-1, 3)
        except (OSError, ValueError) as error:
            raise bad_file(path, "", f"cannot be read: {error}; --restart begins anew") from None
        if len(rows) != piece.connections or int(rows[:, 2].sum()) != piece.touches:
            raise bad_file(path, "", "has changed since it was written; --restart begins anew")
        return rows


def _sealed(line: dict[str, Any]) -> bytes:
    text = json.dumps(line, separators=(",", ":"))
    return f"{zlib.crc32(text.encode()):08x} {text}\n".encode()


def _sound_lines(journal: Path) -> Iterator[dict[str, Any]]:
    """The lines up to the first that is cut or changed."""
    for data in journal.read_bytes().split(b"\n"):
        head, _, text = data.partition(b" ")
        if head != f"{zlib.crc32(text):08x}".encode():
            return
        yield json.loads(text)


def _is_there(path: Path, piece: Piece) -> bool:
    return path.is_file() and path.stat().st_size == piece.nbytes
