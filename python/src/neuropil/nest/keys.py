# SPDX-License-Identifier: Apache-2.0
"""Keys that nobody knows: an error, or left out with a warning when `dict_miss_is_error` is False."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from typing import Any

from .errors import unaccessed
from .kernel import session


def known_only(given: Mapping[str, Any], known: Collection[str], what: str, function: str) -> dict[str, Any]:
    """The entries with known keys. Raises UnaccessedDictionaryEntry when there are others, unless the kernel attribute forbids it."""
    unknown = [key for key in given if key not in known]
    if not unknown:
        return dict(given)
    if session().settings.get("dict_miss_is_error", True):
        raise unaccessed(what, function, unknown)
    warnings.warn(f"Unaccessed elements in {what}: {' '.join(map(str, unknown))}", stacklevel=4)
    return {key: value for key, value in given.items() if key in known}
