# SPDX-License-Identifier: Apache-2.0
"""Files of SONATA with spikes, as HDF5 and as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import needed
from ..circuit.errors import writing

__all__ = ["new_file", "write_spikes", "write_spikes_csv"]


def new_file(path: Path) -> Any:
    """An HDF5 file with the mark of SONATA, open for writing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = needed("h5py", "sonata", "SONATA files need").File(path, "w")
    made.attrs["magic"] = np.uint32(0x0A7A)
    made.attrs["version"] = np.array([0, 1], np.uint32)
    return made


def write_spikes(file: Path, spikes: Mapping[str, tuple[NDArray[np.int64], NDArray[np.float64]]], sorting: int) -> None:
    """Node ids and times (ms) by population. Raises DiskFull, BadFile."""
    h5py = needed("h5py", "sonata", "SONATA files need")
    kind = h5py.enum_dtype({"none": 0, "by_id": 1, "by_time": 2}, basetype=np.uint8)
    with writing(file), new_file(file) as handle:
        root = handle.create_group("spikes")
        for name, (ids, times) in spikes.items():
            order = in_order(ids, times, sorting)
            group = root.create_group(name)
            group.attrs.create("sorting", sorting, dtype=kind)
            group["node_ids"], group["timestamps"] = ids[order].astype(np.uint64), times[order]
            group["timestamps"].attrs["units"] = "ms"


def in_order(ids: NDArray[np.int64], times: NDArray[np.float64], sorting: int) -> NDArray[np.int64]:
    """Positions of spikes in the order in which they are written."""
    return np.lexsort((times, ids) if sorting == 1 else (ids, times)) if sorting else np.arange(len(ids))


def write_spikes_csv(file: Path, spikes: Mapping[str, tuple[NDArray[np.int64], NDArray[np.float64]]], sorting: int) -> None:
    """Spikes as text: columns timestamps, population, node_ids. Raises DiskFull, BadFile."""
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w") as out:
            out.write("timestamps population node_ids\n")
            for name, (ids, times) in spikes.items():
                order = in_order(ids, times, sorting)
                out.writelines(f"{time!r} {name} {node}\n" for time, node in zip(times[order].tolist(), ids[order].tolist(), strict=True))
