# SPDX-License-Identifier: Apache-2.0
"""Weights and delays of the connections of devices, which no table holds: the kernel keeps them with the device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_length, bad_parameter
from ..space.expression import Term
from .distributions import Value, to_spec

__all__ = ["Drives"]

Floats = NDArray[np.float64]


class Drives:
    """Connections of the devices of one projection, by source, target and call of the kernel; from `Projection`. Collective."""

    __slots__ = ("_columns", "_network")

    def __init__(self, network: Any, number: int) -> None:
        self._network = network
        self._columns: dict[str, NDArray[Any]] = network._kernel.drives(number)

    def __len__(self) -> int:
        return len(self._columns["source"])

    @property
    def source(self) -> NDArray[np.int64]:
        """Gids of the devices, int64 of shape (n,)."""
        return self._columns["source"]

    @property
    def target(self) -> NDArray[np.int64]:
        """Gids of the targets, int64 of shape (n,)."""
        return self._columns["target"]

    @property
    def weight(self) -> Floats:
        """Weights, float64 of shape (n,)."""
        return self._columns["weight"]

    @property
    def delay(self) -> Floats:
        """Delays (ms), float64 of shape (n,)."""
        return np.asarray(self._network._grid.ms(self._columns["delay_steps"]))

    def set(self, at: Any, given: dict[str, Value]) -> None:
        """Sets weights and delays of those at these positions, for what the devices send from now on; all or nothing.

        Raises as `Network.connect`.
        """
        values = {"weight": self.weight, "delay": self.delay}
        with self._network._drawing() as draw:
            for name, value in given.items():
                new = values[name] = values[name].copy()
                new[at] = self._settled(name, value, at, draw)
        calls = [(int(number), *self._specs(number, values)) for number in np.unique(self._columns["call"])]
        for check_only in (True, False):
            for number, weight_spec, delay_spec in calls:
                self._network._kernel.relink(number, weight_spec, delay_spec, check_only=check_only)
        self._network._note_edit("set")

    def _settled(self, name: str, value: Any, at: Any, draw: Any) -> Any:
        """What is given, for each of the positions."""
        source, target = self.source[at], self.target[at]
        if isinstance(value, Term) and value.native() is None:
            from .distances import values_between

            found = values_between(self._network._populations, value, source, target, draw.seed, draw.next())
        else:
            keys = np.arange(1, len(source) + 1, dtype=np.int64)
            found = draw.values(name, value.native() if isinstance(value, Term) else value, keys)
        if len(found) not in (1, len(source)):
            raise bad_length(name, len(found), len(source))
        if not np.isfinite(found).all():
            raise bad_parameter(name, float(found[~np.isfinite(found)][0]), "finite for every connection")
        return found

    def _specs(self, number: Any, values: dict[str, Floats]) -> list[Any]:
        """Weight and delay of a call of the kernel: one number where all are equal, else an array in the order of the call."""
        mine = np.flatnonzero(self._columns["call"] == number)
        specs = []
        for name in ("weight", "delay"):
            some = np.empty(len(mine))
            some[self._columns["index"][mine]] = values[name][mine]
            specs.append(to_spec(name, float(some[0]) if (some == some[0]).all() else some))
        return specs
