# SPDX-License-Identifier: Apache-2.0
"""Models by name, each made when it is first asked for: a script uses few of the hundred that there are, and ResetKernel forgets them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, Protocol, Self, TypeVar


class _Copied(Protocol):
    def copy(self, name: str, model_id: int) -> Self: ...


M = TypeVar("M", bound=_Copied)


class ModelTable(Mapping[str, M], Generic[M]):
    """Models in the order of their numbers, then copies.

    numbers : those that come with the kernel, with their numbers; make : a model as the kernel has it; unknown : the error of a name that is not
    there, which reading it raises; first_copy : number of a copy, less that of models
    """

    def __init__(
        self, numbers: Mapping[str, int], make: Callable[[str, int], M], unknown: Callable[[str, Iterable[str]], Exception], first_copy: int
    ) -> None:
        self._numbers, self._make, self._unknown, self._first_copy = dict(numbers), make, unknown, first_copy
        self._models: dict[str, M] = {}
        self._own = len(self._numbers)

    def __getitem__(self, name: str) -> M:
        found = self._models.get(name)
        if found is None:
            if name not in self._numbers:
                raise self._unknown(name, self)
            found = self._models[name] = self._make(name, self._numbers[name]).copy(name, self._numbers[name])
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def learn(self, numbers: Mapping[str, int]) -> None:
        """Adds models that came to the kernel since; what was changed of others stays."""
        self._numbers = {**numbers, **self._numbers}
        self._own = len(numbers)

    def made(self) -> list[M]:
        """Those that have been asked for, and copies."""
        return list(self._models.values())

    def copy(self, existing: str, new: str) -> M:
        """Adds a copy under a new name."""
        model_id = self._first_copy + len(self)
        made = self[existing].copy(new, model_id)
        self._numbers[new] = model_id
        self._models[new] = made
        return made

    @property
    def copies(self) -> int:
        """How many models were added."""
        return len(self) - self._own

    def drop(self, name: str) -> None:
        """Undoes `copy`."""
        del self._models[name], self._numbers[name]
