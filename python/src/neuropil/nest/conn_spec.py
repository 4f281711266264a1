# SPDX-License-Identifier: Apache-2.0
"""Connection rules as NEST's users write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import NESTErrors
from .keys import known_only
from .models.nest_names import CONNECTION_RULES
from .node_values import is_parameter

_NEEDS = {
    "fixed_indegree": "indegree",
    "fixed_outdegree": "outdegree",
    "fixed_total_number": "N",
    "pairwise_bernoulli": "p",
    "symmetric_pairwise_bernoulli": "p",
    "pairwise_poisson": "pairwise_avg_num_conns",
}
_COMMON = ("rule", "allow_autapses", "allow_multapses", "make_symmetric")
SPATIAL_KEYS = ("mask", "use_on_source", "allow_oversized_mask")


@dataclass(frozen=True, slots=True)
class ConnRule:
    """A rule by name. `number`: its degree, number, probability or mean, a number or a Parameter; None where it has none."""

    name: str = "all_to_all"
    number: Any = None
    autapses: bool = True
    multapses: bool = True
    symmetric: bool = False
    spatial: Mapping[str, Any] = field(default_factory=dict)  # the whole specification, where it is a spatial one

    @property
    def key(self) -> str:
        """Name of `number`."""
        return _NEEDS.get(self.name, "")

    @property
    def drawn(self) -> bool:
        """Whether the number is drawn, or depends on positions."""
        return is_parameter(self.number)


def parse(given: Any) -> ConnRule:
    """The rule that a user means: None, a name, or a dict. Raises BadProperty for unknown names and numbers that are not allowed."""
    if given is None:
        return ConnRule()
    spec = {"rule": given} if isinstance(given, str) else given
    if not isinstance(spec, Mapping):
        raise TypeError("needs a string or dictionary.")
    name = spec["rule"]
    if name not in CONNECTION_RULES:
        raise NESTErrors.BadProperty(f"Unknown connectivity rule: {name}")
    need = _NEEDS.get(name)
    in_space = any(key in spec for key in SPATIAL_KEYS) or ("p" in spec and need in ("indegree", "outdegree"))
    if need is not None and need not in spec and not in_space:
        raise IndexError(f"map::at: rule {name} needs {need}")
    if in_space and "make_symmetric" in spec:
        raise ValueError("'make_symmetric' is not allowed in conn_spec when connecting with mask or kernel")
    if not in_space:
        spec = known_only(spec, (*_COMMON, need or "rule"), "conn_spec", "Connect:")
    rule = ConnRule(
        name,
        spec.get(need) if need else None,
        _flag(spec, "allow_autapses", True),
        _flag(spec, "allow_multapses", True),
        _flag(spec, "make_symmetric", False),
        dict(spec) if in_space else {},
    )
    _check(rule)
    return rule


def _flag(spec: Mapping[str, Any], key: str, default: bool) -> bool:
    value = spec.get(key, default)
    if not isinstance(value, bool | np.bool_):
        raise NESTErrors.TypeMismatch(f"Expected datatype: {key} is True or False")
    return bool(value)


def _check(rule: ConnRule) -> None:
    if rule.symmetric and rule.name not in ("one_to_one", "symmetric_pairwise_bernoulli"):
        raise NESTErrors.NotImplemented(f"This connection rule does not support symmetric connections: {rule.name}")
    if rule.name == "pairwise_poisson" and not rule.multapses:
        raise NESTErrors.BadProperty("pairwise_poisson makes multapses: allow_multapses must be True")
    if rule.name == "fixed_total_number" and not rule.multapses:
        raise NESTErrors.NotImplemented("Connect doesn't support the suppression of multapses in the FixedTotalNumber connector.")
    if rule.name == "symmetric_pairwise_bernoulli" and (rule.autapses or not rule.multapses or not rule.symmetric):
        raise NESTErrors.BadProperty("symmetric_pairwise_bernoulli needs allow_autapses False, allow_multapses True, make_symmetric True")
    if rule.drawn and rule.key == "N":
        raise NESTErrors.TypeMismatch("Expected datatype: N of fixed_total_number is a whole number")
    if rule.number is not None and not rule.drawn:
        _check_number(rule)


def _check_number(rule: ConnRule) -> None:
    value = rule.number
    whole = rule.name in ("fixed_indegree", "fixed_outdegree", "fixed_total_number")
    if isinstance(value, str | Mapping) or not np.isscalar(value):
        raise NESTErrors.TypeMismatch(f"Expected datatype: {rule.key} of {rule.name} is a number or a Parameter")
    if whole and (isinstance(value, float | np.floating) and not float(value).is_integer()):
        raise NESTErrors.TypeMismatch(f"Expected datatype: {rule.key} of {rule.name} is a whole number")
    if value < 0:  # type: ignore[operator]
        raise NESTErrors.BadProperty(f"{rule.key} cannot be less than zero.")
    if rule.key == "p" and not rule.spatial and not (value < 1.0 if rule.name.startswith("symmetric") else value <= 1.0):  # type: ignore[operator]
        raise NESTErrors.BadProperty("Connection probability 0 <= p <= 1 required.")
