# SPDX-License-Identifier: Apache-2.0
"""Text files of events: a line per event with its sender, its time and more columns, after a line with their names or without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_events(fname: Any, column: str = "", default: int = 1) -> NDArray[np.float64]:
    """Rows (sender, time, a column by its name or number) of files: a name, or several whose rows are put together.

    Raises ValueError for files with too few columns.
    """
    rows: list[tuple[str, str, str]] = []
    for name in [fname] if isinstance(fname, str | Path) else fname:
        lines = [line.split() for line in Path(name).read_text().splitlines() if line and not line.startswith("#")]
        at = lines[0].index(column) if lines and column in lines[0] else default
        numbers = [line for line in lines if line[0][0].isdigit()]  # numpy.savetxt writes 1.0e+00
        if any(len(line) <= at for line in numbers):
            raise ValueError(f"{name}: a line has too few columns: needs sender, time {column}")
        rows += [(line[0], line[1], line[at]) for line in numbers]
    return np.array(rows, np.float64).reshape(-1, 3)
