# SPDX-License-Identifier: Apache-2.0
"""The C++ file of a synapse; of one that is followed from event to event: spikes of the source, the target and a volume transmitter."""

from __future__ import annotations

from .expressions import Expression, names
from .frame import function, indent
from .synapse_code import member
from .synapse_file import RuleFile
from .synapse_pairs import PairFile, is_pair_rule
from .synapse_places import Places
from .synapse_release import ReleaseFile
from .synapse_rule import ELAPSED, Dynamics, Rule
from .synapse_settable import SettableFile

__all__ = ["rule_file"]


def rule_file(rule: Rule, places: Places) -> str:
    """The text of the file."""
    if places.share is not None:
        return ReleaseFile(rule, places).text()
    if is_pair_rule(rule, places):
        return PairFile(rule, places).text()
    if rule.settable:
        return SettableFile(rule, places).text()
    kind = ModulatedFile if rule.hears else FollowedFile if rule.is_followed else SeeingFile if rule.seen else RuleFile
    return kind(rule, places).text()


class SeeingFile(RuleFile):
    """Writes the file of a rule that reads a variable of its targets, which they keep for each step."""

    def send(self) -> list[str]:
        """Brings a synapse up to date and returns what it transmits."""
        return on_grid(super().send())

    def seen_at(self, trees: list[Expression], time: str) -> list[str]:
        """The variable of the target at the end of a step."""
        name = self.rule.seen
        if name is None or name not in self.made.reached(set().union(*(names(tree) for tree in trees))):
            return []
        return [f"const double {member(name)} = shown(e, {time});"]

    def statics(self) -> list[str]:
        """Sizes, and that histories are read."""
        return [*super().statics(), "static constexpr bool reads_history = true;"]

    def helpers(self) -> list[str]:
        """Functions that the rule calls."""
        return [*super().helpers(), *SHOWN]

    def registered(self, kind: str) -> list[str]:
        """The entry of the model."""
        first, *rest = super().registered(kind)
        first = first.replace("rule_synapse<", f'reading("{self.rule.seen}", rule_synapse<', 1)
        reading = [
            "namespace npl::synapses {",
            "namespace {",
            "SynapseInfo reading(const char* history, SynapseInfo info) {",
            "  info.history = history;",
            "  return info;",
            "}",
            "}  // namespace",
            "}  // namespace npl::synapses",
            "",
        ]
        return [*reading, first, *rest[:-1], rest[-1] + ")"]


def on_grid(lines: list[str]) -> list[str]:
    """The function `send` for spikes on the grid only."""
    return [line.replace("const Event& e", "const EventAt<Step>& e") for line in lines[1:]]


SHOWN = [
    "/// What the target showed at the end of a step; it keeps what is not 0.",
    "static double shown(const EventAt<Step>& e, Step at) {",
    "  const Contributions& all = e.histories->of(e.local).contributions(e.local);",
    "  const auto found = std::lower_bound(all.stamp.begin(), all.stamp.end(), at);",
    "  return found != all.stamp.end() && *found == at ? all.value[static_cast<std::size_t>(found - all.stamp.begin())] : 0.0;",
    "}",
]


class FollowedFile(RuleFile):
    """Writes how a synapse passes the time between two events. Times are those at the synapse: spikes of the target come with a delay."""

    def send(self) -> list[str]:
        """Brings a synapse up to date and returns what it transmits."""
        return on_grid(super().send())

    def at_post(self) -> list[str]:
        """From the last spike of the source, or from when the synapse was made, to this one."""
        done = self.places.on_post
        lines = ["auto now = std::max(e.last(), -e.before->last);", *self.going()]
        if done.statements:
            traces = [name for name in self.places.traces if name in done.reads]
            inner = ["together = at == previous ? together + 1.0 : 0.0;", "previous = at;"] if traces else []
            inner += ["go(at + e.delay);", *self.kept_before(), *self.on_post_at()]
            lines += ["auto previous = from;", "double together = 0.0;  // earlier spikes of the target at the same time"] if traces else []
            at = "auto at"
            lines += ["// on_post", f"e.for_post_spikes(from, until, [&]({at}) {{", *indent(inner), "});"]
        return [*lines, "go(e.stamp);", *(f"if (!met) {name} = {member(v.name)};" for v, name in self.seen.items())]

    def going(self) -> list[str]:
        """The function that goes on to a time."""
        return ["const auto go = [&](Step to) {", *indent(self.passing()), "};"]

    def passing(self) -> list[str]:
        """The time between two events: first the statements, with the values at its beginning, then what decays."""
        done = self.places.between
        trees = [a.value for a in done.statements]
        used = self.made.reached(set().union(*(names(tree) for tree in trees)))
        lines = ["if (to <= now) return;"]
        if trees:
            lines += [f"const double {ELAPSED} = static_cast<double>(to - now) * step_ms;"] if ELAPSED in used else []
            lines += [*self.time(trees, "now"), *self.heard_in_passing(used)]
            lines += ["// between", *self.parts(trees), *self.statements(done.statements, {*self.places.own})]
        return [*lines, *self.advance("to - now"), "now = to;"]

    def heard_in_passing(self, used: set[str]) -> list[str]:
        """The variable (third) at the beginning."""
        return []


class ModulatedFile(FollowedFile):
    """Writes the file of a rule with a third factor."""

    maker = "modulated_synapse"
    more_fields = ("    transmitter_field(),",)

    def send(self) -> list[str]:
        """The same, and how it is brought up to date at a time without a spike."""
        body = [*self.loaded(), *self.at_post(), *self.stored()]
        arguments = ("const EventAt<Step>& e", "double& w", "double* values")
        return [*function("void advance", arguments, self.times(body) + body, " const"), *super().send()]

    def going(self) -> list[str]:
        """The function that goes on to a time, by the spikes of the transmitter before."""
        lines = ["std::size_t next = e.volume->first_after(now);", "const auto pass = [&](Step to) {", *indent(self.passing()), "};"]
        stamps = "e.volume->stamps()"
        step = f"for (; next < {stamps}.size() && {stamps}[next] <= to; ++next) pass({stamps}[next]);"
        return [*lines, "const auto go = [&](Step to) {", *indent([step, "pass(to);"]), "};"]

    def heard_in_passing(self, used: set[str]) -> list[str]:
        """The variable (third) at the beginning."""
        v = self.rule.hears
        assert v is not None
        return [f"const double {member(v.name)} = {self.concentration(v)} * e.volume->before(next, now);"] if v.name in used else []

    def value_at(self, v: Dynamics, time: str, span: str, more: str) -> str:
        """The concentration has that of the time at the synapse."""
        if v.kind == "third":
            return f"{self.concentration(v)} * e.volume->at({time} + e.delay)"
        return super().value_at(v, time, span, more)

    def concentration(self, v: Dynamics) -> str:
        """What one unit of the kernel's concentration, which gets 1/tau from each spike, is of the variable."""
        assert v.tau is not None
        tau = self.constant(v.tau, f"tau_{v.name}")
        name = f"{member(v.name)}_of_volume"
        self.derived.setdefault(name, f"({self.code(self.rule.on_third[0].value)}) * {tau}")
        return name

    def heard(self) -> list[str]:
        """The transmitter and the time constant."""
        v = self.rule.hears
        assert v is not None and v.tau is not None
        return [f"hears = {{static_cast<Gid>(p[{len(self.made.parameters)}]), {self.code(v.tau)}}};"]

    def more_checks(self) -> list[str]:
        """The transmitter must be the number of a node."""
        return [f"check_transmitter(p[{len(self.made.parameters)}]);"]
