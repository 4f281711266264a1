# SPDX-License-Identifier: Apache-2.0
"""Differences on purpose: when a script shows one of these, it counts as explained. docs/howto/coming_from_nest.md has them, too."""

from __future__ import annotations

from typing import Any

from tests.nest.fuzz.verdicts import Verdict

Steps = list[dict[str, Any]]


def reason(steps: Steps, found: Verdict) -> str:
    """Why the difference is meant; empty if it is not."""
    return next((why for applies, why in PURPOSES if applies(steps, found)), "")


PURPOSES: list[Any] = []
