# SPDX-License-Identifier: Apache-2.0
"""Synapse models as equations: published rules, and rules that need every way to keep a variable."""

from random import Random

RULES = {
    "eq_pairs": {
        "equations": ["dx/dt = -x/tau_plus (pre)", "dy/dt = -y/tau_minus (post)"],
        "on_pre": "w -= lr*y; x += 1",
        "on_post": "w += lr*x; y += 1",
        "parameters": {"tau_plus": 20.0, "tau_minus": 25.0, "lr": 0.3},
    },
    "eq_additive": {
        "equations": ["dx/dt = -x/tau_plus (pre)", "dy/dt = -y/tau_minus (post)"],
        "on_pre": "w -= alpha*rate*Wmax*y; x += 1",
        "on_post": "w += rate*Wmax*x; y += 1",
        "bounds": ("0", "Wmax"),
        "parameters": {"tau_plus": 20.0, "tau_minus": 20.0, "rate": 0.01, "alpha": 1.0, "Wmax": 100.0},
    },
    "eq_triplet": {
        "equations": [
            "dr1/dt = -r1/tau_plus (pre)\ndr2/dt = -r2/tau_plus_triplet (pre)",
            "do1/dt = -o1/tau_minus (post)\ndo2/dt = -o2/tau_minus_triplet (post)",
        ],
        "on_pre": "w -= o1*(Aminus + Aminus_triplet*r2); r1 += 1; r2 += 1",
        "on_post": "w += r1*(Aplus + Aplus_triplet*o2); o1 += 1; o2 += 1",
        "bounds": (0, "Wmax"),
        "parameters": {
            "tau_plus": 16.8,
            "tau_plus_triplet": 101.0,
            "tau_minus": 20.0,
            "tau_minus_triplet": 110.0,
            "Aplus": 0.1,
            "Aplus_triplet": 0.2,
            "Aminus": 0.3,
            "Aminus_triplet": 0.05,
            "Wmax": 100.0,
        },
    },
    "eq_vogels": {
        "equations": ["dx/dt = -x/tau (pre)\ndy/dt = -y/tau (post)"],
        "on_pre": "w += eta*y; w -= eta*alpha; x += 1",
        "on_post": "w += eta*x; y += 1",
        "bounds": ("0", "Wmax"),
        "parameters": {"tau": 20.0, "eta": 0.4, "alpha": 0.12, "Wmax": 100.0},
    },
    # spikes of the target count before the first one of the source; the trace has another name than the kernel's, and steps of 0.5
    "eq_always": {
        "equations": ["dr/dt = -r/tau_plus (pre); do/dt = -o/tau (post)", "gain = A*w"],
        "on_pre": "up = gain*o; w += up; w -= 0.02*w; r += 1",
        "on_post": "w += A*(r - 0.1)*(60 - w); o += 0.5",
        "bounds": (0, 100),
        "parameters": {"tau": 30.0, "tau_plus": 15.0, "A": 0.05},
    },
    # the kind of the exponent is chosen for all synapses at once
    "eq_powers": {
        "equations": ["dx/dt = -x/tau_plus (pre); dy/dt = -y/tau_minus (post)", "share = w/Wmax"],
        "on_pre": "w -= rate*Wmax*share**mu*y; x += 1",
        "on_post": "w += rate*Wmax*(1 - share)**mu*x; y += 1",
        "bounds": ("0", "Wmax"),
        "parameters": {"tau_plus": 20.0, "tau_minus": 25.0, "rate": 0.01, "mu": 0.4, "Wmax": 100.0},
    },
    "eq_short_term": {
        "equations": ["du/dt = (U - u)/tau_fac (pre)", "dx/dt = (1 - x)/tau_rec (pre)"],
        "on_pre": "release = u*x; x -= release; u += U*(1 - u)",
        "transmit": "w*release",
        "initial": {"u": "U", "x": 1.0},
        "parameters": {"U": 0.3, "tau_fac": 500.0, "tau_rec": 200.0},
    },
    # three variables, a share above 1 that depends on a part and on a variable that does not decay
    "eq_resources": {
        "equations": [
            "dx/dt = (1 - x)/tau_rec (pre); dy/dt = -y/tau_psc (pre); du/dt = (U - u)/tau_fac (pre); dcount/dt = 0 (pre)",
            "gain = A*(1 + u)",
        ],
        "on_pre": "release = u*x; x -= release; y += release; u += U*(1 - u); count += 1; seen = count/10",
        "transmit": "gain*w*(release + y)/(1 + seen)",
        "initial": {"u": "U", "x": 1.0},
        "parameters": {"U": 0.3, "tau_fac": 500.0, "tau_rec": 200.0, "tau_psc": 3.0, "A": 4.0},
    },
    "eq_two_weights": {
        "equations": ["share = 1 - other"],
        "transmit": "share*w + other*second",
        "parameters": {"other": 0.25, "second": 40.0},
    },
    # nearest spikes, a part, a variable of the synapse, one that keeps its value, a limit, transmission that depends on both
    "eq_everything": {
        "equations": [
            "dx/dt = -x/tau_plus (pre); dy/dt = -y/tau_minus (post); dz/dt = (b - z)/tau_minus (post)",
            "dcalcium/dt = -calcium/(2*tau_plus) (synapse)\ndcount/dt = 0 (synapse)",
            "gain = lr*(1 + calcium)",
        ],
        "on_pre": "w -= gain*y*z; x = 1; calcium += 0.3*y; count += 1",
        "on_post": "w += where(count > 3, gain*x, 0); y = 1; z += 0.1; calcium -= 0.1*x",
        "bounds": (None, "Wmax"),
        "transmit": "w*clip(1 + gain, 0.5, 1.5)",
        "initial": {"calcium": "lr*3", "z": 0.5},
        "parameters": {"tau_plus": 15.0, "tau_minus": 30.0, "lr": 0.2, "b": 0.7, "Wmax": 60.0},
    },
    # the source has three variables; synapses read two of them, and one depends on the weight
    "eq_many": {
        "equations": [
            "dr/dt = -r/(10*ms) (pre); ds/dt = -s/(20*ms) (pre); dq/dt = -q/(40*ms) (pre); dv/dt = -v/(30*ms) (pre)",
            "dy/dt = -y/(10*ms) (post); dy2/dt = -y2/(20*ms) (post); dy3/dt = -y3/(40*ms) (post); dy4/dt = -y4/(20*ms) (post)",
        ],
        "on_pre": "w -= 0.1*(y + y2*s + y3 - v*y4); v += 0.01*w; r += 1; s += 2 + r; q = q/2 + 1",
        "on_post": "w += 0.1*(r + s*q + y2); y += 1; y2 += 0.5; y3 += 2; y4 += 1",
        "bounds": (-10, 80),
    },
    # spikes of the target count before the first one of the source
    "eq_drift": {
        "equations": ["dk/dt = -k/tau (synapse)"],
        "on_pre": "k += 1; w += 0.1*k",
        "on_post": "k -= 0.5; w -= 0.2",
        "parameters": {"tau": 50.0},
    },
}


def arguments(rule):
    """What synapse_model takes after the name."""
    return rule.get("equations", []), {name: value for name, value in rule.items() if name != "equations"}


def random_rule(seed):
    """A rule with random variables and statements; factors are small, so that it stays finite."""
    random = Random(seed)
    variables = {kind: [f"{kind[:2]}_{k}" for k in range(random.randint(0, 3))] for kind in ("pre", "post", "synapse")}
    everything = [name for kind in variables.values() for name in kind]

    def factor():
        return f"{random.uniform(-0.5, 0.5):.3g}"

    def term(known):
        name = random.choice([*known, "1", "a"])
        return random.choice(
            [f"{factor()}*{name}", f"{factor()}*clip({name}*{random.choice(known or ['a'])}, -1, 1)", f"where({name} > 0.5, {factor()}, a)"]
        )

    def statements(own):
        done = [f"{name} {random.choice(['=', '+='])} {random.choice(['1', 'a', term(own)])}" for name in own if random.random() < 0.8]
        done += [f"{name} = clip({name} + {term(everything)}, -2, 2)" for name in variables["synapse"] if random.random() < 0.8]
        done += [f"w += {term(everything)} + {term([*everything, 'part'])}"]
        random.shuffle(done)
        return "; ".join(done)

    lines = ["part = a*w/100" if random.random() < 0.5 or not everything else f"part = a*{random.choice(everything)}"]
    lines.append("unused = a + tau/ms")
    for kind, names in variables.items():
        for name in names:
            tau = random.choice(["tau", "(2*tau)", "(7*ms)"])
            lines.append(
                random.choice(
                    [
                        f"d{name}/dt = -{name}/{tau} : 1 ({kind})",
                        f"d{name}/dt = (a - {name})/{tau} : 1 ({kind})",
                        f"d{name}/dt = 0 ({kind})",
                    ]
                )
            )
    return {
        "equations": lines,
        "on_pre": statements(variables["pre"]),
        "on_post": statements(variables["post"]),
        "bounds": (random.choice([0, None]), random.choice(["70", None])),
        "transmit": random.choice(["w", "w*(1 + part/10)", f"w + {term(everything)}"]),
        "initial": {name: random.choice(["a", 0.5]) for name in everything if random.random() < 0.3},
        "parameters": {"tau": 20.0, "a": 0.3},
    }  # fmt: skip
