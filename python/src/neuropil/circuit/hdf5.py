# SPDX-License-Identifier: Apache-2.0
"""HDF5 files of others: whatever is wrong with them is a BadFile that names file and dataset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NeuropilError
from .errors import bad_file
from .libraries import library

__all__ = ["dataset", "joined", "opened", "population_names", "read", "reading"]


@contextmanager
def reading(file: Path | str, place: str = "") -> Iterator[None]:
    """What h5py and numpy raise on broken files becomes BadFile."""
    try:
        yield
    except NeuropilError:
        raise
    except (
        OSError,
        RuntimeError,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        OverflowError,
        MemoryError,
        UnicodeError,
    ) as error:
        raise bad_file(file, place, f"cannot be read: {str(error).strip() or type(error).__name__}") from error


@contextmanager
def opened(file: Path | str) -> Iterator[Any]:
    """The h5py.File, open for reading. Raises BadFile, also for what is found to be broken while it is open."""
    if not Path(file).is_file():
        raise bad_file(file, "", "there is no such file")
    h5py = library("h5py")
    with reading(file), h5py.File(file, "r") as handle:
        yield handle


def dataset(handle: Any, name: str, kinds: str = "iuf", dimensions: int = 1, columns: int = 0) -> Any:
    """The dataset `name` of an open file or group, checked: a dtype kind among `kinds`, so many dimensions, at least so many columns. Raises BadFile."""
    h5py = library("h5py")
    file = handle.file.filename
    place = f"{handle.name.rstrip('/')}/{name}"
    with reading(file, place):
        found = handle.get(name)
        if not isinstance(found, h5py.Dataset):
            raise bad_file(file, place, "is missing" if found is None else "is no dataset")
        # Strings of variable length have kind O.
        if found.dtype.kind not in kinds:
            raise bad_file(
                file, place, f"has type {found.dtype}, needs {'text' if 'O' in kinds else 'numbers' if 'f' in kinds else 'whole numbers'}"
            )
        if found.ndim != dimensions or (columns and found.shape[1] < columns):
            raise bad_file(
                file,
                place,
                f"has shape {found.shape}, needs {dimensions} dimension{'s' if dimensions > 1 else ''}{f' and {columns} columns' if columns else ''}",
            )
    return found


def read(found: Any, selection: Any = ...) -> NDArray[Any]:
    """The values of a dataset. Raises BadFile, also where the file claims more than it holds."""
    file = found.file.filename
    with reading(file, str(found.name)):
        size = int(np.prod(found.shape, dtype=np.float64)) * found.dtype.itemsize
        # A broken header may claim more than any memory: a plain dataset cannot be larger than its file.
        if found.chunks is None and not found.external and found.id.get_storage_size() > Path(file).stat().st_size:
            raise bad_file(file, str(found.name), f"claims {size} bytes, the file has {Path(file).stat().st_size}")
        return np.asarray(found[selection])


def population_names(path: Any) -> list[str]:
    """Names of the node populations of a file. Raises BadFile."""
    with opened(path) as handle, reading(path, "/nodes"):
        if "nodes" not in handle:
            raise bad_file(path, "/nodes", "is missing")
        return sorted(handle["nodes"])


def joined(ranges: NDArray[np.int64], gap: int) -> list[tuple[int, int]]:
    """Ranges (begin, end), ascending; those with at most `gap` between them are one, empty ones are left out."""
    found = ranges[ranges[:, 0] < ranges[:, 1]]
    found = found[np.argsort(found[:, 0], kind="stable")]
    if not len(found):
        return []
    reach = np.maximum.accumulate(found[:, 1])
    fresh = np.flatnonzero(np.concatenate([[True], found[1:, 0] > reach[:-1] + gap]))
    last = np.append(fresh[1:], len(found)) - 1
    return list(zip(found[fresh, 0].tolist(), reach[last].tolist(), strict=True))
