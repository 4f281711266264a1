# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/theory run, and what their sentences say is true of what they print."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "theory"


@pytest.fixture(scope="module")
def run():
    """A function: the names that a page defines, and all that it prints. Each page runs once."""
    import contextlib
    import io

    import matplotlib

    matplotlib.use("Agg")
    kept: dict = {}

    def page(name: str) -> tuple[dict, str]:
        if name not in kept:
            scope: dict = {}
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                for cell in re.findall(
                    r"^```\{code-cell\} python\n(.*?)^```", (FOLDER / f"{name}.md").read_text(), re.MULTILINE | re.DOTALL
                ):
                    exec(compile(cell, name, "exec"), scope)
            kept[name] = scope, printed.getvalue()
        return kept[name]

    yield page
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("page", sorted(path.stem for path in FOLDER.glob("*.md")))
def test_pages_run(page, run):
    assert run(page)[1]


def test_the_grid_is_late_in_proportion_to_the_step_and_precise_spikes_are_exact(run):
    for h, (grid, precise) in run("off_grid_spikes")[0]["errors"].items():
        assert grid[0] == pytest.approx(0.5 * h, rel=0.1)
        assert grid[1] == pytest.approx(10.0 * h, rel=0.1)
        assert np.abs(precise).max() < 1e-12


def test_only_the_lossless_model_finds_a_crossing_that_is_undone(run):
    one_input = run("off_grid_spikes")[0]["one_input"]
    assert one_input("iaf_psc_exp", 1.0) == one_input("iaf_psc_exp_ps", 1.0) == []
    (exact,) = one_input("iaf_psc_exp_ps_lossless", 1.0)
    grid = np.arange(0.0, 2.0, 1e-6)
    rise = 8800.0 / 250.0 * (np.exp(-grid / 10.0) - np.exp(-grid / 0.5)) / (1 / 0.5 - 1 / 10.0)
    assert exact == pytest.approx(2.0 + grid[np.argmax(rise >= 15.0)], abs=2e-6)


def test_the_grid_makes_synchrony_and_precise_spikes_do_not(run):
    found = run("off_grid_spikes")[0]["found"]
    grid, precise = ([found[model, h][:2] for h in (0.5, 0.25, 0.125)] for model in ("iaf_psc_alpha", "iaf_psc_alpha_ps"))
    assert grid[0][0] > 10.0 * precise[0][0]
    assert all(a[0] > b[0] > precise[0][0] for a, b in itertools.pairwise(grid))
    assert all(rate < of_precise for (_, rate), (_, of_precise) in zip(grid, precise, strict=True))
    np.testing.assert_allclose(precise, np.broadcast_to(precise[0], (3, 2)), rtol=1e-3)


def test_changes_of_weights_are_sums_over_the_pairs(run):
    scope, printed = run("stdp_timing")
    assert scope["largest"] < 1e-11
    assert scope["change"]([200.0], [198.0]) == 0.0
    sums = re.findall(r"pairs +(\S+) pA +sum over pairs (\S+) pA", printed)
    assert len(sums) == 8
    assert all(found == expected for found, expected in sums)
    found, expected = re.search(r"change (\S+) pA +formula (\S+) pA", printed).groups()
    assert found == expected
    weights = re.findall(r"weight (\S+) pA|in the end: (\S+) pA", printed)
    assert [a or b for a, b in weights] == ["50.00000", "50.00000", weights[3][1], weights[3][1]]


def test_integers_have_one_sum_and_floats_several(run):
    printed = run("one_result")[1]
    counts = dict(re.findall(r"different (sums of floats|sums of integers|potentials): +(\d+)", printed))
    assert counts["sums of integers"] == counts["potentials"] == "1"
    assert all(int(number) > 1 for number in re.findall(r"sums of floats: +(\d+)", printed))
    assert len(set(re.findall(r"threads: (\w+)", printed))) == 1
