# SPDX-License-Identifier: Apache-2.0
"""The ranks of a run, who agree on what failed before they go on: no rank raises alone and leaves the others waiting."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _core
from ..errors import RankError
from ..parallel.ranks import world

__all__ = ["Team"]

T = TypeVar("T")


class Team:
    """Ranks that work together. `comm`: a communicator, None for one rank alone; default: the ranks this program was launched with."""

    def __init__(self, comm: Any = ...) -> None:
        self.comm = world() if comm is ... else comm
        self.rank: int = 0 if self.comm is None else int(self.comm.rank)
        self.size: int = 1 if self.comm is None else int(self.comm.size)

    def gather(self, value: T) -> list[T]:
        """The values of all ranks, in the order of ranks, on every rank; collective. Any values that pickle knows: small ones."""
        if self.comm is None:
            return [value]
        return [pickle.loads(data) for data in _core.gather_bytes(self.comm, pickle.dumps(value))]

    def together(self, action: Callable[[], T]) -> T:
        """Does the action on every rank; when it fails on one, its error is raised on all. Collective; the action must not be."""
        if self.comm is None:
            return action()
        error: Exception | None = None
        value: Any = None
        try:
            value = action()
        except Exception as caught:
            error = caught
        failed = [other for other in self.gather(_portable(error)) if other is not None]
        if failed:
            failed[0].agreed = True  # type: ignore[attr-defined]  # all ranks raise it: one of them needs to tell
            raise failed[0] from None
        result: T = value
        return result

    def first(self, action: Callable[[], T]) -> T:
        """Does the action on rank 0; all ranks get its value, or its error. Collective."""
        return self.gather(self.together(lambda: action() if self.rank == 0 else None))[0]  # type: ignore[return-value]

    def wait(self) -> None:
        """Until all ranks have come here."""
        self.gather(None)


def _portable(error: Exception | None) -> Exception | None:
    """The error, or one with its words where pickle cannot carry it."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RankError(f"{type(error).__name__}: {error}")


def share(n: int, rank: int, size: int) -> range:
    """The part of 0 .. n that is this rank's: ranges as even as they can be, in the order of ranks."""
    return range(n * rank // size, n * (rank + 1) // size)
