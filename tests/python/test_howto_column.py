# SPDX-License-Identifier: Apache-2.0
"""The two lines printed in docs/howto/add_column.md make a column: put into a copy of columns.hpp, all that the page promises follows."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mpi.jobs import BUILD

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = dict(re.findall(r"^```cpp (\w+)\n(.*?)^```", (ROOT / "docs/howto/add_column.md").read_text(), re.MULTILINE | re.DOTALL))
# What costs time is reading headers and optimising for each SIMD level: one file includes all, for one level.
FLAGS = ["-std=c++20", "-O0", "-DNPL_ONLY_ISA=0", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]

# Two tables of one spec with traces 1, 2, 3 and 4, 5; the second synapse of the first one goes, the others become one table.
MAIN = """
#include <cstdio>
#include "tables/merge.hpp"
#include "tables/listed.hpp"
namespace npl::synapses { const SynapseInfo& synapse_stdp_synapse(); const SynapseInfo& synapse_static_synapse(); }
using namespace npl;
using namespace npl::tables;

TableSpec spec_of(const synapses::SynapseInfo& info) {
  TableSpec spec;
  spec.synapse = &info, spec.weights = Weights::f32;
  for (const Field& f : info.parameters) spec.parameters.push_back(f.init);
  spec.plasticity = info.prepare(spec.parameters.data(), 0.1);
  return spec;
}

std::unique_ptr<EdgeTable> table(const TableSpec& spec, std::vector<ListedSynapse> list) {
  const Origin none;
  return table_of(spec, list, {&none, 1}, Layout::single).table;
}

int main() {
  const TableSpec plastic = spec_of(synapses::synapse_stdp_synapse()), fixed = spec_of(synapses::synapse_static_synapse());
  std::printf("%g %g\\n", expected_bytes(plastic, Layout::single, Per::synapse), expected_bytes(fixed, Layout::single, Per::synapse));
  const auto old = table(plastic, {{1, 0, 7, 10, 1.0, {}}, {1, 0, 7, 11, 1.0, {}}, {3, 0, 7, 12, 1.0, {}}});
  const auto fresh = table(plastic, {{1, 0, 7, 20, 1.0, {}}, {2, 0, 7, 21, 1.0, {}}});
  std::printf("%zu %zu\\n", old->eligibility.size(), old->payload_bytes());
  for (const float value : old->eligibility) std::printf("%g ", static_cast<double>(value));
  const std::uint64_t before = hash_of(*old);
  for (std::size_t i = 0; i < 3; ++i) old->eligibility[i] = static_cast<float>(i + 1);
  for (std::size_t i = 0; i < 2; ++i) fresh->eligibility[i] = static_cast<float>(i + 4);
  std::printf("%d\\n", before != hash_of(*old));
  const Merged merged = merge({old.get(), {0, 1, 0}}, {fresh.get()}, {}, Layout::single);
  const EdgeTable& t = *merged.table;
  for (std::uint32_t i = 0; i < t.n_synapses(); ++i)
    std::printf("%d:%g ", t.target[i], find_values<Columns>(t, plastic, t.layout, "eligibility", i).value().at(0));
  const auto none = table(fixed, {{1, 0, 7, 10, 1.0, {}}});
  std::printf("\\n%d\\n", find_values<Columns>(*none, fixed, none->layout, "eligibility", 0).has_value());
  const auto moved = table(plastic, {{9, 0, 7, 30, 1.0, {old.get(), 2}}, {8, 0, 7, 31, 1.0, {}}});  // as an edit does
  std::printf("%g %g\\n", static_cast<double>(moved->eligibility[0]), static_cast<double>(moved->eligibility[1]));
}
"""


def with_column(text: str) -> str:
    """columns.hpp with the lines of the page where the page says that they belong."""
    struct, list_end = text.index("struct Columns {"), text.index("    };\n  }\n", text.index("declared() {"))
    member = text.index("\n\n", struct) + 1
    assert struct < member < list_end
    return text[:member] + BLOCKS["member"] + text[member:list_end] + BLOCKS["declaration"] + text[list_end:]


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> list[list[str]]:
    folder = tmp_path_factory.mktemp("column")
    (folder / "tables").mkdir()
    (folder / "tables/columns.hpp").write_text(with_column((ROOT / "cpp/tables/columns.hpp").read_text()))
    # Copies, as an include in quotes looks first where the including file is.
    for path in (ROOT / "cpp/tables").glob("*.?pp"):
        if path.name != "columns.hpp":
            shutil.copy(path, folder / "tables")
    (folder / "main.cpp").write_text(MAIN)
    sources, libraries = (
        [*(folder / "tables").glob("*.cpp")],
        [BUILD / f"libnpl_{name}.a" for name in ("synapses", "checkpoint", "rng", "base")],
    )
    if not all(path.exists() for path in libraries):  # what does not know columns.hpp is compiled where nothing was built
        sources += [ROOT / f"cpp/synapses/models/{name}.cpp" for name in ("stdp_synapse", "static_synapse")]
        sources += [path for name in ("synapses", "base", "checkpoint") for path in (ROOT / "cpp" / name).glob("*.cpp")]
        sources = [path for path in sources if path.name not in ("registry.cpp", "loading.cpp")]  # which need all models
        libraries = []
    (folder / "all.cpp").write_text("".join(f'#include "{path}"\n' for path in [*sources, folder / "main.cpp"]))
    command = ["g++", *FLAGS, f"-I{folder}", f"-I{ROOT / 'cpp'}", "-o", folder / "program", folder / "all.cpp", *libraries, "-pthread"]
    subprocess.run(command, check=True)
    out = subprocess.run([folder / "program"], check=True, capture_output=True, text=True).stdout
    return [line.split() for line in out.splitlines()]


pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
# Compiling the tables anew takes 12 s; in each check tests/cpp/tables/test_columns.cpp adds columns in the same way.
compiled = pytest.mark.slow


def test_the_page_shows_a_member_and_a_declaration():
    assert set(BLOCKS) == {"member", "declaration"}
    text = (ROOT / "cpp/tables/columns.hpp").read_text()
    assert "eligibility" not in text
    assert with_column(text).count("eligibility") >= 2


@compiled
def test_only_the_tables_that_need_it_pay(printed):
    assert printed[0] == ["10", "6"]  # target 2, weight 4, and the new column's 4 where plastic


@compiled
def test_a_new_table_has_the_column_all_zero(printed):
    assert printed[1] == ["3", "30"]
    assert printed[2][:3] == ["0", "0", "0"]


@compiled
def test_the_hash_knows_the_column(printed):
    assert printed[2][3] == "1"


@compiled
def test_values_follow_their_synapses_when_tables_are_merged(printed):
    assert printed[3] == ["10:1", "20:4", "21:5", "12:3"]  # by source: 1, 1, 2, 3; the synapse onto 11 is gone


@compiled
def test_values_go_along_when_an_edit_moves_a_synapse(printed):
    assert printed[5] == ["0", "3"]  # by source: a new one, and what was the third one of the old table


@compiled
def test_a_table_without_the_column_has_no_values_of_its_name(printed):
    assert printed[4] == ["0"]
