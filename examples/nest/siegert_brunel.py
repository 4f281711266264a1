# SPDX-License-Identifier: Apache-2.0
"""The mean field of a random network of excitatory and inhibitory neurons (Brunel 2000): three siegert_neurons in place of 12500."""

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
tau_m, theta, delay_free_steps = 20.0, 20.0, 200.0  # ms, mV, ms
n_ex, n_in, epsilon, J = 10000, 2500, 0.1, 0.1  # sizes, probability of a connection, mV
inputs_ex, inputs_in = epsilon * n_ex, epsilon * n_in


def rates(g, eta):
    """Rates of both populations with inhibition g times as strong as excitation, and a drive of eta times that to the threshold."""
    nest.ResetKernel()
    nest.set(resolution=0.1, wfr_tol=1e-8, wfr_max_iterations=50)
    outside = eta * theta / (J * inputs_ex * tau_m) * 1000.0 * inputs_ex
    params = {"tau_m": tau_m, "t_ref": 2.0, "theta": theta, "V_reset": 10.0}
    ex, inh = nest.Create("siegert_neuron", 2, params)
    drive = nest.Create("siegert_neuron", params={"mean": outside, "theta": theta})

    def factors(weight, number):
        """Of mean and variance of the input, per spike per second."""
        scale = tau_m * 1e-3 * number
        return {"synapse_model": "diffusion_connection", "drift_factor": scale * weight, "diffusion_factor": scale * weight**2}

    for target in (ex, inh):
        nest.Connect(drive, target, syn_spec=factors(J, 1.0))
        nest.Connect(ex, target, syn_spec=factors(J, inputs_ex))
        nest.Connect(inh, target, syn_spec=factors(-g * J, inputs_in))
    nest.Simulate(delay_free_steps)
    return ex.rate, inh.rate


for g, eta in ((5.0, 2.0), (4.5, 0.9), (6.0, 4.0)):
    ex, inh = rates(g, eta)
    print(f"g = {g}, eta = {eta}: {ex:.3f} and {inh:.3f} spikes per second")
