# SPDX-License-Identifier: Apache-2.0
"""Settings that the kernel is told: waveform relaxation, and intervals of e-prop, which are a parameter of each neuron there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import Nodes
from ..engine import Ranges
from .errors import NESTErrors, NotSupported, translating
from .kernel import Session
from .models.extras import IN_INTERVALS, WITH_INTERVALS


def set_intervals(s: Session, given: dict[str, Any]) -> None:
    """Sets intervals of e-prop for all neurons, those that are there and those to come. Raises KernelException, NotSupported."""
    before = {name: s.setting(name) for name in IN_INTERVALS}
    values = before | given
    if values == before:
        return
    interval, window = values["eprop_update_interval"], values["eprop_learning_window"]
    if not interval > 0.0:
        raise NESTErrors.KernelException("eprop_update_interval > 0 required.")
    if "eprop_learning_window" in given and not 0.0 < window <= interval:
        raise NESTErrors.KernelException("eprop_learning_window > 0 and <= eprop_update_interval required.")
    values["eprop_learning_window"] = min(window, interval)  # a longer one of before: learning all the time
    of_kernel = {IN_INTERVALS[name]: value for name, value in values.items()}
    rows = [row for row in s.registry.rows if row.model.root in WITH_INTERVALS]
    if rows and s.simulated:
        raise NotSupported(f"changing {', '.join(given)} after Simulate", "set it before")
    with translating():
        for row in rows:
            Nodes(s.network, Ranges.span(row.first, row.count)).set({key: float(value) for key, value in of_kernel.items()})
    for model in {id(m): m for m in [*(s.node_models[name] for name in WITH_INTERVALS), *s.node_models.made()]}.values():
        if model.root in WITH_INTERVALS:
            model.kernel.update(of_kernel)
    s.settings.update(given)


def _refuse(wrong: bool, why: str) -> None:
    if wrong:
        raise NESTErrors.KernelException(why)


def _check_used(s: Session, value: bool) -> None:
    _refuse(
        s.registry.size > 0,
        "Cannot enable/disable usage of waveform relaxation after nodes have been created. Please call ResetKernel first.",
    )
    if value and not s.setting("use_wfr"):
        s.settings["wfr_comm_interval"] = s.resolution


def _check_interval(s: Session, value: float) -> None:
    _refuse(
        s.wires.any,
        "Cannot change waveform communication interval after connections have been created. Please call ResetKernel first.",
    )
    _refuse(
        not s.setting("use_wfr"),
        "Cannot set waveform communication interval when usage of waveform relaxation is disabled. Set use_wfr to true first.",
    )
    _refuse(
        not value >= s.resolution,
        "Communication interval of the waveform relaxation must be greater or equal to the resolution of the simulation.",
    )


_TOO_FEW = "Maximal number of iterations  for the waveform relaxation must be positive. To disable waveform relaxation set use_wfr instead."
_CHECKS: dict[str, Callable[[Session, Any], None]] = {
    "use_wfr": _check_used,
    "wfr_comm_interval": _check_interval,
    "wfr_interpolation_order": lambda s, value: _refuse(value not in (0, 1, 3), "Interpolation order must be 0, 1, or 3."),
    "wfr_max_iterations": lambda s, value: _refuse(value < 1, _TOO_FEW),
    "wfr_tol": lambda s, value: _refuse(not value >= 0.0, "Tolerance must be zero or positive"),
}

OF_WAVEFORMS = tuple(_CHECKS)


def set_waveforms(s: Session, name: str, value: Any) -> None:
    """Sets one of the settings of waveform relaxation. Raises KernelException."""
    _CHECKS[name](s, value)
    s.settings[name] = value
    s.tell_waveforms()
