# SPDX-License-Identifier: Apache-2.0
"""Connections that carry values beside spikes: gap junctions, rates, mean rates, slow inward currents; and waveform relaxation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import NESTErrors
from .models.synapse_models import DIFFUSION, SynapseModel

if TYPE_CHECKING:
    from .. import Network
    from .kernel import Session
    from .node_collection import NodeCollection
    from .specs import ConnRule, SynSpec

GAP = "gap_junction"
_NO_DELAY = {GAP: "gap_junction connection has no delay", DIFFUSION: "diffusion_connection has no delay."}
_FACTORS = "Please use the parameters drift_factor and diffusion_factor to specifiy the weights."
_SYMMETRIC = (
    'Connections with this synapse model can only be created as one-to-one connections with "make_symmetric" set to true or as all-to-all '
    "connections with equal source and target populations and default or scalar parameters."
)


def check_values(model: SynapseModel, given: Any) -> None:
    """Raises BadProperty where a delay, or a weight, is given that such connections do not have."""
    if "delay" in given and not model.entry.delayed:
        raise NESTErrors.BadProperty(_NO_DELAY.get(model.base, f"{model.base} has no delay. Please use rate_connection_delayed."))
    if "weight" in given and model.base == DIFFUSION:
        raise NESTErrors.BadProperty(_FACTORS)


def check_symmetric(pre: NodeCollection, post: NodeCollection, rule: ConnRule, specs: list[SynSpec]) -> None:
    """Raises BadProperty for gap junctions that would be there in one direction only."""
    if rule.symmetric or all(spec.model.base != GAP for spec in specs):
        return
    alike = rule.name == "all_to_all" and not rule.spatial and len(pre) == len(post) and bool((pre._gids == post._gids).all())
    for spec in specs:
        varied = any(hasattr(v, "evaluate") or isinstance(v, np.ndarray) for v in (spec.weight, spec.receptor))
        if spec.model.base == GAP and (not alike or varied):
            raise NESTErrors.BadProperty(_SYMMETRIC)


# --- waveform relaxation

_INTERVAL = 1.0  # ms, of a network that was not told
_SETTINGS = frozenset({"use_wfr", "wfr_comm_interval", "wfr_interpolation_order", "wfr_max_iterations", "wfr_tol"})


def used(s: Session) -> bool:
    """Whether it is used."""
    return bool(s.settings.get("use_wfr", True))


def interval(s: Session) -> float:
    """wfr_comm_interval (ms), which follows the resolution where waveform relaxation is not used."""
    return max(s.settings.get("wfr_comm_interval", _INTERVAL), s.resolution) if used(s) else s.resolution


def interval_counts(s: Session) -> bool:
    """Whether there are connections without delay, so that the interval bounds min_delay."""
    return any(not s.synapse_models[kind.model].entry.delayed for kind in s.wires.kinds)


def tell(s: Session, network: Network) -> None:
    """Tells the network the settings, where they are not those it begins with."""
    if s.resolution <= _INTERVAL and _SETTINGS.isdisjoint(s.settings):
        return
    get = s.settings.get
    network.relax_waveforms(
        used(s),
        tolerance=get("wfr_tol", 1e-4),
        interval=interval(s),
        most_iterations=get("wfr_max_iterations", 15),
        order=get("wfr_interpolation_order", 3),
    )


def _put(s: Session, name: str, value: Any) -> None:
    s.settings[name] = value
    if s.has_network:
        tell(s, s.network)


def set_used(s: Session, value: bool) -> None:
    """Sets use_wfr. Raises KernelException once there are nodes."""
    if s.registry.size:
        raise NESTErrors.KernelException(
            "Cannot enable/disable usage of waveform relaxation after nodes have been created. Please call ResetKernel first."
        )
    if value and not used(s):
        s.settings["wfr_comm_interval"] = s.resolution
    _put(s, "use_wfr", value)


def set_interval(s: Session, value: float) -> None:
    """Sets wfr_comm_interval (ms). Raises KernelException."""
    if s.wires.any:
        raise NESTErrors.KernelException(
            "Cannot change waveform communication interval after connections have been created. Please call ResetKernel first."
        )
    if not used(s):
        raise NESTErrors.KernelException(
            "Cannot set waveform communication interval when usage of waveform relaxation is disabled. Set use_wfr to true first."
        )
    if not value >= s.resolution:
        raise NESTErrors.KernelException(
            "Communication interval of the waveform relaxation must be greater or equal to the resolution of the simulation."
        )
    _put(s, "wfr_comm_interval", value)


def _setter(name: str, allowed: Callable[[Any], bool], why: str) -> Callable[[Session, Any], None]:
    """What sets a setting. It raises KernelException for values that are not allowed."""

    def put(s: Session, value: Any) -> None:
        if not allowed(value):
            raise NESTErrors.KernelException(why)
        _put(s, name, value)

    return put


_TOO_FEW = "Maximal number of iterations  for the waveform relaxation must be positive. To disable waveform relaxation set use_wfr instead."
set_tolerance = _setter("wfr_tol", lambda value: value >= 0.0, "Tolerance must be zero or positive")
set_iterations = _setter("wfr_max_iterations", lambda value: value >= 1, _TOO_FEW)
set_order = _setter("wfr_interpolation_order", lambda value: value in (0, 1, 3), "Interpolation order must be 0, 1, or 3.")
