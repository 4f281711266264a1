# SPDX-License-Identifier: Apache-2.0
"""nest.ll_api: what scripts use of the low-level interface."""

from __future__ import annotations

from typing import Any

__all__ = ["set_communicator"]


def set_communicator(comm: Any) -> None:
    """Does nothing, as in NEST 3.10: the ranks are those that the program was launched with."""
