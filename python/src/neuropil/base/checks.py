# SPDX-License-Identifier: Apache-2.0
"""Numbers from users: types and shapes. Whether a value is allowed is for the kernel to say."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import bad_length, bad_parameter, bad_type
from .quantities import plain

__all__ = ["to_bytes", "to_floats", "to_number", "to_time", "to_times", "to_vector", "to_whole"]


def to_whole(name: str, value: Any, bits: int = 63) -> int:
    """A whole number that fits; raises BadType, BadParameter."""
    try:
        number = operator.index(value)
    except TypeError:
        raise bad_type(name, value, "a whole number") from None
    if not -(2**bits) <= number < 2**bits:
        raise bad_parameter(name, number, f"a whole number below 2^{bits}")
    return number


def to_floats(name: str, value: ArrayLike, allowed: str = "a number, an array of numbers or a distribution") -> NDArray[np.float64]:
    """float64 copy of real numbers of any shape; raises BadType, also for values with units."""
    value = plain(name, value, "")
    try:
        array = np.asarray(value)
    except ValueError:
        raise bad_type(name, value, allowed) from None
    if array.dtype.kind not in "biuf" and array.size:
        raise bad_type(name, value, allowed)
    return np.array(array, np.float64, order="C")


def to_number(name: str, value: Any) -> float:
    """One float; raises BadType."""
    if type(value) is float:
        return value
    array = to_floats(name, value, "one number")
    if array.ndim:
        raise bad_type(name, value, "one number")
    return float(array)


def to_time(name: str, value: Any) -> float:
    """One time in ms, converted where it has a unit; raises BadType, BadParameter for another dimension."""
    return to_number(name, plain(name, value, "ms"))


def to_times(name: str, value: Any) -> NDArray[np.float64]:
    """Times in ms, float64 of shape (n,), converted where they have a unit; raises BadType, BadLength, BadParameter for another dimension."""
    if hasattr(value, "gids"):  # numpy would read the gids of nodes
        raise bad_type(name, value, "times in ms")
    return to_vector(name, plain(name, value, "ms"))


def to_vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """One-dimensional float64 copy of numbers, a single one has length 1; raises BadType, BadLength."""
    array = np.atleast_1d(to_floats(name, value))
    if array.ndim != 1:
        raise bad_length(name, "x".join(map(str, array.shape)), "one dimension")
    return array


def to_bytes(name: str, value: float | str | None) -> float:
    """Bytes from a number or a text such as "16GB", "128 GiB" (a million and more without unit); 0 for None. Raises BadParameter, BadType."""
    if value is None:
        return 0.0
    if not isinstance(value, str):
        size = to_number(name, value)
    else:
        units = {
            "": 1.0,
            "b": 1.0,
            "kb": 1e3,
            "mb": 1e6,
            "gb": 1e9,
            "tb": 1e12,
            "kib": 2.0**10,
            "mib": 2.0**20,
            "gib": 2.0**30,
            "tib": 2.0**40,
        }
        number = value.strip().rstrip("BbGgIiKkMmTt ")
        unit = value.strip()[len(number) :].strip().lower()
        try:
            size = float(number) * units[unit] if unit or float(number) >= 1e6 else 0.0  # "16" was meant to be GB, most likely
        except (ValueError, KeyError):
            size = 0.0
    if not 0.0 < size < float("inf"):
        raise bad_parameter(name, value, "a size such as 16GB or 128GiB")
    return size
