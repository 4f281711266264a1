# SPDX-License-Identifier: Apache-2.0
"""The folder of compiled models: one file per content, safe when several processes write it at once."""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

__all__ = ["common", "folder", "is_whole", "locked", "places", "put", "recent_only"]


def common() -> Path:
    """Folder of all processes, to read from: NEUROPIL_CACHE, or neuropil in XDG_CACHE_HOME, or ~/.cache/neuropil. It may be read-only or missing."""
    own = os.environ.get("NEUROPIL_CACHE")
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(own) if own else (Path(base) if base else Path.home() / ".cache") / "neuropil"


@cache
def folder() -> Path:
    """Folder to write to: the common one, or one of this process where the common one cannot be written."""
    place = common()
    try:
        _try_to_write(place)
        return place
    except OSError as error:
        made = Path(tempfile.mkdtemp(prefix="neuropil-"))
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        warnings.warn(f"{place} cannot be written ({error.strerror}): compiled models are kept for this process only", stacklevel=2)
        return made


def places() -> Iterator[Path]:
    """Folders to read from. Whether the common one can be written is tried only where it lacks what is looked for."""
    if folder.cache_info().currsize:  # tried before: what this process wrote comes first
        yield folder()
    yield common()
    yield folder()


def _try_to_write(place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place):
        pass


@contextmanager
def locked(name: str) -> Iterator[None]:
    """One process at a time; the others wait."""
    with (folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def put(made: Path, place: Path) -> None:
    """Moves a file to its place, at once, with its hash beside it."""
    _hash_of(place).write_text(_digest(made))
    made.replace(place)


def is_whole(place: Path) -> bool:
    """Whether a file is there as it was put."""
    try:
        return _hash_of(place).read_text() == _digest(place)
    except OSError:
        return False


def recent_only(pattern: str, most: int) -> None:
    """Removes all but the `most` files or folders of this pattern that were used last."""
    found = sorted(folder().glob(pattern), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[most:]:
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _hash_of(place: Path) -> Path:
    return place.with_name(place.name + ".sha256")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
