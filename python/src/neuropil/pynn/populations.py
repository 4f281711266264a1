# SPDX-License-Identifier: Apache-2.0
"""Populations, views of them and assemblies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyNN import common, errors
from pyNN.parameters import LazyArray, ParameterSpace
from pyNN.random import NumpyRNG
from pyNN.standardmodels import StandardCellType

from .. import Nodes
from . import simulator
from .errors import refuse
from .recording import Recorder
from .simulator import state
from .stores import EVERY, Index, Store
from .values import agreed

__all__ = ["Assembly", "Population", "PopulationView"]


class ID(int, common.IDMixin):
    """A cell: a number, with the parameters of the cell as attributes."""

    def __init__(self, n: int) -> None:
        int.__init__(n)


class _Cells:
    """What all sets of cells share."""

    get_spike_counts: Any

    def mean_spike_count(self, gather: bool = True) -> float:
        """Mean number of spikes of a cell, on every rank; see PyNN."""
        counts = self.get_spike_counts(gather)
        return sum(counts.values()) / len(counts) if counts else float("nan")

    def sample(self, n: int, rng: Any = None) -> Any:
        """A view of n cells, drawn by a generator, or by the seed of `setup`."""
        return super().sample(n, agreed(rng or NumpyRNG(seed=int(state.random.integers(1 << 31)))))  # type: ignore[misc]  # PyNN's


class _Members(_Cells):
    """What populations and views share: how parameters and states of their cells are read and set."""

    celltype: Any
    size: int
    all_cells: NDArray[Any]
    id_to_index: Any
    _simulator = simulator

    @property
    def store(self) -> Store:
        """Where parameters and nodes of the population are."""
        raise NotImplementedError

    @property
    def _index(self) -> Index:
        raise NotImplementedError

    @property
    def nodes(self) -> Nodes:
        """The nodes of the network that are these cells."""
        return self.store.some(self._index)

    @property
    def local_cells(self) -> NDArray[Any]:
        """Cells that this rank simulates; every rank describes all cells."""
        return self.all_cells if state.describing else self.all_cells[state.simulated_here(self.nodes)]

    @local_cells.setter
    def local_cells(self, cells: Any) -> None:
        """PyNN's views set it, to all cells."""

    def __iter__(self) -> Iterator[ID]:
        """All cells: what a loop does with cells all ranks have to do."""
        return iter(self.all_cells)

    def is_local(self, id: ID) -> bool:
        """True: every rank reads and sets all cells, with all other ranks."""
        return self.id_to_index(id) >= 0  # raises IndexError for those of others

    def get(self, parameter_names: Any, gather: bool = False, simplify: bool = True) -> Any:
        """Values of parameters: of all cells with `gather`, else of `local_cells`. Collective. See PyNN."""
        with state.alone():
            found = super().get(parameter_names, False, simplify)  # type: ignore[misc]  # PyNN's
        if gather or state.num_processes == 1:
            return found
        here = state.simulated_here(self.nodes)
        some = [each[here] if isinstance(each, np.ndarray) else each for each in (found if isinstance(found, list) else [found])]
        return some if isinstance(found, list) else some[0]

    def set(self, **parameters: Any) -> None:
        with state.alone():
            super().set(**parameters)  # type: ignore[misc]  # PyNN's

    def describe(self, *args: Any, **options: Any) -> Any:
        with state.alone():
            return super().describe(*args, **options)  # type: ignore[misc]  # PyNN's

    def _get_view(self, selector: Any, label: str | None = None) -> PopulationView:
        return PopulationView(self, selector, label)

    def _get_native_parameters(self, *names: str) -> ParameterSpace:
        found = {name: self.store.get(name, self._index) for name in names}
        return ParameterSpace(found, shape=(self.size,))

    def _get_parameters(self, *names: str) -> ParameterSpace:
        celltype = self.celltype
        known = celltype.get_parameter_names()
        for name in names:
            if name not in known:
                raise errors.NonExistentParameterError(name, type(celltype).__name__, known)
        if not isinstance(celltype, StandardCellType):
            return self._get_native_parameters(*names)
        needed = () if any(name in celltype.computed_parameters() for name in names) else names
        return celltype.reverse_translate(self._get_native_parameters(*celltype.get_native_names(*needed)))

    def _set_parameters(self, parameter_space: ParameterSpace) -> None:
        agreed(parameter_space)
        parameter_space.evaluate(simplify=True)
        self.store.set(self._index, parameter_space.as_dict())

    def _set_initial_value_array(self, variable: str, initial_value: Any) -> None:
        values = agreed(initial_value).evaluate(simplify=True)
        if (found := self.celltype.states.get(variable)) is None:
            implied = self.celltype.implied.get(variable)
            allowed = (
                self.celltype.default_initial_values.get(variable),
                self.get(implied, gather=True) if isinstance(implied, str) else implied,
            )
            if not any(np.all(values == value) for value in allowed):
                refuse(
                    variable, f"no initial value of {type(self.celltype).__name__} can be set; possible: {', '.join(self.celltype.states)}"
                )
            return
        name, factor = found
        self.store.set_state(self._index, name, values / factor)


class Population(_Members, common.Population):
    """Cells of one type."""

    __doc__ = common.Population.__doc__
    _recorder_class = Recorder

    @property
    def _assembly_class(self) -> type[Assembly]:
        return Assembly

    @property
    def store(self) -> Store:
        """Where parameters and nodes of the population are."""
        return self._store

    @property
    def _index(self) -> Index:
        return EVERY

    def _create_cells(self) -> None:
        self.all_cells = np.array([ID(next(state.ids)) for _ in range(self.size)], dtype=ID)
        self._mask_local = np.ones(self.size, bool)
        for cell in self.all_cells:
            cell.parent = self
        self._store = self.celltype.store(self.celltype, self.size, native_values(self.celltype, self.size))


def native_values(celltype: Any, n: int) -> dict[str, Any]:
    """Parameters of a cell type for n cells by native names."""
    space = celltype.native_parameters if isinstance(celltype, StandardCellType) else celltype.parameter_space
    agreed(space)
    space.shape = (n,)
    space.evaluate(simplify=True)
    values: dict[str, Any] = space.as_dict()
    return values


class _SomeInitialValues(dict[str, LazyArray]):
    """Initial values of some cells, which are kept with those of the population."""

    def __init__(self, whole: dict[str, LazyArray], index: Index) -> None:
        some = {name: value.evaluate()[index] for name, value in whole.items()}
        super().__init__({name: LazyArray(values, shape=values.shape) for name, values in some.items()})
        self._whole, self._index = whole, index

    def __setitem__(self, name: str, value: LazyArray) -> None:
        super().__setitem__(name, value)
        values = self._whole[name].evaluate().copy()
        values[self._index] = value.evaluate()
        self._whole[name] = LazyArray(values, shape=values.shape)


class PopulationView(_Members, common.PopulationView):
    """Some of the cells of a population."""

    __doc__ = common.PopulationView.__doc__

    @property
    def _assembly_class(self) -> type[Assembly]:
        return Assembly

    @property
    def store(self) -> Store:
        """Where parameters and nodes of the population are."""
        found: Store = self.grandparent.store
        return found

    @property
    def initial_values(self) -> _SomeInitialValues:
        """Initial values of state variables, as lazy arrays."""
        return _SomeInitialValues(self.grandparent.initial_values, self._index)

    @property
    def _index(self) -> Index:
        return np.asarray(self.index_in_grandparent(np.arange(self.size)), np.int64)


class Assembly(_Cells, common.Assembly):
    """Several populations and views."""

    __doc__ = common.Assembly.__doc__
    _simulator = simulator

    @property
    def nodes(self) -> Nodes:
        """The nodes of the network that are these cells."""
        return nodes_of(self)


def parts_of(cells: Any) -> list[Any]:
    """Populations and views that cells belong to, in order."""
    return list(cells.populations) if isinstance(cells, common.Assembly) else [cells]


def nodes_of(cells: Any) -> Nodes:
    """Nodes of a population, a view or an assembly, in their order. Raises NotSupported where a cell is twice in an assembly."""
    parts = [part.nodes for part in parts_of(cells)]
    joined = sum(parts[1:], start=parts[0])
    if len(joined) != sum(map(len, parts)):
        refuse(str(cells.label), "a cell is in it more than once")
    return joined


def gids_of(cells: Any) -> NDArray[np.int64]:
    """Gids of cells, in their order."""
    return nodes_of(cells).gids
