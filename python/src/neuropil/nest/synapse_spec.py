# SPDX-License-Identifier: Apache-2.0
"""Synapse specifications as NEST's users write them: a name, a dict, or several for the same pairs (CollocatedSynapses)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .conn_spec import ConnRule
from .errors import NESTErrors, NotSupported
from .kernel import session
from .keys import known_only
from .models.synapse_models import SUB_STEP_DELAY, SynapseModel
from .node_values import is_list, is_parameter


class CollocatedSynapses:
    """Several synapse specifications: Connect makes one connection of each for every pair of nodes."""

    def __init__(self, *args: Any) -> None:
        self.syn_specs = args

    def __len__(self) -> int:
        return len(self.syn_specs)


@dataclass(frozen=True, slots=True)
class SynSpec:
    """One synapse model with its values. weight, delay, receptor and parameters: numbers, arrays in the order of the rule, or Parameters."""

    model: SynapseModel
    weight: Any
    delay: Any
    receptor: Any
    parameters: dict[str, Any] = field(default_factory=dict)
    label: int = -1

    @property
    def on_positions(self) -> bool:
        """Whether a value depends on positions of nodes."""
        return any(is_parameter(v) and v.is_spatial() for v in (self.weight, self.delay, *self.parameters.values()))


def parse(given: Any, rule: ConnRule, n_pre: int, n_post: int) -> list[SynSpec]:
    """What a user means, one SynSpec each. Raises UnknownSynapseType, UnaccessedDictionaryEntry, ValueError and TypeError for arrays."""
    if isinstance(given, CollocatedSynapses):
        return [_parse(spec, rule, n_pre, n_post) for spec in given.syn_specs]
    return [_parse(given, rule, n_pre, n_post)]


def _parse(given: Any, rule: ConnRule, n_pre: int, n_post: int) -> SynSpec:
    if given is None:
        given = {}
    spec = {"synapse_model": given} if isinstance(given, str) else given
    if not isinstance(spec, Mapping):
        raise TypeError("syn_spec must be a string or a dictionary")
    model = session().synapse_models[spec.get("synapse_model", "static_synapse")]
    if "weight_recorder" in spec:
        raise NESTErrors.NotImplemented('Synapse parameter "weight_recorder" can only be set via SetDefaults() or CopyModel().')
    values = {key: _value(key, value, rule, n_pre, n_post) for key, value in spec.items() if key not in ("synapse_model", "synapse_label")}
    values = _checked_extras(model, values)
    values = known_only(values, ("weight", "delay", "receptor_type", *model.own_parameters), "syn_spec", "Connect:")
    common = [key for key in values if key in model.homogeneous]
    if common:
        raise NESTErrors.NotImplemented(f'Synapse parameter "{common[0]}" can only be set via SetDefaults() or CopyModel().')
    parts = _continuous(model.delay) if SUB_STEP_DELAY in model.entry.parameters and "delay" not in values else {}
    weight, delay = values.pop("weight", model.weight), parts.pop("delay", values.pop("delay", model.delay))
    receptor = _receptor(values.pop("receptor_type", model.receptor_type), spec.get("receptor_type"))
    return SynSpec(model, weight, delay, receptor, values | parts, _label(spec, model))


def _continuous(delay: float) -> dict[str, float]:
    """A delay between grid points as the kernel has it: whole steps, less a part of one. NEST rounds what Connect is given, but not defaults."""
    h = session().resolution
    whole = math.ceil(delay / h - 1e-9) * h
    return {"delay": whole, SUB_STEP_DELAY: whole - delay if whole - delay > 1e-9 * h else 0.0}


def _checked_extras(model: SynapseModel, values: dict[str, Any]) -> dict[str, Any]:
    """The values without those that only NEST has. Raises NotSupported where they are not their defaults, BadProperty below 0."""
    for key in model.extras:
        value = values.get(key, model.extras[key])
        if not isinstance(value, int | float) or value != model.extras[key]:
            if isinstance(value, int | float) and value < 0:
                raise NESTErrors.BadProperty(f"{key} must be non-negative.")
            raise NotSupported(f"{key} of {model.name} other than {model.extras[key]}")
    return {key: value for key, value in values.items() if key not in model.extras}


def _label(spec: Mapping[str, Any], model: SynapseModel) -> int:
    if "synapse_label" not in spec:
        return -1
    if not model.labelled:
        raise NESTErrors.BadProperty("Synapse label needs a synapse model whose name ends in _lbl")
    return int(spec["synapse_label"])


def _receptor(value: Any, given: Any) -> Any:
    """A receptor type, several, or a Parameter."""
    if is_parameter(value):
        return value
    if isinstance(value, np.ndarray):
        if np.asarray(given).dtype.kind not in "iu":
            raise RuntimeError("The dictionary value with key receptor_type does not hold a numeric integer type.")
        return int(value[0]) if len(value) and (value == value[0]).all() else value
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise RuntimeError("The dictionary value with key receptor_type does not hold a numeric integer type.")
    return int(value)


def _value(key: str, value: Any, rule: ConnRule, n_pre: int, n_post: int) -> Any:
    """One number, a flat array in the order of the rule, or a Parameter."""
    if is_parameter(value):
        return value
    if is_list(value):
        return _array(key, np.asarray(value), rule, n_pre, n_post)
    if isinstance(value, Mapping | str) or value is None or not np.isscalar(value):
        raise NESTErrors.BadProperty(f"Cannot handle parameter type: {key} = {value!r}")
    return value


def _array(key: str, array: np.ndarray[Any, Any], rule: ConnRule, n_pre: int, n_post: int) -> np.ndarray[Any, Any]:
    if array.dtype.kind not in "biuf":
        raise NESTErrors.BadProperty(f"Cannot handle parameter type: {key} is an array of {array.dtype}")
    wanted = _shape(key, array.ndim, rule, n_pre, n_post)
    if array.shape != wanted:
        text = "x".join(map(str, wanted))
        order = {
            "all_to_all": " (n_target x n_sources)",
            "fixed_indegree": " (n_target x indegree)",
            "fixed_outdegree": " (n_sources x outdegree)",
        }
        raise ValueError(f"'{key}' has to be an array of dimension {text}{order.get(rule.name, '')}, a scalar or a dictionary.")
    return array.astype(np.float64).ravel()


def _shape(key: str, ndim: int, rule: ConnRule, n_pre: int, n_post: int) -> Sequence[int]:
    """Shape that an array must have with a rule. Raises TypeError where it can have none."""
    if ndim == 1:
        if rule.name == "one_to_one":
            return (n_pre,)
        if rule.name == "fixed_total_number" and not rule.drawn:
            return (int(rule.number),)
        raise TypeError(
            f"'{key}' has the wrong type. One-dimensional parameter arrays can only be used in conjunction with rule 'one_to_one' or 'fixed_total_number'."
        )
    if ndim == 2 and rule.name == "all_to_all":
        return (n_post, n_pre)
    if ndim == 2 and rule.name in ("fixed_indegree", "fixed_outdegree") and not rule.drawn:
        return (n_post if rule.name == "fixed_indegree" else n_pre, int(rule.number))
    raise TypeError(
        f"'{key}' has the wrong type. Two-dimensional parameter arrays can only be used with rules all_to_all, fixed_indegree and fixed_outdegree."
    )
