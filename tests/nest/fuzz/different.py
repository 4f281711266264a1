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
    common = found.what == "connect: error BadProperty, NEST none" and "the bounds of the plastic synapse (Wmax)" in found.detail
    return common or (found.what == "set_connections: error BadProperty, NEST none" and "same sign" in found.detail)


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
    return [x for value in found for x in np.ravel(value) if isinstance(x, (int, float, np.integer))]


def made(steps: Steps, step: dict[str, Any], found: Verdict, model: str) -> bool:
    """Whether what differs is of a node of a model."""
    copies = {made["name"]: made["model"] for made in steps if made["do"] == "copy"}
    models = {made["name"]: copies.get(made["model"], made["model"]) for made in steps if made["do"] == "create"}
    return found.what.endswith(f" of {model}") or (step["do"] == "state" and models.get(str(step.get("of"))) == model)


QUIET = ("connect", "disconnect", "set_connections")  # may be left out when spikes are on their way


def nodes_of(steps: Steps, *models: str) -> list[str]:
    """Names of the nodes of these models, or of copies."""
    copies = {made["name"]: made["model"] for made in steps if made["do"] == "copy"}
    return [made["name"] for made in steps if made["do"] == "create" and copies.get(made["model"], made["model"]) in models]


def spike_elsewhere(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """What comes of another spike of some neuron, in others or in what the script asks for."""
    return "error" not in found.what and found.what.startswith(("spikes", "traces", "state", "weights", *(f"{do}: value" for do in QUIET)))


def aeif_delta(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    nodes = nodes_of(steps, "aeif_psc_delta", "aeif_psc_delta_clopath")
    links = [link for link in steps if link["do"] == "connect" and any(f"'{name}'" in repr(link["pre"]) for name in nodes)]
    sends = any(link["post"] != "sr" for link in links) or "spikes on their way" in found.detail
    of_it = any(made(steps, step, found, model) for model in ("aeif_psc_delta", "aeif_psc_delta_clopath")) and "error" not in found.what
    return of_it or (bool(nodes) and sends and spike_elsewhere(steps, step, found))


def late_plastic(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """NEST gives the first spike what other synapses onto the target have left of its spikes, ours those since the synapse was made."""
    copies = {made["name"]: made["model"] for made in steps if made["do"] == "copy"}
    runs = [k for k, made in enumerate(steps) if made["do"] == "simulate"]
    late = [made for made in steps[runs[0] :] if made["do"] == "connect"] if runs else []
    models = [str((made.get("syn") or {}).get("synapse_model", "")) for made in late]
    nearest = any(copies.get(model, model).startswith(("stdp_nn_", "jonke")) for model in models)
    shown = found.what == "weights: connections" and any(f"'{model}'" in found.detail for model in models)
    return shown or (nearest and spike_elsewhere(steps, step, found))


def no_gamma(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return "boost::math::gamma_p" in found.detail and "NEST ValueError" in found.what


def copy_of_tum(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    copied = any(made["do"] == "copy" and made["model"] == "iaf_tum_2000" for made in steps)
    return copied and found.what == "connect: error none, NEST IllegalConnection" and "iaf_tum_2000" in found.detail


def below_a_tic(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what.endswith("error none, NEST BadProperty") and "efractory time must be at least one time step" in found.detail


def leak_changes(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """What waits decays by each step's time constant in ours, in NEST by the last one's."""
    both = [made for made in steps if made["do"] == "set" and "tau_m" in str(made.get("values"))]
    return bool(both) and "'refractory_input': True" in str(steps) and found.what == "spikes: spikes of iaf_psc_delta"


def late_precise(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """The first node with precise times comes during the simulation: spikes of injectors that are on their way are lost."""
    runs = [k for k, made in enumerate(steps) if made["do"] == "simulate"]
    late = [made for made in steps[runs[0] :] if made["do"] == "create"] if runs else []
    precise = any("'precise_times': True" in str(made.get("values")) or made["model"].endswith("_ps") for made in late)
    return precise and bool(nodes_of(steps, "spike_train_injector")) and spike_elsewhere(steps, step, found)


def nmda_offset(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return bool(nodes_of(steps, "iaf_bw_2001", "iaf_bw_2001_exact")) and "_ps" in found.what and spike_elsewhere(steps, step, found)


def overflows(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return "jonke_synapse" in found.detail and found.what == "weights: connections" and any(mu > 0.0 for mu in given(steps, "mu_plus"))


def clamped(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Within a spike, that is its peak."""
    return found.what.endswith("of ht_neuron") and "'voltage_clamp': True" in str(steps)


def outgrown(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what == "simulate: error WeightOutgrown, NEST none"


def gap_exploded(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Seen in its traces; it does not spike any more."""
    high = any(V > -30.0 for V in given(steps, "V_m")) or any(m > 0.5 for m in given(steps, "Act_"))
    high = high or any(abs(x) >= 1e5 for key in ("I_e", "E_") for x in given(steps, key))
    silent = found.detail.endswith("NEST []") and bool(nodes_of(steps, "hh_psc_alpha", "hh_psc_alpha_clopath", "hh_psc_alpha_gap"))
    return high and (
        found.what.endswith("of hh_psc_alpha_gap") or (silent and "of hh_" in found.what) or '"spikes on their way"' in found.detail
    )


def time_constant_far_below_step(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """exp(h / tau) overflows from h / tau = 710 on; seen in traces: alpha-shaped currents and mat2_psc_exp."""
    short = any(tau < step_of(steps) / 700 for tau in given(steps, "tau_syn"))
    seen = any(words in found.what for words in ("alpha", "mat2", "exp_ps")) or bool(nodes_of(steps, "gif_psc_exp"))
    return short and found.what.startswith(("spikes", "traces", "state")) and seen


def refractory_current(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Seen from 1e5 pA on, at any resolution: a spike in each step, whatever t_ref."""
    strong = any(abs(current) > 3e4 for key in ("I_e", "I_syn", "amplitude") for current in given(steps, key))
    return strong and bool(nodes_of(steps, "iaf_psc_exp_ps_lossless")) and spike_elsewhere(steps, step, found)


def begins_above_peak(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """The first spike is in the middle of the first step: w has grown by at most a step more."""
    return found.what.startswith(("state: w", "traces: trace w of aeif_")) and any(V > -1.0 for V in given(steps, "V_m"))


def activation_below_0(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Even set() with nothing is refused then."""
    own = found.what == "set: error none, NEST BadProperty" and "(in)activation variables must be non-negative" in found.detail
    return own and "ct_" not in str(step.get("values"))


def singular(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what.endswith("error none, NEST BadProperty") and "must differ" in found.detail


def same_delay(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    cont = "cont_delay_synapse" in str([made.get("syn") for made in steps]) or step.get("model") == "cont_delay_synapse"
    return found.what == "set_connections: error none, NEST BadDelay" and cont


def two_mistakes(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Both refuse the call: ours for its kind or the first node that it looks at, NEST for a value."""
    ours, _, theirs = found.detail.partition(" | NEST: ")
    kind = any(words in ours for words in ("doesn't support", "Stimulators connect by"))
    value = any(words in theirs for words in (" required.", "Cannot handle parameter type", "must be"))
    several = step["do"] == "create" and isinstance(step.get("values"), list) and ", NEST none" not in found.what
    text = found.what == "create: error TypeMismatch, NEST IndexError" and step.get("n", 1) > 1 and "'text'" in ours
    text = text or (found.what.endswith("NEST TypeMismatch") and "Failed to cast" in theirs and "must be" in ours)
    both = ("error TypeMismatch, NEST BadProperty", "error TypeMismatch, NEST IndexError")
    text = text or (found.what.endswith(both) and any(words in ours for words in ("takes", "True or False")))
    return text or ("error none" not in found.what and ": error " in found.what and value and (kind or several))


def fires_within_steps(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Above 1e6 pA NEST gives up; how much is added to w in a step depends on the solver's own steps."""
    return found.what == "simulate: error none, NEST NumericalInstability" and "aeif_" in found.detail


def one_of_several(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Which of several connections of a pair Disconnect removes, where they differ."""
    return found.what == "weights: connections" and any(other["do"] == "disconnect" for other in steps[: found.step])


def shares_after_a_spike(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """Connections keep the state of their source from its first spike on."""
    return found.what.endswith(": missing") and "of iaf_tum_2000 that is connected after its first spike" in found.detail


PURPOSES = {
    "iaf_tum_2000 by receptor 1: x, y and u cannot change after the first spike": shares_after_a_spike,
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
    "hh_psc_alpha*: NEST's potential explodes (nan) when it begins far above rest, with open channels, or with currents without measure": gap_exploded,
    "plastic synapses made during a simulation: what their first spike meets of the target's spikes before": late_plastic,
    "the first precise node is made during a simulation: NEST loses spikes of injectors that are on their way": late_precise,
    "iaf_bw_2001 to precise neurons: NEST takes the weight for NMDA for the offset of a spike": nmda_offset,
    "jonke_synapse with weights for which exp(mu_plus w) overflows: NEST's nan ends at Wmax": overflows,
    "iaf_bw_2001: time constants for which NEST's formula has no value": no_gamma,
    "iaf_tum_2000: NEST does not know copies of the model as such": copy_of_tum,
    "refractory times below a tic: NEST refuses those of some models": below_a_tic,
    "ht_neuron under voltage clamp: NEST holds the potential that it finds at the beginning of each Simulate": clamped,
    "iaf_psc_delta with refractory_input: tau_m that changes while input waits": leak_changes,
    "weights that grow out of all proportion: ours raises WeightOutgrown": outgrown,
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
