# SPDX-License-Identifier: Apache-2.0
"""Importing neuropil loads numpy and nothing else that is slow."""

import importlib
import subprocess
import sys
import warnings

import neuropil


def test_nothing_slow_is_imported():
    code = (
        "import sys, neuropil; print([m for m in ('matplotlib', 'pandas', 'neo', 'scipy', 'rich', 'typer', 'difflib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_first_network_imports_nothing_that_it_does_not_need():
    code = (
        "import sys, numpy; before = {*sys.modules}; import neuropil; net = neuropil.Network(threads=1); net.create('iaf_psc_exp'); net.run(1.0)\n"
        "print(*sorted({*sys.modules} - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"html", "pathlib", "urllib", "concurrent", "neuropil.space.pairs", "neuropil.plan", "neuropil.model.drawn"} & {*loaded}
    assert len([name for name in loaded if name.startswith("neuropil")]) < 75


def test_every_public_name_is_there_and_documented():
    for name in neuropil.__all__:
        assert getattr(neuropil, name).__doc__, name
    assert set(neuropil.__all__) <= set(dir(neuropil))


def test_public_methods_are_documented():
    for owner in (
        neuropil.Network,
        neuropil.Nodes,
        neuropil.Connections,
        neuropil.results.SpikeRecord,
        neuropil.results.Trace,
        neuropil.results.Spikes,
        neuropil.classes.Plan,
    ):
        for name in dir(owner):
            if not name.startswith("_"):
                assert getattr(owner, name).__doc__, f"{owner.__name__}.{name}"


def test_every_error_is_a_neuropil_error_and_a_builtin():
    errors = importlib.import_module("neuropil.errors")
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, neuropil.NeuropilError)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of version 0.2, where they stood at the top
            assert getattr(neuropil, name) is kind
        if kind is not neuropil.NeuropilError:
            assert issubclass(
                kind, (ValueError, TypeError, KeyError, AttributeError, IndexError, MemoryError, RuntimeError, ArithmeticError, ImportError)
            )


def test_the_catalogue_has_units_and_docs():
    from neuropil.model import catalog

    for table in (catalog.models(), catalog.devices(), catalog.synapses(), catalog.rules()):
        assert table
        for name, entry in table.items():
            assert entry.doc, name
            assert name in repr(entry)
    assert catalog.describe("iaf_psc_exp").parameters["tau_m"].unit == "ms"
    assert "V_m" in catalog.describe("iaf_psc_exp").recordables
