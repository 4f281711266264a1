# SPDX-License-Identifier: Apache-2.0
"""Which messages are shown."""

from __future__ import annotations

import enum
import sys
from typing import Any


class VerbosityLevel(enum.IntEnum):
    """Levels of messages, from the most to the least talkative."""

    ALL = 0
    DEBUG = 5
    STATUS = 7
    INFO = 10
    PROGRESS = 15
    DEPRECATED = 18
    WARNING = 20
    ERROR = 30
    FATAL = 40
    QUIET = 100


_level = VerbosityLevel.INFO


def get_verbosity() -> VerbosityLevel:
    """The verbosity, which ResetKernel leaves as it is. Deprecated in NEST."""
    return _level


def set_verbosity(level: Any) -> None:
    """Sets the verbosity: a VerbosityLevel, a number, or a name such as "M_WARNING". Deprecated in NEST."""
    global _level
    _level = VerbosityLevel[level.removeprefix("M_")] if isinstance(level, str) else VerbosityLevel(level)


def message(
    message: str,
    severity: VerbosityLevel = VerbosityLevel.INFO,
    *,
    function: str | None = None,
    filename: str | None = None,
    lineno: int | None = None,
) -> None:
    """Shows a message on standard error if its level is not below the verbosity."""
    if severity < _level:
        return
    where = " ".join(str(part) for part in (filename, lineno, function) if part is not None)
    print(f"{where + ' ' if where else ''}[{VerbosityLevel(severity).name}]: {message}", file=sys.stderr)
