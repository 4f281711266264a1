# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N818  (as in neuropil.errors)
"""What of PyNN's interface neuropil cannot do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, NoReturn

from ..errors import NeuropilError

__all__ = ["NotSupported", "Unavailable", "refuse", "refuse_unknown"]


class NotSupported(NeuropilError, NotImplementedError):
    """Something in a script of PyNN that neuropil cannot do; `what` is its name."""

    def __init__(self, message: str, what: str = "") -> None:
        super().__init__(message)
        self.what = what


def refuse(what: str, problem: str) -> NoReturn:
    """Raises NotSupported."""
    raise NotSupported(f"{what}: {problem}", what)


def refuse_unknown(kind: str, name: str, known: Iterable[str]) -> NoReturn:
    """Raises NotSupported for a name that nobody knows, with those that look like it."""
    allowed = sorted(known)
    near = get_close_matches(name, allowed, 3)
    refuse(name, f"no such {kind}; " + (f"did you mean {', '.join(near)}?" if near else f"known: {', '.join(allowed)}"))


class Unavailable:
    """A standard model that the kernel does not have: making one raises NotSupported."""

    def __init__(self, *args: Any, **given: Any) -> None:
        refuse(type(self).__name__, "the kernel has no such model")
