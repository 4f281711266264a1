# SPDX-License-Identifier: Apache-2.0
"""Models whose statements are done as they are written, once in each time step."""

from __future__ import annotations

from dataclasses import replace

from ..equations.description import Description, State
from ..equations.expressions import Binary, Call, Expression, Name, Number, changed, names, walk
from ..equations.names import STEP
from ..equations.parsing import Assignment
from ..equations.programs import GivenProgram, GivenState
from ..equations.simplify import simplified
from ..equations.units import SYMBOLS, Unit
from .errors import refuse
from .flow import Flow, where
from .inputs import OdeLine
from .scope import own_name
from .syntax import Assign, CallStatement, Declaration, If, Statement
from .translating import Translation
from .units import scaled, unit_tree

__all__ = ["StatementTranslation"]


class StatementTranslation(Translation):
    """One model."""

    def read_statements(self, odes: dict[str, OdeLine]) -> None:
        """The statements; `odes` without timers."""
        self.flow = Flow(self.scope, odes, self.parts)
        self.flow.read()
        self.odes = {name: line for name, line in odes.items() if name not in self.flow.timers}
        self.held = self.flow.held()
        self.begin()
        self.program = self.flow.program()
        for handler in self.model.receivers:
            self.receive(handler.body, self.inputs.port_of(handler), None)
        self.add_arriving(self.flow.arriving, self.held)

    def receive(self, body: tuple[Statement, ...], port: str, condition: Expression | None) -> None:
        """What spikes that arrive at a port add where the condition holds."""
        for each in body:
            if isinstance(each, If):
                for inner, statements in self.flow.cases(each, condition):
                    self.receive(statements, port, inner)
                continue
            if isinstance(each, CallStatement):
                refuse(each.place, f"{each.call.function}() in onReceive is not supported")
            if not isinstance(each, Assign) or each.operator not in ("+=", "-=", "=") or own_name(each.name) not in self.flow.receiving:
                refuse(each.place, "in onReceive only x += ... is supported, where x is state")
            name, place = own_name(each.name), each.place
            if name in self.held or name in self.flow.used_behind_integration:
                refuse(
                    place, f"spikes that arrive at '{each.name}', which is held at times or used behind integrate_odes(), are not supported"
                )
            factor = self.inputs.received(each, port)
            one, zero = Number(place, 1.0), Number(place, 0.0)
            self.inputs.add(port, name, Binary(place, "*", factor, where(condition, one, zero)) if condition else factor)

    def statement_trees(self) -> list[Expression]:
        """Expressions of the statements."""
        return self.program.trees

    def kept_lines(self) -> list[OdeLine]:
        """None."""
        return []

    def set_names(self) -> set[str]:
        """State that statements set."""
        return self.flow.states

    def unit_of_state(self, declaration: Declaration) -> tuple[str, int]:
        """The symbol of the unit of a state, and its power of ten."""
        return ("", 0) if self.scope.is_boolean(declaration.name) else (self.shown_unit(declaration), self.scope.quantity(declaration).ten)

    def states(self) -> dict[str, GivenState]:
        """What is kept from step to step beside the variables."""
        found = {}
        for name, declaration in self.scope.declared.items():
            own = own_name(name)
            if own in self.flow.states:
                shown, ten = self.unit_of_state(declaration)
                state = State(own, shown, scaled(self.scope.value(name), -ten), "State that statements set")
                found[own] = GivenState(state, self.scope.quantity(declaration).unit, SYMBOLS[shown][1] if ten else 1.0)
        return found | {
            name: GivenState(State(name, "", 0.0, "Values at the beginning were set", True), Unit(), 1.0) for name in self.begun
        }

    # Values at the beginning that depend on the time step

    def begin(self) -> None:
        """In the first step they are computed with its time step, where they are still those of the default one."""
        own = {own_name(name): name for name in self.scope.declared}
        late = [name for name in [*self.odes, *sorted(self.flow.states)] if self.depends_on_step(own[name])]
        self.begun = [self.flow.new_name("begun")] if late else []
        if not late:
            return
        place = self.model.place
        first = Binary(place, "==", Name(place, self.begun[0]), Number(place, 0.0))
        lines = [self.first_value(name, own[name], first) for name in late]
        lines.append(Assignment(self.begun[0], "=", Number(place, 1.0), place))
        self.flow.before[:0] = lines

    def first_value(self, name: str, declared: str, first: Expression) -> Assignment:
        """The value with the time step of the network."""
        declaration = self.scope.declared[declared]
        place, (_, ten) = declaration.place, self.unit_of_state(declaration)
        if ten or self.scope.quantity(declaration).unit.powers:
            refuse(place, f"the value of '{declared}' at the beginning depends on the time step: this is supported for numbers only")
        assert declaration.value is not None
        same = Binary(place, "==", Name(place, name), Number(place, self.scope.value(declared)))
        value = self.flow.of_type(declared, self.with_defaults(declaration.value), place)
        return Assignment(name, "=", where(Binary(place, "and", first, same), value, Name(place, name)), place)

    def depends_on_step(self, name: str) -> bool:
        """Whether the declared value does."""
        declaration = self.scope.declared[name]
        if declaration.value is None:
            return False
        tree = self.scope.convert(declaration.value)
        used, own = names(tree), {own_name(each): each for each in self.scope.declared}
        if STEP in used or any(isinstance(node, Call) and node.function == "steps" for node in walk(tree)):
            return True
        return any(self.depends_on_step(own[each]) for each in used if each in own)

    def with_defaults(self, tree: Expression) -> Expression:
        """With default values for parameters."""
        own = {own_name(each): each for each in self.scope.declared}

        def change(node: Expression) -> Expression | None:
            if not isinstance(node, Name) or node.name not in own:
                return None
            declaration = self.scope.declared[own[node.name]]
            if declaration.value is None or not self.depends_on_step(own[node.name]):
                number = Number(node.place, self.scope.value(own[node.name]))
                unit = self.scope.quantity(declaration).unit
                return Binary(node.place, "*", number, unit_tree(unit, node.place)) if unit.powers else number
            return self.with_defaults(declaration.value)

        return simplified(changed(self.scope.convert(tree), change))

    def description(self) -> Description:
        """The model as equations with statements. Raises NestmlError."""
        places = {"equations": [self.model.place]}
        states = self.states()
        made = self.made(places, program=GivenProgram(self.program, states))
        held, others = (self.held[0], self.held[1:]) if self.held else (None, ())
        variables = tuple(sorted(made.variables, key=lambda v: v.name != held))
        return replace(made, variables=variables, held=held, also_held=others, lines=made.lines)
