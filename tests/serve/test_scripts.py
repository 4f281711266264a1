# SPDX-License-Identifier: Apache-2.0
"""Scripts by requests: what they give, their errors with lines, and what restricted ones cannot do."""

import math

import numpy as np
import pytest

from neuropil import nest
from neuropil.errors import BadParameter, BadType, UnknownArgument
from neuropil.serve import scripts, values
from neuropil.serve.errors import Refused, answer, status
from serve.conftest import serving

# Written as NEST Desktop writes its scripts: whole numbers for values, positions by a lambda.
NETWORK = """import nest
import numpy as np

nest.ResetKernel()
nest.SetKernelStatus({"local_num_threads": 1, "resolution": 1, "rng_seed": 3})
pg1 = nest.Create("poisson_generator", params={"rate": 6500})
n1 = nest.Create("iaf_psc_alpha", 20, params={"C_m": np.linspace(200.0, 300.0, 20)},
  positions=nest.spatial.free(nest.random.uniform(-0.5, 0.5), num_dimensions=2))
vm1 = nest.Create("voltmeter")
sr1 = nest.Create("spike_recorder")
nest.Connect(pg1, n1, syn_spec={"weight": 10})
nest.Connect(n1[:5], n1[5:], conn_spec={"rule": "fixed_indegree", "indegree": 2}, syn_spec={"weight": 20, "delay": 2})
nest.Connect(vm1, n1)
nest.Connect(n1, sr1)
nest.Simulate(300)
pos = lambda n: dict(zip(n.global_id, nest.GetPosition(n)))
response = {"events": [vm1.events, sr1.events], "positions": {**pos(n1)}}
"""


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def run(source, kind="restricted", wanted=None):
    return scripts.run({"source": source, "return": wanted}, kind)


def test_a_network_gives_what_the_same_script_gives_here(client):
    found = client.ask("/exec", {"source": NETWORK, "return": "response", "response_keys": "response"})[1]
    full = values.plain(run(NETWORK, "full", "response"))
    names = {}
    exec(NETWORK.replace("import nest\n", "import neuropil.nest as nest\n"), names)
    expected = values.plain(names["response"])
    assert found["data"] == full["data"] == expected and found["stdout"] == ""
    assert len(expected["events"][0]["V_m"]) == 20 * 299 and len(expected["events"][1]["times"]) > 50 and len(expected["positions"]) == 20


def test_one_name_several_names_none():
    source = "x = 3\ny = [1, 2]\nprint('said')"
    assert run(source, wanted="x") == {"data": 3, "stdout": "said\n"}
    assert run(source, wanted=["x", "y"]) == {"data": {"x": 3, "y": [1, 2]}, "stdout": "said\n"}
    assert run(source) == {"stdout": "said\n"}
    assert scripts.run({"source": source, "response_keys": "x"}, "full")["data"] == 3
    assert run("import sys\nx = 1\nsys.exit()", "full", "x")["data"] == 1


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, BadType, "source = None"),
        ({"source": 3}, BadType, "source = 3"),
        ({"source": "x = 1", "return": 3}, BadType, "return = 3"),
        ({"source": "x = 1", "return": ["x", 4]}, BadType, "list of names"),
        ({"source": "value = 1", "return": "valeu"}, BadParameter, "return = 'valeu'.*nearest: value"),
        ({"source": "x = 1", "return": "__builtins__"}, BadParameter, "return = '__builtins__'"),
        ({"source": "x = 1", "returns": "x"}, UnknownArgument, "'returns' of /exec.*'return'"),
    ],
)
@pytest.mark.parametrize("kind", ["restricted", "full"])
def test_wrong_requests(given, error, words, kind):
    with pytest.raises(error, match=words):
        scripts.run(given, kind)


def test_scripts_run_only_where_they_were_asked_for():
    with serving() as client:
        refused, found = client.ask("/exec", {"source": "x = 1"})
        assert refused == 403 and "--scripts restricted" in found["message"]


@pytest.mark.parametrize("kind", ["restricted", "full"])
@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("x = 1\ny = x / 0\n", 2, "ZeroDivisionError at line 2: division by zero"),
        ("def f():\n    return nest.Create('no_such')\n\nf()\n", 2, "UnknownModelName at line 2: no_such"),
        ("nest.Create('iaf_psc_exp',\n  params={'tau_m': -1.0})", 1, "tau_m"),
        ("x = (3", 1, "SyntaxError at line 1: '(' was never closed"),
        ("\n\nx = y", 3, "NameError at line 3: name 'y' is not defined"),
        ("raise Exception", 1, "Exception at line 1"),
        ("def f(): f()\nf()", 1, "RecursionError at line 1"),
        ("nest.no_such = 3", 1, "no_such"),
        ("-" * 100_000 + "1", None, ""),
        ("x = 'a\0b'", None, "null bytes"),
    ],
)
def test_errors_of_scripts_have_their_line(source, line, words, kind):
    with pytest.raises(Exception) as caught:
        run(source, kind)
    found = answer(caught.value)
    assert status(caught.value) == 400 and words in found["message"]
    assert line is None or found["lineNumber"] == line


def test_a_script_that_exits_with_an_error_is_told(client):
    with pytest.raises(BadParameter, match="exit code of the script = 3"):
        run("import sys; sys.exit(3)", "full")


ATTACKS = [
    "import os",
    "import numpy.lib",
    "from nest import lib",
    "import sys as math",
    "__import__('os')",
    "open('/etc/passwd')",
    "eval('1')",
    "exec('x = 1')",
    "getattr(nest, 'lib')",
    "globals()",
    "vars()",
    "type(3)",
    "().__class__.__base__.__subclasses__()",
    "nest.Create.__globals__",
    "nest._get",
    "object.__setattr__(nest, '_names', 3)",
    "f'{nest.__class__}'",
    "'{0.__class__}'.format(nest)",
    "'{x.__class__}'.format_map({'x': nest})",
    "(x for x in [1]).gi_frame",
    "match 3:\n  case int(__class__=c):\n    x = c",
    "class A:\n  pass",
    "try:\n  1 / 0\nexcept Exception as e:\n  x = e.__traceback__.tb_frame",
    "try:\n  1 / 0\nexcept Exception as e:\n  x = e.tb_frame",
    "import math as __builtins__",
    "def __import__(*a): pass",
    "import numpy as np\nnp.load('/etc/passwd')",
    "import numpy as np\nnp.save('/tmp/x', 3)",
    "import numpy as np\nnp.zeros(3).tofile('/tmp/x')",
    "import numpy as np\nnp.zeros(3).dump('/tmp/x')",
    "import numpy as np\nnp.ctypeslib",
    "import numpy as np\nnp.zeros(3).ctypes",
    "import numpy as np\nnp.sin = 3",
    "from numpy.random import mtrand",
    "nest.ll_api",
    "nest.sys",
    "nest.raster_plot",
    "nest.DumpLayerNodes(1, '/tmp/x')",
    "nest.SonataNetwork('/tmp/x')",
    "nest.Create = 3",
    "lambda: nest.Create.__code__",
]


@pytest.mark.parametrize("source", ATTACKS)
def test_what_restricted_scripts_cannot_do(source):
    with pytest.raises((Refused, ImportError, NameError, AttributeError)) as caught:
        run(source)
    assert answer(caught.value)["lineNumber"] >= 1 and status(caught.value) in (400, 403)


def test_restricted_scripts_have_what_networks_need():
    source = """
import math, numpy as np, numpy.random as r
from numpy import linalg
from nest import random
nest.rng_seed = 7
nest.set(resolution=0.2)
_ = [max(x, 1) for x in range(3)]
try:
    nest.Create("no_such")
except nest.NESTErrors.UnknownModelName as error:
    text = str(error)
values = {"seed": nest.rng_seed, "h": nest.get("resolution"), "norm": float(linalg.norm(np.ones(4))), "e": math.exp(1.0), "text": text,
  "status": nest.kernel_status["rng_seed"], "drawn": nest.spatial_distributions.exponential(nest.spatial.distance) is not None,
  "r": len(r.default_rng(1).normal(size=3)), "u": random.uniform(0.0, 1.0) is not None}
"""
    found = run(source, wanted="values")["data"]
    assert found.pop("text").startswith("no_such")
    assert found == {"seed": 7, "h": 0.2, "norm": 2.0, "e": math.e, "status": 7, "drawn": True, "r": 3, "u": True}


def test_values_become_json():
    nodes = nest.Create("iaf_psc_exp", 3)
    nest.Connect(nodes[:2], nodes[2:])
    given = {
        "nan": math.nan,
        "inf": [math.inf, 1.0],
        "array": np.array([[1.0, math.nan], [2.0, -math.inf]]),
        "ints": np.arange(3),
        "one": np.float32(0.5),
        "bad": np.float64("nan"),
        "flags": np.array([True, False]),
        1: (1, {2}),
        "nodes": nodes,
        "objects": np.array([None, 3], dtype=object),
    }
    assert values.plain(given) == {
        "nan": None,
        "inf": [None, 1.0],
        "array": [[1.0, None], [2.0, None]],
        "ints": [0, 1, 2],
        "one": 0.5,
        "bad": None,
        "flags": [True, False],
        "1": [1, [2]],
        "nodes": [1, 2, 3],
        "objects": [None, 3],
    }
    assert values.plain(nest.GetConnections())["target"] == [3, 3]
    for wrong in (object(), 1j, lambda: 3, np.array([1j]), b"bytes"):
        with pytest.raises(BadType, match=r"data\['x'\].*JSON"):
            values.dumped({"x": wrong}, "data")
    itself = []
    itself.append(itself)
    with pytest.raises(BadType, match="data: must not contain itself"):
        values.dumped(itself, "data")
