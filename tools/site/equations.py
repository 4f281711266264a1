# SPDX-License-Identifier: Apache-2.0
"""Equations of built-in models: docs/reference/equations/*.toml as LaTeX, and the names in them, which a test compares with the models."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "equations"
GREEK = {
    "alpha",
    "beta",
    "gamma",
    "delta",
    "Delta",
    "epsilon",
    "eta",
    "theta",
    "kappa",
    "lambda",
    "mu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "phi",
    "psi",
    "omega",
}
COMMON = {"weight", "I_stim", "t", "t_0", "e", "pi", "h", "xi"}  # names of all models, explained on the page of the reference
INDICES = {"k": "1", "i": "0"}  # g_k is one of g_1, g_2, ...; C_m_i one of C_m_0, C_m_1, ...
FUNCTIONS = {
    "exp": r"\exp",
    "log": r"\ln",
    "max": r"\max",
    "min": r"\min",
    "tanh": r"\tanh",
    "sin": r"\sin",
    "erf": r"\mathrm{erf}",
    "erfc": r"\mathrm{erfc}",
    "floor": r"\mathrm{floor}",
    "ceil": r"\mathrm{ceil}",
    "gamma": r"\gamma",
    "Gamma": r"\Gamma",
}
RELATION = re.compile(r"^(?P<left>.+?) (?P<sign>\+=|>=|<=|>|<|=) (?P<right>.+)$")
SIGNS = {">=": r"\geq", "<=": r"\leq", ">": ">", "<": "<", "=": "="}
ROOM = 64  # signs of a text and its equation beside each other
WORD = r"\\mathrm\{\w{2,}\}"  # a name of several letters, which would run into its neighbour
WORDS = re.compile(rf"({WORD}(?:_\{{\\text\{{[^{{}}]*\}}\}})?)\\,|\\,(?={WORD})")
SLOPE = re.compile(r"\bd([A-Za-z][\w.]*)/dt\b")


class Line(NamedTuple):
    """An equation, and when it holds or what it is."""

    when: str
    equation: str


class Described(NamedTuple):
    """What the files say about a model. names: of the paper, which the model has no parameter or variable for."""

    lines: tuple[Line, ...]
    names: frozenset[str]
    paper: str


@cache
def entries() -> dict[str, dict[str, object]]:
    """All files: one for each kind of models."""
    return {name: entry for file in sorted(FOLDER.glob("*.toml")) for name, entry in tomllib.loads(file.read_text()).items()}


@cache
def described(model: str) -> Described:
    """Equations and paper of a model; nothing where they have none."""
    entry = entries().get(model, {})
    parts = [described(str(name)) for name in entry.get("with", ())]  # type: ignore[attr-defined]
    after = [described(str(name)) for name in entry.get("with_after", ())]  # type: ignore[attr-defined]
    own = tuple(to_line(text) for text in str(entry.get("equations", "")).strip().splitlines())
    lines = (*(line for part in parts for line in part.lines), *own, *(line for part in after for line in part.lines))
    names = frozenset(entry.get("names", ())).union(*(part.names for part in (*parts, *after)))  # type: ignore[call-overload]
    return Described(lines, names, str(entry.get("paper", "")))


def to_line(text: str) -> Line:
    """Reads `when: equation`, or an equation alone."""
    when, _, equation = text.rpartition(": ")
    return Line(when, equation)


def sides(equation: str) -> list[str]:
    """Left side, sign and right side; the expression alone where there is no sign."""
    found = RELATION.match(equation)
    return [found["left"], found["sign"], found["right"]] if found else [equation]


def names(line: Line) -> set[str]:
    """Names of parameters and variables in an equation; of those with an index, the first."""
    found = set()
    for side in sides(line.equation)[::2]:
        bare = re.sub(r"\blambda\b", "lambda_", SLOPE.sub(r"\1", side))
        found |= names_in(ast.parse(bare, mode="eval").body)
    return set(map(first, found))


def first(name: str) -> str:
    """The first of the names with an index."""
    return re.sub(r"_([ki])$", lambda index: f"_{INDICES[index[1]]}", name)


def names_in(node: ast.expr) -> set[str]:
    """Names in an expression, without functions and the indices of sums."""
    match node:
        case ast.Name() | ast.Attribute():
            return {ast.unparse(node).removesuffix("_")}
        case ast.Call(func=ast.Name(id="sum" | "integral"), args=[inside, ast.Name(id=index), *bounds]):
            return (names_in(inside) - {index}).union(*map(names_in, bounds))
        case ast.Call(args=args):
            return set().union(*map(names_in, args))
    return set().union(*(names_in(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)))


def symbol(name: str) -> str:
    """A name as LaTeX: the part before the first underscore is the letter, the rest its index."""
    letter, _, index = name.partition("_")
    letter = f"\\{letter}" if letter in GREEK else letter if len(letter) == 1 else rf"\mathrm{{{letter}}}"
    return rf"{letter}_{{\text{{{index.replace('_', ',').replace('.', ',')}}}}}" if index else letter


def latex(node: ast.expr) -> str:
    """An expression as LaTeX."""
    match node:
        case ast.Name() | ast.Attribute():
            name = ast.unparse(node)
            slope = re.fullmatch(r"slope__([\w.]+)", name)
            return rf"\frac{{\mathrm{{d}}{symbol(slope[1])}}}{{\mathrm{{d}}t}}" if slope else symbol(name.removesuffix("_"))
        case ast.Constant(value=value):
            return str(value)
        case ast.Subscript(value=array, slice=index):
            return rf"{latex(array)}\left[{latex(index)}\right]"
        case ast.UnaryOp(operand=operand):
            return f"-{grouped(operand, ast.Add, ast.Sub)}"
        case ast.BinOp(left=ast.UnaryOp(operand=left), op=ast.Div(), right=right):
            return rf"-\frac{{{latex(left)}}}{{{latex(right)}}}"
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return rf"\frac{{{latex(left)}}}{{{latex(right)}}}"
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            product = rf"{grouped(left, ast.Add, ast.Sub)}\,{grouped(right, ast.Add, ast.Sub)}"
            return WORDS.sub(lambda found: rf"{found[1] or ''}\cdot ", product)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return rf"{grouped(left, ast.Add, ast.Sub, ast.Mult, ast.Div)}^{{{latex(right)}}}"
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return f"{latex(left)} - {grouped(right, ast.Add, ast.Sub)}"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return f"{latex(left)} + {latex(right)}"
        case ast.Call(func=ast.Name(id="sqrt"), args=[inside]):
            return rf"\sqrt{{{latex(inside)}}}"
        case ast.Call(func=ast.Name(id="abs"), args=[inside]):
            return rf"\left|{latex(inside)}\right|"
        case ast.Call(func=ast.Name(id="sum"), args=[inside, ast.Name(id=index)]):
            return rf"\sum_{{{index}}}{grouped(inside, ast.Add, ast.Sub)}"
        case ast.Call(func=ast.Name(id="integral"), args=[inside, ast.Name(id=variable), low, high]):
            return rf"\int_{{{latex(low)}}}^{{{latex(high)}}}{latex(inside)}\,\mathrm{{d}}{variable}"
        case ast.Call(func=ast.Name(id=name), args=args):
            return rf"{FUNCTIONS[name]}\left({', '.join(map(latex, args))}\right)"
    raise ValueError(f"no LaTeX for {ast.dump(node)}")


def grouped(node: ast.expr, *kinds: type[ast.operator]) -> str:
    """An expression in brackets, where it is a sum or another operation that binds less."""
    inside = latex(node)
    return rf"\left({inside}\right)" if isinstance(node, ast.BinOp) and isinstance(node.op, kinds) else inside


def side_latex(side: str) -> str:
    """One side of an equation."""
    bare = SLOPE.sub(r"slope__\1", side)
    return latex(ast.parse(re.sub(r"\blambda\b", "lambda_", bare), mode="eval").body)


def line_latex(line: Line) -> str:
    """A line: when it holds, and the equation. What a spike changes has an arrow."""
    parts = sides(line.equation)
    when = rf"\text{{{line.when}:}}\quad " if line.when else ""
    if len(parts) == 1:
        return when + side_latex(parts[0])
    left, sign, right = parts
    if sign == "+=":
        total = f"{left} - {right[1:]}" if right.startswith("-") else f"{left} + {right}"
        return rf"{when}{side_latex(left)} \leftarrow {side_latex(total)}"
    changes = sign == "=" and (first(left) in names(Line("", right)) or line.when.startswith("after a spike"))
    shown = "\\leftarrow" if changes else SIGNS[sign]
    return f"{when}{side_latex(left)} {shown} {side_latex(right)}"


def block(model: str) -> str:
    """All equations of a model as blocks of MyST; "" where there are none."""
    return "\n".join(map(written, described(model).lines))


def in_prose(name: str) -> str:
    """A name in a text above an equation: as in equations, where its letter is one sign, else as code."""
    letter = name.partition("_")[0]
    return f"${symbol(name)}$" if len(letter) == 1 or letter in GREEK else f"`{name}`"


def written(line: Line) -> str:
    """A line as MyST. A text that leaves little room for its equation stands above it."""
    if line.when and len(line.when) + len(line.equation) > ROOM:
        when = re.sub(r"\b[A-Za-z]\w*_\w+", lambda name: in_prose(name[0]), line.when.replace("*", r"\*").replace("<", r"\<"))
        return f"{{.when}}\n{when}:\n\n{written(line._replace(when=''))}"
    return f"```{{math}}\n{line_latex(line)}\n```\n"
