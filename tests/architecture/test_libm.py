# SPDX-License-Identifier: Apache-2.0
"""Results do not rest on the machine's libm (law 1): the kernel calls only those of its functions whose result is exact, so that it is the same in all of them.

exp, log, expm1, log1p, pow, sin and cos are in cpp/base (math.hpp, sine.hpp). The oracle (cpp/reference) is compiled apart and may use libm.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from architecture.sources import ROOT, cpp_files, relative

BUILD = ROOT / "build" / "release"
ORACLE = "reference"
EXACT = re.findall(
    r"\w+",
    """sqrt floor ceil round rint nearbyint trunc lround llround lrint llrint fabs fmin fmax copysign frexp ldexp scalbn scalbln ilogb logb modf
    nextafter fmod remainder""",
)
INEXACT = re.findall(
    r"\w+",
    """sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt hypot erf erfc
    tgamma lgamma sincos""",
)
CALL = re.compile(rf"(?:\bstd::|__builtin_|\B::)({'|'.join(INEXACT)})[fl]?\s*\(")


def tool(name: str) -> str:
    found = shutil.which(name)
    if not found:
        pytest.skip(f"no {name} here")
    return found


def symbols(path: Path, *options: str) -> set[str]:
    out = subprocess.run([tool("nm"), *options, str(path)], capture_output=True, text=True, check=True).stdout
    return {
        line.split()[-1].split("@")[0]
        for line in out.splitlines()
        if line.startswith(" ") or " T " in line or " W " in line or " i " in line
    }


def libm() -> set[str]:
    """Every function of the machine's libm."""
    path = subprocess.run([tool("c++"), "-print-file-name=libm.so.6"], capture_output=True, text=True, check=True).stdout.strip()
    names = symbols(Path(path).resolve(), "-D", "--defined-only")
    assert {"sin", "expf", "sqrt", "lgamma_r"} <= names
    return names


def inexact(path: Path, *options: str) -> set[str]:
    exact = {name + suffix for name in EXACT for suffix in ("", "f", "l")}
    return (symbols(path, "--undefined-only", *options) & libm()) - exact


def build_tree() -> Path:
    if not list(BUILD.glob("libnpl_*.a")):
        pytest.skip("no build/release here: made by ./run and ./check")
    return BUILD


def test_libraries_ask_libm_for_exact_functions_only():
    archives = [path for path in build_tree().glob("libnpl_*.a") if path.name != f"libnpl_{ORACLE}.a"]
    assert len(archives) > 10
    assert {path.name: names for path in archives if (names := inexact(path))} == {}


def test_the_extension_asks_libm_for_nothing_more_than_the_oracle():
    extension = next(build_tree().glob("bindings/_core*.so"), None)
    if extension is None:
        pytest.skip("the extension is not compiled")
    assert inexact(extension, "-D") - inexact(BUILD / f"libnpl_{ORACLE}.a") == set()


def test_sources_call_exact_functions_only():
    """The same without a compiled tree; also calls that the compiler works out itself, with another library."""
    found = {}
    for path in cpp_files():
        if ORACLE in path.parts or path.name in {"math.hpp", "sine.hpp"}:
            continue
        code = re.sub(r"//.*", "", path.read_text())
        if calls := CALL.findall(code):
            found[relative(path)] = calls
    assert found == {}


@pytest.mark.parametrize("call", ["std::sin(x)", "std::exp2(x)", "__builtin_pow(x, x)", "= ::log(x)", "std::cosf (x)"])
def test_a_call_is_seen(call):
    assert CALL.search(call)


@pytest.mark.parametrize("other", ["math::exp(x)", "connect_log(x)", "log(x)", "e.exp(x)", "std::sqrt(x)", "a->log(x)", "std::expected(x)"])
def test_other_names_are_not(other):
    assert not CALL.search(other)


def test_a_symbol_is_seen(tmp_path):
    source = tmp_path / "f.cpp"
    source.write_text("double f(double x) { return __builtin_sin(x) + __builtin_ldexp(x, 3) + __builtin_tgamma(x); }")
    subprocess.run([tool("c++"), "-c", "-O2", str(source), "-o", str(tmp_path / "f.o")], check=True)
    assert {"sin", "tgamma"} == inexact(tmp_path / "f.o")
