# SPDX-License-Identifier: Apache-2.0
"""Constructors of models by name: `neuropil.device("ac_generator", amplitude=50.0)` or `neuropil.device.ac_generator(amplitude=50.0)`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from ..base.checks import to_floats
from ..errors import bad_parameter, unknown_attribute, unknown_name
from .catalog import Catalogue, Entry, Field, without_units

__all__ = ["Constructors"]

T = TypeVar("T")
_BOUNDS = {"positive": "above 0", "non_negative": "at least 0"}


class Constructors(Generic[T]):
    """Makes values of any model of a catalogue: called with a name, or by an attribute of that name."""

    def __init__(self, kind: str, catalogue: Callable[[], Catalogue], make: Callable[[str, dict[str, Any]], T]) -> None:
        """`make` takes the name of the model and its parameters, which are checked by then."""
        self._kind, self._catalogue, self._make = kind, catalogue, make

    def __call__(self, name: str, /, **parameters: Any) -> T:
        """The model called `name` with parameters that differ from the defaults; None: the default.

        A name that ends in an underscore stands for the one without (lambda_). Raises UnknownName, BadParameter, BadType.
        """
        known = self._catalogue()
        if name not in known:
            raise unknown_name(self._kind, name, known)
        found = {key.removesuffix("_"): value for key, value in parameters.items() if value is not None}
        found = without_units([known[name]], found)
        check(known[name], found)
        return self._make(name, found)

    def __getattr__(self, name: str) -> Callable[..., T]:
        if name.startswith("_") or name not in self._catalogue():
            raise unknown_attribute(f"neuropil.{self._kind}", name, () if name.startswith("_") else self._catalogue())
        made = functools.partial(self, name)
        made.__doc__ = repr(self._catalogue()[name])
        return made

    def __dir__(self) -> list[str]:
        return [*self._catalogue()]

    def __repr__(self) -> str:
        return f"neuropil.{self._kind}(name, ...), or neuropil.{self._kind}.NAME(...), of\n{self._catalogue()!r}"


def check(entry: Entry, parameters: Mapping[str, Any]) -> None:
    """Raises UnknownName for what the model does not have, and BadParameter for numbers out of bounds; relations are for the kernel to check."""
    for name, value in parameters.items():
        if name not in entry.parameters and name not in entry.vectors:
            raise unknown_name(f"parameter of {entry.name}", name, entry.names)
        if isinstance(value, int | float) and name in entry.parameters:
            check_bound(entry.parameters[name], float(to_floats(name, value)))


def check_bound(field: Field, value: float) -> None:
    """Raises BadParameter for a number below the bound of a parameter."""
    if (field.bound == "positive" and not value > 0.0) or (field.bound == "non_negative" and not value >= 0.0):
        raise bad_parameter(field.name, value, _BOUNDS[field.bound])
