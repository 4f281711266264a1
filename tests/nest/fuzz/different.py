# SPDX-License-Identifier: Apache-2.0
"""Differences on purpose: when a script shows one of these, it counts as explained. docs/howto/coming_from_nest.md has them, too."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.nest.fuzz.verdicts import Verdict, step_of

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
    of_gap = found.what == "traces: trace V_m of hh_cond_beta_gap_traub"  # the same membrane
    return of_gap or (made(steps, step, found, "hh_cond_exp_traub") and found.what.startswith(("traces", "spikes", "state: V_m")))


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


def large_conductances(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Seen beside a fine integration: in NEST dendrites move with the conductance at the soma, to 320 mV at 1e7 nS; blocked neurons fire again."""
    weights = [step["syn"]["weight"] for step in steps if "weight" in (step.get("syn") or {})]
    strong = sum(float(np.max(np.abs(weight))) for weight in weights if isinstance(weight, (int, float, list))) > 300.0
    return strong and found.what in (
        "traces: trace V_m.p of iaf_cond_alpha_mc",
        "traces: trace V_m.d of iaf_cond_alpha_mc",
        "spikes: spikes of hh_cond_beta_gap_traub",
    )


def amplified(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Each spike adds what the one before has left: errors of solvers grow from spike to spike, to some per cent."""
    ours, _, theirs = found.detail.rpartition(": ")[2].partition(", NEST ")
    of_ahp = found.what in ("traces: trace I_ahp of iaf_chxk_2008", "traces: trace g_ahp of iaf_chxk_2008")
    return of_ahp and abs(float(ours) - float(theirs)) < 0.03 * abs(float(theirs))


def given(steps: Steps, key: str) -> list[float]:
    """Numbers that a script gives for a key, or for keys that begin with it."""
    dicts = [entry for step in steps for entry in np.ravel(step.get("values") or {}) if isinstance(entry, dict)]
    found = [value for entry in dicts for name, value in entry.items() if name.startswith(key)]
    return [x for value in found for x in np.ravel(value) if isinstance(x, (int, float))]


def made(steps: Steps, step: dict[str, Any], found: Verdict, model: str) -> bool:
    """Whether what differs is of a node of a model."""
    copies = {made["name"]: made["model"] for made in steps if made["do"] == "copy"}
    models = {made["name"]: copies.get(made["model"], made["model"]) for made in steps if made["do"] == "create"}
    return found.what.endswith(f" of {model}") or (step["do"] == "state" and models.get(str(step.get("of"))) == model)


def aeif_delta(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return any(made(steps, step, found, model) for model in ("aeif_psc_delta", "aeif_psc_delta_clopath")) and "error" not in found.what


def gap_exploded(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """From an initial potential far above rest; seen in its traces."""
    high = any(V > -30.0 for V in given(steps, "V_m")) or any(m > 0.5 for m in given(steps, "Act_m"))
    return high and found.what.endswith("of hh_psc_alpha_gap")


def time_constant_far_below_step(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """exp(h / tau) overflows from h / tau = 710 on; seen in traces: alpha-shaped currents and mat2_psc_exp."""
    short = any(tau < step_of(steps) / 700 for tau in given(steps, "tau_syn"))
    return short and found.what.startswith(("spikes", "traces", "state")) and ("alpha" in found.what or "mat2" in found.what)


def refractory_current(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Seen from 1e5 pA on, at any resolution: a spike in each step, whatever t_ref."""
    return found.what == "spikes: spikes of iaf_psc_exp_ps_lossless" and any(abs(current) > 3e4 for current in given(steps, "I_e"))


def begins_above_peak(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """The first spike is in the middle of the first step: w has grown by at most a step more."""
    return found.what == "state: w" and any(V > -1.0 for V in given(steps, "V_m"))


def activation_below_0(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Even set() with nothing is refused then."""
    own = found.what == "set: error none, NEST BadProperty" and "(in)activation variables must be non-negative" in found.detail
    return own and "ct_" not in str(step.get("values"))


def singular(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what.endswith("error none, NEST BadProperty") and "must differ" in found.detail


def same_delay(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what == "set_connections: error none, NEST BadDelay" and step.get("model") == "cont_delay_synapse"


def two_mistakes(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Both refuse the call: ours for its kind or the first node that it looks at, NEST for a value."""
    ours, _, theirs = found.detail.partition(" | NEST: ")
    kind = any(words in ours for words in ("doesn't support", "Stimulators connect by"))
    value = any(words in theirs for words in (" required.", "Cannot handle parameter type", "must be"))
    several = step["do"] == "create" and isinstance(step.get("values"), list) and ", NEST none" not in found.what
    text = found.what == "create: error TypeMismatch, NEST IndexError" and step.get("n", 1) > 1 and "'text'" in ours
    text = text or (found.what.endswith("NEST TypeMismatch") and "Failed to cast" in theirs and "must be" in ours)
    return text or ("error none" not in found.what and ": error " in found.what and value and (kind or several))


def fires_within_steps(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Above 1e6 pA NEST gives up; how much is added to w in a step depends on the solver's own steps."""
    return found.what == "simulate: error none, NEST NumericalInstability" and "aeif_" in found.detail


def one_of_several(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Which of several connections of a pair Disconnect removes, where they differ."""
    return found.what == "weights: connections" and any(other["do"] == "disconnect" for other in steps[: found.step])


PURPOSES = {
    "hh_*: NEST's solver makes an activation negative, and set() is refused from then on": activation_below_0,
    "aeif neurons that begin above V_peak: when they fire within the first step": begins_above_peak,
    "large conductances: NEST's own error of the solver": large_conductances,
    "iaf_chxk_2008: errors of solvers grow with each spike": amplified,
    "two mistakes in one call: which one is named": two_mistakes,
    "time constants of synapses below a 700th of the step: NEST's potential becomes nan": time_constant_far_below_step,
    "iaf_psc_exp_ps_lossless: above some 3e4 pA NEST fires in each step, refractory or not": refractory_current,
    "mat2_psc_exp, amat2_psc_exp with equal time constants: NEST refuses them, ours has no singularity there": singular,
    "cont_delay_synapse: NEST refuses the longest delay when it is set to what it is, between steps": same_delay,
    "aeif neurons without refractory time that fire many times within a step: w depends on the solver": fires_within_steps,
    "Disconnect of one of several connections of a pair: ours removes the first that was made": one_of_several,
    "hh_psc_alpha_gap: NEST's potential explodes (nan) when it begins far above rest or with open sodium channels": gap_exploded,
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
