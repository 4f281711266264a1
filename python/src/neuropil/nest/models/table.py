# SPDX-License-Identifier: Apache-2.0
"""Models by name, each made when it is first asked for: a script uses few of the hundred that there are, and ResetKernel forgets them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from typing import Generic, ParamSpec, Protocol, Self, TypeVar

from ...engine import catalog
from ..errors import KernelException, nearest


class _Copied(Protocol):
    entry: catalog.Entry

    def copy(self, name: str, model_id: int) -> Self: ...


M = TypeVar("M", bound=_Copied)
P = ParamSpec("P")
T = TypeVar("T")


def until_loaded(make: Callable[P, T]) -> Callable[P, T]:
    """Keeps what a function found about models until another model of one's own is loaded."""
    found = cache(lambda _, *args, **kwargs: make(*args, **kwargs))
    return wraps(make)(lambda *args, **kwargs: found(catalog.loads(), *args, **kwargs))


class ModelTable(Mapping[str, M], Generic[M]):
    """Models in the order of their numbers, then copies.

    find : those that the kernel has now, with their numbers; make : a model as the kernel has it; unknown, text : the error of a name that is not
    there, which reading it raises, and what it says; first_copy : number of a copy, less that of models
    """

    def __init__(
        self,
        find: Callable[[], Mapping[str, int]],
        make: Callable[[str, int], M],
        unknown: type[KernelException],
        text: str,
        first_copy: int,
    ) -> None:
        self._find, self._make, self._unknown, self._text, self._first_copy = find, make, unknown, text, first_copy
        self._models: dict[str, M] = {}
        self._numbers: dict[str, int] = {}
        self._learn()

    def __getitem__(self, name: str) -> M:
        if name not in self:
            raise self._unknown(f"{self._text.format(name)}{nearest(name, self)}")
        found = self._models.get(name)
        if found is None:
            found = self._models[name] = self._make(name, self._numbers[name]).copy(name, self._numbers[name])
        return found

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str):
            catalog.bring(name)
        return name in self._known()

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def _known(self) -> Mapping[str, int]:
        """Models with their numbers, those too that came to the kernel since."""
        if self._loads != catalog.loads():
            self._learn()
        return self._numbers

    def _learn(self) -> None:
        """Adds models that came to the kernel, in place of former ones of their names; what was changed of others stays."""
        numbers, self._loads = self._find(), catalog.loads()
        self._numbers = {**numbers, **self._numbers}
        self._models = {name: model for name, model in self._models.items() if name not in numbers or catalog.is_present(model.entry)}
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
