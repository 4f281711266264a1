# SPDX-License-Identifier: Apache-2.0
"""Arrays of values that belong to nodes or connections: assigning to elements sets them in the network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.quantities import has_unit
from ..errors import OutOfRange, ReadOnly, bad_length, bad_type
from ..space.expression import Term
from .distributions import Distribution

__all__ = ["Values"]

Setter = Callable[[NDArray[np.int64], Any], None]


class Values(np.ndarray):
    """A float64 array of shape (n,): the values at the time they were read.

    `x[key] = value` sets these elements in the network at once, and no others; results of slicing and arithmetic are plain arrays. What cannot be
    written through (an array that was sliced, `out=`) raises ReadOnly or ValueError: nothing is ever written to a copy only.
    """

    _set: Setter | None

    def __new__(cls, values: NDArray[Any], setter: Setter | None) -> Values:
        """`setter` takes positions, int64 of shape (k,), and what to set there: one value for all or k of them."""
        self = np.array(values).view(cls)
        self.flags.writeable = False
        self._set = setter
        return self

    def __array_finalize__(self, made_from: object) -> None:
        self._set = None

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._set is None:
            raise ReadOnly("these values cannot be set one by one; use `set` of the nodes or connections they were read from")
        try:
            positions = np.atleast_1d(np.arange(len(self), dtype=np.int64)[key])
        except IndexError as error:
            raise OutOfRange(f"index of {len(self)} values: {error}") from None
        kept = isinstance(value, Distribution | Term) or has_unit(value)  # for what sets them
        if kept:
            if len(np.unique(positions)) < len(positions):
                raise bad_type("index", key, "positions without repeats when the values are a distribution or have a unit")
            new: Any = value
        else:
            changed = np.array(self)
            try:
                changed[key] = value
            except (ValueError, TypeError):
                if np.ndim(value) and np.asarray(value).dtype.kind in "biuf":
                    raise bad_length("values", np.shape(value), len(positions)) from None
                raise bad_type("values", value, "a number, an array of numbers or a distribution") from None
            positions = np.unique(positions)
            new = changed[positions]
        if len(positions):
            self._set(positions, new)
        if not kept:
            plain = self.view(np.ndarray)
            plain.flags.writeable = True
            plain[positions] = new
            plain.flags.writeable = False

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if out is not None and any(isinstance(array, Values) for array in out):
            raise ReadOnly("these values cannot be changed in place by numpy: assign to them, e.g. x[:] = ...")
        plain = [np.asarray(value) if isinstance(value, Values) else value for value in inputs]
        if out is not None:
            options["out"] = out
        return getattr(ufunc, method)(*plain, **options)

    def _changed(self, result: NDArray[Any]) -> NDArray[Any]:
        """In-place arithmetic: the new values, which the statement `x.V_m += 1` assigns to the attribute."""
        if self._set is None:
            raise ReadOnly("these values cannot be changed in place: assign to them where they were read from")
        self[:] = result
        return self

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._changed(np.asarray(self) + other)

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._changed(np.asarray(self) - other)

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._changed(np.asarray(self) * other)

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._changed(np.asarray(self) / other)

    def copy(self, order: Any = "C") -> NDArray[Any]:  # type: ignore[override]
        """A plain array, which can be changed without effect on the network."""
        return np.array(self, order=order)

    def __reduce__(self) -> Any:
        return np.asarray(self).__reduce__()

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __str__(self) -> str:
        return str(np.asarray(self))
