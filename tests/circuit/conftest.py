# SPDX-License-Identifier: Apache-2.0
import os
from pathlib import Path

import pytest

from neuropil import circuit

os.environ.setdefault("MPLBACKEND", "Agg")
REAL = Path(__file__).resolve().parents[3] / "shared" / "circuit1000"


@pytest.fixture(scope="session")
def column(tmp_path_factory) -> Path:
    """Configuration of a small synthetic column."""
    return circuit.grow_column(tmp_path_factory.mktemp("column"), 60, seed=3, shapes=2)


@pytest.fixture(scope="session")
def column_edges(column, tmp_path_factory) -> Path:
    """Its touches."""
    return circuit.detect_touches(column, tmp_path_factory.mktemp("edges") / "edges.h5", ranks=None).path


@pytest.fixture(scope="session")
def real() -> Path:
    if not (REAL / "circuit_config.json").exists():
        pytest.skip("../shared/circuit1000 is not here")
    return REAL
