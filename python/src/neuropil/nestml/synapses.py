# SPDX-License-Identifier: Apache-2.0
"""From a NESTML synapse to the arguments of `neuropil.synapse_model`: what each spike does, without branches, and who changes which state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from ..equations.errors import EquationError, Place
from ..equations.expressions import Binary, Call, Expression, Name, Number, Unary, changed, names, text_of, walk
from ..equations.inference import Unchecked
from ..equations.names import forbidden
from ..equations.synapse_reading import describe_synapse
from ..equations.synapse_rule import ELAPSED, TIME, WEIGHT, Rule
from ..equations.units import SYMBOLS, named
from ..errors import NeuropilError
from ..model.catalog import synapses
from .conditions import as_condition, as_number, is_condition, truncated
from .errors import NestmlError, refuse
from .scope import Scope, limited, own_name
from .syntax import Assign, CallStatement, Declaration, Handler, If, Model, Statement, walk_statements
from .units import scaled

__all__ = ["is_synapse", "synapse_rule"]

PARTS = {"pre": "on_pre", "post": "on_post", "third": "on_third", "between": "between"}


@dataclass(frozen=True)
class Done:
    """A statement of equations, and where it comes from."""

    name: str
    operator: str
    value: Expression
    place: Place

    def __str__(self) -> str:
        return f"{self.name} {self.operator} {text_of(self.value)}"


@dataclass
class Body:
    """Statements at one kind of event."""

    part: str
    done: list[Done] = field(default_factory=list)
    sent: Expression | None = None
    integrated: bool = False


def is_synapse(model: Model) -> bool:
    """Synapses send spikes where spikes arrive."""
    return any(emits(each) for handler in model.receivers for each in walk_statements(handler.body))


def emits(statement: Statement) -> bool:
    return isinstance(statement, CallStatement) and statement.call.function == "emit_spike"


def synapse_rule(model: Model) -> Rule:
    """The rule of a synapse. Raises NestmlError for what neuropil cannot express."""
    return SynapseTranslation(model).rule()


class SynapseTranslation:
    """One model. Units are not checked: numbers are in mV, ms, pA and mM."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.scope = Scope(model, checked=False)
        self.scope.random = lambda call, arguments: Call(call.place, call.function, arguments)
        self.handlers = self.ports()
        self.weight = self.weight_name()
        self.called = self.new_names()
        self.taken = set(self.called.values())
        self.booleans: set[str] = set()  # values of blocks that are true or false
        self.odes = {own_name(each.name): each for each in model.equations}
        self.refuse_parts()
        self.bodies = {part: Body(part) for part in PARTS}
        for part, handler in self.handlers.items():
            self.block(handler.body, self.bodies[part], None, {})
        self.block(tuple(model.update), self.bodies["between"], None, {})
        self.decays = self.decaying()

    # What there is

    def ports(self) -> dict[str, Handler]:
        """The blocks onReceive by who spikes: "pre" is the one that sends, "post" has a port post..., "third" is another one."""
        found: dict[str, Handler] = {}
        for handler in self.model.receivers:
            name = handler.trigger.name if isinstance(handler.trigger, Name) else ""
            if name not in self.scope.ports or self.scope.ports[name].kind != "spike":
                refuse(handler.place, "onReceive takes the name of a port of spikes")
            part = "pre" if any(map(emits, walk_statements(handler.body))) else "post" if name.startswith("post") else "third"
            if part in found:
                what = {"pre": "sends spikes", "post": "is for spikes of the target", "third": "is for spikes of a third factor"}[part]
                refuse(handler.place, f"a second block onReceive that {what}: this is not supported")
            found[part] = handler
        return found

    def weight_name(self) -> str:
        """The state or parameter `w` or `weight`; else what emit_spike() is given."""
        for name in ("w", "weight"):
            if name in self.scope.declared:
                return name
        for each in walk_statements(self.handlers["pre"].body):
            if isinstance(each, CallStatement) and emits(each):
                match each.call.arguments:
                    case (Name(name=name), *_) if self.scope.kind.get(name) in ("state", "parameter"):
                        return name
                refuse(each.place, "the weight must be called w or weight, or be what emit_spike() is given")
        raise AssertionError

    def new_names(self) -> dict[str, str]:
        """Names that are called something else in equations, as they have a meaning there."""
        found = {own_name(self.weight): WEIGHT}
        own = {own_name(name) for name in self.scope.declared}
        for name in sorted(own - found.keys()):
            found[name] = self.free_name(name, own | set(found.values())) if forbidden(name) or name == WEIGHT else name
        return found

    def free_name(self, name: str, taken: set[str]) -> str:
        """A name like this one that may be used and is not taken."""
        base = "_".join(filter(None, name.split("_"))) or "value"
        tries = (base, *(f"{base}_{k}" for k in range(1, 1000)))
        return next(each for each in tries if each not in taken and not forbidden(each) and each not in (WEIGHT, ELAPSED))

    def refuse_parts(self) -> None:
        """Blocks and inputs that synapses of equations do not have."""
        if self.model.conditions:
            refuse(
                self.model.conditions[0].place, "onCondition is not supported in a synapse, which a model with emit_spike() in onReceive is"
            )
        if self.model.kernels:
            refuse(self.model.kernels[0].place, "kernels in a synapse are not supported")
        for equation in self.model.equations:
            if equation.order > 1:
                refuse(equation.place, "differential equations of higher order in a synapse are not supported")
            if self.scope.kind.get(equation.name) != "state":
                refuse(equation.place, f"{equation.name} has a differential equation and is not in the block state")

    # Expressions

    def converted(self, tree: Expression, known: dict[str, Name]) -> Expression:
        """In the language of equations. known : values within the block."""
        self.refuse_calls(tree)
        tree = changed(tree, lambda node: Name(node.place, ELAPSED) if is_call(node, "timestep") else None)
        same = {name: Name(tree.place, name) for name in (TIME, ELAPSED, *self.continuous())}
        values = {name: as_condition(each) if each.name in self.booleans else each for name, each in known.items()}
        local = {each.name for each in (*same.values(), *known.values())}
        return limited(self.renamed(self.written_out(self.scope.convert(tree, same | values)), local))

    def refuse_calls(self, tree: Expression) -> None:
        if resolution := find(tree, lambda node: is_call(node, "resolution")):
            refuse(
                resolution.place,
                "resolution() in a synapse is not supported: it has no time step; timestep() is the time between two events",
            )
        ports = {name for name, port in self.scope.ports.items() if name not in self.scope.declared and port.kind == "spike"}
        if port := find(tree, lambda node: isinstance(node, Name) and node.name in ports):
            assert isinstance(port, Name)
            refuse(port.place, f"'{port.name}', spikes in an expression of a synapse, is not supported")

    def written_out(self, tree: Expression) -> Expression:
        """With the values of inlines."""
        inlines = {own_name(each.name): each for each in self.model.inlines}

        def value(node: Expression) -> Expression | None:
            if not isinstance(node, Name) or node.name not in inlines:
                return None
            given = inlines[node.name].value
            assert given is not None
            self.refuse_calls(given)
            return self.written_out(self.scope.convert(given, {TIME: Name(node.place, TIME)}))

        return limited(changed(tree, value))

    def renamed(self, tree: Expression, local: set[str]) -> Expression:
        """With the names of equations."""

        def change(node: Expression) -> Expression | None:
            if not isinstance(node, Name) or node.name in local or node.name not in self.called:
                return None
            return Name(node.place, self.called[node.name])

        return changed(tree, change)

    # Statements

    def block(self, body: tuple[Statement, ...], to: Body, condition: Expression | None, known: dict[str, Name]) -> None:
        """Statements one after the other. condition : under which they are done, a value of the block; known : its values by their names."""
        for each in body:
            match each:
                case If():
                    self.choice(each, to, condition, known)
                case Declaration():
                    self.declare(each, to, known)
                case Assign():
                    self.assign(each, to, condition, known)
                case CallStatement() if emits(each):
                    self.emit(each, to, condition, known)
                case CallStatement() if each.call.function == "integrate_odes" and to.part == "between":
                    self.integrate(each, to, condition)
                case _:
                    what = f"{each.call.function}()" if isinstance(each, CallStatement) else "this statement"
                    refuse(each.place, f"{what} in a synapse is not supported here")

    def choice(self, statement: If, to: Body, condition: Expression | None, known: dict[str, Name]) -> None:
        """Branches: each is done where its condition holds and none of those before."""
        place, earlier = statement.place, list[Expression]()
        for test, body in (*statement.branches, (None, statement.otherwise)):
            terms = [*([condition] if condition else []), *(Unary(place, "not", each) for each in earlier)]
            if test is not None:
                tree = self.converted(test, known)
                if not is_condition(tree):
                    refuse(test.place, f"{text_of(tree)} is no condition")
                terms.append(tree)
            if not body and test is None:
                continue
            whole = terms[0]
            for term in terms[1:]:
                whole = Binary(place, "and", whole, term)
            case = Name(place, self.local("case"))
            to.done.append(Done(case.name, "=", as_number(whole), place))
            earlier.append(as_condition(case))
            self.block(body, to, as_condition(case), dict(known))

    def local(self, wish: str) -> str:
        """A name for a value of a block."""
        name = self.free_name(wish, self.taken)
        self.taken.add(name)
        return name

    def declare(self, statement: Declaration, to: Body, known: dict[str, Name]) -> None:
        """A value of the block."""
        if statement.value is None or statement.name in self.scope.declared or statement.size is not None:
            why = "needs a value" if statement.value is None else "is a vector" if statement.size else "is a name of the model"
            refuse(statement.place, f"'{statement.name}' {why}: this declaration in a synapse is not supported")
        value = self.of_type(statement, self.converted(statement.value, known))
        name = Name(statement.place, self.local(own_name(statement.name)))
        to.done.append(Done(name.name, "=", value, statement.place))
        known[statement.name] = name
        if statement.type == Name(statement.place, "boolean"):
            self.booleans.add(name.name)

    def of_type(self, declaration: Declaration, value: Expression) -> Expression:
        """Booleans are 1 or 0, integers are cut."""
        if declaration.type == Name(declaration.place, "boolean"):
            return as_number(value)
        return truncated(value, self.scope.is_integer) if declaration.type == Name(declaration.place, "integer") else value

    def assign(self, statement: Assign, to: Body, condition: Expression | None, known: dict[str, Name]) -> None:
        """To state, or to a value of the block."""
        name, place = statement.name, statement.place
        if statement.index is not None:
            refuse(place, "vectors in a synapse are not supported")
        value = self.converted(statement.value, known)
        if name in known:
            target = known[name]
            value = as_number(value) if target.name in self.booleans else value
        else:
            if self.scope.kind.get(name) != "state" and name != self.weight:
                refuse(place, f"'{name}' is no state of the model: statements may set state and local variables")
            target, value = Name(place, self.called[own_name(name)]), self.of_type(self.scope.declared[name], value)
        if to.integrated and (target.name in self.own_odes() or names(value) & self.own_odes()):
            refuse(place, "this statement behind integrate_odes() is not supported: write it before, with the values of that time")
        operator = statement.operator
        if condition is not None:
            value = value if operator == "=" else Binary(place, operator[0], target, value)
            operator, value = "=", Call(place, "where", (condition, value, target))
        to.done.append(Done(target.name, operator, limited(value), place))

    def own_odes(self) -> set[str]:
        """Variables with differential equations."""
        return {self.called[name] for name in self.odes}

    def emit(self, statement: CallStatement, to: Body, condition: Expression | None, known: dict[str, Name]) -> None:
        """What is sent: a weight, and a delay that Connect gives."""
        place, (first, *rest) = statement.place, (*statement.call.arguments, None)
        if first is None or len(statement.call.arguments) > 2 or to.sent is not None:
            why = (
                "a second emit_spike()"
                if to.sent
                else "emit_spike() without a weight"
                if first is None
                else "emit_spike() with these arguments"
            )
            refuse(place, f"{why} in a synapse is not supported")
        if rest[0] is not None and not self.is_constant(rest[0]):
            refuse(place, "a delay that changes is not supported: connections have the delay that connect() gives them")
        value = self.converted(first, known)
        if condition is not None:
            value = Call(place, "where", (condition, value, Number(place, 0.0)))
        name = self.local("sent")
        to.done.append(Done(name, "=", value, place))
        to.sent = Name(place, name)

    def is_constant(self, tree: Expression) -> bool:
        """Whether no statement changes what it depends on."""
        every = [*self.model.update, *(each for handler in self.model.receivers for each in handler.body)]
        set_there = {each.name for each in walk_statements(every) if isinstance(each, Assign)}
        return not names(tree) & set_there

    def integrate(self, statement: CallStatement, to: Body, condition: Expression | None) -> None:
        """All variables decay."""
        given = {own_name(each.name) for each in statement.call.arguments if isinstance(each, Name)} or {*self.odes}
        if condition is not None or to.integrated or given != self.odes.keys():
            refuse(statement.place, "in a synapse, integrate_odes() must be called once, without conditions, for all variables")
        to.integrated = True

    # Who changes what

    def decaying(self) -> dict[str, tuple[Expression, Place]]:
        """Variables that `update` itself lets decay, x = x * exp(-timestep() / tau), with their time constants."""
        body, found = self.bodies["between"], dict[str, tuple[Expression, Place]]()
        for k, each in enumerate(body.done):
            tau = decay_of(each)
            later = body.done[k + 1 :]
            once = sum(other.name == each.name for other in body.done) == 1
            if tau is not None and once and not any(each.name in names(other.value) for other in later) and self.of_parameters(tau):
                found[each.name] = tau, each.place
        body.done = [each for each in body.done if each.name not in found]
        return found

    def of_parameters(self, tree: Expression) -> bool:
        """Whether it follows from parameters."""
        fixed = {self.called[own_name(name)] for name, kind in self.scope.kind.items() if kind in ("parameter", "internal")}
        return names(tree) <= fixed

    def kinds(self) -> dict[str, str]:
        """Who changes each variable, as flags of equations."""
        by = {part: {each.name for each in body.done} for part, body in self.bodies.items()}
        found = {}
        for declaration in self.model.state:
            name = self.called[own_name(declaration.name)]
            who = [part for part, changed_there in by.items() if name in changed_there]
            if "third" in who and len(who) > 1:
                refuse(declaration.place, f"'{name}' is changed by spikes of a third factor and by others: this is not supported")
            if name != WEIGHT and (who or name in self.own_odes() or name in self.decays):
                found[name] = who[0] if len(who) == 1 and who != ["between"] else "synapse"
        return found

    # Arguments of `synapse_model`

    def rule(self) -> Rule:
        """Raises NestmlError."""
        sent = self.bodies["pre"].sent
        assert sent is not None
        transmit = self.transmit(sent)
        lines = self.lines()
        trees = [each.value for body in self.bodies.values() for each in body.done] + [transmit, *(value for *_, value, _ in lines)]
        lines += self.internals(trees)
        kept = {name for name, *_ in lines}
        texts = {PARTS[part]: "\n".join(map(str, body.done)) for part, body in self.bodies.items()}
        places = {PARTS[part]: [each.place for each in body.done] for part, body in self.bodies.items()}
        places |= {"equations": [place for *_, place in lines], "transmit": [transmit.place]}
        equations = "\n".join(f"{head} = {text_of(value)} : {tail}" for _, head, tail, value, _ in lines)
        try:
            return describe_synapse(
                usable_name(self.model.name), equations, texts["on_pre"], texts["on_post"], self.parameters(trees + [v for *_, v, _ in lines], kept),
                self.bounds(), text_of(transmit), self.initial(kept), "", texts["on_third"], texts["between"], self.shown(trees), Unchecked(),
            )  # fmt: skip
        except NestmlError:
            raise
        except EquationError as error:
            known = places.get(error.part, [])
            self.fail(known[error.line - 1] if 0 < error.line <= len(known) else self.model.place, error)
        except NeuropilError as error:
            raise NestmlError(f"{self.model.place.part}: {error}", self.model.place.part) from None

    def fail(self, place: Place, error: EquationError) -> NoReturn:
        refuse(place, str(error).partition("\n")[0].partition(": ")[2] + f" (in {error.text.strip()})" * bool(error.text))

    def transmit(self, sent: Expression) -> Expression:
        """What is sent, without a name where it is the last that is done."""
        done = self.bodies["pre"].done
        if done[-1].name != text_of(sent):
            return sent
        return done.pop().value

    def lines(self) -> list[tuple[str, str, str, Expression, Place]]:
        """Variables: name, left side, unit and flag, right side, place."""
        found, kinds = [], self.kinds()
        for declaration in self.model.state:
            name = self.called[own_name(declaration.name)]
            if name not in kinds:
                continue
            place, slope = declaration.place, Number(declaration.place, 0.0)
            value: Expression = slope
            if name in self.decays:
                tau, place = self.decays[name]
                value = Binary(place, "/", Unary(place, "negative", Name(place, name)), tau)
            if own_name(declaration.name) in self.odes:
                equation = self.odes[own_name(declaration.name)]
                place, value = equation.place, self.converted(equation.value, {})
                if not self.bodies["between"].integrated:
                    refuse(place, "the block update must call integrate_odes()")
            unit = named(self.scope.quantity(declaration).unit) or "1"
            found.append((name, f"d{name}/dt", f"{unit} ({kinds[name]})", value, place))
        return found

    def internals(self, trees: list[Expression]) -> list[tuple[str, str, str, Expression, Place]]:
        """Values that follow from parameters, those that others use first."""
        found: list[tuple[str, str, str, Expression, Place]] = []
        used = set().union(*(names(tree) for tree in trees))
        for declaration in reversed(self.model.internals):
            name = self.called[own_name(declaration.name)]
            if name in used and declaration.value is not None:
                value = self.converted(declaration.value, {})
                used |= names(value)
                unit = named(self.scope.quantity(declaration).unit) or "1"
                found.insert(0, (name, name, unit, value, declaration.place))
        return found

    def parameters(self, trees: list[Expression], kept: set[str]) -> dict[str, str]:
        """Those that something uses, with their values and units; state that nothing changes is one, too."""
        used = set().union(*(names(tree) for tree in trees)) | set().union(*(names(tree) for tree in self.starts(kept).values()))
        found = {}
        for name, declaration in self.scope.declared.items():
            own = self.called[own_name(name)]
            if own not in used or own in kept or own == WEIGHT or self.scope.kind[name] not in ("parameter", "state"):
                continue
            unit, ten = self.scope.quantity(declaration)
            shown = named(unit) if not ten else next((s for s, (u, f) in SYMBOLS.items() if u == unit and f == float(f"1e{ten}")), None)
            if shown is None:
                refuse(declaration.place, f"values in {text_of(declaration.type)} are not supported")
            found[own] = f"{scaled(self.scope.value(name), -ten)!r} {shown or '1'}"
        return found

    def starts(self, kept: set[str]) -> dict[str, Expression]:
        """Values of variables at the beginning that depend on parameters."""
        found = {}
        for declaration in self.model.state:
            name = self.called[own_name(declaration.name)]
            if name in kept and declaration.value is not None and not self.scope.is_boolean(declaration.name):
                tree = self.converted(declaration.value, {})
                if names(tree) & set(self.called.values()) and self.of_parameters(tree):
                    found[name] = tree
        return found

    def initial(self, kept: set[str]) -> dict[str, float | str]:
        """Values of variables at the beginning that are not 0."""
        starts = self.starts(kept)
        found: dict[str, float | str] = {}
        for declaration in self.model.state:
            name = self.called[own_name(declaration.name)]
            if name in starts:
                found[name] = text_of(starts[name])
            elif name in kept and (value := self.scope.value(declaration.name)):
                found[name] = value
        return found

    def continuous(self) -> list[str]:
        """Continuous inputs: state of the target."""
        return [name for name, port in self.scope.ports.items() if port.kind == "continuous"]

    def shown(self, trees: list[Expression]) -> str | None:
        """The state of the target that the synapse reads."""
        used = set[str]().union(*(names(tree) for tree in trees))
        found = [name for name in self.continuous() if name in used]
        if len(found) > 1:
            refuse(
                self.scope.ports[found[1]].place,
                "a second continuous input of a synapse is not supported: one is, a variable of the target",
            )
        return f"{found[0]} : 1" if found else None

    def bounds(self) -> tuple[str | None, str | None] | None:
        """A condition on the weight, [[w >= 0]], is its bound."""
        match self.scope.declared[self.weight].guard:
            case Binary(operator=">=" | "<=" as operator, left=Name(name=name), right=limit) if name == self.weight:
                text = text_of(self.converted(limit, {}))
                return (text, None) if operator == ">=" else (None, text)
        return None


def usable_name(name: str) -> str:
    """The name of the model; those of built-in models get the ending that NESTML gives to models by default."""
    known = synapses().get(name)
    return f"{name}_nestml" if known is not None and not known.digest else name


def is_call(node: Expression, function: str) -> bool:
    return isinstance(node, Call) and node.function == function


def find(tree: Expression, wanted: Callable[[Expression], bool]) -> Expression | None:
    """The first node that is wanted."""
    return next((node for node in walk(tree) if wanted(node)), None)


def decay_of(done: Done) -> Expression | None:
    """tau of x = x * exp(-elapsed / tau) or x *= exp(-elapsed / tau); None for other statements."""
    value = done.value
    if done.operator == "=":
        match value:
            case Binary(operator="*", left=Name(name=name), right=factor) if name == done.name:
                value = factor
            case Binary(operator="*", left=factor, right=Name(name=name)) if name == done.name:
                value = factor
            case _:
                return None
    elif done.operator != "*=":
        return None
    match value:
        case Call(function="exp", arguments=(Unary(operator="negative", operand=Binary(operator="/", left=Name(name=name), right=tau)),)):
            return tau if name == ELAPSED else None
        case Call(function="exp", arguments=(Binary(operator="/", left=Unary(operator="negative", operand=Name(name=name)), right=tau),)):
            return tau if name == ELAPSED else None
    return None
