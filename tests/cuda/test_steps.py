# SPDX-License-Identifier: Apache-2.0
"""Steps of neuron models compile for a CUDA device, as they stand: no model has a second text. Nothing is run here, and there is no GPU back end."""

import re
import shutil
import subprocess

import pytest

from architecture.sources import CPP, ROOT
from cuda.models import COMPILED, MODELS, NOT_COMPILED

MOST_NOT_COMPILED = 4
# A call of a function that is not made for the device is a warning only. Without fused operations results have the bits of the kernel (law 1).
FLAGS = ["-ptx", "-arch=sm_90", "-std=c++20", "--expt-relaxed-constexpr", "-fmad=false", "-Werror", "all-warnings", "-DNPL_ONLY_ISA=0"]


def unit(models: list[str]) -> str:
    """Models as one file: their headers are parsed once."""
    names = ["cuda/steps.hpp", "model/propagators.cpp", "model/siegert.cpp"]
    names += [f"nodes/models/{model}.cpp" for model in models]
    return "".join(f'#include "{name}"\n' for name in names)


# Fused operations, were they allowed, would appear at -O1, too. Every third model in each check, all weekly.
@pytest.fixture(scope="module", params=[("-O1", 3), pytest.param(("-O3", 1), marks=pytest.mark.slow)], ids=["-O1", "-O3"])
def compiled(request, tmp_path_factory) -> tuple[list[str], str]:
    """Models, and what their file became."""
    if not shutil.which("nvcc"):
        pytest.skip("no nvcc here")
    folder = tmp_path_factory.mktemp("cuda")
    level, stride = request.param
    models = sorted(COMPILED)[::stride]
    (folder / "steps.cu").write_text(unit(models))
    command = ["nvcc", *FLAGS, "-Xcicc", level, f"-I{CPP}", f"-I{ROOT / 'tests'}", "-o", folder / "steps.ptx", folder / "steps.cu"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return models, (folder / "steps.ptx").read_text()


def test_every_model_but_a_few_has_a_kernel(compiled):
    models, ptx = compiled
    assert set(re.findall(r"\.entry step_(\w+)\(", ptx)) == set(models)


def test_operations_are_those_of_the_kernel(compiled):
    _, ptx = compiled
    assert set(re.findall(r"\b(?:fma|mad)\.\w+\.f64|\b\w+\.approx\.\w+|\b\w+\.ftz\.\w+", ptx)) == set()


def test_models_that_are_left_out_exist_and_are_few():
    assert set(NOT_COMPILED) <= MODELS
    assert len(NOT_COMPILED) <= MOST_NOT_COMPILED
