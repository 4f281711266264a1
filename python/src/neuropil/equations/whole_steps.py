# SPDX-License-Identifier: Apache-2.0
"""Whole time steps of models for the solver (cpp/nodes/whole_step.hpp): synapses are followed exactly, exponentials by polynomials."""

from __future__ import annotations

from dataclasses import dataclass, field

from .channels import Channels
from .description import Variable
from .expressions import Binary, Call, Expression, Name, Unary, changed, names
from .frame import Frame, function, indent
from .linear import Algebra, NotLinear, Product, Sum, inverse
from .names import CURRENT, cpp_name
from .printing import number
from .rates import Rates
from .simplify import simplified

__all__ = ["exactly", "free_line"]

REACH = 0.34  # of the exponent, within which math::detail::expm1_small holds
ARGUMENTS = (
    "const Own& y",
    "double drive",
    "double conductance",
    "const State& s",
    "const Derived& d",
    "double current",
    "Start& start",
)


def free_line(frame: Frame) -> list[str]:
    """Whether the held variables move."""
    if frame.made.program.free:
        return [f"const bool free = s.{cpp_name(frame.made.program.free)} != 0.0;"]
    return ["const bool free = s.refractory <= 0.0;"] if frame.made.refractory else []


def exactly(frame: Frame, channels: Channels) -> list[str]:
    """The synapses, and the slopes of the other variables."""
    places = {name: k for k, name in enumerate(channels.variables)}
    listed = ", ".join(f"Channel{{{places[g]}{rise_of(channels, g, places)}, {number(channels.signs[g])}}}" for g in channels.feeders)
    own = [cpp_name(v.name) for v in channels.rest.variables]
    flows = f"offsetof(Derived, exact) / sizeof(double), reversal = flow + n_flow * {len(channels.feeders)}"
    frame.headers |= {'"model/receptors.hpp"'}
    frame.exact_member = (f"Flows<{len(channels.feeders)}> exact;", flows_of(frame, channels))
    stages = Stages(frame, channels)
    slopes = stages.slopes()
    lines = [
        f"static constexpr std::array channels{{{listed}}};",
        f"static constexpr bool rises = {str(any(channels.feeders.values())).lower()}, conductances = {str(bool(channels.reversal)).lower()};",
        f"static constexpr std::size_t first = 1, n = {len(places)}, n_own = {len(own)};",
        f"static constexpr std::size_t flow = {flows};",
        "using Own = std::array<double, n_own>;",
        *stages.start_struct(),
        f"NPL_INLINE static Own own(const State& s) {{ return {{{', '.join(f's.{name}' for name in own)}}}; }}",
        f"NPL_INLINE static void set_own(State& s, const Own& y) {{ {', '.join(f's.{name} = y[{k}]' for k, name in enumerate(own))}; }}",
        *stages.start_function(),
        *slopes,
    ]
    head = "/// Whole time steps: synapses are followed exactly, and give the current drive - conductance * the first variable."
    return [head, "struct Exactly {", *indent(lines), "};"]


def rise_of(channels: Channels, g: str, places: dict[str, int]) -> str:
    feeder = channels.feeders[g]
    return f", {places[feeder]}" if feeder else ", Channel::none"


def flows_of(frame: Frame, channels: Channels) -> str:
    """The value of Flows."""
    algebra = channels.algebra

    def text(value: Sum) -> str:
        return frame.constants.in_derive(algebra.tree(value))

    flows = [f"flow_of({text(channels.rates[g])}, {text(channels.rates[feeder or g])}, h)" for g, feeder in channels.feeders.items()]
    reversal = [text(channels.reversal[g]) for g in channels.reversal] or ["0.0"] * len(flows)
    return f"{{{{{', '.join(flows)}}}, {{{', '.join(reversal)}}}}}"


def verbatim(tree: Expression, text: str) -> Name:
    """C++ in an expression."""
    return Name(tree.place, f"={text}")


@dataclass(frozen=True)
class Exponential:
    """exp(argument), where the argument is rate * variable and a constant. `change` in C++ is how far it is from its value at the beginning."""

    argument: Expression
    variable: str
    rate: Expression
    change: str


@dataclass
class Stages:
    """Slopes at the stages of a step. What is known at its beginning is in the struct Start."""

    frame: Frame
    channels: Channels
    exponentials: list[Exponential] = field(default_factory=list)
    start: dict[str, Expression] = field(default_factory=dict)  # member of Start -> its value

    def __post_init__(self) -> None:
        self.rest = self.channels.rest
        self.own = [v.name for v in self.rest.variables]

    # Exponentials

    def exponential(self, call: Call) -> Exponential | None:
        """Of one variable, with an exponent that is linear in it; None for others."""
        argument = call.arguments[0]
        used = [name for name in self.own if name in self.rest.reached(names(argument))]
        for known in self.exponentials:
            if known.argument == argument:
                return known
        if len(used) != 1:
            return None
        try:
            rate = Rates(self.rest, used[0]).of(argument)
        except NotLinear:
            return None
        moving = self.rest.reached(names(argument)) & self.rest.changing
        if rate is None or not self.rest.is_constant(rate) or any(self.rest.part(name) is None for name in moving - {used[0]}):
            return None
        found = Exponential(argument, used[0], simplified(rate), f"x_{len(self.exponentials) + 1}")
        self.exponentials.append(found)
        return found

    def member(self, wish: str, value: Expression) -> str:
        """A member of Start with this value."""
        for name, known in self.start.items():
            if known == value:
                return f"start.{name}"
        name = f"{wish}_{len(self.start) + 1}"
        self.start[name] = value
        return f"start.{name}"

    def followed(self, tree: Expression) -> Expression:
        """With exponentials from their values at the beginning."""

        def change(node: Expression) -> Expression | None:
            if not isinstance(node, Call) or node.function != "exp" or not (found := self.exponential(node)):
                return None
            return self.from_beginning(self.member("exp", node), found, node)

        return changed(tree, change)

    def from_beginning(self, member: str, found: Exponential, tree: Expression) -> Expression:
        """The value at the beginning, and what it has changed."""
        more = verbatim(tree, f"math::detail::expm1_small({found.change})")
        return Binary(tree.place, "+", verbatim(tree, member), Binary(tree.place, "*", verbatim(tree, member), more))

    def change_lines(self) -> list[str]:
        """How far exponents are from their values at the beginning; the furthest is kept."""
        lines = []
        for variable in dict.fromkeys(each.variable for each in self.exponentials):
            x, rates = cpp_name(variable), [each for each in self.exponentials if each.variable == variable]
            lines.append(f"const double moved_{x} = {x} - start.{x};")
            for each in rates:
                way = verbatim(each.rate, f"moved_{x}")
                lines.append(f"const double {each.change} = {self.frame.code(Binary(way.place, '*', way, each.rate), local=True)};")
            sizes = ", ".join(f"math::detail::abs({self.frame.constants.in_derive(each.rate)})" for each in rates)
            self.frame.headers.add("<algorithm>")
            steepest = self.frame.constants.add(f"steepest_{x}", f"std::max({{{sizes}}})")
            lines.append(f"const double far_{x} = math::detail::abs(moved_{x}) * {steepest};")
            lines.append(f"start.reach = start.reach > far_{x} ? start.reach : far_{x};")
        if self.channels.limits:
            V = cpp_name(self.channels.membrane)
            lines.append(f"start.highest = start.highest > {V} ? start.highest : {V};")
        return lines

    # Slopes

    def slopes(self) -> list[str]:
        """The function."""
        made, rest = self.frame.made, self.rest
        trees = {v.name: self.slope(v) for v in rest.variables}
        parts = []
        for part in rest.needed_parts(trees.values()):
            value = self.followed(part.value)
            parts.append(f"const double {cpp_name(part.name)} = {self.frame.code(value, local=True)};")
        lines = [f"const auto [{', '.join(cpp_name(v.name) for v in rest.variables)}] = y;"]
        lines += free_line(self.frame) if made.all_held else []
        lines += [*self.change_lines(), *parts, "return {"]
        for v in rest.variables:
            text = self.frame.code(trees[v.name], local=True)
            lines.append(f"    {f'math::choose(free, {text}, 0.0)' if made.holds(v.name) else text},")
        return function("NPL_INLINE static Own slopes", ARGUMENTS, [*lines, "};"])

    def slope(self, variable: Variable) -> Expression:
        """Of one variable, with exponentials from the beginning and the current of the synapses."""
        if variable.name != self.channels.membrane:
            return self.followed(variable.slope)
        slope, place = variable.slope, variable.slope.place
        gain = verbatim(slope, self.frame.constants.add("per_drive", self.frame.constants.in_derive(self.algebra.tree(self.channels.gain))))
        currents = self.without_gain(slope)
        if currents is None:
            return Binary(place, "+", self.followed(slope), Binary(place, "*", self.synaptic(slope), gain))
        return Binary(place, "*", Grouped(self, currents).tree(), gain)

    @property
    def algebra(self) -> Algebra:
        """Knows the factors of the sums of the channels."""
        return self.channels.algebra

    def synaptic(self, tree: Expression) -> Expression:
        """The current of the synapses."""
        drive = verbatim(tree, "drive")
        if not self.channels.reversal:
            return drive
        return Binary(
            tree.place, "-", drive, Binary(tree.place, "*", verbatim(tree, "conductance"), Name(tree.place, self.channels.membrane))
        )

    def without_gain(self, slope: Expression) -> Expression | None:
        """The currents, where the slope is their sum times the gain of the synapses."""
        if not isinstance(slope, Binary) or slope.operator not in ("*", "/"):
            return None
        try:
            factor = self.algebra.of(slope.right)
        except NotLinear:
            return None
        gain = factor if slope.operator == "*" else inverse(factor)
        return slope.left if gain == self.channels.gain else None

    # Start

    def start_struct(self) -> list[str]:
        """What the stages share."""
        if not self.exponentials and not self.channels.limits:
            return ["struct Start {};"]
        members = [*dict.fromkeys(cpp_name(each.variable) for each in self.exponentials), *self.start]
        members += [*(["reach"] if self.exponentials else []), *(["highest", "limit"] if self.channels.limits else [])]
        note = "///< values at the beginning of the step; reach: how far exponents went; highest: potential, which must stay below limit"
        return ["struct Start {", f"  double {', '.join(members)};  {note}", "};"]

    def start_function(self) -> list[str]:
        """Its values at the beginning of a step."""
        if not self.exponentials and not self.channels.limits:
            return [
                "NPL_INLINE static Start start(const State&, const Derived&) { return {}; }",
                "NPL_INLINE static bool near(const Start&) { return true; }",
            ]
        frame = self.frame
        variables = list(dict.fromkeys(each.variable for each in self.exponentials))
        values = [f"s.{cpp_name(name)}" for name in variables] + [frame.code(value, local=False) for value in self.start.values()]
        parts = frame.parts_for(list(self.start.values()), local=False, made=self.rest)
        values += ["0.0"] if self.exponentials else []
        tests = [f"(start.reach <= {REACH})"] if self.exponentials else []
        if self.channels.limits:
            values += [f"s.{cpp_name(self.channels.membrane)}", self.limit()]
            tests.append("(start.highest <= start.limit)")
        body = [*parts, "return {", *(f"    {value}," for value in values), "};"]
        return [
            *function("NPL_INLINE static Start start", ("const State& s", "const Derived& d"), body),
            f"NPL_INLINE static bool near(const Start& start) {{ return {' & '.join(tests)}; }}",
        ]

    def limit(self) -> str:
        """The lowest limit of the membrane."""
        limits = [self.frame.code(each, local=False) for each in self.channels.limits]
        self.frame.headers.add("<algorithm>")
        return limits[0] if len(limits) == 1 else f"std::min({{{', '.join(limits)}}})"


@dataclass
class Grouped:
    """The currents of a membrane V: what is constant, what is proportional to V, and the rest, so that a stage has few operations."""

    stages: Stages
    currents: Expression
    constant: dict[Product, float] = field(default_factory=dict)
    leak: dict[Product, float] = field(default_factory=dict)  # of -V
    others: list[tuple[int, Expression]] = field(default_factory=list)
    currents_of_devices: int = 0

    def tree(self) -> Expression:
        """Their sum, with the current of the synapses."""
        self.algebra = Algebra(self.stages.rest)
        for sign, term in self.terms(self.currents, 1):
            if not self.take(sign, term):
                self.others.append((sign, term))
        place = self.currents.place
        whole: Expression = verbatim(self.currents, "drive")
        late: list[Expression] = []
        if self.currents_of_devices:
            whole = Binary(place, "+", Name(place, CURRENT), whole)
        if self.constant:
            whole = Binary(place, "+", whole, self.derived("constant_current", self.constant))
        for sign, term in self.others:
            whole, more = self.added(whole, sign, term)
            late += more
        if (conductance := self.conductance()) is not None:
            whole = Binary(place, "-", whole, Binary(place, "*", conductance, Name(place, self.stages.channels.membrane)))
        for each in late:
            whole = Binary(place, "+", whole, each)
        return whole

    def terms(self, tree: Expression, sign: int) -> list[tuple[int, Expression]]:
        """Of a sum; parts of equations are taken apart, too."""
        match tree:
            case Binary(operator="+" | "-"):
                return self.terms(tree.left, sign) + self.terms(tree.right, sign if tree.operator == "+" else -sign)
            case Unary(operator="negative"):
                return self.terms(tree.operand, -sign)
            case Name() if (part := self.stages.rest.part(tree.name)) is not None and part.changes:
                return self.terms(part.value, sign)
        return [(sign, tree)]

    def take(self, sign: int, term: Expression) -> bool:
        """Adds a term that is constant, proportional to V, or the current of devices; False for others."""
        changing, V = self.stages.rest.changing, self.stages.channels.membrane
        try:
            sum_of_term = self.algebra.of(term)
        except NotLinear:
            return False
        kinds = [tuple(factor for factor in product if factor[0] in changing) for product in sum_of_term.terms]
        if sum_of_term == Sum({((CURRENT, 1),): 1.0}) and sign > 0:
            self.currents_of_devices += 1
            return self.currents_of_devices == 1
        if any(kind not in ((), ((V, 1),)) for kind in kinds):
            return False
        for (product, value), kind in zip(sum_of_term.terms.items(), kinds, strict=True):
            target = self.leak if kind else self.constant
            rest = tuple(factor for factor in product if factor not in kind)
            target[rest] = target.get(rest, 0.0) + (-sign if kind else sign) * value
        return True

    def derived(self, wish: str, terms: dict[Product, float]) -> Expression:
        """A sum of parameters, as a member of Derived."""
        text = self.stages.frame.constants.in_derive(self.algebra.tree(Sum(terms)))
        return verbatim(self.currents, self.stages.frame.constants.add(wish, text))

    def conductance(self) -> Expression | None:
        """What V is multiplied by."""
        own = self.derived("leak", self.leak) if self.leak else None
        synaptic = verbatim(self.currents, "conductance") if self.stages.channels.reversal else None
        if own is None or synaptic is None:
            return own or synaptic
        return Binary(self.currents.place, "+", own, synaptic)

    def added(self, whole: Expression, sign: int, term: Expression) -> tuple[Expression, list[Expression]]:
        """The sum with one term more; of an exponential with a constant factor only its value at the beginning, and what is added last."""
        scaled = term if sign > 0 else Unary(term.place, "negative", term)
        if (call := self.exponential_factor(term)) is not None and (found := self.stages.exponential(call)):
            member = self.stages.member("exp", scaled)
            first, second = verbatim(term, member), verbatim(term, f"math::detail::expm1_small({found.change})")
            return Binary(term.place, "+", whole, first), [Binary(term.place, "*", first, second)]
        return Binary(term.place, "+" if sign > 0 else "-", whole, self.stages.followed(term)), []

    def exponential_factor(self, term: Expression) -> Call | None:
        """exp(...) where the term is that times what is constant."""
        match term:
            case Call(function="exp"):
                return term
            case Binary(operator="*") if self.stages.rest.is_constant(term.left):
                return self.exponential_factor(term.right)
            case Binary(operator="*" | "/") if self.stages.rest.is_constant(term.right):
                return self.exponential_factor(term.left)
        return None
