# SPDX-License-Identifier: Apache-2.0
"""Names that users may give, and what they are called in C++."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .expressions import FUNCTIONS
from .units import EXPRESSION_SYMBOLS

__all__ = ["CURRENT", "NOISE", "RATES", "STEP", "Namer", "cpp_name", "forbidden", "is_noise", "usual_unit"]

CURRENT = "I_stim"  # current of devices [pA]
NOISE = "xi"
STEP = "dt"  # the time step [ms]
RATES = {"I_rate": "in.ex + in.in", "I_rate_ex": "in.ex", "I_rate_in": "in.in"}  # sums of weight times rate: all, by the sign of weights

_CPP = frozenset(
    re.findall(
        r"\w+",
        """
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch char char8_t
    char16_t char32_t class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield
    decltype default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if import
    inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected public
    register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch synchronized
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq
    """,
    )
)
# Macros of the headers that models include (tests/equations lists them all), and structs that hold the user's names.
_TAKEN = re.compile(r"[A-Z][A-Z0-9_]{3,}|NAN|EOF|SYS_\w+|[MLP]_\w+|(be|le)\d\dtoh|hto[bl]e\d\d|EIO|errno|std(in|out|err)|offsetof|alloca|strn?dupa|linux|unix|issubnormal|"
                    r"math_errhandling|sched_priority|pthread_\w+|assert|Params|State|Derived")  # fmt: skip
_OWN = {
    "weight": "the sum of the weights that arrive, in on_spike",
    CURRENT: "the current of devices",
    STEP: "the time step",
    "t": "the time",
}
_LOCAL = frozenset(
    re.findall(
        r"\w+",
        """
    s d p y h in now free fired current free_at refractory refractory_steps above dt next move step rhs gain xi noise slope random
    math model npl std rng detail P rates held Vars Field Input Bound Matrix SpikeInput SaneRange Forbidden Gid Step sane_potential
    begin sigma sent name doc receptors takes_spikes current_ports input parameters state check derive tolerance n_ode n_variables sane advanced advance crossed fire finish
    accepted slopes exact drive conductance Exactly Own Start Channel Flows channels own set_own start near moved squared cubed per_exprel normal_of_step decay approach whole_steps exponential exp_propagator alpha_propagator
    due takes waiting settled_at last_spike binomial_of_step uniform_of_step
    """,
    )
)


# Units of parameters that have NEST's names, where none is given with the value.
_USUAL = {
    r"tau(_\w+)?|t_ref": "ms",
    r"E_(L|ex|in|rev|Na|K|Ca|GABA|AMPA|NMDA)|V_(th|reset|peak|rest)|Delta_T": "mV",
    r"C_m": "pF",
    r"g_L": "nS",
    r"I_e": "pA",
}


def usual_unit(name: str) -> str:
    """The unit of a parameter by its name; "" where the name says nothing."""
    return next((unit for pattern, unit in _USUAL.items() if re.fullmatch(pattern, name)), "")


def is_noise(name: str) -> bool:
    """Whether this is a source of white noise."""
    return name == NOISE or name.startswith(f"{NOISE}_")


def forbidden(name: str) -> str:
    """Why a variable, parameter or model may not have this name; "" when it may."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) or name.endswith("_") or "__" in name or len(name) > 60:
        return "names have letters, digits and single _ between them, begin with a letter and have at most 60 characters"
    if name in FUNCTIONS or name in EXPRESSION_SYMBOLS:
        return f"{name} is a {'function' if name in FUNCTIONS else 'unit'}"
    if is_noise(name):
        return f"{name} is white noise"
    if name in _OWN:
        return f"{name} is {_OWN[name]}"
    return ""


def cpp_name(name: str, words: frozenset[str] = _LOCAL) -> str:
    """What the user's name is called in C++: the same, unless the text of models uses it for something else, as `words` are."""
    return f"{name}_" if name in words or name in _CPP or re.fullmatch(r"k\d", name) or _TAKEN.fullmatch(name) else name


class Namer:
    """Makes names that differ from those of the user and from each other."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {cpp_name(name) for name in taken}

    def make(self, wish: str) -> str:
        """The wish, with a number behind it where it is taken."""
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name
