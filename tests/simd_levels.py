# SPDX-License-Identifier: Apache-2.0
"""SIMD levels in tests that compare them."""

import pytest

from neuropil import _core

LEVELS = ("baseline", "v3", "v4")


def use(level: str) -> None:
    """Changes the level; skips the test where this machine lacks it, or this build (in CI that is a failure)."""
    if _core.set_simd(level):
        return
    have = _core.simd_levels()
    if level not in have["machine"]:
        pytest.skip(f"this machine lacks {level}")
    pytest.skip(f"this build lacks {level}: it has {', '.join(have['build'])}; build with NEUROPIL_ISA=machine")
