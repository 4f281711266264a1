# SPDX-License-Identifier: Apache-2.0
"""The specification of a connection in space, taken apart."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...space.task import SpatialRule
from ..errors import NESTErrors, unaccessed
from ..parameters import Parameter
from ..specs import SPATIAL_KEYS, ConnRule, to_flag
from .masks import to_mask

_RULES = ("pairwise_bernoulli", "pairwise_poisson", "fixed_indegree", "fixed_outdegree")
_NUMBERS = {"fixed_indegree": "indegree", "fixed_outdegree": "outdegree", "pairwise_poisson": "pairwise_avg_num_conns"}
_KEYS = ("rule", "p", *_NUMBERS.values(), *SPATIAL_KEYS, "allow_autapses", "allow_multapses")


def spatial(rule: ConnRule) -> SpatialRule:
    """A rule of Connect in space. Raises as `parse`."""
    number = {} if rule.number is None else {rule.key: rule.number}
    return parse({"rule": rule.name, **number, "allow_autapses": rule.autapses, "allow_multapses": rule.multapses, **rule.spatial})


def parse(spec: Mapping[str, Any]) -> SpatialRule:
    """The rule that a user means. Raises ValueError for other rules and keys, BadProperty, TypeMismatch, IndexError."""
    name = spec["rule"]
    if name not in _RULES:
        raise ValueError(f"in space, with masks and Parameters of positions, the rules are {', '.join(_RULES)}, not {name}")
    if unknown := [str(key) for key in spec if key not in _KEYS and not (key == "make_symmetric" and spec[key] is False)]:
        raise ValueError(f"{', '.join(unknown)} cannot be in conn_spec when connecting in space")
    if "use_on_source" in spec and name != "pairwise_bernoulli":
        raise ValueError(f"use_on_source is for pairwise_bernoulli, not for {name}")
    if unread := sorted(({*_NUMBERS.values()} - {_NUMBERS.get(name)}) & {*spec}):
        raise unaccessed("conn_spec", "Connect:", unread)
    degree = _NUMBERS[name] if name.startswith("fixed") else None
    if degree is not None and degree not in spec:
        raise KeyError(degree)
    return SpatialRule(
        name,
        to_mask(spec.get("mask")),
        _kernel(spec, name),
        _degree(degree, spec[degree]) if degree else None,
        name in ("fixed_indegree", "pairwise_poisson") or to_flag(spec, "use_on_source", False),
        to_flag(spec, "allow_autapses", True),
        to_flag(spec, "allow_multapses", True),
        to_flag(spec, "allow_oversized_mask", False),
    )


def _kernel(spec: Mapping[str, Any], name: str) -> float | Parameter:
    key = "pairwise_avg_num_conns" if name == "pairwise_poisson" and "pairwise_avg_num_conns" in spec else "p"
    value = spec.get(key, 1.0)
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or np.isnan(float(value)):
        raise NESTErrors.BadProperty(f"{key} must be a number or a Parameter, not {value!r}")
    return float(value)


def _degree(key: str, value: Any) -> Any:
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise NESTErrors.TypeMismatch(f"Expected datatype: {key} is a whole number or a Parameter, not {value!r}")
    if int(value) < 0:
        raise NESTErrors.BadProperty(f"{key} cannot be less than zero.")
    return int(value)
