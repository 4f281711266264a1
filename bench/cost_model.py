# SPDX-License-Identifier: Apache-2.0
"""A MODEL of spike exchange on many ranks: messages, bytes and rounds by the formulas of docs/concepts/exchange.md, and times from them.

Counts are checked against what the kernel counts (tests/python/test_cost_model.py). Times are latency, cost of a message, bandwidth and
nothing else: no contention, no imbalance, no noise. Everything is per rank and interval. Pure functions; lengths in bytes, times in s.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

HEADER, RECORD, FIRST_BUFFER = 8, 16, 64  # bytes: of a block, of a record, of the smallest buffer
# hpc_benchmark: share of the sources, and shares of the targets in each of the tables of synapses that hold these sources (E: STDP to E,
# static to I; I: static to all).
TABLES = ((0.8, (0.8, 0.2)), (0.2, (1.0,)))


@dataclass(frozen=True)
class Network:
    """A random network with fixed in-degree, dealt evenly. `neurons`: per rank; `interval`: ms; `rate`: spikes/s; `threads`: per rank."""

    ranks: int
    neurons: float
    indegree: float
    rate: float
    interval: float = 1.5
    threads: int = 1
    regime: str = "dense"
    resolution: float = 0.1
    ranks_per_node: int = 1

    @property
    def spikes(self) -> float:
        """Spikes of one rank in one interval."""
        return self.neurons * self.rate * self.interval * 1e-3


def reached(net: Network, share: float, targets: float) -> float:
    """Probability that a source (of a population of `share` of all) has a synapse in a group of `targets` neurons, with multapses."""
    sources = share * net.ranks * net.neurons
    draws = share * net.indegree * targets
    return -math.expm1(draws * math.log1p(-1.0 / sources)) if sources > 1 else 1.0


def routes_per_source(net: Network) -> float:
    """Words that one spike becomes: dense, one per other rank with targets; sparse, one per row (thread and table) on other ranks."""
    if net.regime == "dense":
        return (net.ranks - 1) * sum(share * reached(net, share, net.neurons) for share, _ in TABLES)
    rows = sum(share * reached(net, share, part * net.neurons / net.threads) for share, parts in TABLES for part in parts)
    return (net.ranks - 1) * net.threads * rows


def partner_share(net: Network) -> float:
    """Share of the other ranks that hold targets of any of this rank's neurons."""
    quiet = math.prod((1.0 - reached(net, share, net.neurons)) ** (share * net.neurons) for share, _ in TABLES)
    return 1.0 - quiet


def addresses_per_pair(net: Network) -> float:
    """What one rank wants of one other: sources (dense) or rows (sparse)."""
    return net.neurons * routes_per_source(net) / max(net.ranks - 1, 1)


def routing_bytes(net: Network) -> float:
    """Memory of the presynaptic tier: 8 B per source; per route the distance to the next destination and the address, 7 bits a byte; what
    addresses mean, a number per sender and table; in the dense regime also the tables from numbers of sources to rows."""
    routes, most = routes_per_source(net), addresses_per_pair(net)
    near = min(reached(net, 1.0, net.neurons), 1.0)  # probability that the next rank is a destination
    gap = sum((1.0 - near) ** (2.0 ** (7 * k) - 1) for k in range(1, 4))
    address = sum(max(0.0, 1.0 - 2.0 ** (7 * k) / most) for k in range(1, 4)) if most > 0 else 0.0
    parts = 1 if net.regime == "dense" else net.threads * sum(len(parts) for _, parts in TABLES)
    senders = partner_share(net) * (net.ranks - 1)
    counts = senders * parts * (1.0 + max(0.0, min(1.0, most / parts / 128.0 - 0.5)))
    book = counts + math.ceil(senders / 64.0) * (8.0 + 4.0 * parts) + 8.0 * parts
    total = 8.0 * (net.neurons + 1) + net.neurons * routes * (2.0 + gap + address) + book
    return total + (index_bytes(net) if net.regime == "dense" else order_bytes(net))


def is_counted(net: Network, share: float, part: float) -> bool:
    """Are the rows of a table by gid, not by rank? Those with more than 4 synapses per possible source are."""
    return 4.0 * share * net.ranks * net.neurons <= share * net.indegree * part * net.neurons / net.threads


def rows_of(net: Network, share: float, part: float) -> float:
    return share * net.ranks * net.neurons * reached(net, share, part * net.neurons / net.threads)


def order_bytes(net: Network) -> float:
    """Sparse regime: 4 B per row of the tables whose rows are by gid."""
    return net.threads * sum(4.0 * rows_of(net, share, part) for share, parts in TABLES for part in parts if is_counted(net, share, part))


def list_bytes(n: float, span: float) -> float:
    """A list of n numbers of a range (source_list.hpp): 16 B per 64 numbers, or low bytes, a bit per number and bucket, a sample of buckets."""
    buckets = {width: math.floor(span / 256.0**width) + 1.0 for width in (1, 2, 4)}
    return min(16.0 * math.ceil(span / 64.0), *(n * width + (n + b) / 8.0 + b / 4.0 for width, b in buckets.items()))


def index_bytes(net: Network) -> float:
    """Per thread and table of synapses a list of the numbers of its sources; rows that are by gid are not in order of numbers: 4 B each."""
    addresses = sum(share * net.ranks * net.neurons * reached(net, share, net.neurons) for share, _ in TABLES)
    tables = [(rows_of(net, share, part), is_counted(net, share, part)) for share, parts in TABLES for part in parts]
    return net.threads * sum(list_bytes(rows, addresses) + 4.0 * rows * counted for rows, counted in tables)


def word_bytes(net: Network, directed: bool = True) -> int:
    """2, 4 or 8: what holds an address (of allgather: the number of a source, or its gid) and the step within the interval."""
    lag = (max(round(net.interval / net.resolution), 1) - 1).bit_length()
    mean = addresses_per_pair(net)
    pair = mean + 4.0 * math.sqrt(mean)  # of the pair of ranks that needs most
    if int(pair if directed else net.neurons).bit_length() + lag <= 16:
        return 2
    most = pair if directed else net.ranks * net.neurons
    return 4 if int(most).bit_length() + lag <= 32 else 8


def poisson_most(mean: float, draws: float) -> float:
    """About the largest of so many Poisson numbers."""
    if mean <= 0:
        return 0.0
    if mean > 2000:
        return mean + math.sqrt(2.0 * mean * math.log(max(draws, 2.0)))
    x = math.floor(mean)
    while True:
        x += 1
        tail = math.exp(x * math.log(mean) - mean - math.lgamma(x + 1)) / (1.0 - mean / (x + 1))
        if draws * tail < 0.5:
            return float(x - 1)


def capacity(most: float, word: int) -> float:
    """Words of a buffer of fixed size: 64 bytes, or 5/4 of the largest load."""
    first = FIRST_BUFFER // word
    return float(first) if most <= first else math.floor(most) + math.floor(most) // 4


@dataclass(frozen=True)
class Load:
    """What one rank has to send in one interval."""

    ranks: int
    partners: float  # k: destinations, and as many sources
    active: float  # a: destinations with words
    words: float  # s, to all destinations together
    spikes: float  # words of allgather
    word: int = 4
    gid_word: int = 4
    most_pair: float = 0.0  # the most words any rank has for any one
    most_own: float = 0.0  # the most spikes any rank has
    usual_most: float = 0.0  # the most words of one pair in some intervals
    ranks_per_node: int = 1


def load(net: Network, spikes: float | None = None) -> Load:
    """Expected load; `spikes` of one rank and interval instead of those by the rate. Assumes that spikes are independent."""
    s = net.spikes if spikes is None else spikes
    share, per_spike = partner_share(net), routes_per_source(net)
    others = net.ranks - 1
    one = reached(net, 1.0, net.neurons)  # probability that a spike is for a given other rank
    idle = math.exp(-s * one) if spikes is None else (1.0 - one) ** s
    pair = s * per_spike / others if others else 0.0
    return Load(
        net.ranks, share * others, others * (1.0 - idle), s * per_spike, s, word_bytes(net), word_bytes(net, False),
        poisson_most(pair, float(net.ranks) * others), poisson_most(s, net.ranks), poisson_most(pair, 64), net.ranks_per_node,
    )  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """`messages`, `bytes`, `rounds` as the kernel counts them; `memory`: of buffers; `wire`: point-to-point messages that leave this rank."""

    messages: float
    bytes: float
    rounds: float
    memory: float
    wire: float


def allgather(x: Load) -> Cost:
    block = HEADER + capacity(x.most_own, x.gid_word) * x.gid_word
    return Cost(1, block, 0, (x.ranks + 1) * block, math.ceil(math.log2(x.ranks)))


def alltoall(x: Load) -> Cost:
    block = HEADER + capacity(x.most_pair, x.word) * x.word
    return Cost(1, (x.ranks - 1) * block, 0, 2 * x.ranks * block, x.ranks - 1)


def alltoallv(x: Load) -> Cost:
    data = x.words * x.word
    return Cost(2, 4 * (x.ranks - 1) + data, 0, 24 * x.ranks + data, 2 * (x.ranks - 1))


def neighbor(x: Load) -> Cost:
    data = x.words * x.word
    return Cost(2, 4 * x.partners + data, 0, 40 * x.partners + data, x.partners + x.active)


def persistent(x: Load) -> Cost:
    block = HEADER + capacity(x.usual_most, x.word) * x.word
    return Cost(x.partners, x.partners * block, 0, 2 * x.partners * block, x.partners)


def multisend(x: Load) -> Cost:
    return Cost(x.words, x.words * x.word, 1, x.words * (x.word + 8), x.words)


def multisend_aggregated(x: Load) -> Cost:
    return Cost(x.active, x.words * x.word, 1, x.words * x.word + 8 * x.active, x.active)


def nbx(x: Load) -> Cost:
    return multisend_aggregated(x)


def nbx_two_phases(x: Load) -> Cost:
    """By way of a grid of ceil(sqrt(ranks)) columns, taken as full: along the row, then along the column."""
    columns = math.ceil(math.sqrt(x.ranks))
    rows = x.ranks / columns
    idle = 1.0 - x.active / (x.ranks - 1)
    messages = (columns - 1) * (1.0 - idle**rows) + (rows - 1) * (1.0 - idle**columns)
    hops = ((columns - 1) * rows + (rows - 1) * columns) / (x.ranks - 1)
    data = hops * (x.words * x.word + RECORD * x.active)
    return Cost(messages, data, 2, 2 * data, messages)


def shared(x: Load) -> Cost:
    """Mean over the ranks of a node, of which the leader alone sends."""
    q = x.ranks_per_node
    nodes, off = x.ranks / q, (x.ranks - q) / (x.ranks - 1)
    idle = 1.0 - x.active / (x.ranks - 1)
    messages = (nodes - 1) * (1.0 - idle ** (q * q)) / q
    records = x.words * x.word + RECORD * x.active
    return Cost(messages, off * records, 1 if nodes == 1 else 3, 4 * records, messages)


COSTS: dict[str, Callable[[Load], Cost]] = {
    "allgather": allgather, "alltoall": alltoall, "alltoallv": alltoallv, "neighbor": neighbor, "persistent": persistent,
    "multisend": multisend, "multisend_aggregated": multisend_aggregated, "nbx": nbx, "nbx, two phases": nbx_two_phases, "shared": shared,
}  # fmt: skip


@dataclass(frozen=True)
class Interconnect:
    """What messages cost. Given, not measured, unless `measured` says so."""

    name: str
    latency: float = 1.5e-6  # s, of a small message between nodes
    message: float = 0.3e-6  # s, of a rank for each message it sends and receives
    bandwidth: float = 25e9  # bytes/s of a node, shared by its ranks
    copy: float = 8e9  # bytes/s of a rank that copies within its node
    sync: float = 1e-6  # s, of a node's ranks through shared memory
    lookup: float = 5e-9  # s per word to find out whether it is wanted (allgather)
    record: float = 10e-9  # s per record that is passed on (two phases, shared)
    measured: bool = False


CLUSTER = Interconnect("cluster, 200 Gbit/s per node (assumed)")


def seconds(name: str, x: Load, net: Interconnect = CLUSTER) -> float:
    """Modelled time of one exchange."""
    cost, log = COSTS[name](x), math.ceil(math.log2(max(x.ranks, 2)))
    own_share = net.bandwidth / x.ranks_per_node
    data = cost.bytes / own_share
    barrier, allreduce, each = log * net.latency, 2 * log * net.latency, net.message
    if name == "allgather":
        return barrier + (x.ranks - 1) * (data + x.spikes * net.lookup)
    if name == "alltoall":
        return _alltoall(x.ranks, cost.bytes / (x.ranks - 1), own_share, log, net)
    if name == "alltoallv":
        return _alltoall(x.ranks, 4, own_share, log, net) + net.latency + (x.ranks - 1) * each + data
    if name == "neighbor":
        return 2 * (net.latency + x.partners * each) + data
    if name == "persistent":
        return net.latency + cost.messages * each + data
    if name in ("multisend", "multisend_aggregated"):
        return net.latency + cost.messages * each + data + allreduce
    if name == "shared":
        return _shared(x, cost, net, barrier)
    # nbx: synchronous sends, so that every message is acknowledged
    if name == "nbx":
        return 2 * net.latency + barrier + 2 * cost.messages * each + data
    return 2 * (2 * net.latency + barrier + x.active * net.record) + 2 * cost.messages * each + data + 2 * cost.bytes / net.copy


def _alltoall(ranks: int, block: float, bandwidth: float, log: int, net: Interconnect) -> float:
    """The better of two algorithms of MPI libraries: all pairs, or log2(ranks) messages of half of all blocks (Bruck)."""
    pairs = net.latency + (ranks - 1) * (net.message + block / bandwidth)
    half = 0.5 * ranks * block
    return min(pairs, log * (net.latency + net.message + half / bandwidth + half / net.copy))


def _shared(x: Load, cost: Cost, net: Interconnect, barrier: float) -> float:
    q = x.ranks_per_node
    inside = 2 * (x.words * x.word + RECORD * x.active) / net.copy + cost.rounds * net.sync + q * x.active * net.record
    if q >= x.ranks:
        return inside
    return inside + 2 * net.latency + 2 * cost.messages * q * net.message + q * cost.bytes * (1 / net.bandwidth + 2 / net.copy) + barrier


# Regimes for the tables: a full network of Jordan et al. 2018 (section 3.5.1), the same with the shortest delay, and one with few synapses.
REGIMES = {
    "brain scale": Network(64, 18_000, 11_250, 7.5, 1.5, 8, ranks_per_node=1),
    "brain scale, delay 0.1 ms": Network(64, 18_000, 11_250, 7.5, 0.1, 8, ranks_per_node=1),
    "8 ranks per node": Network(64, 2250, 11_250, 7.5, 1.5, 1, ranks_per_node=8),
    "few synapses, low rate": Network(64, 1000, 1000, 1.0, 1.0, 1, ranks_per_node=8),
}
RANKS = (64, 512, 4096, 16_384, 32_768, 65_536, 131_072)


def at(net: Network, ranks: int) -> Network:
    """Weak scaling: the same neurons per rank on other ranks; in-degree at most what there are neurons."""
    return replace(net, ranks=ranks, indegree=min(net.indegree, 0.5 * ranks * net.neurons))


def times(net: Network, interconnect: Interconnect = CLUSTER) -> dict[str, float]:
    """Modelled seconds of one exchange by strategy."""
    x = load(net)
    return {name: seconds(name, x, interconnect) for name in COSTS}


def winner(net: Network, interconnect: Interconnect = CLUSTER) -> tuple[str, float]:
    """The strategy of the least modelled time, and that time."""
    found = times(net, interconnect)
    best = min(found, key=found.__getitem__)
    return best, found[best]


def two_phases_from(net: Network, interconnect: Interconnect = CLUSTER) -> str:
    """Ranks, as powers of 2 from 64 to 131 072, on which two phases have the least modelled time."""
    won = [2**k for k in range(6, 18) if winner(at(net, 2**k), interconnect)[0] == "nbx, two phases"]
    return f"{won[0]} to {won[-1]}" if won else "none"
