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

# Prints the stamps of the spikes of one neuron of the model that is named, with the constant current that is given.
MAIN = """
#include <cstdio>
#include "nodes/model.hpp"
namespace npl::nodes { DECLARED }
int main(int, char** argv) {
  using namespace npl;
  const auto& m = CHOSEN;
  std::vector<double> p, d(m.n_derived), s;
  for (const auto& f : m.parameters) p.push_back(f.name == std::string("I_e") ? std::atof(argv[2]) : f.init);
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
  SourcedSpikes spikes;
  const Members nodes(1, 1, 1);
  for (Step n = 0; n < 2000; ++n) m.update({{sums, scale, nullptr, n, 1, &spikes}, 1, columns.data(), d.data(), derived.data(), &nodes});
  for (const auto& spike : spikes.spikes) std::printf("%ld ", static_cast<long>(spike.step + 1));
}
"""


def vectorised(notes: str, text: str) -> bool:
    """Whether gcc's notes say that the loop over neurons of this model uses AVX2, and so does that for shared parameters where it is another."""
    name, marked = "update.hpp", "load_fields<State>(lanes.state.data(), i)"
    if "NPL_NEURON_RKF45_PORTS" in text:
        name, marked = "port_substeps.hpp", "const bool alive ="
    elif any(word in text for word in ("NPL_NEURON_RKF45", "update_rkf45<", "NPL_GAP_NEURON")):
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


@pytest.fixture(scope="module")
def rest(tmp_path_factory) -> Path:
    """Object file of all but the models. Most of its time goes to headers: one file includes all, and nothing is optimised."""
    folder = tmp_path_factory.mktemp("howto")
    declared = " ".join(f"const ModelInfo& model_{name}();" for name, _ in BLOCKS)
    chosen = (
        "".join(f'argv[1] == std::string("{name}") ? nodes::model_{name}() : ' for name, _ in BLOCKS[:-1])
        + f"nodes::model_{BLOCKS[-1][0]}()"
    )
    sources = [
        *(ROOT / "cpp/base" / name for name in ("error.cpp", "simd.cpp")),
        ROOT / "cpp/model/propagators.cpp",
        *(ROOT / "cpp/nodes" / name for name in ("describe.cpp", "substeps.cpp")),
    ]
    included = "".join(f'#include "{path}"\n' for path in sources)
    (folder / "rest.cpp").write_text(included + MAIN.replace("DECLARED", declared).replace("CHOSEN", chosen))
    command = ["g++", *FLAGS, "-O0", *LEVEL, f"-I{ROOT / 'cpp'}", "-c", "-o", folder / "rest.o", folder / "rest.cpp"]
    subprocess.run(command, check=True)
    return folder / "rest.o"


@pytest.fixture(scope="module")
def programs(rest, tmp_path_factory) -> Path:
    """A program of both models, whose loops are vectorised."""
    folder = tmp_path_factory.mktemp("models")
    for model, text in BLOCKS:
        (folder / f"{model}.cpp").write_text(text)
        command = ["g++", *FLAGS, *LEVEL, "-fopt-info-vec", f"-I{ROOT / 'cpp'}", "-c", "-o", folder / f"{model}.o", folder / f"{model}.cpp"]
        notes = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        if platform.machine() == "x86_64":
            assert vectorised(notes, text), model
    subprocess.run(["g++", "-o", folder / "program", rest, *(folder / f"{model}.o" for model, _ in BLOCKS)], check=True)
    return folder / "program"


def test_the_page_has_both_models():
    assert [name for name, _ in BLOCKS] == ["pif_psc_delta", "qif_psc_exp"]


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(("model", "text"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_models_in_the_howto_work(programs, model, text):
    done = subprocess.run([programs, model, "400"], check=True, capture_output=True, text=True)
    stamps = [int(stamp) for stamp in done.stdout.split()]
    if model == "pif_psc_delta":
        # 15 mV at 400 pA / 250 pF = 1.6 mV/ms: 9.4 ms to the next grid point, and 2 ms of refractoriness.
        assert stamps == list(range(94, 2001, 94 + 20))
    else:
        # Constant drive: regular firing after the first interval, which starts from the resting potential.
        intervals = {b - a for a, b in itertools.pairwise(stamps[1:])}
        assert len(stamps) > 5
        assert max(intervals) - min(intervals) <= 1


OWN_LOOPS = ("NPL_MODEL(", "NPL_RATE_NEURON", "update_means<")  # over something else than neurons, or in other files
SCALAR = ("parrot_neuron_ps", "ht_neuron", "eprop_iaf_bsshslm_2020", "eprop_iaf_adapt_bsshslm_2020")


def scalar(path: Path) -> bool:
    """parrot_neuron_ps computes nothing; the others are still scalar."""
    return path.stem in SCALAR or any(macro in path.read_text() for macro in OWN_LOOPS)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("g++") or platform.machine() != "x86_64", reason="needs g++ for x86-64")
@pytest.mark.parametrize(
    "path",
    [path for path in sorted((ROOT / "cpp/nodes/models").glob("*.cpp")) if not scalar(path)],
    ids=lambda path: path.stem,
)
def test_every_model_vectorises(path):
    command = [
        "g++",
        *FLAGS,
        "-fno-tree-pre",
        "-DNPL_ONLY_ISA=1",
        "-fopt-info-vec",  # as the library is compiled
        f"-I{ROOT / 'cpp'}",
        "-c",
        "-o",
        "/dev/null",
        path,
    ]
    assert vectorised(subprocess.run(command, check=True, capture_output=True, text=True).stderr, path.read_text())
