# SPDX-License-Identifier: Apache-2.0
"""Equations of synapses: what is read, what is refused and where, where variables are kept, and the C++ text."""

import pickle
import re
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import neuropil as npl
from architecture.sources import CPP
from equations.compiled import COMPILER
from equations.synapse_reference import transmitted
from equations.synapse_rules import RULES, arguments
from equations.test_seen import RULE as SEEN
from equations.test_third_factors import dopamine
from neuropil.equations import EquationError, SynapseModel, UnitError, synapse_model
from neuropil.equations.expressions import text_of
from neuropil.equations.names import forbidden
from neuropil.equations.synapse_code import member
from neuropil.errors import BadParameter, BadType, NeuropilError

X, Y = "dx/dt = -x/tau (pre)", "dy/dt = -y/tau (post)"
FLAGS = [
    "-std=c++20",
    "-ffp-contract=off",
    "-fsyntax-only",
    "-Wall",
    "-Wextra",
    "-Werror",
    f"-I{CPP}",
    "-include",
    "synapses/rule_model.hpp",
]


def made(*equations, **options):
    return synapse_model("m", *equations, **{"parameters": {"tau": 20.0}} | options)


def compiles(folder, sources):
    (folder / "a.cpp").write_text("\n".join(sources))
    done = subprocess.run([COMPILER, *FLAGS, folder / "a.cpp"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]


@pytest.mark.parametrize(
    ("given", "message", "part", "line", "column"),
    [
        ({"equations": "dx/dt = -x/tau (pree)"}, "unknown flag 'pree' (nearest: pre", "equations", 1, 17),
        ({"equations": f"{X}\ndz/dt = -z/tau (receptor)"}, "unknown function 'tau'", "equations", 2, 12),
        ({"equations": f"{X}\ndz/dt = -z/tau : 1 (receptor)"}, "unknown flag 'receptor'", "equations", 2, 21),
        ({"equations": "dx/dt = -x/tau"}, "one flag that says whose spikes change x", "equations", 1, 1),
        ({"equations": "dx/dt = -x/tau (pre, post)"}, "one flag that says whose spikes change x", "equations", 1, 1),
        ({"equations": f"{X}; gain = x (pre)"}, "gain has no derivative", "equations", 1, 23),
        ({"equations": "dx/dt = -x**2/tau (pre)"}, "x**2 is not linear", "equations", 1, 11),
        ({"equations": f"{X}\ndz/dt = (x - z)/tau (pre)"}, "dz/dt depends on x", "equations", 2, 16),
        ({"equations": "dx/dt = x/tau (pre)"}, "x grows", "equations", 1, 10),
        ({"equations": "dx/dt = 1/tau (pre)"}, "x grows without end", "equations", 1, 10),
        ({"equations": "dx/dt = -x/(tau - 30*ms) (pre)"}, "x grows", "equations", 1, 11),
        ({"equations": "dx/dt = (w - x)/tau (pre)"}, "the weight w may stand in on_pre", "equations", 1, 10),
        ({"equations": f"part = w*x\n{X}\ndz/dt = (part - z)/tau (pre)"}, "the weight w may stand", "equations", 3, 19),
        ({"equations": "dw/dt = -w/tau (pre)"}, "'w' cannot be a name: it is the weight", "equations", 1, 1),
        ({"equations": "dx/dt = -x/tau + xi/sqrt(tau) (pre)"}, "random_uniform(low, high)", "equations", 1, 18),
        ({"on_pre": "w += lr*V_m"}, "read by seen='V_m'", "on_pre", 1, 9),
        ({"on_post": "x = 1"}, "'x' is (pre), so on_post cannot change it", "on_post", 1, 1),
        ({"on_pre": "y += 1"}, "'y' is (post), so on_pre cannot change it", "on_pre", 1, 1),
        ({"on_pre": "w += dopamine*x"}, "a variable that spikes of a volume transmitter change", "on_pre", 1, 6),
        ({"on_pre": "w += rand()"}, "unknown function 'rand'", "on_pre", 1, 6),
        ({"on_pre": "w += steps(tau)"}, "steps(...) is for neurons", "on_pre", 1, 6),
        ({"bounds": (0, "steps(tau)")}, "steps(...) is for neurons", "bounds", 1, 1),
        ({"on_pre": "w += I_stim"}, "unknown name 'I_stim'", "on_pre", 1, 6),
        ({"on_pre": "w += z"}, "unknown name 'z'", "on_pre", 1, 6),
        ({"on_pre": "x += 1;\nwx = w + x"}, "'wx' is no variable", "on_pre", 2, 1),
        ({"on_pre": "wx += 1"}, "'wx' is neither the weight w nor a variable", "on_pre", 1, 1),
        ({"on_pre": "tau = 3"}, "'tau' is a parameter", "on_pre", 1, 1),
        ({"on_pre": "w += x*"}, "the end of the line where", "on_pre", 1, 8),
        ({"on_pre": "a = x; w += a", "on_post": "w -= a"}, "unknown name 'a'", "on_post", 1, 6),
        ({"transmit": "w*z"}, "unknown name 'z'", "transmit", 1, 3),
        ({"transmit": "w > 1"}, "where a number is needed", "transmit", 1, 3),
        ({"bounds": ("0", "Wmax")}, "'Wmax' is no parameter", "bounds", 1, 1),
        ({"initial": {"x": "y"}}, "'y' is no parameter", "initial['x']", 1, 1),
    ],
)
def test_errors_show_the_place(given, message, part, line, column):
    equations = given.pop("equations", f"{X}\n{Y}")
    with pytest.raises(EquationError, match=re.escape(message)) as caught:
        made(equations, **given)
    assert (caught.value.part, caught.value.line, caught.value.column) == (part, line, column)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"on_pre": "w += x*tau; x += 1"}, "what += takes has [1/ms]"),
        ({"on_pre": "w += tau"}, "what += takes has [1], but 'tau' has [ms]"),
        ({"transmit": "w*tau"}, "transmit has [1]"),
        ({"bounds": ("0", "tau")}, "w has [1], but 'tau' has [ms]"),
        ({"equations": f"{X} ; dz/dt = -z/tau : mV (pre)", "on_pre": "w += z"}, "'z' has [mV]"),
        ({"equations": "dx/dt = -x/tau : mV (pre)", "initial": {"x": "tau"}}, "x has [mV]"),
    ],
)
def test_units_are_checked(given, message):
    equations = given.pop("equations", X)
    with pytest.raises(UnitError, match=re.escape(message)):
        made(equations, **given)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"parameters": {"tau": 20.0, "other": 1.0}}, BadParameter, "a name that the equations, on_pre, on_post, transmit or bounds use"),
        ({"parameters": {"tau": 20.0, "axonal_delay": 1.0}}, BadParameter, "the part of the delay that is axonal"),
        ({"parameters": {"tau": 20.0, "w": 1.0}}, BadParameter, "the weight"),
        ({"parameters": {"tau": 0.0}}, BadParameter, "> 0"),
        ({"bounds": (1.0, 0.0)}, BadParameter, "a least weight below the greatest one"),
        ({"bounds": "0, 1"}, BadType, "the least and the greatest weight"),
        ({"bounds": (0.0,)}, BadType, "the least and the greatest weight"),
        ({"bounds": (0.0, float("nan"))}, BadParameter, "a finite number"),
        ({"initial": {"z": 1.0}}, BadParameter, "a variable with a derivative"),
        ({"initial": [1.0]}, BadType, "a dict"),
        ({"on_pre": 3}, BadType, "a text"),
        ({"doc": 3}, BadType, "a text"),
    ],
)
def test_arguments_are_checked(given, error, message):
    with pytest.raises(error, match=re.escape(message)):
        made(X, **given)
    with pytest.raises(BadType):
        made(3)
    with pytest.raises(BadParameter, match="letters"):
        synapse_model("a b")


def test_equations_may_be_one_text_or_several():
    several, one = made(X, Y, on_pre="x += 1; w -= y", on_post="y += 1"), made(f"{X}\n{Y}", on_pre="x += 1\nw -= y", on_post="y += 1")
    assert several.source == one.source
    assert npl.synapse_model is synapse_model
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one) == "SynapseModel('m': x per source, y per target)"
    assert one.units == {"x": "", "y": "", "tau": "ms"}


def test_variables_are_kept_where_they_are_the_same():
    kept = {name: synapse_model(name, *arguments(rule)[0], **arguments(rule)[1]).kept for name, rule in RULES.items()}
    assert kept["eq_triplet"] == {"r1": "source", "r2": "source", "o1": "target", "o2": "target"}
    assert kept["eq_short_term"] == {"u": "source", "x": "source"}
    assert kept["eq_everything"] == {"x": "source"} | dict.fromkeys(["y", "z", "calcium", "count"], "synapse")
    assert kept["eq_many"] == {
        "r": "source",
        "s": "source",
        "q": "synapse",
        "v": "synapse",
        "y": "target",
        "y2": "target",
        "y3": "synapse",
        "y4": "target",
    }
    assert set(kept["eq_resources"].values()) == {"source"}
    assert made(X, Y, on_pre="x += 1", on_post="y += 1").kept == {"x": "source", "y": "nowhere"}
    assert made(X, on_pre="x += w").kept == {"x": "synapse"}
    assert made(Y, on_pre="w += y", on_post="y = 1").kept == {"y": "synapse"}
    assert made("da/dt = -a/tau (pre); db/dt = -b/tau (pre)", on_pre="a += b; b += w; w += a").kept == {"a": "synapse", "b": "synapse"}


@pytest.mark.parametrize(
    ("equations", "on_pre", "on_post", "is_pair_rule"),
    [
        ((X, Y), "w -= y; x += 1", "w += x; y += 1", True),
        ((X, Y), "w -= y; x += 1", "w += x; y += 2*tau/ms", True),
        ((X,), "w -= 1; x += 1", "w += x", True),
        ((X, Y), "w -= y*w**2; x += 1", "w += x*w**(tau/ms); y += 1", True),
        ((X, Y), "w -= y*w**(tau/ms); x += 1", "w += x*w**(tau/ms)*(1 + w)**(tau/ms); y += 1", True),
        ((X, Y), "w -= y; x += 2", "w += x; y += 1", False),
        ((X, Y), "w -= y; x = 1", "w += x; y += 1", False),
        ((X, Y), "w -= y; x += 1", "w += x*y; y += 1", False),
        ((X, Y), "w -= y*x; x += 1", "w += x; y += 1", False),
        ((X, Y), "w -= y; x += 1", "w += x; y = 1", False),
        ((X, Y), "w -= y*random_uniform(0, 1); x += 1", "w += x; y += 1", False),
        ((X, Y), "w -= y*t/ms; x += 1", "w += x; y += 1", False),
        (("dx/dt = -x/(2*tau) (pre)", Y), "w -= y; x += 1", "w += x; y += 1", False),
    ],
)
def test_what_is_a_pair_rule(equations, on_pre, on_post, is_pair_rule):
    """Its synapses are updated in vectors."""
    assert ("pair_synapse<" in made(*equations, on_pre=on_pre, on_post=on_post).source) is is_pair_rule


@pytest.mark.parametrize(
    ("on_pre", "transmit", "share"),
    [
        ("x += 1", "w*x", "x"),
        ("x += 1", "2*(w*x)/3", "2 * x / 3"),
        ("x += 1", "x*(w/2)", "x * (1 / 2)"),
        ("x += 1", "w*2*x", "2 * x"),
        ("x += 1", "x*(2*w)", "x * 2"),
        ("x += 1", "3*(w*2)", "3 * 2"),
        ("x += 1", "w", "1"),
        ("x += 1", "w*x + 1", None),
        ("x += 1", "w*x*w", None),
        ("x += 1", "x/w", None),
        ("x += w", "w*x", None),
        ("x += 1; y = w", "w*y", None),
        ("x += 1; w += 1", "w*x", None),
        ("x += t/ms", "w*x", None),
        ("x += random_uniform(0, 1)", "w*x", None),
    ],
)
def test_what_is_a_share_of_the_weight(on_pre, transmit, share):
    """Synapses of such rules do nothing themselves."""
    found = made(X, on_pre=on_pre, transmit=transmit).places.share
    assert (found if found is None else text_of(found)) == share


@pytest.mark.parametrize(
    ("on_pre", "is_elapsed"),
    [
        ("x *= exp(-(t - last)/tau); last = t", True),
        ("span = t - last; last = t; x += span/tau", True),
        ("last = t; x += (t - last)/tau", False),
        ("x += t/tau; last = t", False),
        ("x += last/tau; last = t", False),
        ("x += (last - t)/tau; last = t", False),
        ("x += (t - last)/tau; last = t; last = t", False),
    ],
)
def test_where_time_is_that_since_the_last_spike(on_pre, is_elapsed):
    model = made(X, "dlast/dt = 0 (pre)", on_pre=on_pre, transmit="w*x")
    assert (model.places.share is not None) is is_elapsed
    assert set(model.kept.values()) == {"source" if is_elapsed else "synapse"}


@pytest.mark.parametrize(
    ("on_post", "meets_all"),
    [
        ("w += x", False),
        ("w += 3*x*w/2", False),
        ("change = x*w; w -= change", False),
        ("w += x + 1", True),
        ("w = w + x", True),
        ("w *= 2", True),
        ("", False),
    ],
)
def test_spikes_before_the_first_one_of_the_source(on_post, meets_all):
    assert made(X, on_pre="x += 1", on_post=on_post).places.meets_all is meets_all


def test_the_summary_says_what_there_is():
    text = synapse_model("eq", *arguments(RULES["eq_everything"])[0], **arguments(RULES["eq_everything"])[1]).summary()
    for wanted in (
        "4 values per synapse beside the weight. Spikes of targets count before the first spike of a source, too.",
        "dx/dt = -x / tau_plus (pre): kept once per source",
        "dcalcium/dt = -calcium / (2 * tau_plus) (synapse): kept per synapse, begins with lr * 3",
        "gain = lr * (1 + calcium)",
        "w += where(count > 3, gain * x, 0)",
        "tau_plus = 15 ms",
        "w <= Wmax",
    ):
        assert wanted in text


def test_the_order_of_statements_and_events_counts():
    """Worked by hand: tau so long that nothing decays."""
    slow = {"parameters": {"tau": 1e12}}
    assert transmitted(made(X, on_pre="w += x; x += 1", **slow), 0.0, 1, [5, 6, 7], [], 1.0) == pytest.approx([0.0, 1.0, 3.0])
    assert transmitted(made(X, on_pre="x += 1; w += x", **slow), 0.0, 1, [5, 6, 7], [], 1.0) == pytest.approx([1.0, 3.0, 6.0])
    both = made(X, Y, on_pre="w -= 10*y; x += 1", on_post="w += x; y += 1", **slow)
    assert transmitted(both, 0.0, 0, [5, 7], [6, 7], 1.0) == pytest.approx([0.0, -8.0])  # at 7: + 1 before, - 10 for the spike at 6 only


@pytest.mark.skipif(COMPILER is None, reason="needs g++")
def test_the_text_compiles_without_warnings(tmp_path):
    compiles(tmp_path, [synapse_model(name, *arguments(rule)[0], **arguments(rule)[1]).source for name, rule in RULES.items()])


def more_texts():
    """Rules with a third factor, with a variable of the target, with times and random numbers."""
    chance = {"on_pre": "z = random_normal(0, 1) + t/ms; w += z", "on_post": "w -= random_uniform(0, 1)*t/ms", "transmit": "w*z"}
    fading = {"between": "w *= exp(-elapsed/tau)", "on_post": "w += 1", "parameters": {"tau": 10.0}}
    models = [
        dopamine(),
        synapse_model("sees", "dx/dt = -x/tau (pre)", **SEEN),
        synapse_model("chance", **chance),
        synapse_model("fades", **fading),
    ]
    return [model.source for model in models]


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="needs g++")
def test_more_texts_compile_without_warnings(tmp_path):
    compiles(tmp_path, more_texts())


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="needs g++")
def test_names_that_the_text_uses_may_be_those_of_users(tmp_path):
    texts = [synapse_model(name, *arguments(rule)[0], **arguments(rule)[1]).source for name, rule in RULES.items()] + more_texts()
    code = re.sub(r'"[^"\n]*"|//[^\n]*|#include[^\n]*', "", "\n".join(texts))
    words = sorted(
        word
        for word in set(re.findall(r"[A-Za-z_]\w*", code))
        if not forbidden(word) and word not in ("w", "tau", "elapsed", "volume_transmitter")
    )
    assert {"double", "send", "values", "tau_minus", "until", "Decays", "bounded"} <= set(words)
    sums = "\n".join(f"sum{k} = {' + '.join(words[k : k + 60])}" for k in range(0, len(words), 60))
    sums += f"\nsum = {' + '.join(f'sum{k}' for k in range(0, len(words), 60))}"
    total = " + ".join(words[:50])
    steps = "; ".join(f"{word} = {word} + 0.5*sum" for word in words)
    sources = [
        synapse_model("as_parameters", sums, on_pre="w += sum", on_post="w -= sum", parameters=dict.fromkeys(words, "1 1")),
        synapse_model("as_parts", *(f"{word} = 2*factor" for word in words), sums, on_pre="w += sum", parameters={"factor": 1.0}),
        synapse_model("as_changing_parts", *(f"{word} = 2*w" for word in words), sums, on_pre="w += sum", transmit="sum"),
        *(
            synapse_model(
                f"as_{kind}", *(f"d{word}/dt = (2 - {word})/(7*ms) ({kind})" for word in words), sums, initial=dict.fromkeys(words, 2.0),
                on_pre=f"{steps if kind != 'post' else ''}; w += sum", on_post=f"{steps if kind != 'pre' else ''}; w += sum", transmit="w*sum",
            )
            for kind in ("pre", "post", "synapse")
        ),
        *(
            synapse_model(f"as_{kind}_{k}", *(f"d{word}/dt = -{word}/(7*ms) ({kind})" for word in words[k : k + 2]),
                          on_pre=f"w += {words[k]}; {words[k]} += 1; {words[k + 1]} += 1" if kind == "pre" else f"w += {words[k]}",
                          on_post=f"w += {words[k]}; {words[k]} += 1; {words[k + 1]} += 1" if kind == "post" else f"w += {words[k]}")
            for kind in ("pre", "post") for k in range(0, len(words) - 1, 2)
        ),
        synapse_model("as_values", on_pre="; ".join([*(f"{word} = 2*w" for word in words[:50]), f"w += {total}"])),
    ]  # fmt: skip
    compiles(tmp_path, [re.sub(r"NPL_SYNAPSE\(as_(pre|post)_\d(.|\n)*", "", model.source) for model in sources])  # few are instantiated


@pytest.mark.skipif(COMPILER is None, reason="needs g++")
def test_no_name_of_a_user_is_a_macro(tmp_path):
    command = [COMPILER, "-std=c++20", f"-I{CPP}", "-dM", "-E", "-include", "synapses/rule_model.hpp", "-x", "c++", "/dev/null"]
    macros = set(re.findall(r"^#define (\w+)", subprocess.run(command, capture_output=True, text=True, check=True).stdout, re.MULTILINE))
    assert len(macros) > 500
    assert {name for name in macros if not forbidden(name) and member(name) in macros} == set()


WORDS = [
    "x",
    "y",
    "w",
    "tau",
    "lr",
    "dx/dt",
    "dy/dt",
    "(pre)",
    "(post)",
    "(synapse)",
    "(parameter)",
    "=",
    "+=",
    "-",
    "+",
    "*",
    "/",
    "**",
    ";",
]
WORDS += [
    "\n",
    "1",
    "0.5",
    "ms",
    ": 1",
    "exp(",
    "clip(",
    "where(",
    "min(",
    ",",
    "(",
    ")",
    ">",
    "xi",
    "V_m",
    '"',
    "}",
    "//",
    "*/",
    "\\",
    "#",
    "é",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
@example("", "w += 1); system(0", "w")
@example(X, "w += " + "(" * 40, "w")
def test_any_text_is_read_or_refused(equations, statements, transmit):
    for text, done in ((equations, "x += 1"), (X, statements)):
        try:
            model = made(text, Y, on_pre=done, on_post="w += y; y += 1", transmit=transmit or "w", parameters={"tau": 20.0})
        except NeuropilError:
            continue
        assert isinstance(model, SynapseModel)
        code = re.sub(r'"[^"\n]*"|//[^\n]*', "", model.source)
        assert all(code.count(a) == code.count(b) for a, b in ("()", "{}", "[]"))
        assert not set(re.findall(r"[A-Za-z_]\w*", code)) & {"system", "xi", "V_m"}
