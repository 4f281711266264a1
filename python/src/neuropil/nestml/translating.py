# SPDX-License-Identifier: Apache-2.0
"""From a NESTML model to the arguments that `neuropil.neuron` takes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

from ..equations.describing import describe
from ..equations.description import Description
from ..equations.errors import EquationError, Place, UnitError
from ..equations.expressions import Binary, Expression, Name, Number, changed, names, text_of
from ..equations.inference import Unchecked
from ..equations.programs import GivenProgram
from ..equations.units import SYMBOLS, Unit, named
from ..errors import NeuropilError
from .errors import NestmlError, UnitsDifferError, refuse
from .inputs import Inputs, OdeLine, has_spikes
from .scope import Scope, own_name
from .spiking import Spiking
from .syntax import Assign, Declaration, Equation, Model, walk_statements
from .units import scaled, unit_tree

__all__ = ["Translation"]


@dataclass(frozen=True)
class Written:
    """A line of equations and where it comes from."""

    text: str
    place: Place


class Translation:
    """One model."""

    def __init__(self, model: Model, checked: bool = True) -> None:
        self.model = model
        self.scope = Scope(model, checked)
        self.inputs = Inputs(self.scope)
        if model.attributes:
            refuse(model.attributes, "attributes of the spikes of a neuron are not supported")
        self.check_ports()
        self.parts: dict[str, Expression] = {}  # inlines without spikes
        self.expanded: dict[str, Expression] = {}  # inlines with spikes
        for inline in self.ordered_inlines():
            self.inline(inline)
        odes = {line.name: line for equation in model.equations for line in self.ode(equation)}
        self.read_statements(odes)
        self.lines = [*self.odes.values(), *self.inputs.lines]

    def read_statements(self, odes: dict[str, OdeLine]) -> None:
        """Threshold, reset and refractoriness; `odes` without timers."""
        self.spiking = Spiking(self.scope, odes)
        self.spiking.read()
        self.odes = {name: line for name, line in odes.items() if name not in self.spiking.timers}
        self.check_previous()
        self.inputs.on_receive(set(self.odes), self.spiking.held, self.spiking.is_free)
        self.add_arriving(self.spiking.arriving, self.spiking.held)

    def check_ports(self) -> None:
        """One current at most, in pA."""
        found = [port for port in self.model.ports if port.kind == "continuous"]
        for port in found:
            if port is not found[0]:
                refuse(port.place, "more than one continuous input is not supported")
            unit = self.scope.quantity(Declaration(port.name, port.type, None, port.place)) if port.type is not None else None
            if unit != (SYMBOLS["pA"][0], 0):
                refuse(port.place, "a continuous input must be a current in pA")

    # Equations

    def ordered_inlines(self) -> list[Declaration]:
        """Each behind those that it uses."""
        found = {inline.name: inline for inline in self.model.inlines}
        graph = {name: names(each.value) & found.keys() for name, each in found.items() if each.value is not None}
        try:
            return [found[name] for name in TopologicalSorter(graph).static_order()]
        except CycleError as error:
            refuse(found[error.args[1][0]].place, f"these lines depend on each other: {' -> '.join(error.args[1])}")

    def inline(self, inline: Declaration) -> None:
        """A part of equations; those with spikes are written out where they are used."""
        assert inline.value is not None
        value = self.written_out(self.scope.convert(inline.value))
        (self.expanded if has_spikes(value) else self.parts)[own_name(inline.name)] = value

    def written_out(self, tree: Expression) -> Expression:
        """With the parts that have spikes."""
        return changed(tree, lambda node: self.expanded.get(node.name) if isinstance(node, Name) else None)

    def ode(self, equation: Equation) -> list[OdeLine]:
        """One line for each derivative."""
        found = []
        for n in range(equation.order):
            name = equation.name + "'" * n
            declaration = self.scope.declared.get(name)
            if declaration is None or self.scope.kind[name] != "state":
                refuse(equation.place, f"{name} has a differential equation and is not in the block state")
            unit = self.unit_of_variable(declaration)
            last = n + 1 == equation.order
            slope = self.written_out(self.scope.convert(equation.value)) if last else Name(equation.place, own_name(f"{name}'"))
            found.append(self.inputs.without_spikes(OdeLine(own_name(name), slope, unit, equation.place)))
        return found

    def unit_of_variable(self, declaration: Declaration) -> Unit:
        """The unit of a variable, whose value is shown in it."""
        unit, ten = self.scope.quantity(declaration)
        if ten:
            refuse(
                declaration.place,
                f"variables in {text_of(declaration.type)} are not supported: use mV, ms, pA, nS, pF, mM and products of these",
            )
        return unit

    def add_arriving(self, arriving: list[Assign], held: Collection[str]) -> None:
        """Spikes that `update` adds to variables."""
        for each in arriving:
            markers = sorted(name for name in names(self.scope.convert(each.value)) if ":" in name)
            if len(markers) != 1 or own_name(each.name) in held:
                refuse(each.place, "after integrate_odes(), only spikes of one input may be added to a variable, and it must not be held")
            port = markers[0].partition(":")[2]
            self.inputs.add(port, own_name(each.name), self.inputs.received(each, port))

    def check_previous(self) -> None:
        """Values from before the step are for conditions only."""
        for name in self.spiking.previous:
            for tree in [
                *(line.slope for line in self.odes.values()),
                *self.parts.values(),
                *(r.value for r in [*self.spiking.reset, *self.spiking.after]),
            ]:
                if name in names(tree):
                    refuse(tree.place, f"'{name}', a value from before the step, is supported in the condition of the spike only")

    # What is needed

    def needed(self) -> list[str]:
        """Names that the equations, the threshold, the reset and arriving spikes use; those used by others first."""
        trees = [line.slope for line in self.lines] + self.statement_trees()
        trees += [factor for effects in self.inputs.added.values() for _, factor in effects]
        own = {own_name(name): name for name in self.scope.declared}
        found: list[str] = []
        left = [name for tree in trees for name in sorted(names(tree))]
        while left:
            name = left.pop(0)
            if name in own and own[name] not in found:
                found.append(own[name])
                left += sorted(names(self.value_of_part(own[name])))
        return found

    def statement_trees(self) -> list[Expression]:
        """Expressions of the threshold, the reset and others."""
        found = [r.value for r in [*self.spiking.reset, *self.spiking.after]]
        found += [self.spiking.threshold] if self.spiking.threshold else []
        return found + ([Name(self.model.place, self.spiking.refractory)] if self.spiking.refractory else [])

    def value_of_part(self, name: str) -> Expression:
        """The expression of an inline or internal; for others the name."""
        declaration = self.scope.declared[name]
        if self.scope.kind[name] == "inline":
            return self.parts.get(own_name(name), Name(declaration.place, ""))
        if self.scope.kind[name] == "internal" and declaration.value is not None:
            value = self.scope.convert(declaration.value)
            changing = {own_name(each) for each, kind in self.scope.kind.items() if kind in ("state", "inline")}
            if names(value) & changing:
                refuse(declaration.place, f"'{name}' must follow from parameters alone")
            return value
        return Name(declaration.place, "")

    # Arguments of `neuron`

    def equations(self) -> list[Written]:
        """Lines of equations."""
        found = [
            Written(f"d{line.name}/dt = {text_of(line.slope)} : {named(line.unit) or '1'}", line.place)
            for line in [*self.lines, *self.kept_lines()]
        ]
        for name in self.needed():
            if self.scope.kind[name] in ("inline", "internal"):
                declaration = self.scope.declared[name]
                unit = self.scope.quantity(declaration).unit
                text = f"{own_name(name)} = {text_of(self.value_of_part(name))} : {named(unit) or '1'}"
                found.append(Written(text, declaration.place))
        return found

    def kept_lines(self) -> list[OdeLine]:
        """State that keeps the value from before the step."""
        place = self.model.place
        return [OdeLine(name, self.no_slope(of), self.odes[of].unit, place) for name, of in self.spiking.previous.items()]

    def set_names(self) -> set[str]:
        """State without differential equations that is no parameter."""
        return set(self.spiking.previous)

    def no_slope(self, name: str) -> Expression:
        """0, in the unit of a slope."""
        place = self.model.place
        return Binary(place, "/", Binary(place, "*", Number(place, 0.0), unit_tree(self.odes[name].unit, place)), Name(place, "ms"))

    def parameters(self) -> dict[str, str]:
        """Default values with their units. State that nothing changes is a parameter, too."""
        found = {}
        for name in self.in_order(self.needed()):
            declaration, kind = self.scope.declared[name], self.scope.kind[name]
            if kind == "state":
                self.check_constant(name)
            if kind == "parameter" or (kind == "state" and own_name(name) not in self.odes.keys() | self.set_names()):
                shown, ten = self.shown_unit(declaration), self.scope.quantity(declaration).ten
                found[own_name(name)] = f"{scaled(self.scope.value(name), -ten)!r} {shown}".strip()
        return found

    def shown_unit(self, declaration: Declaration) -> str:
        """The symbol of a unit, which values are given in."""
        unit, ten = self.scope.quantity(declaration)
        if ten and not self.scope.checked:
            refuse(declaration.place, f"units do not fit together elsewhere, so the scale of {declaration.name} is not clear")
        shown = named(unit) if not ten else next((s for s, (u, f) in SYMBOLS.items() if u == unit and f == float(f"1e{ten}")), None)
        if shown is None:
            refuse(declaration.place, f"values in {text_of(declaration.type)} are not supported")
        return shown

    def check_constant(self, name: str) -> None:
        """State without a differential equation may be used in expressions if nothing sets it."""
        if own_name(name) in self.odes or own_name(name) in self.set_names():
            return
        model = self.model
        statements = [*model.update, *(each for handler in [*model.conditions, *model.receivers] for each in handler.body)]
        is_set = any(isinstance(each, Assign) and each.name == name for each in walk_statements(statements))
        if is_set or name.rstrip("'") in self.inputs.kernels:
            refuse(
                self.scope.declared[name].place,
                f"'{name}' is used in an expression and has no differential equation: this is not supported",
            )

    def in_order(self, found: list[str]) -> list[str]:
        """As they are declared."""
        return [name for name in self.scope.declared if name in found]

    def initial(self) -> dict[str, float]:
        """Values of variables at the beginning."""
        own = {own_name(name): name for name in self.scope.declared}
        return {name: self.scope.value(own[name]) for name in self.odes} | {line.name: 0.0 for line in self.inputs.lines}

    def description(self) -> Description:
        """The model as equations. Raises NestmlError."""
        if self.spiking.after and not self.spiking.threshold:
            refuse(self.spiking.after[0].place, "this statement in update is not supported in a model without spikes")
        if not self.lines:
            refuse(self.model.place, "a model without differential equations is not supported")
        reset = [*self.spiking.reset, *self.spiking.after]
        places = {"reset": [each.place for each in reset], "threshold": [self.spiking.spike_at or self.model.place]}
        made = self.made(
            places,
            text_of(self.spiking.threshold) if self.spiking.threshold else None,
            "\n".join(f"{r.name} {r.operator} {text_of(r.value)}" for r in reset) or None if self.spiking.threshold else None,
            self.spiking.refractory,
        )
        return self.with_held(made)

    def made(
        self,
        places: dict[str, list[Place]],
        threshold: str | None = None,
        reset: str | None = None,
        refractory: str | None = None,
        program: GivenProgram | None = None,
    ) -> Description:
        """The equations with these statements. places: of the lines of each part, for errors."""
        lines = self.equations()
        places["equations"] = [line.place for line in lines]
        try:
            made = describe(
                self.model.name, "\n".join(line.text for line in lines), threshold, reset, refractory, self.parameters(), self.initial(),
                self.inputs.on_spike(), "", None if self.scope.checked else Unchecked(), program,
            )  # fmt: skip
        except NestmlError:
            raise
        except EquationError as error:
            known = places.get(error.part, [])
            place = known[error.line - 1] if 0 < error.line <= len(known) else self.model.place
            refuse(
                place,
                str(error).partition("\n")[0].partition(": ")[2] + f" (in {error.text.strip()})" * bool(error.text),
                UnitsDifferError if isinstance(error, UnitError) else NestmlError,
            )
        except NeuropilError as error:
            raise NestmlError(f"{self.model.place.part}: {error}", self.model.place.part) from None
        self.check_weights(made)
        return replace(made, receptors=tuple(replace(each, unit="") for each in made.receptors))

    def check_weights(self, made: Description) -> None:
        """Weights are numbers."""
        for receptor in made.receptors:
            if receptor.effects and receptor.unit not in ("", "1") and self.scope.checked:
                name = receptor.name.removeprefix("receptor_")
                place = next((p.place for p in self.model.ports if name in (p.name, *p.qualifiers)), self.model.place)
                refuse(place, f"weights must be numbers in NESTML; the equations need weights in {receptor.unit}", UnitsDifferError)

    def with_held(self, made: Description) -> Description:
        """The variable that `update` holds is held, and spikes come whenever the condition is true."""
        all_held = [name for name in self.odes if name in self.spiking.held] if self.spiking.refractory else []
        held, others = (all_held[0], tuple(all_held[1:])) if all_held else (None, ())
        variables = tuple(v for v in sorted(made.variables, key=lambda v: v.name != held) if v.name not in self.spiking.previous)
        n = len(self.spiking.reset)
        return replace(
            made,
            reset=made.reset[:n],
            after=made.reset[n:],
            held=held,
            also_held=others,
            variables=variables,
            whenever=True,
            previous=self.spiking.previous,
        )
