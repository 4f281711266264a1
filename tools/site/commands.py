# SPDX-License-Identifier: Apache-2.0
"""Pages of the command line: help, arguments and options of each command, from the program itself."""

from typing import Any

import typer

from neuropil import cli


def all_commands() -> dict[str, Any]:
    """Each command by its words, "plan", "job microcircuit", ..., in the order of the help."""
    cli.add_jobs()
    return walk("", typer.main.get_command(cli.app))


def walk(prefix: str, group: Any) -> dict[str, Any]:
    """Commands of a group and of the groups in it."""
    found = {}
    for name in group.list_commands(None):
        command = group.commands[name]
        found[prefix + name] = command
        if hasattr(command, "commands"):
            found |= walk(f"{prefix}{name} ", command)
    return found


def plain(text: str | None) -> str:
    """A help text as prose of Markdown."""
    return " ".join((text or "").split()).replace("*", "\\*").replace("<", "\\<").replace("[", "\\[").replace("|", "\\|")


def argument(parameter: Any) -> str:
    """Name of an argument as the usage shows it."""
    return str(parameter.metavar or parameter.name).upper()


def default(parameter: Any) -> str:
    """A default as it is written, "" where there is none."""
    value = parameter.default
    if value is None or callable(value) or value is False or value in ((), ""):
        return ""
    return "on" if value is True else f"`{value}`"


def usage(words: str, command: Any) -> str:
    """The line to type."""
    arguments = [argument(parameter) for parameter in command.params if parameter.param_type_name == "argument"]
    if hasattr(command, "commands"):
        arguments = ["COMMAND"]
    return " ".join(["neuropil", words, "[OPTIONS]", *arguments])


def section(words: str, command: Any) -> str:
    """One command: what it does, its usage, its arguments and options."""
    parts = [f"## neuropil {words}\n", plain(command.help) + "\n", f"```text\n{usage(words, command)}\n```\n"]
    rows = []
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            rows.append(f"| `{argument(parameter)}` | {default(parameter)} | {plain(getattr(parameter, 'help', ''))} |")
        elif not parameter.hidden:
            names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
            rows.append(f"| {names} | {default(parameter)} | {plain(parameter.help)} |")
    if rows:
        parts.append("\n".join(["| argument or option | default | meaning |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def pages() -> dict[str, str]:
    """The page of all commands."""
    head = "# Command line\n\nThis page is made from the program: `neuropil COMMAND --help` prints the same texts.\n"
    body = "\n".join(section(words, command) for words, command in all_commands().items())
    return {"reference/command_line.md": f"{head}\n{body}"}
