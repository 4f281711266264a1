# SPDX-License-Identifier: Apache-2.0
"""What a user may ask of touch detection, checked before anything is read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import to_number, to_whole
from ..errors import bad_parameter, bad_type, unknown_name
from .errors import bad_file
from .morphologies import APICAL, AXON, BASAL, SOMA

__all__ = ["SPACES", "TouchOptions", "read_spines", "spine_lengths"]

_DENDRITES = (BASAL, APICAL)
_EVERYTHING = (SOMA, AXON, *_DENDRITES)

# Which sections touch which: types of the presynaptic side, of the postsynaptic side, and whether a cell may touch itself.
SPACES: dict[str, tuple[tuple[int, ...], tuple[int, ...], bool]] = {
    "axodendritic": ((AXON,), (SOMA, *_DENDRITES), False),
    "autaptic": ((AXON,), (SOMA, *_DENDRITES), True),
    "dendrosomatic": (_DENDRITES, (SOMA,), False),
    "dendrodendritic": (_DENDRITES, _DENDRITES, False),
    "all": (_EVERYTHING, _EVERYTHING, False),
}
PARTS: dict[str, tuple[int, ...]] = {
    "soma": (SOMA,),
    "axon": (AXON,),
    "dendrite": _DENDRITES,
    "basal": (BASAL,),
    "apical": (APICAL,),
    "all": _EVERYTHING,
}
MODES = ("tapered", "capsule")
EXCHANGES = ("alltoallv", "neighbor", "nbx")


@dataclass(frozen=True)
class TouchOptions:
    """Parameters of the touches. Lengths in um.

    space: which sections may touch which, a name of SPACES; pre, post: parts of PARTS that narrow or replace its two sides; autapses: overrides it
    min_distance, max_distance: distance of boutons along a region of overlap, uniform; region_gap: overlaps closer than this are one region
    spine_length: structural spine length on dendrites of the postsynaptic side; spines: other values by mtype
    seed: of the random distances; mode: "tapered" (cones, the default) or "capsule" (mean radius, as other programs have it)

    Raises BadParameter, BadType, UnknownName.
    """

    space: str = "axodendritic"
    pre: Sequence[str] = ()
    post: Sequence[str] = ()
    autapses: bool | None = None
    min_distance: float = 5.0
    max_distance: float = 7.0
    region_gap: float = 5.0
    spine_length: float = 2.5
    spines: Mapping[str, float] = field(default_factory=dict)
    seed: int = 1
    mode: str = "tapered"

    def __post_init__(self) -> None:
        for kind, value, known in (("space", self.space, tuple(SPACES)), ("mode", self.mode, MODES)):
            if value not in known:
                raise unknown_name(kind, value, known)
        for side in ("pre", "post"):
            for name in getattr(self, side):
                if name not in PARTS:
                    raise unknown_name(f"part of {side}", name, PARTS)
        if not isinstance(self.spines, Mapping):
            raise bad_type("spines", self.spines, "a mapping of mtype to length (um)")
        for name, length in (
            ("region_gap", self.region_gap),
            ("spine_length", self.spine_length),
            *((f"spines[{k!r}]", v) for k, v in self.spines.items()),
        ):
            _check_length(name, length, 0.0)
        _check_length("min_distance", self.min_distance, 1e-3)
        _check_length("max_distance", self.max_distance, self.min_distance)
        if not 0 <= to_whole("seed", self.seed) < 2**63:
            raise bad_parameter("seed", self.seed, "a whole number from 0")

    @property
    def pre_types(self) -> int:
        """Bit mask of the SWC codes of the presynaptic side."""
        return _mask([code for name in self.pre for code in PARTS[name]] or SPACES[self.space][0])

    @property
    def post_types(self) -> int:
        """Bit mask of the SWC codes of the postsynaptic side."""
        return _mask([code for name in self.post for code in PARTS[name]] or SPACES[self.space][1])

    @property
    def with_autapses(self) -> bool:
        """Whether touches of a cell with itself are kept: as wished, else as the space has it."""
        return SPACES[self.space][2] if self.autapses is None else bool(self.autapses)

    def key(self) -> dict[str, Any]:
        """All that the touches depend on, as JSON knows it."""
        given = asdict(self) | {
            "pre": self.pre_types,
            "post": self.post_types,
            "autapses": self.with_autapses,
            "spines": dict(sorted(self.spines.items())),
        }
        given.pop("space")
        return given


def _check_length(name: str, value: Any, least: float) -> None:
    number = to_number(name, value)
    if not (math.isfinite(number) and number >= least):
        raise bad_parameter(name, value, f"a length of at least {least:g} um")


def _mask(codes: Sequence[int]) -> int:
    return sum({1 << code for code in codes})


def spine_lengths(options: TouchOptions, mtypes: Sequence[str], file: Path | str) -> NDArray[np.float64]:
    """Structural spine length by number of the mtype, float64 (len(mtypes),), of one mtype at least. Raises UnknownName for mtypes that no cell has."""
    for name in options.spines:
        if name not in mtypes:
            raise unknown_name(f"mtype in the spine lengths; {file} has no such", name, mtypes)
    return np.array([float(options.spines.get(name, options.spine_length)) for name in mtypes or ("",)])


def read_spines(path: Path | str) -> dict[str, float]:
    """Spine lengths by mtype from a JSON file: {"L5_TTPC1": 2.5, ...}, or the `structural_spine_lengths` of a recipe. Raises BadFile."""
    file = Path(path)
    try:
        data = json.loads(file.read_text())
    except OSError as error:
        raise bad_file(file, "", f"cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise bad_file(file, f"line {error.lineno}", f"is not JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise bad_file(file, "", f"is not JSON: {error}") from None
    if isinstance(data, dict) and "structural_spine_lengths" in data:
        rows = data["structural_spine_lengths"]
        data = {row.get("mtype"): row.get("spine_length") for row in rows if isinstance(row, dict)} if isinstance(rows, list) else None
    if not isinstance(data, dict):
        raise bad_file(file, "", "must hold an object of mtype: spine length (um)")
    for name, value in data.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or value < 0.0
            or not isinstance(name, str)
        ):
            raise bad_file(file, str(name), f"{value!r} is no length (um)")
    return {name: float(value) for name, value in data.items()}
