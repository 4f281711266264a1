# SPDX-License-Identifier: Apache-2.0
"""Statements of a time step as C++."""

from __future__ import annotations

from collections.abc import Iterable

from .expressions import names
from .frame import Frame, StateField
from .names import cpp_name
from .parsing import Assignment

__all__ = ["after_lines", "before_lines", "draw_lines", "spikes_text", "store_values"]


def lines_of(frame: Frame, statements: Iterable[Assignment]) -> list[str]:
    """Assignments to state, and values within the step."""
    lines = []
    for each in statements:
        value, name = frame.code(each.value, local=False), cpp_name(each.name)
        if each.name in frame.stored and each.name in frame.made.program.conditions:
            lines.append(f"s.{name} = {value} ? 1.0 : 0.0;")
        elif each.name in frame.made.state_names or each.name in frame.stored:
            lines.append(f"s.{name} = {value};")
        else:
            lines.append(f"const {'bool' if each.name in frame.made.program.conditions else 'double'} {name} = {value};")
    return lines


def draw_lines(frame: Frame) -> list[str]:
    """The random numbers of this step; those that are stored are for the next one."""
    lines = []
    for k, (name, kind) in enumerate(frame.made.program.draws.items()):
        text = frame.drawn(k, kind)
        lines.append(f"s.{cpp_name(name)} = {text};" if name in frame.stored else f"const double {cpp_name(name)} = {text};")
    return lines


def before_lines(frame: Frame) -> list[str]:
    """What is done before the variables move; `free` is whether the held ones do."""
    free = frame.made.program.free
    lines = lines_of(frame, frame.made.program.before)
    return [*lines, f"const bool free = {cpp_name(free)};"] if free and free not in frame.stored else lines


def after_lines(frame: Frame) -> list[str]:
    """What is done when they have moved and spikes have arrived."""
    return lines_of(frame, frame.made.program.after)


def spikes_text(frame: Frame) -> str:
    """The number of spikes."""
    spikes = frame.made.program.spikes
    return cpp_name(spikes) if spikes else "0.0"


def store_values(frame: Frame) -> None:
    """What is known before the variables move is kept in State for the end of the step, which is another function."""
    program = frame.made.program
    used = set().union(*(names(a.value) for a in program.after), {program.free} - {""})
    computed = [a.name for a in program.before if a.name in used and a.name not in frame.made.state_names]
    drawn = [name for name in program.draws if any(name in names(a.value) for a in program.before)]
    for name in dict.fromkeys([*computed, *drawn]):
        frame.stored.add(name)
        frame.hidden.append(StateField(cpp_name(name), f"_{name}", "", "Value within a time step"))
