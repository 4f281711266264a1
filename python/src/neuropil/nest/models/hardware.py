# SPDX-License-Identifier: Apache-2.0
"""stdp_facetshw_synapse_hom: its look-up tables and bits, which are arrays in NEST and numbered scalars in the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import NESTErrors, expect

FACETS = "stdp_facetshw_synapse"
OF_CONNECTION = frozenset({"a_causal", "a_acausal", "a_thresh_th", "a_thresh_tl", "synapse_id", "next_readout_time"})
STATE = frozenset({"a_causal", "a_acausal", "next_readout_time", "init_flag"})
WHOLE = frozenset({"no_synapses", "synapses_per_driver"})
EXTRAS = {"init_flag": False}
_ENTRIES = 16
ARRAYS = {f"lookuptable_{k}": _ENTRIES for k in range(3)} | {"configbit_0": 4, "configbit_1": 4, "reset_pattern": 6}
_REFUSED = {
    "lookuptable": "Look-up table has not 2^4 entries!",
    "configbit": "Wrong number of configuration bits (!=4).",
    "reset": "Wrong number of reset bits (!=6).",
}


def names(array: str) -> tuple[str, ...]:
    """The kernel's names of the entries of an array."""
    return tuple(f"{array}_{k + 1}" for k in range(ARRAYS[array]))


NUMBERED = frozenset(name for array in ARRAYS for name in names(array))


def taken_apart(params: Mapping[str, Any]) -> dict[str, Any]:
    """Defaults as the kernel has them. Raises BadProperty, TypeMismatch."""
    found = {key: value for key, value in params.items() if key not in ARRAYS}
    for key in ARRAYS.keys() & params.keys():
        values = np.asarray(params[key])
        expect(values.dtype.kind in "iu", f"{key} takes an array of whole numbers", params[key])
        if values.shape != (ARRAYS[key],):
            raise NESTErrors.BadProperty(_REFUSED[key.partition("_")[0]])
        if key.startswith("lookup") and not ((values >= 0) & (values < _ENTRIES)).all():
            raise NESTErrors.BadProperty("Look-up table entries must be integers in [0,15]")
        found |= dict(zip(names(key), values.tolist(), strict=True))
    for key in WHOLE & params.keys():
        expect(isinstance(params[key], int | np.integer), f"{key} takes a whole number", params[key])
    if "Wmax" in params:
        found.setdefault("weight_per_lut_entry", 0.0)  # follows Wmax
    return found


def shown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Defaults as NEST has them, of those of the kernel."""
    found = {key: int(value) if key in (*WHOLE, "synapse_id") else value for key, value in values.items() if key not in NUMBERED}
    found |= {array: np.array([int(values[name]) for name in names(array)]) for array in ARRAYS}
    n, drivers = found["no_synapses"], found["synapses_per_driver"]
    found["readout_cycle_duration"] = float(int((n - 1.0) / drivers + 1.0) * found["driver_readout_time"]) if n else 0.0
    found["weight_per_lut_entry"] = found["weight_per_lut_entry"] or found["Wmax"] / (_ENTRIES - 1)
    return found
