# SPDX-License-Identifier: Apache-2.0
"""The C++ file around a step: the form of docs/howto/add_neuron.md, which a built-in model has as well."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from .constants import Constants
from .description import Description, Effect, Parameter
from .expressions import Binary, Expression, Name, text_of
from .names import cpp_name, is_noise
from .parsing import Assignment
from .printing import HELPERS, Printer, c_text, number
from .simplify import simplified
from .units import Unit, named

__all__ = ["Frame", "StateField", "doubles", "field_text", "function", "indent", "type_name", "words_of"]

NOISE_ID = 0x78690000  # "xi": no other use of Purpose::model begins so
DRAW_ID = NOISE_ID + 0x800  # random numbers of statements
DRAWS = {"normal": "normal_of_step(in, {})", "uniform": "uniform_of_step(in.seed, {}, in.gid, in.step)"}


@dataclass(frozen=True)
class StateField:
    """A hidden member of State."""

    member: str
    name: str
    unit: str
    doc: str
    initial: float = 0.0


def type_name(name: str) -> str:
    """Name of the struct."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_")) + "Equations"


@dataclass
class Frame:
    """Collects the parts of the file of one model, then writes it."""

    made: Description
    how: str  # how it is solved, for the header
    printer: Printer = field(default_factory=Printer)
    hidden: list[StateField] = field(default_factory=list)
    statics: list[str] = field(default_factory=list)  # after the receptors
    after_state: list[str] = field(default_factory=list)
    derive_lines: list[str] = field(default_factory=list)
    headers: set[str] = field(default_factory=lambda: {"<array>", '"model/propagators.hpp"', '"model/step.hpp"'})
    functions: list[str] = field(default_factory=list)
    exact_member: tuple[str, str] | None = None  # declaration and value of the last member of Derived
    not_zero: set[str] = field(default_factory=set)  # parameters by which the solution divides, beside the equations
    stored: set[str] = field(default_factory=set)  # values within a step that are members of State
    runner: str = "nodes/update.hpp"
    macro: str = "NPL_NEURON"

    def __post_init__(self) -> None:
        self.constants = Constants(self.made, self.printer)

    # Expressions in functions of the step

    def code(self, tree: Expression, local: bool) -> str:
        """@param local: variables are locals of the function, else members of s."""
        variables = {v.name for v in self.made.variables}
        members = (self.made.state_names - variables) | set(self.made.previous) | (set() if local else variables)

        def name(name: str) -> str:
            if name.startswith(("d.", "=")):
                return name.removeprefix("=")
            if name == "I_stim":
                return "current"
            if is_noise(name) or name in self.made.rate_inputs:
                return noise_name(name)
            if name in self.stored:
                return f"(s.{cpp_name(name)} != 0.0)" if name in self.made.program.conditions else f"s.{cpp_name(name)}"
            return f"s.{cpp_name(name)}" if name in members else cpp_name(name)

        return self.printer.text(self.constants.lifted(tree), name)

    def parts_for(self, trees: list[Expression], local: bool, made: Description | None = None) -> list[str]:
        """Declarations of the changing parts that expressions use."""
        lines = []
        for part in (made or self.made).needed_parts(trees):
            lines += [f"// {part.name} = {text_of(part.value)}", f"const double {cpp_name(part.name)} = {self.code(part.value, local)};"]
        return lines

    def condition(self) -> str:
        """The threshold, in parentheses."""
        assert self.made.threshold is not None
        text = self.code(self.made.threshold, local=False)
        return text if text.startswith("math::choose") else f"({text})"

    def noise_lines(self) -> list[str]:
        """White noise of this step: constant within it, with a variance of 1 / h."""
        lines = []
        if self.made.rate:
            return [f"const double noise = {self.constants.add('per_root_h', '1.0 / std::sqrt(h)')} * xi;"] if self.made.noise else []
        for k, name in enumerate(self.made.noise):
            self.printer.need("normal_of_step")
            self.headers |= {"<cmath>", "<cstdint>", '"base/sine.hpp"', '"model/random_step.hpp"'}
            scale = self.constants.add("per_root_h", "1.0 / std::sqrt(h)")
            lines.append(f"const double {noise_name(name)} = {scale} * normal_of_step(in, {NOISE_ID + k:#x}u);")
        return lines

    def after_lines(self) -> list[str]:
        """What is done when spikes have arrived."""
        if not self.made.after:
            return []
        lines = self.parts_for([a.value for a in self.made.after], local=False)
        return ["{", *indent([*lines, *(f"s.{cpp_name(a.name)} = {self.new_value(a)};" for a in self.made.after)]), "}"]

    def previous_lines(self) -> list[str]:
        """Values that the threshold needs one step later."""
        self.hidden += [
            StateField(cpp_name(name), name, named(self.unit_of(variable)), f"{variable} one step before")
            for name, variable in self.made.previous.items()
        ]
        return [f"s.{cpp_name(name)} = s.{cpp_name(variable)};" for name, variable in self.made.previous.items()]

    def drawn(self, k: int, kind: str) -> str:
        """The k-th random number that statements draw in this step."""
        self.headers |= {"<cmath>", "<cstdint>", '"base/sine.hpp"', '"model/random_step.hpp"'}
        if kind == "normal":
            self.printer.need("normal_of_step")
        return DRAWS[kind].format(f"{DRAW_ID + k:#x}u")

    def unit_of(self, variable: str) -> Unit:
        """Of a variable."""
        return next(v.unit for v in self.made.variables if v.name == variable)

    def reset_lines(self, fired: str | None) -> list[str]:
        """The reset, where the neuron has fired; None: always, with the parts that it uses."""
        drawn = [f"const double {cpp_name(name)} = {self.drawn(k, name.partition('_')[0])};" for k, name in enumerate(self.made.draws)]
        if fired is None:
            lines = drawn + self.parts_for([a.value for a in self.made.reset], local=False)
            return lines + [f"s.{cpp_name(a.name)} {a.operator} {self.code(a.value, local=False)};" for a in self.made.reset]
        return drawn + [f"s.{cpp_name(a.name)} = {fired} ? {self.new_value(a)} : s.{cpp_name(a.name)};" for a in self.made.reset]

    def new_value(self, assignment: Assignment) -> str:
        """The value after an assignment, as C++."""
        value, place = assignment.value, assignment.place
        if assignment.operator != "=":
            value = simplified(Binary(place, assignment.operator[0], Name(place, assignment.name), value))
        return self.code(value, local=False)

    def arrivals(self, free: str | None, skip: Collection[str] = ()) -> list[str]:
        """Spikes that arrive at the end of the step. @param free: C++ condition; the held variable takes none elsewhere."""
        if self.made.deferred:
            return []
        effects = [(r, e) for r, receptor in enumerate(self.made.receptors) for e in receptor.effects if e.variable not in skip]
        lines = self.parts_for([e.factor for _, e in effects if e.factor is not None], local=False)
        for r, effect in effects:
            added = self.added(r, effect)
            masked = f"{free} ? {added} : 0.0" if free and self.made.holds(effect.variable) else added
            sign = "+=" if effect.sign > 0 else "-="
            lines.append(f"s.{cpp_name(effect.variable)} {sign} {masked};")
        return lines if len(lines) == len(effects) else ["{", *indent(lines), "}"]  # parts have other values before

    def added(self, receptor: int, effect: Effect) -> str:
        """What arriving spikes add."""
        spikes = f"in.spikes[{receptor}]"
        if effect.factor is None:
            return spikes
        if self.made.is_constant(effect.factor):
            return f"{spikes} * {self.constants.add(f'jump_{cpp_name(effect.variable)}', self.constants.in_derive(effect.factor))}"
        return f"{spikes} * ({self.code(effect.factor, local=False)})"

    def refractory_steps(self) -> str:
        """The refractory period in steps, a member of Derived."""
        return self.constants.add("refractory_steps", f"whole_steps(p.{cpp_name(str(self.made.refractory))}, h)")

    # The file

    def file(self) -> str:
        """The whole text."""
        sections = [
            [f"struct {type_name(self.made.name)} {{"],
            indent(self.description()),
            [""],
            indent(self.parameters()),
            [""],
            indent(self.state()),
            *([[""], indent(self.check())] if self.divisors() else []),
        ]
        body = [line for section in sections for line in section]
        body += ["", *indent(self.derived()), *indent(self.helpers()), "", *indent(self.functions), *indent(self.recording()), "};"]
        top = ["// SPDX-License-Identifier: Apache-2.0", f"/// {self.made.name}: made from equations; {self.how}."]
        end = [
            "}  // namespace npl::model",
            "",
            f'#include "{self.runner}"',
            "",
            f"{self.macro}({self.made.name}, {type_name(self.made.name)})",
        ]
        return "\n".join([*top, *self.includes(), "", "namespace npl::model {", "", *body, "", *end]) + "\n"

    def recording(self) -> list[str]:
        """What synapses see: a variable at the end of each step."""
        if self.made.seen is None:
            return []
        value = f"s.{cpp_name(self.made.seen)}"
        return [
            "",
            f'static constexpr const char* what_history = "{self.made.seen}";',
            "static constexpr std::array<std::string_view, 0> waits{};",
            "NPL_INLINE static double wait_steps(const Derived&) { return 0.0; }",
            "NPL_INLINE static Recorded record(const State& s, const Derived&, const std::array<double, 0>&) {",
            f"  return {{{value}, {value}}};",
            "}",
        ]

    def includes(self) -> list[str]:
        """Headers before the model."""
        headers = self.headers | self.printer.headers | ({"<string_view>"} if self.made.seen else set())
        own = sorted(f"#include {h}" for h in headers if h.startswith('"'))
        return [*sorted(f"#include {h}" for h in headers if h.startswith("<")), "", *own]

    def description(self) -> list[str]:
        """Name and receptors."""
        made = self.made
        receptors = "; ".join(f"{k} {r.name} [{r.unit or '1'}]" for k, r in enumerate(made.receptors, 1))
        refused = [] if made.receptors or made.rate else ["static constexpr bool takes_spikes = false;  // no line is a receptor"]
        doc = made.doc or (
            f"Rate neuron from equations; sends {made.rate}." if made.rate else f"Neuron from equations; receptors: {receptors or 'none'}."
        )
        return [
            f'static constexpr const char* name = "{made.name}";',
            f"static constexpr const char* doc = {c_text(doc)};",
            f"static constexpr int receptors = {len(made.receptors) or 1};  // {receptors or 'spikes are ignored'}",
            f"static constexpr SpikeInput input = SpikeInput::{made.spike_input};",
            *refused,
            *([] if made.takes_current else ["static constexpr int current_ports = 0;  // no equation has I_stim or I_e"]),
            *self.statics,
        ]

    def parameters(self) -> list[str]:
        """Params and their fields."""
        made = self.made.parameters
        members = doubles([cpp_name(p.name) for p in made])
        listed = "std::array<Field, 0> parameters{};" if not made else "std::array parameters{"
        fields = [f"    Field{field_text(p)}," for p in made]
        return ["struct Params {", *members, "};", f"static constexpr {listed}", *fields, *(["};"] if made else [])]

    def state(self) -> list[str]:
        """State and its fields."""
        states = self.made.program.states
        members = [cpp_name(v.name) for v in self.made.variables] + [cpp_name(x.name) for x in states] + [f.member for f in self.hidden]
        fields = [
            f'    Field{{"{v.name}", {c_text(named(v.unit))}, {number(v.initial)}, {c_text(self.made.lines[v.name])}}},'
            for v in self.made.variables
        ]
        fields += [f'    Field{{"{"_" * x.hidden}{x.name}", {c_text(x.unit)}, {number(x.initial)}, {c_text(x.doc)}}},' for x in states]
        fields += [f'    Field{{"{f.name}", "{f.unit}", {number(f.initial)}, "{f.doc}"}},' for f in self.hidden]
        struct = ["struct State {", *doubles(members), "};"]
        return [*struct, "static constexpr std::array state{", *fields, "};", *self.after_state]

    def divisors(self) -> list[Parameter]:
        """Parameters that must not be 0."""
        return [p for p in self.made.parameters if p.not_zero or (p.name in self.not_zero and p.bound != "positive")]

    def check(self) -> list[str]:
        """Values that are refused."""
        tests = [
            f'  if (p.{cpp_name(p.name)} == 0.0) return {{"{p.name}", p.{cpp_name(p.name)}, "a number other than 0"}};'
            for p in self.divisors()
        ]
        return ["static Forbidden check(const Params& p) {", *tests, "  return {};", "}"]

    def derived(self) -> list[str]:
        """Derived and how it follows from Params."""
        declared, value = ([text] for text in self.exact_member) if self.exact_member else ([], [])
        before = [*self.constants.lines_of_derive(), *self.derive_lines]
        struct = ["struct Derived {", *doubles(list(self.constants.members)), *indent(declared), "};"]
        values = ["return {", *(f"    {text}," for text in [*self.constants.members.values(), *value]), "};"]
        return [*struct, *function("static Derived derive", ("const Params& p", "double h"), [*before, *values])]

    def helpers(self) -> list[str]:
        """Functions that expressions call."""
        lines = []
        for name, text in HELPERS.items():
            if name in self.printer.helpers:
                lines += ["", *text]
        return lines


def field_text(p: Parameter) -> str:
    """A parameter as the initializer of a Field."""
    bound = "" if p.bound == "any" else f", Bound::{p.bound}"
    return f'{{"{p.name}", {c_text(p.unit)}, {number(p.default)}, "Parameter of the equations"{bound}}}'


def words_of(body: list[str]) -> set[str]:
    """Words of the code, those in comments and texts left out."""
    return set(re.findall(r"\w+", re.sub(r'"[^"]*"|//.*', "", "\n".join(body))))


def function(head: str, arguments: Sequence[str], body: list[str], qualifier: str = "") -> list[str]:
    """A function; arguments that it does not use are marked."""
    used = words_of(body)
    marked = [text if text.split()[-1] in used or " " not in text else f"[[maybe_unused]] {text}" for text in arguments]
    return [f"{head}({', '.join(marked)}){qualifier} {{", *indent(body), "}"]


def noise_name(name: str) -> str:
    return name if name != "xi" else "noise"


def doubles(members: list[str]) -> list[str]:
    """Members of a struct."""
    lines = textwrap.wrap(", ".join(members), 120)
    if lines:
        lines[-1] += ";"
    return [f"{'      ' if k else '  double '}{line}" for k, line in enumerate(lines)]


def indent(lines: list[str]) -> list[str]:
    """Lines within braces."""
    return [f"  {line}" if line else "" for line in lines]
