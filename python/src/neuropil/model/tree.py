# SPDX-License-Identifier: Apache-2.0
"""Neurons with compartments: a tree, what each compartment is made of, and where its receptors are, for `Network.create`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.checks import to_floats, to_whole
from ..base.named import named_arguments
from ..errors import bad_parameter, bad_type, unknown_name
from . import catalog

__all__ = ["Tree", "tree"]

_MODEL = "cm_default"
_KINDS = ("AMPA", "GABA", "NMDA", "AMPA_NMDA")
Part = Mapping[str, Any]


@dataclass(frozen=True)
class Tree:
    """A model with compartments. parents : of each compartment, -1 of the root; receptors : compartment and kind of each; values : of the kernel's names."""

    parents: tuple[int, ...]
    receptors: tuple[tuple[int, str], ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that the kernel has for a model of this shape."""
        return f"{_MODEL}[{','.join(map(str, self.parents))};{','.join(f'{where}:{kind}' for where, kind in self.receptors)}]"

    def grown(self, compartments: Iterable[Part] = (), receptors: Iterable[Part] = ()) -> Tree:
        """The same tree with more compartments and receptors, given as to `tree`."""
        parents, places, values = list(self.parents), list(self.receptors), dict(self.values)
        for part in compartments:
            values |= _compartment(part, parents)
        for part in receptors:
            values |= _receptor(part, len(parents), places)
        return Tree(tuple(parents), tuple(places), values)


@named_arguments
def tree(compartments: Sequence[Part], receptors: Sequence[Part] = ()) -> Tree:
    """A tree of compartments for `Network.create`: net.create(npl.tree([{}, {"parent": 0, "g_C": 0.02}], [{"compartment": 1, "kind": "AMPA"}]), 100).

    Parameters
    ----------
    compartments : a dict each. parent: number of an earlier one, the first is the root and has none; C_m (nF), g_C (coupling to the parent), g_L,
        gbar_Na, gbar_K (uS), e_L, e_Na, e_K, v_comp (potential at the beginning, default -70) (mV)
    receptors : a dict each. compartment: a number; kind: AMPA, GABA, NMDA or AMPA_NMDA; e_AMPA, tau_r_AMPA, tau_d_AMPA and the like of other
        kinds, NMDA_ratio. `receptor=1` of `Network.connect` is the first one. Currents of devices go to compartment `receptor`, from 0.

    Gates of channels begin where they rest at v_comp. Raises BadParameter, UnknownName, BadType.
    """
    for name, given in (("compartments", compartments), ("receptors", receptors)):
        if not isinstance(given, list | tuple) or not all(isinstance(part, Mapping) for part in given):
            raise bad_type(name, given, "a list of dicts")
    if not compartments:
        raise bad_parameter("compartments", 0, "at least one, the root")
    return Tree(()).grown(compartments, receptors)


def _compartment(part: Part, parents: list[int]) -> dict[str, float]:
    number = len(parents)
    parent = to_whole("parent", part.get("parent", -1))
    if parent != -1 if number == 0 else not 0 <= parent < number:
        raise bad_parameter("parent", parent, f"-1 for the root, else the number of an earlier compartment, 0 to {number - 1}")
    parents.append(parent)
    given = _numbers(part, "parent", "v_comp", of=f"{_MODEL}[-1;]", suffix="_0")
    v = given.pop("v_comp", -70.0)
    found = {f"{key}_{number}": value for key, value in given.items()}
    return found | {f"v_comp{number}": v} | {f"{gate}_{number}": value for gate, value in _at_rest(v).items()}


def _receptor(part: Part, compartments: int, places: list[tuple[int, str]]) -> dict[str, float]:
    where = to_whole("compartment", part.get("compartment", 0))
    if not 0 <= where < compartments:
        raise bad_parameter("compartment", where, f"from 0 to {compartments - 1}")
    kind = part.get("kind")
    if kind not in _KINDS:
        raise unknown_name("receptor", str(kind), list(_KINDS))
    number = len(places)
    places.append((where, str(kind)))
    return {
        f"{key}_{number}": value for key, value in _numbers(part, "compartment", "kind", of=f"{_MODEL}[-1;0:{kind}]", suffix="_0").items()
    }


def _numbers(part: Part, *others: str, of: str, suffix: str) -> dict[str, float]:
    """The parameters of a part; `others` are its other keys. Raises UnknownName."""
    known = {key.removesuffix(suffix) for key in catalog.models()[of].parameters if key.endswith(suffix)}
    if "kind" in others:
        known -= {key.removesuffix(suffix) for key in catalog.models()[f"{_MODEL}[-1;]"].parameters}
    for key in part:
        if key not in known and key not in others:
            raise unknown_name("parameter", key, sorted({*known, *others}))
    return {key: float(to_floats(key, value)) for key, value in part.items() if key in known or key == "v_comp"}


def _ramp(u: float) -> float:
    return 1.0 if u == 0.0 else float(u / -np.expm1(-u)) if u > -700.0 else 0.0


def _at_rest(v: float) -> dict[str, float]:
    """Gates that do not move at a potential: cpp/nodes/compartments_step.cpp."""
    u, w = (v + 35.013) / 9.0, (v - 25.0) / 9.0
    m, n = (0.182 * _ramp(u), 0.124 * _ramp(-u)), (0.02 * _ramp(w), 0.002 * _ramp(-w))
    h = 1.0 / (1.0 + np.exp(min((v + 65.0) / 6.2, 700.0)))
    return {"m_Na": m[0] / sum(m), "h_Na": float(h), "n_K": n[0] / sum(n)}
