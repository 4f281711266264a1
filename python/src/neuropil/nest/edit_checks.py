# SPDX-License-Identifier: Apache-2.0
"""Checks of new values for connections of the kernel: what NEST has its own errors for. The kernel checks the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import projections
from .devices.meter import max_delay, min_delay
from .errors import NESTErrors
from .kernel import session
from .models.synapse_models import SUB_STEP_DELAY
from .ranks import any_rank
from .wires import Kind, present_weights

if TYPE_CHECKING:
    from .synapse_columns import Columns

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_LONGEST = 2**40  # steps; far more than the kernel takes, far less than an int64


def having(key: str) -> NDArray[np.bool_]:
    """Which kinds have a parameter, or labels."""
    s = session()
    models = [s.synapse_models[kind.model] for kind in s.wires.kinds]
    return np.array([model.labelled if key == "synapse_label" else key in model.entry.parameters for model in models], bool)


def _parameter(kind: Kind, key: str) -> float:
    """Present value of a parameter of connections of a kind."""
    return float(kind.parameters[key] if key in kind.parameters else session().synapse_models[kind.model].default(key))


def wmax_of(kinds: Sequence[Kind]) -> Floats:
    """Wmax of kinds, nan without, float64 of shape (n,)."""
    return np.array([_parameter(kind, "Wmax") if has else np.nan for kind, has in zip(kinds, having("Wmax"), strict=True)])


def split_delays(kinds: Ints, delay: Floats) -> tuple[Floats, Floats]:
    """Delays (ms) in whole steps, and what is subtracted from these (ms)."""
    h = session().resolution
    between = having(SUB_STEP_DELAY)[kinds]
    steps = np.minimum(np.where(between, np.ceil(delay / h - 1e-9), np.round(delay / h)), _LONGEST)
    less = steps * h - delay
    return steps, np.where(between & (less > 1e-9 * h), less, 0.0)


def check(columns: Columns, kinds: Ints, values: Mapping[str, Floats]) -> None:
    """Raises what NEST has its own errors for, on all ranks; the kernel checks the rest. Collective."""
    error: Exception | None = None
    try:
        if len(kinds):
            _check_values(columns, kinds, values)
    except NESTErrors.KernelException as found:
        error = found
    if any_rank(error is not None):
        raise error or NESTErrors.BadProperty("values of connections were refused on another rank")


def _check_values(columns: Columns, kinds: Ints, values: Mapping[str, Floats]) -> None:
    for key, column in values.items():
        if key == "delay":
            check_delays(column)
            steps, sub_step = split_delays(kinds, column)
            check_delays((steps - (sub_step > 0.0)) * session().resolution)
        elif not np.isfinite(column if key == "weight" else column[having(key)[kinds]]).all():
            raise NESTErrors.BadProperty(f"{key} must be a finite number")
        elif key == "synapse_label" and (column[having(key)[kinds]] < 0).any():
            raise NESTErrors.BadProperty("Connection label must not be negative.")
    if {"Wmax", "weight"} & values.keys():
        _check_signs(columns, kinds, values)


def _check_signs(columns: Columns, kinds: Ints, values: Mapping[str, Floats]) -> None:
    """Raises BadProperty where weight and Wmax would have different signs."""
    some = np.flatnonzero(having("Wmax")[kinds])
    if not len(some):
        return
    present = wmax_of(session().wires.kinds)
    part = columns.kernel_part()
    assert part is not None
    weight = values["weight"][some] if "weight" in values else present_weights(part[some])
    most = values["Wmax"][some] if "Wmax" in values else present[kinds[some]]
    if (np.sign(weight) * np.sign(most) < 0).any():
        raise NESTErrors.BadProperty("Weight and Wmax must have same sign.")


def check_delays(delay: Floats) -> None:
    """Raises BadDelay for delays (ms) that existing connections cannot have."""
    s = session()
    steps = np.round(delay / s.resolution)
    wrong = ~np.isfinite(steps) | (steps < 1)
    if wrong.any():
        raise NESTErrors.BadDelay(f"Delay value {delay[wrong][0]} is invalid: Delay must be greater than or equal to resolution")
    projections.check_delays(delay)
    low, high = (round(d / s.resolution) for d in (min_delay(), max_delay()))
    wrong = (steps < low) | (steps > high)
    if s.simulated and wrong.any():
        raise NESTErrors.BadDelay(
            f"Delay value {delay[wrong][0]} is invalid: Minimum and maximum delay cannot be changed after Simulate has been called."
        )
