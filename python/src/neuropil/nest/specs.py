# SPDX-License-Identifier: Apache-2.0
"""What Connect is told, as NEST's users write it: rules, and specifications of synapses (a name, a dict, or several for the same pairs)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classes import Rule
from ..engine import Ranges
from .errors import NESTErrors, NotSupported, expect, is_a, nearest
from .kernel import known_only, session
from .models.optimizers import KEY
from .models.synapse_models import DOPAMINE_SYNAPSE, GAP, SUB_STEP_DELAY, SynapseModel, check_values
from .node_values import is_list, is_parameter, too_large

NEEDS = {  # rules with a number, and its name
    "fixed_indegree": "indegree",
    "fixed_outdegree": "outdegree",
    "fixed_total_number": "N",
    "pairwise_bernoulli": "p",
    "symmetric_pairwise_bernoulli": "p",
    "pairwise_poisson": "pairwise_avg_num_conns",
}
CONNECTION_RULES = tuple(sorted(("all_to_all", "one_to_one", *NEEDS)))
_COMMON = ("rule", "allow_autapses", "allow_multapses", "make_symmetric")
_SYMMETRIC = (
    'Connections with this synapse model can only be created as one-to-one connections with "make_symmetric" set to true or as all-to-all '
    "connections with equal source and target populations and default or scalar parameters."
)
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
        return NEEDS.get(self.name, "")

    @property
    def drawn(self) -> bool:
        """Whether the number is drawn, or depends on positions."""
        return is_parameter(self.number)

    def native(self) -> Rule:
        """The kernel's rule."""
        parameters: dict[str, Any] = {} if self.number is None else {self.key: float(self.number) if self.key == "p" else int(self.number)}
        if not self.autapses:
            parameters["allow_autapses"] = False
        if not self.multapses and self.name not in ("all_to_all", "one_to_one", "pairwise_bernoulli"):
            parameters["allow_multapses"] = False
        return Rule(self.name, parameters)


def to_rule(given: Any) -> ConnRule:
    """The rule that a user means: None, a name, or a dict. Raises BadProperty for unknown names and numbers that are not allowed."""
    if given is None:
        return ConnRule()
    spec = {"rule": given} if isinstance(given, str) else given
    if not isinstance(spec, Mapping):
        raise TypeError("needs a string or dictionary.")
    name = spec["rule"]
    if name not in CONNECTION_RULES:
        raise NESTErrors.BadProperty(f"Unknown connectivity rule: {name}{nearest(name, CONNECTION_RULES)}")
    need = NEEDS.get(name)
    in_space = any(key in spec for key in SPATIAL_KEYS) or ("p" in spec and need in ("indegree", "outdegree", None))
    if need is not None and need not in spec and not in_space:
        raise IndexError(f"map::at: rule {name} needs {need}")
    if in_space and "make_symmetric" in spec:
        raise ValueError("'make_symmetric' is not allowed in conn_spec when connecting with mask or kernel")
    if not in_space:
        spec = known_only(spec, (*_COMMON, need or "rule"), "conn_spec", "Connect:")
    rule = ConnRule(
        name,
        spec.get(need) if need else None,
        to_flag(spec, "allow_autapses", True),
        to_flag(spec, "allow_multapses", True),
        to_flag(spec, "make_symmetric", False),
        dict(spec) if in_space else {},
    )
    _check(rule)
    return rule


def to_flag(spec: Mapping[str, Any], key: str, default: bool) -> bool:
    """An option of a specification. Raises TypeMismatch."""
    value = spec.get(key, default)
    expect(isinstance(value, bool | np.bool_), f"{key} is True or False", value)
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
    expect(not rule.drawn or rule.key != "N", "N of fixed_total_number is a whole number")
    if rule.number is not None and not rule.drawn:
        _check_number(rule)


def _check_number(rule: ConnRule) -> None:
    value = rule.number
    whole = rule.name in ("fixed_indegree", "fixed_outdegree", "fixed_total_number")
    too_large(rule.key, value)
    expect(np.isscalar(value) and not isinstance(value, str | Mapping), f"{rule.key} of {rule.name} is a number or a Parameter")
    expect(
        not whole or not isinstance(value, float | np.floating) or float(value).is_integer(), f"{rule.key} of {rule.name} is a whole number"
    )
    if value < 0:
        raise NESTErrors.BadProperty(f"{rule.key} cannot be less than zero.")
    if rule.key == "p" and not rule.spatial and not (value < 1.0 if rule.name.startswith("symmetric") else value <= 1.0):
        raise NESTErrors.BadProperty("Connection probability 0 <= p <= 1 required.")


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
    def values(self) -> dict[str, Any]:
        """All its values by name."""
        return {"weight": self.weight, "delay": self.delay, "receptor": self.receptor, **self.parameters}

    @property
    def has_arrays(self) -> bool:
        """Whether a value is given by connection."""
        return any(isinstance(value, np.ndarray) for value in self.values.values())

    def changed(self, values: Mapping[str, Any]) -> SynSpec:
        """The specification with some values in place of its own."""
        parameters = {**self.values, **values}
        weight, delay, receptor = (parameters.pop(name) for name in ("weight", "delay", "receptor"))
        return SynSpec(self.model, weight, delay, receptor, parameters, self.label)

    def part(self, some: NDArray[Any]) -> SynSpec:
        """The specification for some of the connections, by position or mask: of arrays what belongs to them."""
        return self.changed({key: value[some] for key, value in self.values.items() if isinstance(value, np.ndarray)})


def to_specs(given: Any, rule: ConnRule, n_pre: int, n_post: int) -> list[SynSpec]:
    """What a user means, one SynSpec each. Raises UnknownSynapseType, UnaccessedDictionaryEntry, ValueError and TypeError for arrays."""
    if isinstance(given, CollocatedSynapses):
        return [_to_spec(spec, rule, n_pre, n_post) for spec in given.syn_specs]
    return [_to_spec(given, rule, n_pre, n_post)]


def _to_spec(given: Any, rule: ConnRule, n_pre: int, n_post: int) -> SynSpec:
    if given is None:
        given = {}
    spec = {"synapse_model": given} if isinstance(given, str) else given
    if not isinstance(spec, Mapping):
        raise TypeError("syn_spec must be a string or a dictionary")
    model = session().synapse_models[spec.get("synapse_model", "static_synapse")]
    if {"pre_synaptic_element", "post_synaptic_element"} & spec.keys():
        raise NotSupported("Connect with synaptic elements", "let synapses grow: structural_plasticity_synapses")
    if "weight_recorder" in spec:
        raise NESTErrors.NotImplemented('Synapse parameter "weight_recorder" can only be set via SetDefaults() or CopyModel().')
    if KEY in spec and model.optimizes:
        raise NESTErrors.NotImplemented(f'Synapse parameter "{KEY}" can only be set via SetDefaults() or CopyModel().')
    known = ("synapse_model", "synapse_label", "weight", "delay", "receptor_type", *model.own_parameters, *model.extras)
    spec = known_only(spec, known, "syn_spec", "Connect:")
    values = {key: _value(key, value, rule, n_pre, n_post) for key, value in spec.items() if key not in ("synapse_model", "synapse_label")}
    values = _checked_extras(model, values)
    common = [key for key in values if key in model.homogeneous]
    if common:
        raise NESTErrors.NotImplemented(f'Synapse parameter "{common[0]}" can only be set via SetDefaults() or CopyModel().')
    check_values(model, values)
    if model.base == DOPAMINE_SYNAPSE and session().simulated and any(np.any(values.get(key, model.default(key))) for key in "cn"):
        raise NotSupported(f"c and n of {model.name} other than 0.0 after Simulate", "connect before")
    parts = {"delay": session().resolution} if not model.entry.delayed else {}
    parts |= _continuous(model.delay) if SUB_STEP_DELAY in model.entry.parameters and "delay" not in values else {}
    weight, delay = values.pop("weight", model.weight), parts.pop("delay", values.pop("delay", model.delay))
    receptor = _receptor(values.pop("receptor_type", model.receptor_type), spec.get("receptor_type"))
    if "synapse_label" in spec and not model.labelled:
        raise NESTErrors.BadProperty("Synapse label needs a synapse model whose name ends in _lbl")
    return SynSpec(model, weight, delay, receptor, values | parts, int(spec.get("synapse_label", model.label)))


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


def _receptor(value: Any, given: Any) -> Any:
    """A receptor type, several, or a Parameter."""
    if is_parameter(value):
        return value
    several = isinstance(value, np.ndarray)
    if np.asarray(given).dtype.kind not in "iu" if several else not is_a(int, value):
        raise RuntimeError("The dictionary value with key receptor_type does not hold a numeric integer type.")
    if several and not (len(value) and (value == value[0]).all()):
        return value
    return int(value[0] if several else value)


def _value(key: str, value: Any, rule: ConnRule, n_pre: int, n_post: int) -> Any:
    """One number, a flat array in the order of the rule, or a Parameter."""
    if is_parameter(value):
        return value
    if is_list(value):
        return _array(key, np.asarray(value), rule, n_pre, n_post)
    too_large(key, value)
    flag = key in ("weight", "delay") and isinstance(value, bool)
    if flag or isinstance(value, Mapping | str) or not np.isscalar(value):
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
    if ndim == 2 and not rule.drawn and (wanted := rule.native().edge_shape(n_pre, n_post)):
        return wanted
    raise TypeError(
        f"'{key}' has the wrong type. Two-dimensional parameter arrays can only be used with rules all_to_all, fixed_indegree and fixed_outdegree."
    )


def check_symmetric(pre: Ranges, post: Ranges, rule: ConnRule, specs: list[SynSpec]) -> None:
    """Raises BadProperty for gap junctions that would be there in one direction only."""
    if rule.symmetric or all(spec.model.base != GAP for spec in specs):
        return
    alike = rule.name == "all_to_all" and not rule.spatial and pre == post
    for spec in specs:
        varied = any(hasattr(v, "evaluate") or isinstance(v, np.ndarray) for v in (spec.weight, spec.receptor))
        if spec.model.base == GAP and (not alike or varied):
            raise NESTErrors.BadProperty(_SYMMETRIC)
