# SPDX-License-Identifier: Apache-2.0
"""The STDP window: the change of a weight against the time between two spikes, compared with the formula."""

import math

import nest

nest.verbosity = nest.VerbosityLevel.QUIET


def change(interval):
    """Relative change of the weight after a pair: presynaptic at 100 ms, postsynaptic at 100 ms + interval."""
    nest.ResetKernel()
    pre, post = nest.Create("parrot_neuron", 2)
    spikes = nest.Create("spike_generator", 2, [{"spike_times": [100.0, 1000.0]}, {"spike_times": [100.0 + interval]}])
    nest.Connect(spikes, pre + post, "one_to_one", {"delay": 1.0})
    nest.Connect(
        pre,
        post,
        syn_spec={
            "synapse_model": "stdp_synapse",
            "weight": 50.0,
            "delay": 1.0,
            "lambda": 0.1,
            "alpha": 1.1,
            "mu_plus": 0.0,
            "mu_minus": 0.0,
            "Wmax": 100.0,
            "receptor_type": 1,
        },
    )
    nest.Simulate(1100.0)
    return nest.GetConnections(pre, post).weight / 50.0 - 1.0


for interval in (-40.0, -20.0, -10.0, -5.0, 5.0, 10.0, 20.0, 40.0):
    lag = interval + 1.0  # the postsynaptic spike reaches the synapse after the delay
    formula = 0.2 * math.exp(-lag / 20.0) if lag > 0 else -0.22 * math.exp(lag / 20.0)
    print(f"{interval:6.1f} ms: {100.0 * change(interval):7.3f} %, formula {100.0 * formula:7.3f} %")
