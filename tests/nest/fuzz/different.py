# SPDX-License-Identifier: Apache-2.0
"""Differences on purpose: when a script shows one of these, it counts as explained. docs/howto/coming_from_nest.md has them, too."""

from __future__ import annotations

from typing import Any

from tests.nest.fuzz.verdicts import Verdict

Steps = list[dict[str, Any]]


def reason(steps: Steps, found: Verdict) -> str:
    """Why the difference is meant; empty if it is not."""
    step = steps[found.step]
    return next((why for why, applies in PURPOSES.items() if applies(steps, step, found)), "")


def plastic_from_device(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    models = {made["name"]: made["model"] for made in steps if made["do"] == "create"}
    return found.what == "connect: error none, NEST IllegalConnection" and models.get(str(step["pre"])) == "spike_generator"


def delays_after_simulate(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what.endswith("error none, NEST BadDelay") and "after Simulate" in found.detail


def shown_but_not_settable(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    return found.what.endswith("error none, NEST UnaccessedDictionaryEntry") and "refractory_input" in found.detail


def exploded(steps: Steps, step: dict[str, Any], found: Verdict) -> bool:
    """NEST's value is beyond all reason, ours is not."""
    words = found.detail.rsplit("NEST ", 1)
    try:
        return (
            found.what.startswith("traces")
            and not abs(float(words[1])) < 1e7
            and abs(float(words[0].rsplit(": ", 1)[1].rstrip(", "))) < 1e4
        )
    except (ValueError, IndexError):
        return False


PURPOSES = {
    "plastic synapses from a spike_generator: NEST refuses them (spike_train_injector is there for it), ours works": plastic_from_device,
    "delays beyond those that were there before Simulate: NEST refuses them": delays_after_simulate,
    "refractory_input of iaf_psc_delta_ps: shown by NEST, and refused by set": shown_but_not_settable,
    "coarse steps: NEST's solver explodes": exploded,
}
