# SPDX-License-Identifier: Apache-2.0
"""Statements of a time step, written out without branches: what is assigned in a branch is chosen where its condition holds.

Nothing here knows what statements are for. Models whose statements are threshold, reset and refractoriness are read by `spiking` instead:
they become models with these, which the kernel runs faster.
"""

from __future__ import annotations

import warnings
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..equations.description import Program
from ..equations.errors import Place
from ..equations.expressions import Binary, Call, Expression, Name, Number, Unary, changed, names
from ..equations.inference import CONDITION
from ..equations.names import CURRENT, STEP, forbidden
from ..equations.parsing import Assignment
from ..equations.simplify import simplified
from ..equations.units import Unit
from .conditions import as_number, is_condition, truncated
from .errors import UnitsDifferError, refuse
from .inputs import OdeLine, has_spikes
from .scope import Scope, limited, own_name
from .spiking import integrals, is_minus_one, step_down
from .syntax import Assign, CallStatement, Declaration, If, Statement, walk_statements

__all__ = ["Flow"]

Names = ChainMap[str, Expression]  # values within the step, by the names they have now
NEAR = 1e-6  # of a time step: a timer that is so near 0 is over


@dataclass
class Path:
    """Where in a time step a statement is. condition: under which it is done; moved: what has been integrated before."""

    condition: Expression | None = None
    moved: frozenset[str] = frozenset()
    integrated: bool = False
    may_integrate: bool = True


@dataclass
class Flow:
    """Reads the statements of a model. odes: its differential equations; parts: values of inlines."""

    scope: Scope
    odes: dict[str, OdeLine]
    parts: Mapping[str, Expression]
    before: list[Assignment] = field(default_factory=list)
    after: list[Assignment] = field(default_factory=list)
    conditions: set[str] = field(default_factory=set)
    draws: dict[str, str] = field(default_factory=dict)
    moves: dict[str, list[Expression | None]] = field(default_factory=dict)  # variable -> conditions under which it is integrated
    arriving: list[Assign] = field(default_factory=list)  # spikes that `update` adds
    spikes: Expression | None = None
    free: Expression | None = None  # condition under which the held variables are integrated

    def __post_init__(self) -> None:
        self.timers = {name for name, line in self.odes.items() if is_minus_one(line.slope) and not self.is_used(name)}
        self.taken = {own_name(name) for name in self.scope.declared} | set(self.scope.ports)
        self.states = self.assigned() | self.timers
        self.follows = False  # whether statements follow the integration

    def is_used(self, name: str) -> bool:
        """Whether a slope depends on this variable."""
        return any(name in self.uses(line.slope) for line in self.odes.values())

    def assigned(self) -> set[str]:
        """State without differential equations that statements set."""
        model = self.scope.model
        bodies = [model.update, *(list(each.body) for each in [*model.conditions, *model.receivers])]
        found = {each.name for body in bodies for each in walk_statements(body) if isinstance(each, Assign | Declaration)}
        return {own_name(name) for name in found if self.scope.kind.get(name) == "state"} - self.odes.keys()

    def read(self) -> None:
        """Raises NestmlError for what neuropil cannot express."""
        self.scope.random = self.random
        path = self.block(self.scope.model.update, Path(), ChainMap())
        if self.odes.keys() - self.timers and not path.integrated:
            refuse(self.scope.model.place, "the block update must call integrate_odes()")
        self.used_behind_integration = {a.name for a in self.after}.union(*(names(a.value) for a in self.after))
        for handler in self.scope.model.conditions:
            inside = self.branch(handler.trigger, [], Path(integrated=True, may_integrate=False), ChainMap())
            self.block(handler.body, inside, ChainMap())
        self.scope.random = None

    # Statements

    def block(self, body: tuple[Statement, ...] | list[Statement], path: Path, known: Names) -> Path:
        """Statements one after the other."""
        for each in body:
            path = self.statement(each, path, known)
        return path

    def statement(self, statement: Statement, path: Path, known: Names) -> Path:
        """One of them."""
        match statement:
            case If():
                return self.choice(statement, path, known)
            case CallStatement() if statement.call.function == "emit_spike":
                self.emit(statement, path)
            case CallStatement() if statement.call.function == "integrate_odes":
                return self.integrate(statement, path)
            case Assign():
                self.assign(statement, path, known)
            case Declaration() if own_name(statement.name) in self.states | self.odes.keys():
                self.declare_state(statement, path, known)
            case Declaration():
                self.declare(statement, path, known)
            case _:
                what = f"{statement.call.function}()" if isinstance(statement, CallStatement) else "this statement"
                refuse(statement.place, f"{what} in a block of statements is not supported")
        return path

    def choice(self, statement: If, path: Path, known: Names) -> Path:
        """Branches: each is done where its condition holds and none of those before."""
        earlier: list[Expression] = []
        ends, counts = [], {name: len(found) for name, found in self.moves.items()}
        for condition, body in statement.branches:
            inside = self.branch(condition, earlier, path, known)
            earlier.append(inside.condition or condition)
            ends.append(self.block(body, inside, known.new_child()))
        rest = self.branch(None, earlier, path, known) if statement.otherwise else path
        ends.append(self.block(statement.otherwise, rest, known.new_child()))
        moved = frozenset[str]().union(*(end.moved for end in ends))
        for name in frozenset.intersection(*(end.moved for end in ends)) - path.moved - self.timers:
            self.moves[name][counts.get(name, 0) :] = [path.condition]  # in all branches
        return replace(path, moved=moved, integrated=any(end.integrated for end in ends))

    def branch(self, condition: Expression | None, earlier: list[Expression], path: Path, known: Names) -> Path:
        """Where this condition holds, and none of the earlier ones."""
        terms = [path.condition] if path.condition else []
        terms += [Unary(each.place, "not", each) for each in earlier]
        if condition is not None:
            tree = self.converted(condition, known)
            self.check_condition(tree)
            terms.append(tree)
        whole = all_of(terms)
        return replace(path, condition=self.value("case", whole, whole.place, path.integrated, CONDITION))

    def emit(self, statement: CallStatement, path: Path) -> None:
        """One spike more."""
        if statement.call.arguments:
            refuse(statement.place, "emit_spike() with arguments is not supported in a neuron")
        place, one = statement.place, Number(statement.place, 1.0)
        more = one if self.spikes is None else Binary(place, "+", self.spikes, one)
        found = more if path.condition is None else where(path.condition, more, self.spikes or Number(place, 0.0))
        self.spikes = self.value("spikes", found, place, True, Unit())

    def integrate(self, statement: CallStatement, path: Path) -> Path:
        """Variables that move here; timers count down."""
        found = integrals(self.scope, self.odes, statement)
        if not path.may_integrate:
            refuse(statement.place, "integrate_odes() outside of update is not supported")
        if path.integrated and (self.follows or found & path.moved or self.depend(found, path.moved)):
            refuse(statement.place, "integrate_odes() behind another one is supported only where the variables do not depend on each other")
        for name in sorted(found - self.timers):
            self.moves.setdefault(name, []).append(path.condition)
        for name in sorted(found & self.timers):
            self.set_state(name, self.counted(Name(statement.place, name)), replace(path, integrated=True), statement.place)
        return replace(path, moved=path.moved | found, integrated=True)

    def depend(self, found: set[str], earlier: frozenset[str]) -> bool:
        """Whether some of these variables use others."""
        pairs = ((found, earlier), (earlier, found))
        return any(self.uses(self.odes[a].slope) & others for some, others in pairs for a in some)

    def uses(self, tree: Expression) -> set[str]:
        """Names that the expression depends on."""
        return names(self.expanded(tree))

    def counted(self, timer: Expression) -> Expression:
        """One time step less; exactly 0 at the end, whatever has been rounded."""
        place, step = timer.place, Name(timer.place, STEP)
        left = Binary(place, "-", timer, step)
        over = Binary(place, "<", Call(place, "abs", (left,)), Binary(place, "*", Number(place, NEAR), step))
        return where(over, Number(place, 0.0), left)

    # Assignments

    def assign(self, statement: Assign, path: Path, known: Names) -> None:
        """To state, or to a value within the step."""
        name = own_name(statement.name)
        if statement.name in known:
            self.assign_local(statement, path, known)
            return
        if name not in self.states | self.odes.keys():
            kind = self.scope.kind.get(statement.name)
            what = f"is {'an' if kind in ('inline', 'internal') else 'a'} {kind}" if kind else "is no state of the model"
            refuse(statement.place, f"'{statement.name}' {what}: statements may set state and local variables")
        value = self.converted(statement.value, known, spikes=True)
        if has_spikes(value):
            self.add_spikes(statement, path)
            return
        if step_down(statement, integer=False):
            value = self.counted(Name(statement.place, name))
        elif statement.operator != "=":
            value = Binary(statement.place, statement.operator[0], Name(statement.place, name), value)
        self.follows |= path.integrated
        self.set_state(name, self.of_type(statement.name, value, statement.place), path, statement.place)

    def set_state(self, name: str, value: Expression, path: Path, place: Place) -> None:
        """On this path; elsewhere it stays."""
        value = value if path.condition is None else where(path.condition, value, Name(place, name))
        self.add(name, value, place, path.integrated)

    def add_spikes(self, statement: Assign, path: Path) -> None:
        """x += what arrives, behind the integration."""
        if self.follows or path.condition is not None or not path.integrated or statement.operator not in ("+=", "-="):
            refuse(statement.place, "spikes may be added to variables directly behind integrate_odes(), by x += ..., without conditions")
        self.arriving.append(statement)

    def declare_state(self, statement: Declaration, path: Path, known: Names) -> None:
        """A declaration with the name of a state: it would change nothing that the rest of the model sees."""
        place = statement.place
        warnings.warn(
            f"{place.part}, line {place.line}: '{statement.name}' is a state: this declaration is read as an assignment", stacklevel=8
        )
        if statement.value is not None:
            self.assign(Assign(statement.name, "=", statement.value, place), path, known)

    def declare(self, statement: Declaration, path: Path, known: Names) -> None:
        """A value within the step."""
        if statement.value is None:
            refuse(statement.place, f"'{statement.name}' needs a value")
        if self.scope.kind.get(statement.name) or statement.name in self.scope.ports:
            refuse(statement.place, f"'{statement.name}' is a name of the model")
        value = self.converted(statement.value, known)
        boolean = statement.type == Name(statement.place, "boolean")
        kind: Unit | str = CONDITION if boolean else self.scope.quantity(statement).unit
        self.check(statement.name, value, kind, statement.place)
        if statement.type == Name(statement.place, "integer"):
            value = truncated(value, self.scope.is_integer)
        known.maps[0][statement.name] = self.value(own_name(statement.name), value, statement.place, path.integrated, kind)

    def assign_local(self, statement: Assign, path: Path, known: Names) -> None:
        """Another value from here on."""
        old, value = known[statement.name], self.converted(statement.value, known)
        if statement.operator != "=":
            value = Binary(statement.place, statement.operator[0], old, value)
        assert isinstance(old, Name)
        if not path.integrated and old.name in {a.name for a in self.after}:
            refuse(statement.place, f"'{statement.name}' is set behind integrate_odes() in another branch: this is not supported")
        kind = self.scope.locals[old.name]
        self.check(statement.name, value, kind, statement.place)
        if path.condition is not None:
            value = either(path.condition, value, old) if kind == CONDITION else where(path.condition, value, old)
        of = next(scope for scope in known.maps if statement.name in scope)
        of[statement.name] = self.value(own_name(statement.name), value, statement.place, path.integrated, kind)

    def of_type(self, name: str, value: Expression, place: Place) -> Expression:
        """The value as the state has it: integers are cut, conditions are 1 or 0."""
        declaration = self.scope.declared[name]
        if self.scope.is_boolean(name):
            self.check(name, value, CONDITION, place)
            return as_number(value)
        self.check(name, value, self.scope.quantity(declaration).unit, place)
        return truncated(value, self.scope.is_integer) if declaration.type == Name(declaration.place, "integer") else value

    # Lines of the program

    def add(self, name: str, value: Expression, place: Place, late: bool) -> None:
        """One assignment."""
        (self.after if late else self.before).append(Assignment(name, "=", limited(simplified(value)), place))

    def value(self, wish: str, value: Expression, place: Place, late: bool, kind: Unit | str) -> Expression:
        """A value within the step, under a name of its own."""
        name = self.new_name(wish)
        self.scope.locals[name] = kind
        if kind == CONDITION:
            self.conditions.add(name)
        self.add(name, value, place, late)
        return Name(place, name)

    def new_name(self, wish: str) -> str:
        """A name that nothing else has."""
        stem = "value" if forbidden(wish) else wish
        name, k = stem, 2
        while name in self.taken:
            name, k = f"{stem}_{k}", k + 1
        self.taken.add(name)
        return name

    # Expressions

    def converted(self, tree: Expression, known: Mapping[str, Expression], spikes: bool = False) -> Expression:
        """In the language of equations, with inlines written out: they follow state as it is here."""
        found = limited(self.expanded(self.scope.convert(tree, known)))
        if CURRENT in names(found):
            refuse(tree.place, "currents may be used in differential equations only")
        if has_spikes(found) and not spikes:
            refuse(tree.place, "spikes in this statement are not supported")
        return found

    def expanded(self, tree: Expression) -> Expression:
        """With the values of inlines."""
        return changed(
            tree, lambda node: self.expanded(self.parts[node.name]) if isinstance(node, Name) and node.name in self.parts else None
        )

    def random(self, call: Call, arguments: tuple[Expression, ...]) -> Expression:
        """random_normal(mean, deviation) or random_uniform(lowest, range): each place in the text has numbers of its own."""
        if len(arguments) != 2:
            refuse(call.place, f"{call.function}() needs two arguments")
        kind = call.function.removeprefix("random_")
        name = self.new_name(kind)
        self.draws[name], self.scope.locals[name] = kind, Unit()
        scaled = Binary(call.place, "*", arguments[1], Name(call.place, name))
        return scaled if arguments[0] == Number(call.place, 0.0) else Binary(call.place, "+", arguments[0], scaled)

    def check_condition(self, tree: Expression) -> None:
        """The tree is a condition."""
        if not is_condition(tree, self.conditions):
            refuse(tree.place, "a condition is needed here")
        self.scope.kind_of(tree)

    def check(self, name: str, value: Expression, kind: Unit | str, place: Place) -> None:
        """The value must have the type of what it is assigned to."""
        if (kind == CONDITION) != is_condition(value, self.conditions):
            refuse(place, f"'{name}' is {'a boolean' if kind == CONDITION else 'no boolean'}, unlike this value")
        if kind == CONDITION:
            self.scope.kind_of(value)
            return
        found = self.scope.unit_of(value)
        if self.scope.checked and found is not None and found != kind:
            refuse(place, f"'{name}' has another unit than its value", UnitsDifferError)

    # Spikes that arrive

    @property
    def receiving(self) -> set[str]:
        """What spikes may be added to: variables, and numbers that statements set."""
        own = {own_name(name): declaration for name, declaration in self.scope.declared.items()}
        plain = {name for name in self.states if not self.scope.is_boolean(own[name].name) and not self.scope.quantity(own[name]).ten}
        return (self.odes.keys() - self.timers) | plain

    def cases(self, statement: If, condition: Expression | None) -> list[tuple[Expression, tuple[Statement, ...]]]:
        """Statements of each branch, with the whole condition under which they are done."""
        found, terms = [], [condition] if condition else []
        for test, body in statement.branches:
            tree = self.converted(test, {})
            self.check_condition(tree)
            found.append((all_of([*terms, tree]), body))
            terms.append(Unary(test.place, "not", tree))
        return [*found, (all_of(terms), statement.otherwise)]

    # Results

    def held(self) -> tuple[str, ...]:
        """Variables that move in some steps only. Adds the condition `free`."""
        held = {name: found for name, found in self.moves.items() if None not in found}
        if missing := sorted(self.odes.keys() - self.timers - self.moves.keys()):
            refuse(self.odes[missing[0]].place, f"'{missing[0]}' is never integrated")
        whole = [joined([each for each in found if each is not None]) for found in held.values()]
        if any(each != whole[0] for each in whole):
            place = self.odes[next(reversed(held))].place
            refuse(place, f"{', '.join(held)} are integrated under different conditions: this is not supported")
        if whole:
            self.free = whole[0] if isinstance(whole[0], Name) else self.value("moves", whole[0], whole[0].place, False, CONDITION)
        return tuple(name for name in self.odes if name in held)

    def program(self) -> Program:
        """What has been read, without values that nothing uses."""
        free, spikes = (each.name if isinstance(each, Name) else "" for each in (self.free, self.spikes))
        used, kept = {free, spikes}, []
        for each in reversed([*self.before, *self.after]):
            if each.name in used or each.name not in self.scope.locals:
                kept.append(each)
                used |= names(each.value)
        before, after = (tuple(each for each in some if each in kept) for some in (self.before, self.after))
        draws = {name: kind for name, kind in self.draws.items() if name in used}
        return Program(before, after, frozenset(self.conditions & used), draws, (), free, spikes)


def where(condition: Expression, a: Expression, b: Expression) -> Expression:
    return Call(condition.place, "where", (condition, a, b))


def either(condition: Expression, a: Expression, b: Expression) -> Expression:
    """The same for conditions."""
    place = condition.place
    other = Binary(place, "and", Unary(place, "not", condition), b)
    return Binary(place, "or", Binary(place, "and", condition, a), other)


def all_of(conditions: list[Expression]) -> Expression:
    whole = conditions[0]
    for each in conditions[1:]:
        whole = Binary(each.place, "and", whole, each)
    return whole


def joined(conditions: list[Expression]) -> Expression:
    whole = conditions[0]
    for each in conditions[1:]:
        whole = Binary(each.place, "or", whole, each)
    return whole
