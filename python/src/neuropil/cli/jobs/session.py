# SPDX-License-Identifier: Apache-2.0
"""The course of a job: build, warm up, run, report; with bars on the terminal and files in the output folder."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

import neuropil
from neuropil.cli import json_output
from neuropil.cli.jobs import looking, result
from neuropil.cli.jobs.keep import Keep
from neuropil.cli.jobs.statistics import Activity, by_population
from neuropil.cli.jobs.watching import watched
from neuropil.errors import bad_parameter
from neuropil.parallel.ranks import default_threads, launched, rank
from neuropil.plan.plan import count_text, size_text

if TYPE_CHECKING:
    import numpy as np

Reference = Mapping[str, Mapping[str, float]]  # quantity ("rate", "cv_isi") -> population -> published value


class Session:
    """One run of a job. Order of calls: build (or building), run, finish."""

    def __init__(
        self,
        job: str,
        output: Path,
        *,
        seed: int,
        threads: int | None,
        duration: float,
        warmup: float,
        resolution: float,
        exchange: str = "auto",
        distribution: str = "round_robin",
        keep: Keep | None = None,
        as_json: bool = False,
        report: bool = False,
        status: bool = False,
    ) -> None:
        self.job, self.output, self.keep = job, Path(output), keep or Keep()
        self.seed, self.threads = seed, threads or default_threads()
        self.exchange, self.distribution = exchange, distribution
        self.duration, self.warmup, self.resolution = duration, warmup, resolution
        self.seconds = {"build": 0.0, "init": 0.0, "sim": 0.0}
        self.machine = result.machine()  # now: the load is that of others
        self.first = not launched() or rank() == 0  # the rank that speaks and writes
        self.as_json, self.report, self.status = as_json, report, status
        self.console = Console(quiet=not self.first, stderr=as_json)
        self.resumed: float | None = None  # ms, of the checkpoint that it goes on from
        if self.first:
            self.output.mkdir(parents=True, exist_ok=True)
            if self.keep.folder is not None:
                self.keep.folder.mkdir(parents=True, exist_ok=True)

    def watched(self) -> AbstractContextManager[None]:
        """With --status: the networks of the block tell how far they are."""
        return watched(self.output, self.job, self.warmup + self.duration) if self.status else nullcontext()

    def say(self, text: str) -> None:
        """Prints a line; on the first rank alone."""
        self.console.print(text, highlight=False)

    def build(
        self, parameters: dict[str, Any], make: "Callable[[neuropil.Network], Mapping[str, neuropil.Nodes]]"
    ) -> dict[str, "neuropil.Nodes"]:
        """The populations of the network that `make` describes, or of the checkpoint that the job goes on from. `parameters`: of the network."""
        file = self.keep.file
        about = {"job": self.job, "seed": self.seed, "warmup": self.warmup, "parameters": parameters}
        if file is not None and self.keep.resume and file.exists():
            return self._resume(file, about)
        with self.building() as net:
            populations = dict(make(net))
        net.extra = {"about": about, "populations": populations}
        return populations

    def _resume(self, file: Path, about: dict[str, Any]) -> dict[str, "neuropil.Nodes"]:
        """Raises BadParameter for the checkpoint of another job."""
        begin = time.perf_counter()
        self.net = neuropil.load(file, threads=self.threads, exchange=self.exchange, distribution=self.distribution)
        self._done("loading", begin, f"{count_text(self.net.n_connections)} synapses, {self.net.time:g} ms were simulated")
        found = self.net.extra.get("about")
        if found != about:
            raise bad_parameter("checkpoint", str(file), f"one of this job with these options; it is of {found}")
        self.resumed, self.seconds["build"] = self.net.time, time.perf_counter() - begin
        populations: dict[str, neuropil.Nodes] = self.net.extra["populations"]
        return populations

    @contextmanager
    def building(self) -> Iterator["neuropil.Network"]:
        """A new network; what was described in the block is built at its end."""
        begin = time.perf_counter()
        self.net = neuropil.Network(
            resolution=self.resolution, seed=self.seed, threads=self.threads, exchange=self.exchange, distribution=self.distribution
        )
        yield self.net
        self.net.build()
        text = f"{count_text(self.net.n_connections)} synapses, {result.peak_rss() / 1e9:.2f} GB"
        self.seconds["build"] = self._done("building", begin, text)

    def run(self, populations: Mapping[str, "neuropil.Nodes"]) -> None:
        """Warm up, then simulate and record all spikes of the populations (each with consecutive gids)."""
        self.nodes = populations
        self.populations = {name: (int(nodes[0].gids[0]), len(nodes)) for name, nodes in populations.items()}
        extra = self.net.extra
        if self.warmup and self.net.time < self.warmup:
            self.seconds["init"] = self._advance("warming up", self.warmup)
        if "spikes" not in extra:
            extra["spikes"] = self.net.record(sum(list(populations.values())[1:], start=next(iter(populations.values()))))
        if self.report and "traces" not in extra:
            extra["traces"] = looking.record_traces(self.net, populations, self.duration)
        self.recorder = extra["spikes"]
        self.seconds["sim"] = self._advance("simulating", self.warmup + self.duration)

    def _advance(self, label: str, until: float) -> float:
        milliseconds, begin = until - self.net.time, time.perf_counter()
        every = None if self.keep.file is None else self.keep.every
        self.net.run(until=until, checkpoint=self.keep.file, checkpoint_every=every)
        seconds = time.perf_counter() - begin
        self._done(label, begin, f"{milliseconds:g} ms, real-time factor {1e3 * seconds / max(milliseconds, 1e-9):.2f}")
        return seconds

    def _done(self, label: str, begin: float, text: str) -> float:
        """Says what was done since `begin`; the seconds that it took."""
        seconds = time.perf_counter() - begin
        self.say(f"{label:12}{seconds:8.2f} s  {text}")
        return seconds

    def finish(self, parameters: dict[str, Any], reference: Reference | None = None) -> dict[str, Any]:
        """Print the tables, write spikes.npz, the figure and result.json; returns the result."""
        import numpy as np

        reference = reference or {}
        peak = int(self.net._kernel.gather(np.array([float(result.peak_rss())])).sum())  # of all ranks; before matplotlib is loaded
        spikes = self.recorder.data()  # of all ranks
        stamps, times, gids = spikes.steps, spikes.times, spikes.gids
        activity = by_population(spikes, self.nodes)
        self.imbalance = self.net.imbalance()
        found = self._result(parameters, peak, activity, result.spike_hash(stamps, gids))
        found["timers_by_rank"] = looking.by_rank(self.net, self.net.timers)
        if reference:
            found["reference"] = {name: dict(values) for name, values in reference.items()}
        if self.report:
            self._keep_for_report(found)
        if not self.first:
            return found
        self._print(found, activity, reference)
        self._write_spikes(spikes)
        self._draw(times, gids, activity, reference)
        path = result.write(self.output, found)
        self.say(f"written: {path}, {self.output / 'spikes.npz'}, {self.output / f'{self.job}.png'}")
        if self.report:
            from neuropil.report import write_report

            self.say(f"written: {write_report(self.output)}")
        if self.as_json:
            json_output.write(found)
        return found

    def _keep_for_report(self, found: dict[str, Any]) -> None:
        """Traces as a file, histograms of weights in the result. Collective."""
        found["weights"] = looking.weights(self.net, self.nodes)
        if (traces := self.net.extra.get("traces")) is not None:
            traces.save(self.output / "traces.npz")

    def _result(self, parameters: dict[str, Any], peak: int, activity: Mapping[str, Activity], spike_hash: str) -> dict[str, Any]:
        synapses = int(self.net.n_connections)
        return {
            "schema": result.SCHEMA_VERSION,
            "job": self.job,
            "command": sys.argv,
            "parameters": parameters,
            "versions": result.versions(),
            "machine": self.machine,
            "seed": self.seed,
            "threads": self.threads,
            "ranks": self.net.n_ranks,
            "exchange": self.net._kernel.exchange_choice or self.exchange,
            "distribution": self.distribution,
            "neurons": sum(count for _, count in self.populations.values()),
            "synapses": synapses,
            "resolution_ms": self.resolution,
            "warmup_ms": self.warmup,
            "duration_ms": float(self.duration),
            "build_s": self.seconds["build"],
            "init_s": self.seconds["init"],
            "sim_s": self.seconds["sim"],
            "real_time_factor": self._real_time_factor(),
            "bytes_per_synapse": peak / max(synapses, 1),
            "peak_rss_bytes": peak,
            "memory": self._memory(),
            "timers": dict(self.net.timers),
            "loads": {name: values.tolist() for name, values in self.imbalance.loads.items()}
            if self.net.n_ranks <= looking.MOST_RANKS
            else {},
            "counters": dict(self.net.counters),
            "rates": {name: values.rate for name, values in activity.items()},
            "cv_isi": {name: None if values.cv_isi != values.cv_isi else values.cv_isi for name, values in activity.items()},
            "spike_hash": spike_hash,
            **({} if self.resumed is None else {"resumed_at_ms": self.resumed}),
        }

    def _real_time_factor(self) -> float:
        return 1e3 * self.seconds["sim"] / max(simulated(self.warmup, self.duration, self.resumed), 1e-9)

    def _memory(self) -> dict[str, int]:
        """Bytes by kind of all ranks."""
        import numpy as np

        own = self.net.memory
        every = self.net._kernel.gather(np.array([*own.values()], np.float64)).reshape(-1, len(own))
        return dict(zip(own, every.sum(axis=0).astype(int).tolist(), strict=True))

    def _print(self, found: dict[str, Any], activity: Mapping[str, Activity], reference: Reference) -> None:
        self.console.print(activity_table(activity, reference))
        self.console.print(cost_table(found))
        for line in phase_lines(found["timers"]):
            self.say(line)
        if self.imbalance.n_ranks > 1:
            self.say(self.imbalance.line())

    def _write_spikes(self, spikes: neuropil.results.Spikes) -> None:
        """A file of `neuropil.open_results`, with further arrays."""
        import numpy as np

        from neuropil.results.files import write

        names = list(self.populations)
        ranges = np.array([self.populations[name] for name in names], dtype=np.int64).reshape(-1, 2)
        more = {"stamps": spikes.steps, "gids": spikes.gids, "resolution": np.array(self.resolution), "populations": np.array(names)}
        table = spikes._table()
        columns = table.columns | more | {"first_gid_and_count": ranges}
        write(self.output / "spikes.npz", table._replace(columns=columns), compressed=True)

    def _draw(self, times: "np.ndarray", gids: "np.ndarray", activity: Mapping[str, Activity], reference: Reference) -> None:
        from neuropil.cli.jobs.figures import overview

        factor = self._real_time_factor()
        title = f"{self.job}: {count_text(self.net.n_connections)} synapses, seed {self.seed}, real-time factor {factor:.2f}"
        overview(self.output / f"{self.job}.png", times, gids, self.populations, activity, reference, title)


def simulated(warmup: float, duration: float, resumed: float | None) -> float:
    """Of the recorded `duration` what this process simulated (ms): all, or what came after the time at which it resumed."""
    return duration if resumed is None else min(duration, warmup + duration - resumed)


def activity_table(activity: Mapping[str, Activity], reference: Reference) -> Table:
    """Neurons, rate, published rate and CV of ISI per population."""
    published = reference.get("rate", {})
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("population")
    headers = ("neurons", "rate (1/s)", *(("published",) if published else ()), "CV of ISI")
    for header in headers:
        table.add_column(header, justify="right")
    for name, values in activity.items():
        middle = [f"{published[name]:.2f}"] if published else []
        table.add_row(name, f"{values.neurons}", f"{values.rate:.2f}", *middle, f"{values.cv_isi:.2f}")
    return table


def cost_table(found: Mapping[str, Any]) -> Table:
    """Time of every phase and memory."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    table.add_row("build", f"{found['build_s']:.2f} s", f"{found['synapses'] / 1e6 / max(found['build_s'], 1e-9):.1f} M synapses/s")
    table.add_row("init", f"{found['init_s']:.2f} s", f"first {found['warmup_ms']:g} ms, not recorded")
    ran = simulated(found["warmup_ms"], found["duration_ms"], found.get("resumed_at_ms"))
    table.add_row("simulate", f"{found['sim_s']:.2f} s", f"{ran:g} ms, {found['threads']} threads")
    table.add_row("real-time factor", f"{found['real_time_factor']:.2f}", "")
    kernel, process = found["memory"]["total"], found["peak_rss_bytes"]
    tables = sum(found["memory"][name] for name in ("synapses", "index", "traces"))
    table.add_row("synapses", size_text(tables), f"{tables / max(found['synapses'], 1):.2f} bytes per synapse in their tables")
    table.add_row("network", size_text(kernel), "all that the kernel holds")
    table.add_row("process", size_text(process), f"{size_text(max(process - kernel, 0))} more: Python, libraries, peaks")
    return table


def phase_lines(timers: Mapping[str, float]) -> list[str]:
    """One line per stage (build, run): the seconds of its phases, which the kernel names stage_phase."""
    lines = []
    for stage in dict.fromkeys(name.partition("_")[0] for name in timers):
        phases = {name.partition("_")[2]: seconds for name, seconds in timers.items() if name.startswith(f"{stage}_")}
        if phases:
            lines.append(f"{stage} (s): " + ", ".join(f"{name} {seconds:.2f}" for name, seconds in phases.items()))
    return lines
