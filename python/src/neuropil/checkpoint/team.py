# SPDX-License-Identifier: Apache-2.0
"""The ranks of a network while they save or load together: no rank raises alone and leaves the others waiting."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _core, errors
from ..errors import BadCheckpoint, NeuropilError, RankError

__all__ = ["Team", "failure_of"]

T = TypeVar("T")


class Team:
    """All ranks of a communicator, None: this one alone. All methods are collective."""

    def __init__(self, comm: Any) -> None:
        self._comm = comm
        self.rank, self.size = (0, 1) if comm is None else (int(comm.rank), int(comm.size))

    def agree(self, failure: BaseException | None) -> None:
        """Raises what went wrong here; where it went wrong elsewhere, the same error as there, of a checkpoint rather than of ranks."""
        if self.size > 1 and _core.on_some_rank(self._comm, failure is not None):
            told = [json.loads(text) for text in _core.gather_bytes(self._comm, json.dumps(_told(failure)).encode())]
            first = min((each[0] != "BadCheckpoint", each[0] == "RankError", k) for k, each in enumerate(told) if each)[2]
            if first != self.rank and (failure is None or isinstance(failure, NeuropilError)):
                raise _raised(first, told[first])
        if failure is not None:
            raise failure

    def first(self, make: Callable[[], T]) -> T:
        """What rank 0 makes, a plain value; all raise where it fails."""
        found, failure = None, None
        if self.rank == 0:
            found, failure = attempt(make)
        self.agree(failure)
        if self.size > 1:
            every = _core.gather_bytes(self._comm, json.dumps(found).encode() if self.rank == 0 else b"")
            found = json.loads(every[0])
        return found  # type: ignore[return-value]

    def all(self, value: Any) -> list[Any]:
        """What every rank gives, a small plain value, in order of ranks."""
        if self.size == 1:
            return [value]
        return [json.loads(text) for text in _core.gather_bytes(self._comm, json.dumps(value).encode())]

    def some(self, here: bool) -> bool:
        """Whether it is so on some rank."""
        return here if self.size == 1 else bool(_core.on_some_rank(self._comm, here))


def attempt(action: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    """What an action gives, and what it raises."""
    try:
        return action(), None
    except BaseException as error:
        return None, error


def failure_of(action: Callable[[], object]) -> BaseException | None:
    """What an action raises: ranks agree on it before one raises."""
    return attempt(action)[1]


def _told(failure: BaseException | None) -> list[str]:
    if failure is None:
        return []
    return [type(failure).__name__, str(failure), getattr(failure, "file", ""), getattr(failure, "place", "")]


def _raised(rank: int, told: list[str]) -> Exception:
    name, text, file, place = told
    if name == "BadCheckpoint":
        return BadCheckpoint(text, file, place)
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, NeuropilError):
        return kind(text)
    return RankError(f"rank {rank}: {name}: {text}")
