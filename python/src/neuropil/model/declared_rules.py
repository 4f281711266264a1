# SPDX-License-Identifier: Apache-2.0
"""Constructors of the kernel's connection rules that have none of their own in rules.py, made of the parameters that the rules declare."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature
from typing import Any

from ..base.checks import to_number
from ..base.named import named_arguments
from ..errors import bad_parameter
from . import catalog, rules
from .catalog import Entry, Field
from .rules import Rule

__all__ = ["declared_rules"]


@cache
def declared_rules() -> dict[str, Callable[..., Rule]]:
    """The constructors by name: neuropil has each as an attribute."""
    return {name: constructor(entry) for name, entry in catalog.kernel_rules().items() if name not in rules.__all__}


def constructor(entry: Entry) -> Callable[..., Rule]:
    """A function with a rule's parameters as arguments: those with a default by keyword only, `allow_autapses` as `autapses`."""
    fields = {field.name.removeprefix("allow_"): field for field in entry.parameters.values() if field.bound != "edges"}
    signature = Signature([_argument(name, field) for name, field in fields.items()], return_annotation=Rule)

    def make(*args: Any, **options: Any) -> Rule:
        given = signature.bind(*args, **options).arguments
        return Rule(entry.name, {fields[name].name: _value(fields[name], name, value) for name, value in given.items()})

    make.__name__ = make.__qualname__ = entry.name
    make.__doc__ = _doc(entry, fields)
    make.__signature__ = signature  # type: ignore[attr-defined]
    return named_arguments(make)


def _argument(name: str, field: Field) -> Parameter:
    if field.default is None:
        return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=field.default)


def _doc(entry: Entry, fields: dict[str, Field]) -> str:
    lines = [f"{name} : {field.doc}{f' ({field.unit})' if field.unit else ''}" for name, field in fields.items()]
    arrays = f"Arrays of weights and delays: shape ({', '.join(entry.rows)})." if entry.rows else "No two-dimensional arrays."
    return "\n".join([entry.doc, "", *lines, "", arrays])


def _value(field: Field, name: str, value: Any) -> Any:
    """The value as the kernel takes it; bounds of numbers are for the kernel to check. Raises BadType, BadParameter."""
    if field.bound == "count":
        return rules.to_count(name, value)
    if field.bound == "flag":
        return rules.to_flag(name, value)
    if field.bound == "positions":
        return rules.to_positions(name, value)
    number = to_number(name, value)
    if field.bound == "probability" and not 0.0 <= number <= 1.0:
        raise bad_parameter(name, value, "from 0 to 1")
    return number
