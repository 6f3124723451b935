#!/usr/bin/env python3
"""Compiles the inputs by turns without the plugin, with it, and with it writing a report, and prints what the plugin adds.

Usage: measure.py [--quick] PLUGIN COMMAND..     COMMAND compiles the source and writes the output that are put behind it

Times are user and system time of clang and the programs that it starts, in milliseconds: medians. Instructions are user-mode ones, where perf can
count them. Memory is the most that one process holds.
"""

import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).parent.parent
sys.path.insert(0, str(FOLDER / "large"))
from sizes import LEAST  # noqa: E402

SIDES = ("without", "with", "reporting")
# Of each kind of input some: kernels, changed and unchanged ones, loops that are left alone, C++, several regions, none.
QUICK = (
    "2mm atax array-of-structures atomic-update binary-search collapse3 convolution-2d correlation critical-counter do-while gather jacobi-2d "
    "mvt no-openmp pointer-walk reduction-sum region-in-lambda several-regions syr2k triangular"
).split()
OF_TWO = ("gemm.c", "many-regions.c")
# The driver's jobs, in their order.
PHASES = ("clang, host, to bitcode", "clang, device", "ptxas", "packing", "clang, host")
# Compiled without OpenMP: what it costs to have the plugin loaded.
NO_REGIONS = "no-openmp.c"


class Cost:
    """What the compilations of one source took, by side."""

    def __init__(self):
        self.seconds = {side: [] for side in SIDES}
        self.instructions = {side: [] for side in SIDES}
        self.megabytes = {side: 0.0 for side in SIDES}

    def time(self, side):
        return 1000 * statistics.median(self.seconds[side])

    def added(self, side):
        """Percent of the time without the plugin."""
        return 100 * (self.time(side) / self.time("without") - 1)

    def added_instructions(self, side):
        if not self.instructions["without"]:
            return ""
        before, after = (statistics.median(self.instructions[one]) for one in ("without", side))
        return f"{100 * (after / before - 1):+7.1f} %"

    def memory(self, side):
        return self.megabytes[side] / self.megabytes["without"]


def counts_instructions():
    if not shutil.which("perf"):
        return False
    shown = subprocess.run(["perf", "stat", "-e", "instructions:u", "true"], capture_output=True, text=True).stderr
    return re.search(r"\d\s+instructions:u", shown) is not None


class Bench:
    def __init__(self, plugin, command, folder):
        self.plugin, self.command, self.folder = plugin, command, folder
        self.counts = counts_instructions()

    def on_side(self, side, source, flags=()):
        """The command of a side, and its environment."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("IPDA_")} | {"TMPDIR": str(self.folder)}
        if side == "reporting":
            environment["IPDA_REPORT"] = str(self.folder / "report.yaml")
        loaded = [] if side == "without" else [f"-fpass-plugin={self.plugin}"]
        return [*self.command, *flags, *loaded, "-w", str(source), "-o", str(self.folder / f"{side}.o")], environment

    def run(self, command, environment):
        child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        errors = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError(f"failed: {shlex.join(command)}\n{errors}")
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def of(self, source, runs, flags=(), sides=SIDES):
        cost = Cost()
        for run in range(runs):
            # Where objects lie in memory changes clang's work by some tenths of a percent (hash tables of pointers). A macro more in each run varies
            # that on all sides.
            macros = [f"-Dipda_bench_{number}=1" for number in range(run)]
            for turn in range(len(sides)):
                side = sides[(turn + run) % len(sides)]
                command, environment = self.on_side(side, source, [*flags, *macros])
                counted = self.folder / "counted"
                if self.counts:
                    command = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", str(counted), *command]
                seconds, megabytes = self.run(command, environment)
                cost.seconds[side].append(seconds)
                cost.megabytes[side] = max(cost.megabytes[side], megabytes)
                if self.counts:
                    cost.instructions[side].append(int(counted.read_text().split("instructions")[0].splitlines()[-1].split(",")[0]))
        return cost

    def phases(self, source, runs):
        """The medians of each phase's milliseconds, by side: as the driver tells of its jobs. Started by anybody else, they would do other work, as the
        plugin asks the driver's command line who follows whom."""
        found = {name: {side: [] for side in SIDES} for name in PHASES}
        reported = self.folder / "phases"
        for run in range(runs):
            for turn in range(len(SIDES)):
                side = SIDES[(turn + run) % len(SIDES)]
                command, environment = self.on_side(side, source)
                reported.unlink(missing_ok=True)
                self.run([*command, f"-fproc-stat-report={reported}"], environment)
                # Program, output, and microseconds of user and system together.
                times = [int(line.split(",")[2]) / 1000 for line in reported.read_text().splitlines()]
                for name, time_of_job in zip(PHASES, times, strict=True):
                    found[name][side].append(time_of_job)
        return {name: {side: statistics.median(times) for side, times in sides.items()} for name, sides in found.items()}


def spread(name, values, shown):
    """Median, 90th percentile and worst of (value, input)."""
    ordered = sorted(values)
    at_90 = ordered[-(-9 * len(ordered) // 10) - 1][0]
    worst, where = ordered[-1]
    print(f"  {name:22} median {shown(statistics.median(value for value, _ in values))}, 90th percentile {shown(at_90)}, worst {shown(worst)} ({where})")


def percent(value):
    return f"{value:+.1f} %"


def progress(text):
    if not sys.stderr.isatty():
        return
    print(f"\r==> {text:60}", end="", file=sys.stderr, flush=True)


def main():
    arguments = sys.argv[1:]
    is_quick = arguments[:1] == ["--quick"]
    plugin, *command = arguments[is_quick:]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(plugin, command, Path(folder))
        measure(bench, is_quick)
    print(f"measured in {(time.monotonic() - started) / 60:.0f} minutes")


def line(name, cost, runs):
    print(
        f"{name:18} {cost.time('without'):8.0f} {cost.time('with'):8.0f} {cost.added('with'):+7.1f} % {cost.added_instructions('with')} "
        f"{cost.time('reporting'):8.0f} {cost.added('reporting'):+7.1f} % {cost.added_instructions('reporting')}  {cost.memory('with'):6.2f}  {runs:4}",
        flush=True,
    )


def measure(bench, is_quick):
    print(f"{'ms of CPU time':18} {'without':>8} {'with':>8} {'':>9} {'report':>9} {'':>9}  {'memory':>6}  runs")
    runs = 5 if is_quick else 11
    for name in OF_TWO:
        progress(name)
        line(name, bench.of(FOLDER / name, runs), runs)
        phases = bench.phases(FOLDER / name, 3 if is_quick else runs)
        for phase_name, sides in phases.items():
            before = sides["without"]
            with_it, reporting = (f"{sides[side]:8.0f} {sides[side] - before:+7.0f} ms" for side in SIDES[1:])
            print(f"  {phase_name:24} {before:8.0f} {with_it} {reporting}", flush=True)
    inputs(bench, is_quick)
    loaded(bench, 21 if is_quick else 101)
    if not is_quick:
        large(bench)


def inputs(bench, is_quick):
    sources = sorted([*FOLDER.glob("*.c"), *FOLDER.glob("*.cpp")])
    if is_quick:
        sources = [source for source in sources if source.stem in QUICK]
    costs, left = {}, []
    for number, source in enumerate(sources):
        progress(f"{number + 1} of {len(sources)}: {source.name}")
        try:
            costs[source.name] = bench.of(source, 5)
        except RuntimeError:
            # What only another target takes.
            left.append(source.name)
    if is_quick and (left or len(costs) != len(QUICK)):
        sys.exit(f"not all of the {len(QUICK)} inputs can be compiled: {' '.join(left)}")
    print(f"{len(costs)} inputs" + (f"; not for this target: {' '.join(left)}" if left else ""))
    for side in SIDES[1:]:
        spread(side, [(cost.added(side), name) for name, cost in costs.items()], percent)
        if bench.counts:
            counted = [(float(cost.added_instructions(side).split()[0]), name) for name, cost in costs.items()]
            spread(f"{side}, instructions", counted, percent)
        spread(f"{side}, memory", [(cost.memory(side), name) for name, cost in costs.items()], lambda times: f"{times:.2f} times")


def loaded(bench, runs):
    """A module without target regions, compiled without OpenMP."""
    plain = Bench(bench.plugin, [bench.command[0], "-O2", "-c"], bench.folder)
    plain.counts = False
    progress(NO_REGIONS)
    cost = plain.of(FOLDER / NO_REGIONS, runs, sides=SIDES[:2])
    print(f"without regions: {cost.time('without'):.2f} ms, with the plugin {cost.time('with') - cost.time('without'):+.2f} ms ({runs} runs)", flush=True)


def large(bench):
    costs = {}
    for kind, size in LEAST.items():
        progress(f"large: {kind}")
        source = bench.folder / f"{kind}.c"
        with source.open("w") as file:
            subprocess.run([sys.executable, FOLDER / "large/generate.py", kind, str(size)], check=True, stdout=file)
        costs[f"{kind} {size}"] = bench.of(source, 3)
    print(f"{len(costs)} kinds of large regions")
    for side in SIDES[1:]:
        spread(side, [(cost.added(side), name) for name, cost in costs.items()], percent)


main()
