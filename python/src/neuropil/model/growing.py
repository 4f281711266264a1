# SPDX-License-Identifier: Apache-2.0
"""Structural plasticity: synapses that form and go as neurons gain and lose synaptic elements (Butz & van Ooyen 2013)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..base.checks import to_whole
from ..base.closed import Closed
from ..base.lazy import Former
from ..base.named import named_arguments
from ..base.quantities import plain
from ..errors import bad_type, unknown_name
from . import catalog
from .arguments import to_synapse
from .connections import Connections
from .distributions import Value, to_spec
from .linking import _FIRST_LABEL, Linking, weight_in
from .synapses import AnySynapse, Synapse

if TYPE_CHECKING:
    from .nodes import Nodes

__all__ = ["Growing", "Growth"]

_DEFAULT_INTERVAL = 1000.0  # ms


class Growth(Closed):
    """Synapses that grow between elements of two names, from `Network.grow`."""

    __slots__ = ("_label", "_network")

    def __init__(self, network: Growing, label: str) -> None:
        self._network, self._label = network, label

    @property
    def name(self) -> str:
        """Its name among `net.growths`."""
        return self._label

    label = Former("name")

    @property
    def pre_element(self) -> str:
        """Name of the elements of the sources."""
        return self._known()[0]

    @property
    def post_element(self) -> str:
        """Name of the elements of the targets."""
        return self._known()[1]

    def _known(self) -> tuple[str, str, int]:
        number = self._network._labels.get(self._label)
        return next(known for known in self._network._kernel.growths if known[2] == number)

    def connections(self, source: Nodes | None = None, target: Nodes | None = None) -> Connections:
        """The synapses that there are now, see `Network.connections`. Collective."""
        found = self._network.connections(source, target)
        some: Connections = found[np.asarray(found._columns["label"]) == self._known()[2]]
        return some

    def __len__(self) -> int:
        return len(self.connections())

    def __repr__(self) -> str:
        return f"<Growth {self._label!r}: {self.pre_element} to {self.post_element}>"


class Growths(Mapping[str, Growth]):
    """What `grow` was called for, by name."""

    def __init__(self, network: Growing) -> None:
        self._network = network

    def _numbers(self) -> dict[int, str]:
        """By its number the label of `grow`, not those of later calls of `connect(growth=)`."""
        return {number: label for label, number in reversed(self._network._labels.items())}

    def __iter__(self) -> Iterator[str]:
        numbers = self._numbers()
        return iter([numbers[number] for _, _, number in self._network._kernel.growths if number in numbers])

    def __len__(self) -> int:
        return len([*iter(self)])

    def __getitem__(self, label: str) -> Growth:
        if label not in [*self]:
            raise unknown_name("name of a growth", str(label), [*self])
        return Growth(self._network, label)


class Growing(Linking):
    """Base of Network: structural plasticity."""

    __slots__ = ()

    @named_arguments
    def grow(
        self,
        pre_element: str,
        post_element: str,
        *,
        weight: Value | None = None,
        delay: Value = 1.0,
        synapse: AnySynapse | None = None,
        receptor: int = 0,
        double_weights: bool = False,
        autapses: bool = True,
        multapses: bool = True,
        name: str = "",
    ) -> Growth:
        """Lets synapses grow from neurons with elements `pre_element` to neurons with elements `post_element`, see `Nodes.synaptic_elements`.

        Every `growth_interval` ms the structure is updated, before the step that begins then: neurons with fewer whole elements than synapses lose
        synapses drawn at random, first sources, then targets, and the elements of the partners become vacant; vacant elements are matched at random
        and form synapses; of those still vacant the part tau_vacant is lost. The same synapses form on any ranks and threads.

        Parameters
        ----------
        weight, delay, synapse, double_weights : of each synapse, as of `connect`; numbers or distributions. Default weight: 1, with a warning
            where that is 1 pA
        receptor : number of the receptor from 1, 0: the model's choice
        autapses, multapses : whether a neuron may connect to itself, and a pair more than once; pairs that may not stay vacant
        name : in `net.growths`; default: "<pre_element> to <post_element>"

        Connections of `connect(..., growth=)` take elements, too. Raises BadParameter, BadType, UnknownName, IllegalConnection.
        """
        for what, value in (("pre_element", pre_element), ("post_element", post_element)):
            if not isinstance(value, str):
                raise bad_type(what, value, "the name of elements")
        name = name or f"{pre_element} to {post_element}"
        self._check_new("name", name, self._labels)
        number = _FIRST_LABEL + len(self._labels)
        model = to_synapse(synapse)
        parameters = {k: float(v) if isinstance(v, int | float) else to_spec(k, v) for k, v in model.parameters.items()}
        call = _core.Kernel.prepared(
            rule="explicit",
            synapse=model.name,
            synapse_params=parameters,
            weight=to_spec("weight", self._grown_weight(weight, model)),
            delay=to_spec("delay", plain("delay", delay, "ms")),
            receptor=to_whole("receptor", receptor, bits=31),
            double_weights=bool(double_weights),
            label=number,
        )
        self._kernel.grow(pre_element, post_element, call, bool(autapses), bool(multapses))
        if not self._kernel.growth_interval:
            self.growth_interval = _DEFAULT_INTERVAL
        self._labels[name] = number
        return Growth(self, name)

    def _grown_weight(self, given: Value | None, synapse: Synapse) -> Value:
        """In the unit of all neurons of the network; without a weight, of those that take pA: which will have elements is not known yet."""
        neurons = [entry for _, _, entry in self._populations.rows() if entry.weight_unit]
        if given is None:
            neurons = [entry for entry in neurons if entry.weight_unit == "pA"]
        return weight_in(catalog.weight_unit(neurons), given, dict.fromkeys(entry.name for entry in neurons), synapse, 5)

    @property
    def growths(self) -> Growths:
        """What grows, by name."""
        return Growths(self)

    @property
    def growth_interval(self) -> float:
        """Time between updates of the structure (ms), which happen at its multiples; default 1000."""
        return self._grid.time(self._kernel.growth_interval) if self._kernel.growth_interval else _DEFAULT_INTERVAL

    @growth_interval.setter
    def growth_interval(self, value: float) -> None:
        self._kernel.set_updates(self._grid.steps("growth_interval", value, at_least=1), self._kernel.growth_on)

    @property
    def growing(self) -> bool:
        """Whether the structure is updated; False: synapses stay, elements grow on."""
        return self._kernel.growth_on

    @growing.setter
    def growing(self, value: bool) -> None:
        self._kernel.set_updates(self._kernel.growth_interval or self._grid.steps("growth_interval", _DEFAULT_INTERVAL), bool(value))

    def _growth_label(self, growth: Growth | None) -> int:
        """The number of the label of a growth; 0 for none. Raises BadType."""
        if growth is None:
            return 0
        if not isinstance(growth, Growth) or growth._network is not self:
            raise bad_type("growth", growth, "a Growth that net.grow of this network returned")
        return growth._known()[2]
