# SPDX-License-Identifier: Apache-2.0
"""The network: describe it, run it, read it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import hooks
from ..base.checks import to_bytes, to_number, to_vector, to_whole
from ..base.grid import Grid
from ..base.named import named_arguments
from ..base.progress import Poll, Progress, polling, shifted
from ..base.quantities import plain
from ..base.ranges import Ranges
from ..errors import bad_length, bad_parameter, bad_type, during_run
from ..parallel.exchanging import ByArea, Exchange, to_distribution, to_exchange
from ..parallel.ranks import default_threads, world
from ..results.streaming import Streams
from ..results.weight_record import WeightRecord
from ..space.expression import Term
from . import catalog
from .arguments import to_device, to_layer, to_named, to_ranks, to_rule, to_synapse
from .description import Description, edits_text
from .devices import Device, device_hint
from .distributions import Distribution, Value
from .elements import CALCIUM, set_elements
from .every import Calls, Every
from .growing import Growth
from .journal import kept_kernel
from .keeping import Keeping, to_keep
from .linking import WHOLE
from .nodes import Nodes
from .notes import new_notes, note_states
from .populations import Populations
from .projection import Projection
from .rules import Rule, all_to_all, rule_hint
from .summary import Projections, Summary
from .synapses import AnySynapse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..base.watching import Watch
    from ..checkpoint.periodic import Saver
    from ..plan.dry_running import DryRun
    from ..plan.plan import Plan
    from .population import GifPopulation
    from .tree import Tree

__all__ = ["Network"]

FEW_SLICES = True  # small networks have fewer slices than threads; False: tests of what slices have to do with each other
_NOTHING = nullcontext()
takes_no_rule_parameters = partial(named_arguments, hint=rule_hint)


class Network(Keeping):
    """A network of spiking neurons. Units: ms, mV, pA, nS, pF, spikes/s. Several networks can live side by side.

    Parameters
    ----------
    resolution : ms, length of a time step
    seed : whole number >= 0; the same seed gives the same spikes, whatever the threads
    threads : default: all cores this process may use
    block_size : most nodes that a thread updates together; 0: chosen, and small networks are left to fewer threads. Changes speed, never results.
    distribution : how neurons are dealt to ranks: "round_robin", "consecutive", "shuffled", `by_area(...)`, or an array with the rank of every node
    exchange : how spikes travel between ranks: the name of a strategy or `neuropil.exchange(...)`
    comm : communicator of mpi4py, such as MPI.COMM_WORLD or a part of it, whose ranks share this network; default: the ranks this program was
        launched with (mpiexec), else one
    ranks : the same as an object of the kernel
    count_intervals : keep what every interval took and moved, see `intervals`
    dry_run : `neuropil.dry_run(ranks=..., rank=...)`: build and run one rank of many alone, instead of `ranks`
    force : build and run also what will not fit into the memory there is; default: TooLarge is raised before anything is allocated, by the model
        of `plan`, and while running before recordings or spikes in flight use up the memory
    strict_weights : plastic weights beyond Wmax are refused; False: they are cut when they are first potentiated, as in NEST. A wrong sign is always refused
    sources_on_grid : plasticity onto neurons that spike between grid points takes spikes of sources at the ends of their steps, as in NEST;
        False: at their exact times. Spikes of targets are exact either way
    memory_limit : most bytes that the network may take on each rank, a number or a text such as "4GB"; default: what the machine has
    keep_calls : whether the calls that make the network, with their arrays, are kept for `reset`; default: up to 16 MB of arrays
    keep_sources : False forgets, on several ranks, what only `connections` and connecting after the first run need: less memory

    On several ranks every rank runs the same script. Collective (to be called by all ranks, which all get the whole result): build, run, drawing
    of node values, connecting with own targets (`explicit`), reading of recordings, connections, node parameters and counters. Raises BadParameter, UnknownName.
    """

    __slots__ = ()

    @named_arguments
    def __init__(
        self,
        resolution: float = 0.1,
        seed: int = 1,
        threads: int | None = None,
        block_size: int = 0,
        *,
        distribution: str | ByArea | ArrayLike = "round_robin",
        exchange: Exchange | str = "auto",
        ranks: Any = None,
        count_intervals: bool = False,
        keep_sources: bool = True,
        dry_run: DryRun | None = None,
        force: bool = False,
        memory_limit: float | str | None = None,
        strict_weights: bool = True,
        sources_on_grid: bool = False,
        keep_calls: bool | None = None,
        comm: Any = None,
    ) -> None:
        self._seed = to_whole("seed", seed)
        size = to_number("resolution", plain("resolution", resolution, "ms"))
        hook = hooks.current()
        dealt, rank_map = to_distribution(distribution)
        settings: dict[str, Any] = {
            "resolution": size,
            "seed": self._seed,
            "threads": default_threads() if threads is None else to_whole("threads", threads),
            "block_size": to_whole("block_size", block_size),
            "layout": "auto",
            "distribution": dealt,
            "rank_map": rank_map,
            "exchange": to_exchange(exchange),
            "count_intervals": bool(count_intervals),
            "keep_sources": bool(keep_sources),
            **to_ranks(dry_run, ranks, comm),
            "areas": list(distribution.shares.items()) if isinstance(distribution, ByArea) else [],
            "force": bool(force),
            "memory_limit": to_bytes("memory_limit", memory_limit),
            "strict_weights": bool(strict_weights),
            "sources_on_grid": bool(sources_on_grid),
            "adaptive_threads": True,
            "few_slices": FEW_SLICES,
        }
        if hook is not None:
            settings = hook.settings(settings)
        if settings["comm"] is None:
            settings["comm"] = world()
        self._begin(settings, keep_calls)
        if hook is not None:
            hook.made(self)

    def _begin(self, settings: dict[str, Any], keep_calls: bool | None) -> None:
        """An empty network."""
        self._comm, self._settings, self._loaded = settings["comm"], settings, False
        self._stored, self._extra = {}, {}
        self._kernel = kept_kernel(settings, keep_calls)
        self._grid = Grid(settings["resolution"])
        self._populations = Populations()
        self._streams = Streams(self)
        self._begins = {}
        self._draws = 0  # draws of node values so far: each has random numbers of its own
        self._projections = []
        self._edits = {}
        self._notes = new_notes()
        self._labels = {}  # of projections, and the numbers that stand for them in the kernel
        self._names: dict[str, Nodes] = {}
        self._calls = Calls(self)
        self._running = False
        self._marks = None
        self._beginnings = 0  # how often it has begun anew
        self._version = 0  # changes when connections are made, which may move those that were queried

    # --- describe

    def create(
        self,
        model: str | Tree | GifPopulation | catalog.Loadable,
        n: int | None = None,
        *,
        positions: Any = None,
        name: str = "",
        area: str = "",
        **params: Any,
    ) -> Nodes:
        """n neurons or devices of a model, default 1, with parameters and state given as one number, n numbers, a distribution or an expression.

        positions=grid((10, 10)), free(uniform(-0.5, 0.5), dims=2) or an array of shape (n, 2) or (n, 3): where they are; a grid and an array say
        how many there are. Then nodes.positions has them, and parameters may depend on them: V_m=-70.0 + 5.0 * npl.position.x.
        Array parameters of devices (spike_times, ...) take an array, the same for all n.
        model=tree(...): neurons with compartments; gif_population(...): populations as one node each; neuron(...), load_model(...): a model of one's own. "iaf_psc_exp_multisynapse[100]": a model with another shape, here 100 receptors.
        area="name": where they live with the distribution `by_area`; other distributions take no notice of it, results are the same bits.
        name="L4E": afterwards net["L4E"] gives these nodes, and `summary` calls them so; a name is given once.
        Raises UnknownName, BadParameter, BadLength, BadType, TooLarge; then nothing was created.
        """
        if not isinstance(model, str):
            model, params = to_named(model, params, self.resolution)
        catalog.refuse_recorder(model)
        if not isinstance(area, str):
            raise bad_type("area", area, "the name of an area")
        self._check_new("name", name, self._names)
        number = None if n is None else to_whole("n", n)
        known = catalog.devices().get(model)
        if entry := known or catalog.models().get(model):
            params = catalog.without_units([entry], params)
            catalog.refuse_texts(entry, params)
        vectors = {k: to_vector(k, v) for k, v in params.items() if known and k in known.vectors}
        growth = {k: params.pop(k) for k in (*CALCIUM, "synaptic_elements") if k in params}
        with self._drawing() as draw:
            layer = None if positions is None else to_layer(positions, number, draw)
            count = len(layer.positions) if layer is not None else 1 if number is None else number
            rest = {k: v for k, v in params.items() if k not in vectors}
            if any(isinstance(v, Term) for v in rest.values()):
                gids = np.arange(self.n_nodes + 1, self.n_nodes + 1 + count, dtype=np.int64)
                rest = draw.settled(rest, gids, None if layer is None else layer.part())
            draws = [(k, v.spec(), draw.number(k, v)) for k, v in rest.items() if isinstance(v, Distribution)]
            entries = [catalog.models()[model]] if model in catalog.models() else []
            values = {k: catalog.to_kernel(entries, k, to_vector(k, v)) for k, v in rest.items() if not isinstance(v, Distribution)}
            first = self._kernel.create(model, count, values, draws, area)
            try:
                if vectors:
                    self._kernel.set(np.arange(first, first + count), {}, vectors)
                if growth:
                    set_elements(self, Ranges.span(first, count), growth)
            except Exception:
                self._kernel.undo_create(first)
                raise
        self._populations.add(first, count, catalog.node_model(model), layer)
        made = Nodes(self, Ranges.span(first, count))
        if name:
            self._names[name] = made
        note_states(self._notes, self._populations, made._ranges, params)
        return made

    @takes_no_rule_parameters
    def connect(
        self,
        pre: Nodes,
        post: Nodes,
        rule: Rule | str | None = None,
        *,
        weight: Value | None = None,
        delay: Value | None = None,
        synapse: AnySynapse | None = None,
        receptor: int | str = 0,
        double_weights: bool = False,
        weight_recorder: WeightRecord | None = None,
        name: str = "",
        growth: Growth | None = None,
    ) -> Projection:
        """Connects nodes of pre to nodes of post by a rule; default all_to_all(). Returns the projection, which reads and changes its connections.

        Parameters
        ----------
        weight : pA, nS or mV, as the targets take it (`describe(model).weight_unit`): a number, a distribution, an array in the order of the
            rule, or an expression, e.g. of npl.distance; negative inhibits. Default: 1, with a warning where that is 1 pA
        delay : ms, likewise, at least one step, 1 ms by default; one number must be a multiple of the resolution, drawn delays and arrays are
            rounded. Connections of models without delay (gap_junction) take none
        synapse : static() by default, stdp(...), stdp_pl_hom(...), synapse_model(...), or the name of a model
        receptor : for models whose receptors are chosen: its name, or its number from 1
        double_weights : store a float64 per synapse (else float32, or nothing when all weights are equal)
        weight_recorder : from `record_weights`: notes the weight of every spike that these synapses send
        name : given once; `net.projections[name]` finds them. Connections with a name are stored apart, so few names are faster than many
        growth : from `grow`: these connections take elements of their ends, and go with them, as those that have grown

        Rules with masks and expressions, and expressions as values, look at positions of `create`; on several ranks these calls are collective.
        Raises UnknownName, BadParameter, BadDelay, BadLength, IllegalConnection, ForeignNodes, NoPositions, TooLarge; then nothing was connected.
        """
        given = (to_rule(rule), weight, self._delay(synapse, delay), synapse, receptor, double_weights)
        return self._project(pre, post, pre, post, given, weight_recorder, name, self._growth_label(growth))

    @takes_no_rule_parameters
    def connect_tripartite(
        self,
        pre: Nodes,
        post: Nodes,
        third: Nodes,
        rule: Rule | str | None = None,
        *,
        p: float = 1.0,
        pool_size: int = 1,
        pool: str = "random",
        primary: Mapping[str, Any] | None = None,
        third_in: Mapping[str, Any] | None = None,
        third_out: Mapping[str, Any] | None = None,
    ) -> tuple[Projection, Projection, Projection]:
        """Connects pre to post by a rule; each of these connections has, with probability p, a third node (an astrocyte).

        The source connects to it, too, and it to the target. Returns three projections: pre to post, pre to third, third to post. On
        several ranks collective.

        Parameters
        ----------
        pool_size, pool : third nodes of a target are drawn from so many: "random": ones that are drawn for it, "block": those in its place
        primary, third_in, third_out : dicts with weight, delay, synapse, receptor, double_weights, name of the three, as of `connect`; no arrays

        Raises as `connect`; then nothing was connected.
        """
        parts = {"primary": primary, "third_in": third_in, "third_out": third_out}
        from .tripartite import connect_tripartite

        return connect_tripartite(self, (pre, post, third), rule, (p, pool_size, pool), parts)

    @named_arguments
    def connect_gids(
        self,
        sources: ArrayLike,
        targets: ArrayLike,
        *,
        weight: Value | None = None,
        delay: Value | None = None,
        synapse: AnySynapse | None = None,
        receptor: int | str = 0,
        double_weights: bool = False,
        weight_recorder: WeightRecord | None = None,
        name: str = "",
    ) -> Projection:
        """Connects sources[i] to targets[i]: arrays (or Nodes) of gids, both of shape (n,), repeats allowed.

        By positions in two populations instead: `connect(pre, post, neuropil.explicit(sources, targets))`.
        `weight`, `delay`: as in `connect`; arrays have shape (n,). Raises BadParameter for gids that do not exist, and as `connect`.
        """
        pairs = [self._gids(what, value) for what, value in (("sources", sources), ("targets", targets))]
        if len(pairs[0]) != len(pairs[1]):
            raise bad_length("targets", len(pairs[1]), len(pairs[0]))
        (pre, source), (post, target) = (self._around(gids) for gids in pairs)
        rule = Rule("explicit", {"sources": source, "targets": target})
        ends = [Nodes(self, Ranges.of(np.unique(gids))) for gids in pairs]
        given = (rule, weight, self._delay(synapse, delay), synapse, receptor, double_weights)
        return self._project(ends[0], ends[1], pre, post, given, weight_recorder, name)

    def connect_arrays(self, *args: Any, **options: Any) -> Projection:
        """Former name of `connect_gids`, which goes with version 0.4."""
        warnings.warn("Network.connect_arrays is now connect_gids", DeprecationWarning, stacklevel=2)
        return self.connect_gids(*args, **options)

    @partial(named_arguments, hint=device_hint)
    def stimulate(
        self,
        targets: Nodes,
        device: Device | str,
        *,
        weight: Value | None = None,
        delay: Value = 1.0,
        receptor: int | str = 0,
        name: str = "",
    ) -> Projection:
        """Creates a device, e.g. poisson(rate=8000.0) or device("ac_generator", amplitude=50.0), and connects it to all targets.

        Returns the projection: `p.weight`, `p.delay` can be read and set, `p.pre` is the device, whose parameters can be changed: p.pre.rate = 9000.0.
        `name`: of the projection, as of `connect`.
        `weight`: pA, nS or mV of spikes, as the targets take it, factor of currents; `delay`: ms; numbers, distributions or arrays of shape (len(targets),).
        Raises as `create` and `connect`; then nothing has changed.
        """
        device, mark = to_device(device), self._label_number(name)
        delay = plain("delay", delay, "ms")
        if isinstance(delay, int | float):
            self._grid.check_delay(delay)
        self._check_mine("targets", targets)
        draws = self._draws
        node = self.create(device.name, **device.parameters)
        try:
            weight = self._weight(weight, node, targets, None, 4)
            port, number = self._link(node, targets, (all_to_all(), weight, delay, None, receptor, False), mark, None, WHOLE)
        except BaseException:
            self._kernel.undo_create(int(node.gids[0]))
            self._populations.drop_last()
            self._draws = draws
            raise
        return self._note(node, targets, all_to_all(), (weight, delay, to_synapse(None), port), (name, mark, number))

    # --- build and run

    @named_arguments
    def relax_waveforms(
        self, used: bool = True, *, tolerance: float = 1e-4, interval: float = 1.0, most_iterations: int = 15, order: int = 3
    ) -> None:
        """How connections without delay (gap_junction, rate_connection_instantaneous, diffusion_connection) are served.

        By waveform relaxation (Hahne et al. 2015, 2017): parts of `interval` ms, or of the shortest delay if that is shorter, are simulated
        again and again, each time with the course that the values had before, until none differs by more than `tolerance` (in its unit), at
        most so many times. order: of the polynomial that potentials follow within a step, 0, 1 or 3. used=False: values arrive one step late.
        Raises BadParameter.
        """
        self._kernel.set_waveform(
            bool(used),
            to_number("wfr_tol", tolerance),
            to_number("wfr_comm_interval", interval),
            to_whole("wfr_max_iterations", most_iterations),
            to_whole("wfr_interpolation_order", order),
        )

    @named_arguments
    def plan(self, *, ranks: int | None = None, threads: int | None = None, rate: float = 0.0, time: float = 0.0) -> Plan:
        """Memory and time that building what was described will take on a rank, by a model; nothing is allocated.

        With `ranks` or `threads`: as if the network, not yet built, were on so many ranks of so many threads each, all with equal shares.
        `rate`, `time`: spikes/s of a neuron and ms, for what grows while it runs (recordings, spikes in flight).
        """
        machine: dict[str, Any] = {"rate": to_number("rate", rate), "time": to_number("time", time)}
        if ranks is not None:
            machine["ranks"] = to_whole("ranks", ranks)
        if threads is not None:
            machine["threads"] = to_whole("threads", threads)
        for name, value in machine.items():
            if value < (1 if name in ("ranks", "threads") else 0):
                raise bad_parameter(name, value, "at least 1" if name in ("ranks", "threads") else "at least 0")
        here = ranks is None and threads is None and not rate and not time
        found = self._kernel.plan() if here else self._kernel.plan_on(machine)
        ranks, threads = machine.get("ranks", self.n_ranks), machine.get("threads", self.threads)
        synapses = found["counts"].get("synapses", 0.0)
        from ..plan.plan import Plan

        rest = (found[name] for name in ("counts", "work", "limits"))
        return Plan(self.n_nodes, synapses, found["bytes"], float(_core.available_memory()), ranks, threads, *rest)

    @named_arguments
    def run(
        self,
        duration: float | None = None,
        progress: Progress = None,
        *,
        until: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float | None = None,
        keep: int = 2,
    ) -> None:
        """Simulates `duration` ms, or until the biological time `until` (ms): a non-negative multiple of the resolution.

        `checkpoint`: a file to which the network is saved at each multiple of `checkpoint_every` (ms) of biological time, with `extra`, see `save`; the
        last `keep` are kept. On one rank it is written while the network runs on; functions of `every` and the end of the run wait for it, and raise
        BadCheckpoint when it could not be written. A process that is told to end (SIGTERM) saves there, too, and ends with exit code 75. A run that was
        interrupted goes on with `neuropil.load(file).run(until=...)`, or with the command `neuropil checkpoint resume file`.

        `progress`: None shows a bar on terminals and in notebooks when it takes longer than 2 s; True, False: always, never; a function is called with
        (phase, done, total) about every 50 ms. Ctrl-C (KeyboardInterrupt), or an exception of that function, stops at the end of
        the interval; the network stays usable and can run on. Of several ranks all stop after the same step, and those that were not
        interrupted raise RankError. Collective.

        Raises NumericalInstability when a neuron's state is not finite or beyond all sane values (looked at every ms and at the end), TooLarge
        when recordings or spikes in flight have used up the memory (see `memory_limit`). All ranks end after the same step; recordings can be read.
        """
        if (duration is None) == (until is None):
            raise bad_parameter("duration", duration, "given alone, or left out with `until` given")
        if until is not None:
            left = self._grid.steps("until", until) - self._kernel.step
            if left < 0:
                raise bad_parameter("until", until, f"at least the present time, {self.time:g} ms")
            duration = self._grid.time(left)
        assert duration is not None
        if self._running:
            raise during_run("run")
        hook = hooks.current()
        steps = self._grid.steps("duration", duration if hook is None else hook.running(self, duration))
        if checkpoint is None and hook is not None and hook.checkpoint is not None:
            checkpoint, checkpoint_every = hook.checkpoint
        self._running = True
        self._mark()
        try:
            saver = self._saver(steps, checkpoint, checkpoint_every, keep)
            with polling(progress, self.rank, "simulating") as poll, _NOTHING if saver is None else saver.saving(poll):
                self._run_pieces(steps, hooks.watched(poll, self.rank), saver, None if hook is None else hook.watch)
        finally:
            self._running = False
        if hook is not None:
            hook.ran(self)

    def _run_pieces(self, steps: int, poll: Poll, saver: Saver | None, watch: Watch | None) -> None:
        """Runs; between, calls the functions of `every`, saves and tells how far it is."""
        kernel = self._kernel
        kernel.build(poll)  # apart, so that Ctrl-C while building does not start the run
        if not self._calls and saver is None and watch is None:
            changes = kernel.growth_changes
            self._streams.run(steps, poll)
            if changes != kernel.growth_changes:
                self._version += 1
            return
        run = self._streams.run if saver is None else saver.run
        begin = now = kernel.step
        end = begin + steps
        while True:
            until = self._calls.next(now, end if saver is None else saver.next(now, end))
            if watch is not None:
                until = watch.next(self, until)
            changes = kernel.growth_changes
            run(until - now, poll if until - now == steps else shifted(poll, now - begin, steps))
            if changes != kernel.growth_changes:
                self._version += 1
            now = kernel.step
            due = self._calls.due(now) if begin < now == until else []
            if due and saver is not None:
                saver.wait(poll)  # what functions see and save comes after it
            for call in due:
                call.function(self)
                if not kernel.up_to_date:
                    kernel.build(poll)
            if saver is not None:
                saver.after(poll, moved=until > begin)
            if watch is not None:
                watch.after(self, begin, end)
            if until == end:
                return

    def _saver(self, steps: int, path: str | PathLike[str] | None, every: float | None, keep: int) -> Saver | None:
        if path is None:
            if every is not None:
                raise bad_parameter("checkpoint_every", every, "left out without `checkpoint`, the file to save to")
            return None
        if self._kernel.dry:  # a rank that is played alone has no checkpoint
            return None
        from ..checkpoint.periodic import Saver

        between = None if every is None else self._grid.steps("checkpoint_every", every, at_least=1)
        return Saver(self, path, between, to_keep(keep), self._kernel.step + steps)

    @named_arguments
    def every(self, interval: float, function: Callable[[Network], object]) -> Every:
        """Calls `function(net)` at each multiple of `interval` (ms) of biological time while the network runs, also at the end of a run.

        The times do not depend on how long calls of `run` are, nor on ranks and threads, so what the function changes is reproducible. It may read
        and change the network, but not run it. Several are called in the order in which they were given. On several ranks all give the same.
        An error of the function ends the run there. Returns a handle with `cancel()`. Raises BadParameter, BadType.
        """
        steps = self._grid.steps("interval", interval, at_least=1)
        if not callable(function):
            raise bad_type("function", function, "a function that takes the network")
        return self._calls.add(self._grid.time(steps), steps, function)

    # --- read

    @property
    def projections(self) -> Projections:
        """What each call of `connect`, `connect_gids` and `stimulate` made, in order: by position, or by name."""
        return Projections(self._projections)

    def summary(self) -> Summary:
        """Populations and projections as a table: text in a terminal, HTML in a notebook. Builds nothing."""
        named = [(self.name_of(nodes), nodes) for nodes in self.populations]
        return Summary(repr(self)[1:-1], named, self.projections, edits_text(self))

    @named_arguments
    def draw(self, *, devices: bool = True, ax: Axes | None = None) -> Axes:
        """A picture: populations as boxes, projections as arrows by number of synapses and sign, see `neuropil.plot.network`. Builds nothing."""
        from ..analysis import plot

        return plot.network(self, devices=devices, ax=ax)

    def describe(self) -> Description:
        """The network for the Methods section of a paper: a paragraph and tables (Nordlie et al. 2009), as text, Markdown and LaTeX.

        Parameters are those of now. Builds nothing. Collective.
        """
        return Description(self)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def __repr__(self) -> str:
        from ..plan.plan import count_text

        return (
            f"<Network: {self.n_nodes} nodes in {len(self._populations)} populations, {count_text(self.n_connections)} connections, "
            f"t = {self.time:g} ms, {self.threads} threads"
            + (f", {'dry run of ' if self._kernel.dry else ''}rank {self.rank} of {self.n_ranks}>" if self.n_ranks > 1 else ">")
        )

    # --- helpers

    def _reseed(self, seed: int) -> None:
        """Another seed for what is drawn from now on; generators that are connected keep their spike trains once the network was built."""
        self._kernel.set_seed(seed)
        self._seed = seed

    def _around(self, gids: NDArray[np.int64]) -> tuple[Nodes, NDArray[np.int64]]:
        """Whole populations that hold the gids, as Nodes, and the position of each gid in them: no sorting of many gids."""
        population = self._populations.index(gids)
        rows = self._populations.rows()
        base = np.zeros(len(rows), np.int64)
        used, total = [], 0
        for p in np.unique(population).tolist():
            first, count, _ = rows[p]
            base[p], total = total - first, total + count
            used.append(Ranges.span(first, count).table)
        return Nodes(self, Ranges.joined(used)), gids + base[population]
