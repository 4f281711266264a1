# SPDX-License-Identifier: Apache-2.0
"""Models by name, each made when it is first asked for: a script uses few of the hundred that there are, and ResetKernel forgets them all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Generic, Protocol, Self, TypeVar


class _Copied(Protocol):
    def copy(self, name: str, model_id: int) -> Self: ...


M = TypeVar("M", bound=_Copied)


class ModelTable(Mapping[str, M], Generic[M]):
    """Models in the order of their numbers, then copies. `numbers`: those that come with the kernel, with their numbers."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = dict(numbers)
        self._models: dict[str, M] = {}

    @abstractmethod
    def _fresh(self, name: str, model_id: int) -> M:
        """A model with the kernel's defaults."""

    @abstractmethod
    def _unknown(self, name: str) -> Exception:
        """The error of a name that is not there."""

    def __getitem__(self, name: str) -> M:
        found = self._models.get(name)
        if found is None:
            if name not in self._numbers:
                raise self._unknown(name)
            found = self._models[name] = self._fresh(name, self._numbers[name])
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def _copy(self, existing: str, new: str, model_id: int) -> M:
        made = self[existing].copy(new, model_id)
        self._numbers[new] = model_id
        self._models[new] = made
        return made

    def drop(self, name: str) -> None:
        """Undoes `copy`."""
        del self._models[name], self._numbers[name]
