# SPDX-License-Identifier: Apache-2.0
"""Tables of arrays in files: .npz, .h5 or .parquet, all with the same content.

A file holds `columns`, arrays of equal length; `nodes`, a table of ranges of gids (first, count, stride); and `about`, a JSON text with what it is
(kind, version) and the rest. Parquet has a column for each column of a matrix, and nodes and about as metadata.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import NeuropilError, bad_file, bad_parameter, bad_type
from .libraries import library

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow

__all__ = ["RESERVED", "Table", "arrow_table", "read", "renamed", "write"]

VERSION = 1
ENDINGS = (".npz", ".h5", ".parquet")
RESERVED = ("about", "nodes", "time_ms")  # names of arrays that no quantity can have

Arrays = dict[str, NDArray[Any]]


class Table(NamedTuple):
    """What a file holds."""

    kind: str  # "spikes", "trace", ...: a key of `saving.KINDS`
    columns: Arrays  # [n, ...] each
    nodes: NDArray[np.int64]  # [ranges, 3]
    about: dict[str, Any]  # plain values


def write(path: str | os.PathLike[str], table: Table, *, compressed: bool = False) -> None:
    """Writes a file, whole or not at all; `compressed`: a smaller and slower .npz. Raises BadParameter for an unknown ending, MissingLibrary, OSError."""
    file = to_path(path)
    put = {".npz": _write_small_npz if compressed else _write_npz, ".h5": _write_h5, ".parquet": _write_parquet}[_ending(file)]
    with renamed(file) as stream:
        put(stream, table, _about(table))


def _about(table: Table) -> str:
    """What a file says of itself."""
    return json.dumps({"neuropil": table.kind, "version": VERSION, **table.about})


def read(path: str | os.PathLike[str], kind: str | None) -> Table:
    """What was written, None: of any kind. Raises BadFile for a file of another kind or a broken one, BadParameter for an unknown ending, FileNotFoundError."""
    file = to_path(path)
    ending = _ending(file)
    get = {".npz": _read_npz, ".h5": _read_h5, ".parquet": _read_parquet}[ending]
    if ending != ".npz":
        library("h5py" if ending == ".h5" else "pyarrow.parquet")
    with file.open("rb") as stream:
        try:
            columns, nodes, text = get(stream)
            about = json.loads(text)
        except NeuropilError:
            raise
        except _broken() as error:
            raise bad_file(file, "", f"no {ending} file of neuropil, or broken: {error or type(error).__name__}") from error
    check_kind(file, about, kind)
    return Table(about["neuropil"], columns, np.asarray(nodes, np.int64).reshape(-1, 3), about)


def check_kind(file: Path, about: Any, kind: str | None) -> None:
    """Raises BadFile unless a file says that it is of this kind (None: of any) and of a known version."""
    found = about.get("neuropil") if isinstance(about, dict) else None
    if not found or (kind is not None and found != kind):
        raise bad_file(file, "", f"holds {found or 'nothing of neuropil'}, not {kind or 'results'}")
    if about.get("version") != VERSION:
        raise bad_file(file, "", f"version {about.get('version')} of the format: this neuropil reads version {VERSION}")


@contextlib.contextmanager
def renamed(file: Path) -> Iterator[IO[bytes]]:
    """A stream to a file that gets its name when all is written; after an error there is neither. Raises FileNotFoundError without its folder."""
    if not file.parent.exists():
        raise FileNotFoundError(errno.ENOENT, f"{file} cannot be written: there is no folder", str(file.parent))
    part = file.with_name(f".{file.name}.{os.urandom(4).hex()}.part")
    try:
        with part.open("w+b") as stream:
            yield stream
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def to_path(path: str | os.PathLike[str]) -> Path:
    """Raises BadType."""
    if not isinstance(path, str | os.PathLike):
        raise bad_type("path", path, "the name of a file")
    from pathlib import Path  # here: a first network reads no files

    return Path(path)


def _ending(file: Path) -> str:
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise bad_parameter("path", str(file), f"a name that ends in {', '.join(ENDINGS)}")
    return ending


def _broken() -> tuple[type[Exception], ...]:
    """What libraries raise for files that are not what they should be."""
    import zipfile
    import zlib

    return (ValueError, KeyError, TypeError, EOFError, OSError, RuntimeError, IndexError, zipfile.BadZipFile, zlib.error)


def _write_npz(stream: IO[bytes], table: Table, about: str, save: Callable[..., None] = np.savez) -> None:
    save(stream, about=np.array(about), nodes=table.nodes, **table.columns)


def _write_small_npz(stream: IO[bytes], table: Table, about: str) -> None:
    _write_npz(stream, table, about, np.savez_compressed)


def _read_npz(stream: IO[bytes]) -> tuple[Arrays, Any, str]:
    with np.load(stream, allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    if "about" not in arrays and "first_gid_and_count" in arrays:
        return _of_earlier_job(arrays)
    return arrays, arrays.pop("nodes"), str(arrays.pop("about"))


def _of_earlier_job(arrays: Arrays) -> tuple[Arrays, Any, str]:
    """Spikes of a job of neuropil before files said what they are: the recorded time is taken to begin at 0 and to end with the last spike."""
    from ..base.grid import Grid

    resolution, ranges = float(arrays["resolution"]), arrays["first_gid_and_count"]
    times = Grid(resolution).ms(arrays["stamps"])
    window = {"start_ms": 0.0, "stop_ms": float(times.max(initial=0.0)), "resolution_ms": resolution, "seed": None}
    nodes = np.column_stack([ranges, np.ones(len(ranges), np.int64)])
    return {"time_ms": times, "gid": arrays["gids"]}, nodes, json.dumps({"neuropil": "spikes", "version": VERSION, **window})


def _write_h5(stream: IO[bytes], table: Table, about: str) -> None:
    with library("h5py").File(stream, "w") as file:
        file.attrs["about"] = about
        for name, array in [("nodes", table.nodes), *table.columns.items()]:
            # Checksums: a byte that has changed on the disk is an error, not another spike.
            options = {"compression": "gzip", "compression_opts": 1, "shuffle": True, "fletcher32": True} if array.size else {}
            file.create_dataset(name, data=array, **options)


def _read_h5(stream: IO[bytes]) -> tuple[Arrays, Any, str]:
    with library("h5py").File(stream, "r") as file:
        arrays = {name: np.asarray(file[name][()]) for name in file}
        about = str(file.attrs["about"])
    return arrays, arrays.pop("nodes"), about


def arrow_table(table: Table) -> pyarrow.Table:
    """pyarrow.Table of what a file .parquet holds; vectors are not copied. Raises MissingLibrary."""
    arrow = library("pyarrow")
    flat, shapes = {}, {}
    for name, array in table.columns.items():
        shapes[name] = list(array.shape[1:])
        if array.ndim == 1:
            flat[name] = array
        else:
            gids = _expand(table.nodes)
            flat.update({f"{name}[{gids[k]}]": np.ascontiguousarray(array[:, k]) for k in range(array.shape[1])})
    rows = len(next(iter(table.columns.values())))
    notes = {"neuropil": _about(table), "neuropil.nodes": json.dumps(table.nodes.tolist()), "neuropil.shapes": json.dumps(shapes)}
    frame = arrow.table(flat) if flat else arrow.table({"": np.zeros(rows)})
    found: pyarrow.Table = frame.replace_schema_metadata(notes)
    return found


def _write_parquet(stream: IO[bytes], table: Table, _: str) -> None:
    library("pyarrow.parquet").write_table(arrow_table(table), stream, write_page_checksum=True)


def _read_parquet(stream: IO[bytes]) -> tuple[Arrays, Any, str]:
    frame = library("pyarrow.parquet").read_table(stream, page_checksum_verification=True, use_threads=False)
    notes = {key.decode(): value.decode() for key, value in (frame.schema.metadata or {}).items()}
    if "neuropil" not in notes:
        raise ValueError("no metadata of neuropil")
    nodes = np.array(json.loads(notes["neuropil.nodes"]), np.int64).reshape(-1, 3)
    gids, columns = _expand(nodes), {}
    for name, shape in json.loads(notes["neuropil.shapes"]).items():
        if not shape:
            columns[name] = frame[name].to_numpy()
            continue
        columns[name] = np.empty((frame.num_rows, *shape))
        for k in range(shape[0]):
            columns[name][:, k] = frame[f"{name}[{gids[k]}]"].to_numpy()
    return columns, nodes, notes["neuropil"]


def _expand(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    from ..base.ranges import Ranges

    return Ranges(np.asarray(nodes, np.int64)).ids()
