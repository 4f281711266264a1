# SPDX-License-Identifier: Apache-2.0
"""The scripts of examples/nest say `import nest`; here they run on neuropil, and print what they print on NEST."""

import subprocess
import sys

import pytest
from tests.nest.corpus import examples

NAMES = [path.stem for path in examples.FILES]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    return examples.run("neuropil", tmp_path_factory.mktemp("examples"))["examples"]


@pytest.mark.parametrize("name", NAMES)
def test_example_prints_what_it_prints_on_nest(printed, name):
    raised = printed[name].get("raised", "")
    assert not raised
    lines = examples.differences(name, printed[name]["printed"], examples.stored()[name])
    assert not lines, "\n".join(lines)


def test_as_users_run_it(tmp_path):
    script = next(path for path in examples.FILES if path.stem == "one_neuron")
    done = subprocess.run([sys.executable, "-m", "neuropil.nest", str(script)], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == examples.stored()["one_neuron"]


def test_there_are_85_and_each_says_what_it_shows():
    assert len(NAMES) >= 85
    for path in examples.FILES:
        lines = path.read_text().splitlines()
        assert lines[0] == "# SPDX-License-Identifier: Apache-2.0"
        assert lines[1].startswith('"""')
        assert "import nest" in lines
    assert set(examples.stored()) == set(NAMES)
