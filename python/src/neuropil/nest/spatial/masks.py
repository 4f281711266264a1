# SPDX-License-Identifier: Apache-2.0
"""NEST's masks: those of neuropil.space with the operators and errors of NEST; CreateMask, and dicts in a connection specification."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ... import space
from ...space.engine import GridMask
from ..errors import NESTErrors, expect, translating, unaccessed
from ..parameters.expression import to_point


class Mask:
    """A region in 2 or 3 dimensions relative to a node. `a | b`, `a & b`, `a - b` combine. Made by CreateMask or a dict {name: {...}}."""

    def __init__(self, native: space.Mask) -> None:
        self.native = native

    def Inside(self, point: Any) -> bool:  # noqa: N802  (the name is NEST's)
        """Whether a point is in the region. Raises BadProperty for points of other dimensions, KernelException for masks of grids."""
        if isinstance(self.native, GridMask):
            raise NESTErrors.KernelException("a grid mask has no inside without the grid layer that it is applied to")
        return bool(self.native.contains(to_point(point, self.native.dims)))

    def __or__(self, other: Any) -> Mask:
        return self._made("|", other, operator.or_)

    def __and__(self, other: Any) -> Mask:
        return self._made("&", other, operator.and_)

    def __sub__(self, other: Any) -> Mask:
        return self._made("-", other, operator.sub)

    def _made(self, sign: str, other: Any, combine: Callable[[Any, Any], space.Mask]) -> Mask:
        if not isinstance(other, Mask):
            raise NotImplementedError(f"{sign} needs a mask on both sides, not {type(other).__name__}")
        if isinstance(self.native, GridMask) or isinstance(other.native, GridMask):
            raise NESTErrors.KernelException("grid masks cannot be combined")
        with translating():
            return Mask(combine(self.native, other.native))


def CreateMask(masktype: str, specs: Mapping[str, Any], anchor: Any = None) -> Mask:  # noqa: N802  (the name is NEST's)
    """A mask by its name.

    2-D: rectangular (lower_left, upper_right, azimuth_angle), circular (radius), doughnut (inner_radius, outer_radius),
    elliptical (major_axis, minor_axis, azimuth_angle, anchor), grid (shape); 3-D: box (as rectangular, and polar_angle), spherical (radius),
    ellipsoidal (as elliptical, and polar_axis, polar_angle). Lengths are in units of space, angles in degrees; `anchor` moves the mask.
    Raises UndefinedName for other names, IndexError for missing keys, UnaccessedDictionaryEntry for unknown ones, BadProperty, TypeMismatch.
    """
    if masktype not in _KINDS:
        raise NESTErrors.UndefinedName(f"there is no mask called {masktype}")
    expect(isinstance(specs, Mapping), f"the specification of a {masktype} mask is a dict", specs)
    make, dims, names = _KINDS[masktype]
    if missing := [key for key in names if key not in specs and key not in _OPTIONAL]:
        raise IndexError(f"a {masktype} mask needs {', '.join(missing)}")
    if unknown := [str(key) for key in specs if key not in (*names, "anchor")]:
        if dims == 2 and (depth := [key for key in unknown if key.startswith("polar_")]):
            raise NESTErrors.BadProperty(f"{depth[0]} of a {masktype} mask: there is none in 2 dimensions")
        raise unaccessed("specs", "CreateMask:", unknown)
    where = anchor if anchor is not None else specs.get("anchor")
    if masktype == "grid":
        return _grid(specs["shape"], where)
    for key, value in specs.items():
        expect(not isinstance(value, bool | str | Mapping), f"{key} of a mask is a number or a list", value)
    with translating():
        mask = make(**{names[key]: value for key, value in specs.items() if key != "anchor"})
        if mask.dims != dims:
            raise NESTErrors.BadProperty(f"a {masktype} mask has {dims} dimensions, not {mask.dims}")
        return Mask(mask if where is None else mask.shifted(where))


def to_mask(given: Any) -> space.Mask | None:
    """The native mask of a connection specification: a Mask, a dict {name: {...}, "anchor": [...]}, None or {} for no mask."""
    if given is None or isinstance(given, Mask):
        return None if given is None else given.native
    expect(isinstance(given, Mapping), "mask is a Mask or a dict", given)
    names = [key for key in given if key != "anchor"]
    if not names:
        return None
    if len(names) > 1:
        raise NESTErrors.BadProperty(f"a mask has one name, not {', '.join(map(str, names))}")
    return CreateMask(names[0], given[names[0]], given.get("anchor")).native


def _grid(shape: Any, anchor: Any) -> Mask:
    columns_rows, where = _whole_numbers("shape", shape), (0, 0) if anchor is None else _whole_numbers("anchor", anchor)
    with translating():
        return Mask(space.grid_mask(columns_rows, where))


def _whole_numbers(name: str, given: Any) -> tuple[int, ...]:
    expect(not isinstance(given, Mapping), f"{name} is a list, not a dict")
    array = np.asarray(given)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"{name} of a grid mask must be a list of whole numbers: {given!r}")
    return tuple(array.tolist())


_OPTIONAL = ("azimuth_angle", "polar_angle", "polar_axis")
_CORNERS = {"lower_left": "lower", "upper_right": "upper", "azimuth_angle": "azimuth"}
_AXES = {"major_axis": "major", "minor_axis": "minor", "azimuth_angle": "azimuth"}
_IN_SPACE = {"polar_angle": "polar"}

_KINDS: dict[str, tuple[Callable[..., space.Mask], int, dict[str, str]]] = {  # function, dimensions, its names by those of NEST
    "rectangular": (space.box, 2, _CORNERS),
    "box": (space.box, 3, _CORNERS | _IN_SPACE),
    "circular": (space.circle, 2, {"radius": "radius"}),
    "spherical": (space.sphere, 3, {"radius": "radius"}),
    "doughnut": (space.doughnut, 2, {"inner_radius": "inner", "outer_radius": "outer"}),
    "elliptical": (space.ellipse, 2, _AXES),
    "ellipsoidal": (space.ellipsoid, 3, _AXES | _IN_SPACE | {"polar_axis": "polar_axis"}),
    "grid": (space.grid_mask, 2, {"shape": "shape"}),
}
