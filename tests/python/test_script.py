# SPDX-License-Identifier: Apache-2.0
"""Running a user's script with a hook in force."""

import sys

import pytest

import neuropil
from neuropil.base import hooks
from neuropil.cli.commands.script import run_script

MODEL = """
import sys
import neuropil
from helper_of_the_model import N
assert __name__ == "__main__"
net = neuropil.Network(resolution=0.1)
cells = net.create("iaf_psc_exp", N * neuropil.n_ranks())
net.connect(cells, cells, neuropil.fixed_indegree(3))
net.run(float(sys.argv[1]))
raise RuntimeError("after the run")
"""


class Ending(hooks.Hook):
    ranks = 7

    def __init__(self):
        self.seen = []

    def settings(self, given):
        self.seen.append(("settings", given["resolution"], given["threads"] is not None))
        return given | {"threads": 3}

    def made(self, network):
        self.seen.append(("made", network.threads))

    def running(self, network, duration):
        self.seen.append(("running", duration, network.n_nodes))
        return 2.0

    def ran(self, network):
        self.seen.append(("ran", network.time))
        raise hooks.ScriptDone


def script(folder, text=MODEL):
    (folder / "helper_of_the_model.py").write_text("N = 10\n")
    (folder / "model.py").write_text(text)
    return folder / "model.py"


def test_a_hook_sees_and_changes_what_the_script_does(tmp_path):
    hook, before = Ending(), (sys.argv, sys.path[:])
    assert run_script(script(tmp_path), ["25.0"], hook)
    assert hook.seen == [("settings", 0.1, True), ("made", 3), ("running", 25.0, 70), ("ran", 2.0)]
    assert (sys.argv, sys.path) == before
    assert hooks.current() is None
    assert neuropil.n_ranks() == 1


@pytest.mark.parametrize("ending", ["pass", "import sys; sys.exit()", "raise SystemExit(0)"])
def test_a_script_that_ends_by_itself(tmp_path, ending):
    assert not run_script(script(tmp_path, ending), [], hooks.Hook())


def test_errors_of_the_script_are_its_own(tmp_path):
    with pytest.raises(ZeroDivisionError):
        run_script(script(tmp_path, "1 / 0"), [], hooks.Hook())
    with pytest.raises(SystemExit, match="3"):
        run_script(script(tmp_path, "raise SystemExit(3)"), [], hooks.Hook())
    assert hooks.current() is None


def test_no_script_catches_the_end(tmp_path):
    text = "import neuropil\ntry:\n  neuropil.Network().run(1.0)\nexcept Exception:\n  raise SystemExit(4)"
    assert run_script(script(tmp_path, text), [], Ending())


def test_jobs_are_models():
    class Building(hooks.Hook):
        def building(self, network):
            self.nodes = network.n_nodes
            raise hooks.ScriptDone

    hook = Building()
    assert run_script("hpc_benchmark", ["--n", "100", "--k", "10"], hook)
    assert hook.nodes == 101


def test_what_is_no_model(tmp_path):
    with pytest.raises(neuropil.errors.UnknownName, match="hpc_benchmark"):
        run_script("hpc_benchmrak", [], hooks.Hook())
    with pytest.raises(neuropil.errors.BadParameter, match=r"missing\.py"):
        run_script(tmp_path / "missing.py", [], hooks.Hook())
