# SPDX-License-Identifier: Apache-2.0
"""The models printed in docs/howto/add_neuron.md compile without a warning, vectorise, and do what they say."""

import itertools
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from neuropil import _core

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"^```cpp (\w+)\n(.*?)^```", (ROOT / "docs/howto/add_neuron.md").read_text(), re.MULTILINE | re.DOTALL)
FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra", "-Werror"]
# The level whose vectors are looked for, alone where this machine can run it: less to compile.
LEVEL = ["-DNPL_ONLY_ISA=1"] if "v3" in _core.simd_levels()["machine"] else []

# Prints the stamps of the spikes of one neuron with the constant current given.
MAIN = """
#include <cstdio>
#include "nodes/model.hpp"
namespace npl::nodes { const ModelInfo& model_MODEL(); }
int main() {
  using namespace npl;
  const auto& m = nodes::model_MODEL();
  std::vector<double> p, d(m.n_derived), s;
  for (const auto& f : m.parameters) p.push_back(f.name == std::string("I_e") ? CURRENT : f.init);
  for (const auto& f : m.state) s.push_back(f.init);
  m.check(p.data());
  m.derive(p.data(), 0.1, d.data());
  std::vector<double*> columns;
  for (auto& x : s) columns.push_back(&x);
  Fixed sum = 0;
  Fixed* sums[] = {&sum};
  const double scale[] = {1.0};
  std::vector<std::vector<double>> repeated;
  std::vector<const double*> derived;
  for (const double x : d) derived.push_back(repeated.emplace_back(nodes::repeated_block, x).data());
  std::vector<Spike> spikes;
  const Members nodes(1, 1, 1);
  for (Step n = 0; n < 2000; ++n) m.update({{sums, scale, nullptr, n, 1, &spikes}, 1, columns.data(), d.data(), derived.data(), &nodes});
  for (const auto& spike : spikes) std::printf("%ld ", static_cast<long>(spike.step + 1));
}
"""


def vectorised(notes: str, text: str) -> bool:
    """Whether gcc's notes say that the loop over neurons of this model uses AVX2, and so does that for shared parameters where it is another."""
    name, marked = "update.hpp", "load_fields<State>(lanes.state.data(), i)"
    if "NPL_NEURON_RKF45_PORTS" in text:
        name, marked = "port_substeps.hpp", "const bool alive ="
    elif "NPL_NEURON_RKF45" in text or "update_rkf45<" in text:
        name, marked = "rkf45.hpp", "attempt<M>("
    elif "NPL_PRECISE_NEURON" in text:
        name, marked = "precise_step.hpp", "NPL_IVDEP"
    header = ROOT / "cpp/nodes" / name
    lines = header.read_text().splitlines()
    body = next(k for k, line in enumerate(lines) if marked in line and "NPL_INLINE" not in line)
    loop = body + 1 if marked.startswith("NPL_") else max(k for k in range(body) if lines[k].strip().startswith("for ("))
    return len(re.findall(rf"{header.name}:{loop + 1}:\d+: optimized: loop vectorized using 32 byte vectors", notes)) >= (
        2 if "uniform_loop = true" in text else 1
    )


def run(folder: Path, model: str, text: str, current: float) -> list[int]:
    (folder / f"{model}.cpp").write_text(text)
    (folder / "main.cpp").write_text(MAIN.replace("MODEL", model).replace("CURRENT", repr(current)))
    sources = [
        folder / f"{model}.cpp",
        folder / "main.cpp",
        *(ROOT / "cpp/base" / name for name in ("error.cpp", "simd.cpp")),
        ROOT / "cpp/model/propagators.cpp",
        *(ROOT / "cpp/nodes" / name for name in ("describe.cpp", "substeps.cpp")),
    ]
    command = ["g++", *FLAGS, *LEVEL, "-fopt-info-vec", f"-I{ROOT / 'cpp'}", "-o", folder / "program", *sources]
    notes = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    if platform.machine() == "x86_64":
        assert vectorised(notes, text)
    return [int(stamp) for stamp in subprocess.run([folder / "program"], check=True, capture_output=True, text=True).stdout.split()]


def test_the_page_has_both_models():
    assert [name for name, _ in BLOCKS] == ["pif_psc_delta", "qif_psc_exp"]


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(("model", "text"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_models_in_the_howto_work(model, text, tmp_path):
    stamps = run(tmp_path, model, text, 400.0)
    if model == "pif_psc_delta":
        # 15 mV at 400 pA / 250 pF = 1.6 mV/ms: 9.4 ms to the next grid point, and 2 ms of refractoriness.
        assert stamps == list(range(94, 2001, 94 + 20))
    else:
        # Constant drive: regular firing after the first interval, which starts from the resting potential.
        intervals = {b - a for a, b in itertools.pairwise(stamps[1:])}
        assert len(stamps) > 5
        assert max(intervals) - min(intervals) <= 1


def scalar(path: Path) -> bool:
    """parrot_neuron_ps computes nothing; ht_neuron and rate neurons are still scalar."""
    return path.stem in ("parrot_neuron_ps", "ht_neuron") or "NPL_RATE_NEURON" in path.read_text()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("g++") or platform.machine() != "x86_64", reason="needs g++ for x86-64")
@pytest.mark.parametrize(
    "path",
    [path for path in sorted((ROOT / "cpp/nodes/models").glob("*.cpp")) if not scalar(path)],
    ids=lambda path: path.stem,
)
def test_every_model_vectorises(path):
    command = ["g++", *FLAGS, "-DNPL_ONLY_ISA=1", "-fopt-info-vec", f"-I{ROOT / 'cpp'}", "-c", "-o", "/dev/null", path]
    assert vectorised(subprocess.run(command, check=True, capture_output=True, text=True).stderr, path.read_text())
