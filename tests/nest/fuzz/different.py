# SPDX-License-Identifier: Apache-2.0
"""Differences on purpose: when a script shows one of these, it counts as explained. docs/howto/coming_from_nest.md has them, too."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.nest.fuzz.verdicts import Verdict

Steps = list[dict[str, Any]]


def reason(steps: Steps, found: Verdict) -> str:
    """Why the difference is meant; empty if it is not."""
    step = steps[found.step]
    return next((why for why, applies in PURPOSES.items() if applies(steps, step, found)), "")


def shown_but_not_settable(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what.endswith("error none, NEST UnaccessedDictionaryEntry") and "refractory_input" in found.detail


def exploded(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """NEST's value is beyond all reason, ours is not."""
    words = found.detail.rsplit("NEST ", 1)
    try:
        return (
            found.what.startswith(("traces", "state: V_m"))
            and not abs(float(words[1])) < 1e7
            and abs(float(words[0].rsplit(": ", 1)[1].rstrip(", "))) < 1e4
        )
    except (ValueError, IndexError):
        return False


def own_solver_error(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    if found.what == "state: V_m":
        copies = {made["name"]: made["model"] for made in steps if made["do"] == "copy"}
        made = next(made for made in steps if made["do"] == "create" and made["name"] == step["of"])
        return copies.get(made["model"], made["model"]) == "hh_cond_exp_traub"
    return found.what.endswith(" of hh_cond_exp_traub") and found.what.startswith(("traces", "spikes"))


def unphysical(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Values that our error names with what is allowed, and that NEST does not look at."""
    name, _, rest = found.detail.partition(": ")[2].partition(" = ")
    value, _, allowed = rest.partition(": must be ")
    given = str(step.get("values")) + str(step.get("syn"))
    positive = value in ("inf", "-inf", "nan") or allowed.startswith(
        ("a finite number > 0", "a finite number >= 0", "at most 1", "from 0 to 1", "different from 0")
    )
    return found.what.endswith((": error BadProperty, NEST none", ": error BadParameter, NEST none")) and f"'{name}'" in given and positive


def negative_currents(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what.endswith("error none, NEST BadProperty") and "Conductances must not be negative" in found.detail


def no_edges(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what == "get_kernel: value" and "max_delay" in found.detail


def unstable(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what == "simulate: error NumericalInstability, NEST none"


def shortest_dead_time(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what == "state: dead_time"


def other_sign(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what == "set_connections: error BadProperty, NEST none" and "same sign" in found.detail


def aeif_delta(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return " of aeif_psc_delta" in found.what and found.what.startswith(("traces", "spikes"))


def gap_exploded(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """From an initial potential far above rest; seen in its traces."""
    values = [step["values"] for step in steps if isinstance(step.get("values"), dict)]
    high = [entry for given in values for entry in np.ravel(given.get("V_m", -70.0)) if isinstance(entry, (int, float)) and entry > -30.0]
    return bool(high) and found.what.endswith("of hh_psc_alpha_gap")


def fires_within_steps(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Above 1e6 pA NEST gives up; how much is added to w in a step depends on the solver's own steps."""
    return found.what == "simulate: error none, NEST NumericalInstability" and "aeif_" in found.detail


def one_of_several(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Which of several connections of a pair Disconnect removes, where they differ."""
    return found.what == "weights: connections" and any(other["do"] == "disconnect" for other in steps[: found.step])


PURPOSES = {
    "aeif neurons without refractory time that fire many times within a step: w depends on the solver": fires_within_steps,
    "Disconnect of one of several connections of a pair: ours removes the first that was made": one_of_several,
    "hh_psc_alpha_gap: NEST's potential explodes when it begins far above rest": gap_exploded,
    "aeif_psc_delta: NEST adds the jumps after the solver's first step within a step": aeif_delta,
    "weights of the other sign than Wmax: NEST takes them for models with common parameters": other_sign,
    "states that explode: ours raises NumericalInstability": unstable,
    "a dead_time below the resolution: NEST shows the resolution": shortest_dead_time,
    "initial synaptic currents of aeif neurons below 0: ours are taken": negative_currents,
    "the delay of a Connect that makes no connection counts for max_delay": no_edges,
    "hh_cond_exp_traub: NEST's own error of the solver, ours is smaller": own_solver_error,
    "values out of the range that the model has: ours refuses them by name": unphysical,
    "refractory_input of iaf_psc_delta_ps: shown by NEST, and refused by set": shown_but_not_settable,
    "coarse steps: NEST's solver explodes": exploded,
}
