# SPDX-License-Identifier: Apache-2.0
"""Scripts whose random numbers differ: rates are those of Brian2 within their spread over seeds."""

import numpy as np
import pytest


def rates(on, device, script, seeds, **options):
    import brian2

    def one(seed):
        def seeded():
            brian2.seed(seed)
            return script(seed=seed, **options)

        found = on(device, seeded)
        return len(found["t"]) / found["n"] / found["duration"]

    return np.array([one(seed) for seed in seeds])


def test_brunel(on):
    from brian2_scripts.scripts import brunel

    theirs, ours = (rates(on, device, brunel, range(8)) for device in ("runtime", "neuropil"))
    assert theirs.min() > 20
    spread = np.hypot(theirs.std(ddof=1), ours.std(ddof=1)) / np.sqrt(8)
    assert abs(theirs.mean() - ours.mean()) < 4 * spread


def test_cobahh_has_the_rates_of_brian2(on):
    """Nothing random is left once the network is made, but rounding: single trains drift apart, rates do not."""
    from brian2 import ms
    from brian2_scripts.scripts import cobahh

    options = {"n": 200, "duration": 100 * ms}
    theirs, ours = (rates(on, device, cobahh, (1, 2), **options) for device in ("runtime", "neuropil"))
    assert theirs.min() > 5
    np.testing.assert_allclose(ours, theirs, rtol=0.1)


def test_neurons_of_a_poisson_group_send_the_same_to_all_targets(on):
    from brian2_scripts.scripts import poisson_group

    found = on("neuropil", poisson_group)
    sent, copied = found["sent"], found["copied"]
    counts = np.bincount(sent["i"], minlength=50)
    expected = (1 + np.arange(50)) * 4 * 2.0
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()
    for k in (0, 17, 49):
        for target in (k, k + 50):
            seen, given = copied["t"][copied["i"] == target], sent["t"][sent["i"] == k] + 0.1
            np.testing.assert_allclose(seen, given[: len(seen)])
            assert len(given) - len(seen) <= 1  # the last may come in the last step


def test_rates_of_a_poisson_group_change_between_runs(on):
    """Gaps are geometric, also that across two runs with the same rate."""
    from brian2_scripts.scripts import poisson_rates

    found = on("neuropil", poisson_rates)
    counts = np.diff([0, *found["counts"]])
    assert counts[0] == counts[4] == 0
    assert counts[3] == 200 * 100
    for count in counts[1:3]:
        assert abs(count - 4000) < 5 * np.sqrt(4000)
    steps = np.rint(found["t"] / 0.1).astype(int)
    some = (steps >= 10000) & (steps < 30000)
    gaps = np.concatenate([np.diff(np.sort(steps[some & (found["i"] == k)])) for k in range(200)])
    assert abs(gaps.mean() / 500.0 - 1.0) < 0.1  # long gaps are cut off
    assert abs((gaps > 500).mean() - np.exp(-1.0)) < 0.05


def test_poisson_input_is_binomial(on):
    """Mean and variance of the sum of independent sources, of which each spikes at most once in a step."""
    import brian2 as b2

    def script():
        cells = b2.NeuronGroup(2000, "dx/dt = 0/second : 1", method="euler")
        given = b2.PoissonInput(cells, "x", N=20, rate=2000 * b2.Hz, weight=0.5)
        b2.Network(cells, given).run(5 * b2.ms)
        return np.array(cells.x[:]) / 0.5

    sums, p, n = on("neuropil", script), 0.2, 20 * 50
    assert sums.mean() == pytest.approx(n * p, abs=5 * np.sqrt(n * p * (1 - p) / 2000))
    assert sums.var() == pytest.approx(n * p * (1 - p), rel=5 * np.sqrt(2 / 2000))


def test_noise(on):
    """An Ornstein-Uhlenbeck process."""
    import brian2 as b2

    def script():
        tau, sigma = 5 * b2.ms, 2 * b2.mV  # noqa: F841
        cells = b2.NeuronGroup(3000, "dx/dt = -x/tau + sigma*sqrt(2/tau)*xi : volt")
        b2.Network(cells).run(40 * b2.ms)
        return np.array(cells.x[:] / b2.mV)

    x = on("neuropil", script)
    assert x.mean() == pytest.approx(0, abs=0.2)
    assert x.std() == pytest.approx(2 / np.sqrt(1 - 0.02 / 2), rel=0.06)


def test_the_seed_gives_the_same_spikes(on):
    from brian2_scripts.scripts import poisson_group

    first, second = (on("neuropil", poisson_group)["sent"] for _ in range(2))
    np.testing.assert_array_equal(first["t"], second["t"])
    np.testing.assert_array_equal(first["i"], second["i"])
