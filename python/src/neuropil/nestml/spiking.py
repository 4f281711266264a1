# SPDX-License-Identifier: Apache-2.0
"""What `update` and `onCondition` do: threshold, reset and refractoriness. Statements that are none of these are refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..equations.errors import Place
from ..equations.expressions import Binary, Call, Expression, Name, Number, Unary, changed, names, walk
from ..equations.inference import constant
from ..equations.names import CURRENT
from ..equations.simplify import simplified
from ..equations.units import EXPRESSION_SYMBOLS, SYMBOLS
from .errors import refuse
from .inputs import OdeLine, has_spikes
from .scope import Scope, own_name
from .syntax import Assign, CallStatement, If, Statement, walk_statements

__all__ = ["Reset", "Spiking", "integrals", "is_minus_one", "step_down"]


@dataclass(frozen=True)
class Reset:
    """name operator value, when a spike is sent."""

    name: str
    operator: str
    value: Expression
    place: Place


@dataclass
class Spiking:
    """Reads the statements of a model. odes: its differential equations."""

    scope: Scope
    odes: dict[str, OdeLine]
    threshold: Expression | None = None
    reset: list[Reset] = field(default_factory=list)
    refractory: str | None = None
    held: set[str] = field(default_factory=set)  # not integrated while the neuron is refractory
    timers: set[str] = field(default_factory=set)  # variables that say when refractoriness ends
    spike_at: Place | None = None
    arriving: list[Assign] = field(default_factory=list)  # spikes that `update` adds
    after: list[Reset] = field(default_factory=list)  # what `update` does behind integrate_odes()
    previous: dict[str, str] = field(default_factory=dict)  # state that keeps the value that a variable had before the step
    set_at_spike: set[str] = field(default_factory=set)
    guarded: bool = False  # the condition of the spike says that the neuron is not refractory

    def read(self) -> None:
        """Raises NestmlError where statements do something else."""
        model = self.scope.model
        self.flags = {d.name for d in model.state if self.scope.is_boolean(d.name)}
        self.timers = self.counting_down()
        self.integrated = False
        self.ends: list[Assign] = []
        self.moved: set[str] = set()  # timers that count down in `update`
        for statement in model.update:
            self.of_update(statement)
        if not self.integrated:
            refuse(model.place, "the block update must call integrate_odes()")
        for handler in model.conditions:
            self.condition(handler.trigger, handler.body, handler.place)
        self.timers &= self.set_at_spike
        self.check()

    def counting_down(self) -> set[str]:
        """Variables that may be timers: x' = -1, or x -= 1 and x -= resolution() in `update`."""
        found = {name for name, line in self.odes.items() if is_minus_one(line.slope)}
        for each in walk_statements(self.scope.model.update):
            if isinstance(each, Assign) and own_name(each.name) not in self.odes and self.is_step_down(each):
                found.add(each.name)
        return found

    # update

    def of_update(self, statement: Statement) -> None:
        """One statement of `update`."""
        match statement:
            case CallStatement():
                self.hold(integrals(self.scope, self.odes, statement))
            case If() if any(is_emit(each) for each in walk_statements([statement])) and not self.branches_of(statement):
                self.spike_in_update(statement)
            case If() if branches := self.branches_of(statement):
                free, held = (self.branch(body, statement.place, kind == 0) for kind, body in enumerate(branches))
                if missing := sorted(self.odes.keys() - free - self.timers):
                    refuse(statement.place, f"{missing[0]} is not integrated where the neuron is not refractory: this is not supported")
                self.hold(held)
            case Assign() if self.integrated and own_name(statement.name) in self.odes:
                self.after_step(statement)
            case If() if self.integrated and len(statement.branches) == 1 and not statement.otherwise:
                self.after_step_where(statement)
            case Assign() if self.is_memory(statement):
                self.previous[own_name(statement.name)] = own_name(str(getattr(statement.value, "name", "")))
            case _:
                refuse(statement.place, "this statement in update is not supported: only integrate_odes(), refractoriness and spikes are")

    def is_memory(self, statement: Assign) -> bool:
        """V_m_old = V_m, before integrate_odes()."""
        value, name = statement.value, own_name(statement.name)
        if self.integrated or statement.operator != "=" or not isinstance(value, Name) or own_name(value.name) not in self.odes:
            return False
        return self.scope.kind.get(statement.name) == "state" and name not in self.odes and name not in self.previous

    def hold(self, integrated: set[str]) -> None:
        """Those that are not integrated are held."""
        if self.integrated:
            refuse(self.scope.model.place, "integrate_odes() is called more than once in a step: this is not supported")
        self.integrated = True
        self.held = self.odes.keys() - integrated
        self.moved |= integrated & self.timers

    def branches_of(self, statement: If) -> tuple[tuple[Statement, ...], tuple[Statement, ...]] | None:
        """What is done while the neuron is not refractory, and while it is."""
        if len(statement.branches) == 2 and not statement.otherwise:
            (first, one), (second, two) = statement.branches
            tests = self.test(first), self.test(second)
            if None in tests or tests[0] == tests[1]:
                return None
            return (one, two) if tests[0] == "free" else (two, one)
        if len(statement.branches) != 1:
            return None
        condition, body = statement.branches[0]
        match self.test(condition):
            case "free":
                return body, statement.otherwise
            case "held":
                return statement.otherwise, body
        return None

    def after_step(self, statement: Assign) -> None:
        """Spikes that are added, or a variable that is kept within bounds."""
        value = self.scope.convert(statement.value)
        if not has_spikes(value):
            if CURRENT in names(value):
                refuse(statement.place, "currents may be used in differential equations only")
            self.after.append(Reset(own_name(statement.name), statement.operator, value, statement.place))
        elif self.after or statement.operator not in ("+=", "-="):
            refuse(statement.place, "spikes may be added to variables directly behind integrate_odes(), by x += ...")
        else:
            self.arriving.append(statement)

    def after_step_where(self, statement: If) -> None:
        """if V_m < V_min: V_m = V_min."""
        condition, body = statement.branches[0]
        if len(body) != 1 or not isinstance(body[0], Assign) or body[0].operator != "=" or own_name(body[0].name) not in self.odes:
            refuse(statement.place, "this statement in update is not supported: behind integrate_odes(), 'if' may set one variable")
        name = Name(statement.place, body[0].name)
        value = Call(statement.place, "where", (condition, body[0].value, name))
        if has_spikes(self.scope.convert(value)):
            refuse(statement.place, "spikes in this statement in update are not supported")
        self.after_step(Assign(body[0].name, "=", value, statement.place))

    def is_free(self, statement: Statement) -> bool:
        """if refr_t <= 0: ..., and nothing else."""
        return (
            isinstance(statement, If)
            and len(statement.branches) == 1
            and not statement.otherwise
            and self.test(statement.branches[0][0]) == "free"
        )

    def branch(self, body: tuple[Statement, ...], place: Place, free: bool) -> set[str]:
        """What a branch integrates."""
        found: set[str] = set()
        for each in body:
            if isinstance(each, CallStatement):
                found |= integrals(self.scope, self.odes, each)
            elif not free and isinstance(each, Assign) and each.name in self.timers and self.is_step_down(each):
                self.moved.add(each.name)
            elif free and isinstance(each, If) and any(map(is_emit, walk_statements([each]))) and each is body[-1]:
                self.spike_in_update(each)
                self.guarded = True
            else:
                refuse(each.place, "this statement in update is not supported: only integrate_odes(), refractoriness and spikes are")
        return found

    def spike_in_update(self, statement: If) -> None:
        """if V_m >= V_th: ... emit_spike()."""
        if len(statement.branches) != 1 or statement.otherwise:
            refuse(statement.place, "a spike in a statement with several branches is not supported")
        self.condition(*statement.branches[0], statement.place)

    # Conditions

    def test(self, tree: Expression) -> str | None:
        """Whether a condition says that the neuron is "held", that is, refractory, or "free"."""
        other = {"held": "free", "free": "held", None: None}
        match tree:
            case Unary(operator="not"):
                return other[self.test(tree.operand)]
            case Name() if tree.name in self.flags:
                return "held"
            case Binary(left=Name(name=name), operator=operator) if name in self.timers and self.is_over(tree.right):
                meanings = {">": "held", "<=": "free"} | ({"==": "free", "!=": "held"} if self.is_integer(name) else {})
                return meanings.get(operator)
        return None

    def is_integer(self, name: str) -> bool:
        """Whether a timer counts steps; others may miss 0 by rounding."""
        declared = self.scope.declared.get(name)
        return declared is not None and declared.type == Name(declared.place, "integer")

    def is_over(self, tree: Expression) -> bool:
        """0, or half a time step."""
        if is_step(tree, 0.5):
            return True
        return not names(tree) & self.scope.declared.keys() and not has_calls(tree) and value_is(simplified(self.scope.convert(tree)), 0.0)

    def is_step_down(self, statement: Assign) -> bool:
        """x -= resolution(), or x -= 1."""
        return step_down(statement, self.is_integer(statement.name))

    def condition(self, trigger: Expression, body: tuple[Statement, ...], place: Place) -> None:
        """What is done where a condition holds: a spike, or the end of refractoriness."""
        parts = conjunction(trigger)
        tests = [self.test(each) for each in parts]
        if not any(map(is_emit, body)):
            self.end_of_refractoriness(tests, body, place)
            return
        if self.spike_at is not None:
            refuse(place, "more than one condition for spikes is not supported")
        self.spike_at = place
        if "held" in tests:
            refuse(place, "spikes of refractory neurons are not supported")
        self.guarded = self.guarded or "free" in tests
        rest = [self.scope.convert(each) for each, test in zip(parts, tests, strict=True) if test is None]
        if not rest:
            refuse(place, "spikes without a threshold are not supported")
        self.threshold = rest[0]
        for each in rest[1:]:
            self.threshold = Binary(each.place, "and", self.threshold, each)
        for statement in body:
            self.of_spike(statement)

    def of_spike(self, statement: Statement) -> None:
        """What a spike does."""
        match statement:
            case CallStatement() if is_emit(statement):
                if statement.call.arguments:
                    refuse(statement.place, "emit_spike() with arguments is not supported in a neuron")
            case Assign() if statement.name in self.flags:
                if statement.value != Name(statement.place, "true"):
                    refuse(statement.place, f"'{statement.name}' says that the neuron is refractory; a spike must set it to true")
                self.set_at_spike.add(statement.name)
            case Assign() if statement.name in self.timers:
                self.refractory = self.period(statement)
                self.set_at_spike.add(statement.name)
            case Assign() if own_name(statement.name) in self.odes:
                value = self.scope.convert(statement.value)
                self.reset.append(Reset(own_name(statement.name), statement.operator, value, statement.place))
            case _:
                refuse(
                    statement.place,
                    "this statement at a spike is not supported: only assignments to variables with differential equations are",
                )

    def period(self, statement: Assign) -> str:
        """The parameter with the refractory period: refr_t = refr_T, r = steps(t_ref), or an internal with this value."""
        value, integer = statement.value, self.is_integer(statement.name)
        while (
            isinstance(value, Name) and self.scope.kind.get(value.name) == "internal" and self.scope.declared[value.name].value is not None
        ):
            inner = self.scope.declared[value.name].value
            assert inner is not None
            value = inner
        if integer and isinstance(value, Call) and value.function == "steps" and len(value.arguments) == 1:
            value, integer = value.arguments[0], False
        if integer or statement.operator != "=" or not isinstance(value, Name) or self.scope.kind.get(value.name) != "parameter":
            refuse(statement.place, "the refractory period must be a parameter: refr_t = refr_T, or a count of steps(refr_T)")
        return own_name(value.name)

    def end_of_refractoriness(self, tests: list[str | None], body: tuple[Statement, ...], place: Place) -> None:
        """onCondition(is_refractory and refr_t <= resolution()/2): the flag and the timer are cleared."""
        if None in tests or "free" not in tests:
            refuse(place, "a condition without emit_spike() is supported only where it ends refractoriness")
        for each in body:
            ends_flag = isinstance(each, Assign) and each.name in self.flags and each.value == Name(each.place, "false")
            ends_timer = isinstance(each, Assign) and each.name in self.timers and self.is_over(each.value) and each.operator == "="
            if not (ends_flag or ends_timer) or not isinstance(each, Assign):
                refuse(each.place, "this statement at the end of refractoriness is not supported")
            self.ends.append(each)

    # Checks

    def check(self) -> None:
        """Timers and flags must work together as refractoriness."""
        place = self.spike_at or self.scope.model.place
        ended = {each.name for each in self.ends}
        flags = self.set_at_spike & self.flags
        if self.refractory is None:
            if self.held or self.guarded or flags:
                refuse(place, "variables are held, but no spike sets the time of refractoriness")
            return
        if len(self.timers) != 1 or not self.timers <= self.moved:
            refuse(place, "refractoriness needs one timer that counts down in update")
        if flags - ended or self.flags - flags:
            refuse(place, "a flag of refractoriness must be set at the spike, and cleared in onCondition when the timer is over")
        self.held -= self.timers
        if not self.guarded and not self.cannot_fire():
            refuse(place, "the condition of the spike must say that the neuron is not refractory")

    def cannot_fire(self) -> bool:
        """Whether a variable that is held after the reset keeps the neuron below its threshold."""
        match self.threshold:
            case Binary(operator=">" | ">=", left=Name(name=name)) if {name} == self.held:
                values = [r.value for r in self.reset if r.name in self.held and r.operator == "="]
                changing = {own_name(n) for n, kind in self.scope.kind.items() if kind in ("state", "inline")}
                if len(values) != 1 or (names(values[0]) | names(self.threshold.right)) & changing:
                    return False
                return self.scope.number(values[0]) < self.scope.number(self.threshold.right)
        return False


def integrals(scope: Scope, odes: Mapping[str, OdeLine], statement: CallStatement) -> set[str]:
    """Variables that integrate_odes() integrates."""
    if statement.call.function != "integrate_odes":
        refuse(statement.place, f"{statement.call.function}() in update is not supported")
    families = {own_name(e.name): {own_name(e.name + "'" * n) for n in range(e.order)} for e in scope.model.equations}
    found = set()
    for each in statement.call.arguments:
        name = own_name(each.name.rstrip("'")) if isinstance(each, Name) else ""
        if name not in families:
            if isinstance(each, Name) and each.name in {kernel.name for kernel in scope.model.kernels}:
                continue
            refuse(each.place, "integrate_odes() takes names of variables that have differential equations")
        found |= families[name]
    return found if statement.call.arguments else set(odes)


def step_down(statement: Assign, integer: bool) -> bool:
    """x -= resolution(), of integers x -= 1, and the same with x = x - ..."""
    value = statement.value
    if statement.operator == "=":
        if not isinstance(value, Binary) or value.operator != "-" or value.left != Name(value.place, statement.name):
            return False
        value = value.right
    elif statement.operator != "-=":
        return False
    return (constant(value) == 1.0 and integer) or (is_step(value, 1.0) and not integer)


def conjunction(tree: Expression) -> list[Expression]:
    if isinstance(tree, Binary) and tree.operator == "and":
        return conjunction(tree.left) + conjunction(tree.right)
    return [tree]


def is_emit(statement: Statement) -> bool:
    return isinstance(statement, CallStatement) and statement.call.function == "emit_spike"


def is_step(tree: Expression, factor: float) -> bool:
    """Whether this is the time step, times the factor."""
    match tree:
        case Call(function="resolution" | "timestep", arguments=()):
            return factor == 1.0
        case Binary(operator="/", right=Number(value=n)) if n:
            return is_step(tree.left, factor * n)
        case Binary(operator="*", right=Number(value=n)) if n:
            return is_step(tree.left, factor / n)
        case Binary(operator="*", left=Number(value=n)) if n:
            return is_step(tree.right, factor / n)
    return False


def has_calls(tree: Expression) -> bool:
    return any(isinstance(node, Call) for node in walk(tree))


def without_units(tree: Expression) -> Expression:
    def change(node: Expression) -> Expression | None:
        return Number(node.place, SYMBOLS[node.name][1]) if isinstance(node, Name) and node.name in EXPRESSION_SYMBOLS else None

    return simplified(changed(tree, change))


def value_is(tree: Expression, value: float) -> bool:
    return constant(without_units(tree)) == value


def is_minus_one(tree: Expression) -> bool:
    """Whether this is -1, whatever its unit."""
    return value_is(tree, -1.0)
