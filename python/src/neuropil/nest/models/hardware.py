# SPDX-License-Identifier: Apache-2.0
"""stdp_facetshw_synapse_hom: its look-up tables and bits, which are arrays in NEST and numbered scalars in the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from ...engine import catalog
from ..errors import NESTErrors, expect
from .arrays import Arrays, numbered

FACETS = "stdp_facetshw_synapse"
_ENTRIES = 16
_REFUSED = {
    "lookuptable": "Look-up table has not 2^4 entries!",
    "configbit": "Wrong number of configuration bits (!=4).",
    "reset": "Wrong number of reset bits (!=6).",
}


def _fields() -> Mapping[str, catalog.Field]:
    return catalog.synapses()[FACETS].parameters


@cache
def tables() -> Arrays:
    """The arrays."""
    return numbered(_fields())


def taken_apart(params: Mapping[str, Any]) -> dict[str, Any]:
    """Defaults as the kernel has them. Raises BadProperty, TypeMismatch."""
    found = {key: value for key, value in params.items() if key not in tables()}
    for key in tables().keys() & params.keys():
        values = np.asarray(params[key])
        expect(values.dtype.kind in "iu", f"{key} takes an array of whole numbers", params[key])
        if values.shape != (len(tables()[key]),):
            raise NESTErrors.BadProperty(_REFUSED[key.partition("_")[0]])
        if key.startswith("lookup") and not ((values >= 0) & (values < _ENTRIES)).all():
            raise NESTErrors.BadProperty("Look-up table entries must be integers in [0,15]")
        found |= dict(zip(tables()[key], values.tolist(), strict=True))
    for key in params.keys() & _fields():
        if "whole" in _fields()[key].marks:
            expect(isinstance(params[key], int | np.integer), f"{key} takes a whole number", params[key])
    if "Wmax" in params:
        found.setdefault("weight_per_lut_entry", 0.0)  # follows Wmax
    return found


def shown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Defaults as NEST has them, of those of the kernel."""
    found = {key: int(value) if "whole" in _fields()[key].marks or key == "synapse_id" else value for key, value in values.items()}
    for array, names in tables().items():
        found[array] = np.array([int(found.pop(name)) for name in names])
    n, drivers = found["no_synapses"], found["synapses_per_driver"]
    found["readout_cycle_duration"] = float(int((n - 1.0) / drivers + 1.0) * found["driver_readout_time"]) if n else 0.0
    found["weight_per_lut_entry"] = found["weight_per_lut_entry"] or found["Wmax"] / (_ENTRIES - 1)
    return found
