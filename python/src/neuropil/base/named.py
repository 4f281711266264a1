# SPDX-License-Identifier: Apache-2.0
"""Functions that name the nearest argument when they are given one that they do not have."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..errors import UnknownArgument, unknown_argument

__all__ = ["named_arguments"]

_FORMER = {"label": "name", "sources": "source", "targets": "target"}  # options of version 0.2, which go with version 0.4

P = ParamSpec("P")
R = TypeVar("R")


Hint = Callable[[str, object], str]
"""What to do about an argument that a function does not have, by its name and value; "" for most."""


def named_arguments(function: Callable[P, R], hint: Hint | None = None) -> Callable[P, R]:
    """Decorator: raises UnknownArgument instead of a plain TypeError, and takes former names. Costs nothing unless the call fails."""

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except TypeError as error:
            if type(error) is not TypeError:
                raise
            owner = type(args[0]).__name__ if args and _is_method(function, args[0]) else ""
            renamed = _renamed(function, options, _called(function, owner))
            if renamed is None:
                check(function, options, hint, owner)
                raise
        return function(*args, **renamed)  # type: ignore[arg-type]

    return call


def _called(function: Callable[..., object], owner: str) -> str:
    """The name of a function for users. owner : the class of the object whose method it is, which they know."""
    return (f"{owner}.{function.__name__}" if owner else function.__qualname__).removesuffix(".__init__")


def _renamed(function: Callable[..., object], options: dict[str, object], called: str) -> dict[str, object] | None:
    """The options by their present names, where some were given by former ones."""
    known = inspect.signature(function).parameters
    former = {old: new for old, new in _FORMER.items() if old in options and old not in known and new in known and new not in options}
    for old, new in former.items():
        warnings.warn(f"{called}({old}=) is now {new}=; the old name goes with version 0.4", DeprecationWarning, stacklevel=3)
    return {former.get(k, k): v for k, v in options.items()} if former else None


def _is_method(function: Callable[..., object], owner: object) -> bool:
    """Whether it is a method of the object; the class that defines it may be a base that users do not know."""
    return getattr(type(owner), function.__name__, None) is not None and "." in function.__qualname__


def check(function: Callable[..., object], options: dict[str, object], hint: Hint | None = None, owner: str = "") -> None:
    """Raises UnknownArgument for the first of the options that the function does not have. owner : the class of the object whose method it is."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return
    known = [name for name in parameters if name != "self"]
    for name in options:
        if name not in known:
            called = _called(function, owner)
            if hint is not None and (text := hint(name, options[name])):
                raise UnknownArgument(f"unknown argument '{name}' of {called}(): {text}", "argument", name, []) from None
            raise unknown_argument(f"{called}()", name, known) from None
