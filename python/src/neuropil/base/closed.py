# SPDX-License-Identifier: Apache-2.0
"""Objects that refuse attributes they do not have, so that a typo is an error and not a new attribute."""

from __future__ import annotations

import inspect
from typing import Any

from ..errors import ReadOnly, unknown_attribute


class Closed:
    """Base class: public attributes are properties; setting a read-only one raises ReadOnly, an unknown one UnknownAttribute."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        known = [known for known in dir(type(self)) if not known.startswith("_")]
        raise unknown_attribute(type(self).__name__, name, known, self._instead(name))

    def _instead(self, name: str) -> str:
        """What to write instead of an attribute that is not there; "" where nothing is known."""
        return ""

    def __setattr__(self, name: str, value: object) -> None:
        if name[:1] == "_":  # quicker than startswith: runs of a few steps feel it
            object.__setattr__(self, name, value)
            return
        found = getattr(type(self), name, None)
        if isinstance(found, property) and found.fset is not None:
            found.fset(self, value)
        elif found is not None:
            raise ReadOnly(f"{name} of {type(self).__name__} is read-only{_given_when_made(type(self), name)}")
        else:
            settable = [k for k in dir(type(self)) if isinstance(getattr(type(self), k, None), property)]
            raise unknown_attribute(type(self).__name__, name, settable)


def _given_when_made(kind: type, name: str) -> str:
    """What to do, for the text of an error: attributes that a constructor takes are given there."""
    takes = isinstance(getattr(kind, name), property) and name in inspect.signature(kind).parameters
    return f": give it to {kind.__name__}({name}=...)" if takes else ""
