# SPDX-License-Identifier: Apache-2.0
"""The whole course of a study as a script, by public names alone: build, drive, record, run, edit, describe, save, open, go on, sweep."""

import os
import subprocess
import sys

SCRIPT = """
import numpy as np

import neuropil as npl


def build(g=5.0, seed=7):
    net = npl.Network(seed=seed, threads=1)
    exc = net.create("iaf_psc_exp", 80, V_m=npl.normal(-65.0, 5.0), name="E")
    inh = net.create("iaf_psc_exp", 20, V_m=npl.normal(-65.0, 5.0), name="I")
    weight = npl.normal(40.0, 4.0).redraw(min=0.0)
    net.connect(exc, exc, npl.fixed_indegree(8), weight=weight, delay=1.5, synapse=npl.stdp(Wmax=100.0), name="EE")
    net.connect(exc, inh, npl.fixed_indegree(8), weight=40.0, delay=1.5, name="EI")
    net.connect(inh, exc + inh, npl.pairwise_bernoulli(0.1), weight=-40.0 * g, name="inhibition")
    net.stimulate(exc + inh, npl.poisson(rate=9000.0), weight=35.0, name="drive")
    return net


def rate(g, seed):
    net = build(g, seed)
    spikes = net.record(net["E"])
    net.run(100.0, progress=False)
    return {"rate": spikes.rates().mean()}


def main():
    net = build()
    exc, ee, drive = net["E"], net.projections["EE"], net.projections["drive"]
    spikes, potential = net.record(exc + net["I"]), net.record(exc[:3], "V_m", interval=0.5)
    rates, weights = net.record(exc, "rate", bin=5.0), net.record(ee, interval=10.0)
    print(net.summary())
    net.run(100.0)
    before = len(spikes)
    assert before > 0

    ee["tau_plus"] = 15.0
    ee.weight *= 1.1
    ee.weight[ee.weight > 50.0] = 50.0
    drive.pre.rate = 7000.0
    exc.V_m[:10] = -60.0
    n = len(ee)
    ee.disconnect(ee.weight < 40.0)
    assert 0 < len(ee) < n and ee.weight.max() <= 50.0 and set(ee["tau_plus"]) == {15.0}
    net.run(until=200.0)
    assert len(spikes) > before

    text = net.describe()
    assert "80 iaf_psc_exp (E) and 20 iaf_psc_exp (I)" in str(text) and "tabular" in text.to_latex()
    for record, file in ((spikes, "spikes.npz"), (potential, "potential.h5"), (rates, "rates.npz"), (weights, "weights.npz")):
        record.save(file)
        again = npl.open_results(file)
        assert np.array_equal(again.times, record.times) and len(again.to_pandas())
        again.plot()
    ax = npl.open_results("spikes.npz").plot(groups={"E": exc, "I": net["I"]})
    ax.figure.savefig("raster.png")

    net.save("network.npc", {"ee": ee, "spikes": spikes})
    loaded = npl.load("network.npc", threads=1)
    net.run(50.0)
    loaded.run(50.0)
    assert np.array_equal(loaded.extra["spikes"].times, spikes.times)
    assert np.array_equal(loaded.extra["ee"].weight, ee.weight)

    found = npl.sweep(rate, {"g": [2.0, 10.0]}, seeds=2, progress=False).to_pandas().groupby("g")["rate"].mean()
    print("rates", *found)


if __name__ == "__main__":
    main()
"""


def test_the_whole_course_of_a_study(tmp_path):
    """In a process and a folder of its own, as a user runs it: the sweep starts others, which import the script."""
    script = tmp_path / "study.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-W", "error", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    weak, strong = (float(word) for word in done.stdout.splitlines()[-1].split()[1:])
    assert weak > strong > 1.0
    assert (tmp_path / "raster.png").read_bytes().startswith(b"\x89PNG")
