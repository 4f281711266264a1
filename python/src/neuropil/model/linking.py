# SPDX-License-Identifier: Apache-2.0
"""How a network hands connections to the kernel: whole rules where the kernel draws everything itself, else edges with their values."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, cast

from ..base.quantities import has_unit, plain
from ..errors import BadParameter, ForeignNodes, bad_parameter, bad_type
from ..results.weight_record import WeightRecord
from . import catalog
from .arguments import explained, has_terms, kernel_arguments, simple, to_receptor, to_synapse
from .distributions import Value
from .from_devices import parted
from .nodes import Nodes
from .projection import NO_CONNECTIONS, Given, Projection, kept, light
from .recording import Recording
from .rules import Rule
from .synapses import AnySynapse, Synapse

__all__ = ["Linking"]

# Of a projection: number of its first call (-1: this call), ranges of its sources and targets (None: those of the call), whether it may be one of many.
Identity = tuple[int, Any, Any, bool]
WHOLE: Identity = (-1, None, None, False)
_FIRST_LABEL = 1 << 20  # neuropil.nest counts its own labels from 0


def weight_in(unit: str, given: Value | None, models: Iterable[str], synapse: AnySynapse | None, stacklevel: int) -> Value:
    """A weight as a number in `unit`; 1 with a warning where none was given and that is 1 pA. models : of the targets; stacklevel : of the user's call."""
    if given is not None:
        return cast("Value", plain("weight", given, unit))
    if unit == "pA" and catalog.synapses()[to_synapse(synapse).name].delayed:
        text = f"no weight was given, so it is 1 pA, which changes V_m of {' and '.join(models)} by some microvolts: give weight=..."
        warnings.warn(text, stacklevel=stacklevel)
    return 1.0


class Linking(Recording):
    """Base of Network: connecting."""

    __slots__ = ("_labels",)
    _labels: dict[str, int]  # of projections, and the numbers that stand for them in the kernel

    def _delay(self, synapse: AnySynapse | None, delay: Value | None) -> Value:
        """What was given, or the default. Raises BadParameter for a delay of connections that have none."""
        model = catalog.synapses()[to_synapse(synapse).name]
        if model.delayed:
            return 1.0 if delay is None else cast("Value", plain("delay", delay, "ms"))
        if delay is not None:
            raise bad_parameter("delay", delay, f"left out: connections of {model.name} have no delay")
        return self.resolution

    def _weight(self, given: Value | None, pre: Nodes, post: Nodes, synapse: AnySynapse | None, stacklevel: int) -> Value:
        """A weight without its unit; 1 where none was given, which of currents is hardly ever meant. stacklevel : of the user's call."""
        if given is not None and not has_unit(given):
            return given
        unit = catalog.weight_unit_between([entry for entry, _ in pre._parts()], [entry for entry, _ in post._parts()])
        return weight_in(unit, given, post.models, synapse, stacklevel + 1)

    def _project(
        self,
        pre: Nodes,
        post: Nodes,
        all_pre: Nodes,
        all_post: Nodes,
        given: tuple[Any, ...],
        recorder: WeightRecord | None,
        label: str,
        grown: int = 0,
    ) -> Projection:
        """Connects all_pre to all_post, of which only pre and post take part.

        `given`: rule, weight, delay, synapse, receptor, double_weights; `grown`: the number of the label of a growth.
        """
        fresh = self._label_number(label)
        mark = grown or fresh
        rule, weight, delay, synapse, *_ = given
        self._check_mine("pre", all_pre)
        self._check_mine("post", all_post)
        if weight is None or has_unit(weight):
            weight = self._weight(weight, pre, post, synapse, 5)
            given = (rule, weight, *given[2:])
        ends = WHOLE if pre is all_pre and post is all_post else (-1, pre._ranges.ascending(), post._ranges.ascending(), True)
        port, number = self._link(all_pre, all_post, given, mark, self._to_recorder(recorder), ends)
        if rule.name == "symmetric_pairwise_bernoulli":
            pre = post = pre + post
        return self._note(pre, post, rule, (weight, delay, to_synapse(synapse), port), (label, mark, number))

    def _label_number(self, label: str) -> int:
        """The number that will stand for a label in the kernel, 0 without. Raises BadParameter for one that was given before."""
        self._check_new("name", label, self._labels)
        return _FIRST_LABEL + len(self._labels) if label else 0

    def _note(
        self, pre: Nodes, post: Nodes, rule: Rule, given: tuple[Any, Any, Synapse, int], identity: tuple[str, int, int]
    ) -> Projection:
        """The projection of what was connected; given: weight, delay, synapse model, receptor; identity: label, its number, that of the projection."""
        weight, delay, model, receptor = given
        label, mark, _ = identity
        if label:
            self._labels[label] = mark
        made = Projection(self, Given(pre, post, light(rule), light(model), receptor, kept(weight), kept(delay), *identity))
        self._projections.append(made)
        return made

    def _link(self, pre: Nodes, post: Nodes, given: tuple[Any, ...], mark: int, recorder: int | None, ends: Identity) -> tuple[int, int]:
        """Connects; all or nothing. Returns the numbers of the receptor and of the projection. `given`: as of _project."""
        rule, weight, delay, synapse, receptor, double_weights = given
        model = to_synapse(synapse)
        if has_terms(weight, delay, model):
            weight, delay = simple(weight), simple(delay)
            model = Synapse(model.name, {name: simple(value) for name, value in model.parameters.items()})
        if isinstance(delay, int | float):
            self._grid.check_delay(delay)
        more = (receptor, double_weights, mark, recorder)
        if not (rule.drawn or has_terms(weight, delay, model)) and not parted(pre, rule, model):
            arguments = kernel_arguments(self, pre, post, rule, weight, delay, model, *more)
            return int(arguments["receptor"]), self._connect(pre, post, arguments | {"projection": ends})
        from . import drawn  # here: most calls need no expressions

        with self._drawing() as draw:
            calls = drawn.calls(self, pre, post, rule, (weight, delay, model), draw, more)
            if len(calls) > 1 and ends is WHOLE:
                ends = (-1, pre._ranges.ascending(), post._ranges.ascending(), False)
            numbers = self._connect_all(calls, ends)
        return to_receptor(receptor, post), numbers[0] if numbers else NO_CONNECTIONS

    def _connect_all(self, calls: list[tuple[Nodes, Nodes, dict[str, Any]]], ends: Identity | None = None) -> list[int]:
        """Several calls of the kernel, all checked before the first is made. Returns their numbers.

        ends : of the one projection that they make; None: each makes its own
        """

        def check() -> None:
            for pre, post, arguments in calls:
                self._kernel_connect(pre, post, {"check_only": True, **arguments})

        def make() -> list[int]:
            numbers: list[int] = []
            for pre, post, arguments in calls:
                identity = WHOLE if ends is None else (numbers[0], None, None, False) if numbers else ends
                numbers.append(self._connect(pre, post, arguments | {"projection": identity}))
            return numbers

        from . import drawn

        if len(calls) > 1:
            drawn.together(self, check)
        return drawn.together(self, make)

    def _check_new(self, what: str, name: object, known: Mapping[str, object]) -> None:
        if not isinstance(name, str):
            raise bad_type(what, name, "a text")
        if name in known:
            raise bad_parameter(what, name, "a new one: it is in use already")

    def _connect(self, pre: Nodes, post: Nodes, arguments: dict[str, Any]) -> int:
        """Returns the number of the call. `arguments`: see kernel_arguments."""
        number = self._kernel_connect(pre, post, arguments)
        self._version += 1
        return number

    def _kernel_connect(self, pre: Nodes, post: Nodes, arguments: dict[str, Any]) -> int:
        try:
            return self._kernel.connect(pre=pre._ranges.ascending(), post=post._ranges.ascending(), **arguments)
        except BadParameter as error:
            raise explained(error, post) from None

    def _to_recorder(self, given: WeightRecord | None) -> int | None:
        """Number of a recorder of weights in the kernel. Raises BadType, ForeignNodes."""
        if given is None:
            return None
        if not isinstance(given, WeightRecord):
            raise bad_type("weight_recorder", given, "a recorder from record_weights()")
        if given._network is not self:
            raise ForeignNodes("weight_recorder: this recorder belongs to another network")
        return given._number
