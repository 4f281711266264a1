# SPDX-License-Identifier: Apache-2.0
"""By numpy: what spikes make of synapses with a settable rule (synapse_events), event by event. The kernel's values are the same to rounding."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .carrying_out import carried_out
from .evaluating import value_of
from .synapse_events import EARLY, LATE
from .synapse_rule import TIME, WEIGHT, Rule

__all__ = ["NO_SPIKES", "Events", "Spikes", "after_events", "events_at", "values_at"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Spikes(NamedTuple):
    """Spikes of a group: positions of the neurons, and steps from 0 on."""

    senders: Ints
    steps: Ints

    def of(self, neurons: NDArray[Any], first: Any) -> tuple[Ints, Ints]:
        """Those of each of these neurons from its step `first` on, in order: indices of `neurons`, and steps."""
        longest, neurons = int(self.steps.max(initial=0)) + 2, neurons.astype(np.int64)
        key = np.sort(self.senders * longest + self.steps)
        low = np.searchsorted(key, neurons * longest + np.clip(first, 0, longest - 1).astype(np.int64))
        n = np.searchsorted(key, (neurons + 1) * longest) - low
        which = np.repeat(np.arange(len(neurons)), n)
        return which, key[np.arange(len(which)) + np.repeat(low - np.cumsum(n) + n, n)] % longest


NO_SPIKES = Spikes(np.zeros(0, np.int64), np.zeros(0, np.int64))


class Events(NamedTuple):
    """Events of synapses: position of the synapse, step, and whether it is a spike of the source."""

    synapse: Ints
    step: Ints
    is_pre: NDArray[np.bool_]


def events_at(pre: tuple[Ints, Ints], post: tuple[Ints, Ints]) -> Events:
    """Events by synapse, then by step; in a step first the spike of the source. pre, post : synapses, and steps in which spikes reach them."""
    synapse, step = (np.concatenate(pair) for pair in zip(pre, post, strict=True))
    is_pre = np.arange(len(synapse)) < len(pre[0])
    order = np.lexsort((~is_pre, step, synapse))
    return Events(synapse[order], step[order], is_pre[order])


def after_events(rule: Rule, values: Mapping[str, Floats], events: Events, dt: float) -> tuple[Floats, dict[str, Floats]]:
    """Carries out events, those of each synapse in their order.

    Parameters
    ----------
    values
        Variables and the weight, which change, and parameters: arrays with one value for each synapse.
    dt
        Length of a step [ms]; an event happens at its step times dt.

    Returns
    -------
    tuple
        What each event transmits, 0 for spikes of the target; and variables and the weight just after each event.
    """
    synapse, step, is_pre = events
    time = step * dt - values[LATE][synapse] + np.where(is_pre, 0.0, values[EARLY][synapse])
    changing = [name for name in (WEIGHT, *(v.name for v in rule.variables)) if name in values]
    rank = np.arange(len(synapse)) - np.searchsorted(synapse, synapse)  # among the events of its synapse
    rounds = np.split(np.argsort(rank, kind="stable"), np.cumsum(np.bincount(rank))[:-1]) if len(rank) else []
    sent, after = np.zeros(len(rank)), {name: np.zeros(len(rank)) for name in changing}
    for at in rounds:
        for pre, done in ((True, rule.on_pre), (False, rule.on_post)):
            chosen = at[is_pre[at] == pre]
            which = synapse[chosen]
            now = carried_out(done, {name: value[which] for name, value in values.items()} | {TIME: time[chosen]})
            for name in after:
                values[name][which] = after[name][chosen] = now[name]
            if pre:
                sent[chosen] = value_of(rule.transmit, now)
    return sent, after


def values_at(steps: Ints, first: Floats, after: Floats, events: Events) -> Floats:
    """A variable when steps begin, one row for each step. first : of each synapse before all events; after : just after each event."""
    found = np.empty((len(steps), len(first)))
    for k, (low, high) in enumerate(pairwise(np.searchsorted(events.synapse, np.arange(len(first) + 1)))):
        found[:, k] = np.append(first[k], after[low:high])[np.searchsorted(events.step[low:high], steps)]
    return found
