# SPDX-License-Identifier: Apache-2.0
"""Names of exchange strategies come from the kernel's registry alone; unknown names are refused with the nearest ones, wherever they are given."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import neuropil as npl
from neuropil import _core, cli
from neuropil.cli.commands.plan import Wish
from neuropil.errors import UnknownName

ROOT = Path(__file__).resolve().parents[2]
STRATEGIES = sorted(_core.strategies())


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_is_described(name):
    methods = (ROOT / "docs/concepts/exchange.md").read_text().split("## Methods")[1].split("\n## ")[0]
    assert f"| `{name}` |" in methods, "a row in the table of methods"
    text = npl.parallel.strategies()[name]
    assert len(text) > 10 and "\n" not in text
    assert f"{name} : {text}" in (npl.exchange.__doc__ or "")
    assert (ROOT / f"cpp/exchange/strategies/{name}.cpp").exists()


def test_the_registry_has_every_file():
    assert sorted(path.stem for path in (ROOT / "cpp/exchange/strategies").glob("*.cpp")) == STRATEGIES


def test_no_list_of_names_in_the_front_end():
    """A new strategy is one file: nothing in Python, and no other file of the kernel's exchange, names three of them."""
    files = [
        *(ROOT / "python/src/neuropil").glob("*.py"),
        *(ROOT / "python/src/neuropil/cli/jobs").glob("*.py"),
        *(ROOT / "cpp/sim").glob("*.?pp"),
        *(ROOT / "cpp/exchange").glob("*.?pp"),
    ]
    names = [name for name in STRATEGIES if name not in ("auto", "shared", "neighbor", "persistent")]  # these are words, too
    listing = {str(path.relative_to(ROOT)) for path in files if sum(f'"{name}"' in path.read_text() for name in names) >= 3}
    assert listing == set()


def test_jobs_offer_every_strategy():
    cli.add_jobs()
    shown = re.sub(r"\s+", " ", CliRunner().invoke(cli.app, ["run", "microcircuit", "--help"], env={"COLUMNS": "500"}).output)
    assert all(name in shown for name in STRATEGIES)


def test_names_of_settings_are_accepted():
    for regime in _core.regimes():
        for conservation in _core.conservations():
            assert npl.exchange("multisend", regime=regime, conservation=conservation).regime == regime


@pytest.mark.parametrize(
    ("settings", "near"),
    [
        ({"strategy": "alltoal"}, "alltoall"),
        ({"regime": "spars"}, "sparse"),
        ({"conservation": "allreduc"}, "allreduce"),
        ({"local": "neighbour"}, "neighbor"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(settings, near):
    with pytest.raises(UnknownName, match=f"'{near}'"):
        npl.exchange(**settings)
    with pytest.raises(UnknownName, match=f"'{near}'"):
        _core.Kernel(resolution=0.1, seed=1, threads=1, exchange=settings)


def test_unknown_names_given_elsewhere():
    with pytest.raises(UnknownName, match="'alltoall'"):
        npl.Network(exchange="alltoal")
    with pytest.raises(UnknownName, match="'alltoall'"):
        Wish(threads=1, exchange="alltoal")
    net = npl.Network()
    net.create("iaf_psc_exp", 3)
    for option, near in (({"strategy": "alltoal"}, "alltoall"), ({"regime": "spars"}, "sparse")):
        with pytest.raises(UnknownName, match=f"'{near}'"):
            net._kernel.plan_on(option)


def test_unknown_names_given_to_jobs():
    cli.add_jobs()
    result = CliRunner().invoke(cli.app, ["run", "microcircuit", "--exchange", "alltoal"])
    assert isinstance(result.exception, UnknownName) and "'alltoall'" in str(result.exception)
