# SPDX-License-Identifier: Apache-2.0
"""The libraries of the extra neuropil[circuit]."""

from __future__ import annotations

from typing import Any

from ..base.libraries import needed

__all__ = ["library"]


def library(name: str) -> Any:
    """The module h5py, morphio, libsonata or plotly. Raises MissingLibrary."""
    return needed(name, "circuit", "circuits need")
