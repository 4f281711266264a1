# SPDX-License-Identifier: Apache-2.0
"""A decision between two options: two rate neurons that inhibit each other and integrate noisy evidence, without a leak."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET


def decisions(bias, trials=40):
    """Pairs of neurons side by side, one pair per trial; returns in how many the first has won, and the mean time of decisions [ms]."""
    nest.ResetKernel()
    nest.set(resolution=0.5, rng_seed=11)
    pairs = [
        nest.Create("lin_rate_ipn", trials, {"lambda": 0.0, "tau": 10.0, "sigma": 0.35, "mu": mu, "rectify_output": True})
        for mu in (0.1, 0.1 - bias)
    ]
    inhibition = {"synapse_model": "rate_connection_instantaneous", "weight": -0.2}
    for one, other in (pairs, pairs[::-1]):
        nest.Connect(one, other, "one_to_one", inhibition)
    meter = nest.Create("multimeter", params={"record_from": ["rate"], "interval": 1.0})
    for one in pairs:
        nest.Connect(meter, one)
    nest.Simulate(400.0)
    rates = meter.events["rate"].reshape(-1, 2, trials)
    apart = np.abs(rates[:, 0] - rates[:, 1]) > 1.0
    times = np.where(apart.any(axis=0), apart.argmax(axis=0), len(rates))
    return int((rates[-1, 0] > rates[-1, 1]).sum()), times.mean()


fair, biased = decisions(0.0), decisions(0.08)
print("without a difference both options win:", 8 <= fair[0] <= 32)
print("with a difference the better one wins:", biased[0] >= 30)
print(f"time of a decision: {biased[1]:.0f} ms")
