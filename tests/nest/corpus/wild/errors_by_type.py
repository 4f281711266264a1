# SPDX-License-Identifier: Apache-2.0
"""Guards of a simulation script: every mistake is caught by the type of its error, reported, and the network is as it was."""

import contextlib
import io

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
cells = nest.Create("iaf_psc_exp", 3)
other = nest.Create("iaf_cond_alpha_mc")
generator = nest.Create("spike_generator")
recorder = nest.Create("spike_recorder")
nest.Connect(cells, cells, "all_to_all", {"weight": 2.0})
errors = nest.NESTErrors


@contextlib.contextmanager
def guard(label, *kinds):
    state = (nest.network_size, nest.num_connections, cells.C_m, nest.biological_time)
    try:
        yield
        print(f"{label}: went through")
    except kinds as problem:
        same = state == (nest.network_size, nest.num_connections, cells.C_m, nest.biological_time)
        print(f"{label}: {type(problem).__name__}, a NESTError: {isinstance(problem, nest.NESTError)}, unchanged: {same}")


with guard("capacitance", errors.BadProperty):
    cells.C_m = -250.0
with guard("one of three", errors.BadProperty):
    cells.set([{"C_m": 0.0}, {}, {}])
with guard("unknown parameter", errors.UnaccessedDictionaryEntry):
    cells.set({"C_mm": 1.0})
with guard("unknown parameter at Create", errors.UnaccessedDictionaryEntry):
    nest.SetDefaults("iaf_psc_exp", {"tau_mem": 1.0})
with guard("unknown model", errors.UnknownModelName):
    nest.Create("iaf_psc_expo", 2)
with guard("unknown synapse", errors.UnknownSynapseType):
    nest.Connect(cells, cells, "one_to_one", "static_synapses")
with guard("unknown rule", errors.BadProperty, errors.UnknownComponent):
    nest.Connect(cells, cells, {"rule": "some_to_some"})
with guard("missing number", IndexError, errors.BadProperty):
    nest.Connect(cells, cells, {"rule": "fixed_indegree"})
with guard("delay zero", errors.BadDelay):
    nest.Connect(cells, cells, "one_to_one", {"delay": 0.0})
with guard("delay below a step", errors.BadDelay):
    nest.Connect(cells, cells, "one_to_one", {"delay": 0.01})
with guard("sizes", errors.DimensionMismatch):
    nest.Connect(cells, cells[:2], "one_to_one")
with guard("receptor", errors.UnknownReceptorType, errors.IncompatibleReceptorType):
    nest.Connect(cells, other, syn_spec={"receptor_type": 77})
with guard("receptor of exp", errors.UnknownReceptorType):
    nest.Connect(cells, cells, syn_spec={"receptor_type": 3})
with guard("recorder as source", errors.IllegalConnection):
    nest.Connect(recorder, cells)
with guard("spikes in no order", errors.BadProperty):
    generator.spike_times = [3.0, 2.0]
with guard("off the grid", errors.BadProperty):
    generator.spike_times = [1.2345]
with guard("lengths", errors.BadProperty):
    generator.set(spike_times=[1.0, 2.0], spike_weights=[1.0])
with guard("recordables", errors.IllegalConnection):
    nest.Connect(nest.Create("multimeter", params={"record_from": ["g_ex"]}), cells)
with guard("indegree", errors.BadProperty):
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 5, "allow_multapses": False})
with guard("probability", errors.BadProperty):
    nest.Connect(cells, cells, {"rule": "pairwise_bernoulli", "p": 1.2})
with guard("resolution with nodes", errors.KernelException):
    nest.resolution = 0.2
with guard("resolution zero", errors.KernelException):
    nest.SetKernelStatus({"resolution": 0.0})
with guard("kernel key", ValueError, AttributeError):
    nest.SetKernelStatus({"rng_seeds": 3})
with guard("types", errors.TypeMismatch, TypeError):
    cells.C_m = "large"
with guard("array", IndexError, ValueError, errors.BadProperty):
    cells.V_m = np.arange(2.0)
with guard("nodes", errors.UnknownNode):
    nest.NodeCollection([500])
with guard("copy of nothing", errors.UnknownModelName):
    nest.CopyModel("nothing", "something")
said = io.StringIO()
with contextlib.redirect_stdout(said):
    try:
        cells.set(V_th=-80.0)
    except nest.NESTError as problem:
        print(str(problem).count("V_reset") + str(problem).count("Reset") > 0)
print(said.getvalue().strip())
nest.Simulate(10.0)
print("goes on:", nest.biological_time, nest.num_connections)
with guard("time", errors.KernelException, errors.BadParameter):
    nest.Simulate(-5.0)
