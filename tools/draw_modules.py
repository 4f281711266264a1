# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures/architecture_modules.svg: arrows are the links in CMakeLists.txt that do not follow from others.

--print writes to the standard output instead.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIGURE = ROOT / "docs/figures/architecture_modules.svg"
VIOLET, ORANGE, BLUE, GREEN, GREY = (
    ("#eeeaf7", "#7a69b0"),
    ("#fdeedd", "#cf7f2c"),
    ("#e3eefb", "#4c72b0"),
    ("#e4f3e6", "#3f8f52"),
    ("#f1f4f6", "#9aa7b3"),
)
# Module: x, y, width, height, color, lines of text; wide bars have their text beside the name.
BOXES = {
    "python/src/neuropil": (30, 14, 900, 40, VIOLET, ["front end: names, units, ranges, results; neuropil.nest, circuit"]),
    "bindings": (30, 80, 900, 40, VIOLET, ["neuropil._core: arrays and plain values; the only C++ that knows Python"]),
    "sim": (
        30,
        146,
        752,
        54,
        ORANGE,
        [
            "Network and its parts; slices and their components, time loop, routes, edits, growth, memory model.",
            "The only module that knows all below it (but circuit and reference).",
        ],
    ),
    "record": (30, 252, 104, 60, BLUE, ["of spikes and", "of state"]),
    "growth": (144, 252, 112, 60, BLUE, ["calcium, curves,", "elements"]),
    "devices": (266, 252, 118, 60, BLUE, ["generators,", "currents"]),
    "connect": (394, 252, 128, 60, GREEN, ["rules: edges are", "counted and filled"]),
    "pathways": (532, 252, 124, 60, GREEN, ["table and queue:", "schedule, deliver"]),
    "continuous": (666, 252, 116, 60, GREEN, ["values beside", "spikes"]),
    "circuit": (798, 252, 132, 60, GREY, ["touches; used by", "bindings alone"]),
    "tables": (394, 356, 296, 46, GREEN, ["columns, rows, merge"]),
    "synapses": (394, 446, 128, 44, GREEN, ["rules of plasticity"]),
    "checkpoint": (532, 446, 106, 44, BLUE, ["saved columns"]),
    "nodes": (648, 446, 92, 44, BLUE, ["run models"]),
    "model": (648, 516, 92, 44, BLUE, ["equations"]),
    "exchange": (768, 430, 162, 60, BLUE, ["spikes between ranks:", "strategies, routes, post"]),
    "rng": (144, 586, 596, 30, BLUE, ["counter-based random numbers, distributions"]),
    "comm": (768, 586, 162, 30, BLUE, ["ranks"]),
    "base": (
        30,
        644,
        900,
        30,
        GREY,
        ["ids, errors, fixed point, math, SIMD, buffers, threads: used by all.   reference (the oracle) uses base alone."],
    ),
}
# Arrows that are not vertical, or not where a straight one would be.
PATHS = {
    ("continuous", "nodes"): [(715, 312), (715, 444)],
    ("circuit", "rng"): [(812, 312), (812, 336), (754, 336), (754, 601), (742, 601)],
}


def links() -> dict[str, set[str]]:
    """What each module is linked with."""
    text = (ROOT / "CMakeLists.txt").read_text()
    found = {name: set(used.split()) for name, used in re.findall(r"^npl_module\((\w+)([^)]*)\)", text, re.MULTILINE)}
    del found["reference"]
    return found | {"bindings": {"sim", "circuit"}, "python/src/neuropil": {"bindings"}}


def arrows() -> list[tuple[str, str]]:
    """Links that do not follow from others, but those with base."""
    direct = links()

    def below(module: str) -> set[str]:
        return set().union(*({used} | below(used) for used in direct[module]))

    return sorted((m, used) for m in direct for used in direct[m] - {"base"} if not any(used in below(other) for other in direct[m]))


def box(name: str) -> list[str]:
    """Its elements."""
    x, y, width, height, (fill, stroke), lines = BOXES[name]
    bar = width > 400
    left, top = x + (12 if bar else 9), y + (25 if bar and height == 40 else 22 if height == 54 else 20 if bar else 18)
    beside = left + max(48, 7.6 * len(name) + 20) if bar or height == 30 else left
    first = top if bar or height == 30 else top + 16
    parts = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{stroke}" stroke-width="1.2"/>']
    parts.append(f'<text class="c" x="{left}" y="{top}" font-size="12.5" fill="#1f2933" font-weight="bold">{name}</text>')
    for k, line in enumerate(lines):
        parts.append(
            f'<text class="s" x="{beside:g}" y="{first + k * (18 if bar else 15.5):g}" font-size="12" fill="#1f2933">{line}</text>'
        )
    return parts


def path(user: str, used: str) -> list[tuple[float, float]]:
    """Corners of an arrow."""
    if (user, used) in PATHS:
        return PATHS[user, used]
    (x, y, width, height, *_), (to_x, to_y, to_width, *_) = BOXES[user], BOXES[used]
    left, right = max(x, to_x), min(x + width, to_x + to_width)
    assert left + 8 < right, f"{user} -> {used}: not one above the other; give its way in PATHS"
    middle = (left + right) / 2
    return [(middle, y + height), (middle, to_y - 2)]


def figure() -> str:
    """The whole file."""
    drawn = arrows()
    assert set(BOXES) == set(links()), "a module without a box, or a box without a module"
    assert set(PATHS) <= set(drawn), "the way of an arrow that is none"
    parts = ["<!-- SPDX-License-Identifier: Apache-2.0 -->"]
    parts.append('<svg xmlns="http://www.w3.org/2000/svg" width="960" height="698" viewBox="0 0 960 698">')
    parts.append("<title>Modules of neuropil: who may use whom</title>")
    parts.append(
        "<style>.s { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif } .c { font-family: 'DejaVu Sans Mono', Consolas, monospace }</style>"
    )
    parts.append(
        '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L10 5 L0 10 z" fill="#41505e"/></marker></defs>'
    )
    parts.append('<rect width="960" height="698" fill="#ffffff"/>')
    for name in BOXES:
        parts += box(name)
    for user, used in drawn:
        points = " ".join(f"{x:g},{y:g}" for x, y in path(user, used))
        parts.append(f'<polyline points="{points}" fill="none" stroke="#41505e" stroke-width="1.5" marker-end="url(#a)"/>')
    parts.append(
        '<text class="s" x="480" y="633" font-size="10.5" fill="#66727f" text-anchor="middle">'
        "An arrow: may use, and all that is further down that way. Drawn from the links in CMakeLists.txt by tools/draw_modules.py.</text>"
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(figure()) if "--print" in sys.argv else FIGURE.write_text(figure())
