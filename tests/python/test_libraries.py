# SPDX-License-Identifier: Apache-2.0
"""Without optional libraries: neuropil is imported, simulates, and names the command that installs what is missing."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import neuropil as npl
from neuropil.base.libraries import pip_install

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["project"]

SIMULATES = """
import sys
for name in {missing}:
    sys.modules[name] = None
import neuropil as npl
net = npl.Network(seed=1, threads=1)
cells = net.create("iaf_psc_exp", 3, I_e=500.0)
spikes = net.record(cells)
net.run(50.0, progress=False)
spikes.save("spikes.npz")
net.save("run.npc")
assert npl.open_results("spikes.npz").times.tolist() == spikes.times.tolist() and npl.load("run.npc").time == 50.0
print(len(spikes) > 0)
"""
OPTIONAL = (
    "matplotlib",
    "typer",
    "click",
    "rich",
    "pandas",
    "xarray",
    "neo",
    "elephant",
    "quantities",
    "h5py",
    "pyarrow",
    "libsonata",
    "morphio",
    "loky",
    "scipy",
)


def test_numpy_is_enough(tmp_path):
    code = SIMULATES.format(missing=OPTIONAL)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr


def test_the_package_brings_two_libraries():
    assert [name.partition(">")[0] for name in PROJECT["dependencies"]] == ["numpy", "rich"]
    assert {"all", "circuit", "cli", "mpi", "plot", "results", "sweep"} <= PROJECT["optional-dependencies"].keys()


@pytest.fixture
def spikes():
    return npl.results.Spikes([1.0, 2.0], [1, 2], nodes=[1, 2], stop=5.0)


def test_pictures_without_matplotlib(net, spikes, monkeypatch):
    cells = net.create("iaf_psc_exp", 4, positions=npl.grid((2, 2)))
    net.connect(cells, cells, weight=1.0)
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.patches", "matplotlib.ticker"):
        monkeypatch.setitem(sys.modules, name, None)
    for draw in (
        spikes.plot,
        lambda: npl.plot.positions(cells),
        lambda: npl.plot.graph(net.connections()),
        lambda: npl.plot.weights(net.connections()),
        net.imbalance().plot,
        lambda: npl.plot.mask_patch(npl.space.circle(0.3), [0.0, 0.0]),
    ):
        with pytest.raises(npl.errors.MissingLibrary, match=r'pictures need matplotlib.*pip install "neuropil\[plot\]"'):
            draw()


LIBRARIES = {
    "to_pandas": "pandas",
    "to_xarray": "xarray",
    "to_neo": "neo",
    "to_arrow": "pyarrow",
    "to_elephant": "elephant",
    "plot": "matplotlib",
}


def test_every_conversion_names_the_library_that_is_missing(net, monkeypatch):
    cells = net.create("iaf_psc_exp", 3, I_e=500.0)
    plastic = net.connect(cells, cells, weight=1.0, synapse="stdp_synapse", weight_recorder=(weights := net.record_weights()))
    records = [
        net.record(cells),
        net.record(cells, "V_m"),
        net.record(cells, "rate", bin=1.0),
        net.record(plastic, "weight", interval=1.0),
        weights,
    ]
    net.run(20.0)
    things = [
        *records,
        *(record.data() for record in records),
        plastic,
        net.connections(),
        npl.sweep(dict, {"x": [1]}, processes=0),
        net.imbalance(),
    ]
    for module in (
        "pandas",
        "xarray",
        "neo",
        "neo.core",
        "quantities",
        "pyarrow",
        "elephant",
        "elephant.conversion",
        *(f"matplotlib{part}" for part in ("", ".pyplot", ".ticker")),
    ):
        monkeypatch.setitem(sys.modules, module, None)
    tried = 0
    for thing in things:
        for verb, library in LIBRARIES.items():
            if hasattr(type(thing), verb):
                with pytest.raises(npl.errors.MissingLibrary, match=f"{library}.*pip install"):
                    getattr(thing, verb)()
                tried += 1
    assert tried > 40


def test_the_command_line_without_typer(tmp_path):
    code = "import sys; sys.modules['typer'] = None; from neuropil.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("neuropil: the command line needs typer, which is not installed: ")
    assert done.stderr.endswith('pip install "neuropil[cli]"\n')


def test_the_command_installs_into_this_python(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "my venv/python"))
    for name in ("my venv", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pip").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "my venv"))
    assert pip_install("neuropil[mpi]") == 'pip install "neuropil[mpi]"'
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    assert pip_install("neuropil[mpi]") == f"'{tmp_path}/my venv/python' -m pip install \"neuropil[mpi]\""
