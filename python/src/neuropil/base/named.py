# SPDX-License-Identifier: Apache-2.0
"""Functions that name the nearest argument when they are given one that they do not have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..errors import unknown_argument

__all__ = ["named_arguments"]

P = ParamSpec("P")
R = TypeVar("R")


def named_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: raises UnknownArgument instead of a plain TypeError. Costs nothing unless the call fails."""

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except TypeError as error:
            if type(error) is TypeError:
                check(function, options)
            raise

    return call


def check(function: Callable[..., object], options: dict[str, object]) -> None:
    """Raises UnknownArgument for the first of the options that the function does not have."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return
    known = [name for name in parameters if name != "self"]
    for name in options:
        if name not in known:
            owner = function.__qualname__.removesuffix(".__init__")
            raise unknown_argument(f"{owner}()", name, known) from None
