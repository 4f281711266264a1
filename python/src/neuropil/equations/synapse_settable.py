# SPDX-License-Identifier: Apache-2.0
"""The C++ file of a settable rule (synapse_events): events up to the time `settled`, unless it is 0, are in what was set."""

from __future__ import annotations

from .frame import indent
from .synapse_code import member
from .synapse_events import EARLY, EPOCH, LATE, SETTLED, set_name
from .synapse_file import RuleFile
from .synapse_rule import TIME, Dynamics

__all__ = ["SettableFile"]


class SettableFile(RuleFile):
    """Writes the file of a rule whose synapses take what was set before their next event."""

    @property
    def kept(self) -> list[Dynamics]:
        """What can be set."""
        return [v for v in self.variables(self.places.own) if v.name != EPOCH]

    def loaded(self) -> list[str]:
        """What the synapse keeps, or what was set since its last event."""
        taken = [f"{member(v.name)} = {member(set_name(v.name))};" for v in self.kept]
        return [*super().loaded(), f"if ({EPOCH} != {SETTLED}) {{", *indent([*taken, f"{EPOCH} = {SETTLED};"]), "}"]

    def post_statements(self, lines: list[str]) -> list[str]:
        """on_post, where it is not in what was set."""
        return [f"if (!({live(f'{TIME} + {LATE} - {EARLY}')})) return;", *lines]

    def pre_statements(self, lines: list[str]) -> list[str]:
        """on_pre, after which values are as before where it is in what was set."""
        names = ["w", *(member(v.name) for v in self.kept)]
        back = ", ".join(f"{name} = before[{k}]" for k, name in enumerate(names))
        return [f"const double before[] = {{{', '.join(names)}}};", *lines, f"if (!({live(f'{TIME} + {LATE}')})) {back};"]

    def shown(self, v: Dynamics, value: str) -> str:
        """What was set counts until the next event."""
        return value if v.name == EPOCH else f"own[{len(self.kept)}] == {SETTLED} ? {value} : {member(set_name(v.name))}"


def live(now: str) -> str:
    """Whether an event at a time is not in what was set."""
    return f"{SETTLED} == 0.0 || {now} > {SETTLED}"
