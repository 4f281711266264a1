# SPDX-License-Identifier: Apache-2.0
"""NodeCollection arithmetic: joined, sliced, masked, compared, looked up; as keys, in sets, with numpy and with metadata."""

import itertools

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
exc, inh = nest.Create("iaf_psc_alpha", 8), nest.Create("iaf_psc_exp", 4)
noise, relay = nest.Create("poisson_generator", 2), nest.Create("parrot_neuron", 2)
everyone = exc + inh
print(len(everyone), everyone.tolist(), everyone[-1].model, [n.global_id for n in everyone[6:10]])
print(everyone)
print((exc[5:] + inh[:2]).tolist(), (inh + exc) == everyone, exc + inh == everyone, exc != inh)
print(3 in exc, 9 in exc, exc.index(5), exc[2:5].index(4), bool(nest.NodeCollection([])), len(nest.NodeCollection([])))
odd = np.arange(len(exc)) % 2 == 1
print(exc[odd].tolist(), exc[[True, False] * 4].tolist(), exc[[0, 3, 7]].tolist(), everyone[np.array([1, 8, 11])].tolist())
print(nest.NodeCollection(range(1, 9)) == exc, exc[2] == nest.NodeCollection([3]))
parts = [exc[k : k + 2] for k in range(0, len(exc), 2)]
print([p.tolist() for p in parts], sum(parts, nest.NodeCollection([])) == exc)
groups = {model: [n.global_id for n in members] for model, members in itertools.groupby(everyone, key=lambda n: n.model)}
print(groups, sorted({n.model for n in everyone}))
exc.V_m = np.linspace(-70.0, -63.0, len(exc)).tolist()
inh.set(V_m=-65.0, tau_m=12.0)
above = exc[np.array(exc.V_m) > -66.5]
print(
    "above",
    above.tolist(),
    [round(v, 3) for v in above.V_m],
    nest.GetNodes({"tau_m": 12.0}).tolist(),
    nest.GetNodes({"model": "parrot_neuron"}).tolist(),
)
print(sorted(everyone[7:9].get(["V_m", "tau_m"]).items()))
print(everyone.get("V_m")[7:9], exc[0].get("V_m"), exc[:1].get("V_m"), exc[0].V_m, exc[:2].V_m)
for a, b in itertools.product((exc[:2], inh[2:]), repeat=2):
    nest.Connect(a, b, "one_to_one", {"weight": float(a[0].global_id + 10 * b[0].global_id)})
print(
    nest.GetConnections(exc[:2], inh).get("weight"),
    len(nest.GetConnections(everyone, everyone)),
    nest.GetConnections(target=inh[2:]).get("source"),
)
nest.Connect(noise, relay, "one_to_one")
nest.Connect(relay[0], everyone)
print(len(nest.GetConnections(noise)), len(nest.GetConnections(relay)), nest.num_connections, nest.network_size)
for attempt in (
    lambda: exc + exc[:2],
    lambda: exc[::3] + inh[1::2],
    lambda: exc[12],
    lambda: nest.NodeCollection([1, 1, 2]),
    lambda: nest.NodeCollection([99]),
    lambda: exc[odd[:3]],
    lambda: exc.index(99),
    lambda: exc.no_such_parameter,
    lambda: exc.set({"no_such_parameter": 1.0}),
    lambda: exc["a"],
    lambda: exc + 3,
    lambda: exc < inh,
):
    try:
        print("fine", attempt())
    except Exception as problem:
        print(type(problem).__name__, isinstance(problem, nest.NESTError))
numbers = np.array(everyone.tolist())
print(np.isin(numbers, inh.tolist()).sum(), [k for k, n in enumerate(everyone) if n.global_id in inh])
