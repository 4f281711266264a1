# SPDX-License-Identifier: Apache-2.0
"""The examples run, and show what they say they show."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from thread_ranks import on_ranks, the_same

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_psp_is_the_closed_form(capsys):
    assert load("psp").main() < 1e-9
    assert "peak 0.15" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_brunel_fires_and_draws(tmp_path, capsys):
    load("brunel").main(str(tmp_path / "raster.png"), 100.0)
    rate = float(capsys.readouterr().out.split()[0])
    assert 5.0 < rate < 100.0
    assert (tmp_path / "raster.png").read_bytes().startswith(b"\x89PNG")


def test_published_models_fire_and_draw(tmp_path, capsys):
    example = load("published_models")
    assert set(example.GALLERY) == set(example.MODELS)
    found = example.main(str(tmp_path / "models.png"), ["eq_psc_delta", "eq_morris_lecar"])
    capsys.readouterr()
    assert (tmp_path / "models.png").read_bytes().startswith(b"\x89PNG")
    # 400 pA for 10 ms and 250 pF: 16 mV (1 - exp(-t / 10 ms)) reach 15 mV after 27.7 ms, and 2 ms of refractoriness follow.
    np.testing.assert_allclose(np.diff(found["eq_psc_delta"][1]), 29.8)
    potential, spikes = found["eq_morris_lecar"]
    assert len(spikes) == 2  # at its bifurcation it oscillates with about 0.09 s
    assert 30.0 < potential.max() < 50.0


def test_eprop_learns_and_draws(tmp_path, capsys):
    loss = load("eprop").main(str(tmp_path / "loss.png"), 12)
    assert loss[-3:].min() < 0.95 * loss[0]
    assert "loss 139 in the first second" in capsys.readouterr().out
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_circuit_goes_from_morphologies_to_spikes(tmp_path, capsys):
    assert 0.5 < load("circuit").main(str(tmp_path), 50) < 100.0
    said = capsys.readouterr().out
    touches, synapses = (int(word) for word in said.split()[:3:2])
    assert 0 < synapses < touches
    assert (tmp_path / "report.html").exists()


def test_two_areas_exchange_seldom(capsys):
    areas, turn = the_same(on_ranks(4, lambda comm: load("two_areas").main(50.0, comm)))
    assert areas[:2] == (10, 100)
    assert turn[:2] == (100, 0)
    assert areas[2] == turn[2]
    assert "10 exchanges of all 4 ranks, 100 inside areas" in capsys.readouterr().out


def test_a_wave_travels_over_the_sheet(tmp_path, capsys):
    assert 0.02 < load("sheet").main(str(tmp_path / "wave.png")) < 0.04
    assert "the wave travels at" in capsys.readouterr().out
    assert (tmp_path / "wave.png").read_bytes().startswith(b"\x89PNG")


def test_the_tour_runs_as_a_script(tmp_path):
    """In a process of its own: the sweep starts others, which import the script."""
    done = subprocess.run([sys.executable, EXAMPLES / "tour.py", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"spikes.npz", "potential.npz", "release.npz", "tour.png"}
    table = [line.split() for line in done.stdout.splitlines()[-6:]]  # number, g, seed, rates of exc and inh
    by_inhibition = [float(np.mean([float(row[3]) for row in table if float(row[1]) == g])) for g in (2.0, 5.0, 20.0)]
    assert by_inhibition[0] > by_inhibition[1] > by_inhibition[2] > 1.0


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "psp",
        "tour",
        "brunel",
        "circuit",
        "eprop",
        "gap_junctions",
        "growth",
        "two_areas",
        "sheet",
        "published_models",
        "hpc_benchmark",
        "microcircuit",
        "multi_area",
        "pynn_balanced",
        "lfp_stimulation",
        "braitenberg",
        "nest_server",
    }  # hpc_benchmark, microcircuit, multi_area, pynn_balanced, nest_server: test_dry_run.py, test_multi_area.py, tests/pynn, tests/serve


def test_growth_finds_its_aim(tmp_path, capsys):
    found = load("growth").main(str(tmp_path / "growth.png"), 60.0, 200)
    assert abs(found["excitatory"] - 0.05) < 0.01
    assert "aim 0.05" in capsys.readouterr().out
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_gap_junctions_synchronise(tmp_path, capsys):
    found = load("gap_junctions").main(str(tmp_path / "gap.png"), 60, 150.0)
    assert found["strong"] > 2.0 * found["weak"]
    assert "spikes/s" in capsys.readouterr().out
    assert (tmp_path / "gap.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_pulses_at_a_phase_of_the_field_potential_weaken_its_oscillation(tmp_path, capsys):
    found = load("lfp_stimulation").main(str(tmp_path / "loop.png"))
    assert found["against it"] < 0.5 * found["no pulses"] and found["for it"] > 1.4 * found["no pulses"]
    assert "µV² from 40 to 80 Hz" in capsys.readouterr().out
    assert (tmp_path / "loop.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_vehicle_finds_the_light(tmp_path, capsys):
    found = load("braitenberg").main(str(tmp_path / "path.png"))
    start = np.hypot(1.2, 0.9)
    assert found["crossed"] < 0.35 and found["uncrossed"] > start + 0.4
    assert "m from the light after 8 s" in capsys.readouterr().out
    assert (tmp_path / "path.png").read_bytes().startswith(b"\x89PNG")
