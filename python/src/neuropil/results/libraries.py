# SPDX-License-Identifier: Apache-2.0
"""The libraries of the extra neuropil[results]."""

from __future__ import annotations

from typing import Any

from ..base.libraries import needed

__all__ = ["library"]


def library(name: str) -> Any:
    """The module h5py, neo, pandas, pyarrow.parquet, xarray, .... Raises MissingLibrary."""
    return needed(name, "results", "this needs")
