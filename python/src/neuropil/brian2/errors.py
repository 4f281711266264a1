# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N818  (as in neuropil.errors)
"""What of Brian2 neuropil cannot run."""

from __future__ import annotations

from typing import NoReturn

from ..errors import ModelError

__all__ = ["NotSupported", "refuse"]


class NotSupported(ModelError):
    """Something in a Brian2 script that neuropil cannot run: `object` is its name, `line` the line of equations or code, if it is in one."""

    def __init__(self, message: str, object: str = "", line: str = "") -> None:
        super().__init__(message)
        self.object, self.line = object, line


def refuse(name: str, problem: str, line: str = "") -> NoReturn:
    """Raises NotSupported for the object with this name."""
    raise NotSupported(f"{name}: {problem}" + (f"\n    {line.strip()}" if line else ""), name, line)
