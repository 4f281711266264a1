# SPDX-License-Identifier: Apache-2.0
"""Jobs of the command line: their numbers, statistics and files."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

import neuropil
from neuropil.cli.jobs import artificial_cells, discover, hpc_benchmark, microcircuit, result
from neuropil.cli.jobs.statistics import by_population

ROOT = Path(__file__).resolve().parents[2]


def test_microcircuit_has_the_published_size():
    plan = microcircuit.plan()
    assert plan.neurons.sum() == 77_169
    assert plan.synapses.sum() == 298_880_968
    assert plan.weights[0, 0] == pytest.approx(87.81, abs=0.01)
    assert plan.weights[0, 2] == pytest.approx(2 * 87.81, abs=0.02)
    assert not plan.current.any()
    assert plan.scaling() == []


def test_current_of_psp_is_the_peak_of_the_potential():
    psc = microcircuit.current_of_psp(0.15, 250.0, 10.0, 0.5)
    t = np.linspace(0.0, 20.0, 400_001)
    potential = psc / 250.0 / (1 / 0.5 - 1 / 10.0) * (np.exp(-t / 10.0) - np.exp(-t / 0.5))
    assert potential.max() == pytest.approx(0.15, rel=1e-8)


def test_alpha_psp_peak_is_the_peak_of_the_integrated_equation():
    dt, potential, peak = 1e-4, 0.0, 0.0
    tau = hpc_benchmark.TAU_SYN
    for step in range(100_000):  # midpoint rule over 10 ms; the peak is near 1.7 ms
        t = (step + 0.5) * dt
        current = np.e / tau * t * np.exp(-t / tau)
        half = potential + 0.5 * dt * (current / 250.0 - potential / 10.0)
        potential += dt * (current / 250.0 - half / 10.0)
        peak = max(peak, potential)
    assert hpc_benchmark.alpha_psp_peak(250.0, 10.0, tau) == pytest.approx(peak, rel=1e-6)


def test_fewer_neurons_keep_indegrees():
    full, small = microcircuit.plan(), microcircuit.plan(scale=0.1)
    indegree = full.synapses / full.neurons[:, None]
    assert small.synapses / small.neurons[:, None] == pytest.approx(indegree, abs=0.01)
    assert (small.weights == full.weights).all()
    assert len(small.scaling()) == 1


@pytest.mark.parametrize("input", list(microcircuit.Input))
@pytest.mark.parametrize("k_scale", [0.1, 0.5, 2.0])
def test_scaled_indegrees_keep_mean_and_variance_of_the_input(input, k_scale):
    def moments(plan):
        indegrees = plan.synapses / plan.neurons[:, None]
        to_mean = 1e-3 * microcircuit.NEURON["tau_syn_ex"]
        mean = (plan.weights * indegrees) @ microcircuit.PUBLISHED_RATES + plan.external_weight * plan.external_rate
        variance = (plan.weights**2 * indegrees) @ microcircuit.PUBLISHED_RATES + plan.external_weight**2 * plan.external_rate
        return mean * to_mean + plan.current, variance

    mean, variance = moments(microcircuit.plan(k_scale=k_scale, input=input))
    full_mean, full_variance = moments(microcircuit.plan(input=input))
    assert mean == pytest.approx(full_mean, rel=1e-3)
    assert variance == pytest.approx(full_variance, rel=1e-3)


def test_dc_input_has_the_mean_of_the_poisson_input():
    dc, poisson = microcircuit.plan(input=microcircuit.Input.dc), microcircuit.plan()
    assert dc.current == pytest.approx(poisson.external_rate * poisson.external_weight * 0.5e-3)
    assert not dc.external_rate.any()


def test_hpc_benchmark_weight_does_not_depend_on_k_in_total():
    small, standard = hpc_benchmark.plan(11_255, 3750), hpc_benchmark.plan(112_500, 11_250)
    assert standard.weight == pytest.approx(45.61, abs=0.01)
    assert small.weight * small.indegree_exc == pytest.approx(standard.weight * standard.indegree_exc)
    assert (small.neurons_exc, small.neurons_inh, small.indegree_exc, small.indegree_inh) == (9004, 2251, 3000, 750)


def test_statistics_of_populations():
    spikes = neuropil.results.Spikes([1.0, 2.0, 3.0, 4.0, 6.0], [1, 1, 1, 5, 5], nodes=[1, 2, 3, 4, 5, 6, 7], stop=500.0)
    found = by_population(spikes, {"a": [1, 2, 3, 4], "b": [5], "c": [6, 7]})
    assert found["a"] == (4, pytest.approx(1.5), pytest.approx(0.0))
    assert found["b"].rate == pytest.approx(4.0)
    assert np.isnan(found["b"].cv_isi)
    assert found["c"].rate == 0.0


def test_spike_hash_is_of_the_sorted_pairs():
    stamps, gids = np.array([3, 1, 1]), np.array([7, 9, 2])
    pairs = np.array([[1, 2], [1, 9], [3, 7]], dtype="<i8")
    assert result.spike_hash(stamps, gids) == hashlib.sha256(pairs.tobytes()).hexdigest()
    assert result.spike_hash(stamps, gids + 1) != result.spike_hash(stamps, gids)


def test_results_are_checked():
    values = {int: 1, float: 1.0, str: "x", list: [], dict: {}}
    good = {name: values[types[0]] for name, types in result.FIELDS.items()}
    result.check(good)
    with pytest.raises(ValueError, match="rates"):
        result.check({name: value for name, value in good.items() if name != "rates"})
    with pytest.raises(ValueError, match="seed: float instead of int"):
        result.check(good | {"seed": 1.0})


def test_every_field_is_documented():
    text = (ROOT / "docs" / "concepts" / "results.md").read_text()
    documented = {name for line in text.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert set(result.FIELDS) <= documented


def test_jobs_are_found():
    assert {"microcircuit", "hpc_benchmark", "artificial_cells"} <= set(discover())


def test_adjacent_cells_are_connected_to_their_nearest_neighbours():
    net = neuropil.Network(threads=1)
    artificial_cells.build(net, 12, 4, "adjacent")
    found = net.connections()
    expected = {(1 + (cell + shift) % 12, 1 + cell) for cell in range(12) for shift in (-2, -1, 1, 2)}
    assert set(zip(found.source.tolist(), found.target.tolist(), strict=True)) == expected
    assert len(found) == 48


def test_a_burst_is_five_times_faster():
    net = neuropil.Network(threads=1)
    nodes = artificial_cells.build(net, 80, 1)
    spikes = net.record(nodes)
    artificial_cells.run_bursts(net, nodes, 2, 600.0)
    first, times = spikes.gids <= 40, spikes.times
    for group, in_burst in ((first, times <= 600.0), (~first, times > 600.0)):
        assert 4.5 < (group & in_burst).sum() / (group & ~in_burst).sum() < 5.5


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """A microcircuit of 386 neurons, run once through the command line."""
    from typer.testing import CliRunner

    from neuropil import cli

    output = tmp_path_factory.mktemp("microcircuit")
    cli.add_jobs()
    options = [
        "--scale",
        "0.005",
        "--k-scale",
        "0.2",
        "--duration",
        "50",
        "--warmup",
        "10",
        "--threads",
        "2",
        "--report",
        "--output",
        str(output),
    ]
    answer = CliRunner().invoke(cli.app, ["run", "microcircuit", *options])
    assert answer.exit_code == 0, answer.output
    return output, answer.output


def test_run_leaves_a_valid_result(small_run):
    output, _ = small_run
    found = json.loads((output / "result.json").read_text())
    result.check(found)
    plan = microcircuit.plan(scale=0.005, k_scale=0.2)
    assert found["neurons"] == plan.neurons.sum()
    assert found["synapses"] == plan.synapses.sum()
    assert found["threads"] == 2
    assert set(found["rates"]) == set(microcircuit.POPULATIONS)
    assert 0 < found["peak_rss_bytes"] < 4e9


def test_run_leaves_the_spikes_that_the_hash_is_of(small_run):
    output, _ = small_run
    found = json.loads((output / "result.json").read_text())
    with np.load(output / "spikes.npz") as data:
        assert len(data["stamps"]) > 0
        assert data["stamps"].min() > 100
        assert data["stamps"].max() <= 600
        assert result.spike_hash(data["stamps"], data["gids"]) == found["spike_hash"]


def test_run_draws_and_tells_what_was_scaled(small_run):
    output, text = small_run
    assert (output / "microcircuit.png").read_bytes().startswith(b"\x89PNG")
    assert "neurons x 0.005" in text
    assert "in-degrees x 0.2" in text
    assert "published" in text


def test_a_report_has_traces_weights_and_published_rates(small_run):
    output, _ = small_run
    found = json.loads((output / "result.json").read_text())
    text = (output / "report.html").read_text()
    assert found["timers_by_rank"]["run_update"] == [found["timers"]["run_update"]]
    assert found["loads"]["synapses"] == [found["synapses"]]
    assert found["reference"]["rate"]["L4E"] == microcircuit.PUBLISHED_RATES[2]
    for title in ("Raster", "Mean rate", "V_m", "Weights to L4E", "Running", "Memory of the network by kind, all ranks"):
        assert f'"title": "{title}"' in text
    assert found["spike_hash"] in text
    curves = {curve["name"]: curve for curve in found["weights"]["to L4E"]["histograms"]}
    middle = np.convolve(curves["L4E"]["edges"], [0.5, 0.5], "valid")
    assert sum(curves["L4E"]["shares"]) == pytest.approx(1.0)
    assert middle @ curves["L4E"]["shares"] == pytest.approx(microcircuit.plan(0.005, 0.2).weights[2, 2], rel=0.03)


@pytest.mark.parametrize("options", [["--scale", "-1"], ["--threads", "0"], ["--duration", "abc"], ["--input", "noise"], ["--nothing"]])
def test_bad_options_are_refused(options):
    from typer.testing import CliRunner

    from neuropil import cli

    cli.add_jobs()
    answer = CliRunner().invoke(cli.app, ["run", "microcircuit", *options])
    assert answer.exit_code == 2
    assert options[0] in re.sub(r"\x1b\[[0-9;]*m", "", answer.output)


def test_costs_of_the_tables_the_kernel_and_the_process_are_told_apart():
    from rich.console import Console

    from neuropil.cli.jobs.session import cost_table

    memory = {"synapses": 150_000, "index": 40_000, "traces": 10_000, "neurons": 300_000, "total": 500_000}
    seconds = dict.fromkeys(("build_s", "init_s", "sim_s", "real_time_factor", "warmup_ms", "duration_ms"), 1.0)
    console = Console(width=120)
    with console.capture() as said:
        console.print(cost_table(seconds | {"memory": memory, "peak_rss_bytes": 90_500_000, "synapses": 20_000, "threads": 2}))
    lines = [" ".join(line.split()) for line in said.get().splitlines()][-3:]
    assert lines == [
        "synapses 200.00 kB 10.00 bytes per synapse in their tables",
        "network 500.00 kB all that the kernel holds",
        "process 90.50 MB 90.00 MB more: Python, libraries, peaks",
    ]


def test_colours_have_a_legend_where_populations_are_excitatory_and_inhibitory():
    from matplotlib.figure import Figure

    from neuropil.cli.jobs.figures import legend

    for names, words in ((["L4E", "L4I"], ["excitatory", "inhibitory"]), (["cells"], []), (["E"], [])):
        figure = Figure()
        legend(figure, names)
        assert [text.get_text() for found in figure.legends for text in found.get_texts()] == words
