# SPDX-License-Identifier: Apache-2.0
"""Names in README.md, AGENTS.md and docs/ exist: Python names and arguments, commands and options, files, identifiers of the sources."""

import functools
import importlib.util
import inspect
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import typer

import neuropil as npl
from neuropil import cli, nest
from neuropil.errors import MissingLibrary

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = (
    ".ci",
    "bench",
    "bindings",
    "check",
    "CMake",
    "cmake",
    "cpp",
    "examples",
    "plugins",
    "pyproject",
    "python/src",
    "run",
    "tests",
    "tools",
)
TEXT = (".cpp", ".hpp", ".h", ".in", ".py", ".pyi", ".sh", ".toml", ".txt", ".json", "run", "check", "weekly")

# Files that pages ask the reader to write, or that a reader has.
READERS_FILES = {"model.py", "my_model.py", "my_model.cpp", "x.cpp", "pif_psc_delta.cpp", "ring.cpp", "pairs.cpp"}
# Names of the compiler and of Linux.
FOREIGN_NAMES = {"target_clones", "clear_page", "drop_caches"}
# Programs of others, whose options are not checked.
FOREIGN = re.compile(r"\b(pip|cmake|ctest|pytest|mpiexec|srun|SBATCH|apt|apt-get|git|bench_kernel|prefix|gtest_filter)\b|-m bench\.")


def spans(page: Path) -> list[tuple[int, str]]:
    """(line, text) of code: spans in backticks and lines of fenced blocks."""
    found, fenced = [], False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced:
            found.append((number, line))
        else:
            found += [(number, span) for span in re.findall(r"`([^`\n]+)`", line)]
    return found


@functools.cache
def code() -> tuple[tuple[str, str], ...]:
    return tuple((f"{page.relative_to(ROOT)}:{number}", text) for page in PAGES for number, text in spans(page))


@functools.cache
def files() -> tuple[str, ...]:
    """Files of the repository, from its root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple(name for name in listed.stdout.splitlines() if (ROOT / name).is_file())


@functools.cache
def words() -> frozenset[str]:
    """All identifiers of the sources and names of files, this file aside."""
    found = {Path(name).name.partition(".")[0] for name in files()}
    for name in files():
        if name.startswith(SOURCES) and name.endswith(TEXT) and not name.endswith(Path(__file__).name):
            found.update(re.findall(r"[A-Za-z_]\w*", (ROOT / name).read_text(errors="ignore")))
    return frozenset(found)


def missing_attribute(root: object, chain: str) -> bool:
    for name in chain.split("."):
        if not hasattr(root, name) and (inspect.ismodule(root) and importlib.util.find_spec(f"{root.__name__}.{name}")):
            try:
                importlib.import_module(f"{root.__name__}.{name}")
            except MissingLibrary:  # neuropil.brian2, where Brian2 is missing
                return False
        if not hasattr(root, name):
            return True
        root = getattr(root, name)
    return False


@functools.cache
def roots() -> dict[str, object]:
    return {"npl": npl, "neuropil": npl, "net": npl.Network(), "nest": nest}


def python_names(text: str):
    """(root, chain, text after it) of npl.a.b and net.a in code. What neuropil.nest refuses by name is left out."""
    for found in re.finditer(r"(?<![\w.:/\"])(npl|neuropil|net|nest)\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", text):
        if found[0] != "nest.server":
            yield found[1], found[2], text[found.end() :]


def test_python_names_exist():
    stale = [
        f"{place}: {root}.{chain}"
        for place, text in code()
        for root, chain, _ in python_names(text)
        if missing_attribute(roots()[root], chain)
    ]
    assert not stale, "\n".join(stale)


def keywords(call: str) -> list[str]:
    """Names of keyword arguments of a call, given from its opening bracket on."""
    depth, own = 0, ""
    for char in call:
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            break
        own += char if depth == 1 else ""
    return re.findall(r"[(,]\s*([a-z_]\w*)\s*=(?!=)", own)


def accepts(function: object, name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return True
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def test_arguments_of_python_calls_exist():
    stale = []
    for place, text in code():
        calls = [(root, chain, rest) for root, chain, rest in python_names(text) if rest.startswith("(")]
        if bare := re.match(r"([a-z]\w*)(\(.*)", text):  # a call alone in backticks, as in tables of rules
            calls += [("npl", bare[1], bare[2])] if hasattr(npl, bare[1]) else []
        for root, chain, rest in calls:
            function = functools.reduce(getattr, chain.split("."), roots()[root]) if not missing_attribute(roots()[root], chain) else None
            stale += [f"{place}: {chain}({name}=)" for name in keywords(rest) if function is not None and not accepts(function, name)]
    assert not stale, "\n".join(stale)


@functools.cache
def commands() -> dict[str, frozenset[str]]:
    """Options of every command: "plan", "job", "job microcircuit", ...; of ./run bench and ./check, too."""
    cli.add_jobs()
    found = {}

    def collect(prefix: str, group) -> None:
        for name, command in group.commands.items():
            options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
            found[prefix + name] = frozenset({*options, "--help", "-h"})
            if hasattr(command, "commands"):
                collect(f"{prefix}{name} ", command)

    collect("", typer.main.get_command(cli.app))
    found[""] = frozenset({"--version", "--help", "-h", "--install-completion", "--show-completion"})
    found["bench"] = frozenset(re.findall(r"add_argument\(\"(--[\w-]+)", (ROOT / "bench" / "run.py").read_text())) | {"--help"}
    found["docs"] = frozenset(re.findall(r"add_argument\(\"(--[\w-]+)", (ROOT / "tools" / "site" / "__main__.py").read_text()))
    found["check"] = frozenset(re.findall(r"^ +(--\w+)\)", (ROOT / "check").read_text(), re.MULTILINE))
    return found


def command_of(words: list[str]) -> str:
    """The longest command at the beginning of a line, or the unknown name."""
    name = words[0] if words and not words[0].startswith("-") else ""
    if name in ("job", "circuit", "checkpoint") and len(words) > 1 and re.fullmatch(r"[a-z]\w*", words[1]):
        return f"{name} {words[1]}"
    if name == "run" and len(words) > 1 and f"job {words[1]}" in commands():  # a spelling of version 0.2, in decisions of then
        return f"job {words[1]}"
    return name


def stale_command(line: str) -> list[str]:
    """Unknown commands and options of one line of a shell, or of one span."""
    found = re.search(r"(?:^|[\s/])(neuropil|\./run|\./check)(?= +[a-z-]|$)(.*)", line.split("#")[0])
    if not found or re.search(r"import|a checkpoint of|<", line):  # code, and two strings of the format of files
        return []
    parts = re.split(r" -- |[|;&>]", found[2])[0].replace("[", " ").replace("]", " ").split()
    if found[1] == "./check":
        parts = ["check", *parts]
    elif found[1] == "./run" and parts[:1] not in (["bench"], ["docs"], ["info"]):
        parts = ["job", *parts]
    name = command_of(parts)
    if name not in commands():
        return [name]
    own = commands()[name]
    if name in ("run", "nest"):  # what follows the script is its own
        parts = parts[: next((k for k, part in enumerate(parts) if part.endswith(".py")), len(parts))]
    if name in ("job", "plan"):  # the job or the script that follows brings options of its own
        own = frozenset().union(*(options for key, options in commands().items() if key.startswith(("job", "plan"))))
    return [f"{name} {part}" for part in parts if part.startswith("--") and part.split("=")[0] not in own]


def test_commands_and_their_options_exist():
    stale = [f"{place}: {name}" for place, text in code() for name in stale_command(text)]
    assert not stale, "\n".join(stale)


def test_options_exist():
    of_examples = re.findall(r"\"(--[a-z][\w-]+)\"", "".join(path.read_text() for path in (ROOT / "examples").glob("*.py")))
    known = frozenset(of_examples).union(*commands().values())
    stale = []
    for place, text in code():
        if not FOREIGN.search(text) and "dryrun" not in text:
            stale += [f"{place}: {option}" for option in re.findall(r"(?<![\w-])--[a-z][\w-]+", text) if option not in known]
    assert not stale, "\n".join(stale)


def alternatives(name: str) -> list[str]:
    """a/{b,c}.d and a/<b>.d as patterns of file names."""
    name = re.sub(r"<\w+>|\bNAME\b", "*", name)
    if found := re.search(r"\{([^{}]*)\}", name):
        return [one for part in found[1].split(",") for one in alternatives(name[: found.start()] + part + name[found.end() :])]
    return [name]


@functools.cache
def exists(pattern: str) -> bool:
    """A file or a folder of the repository, given from its root or from any folder."""
    pattern = pattern.strip("/")
    return any(fnmatch(name, end) for name in files() for end in (pattern, f"{pattern}/*", f"*/{pattern}", f"*/{pattern}/*"))


def paths(text: str) -> list[str]:
    """Names of files in a span: below a folder of the repository, or with an ending of source files."""
    top = r"(?:\.ci|bench|bindings|cmake|cpp|docs|examples|plugins|python|tests|tools)/[\w./*{},<>-]*\w[*}>/]*"
    named = r"[\w./*{},<>-]*[\w*}>]\.(?:cpp|hpp|py|svg)\b"
    return re.findall(rf"(?<![\w./~-])(?:{top}|{named})(?![\w(])", text)


def test_files_exist():
    stale = []
    for page in PAGES:
        listings = re.sub(r"^```.*?^```", lambda block: re.sub(r"[^\n]+", "", block[0]), page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for span in re.findall(r"`([^`\n]+)`", listings):
            for name in paths(span):
                if Path(name).name not in READERS_FILES and not all(exists(pattern) for pattern in alternatives(name)):
                    stale.append(f"{page.relative_to(ROOT)}: {name}")
    assert not stale, "\n".join(stale)


def test_identifiers_exist():
    """Spans that are one identifier with an underscore, a scope or two capitals: they occur in the sources. Not where others' programs are shown."""
    pattern = re.compile(r"((?:[A-Za-z_]\w*(?:::|\.))*[A-Za-z_]\w*)(?:\(.*\))?")
    stale = []
    for place, text in code():
        if (found := pattern.fullmatch(text)) and not place.startswith("docs/coming_from/"):
            distinct = re.search(r"\w_\w|::|[a-z][A-Z]", found[1])
            stale += [f"{place}: {word}" for word in re.split(r"::|\.", found[1]) if distinct and word not in words() | FOREIGN_NAMES]
    assert not stale, "\n".join(stale)


def table_of(page: Path, heading: str) -> str:
    return page.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_python_api_lists_all_errors():
    listed = set(re.findall(r"`(\w+)`", re.sub(r"carr.*", "", table_of(ROOT / "docs/concepts/python_api.md", "Errors"))))
    assert set(npl.errors.__all__) - listed == {"NeuropilError"}


def test_python_api_lists_all_packages():
    package = ROOT / "python/src/neuropil"
    there = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    assert there == set(re.findall(r"`(\w+)/`", table_of(ROOT / "docs/concepts/python_api.md", "One package, one concern")))


def test_architecture_names_all_modules():
    page = (ROOT / "docs/concepts/architecture.md").read_text()
    assert [path.name for path in (ROOT / "cpp").iterdir() if path.is_dir() and f"`{path.name}`" not in page] == []


def test_nodes_lists_all_neuron_models():
    page = (ROOT / "docs/concepts/nodes.md").read_text()
    built_in = [name for name, entry in npl.models().items() if not entry.digest]
    assert [name for name in built_in if f"`{name}`" not in page] == []


def test_the_command_line_lists_all_commands():
    assert [
        name
        for name in commands()
        if " " not in name and name not in ("", "check", "docs") and name not in re.findall(r"`(?:neuropil )?([\w-]+)", str(cli.__doc__))
    ] == []
