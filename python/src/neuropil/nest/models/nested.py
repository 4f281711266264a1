# SPDX-License-Identifier: Apache-2.0
"""Keys of NEST that hold dicts: the parameters of a compartment, which the kernel keeps as parameters of the neuron."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import NotSupported, unaccessed

if TYPE_CHECKING:
    from .node_models import NodeModel

_KEYS = ("C_m", "E_L", "E_ex", "E_in", "I_e", "g_L", "tau_syn_ex", "tau_syn_in")


def _compartment(name: str, letter: str) -> dict[str, str]:
    return {key: f"{name}_{key}" for key in _KEYS} | {"V_m": f"V_m.{letter}"}


_GROUPS: dict[str, dict[str, dict[str, str]]] = {
    "iaf_cond_alpha_mc": {
        "soma": _compartment("soma", "s"),
        "proximal": _compartment("proximal", "p"),
        "distal": _compartment("distal", "d"),
    }
}


def groups(base: str) -> dict[str, dict[str, str]]:
    """Keys of a model that hold dicts: the kernel's names by the keys in them."""
    return _GROUPS.get(base, {})


def members(base: str) -> frozenset[str]:
    """The kernel's names that are shown in dicts only."""
    return frozenset(name for group in groups(base).values() for name in group.values())


def expanded(model: NodeModel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values with dicts taken apart. Raises UnaccessedDictionaryEntry, NotSupported."""
    own = groups(model.base)
    if not own:
        return given
    found = {key: value for key, value in given.items() if key not in own}
    for key in own.keys() & given.keys():
        if not isinstance(given[key], Mapping):
            raise NotSupported(f"{key} of {model.name} that is not one dict")
        if unknown := [name for name in given[key] if name not in own[key]]:
            raise unaccessed("params", "NodeManager::set_status:", unknown)
        found |= {own[key][name]: value for name, value in given[key].items()}
    return found
