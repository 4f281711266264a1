# SPDX-License-Identifier: Apache-2.0
"""What decides whether there is MPI, and which: environment, launcher, plug-ins; errors instead of N runs of one rank."""

from pathlib import Path

import pytest

from mpi import jobs
from neuropil import _core, errors
from neuropil.parallel import launch

WORLD = "from neuropil import _core; w = _core.world(); line = ' '.join(map(str, (w['rank'], w['size'], w['name'])))"
SAY = WORLD + "; print(line, flush=True)"
LIBRARIES = "; print(sum('libmpi.so' in line for line in open('/proc/self/maps')))"


def test_one_rank_without_a_launcher():
    done = jobs.alone(SAY + LIBRARIES)
    assert done.stdout.split("\n")[:2] == ["0 1 single", "0"], done.stderr


def test_off_makes_each_process_a_run_of_its_own(kind, tmp_path):
    assert jobs.lines(kind, 2, WORLD, tmp_path, NEUROPIL_MPI="off") == ["0 1 single"] * 2


def test_a_launcher_without_plugins_is_an_error_that_says_what_to_install(tmp_path):
    for variables in ({"OMPI_COMM_WORLD_SIZE": "2"}, {"PMI_SIZE": "2", "PMI_RANK": "0"}):
        done = jobs.alone(SAY, NEUROPIL_MPI_DIR=str(tmp_path), **variables)
        assert done.returncode != 0
        assert done.stdout == ""
        assert 'pip install "neuropil[mpi]"' in done.stderr
        assert "MpiError" in done.stderr


def test_one_launched_rank_needs_no_plugin(tmp_path):
    assert jobs.alone(SAY, NEUROPIL_MPI_DIR=str(tmp_path), OMPI_COMM_WORLD_SIZE="1").stdout == "0 1 single\n"


@pytest.mark.parametrize("name", ["no_such_flavour", "/no/such/plugin.so"])
def test_an_unknown_choice_is_an_error(name):
    done = jobs.alone(SAY, NEUROPIL_MPI=name)
    assert done.returncode != 0
    assert f"NEUROPIL_MPI={name}" in done.stderr


@pytest.mark.parametrize("by_path", [False, True])
def test_the_flavour_can_be_chosen(kind, by_path, tmp_path):
    chosen = str(Path(str(_core.__file__)).parent / f"_mpi_{kind}.so") if by_path else kind
    lines = jobs.lines(kind, 2, WORLD, tmp_path, NEUROPIL_MPI=chosen)
    name = {"ompi": "Open MPI", "mpich": "MPICH"}[kind]
    assert [line.split(name)[0] for line in lines] == ["0 2 mpi (", "1 2 mpi ("]


def test_a_library_that_does_not_know_the_launcher_is_an_error(kind):
    other = {"ompi": "mpich", "mpich": "ompi"}[kind]
    jobs.need(other)
    library = {"ompi": "libmpi.so.40", "mpich": "libmpi.so.12"}[other]
    path = jobs.installations()[other].parents[1] / "lib" / library
    done = jobs.run(kind, 2, jobs.python(SAY), NEUROPIL_MPI=other, NEUROPIL_LIBMPI=str(path))
    assert done.returncode != 0
    assert "0 1" not in done.stdout


def test_command_lines():
    jobs.own_kind()
    for kind, mpiexec in jobs.installations().items():
        line, variables = launch.mpiexec_command(3, ["program", "--option"], mpiexec)
        assert line[0] == str(mpiexec)
        assert line[-4:] == ["-n", "3", "program", "--option"]
        assert ("--oversubscribe" in line) == (kind == "ompi")
        assert variables["PATH"]


def test_no_mpiexec_is_an_error(monkeypatch):
    monkeypatch.setattr(launch, "find_mpiexec", lambda: None)
    with pytest.raises(errors.MpiError, match="pip install"):
        launch.mpiexec_command(2, ["program"])


def test_info_tells_the_mpi_in_use(kind):
    done = jobs.run(kind, 2, [*jobs.python("from neuropil.cli import main; main()"), "info"])
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("MPI ")] == [
        next(x for x in done.stdout.splitlines() if "rank 0 of 2" in x)
    ]
