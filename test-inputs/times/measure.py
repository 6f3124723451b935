#!/usr/bin/env python3
"""Predicts the kernels of this folder in the sizes of a table of measured times, and compares.

Usage: measure.py [--machine NAME|FILE] [--reference FILE.csv] [--plot FILE.svg] [--cuda FOLDER] [--arch sm_XY] --release FOLDER --llvm FOLDER

The table has the columns machine, kernel, block, size, seconds, bytes and flops. A machine is a GPU's name, or a CPU's with `-1-thread` behind it,
as `ipda hw list` prints them. Each kernel is compiled for each block, without a GPU, and `ipda predict` reads the report.
`--plot` also draws which share of the measured times lies within the spreads, by spread (plot.py).
"""

import argparse
import csv
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import plot
import yaml

HERE = Path(__file__).resolve().parent
COLUMNS = ("machine", "kernel", "block", "size", "seconds", "bytes", "flops")


class Refused(Exception):
    """What the user gave cannot be used; the text says what and where."""


class Case:
    """A line of the table, and what is predicted for it."""

    def __init__(self, row):
        self.machine, self.kernel = row["machine"], row["kernel"]
        self.block = int(row["block"]) if row["block"] else None
        self.size = int(row["size"])
        self.measured = float(row["seconds"])
        self.bytes, self.flops = float(row["bytes"]), float(row["flops"])
        self.predicted = None
        self.bound = None

    @property
    def ratio(self):
        return self.predicted / self.measured

    @property
    def factor(self):
        return max(self.ratio, 1 / self.ratio)


def lines_of(path):
    """The lines of a CSV file without comments, with their numbers, by column."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: {error.strerror if isinstance(error, OSError) else 'not text in UTF-8'}") from error
    numbered = [(at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    rows = list(csv.reader(line for _, line in numbered))
    if not rows:
        raise Refused(f"{path}: no line with the names of columns")
    return rows[0], [(at, dict(zip(rows[0], row))) for (at, _), row in zip(numbered[1:], rows[1:])]


def reference(path):
    names, lines = lines_of(path)
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise Refused(f"{path}: no column {', '.join(missing)}; expected {','.join(COLUMNS)}")
    cases = []
    for at, row in lines:
        try:
            case = Case(row)
        except (KeyError, TypeError, ValueError) as error:
            raise Refused(f"{path}:{at}: block, size, seconds, bytes and flops have to be numbers") from error
        if not (case.size > 0 and 0 < case.measured < math.inf and (case.block is None or case.block > 0)):
            raise Refused(f"{path}:{at}: block, size and seconds have to be above 0")
        cases.append(case)
    return cases


class Kernel:
    """A source of this folder: `// NAME: what`, `// EXTENTS: name = expression; ..`, `// LAUNCHES: how often`,
    `// MOVED: variables that are copied to the device and back`."""

    def __init__(self, path):
        self.path = path
        text = path.read_text(encoding="utf-8")
        self.name = re.match(r"// (\w+):", text)[1]
        said = dict(re.findall(r"^// (EXTENTS|LAUNCHES|MOVED): (.*)$", text, re.M))
        self.extents = [part.split(" = ") for part in said["EXTENTS"].split("; ")]
        self.launches = said.get("LAUNCHES", "1")
        self.moved = said["MOVED"].split(", ") if "MOVED" in said else []
        directive = re.compile(r"#pragma omp target.* (THREADS|AREA|VOLUME|TILES|ELEMENTS)\(([^()]*)\)")
        # Line and number of blocks of each region.
        self.regions = [(at, found[1], found[2]) for at, line in enumerate(text.splitlines(), 1) if (found := directive.match(line))]
        self.constants = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)(?=[,\s])", "".join(re.findall(r"enum \{.*", text)))}
        self.variables = set(re.findall(r"(?:int|long) (\w+)(?=[,)])", text))

    def values(self, size):
        known = dict(self.constants)
        roots = {"sqrt": lambda number: round(number ** (1 / 2)), "cbrt": lambda number: round(number ** (1 / 3)), "size": size}
        for name, expression in self.extents:
            known[name] = eval(expression, {"__builtins__": {}}, {**roots, **known})
        return known

    def blocks(self, shape, arguments, block, known):
        extents = eval(f"({arguments},)", {"__builtins__": {}}, known)
        ceil = lambda number, of: -(-number // of)  # noqa: E731
        if shape == "THREADS":
            edges = [block]
        elif shape == "ELEMENTS":
            edges = [1]
        elif shape == "TILES":
            extents, edges = extents * 2, [math.isqrt(block)] * 2
        elif shape == "AREA":
            edges = [32, block // 32]
        else:
            second = next(edge for least, edge in ((1024, 8), (256, 4), (64, 2), (0, 1)) if block >= least)
            edges = [32, second, block // 32 // second]
        return math.prod(ceil(extent, edge) for extent, edge in zip(extents, edges))


class Tools:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.ipda = os.path.join(options.release, "ipda")

    def run(self, command, **environment):
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)

    def described(self, machine):
        """Kind and name of a machine, its processor, and the text of its description."""
        shown = self.run([self.ipda, "hw", "show", "--width", "400", machine])
        if shown.returncode != 0:
            raise Refused(shown.stderr.strip().removeprefix("ipda: "))
        kind, name = re.match(r"(\w+) ([^:\s]+)", shown.stdout).groups()
        return kind, name, re.search(r"^processor: (\S+)", shown.stdout, re.M)[1], shown.stdout

    def report(self, kernel, block):
        """Compiles a kernel, for the host alone if there is no block, and says where its report is."""
        report = self.work / f"{kernel.path.stem}.{block}.yaml"
        command = [os.path.join(self.options.llvm, "bin", "clang"), "-O3", "-g", "-w", "-fopenmp", "-fopenmp-targets=nvptx64"]
        command += [f"-fpass-plugin={os.path.join(self.options.release, 'libipda.so')}", "-c", "-o", os.fspath(report) + ".o", kernel.path.name]
        if block is None:
            command += ["--offload-arch=sm_90", "-nogpulib", "--offload-host-only"]
        else:
            command += [f"-DBLOCK={block}", f"--offload-arch={self.options.arch}", f"--cuda-path={self.options.cuda}"]
            command += [f"--libomptarget-nvptx-bc-path={os.path.join(self.options.llvm, 'lib')}"]
        path = os.pathsep.join([os.path.join(self.options.cuda or "", "bin"), os.environ.get("PATH", "")])
        compiled = subprocess.run(
            command, capture_output=True, text=True, cwd=HERE, check=False,
            env={**os.environ, "PATH": path, "IPDA_TRANSFORM": "off", "IPDA_REPORT": os.fspath(report)},
        )
        if compiled.returncode != 0:
            raise Refused(f"{kernel.path.name} could not be compiled: {compiled.stderr.strip()}")
        # The suite's kernels add one number of each block atomically: their launches have no teams that combine.
        lines = report.read_text().splitlines(keepends=True)
        report.write_text("".join(line for line in lines if not line.startswith("  team_reduction:")))
        return report

    def predict(self, kernel, report, case, machine, is_device):
        """Seconds of all launches, what bounds the longest, and the factor within which measured times are expected."""
        known = kernel.values(case.size)
        times = eval(kernel.launches, {"__builtins__": {}}, known)
        seconds, doubt, longest = 0.0, 0.0, (0.0, None)
        for line, shape, arguments in kernel.regions:
            command = [self.ipda, "predict", report, "--details", "--format", "yaml", "--region", str(line)]
            if is_device:
                blocks = kernel.blocks(shape, arguments, case.block, known)
                command += ["--gpu", machine, "-D", f"num_teams={blocks}"]
            else:
                command += ["--cpu", machine, "--threads", "1"]
            command += [] if kernel.moved else ["--resident"]
            command += [word for name, value in known.items() if name in kernel.variables for word in ("-D", f"{name}={value}")]
            predicted = self.run(command)
            regions = yaml.safe_load(predicted.stdout).get("regions") if predicted.returncode == 0 else None
            if not regions:
                raise Refused(f"{kernel.path.name}:{line} has no prediction: {predicted.stderr.strip().removeprefix('ipda: ')}")
            time, bound, within = of_device(regions[0], kernel.moved) if is_device else of_host(regions[0])
            seconds += times * time
            # One model is off for all of a program's kernels alike.
            doubt += times * time * math.log(within)
            longest = max(longest, (times * time, bound))
        return seconds, longest[1], math.exp(doubt / seconds if seconds > 0 else 0.0)


def of_device(region, moved):
    """With the copies of what is moved, which has its place on the device already; all else is there."""
    device = next(version for version in region["device"] if version.get("runs", True))
    maps = [part for term in region["transfers"]["terms"] if term["name"] in moved for part in term["terms"]]
    copies = sum(part["value"] for part in maps if part["name"] != "allocation")
    seconds = device["seconds"] + copies
    if not moved:
        return seconds, device["bound_by"], device["total_within"]
    # Not of all that is mapped.
    parts = ((device["seconds"], device["within"]), (copies, region["transfers"].get("within", 1.0)))
    return seconds, device["bound_by"], math.exp(math.hypot(*(part / seconds * math.log(within) for part, within in parts)))


def of_host(region):
    return region["host"]["seconds"], region["host"]["bound_by"], region["host"]["within"]


def ranks(values):
    """Equal values share the mean of their ranks."""
    order = sorted(values)
    first = {value: at for at, value in reversed(list(enumerate(order, 1)))}
    return [first[value] + (order.count(value) - 1) / 2 for value in values]


def spearman(pairs):
    """None where one side is the same everywhere."""
    left, right = (ranks(side) for side in zip(*pairs))
    return statistics.correlation(left, right) if len(set(left)) > 1 and len(set(right)) > 1 else None


def percentile(values, share):
    """Between the nearest ones, as most programs do."""
    ordered, at = sorted(values), share * (len(values) - 1)
    low = math.floor(at)
    return ordered[low] + (at - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def rank_within(cases):
    """The mean of the ranks within each kernel of more than two cases."""
    kernels = {case.kernel for case in cases}
    groups = [[(case.predicted, case.measured) for case in cases if case.kernel == kernel] for kernel in kernels]
    found = [rank for group in groups if len(group) > 2 and (rank := spearman(group)) is not None]
    return statistics.mean(found) if found else None


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def score(name, cases):
    factors = [case.factor for case in cases]
    overall = spearman([(case.predicted, case.measured) for case in cases]) if len(cases) > 2 else None
    off = sum(factor > 2 for factor in factors)
    print(
        f"{name:<24} {len(cases):>5} {statistics.geometric_mean(factors):>7.2f} {statistics.median(factors):>7.2f} {percentile(factors, 0.9):>7.2f}"
        f" {off:>5} {number(overall, 3):>8} {number(rank_within(cases), 3):>7}"
    )


def calibration(name, cases):
    """How many measured times lie within the spread, its median, and how far predictions are off."""
    if cases:
        inside = plot.share_inside(cases)
        width = statistics.median(case.within for case in cases)
        error = statistics.geometric_mean([case.factor for case in cases])
        print(f"{name:<40} {len(cases):>5} {100 * inside:>7.0f} % {width:>7.2f} {error:>7.2f}")


def halves_by(cases, key):
    ordered = sorted(cases, key=key)
    middle = len(ordered) // 2
    return ordered[:middle], ordered[middle:]


def calibrations(cases):
    """Whether spreads are as wide as they should be: 80 % inside, of the kernels that factors were taken from and of the others."""
    print(f"\n{'within the spread':<40} {'cases':>5} {'inside':>9} {'width':>7} {'factor':>7}")
    for half, name in (("open", "looked at"), ("kept", "only judged"), ("-", "others")):
        of_half = [case for case in cases if case.half == half]
        calibration(name, of_half)
        for bound in sorted({case.bound for case in of_half}):
            calibration(f"  {bound}", [case for case in of_half if case.bound == bound])
        if len(of_half) > 3:
            for title, key in (("size", lambda case: case.size), ("spread", lambda case: case.within)):
                for side, group in zip(("smaller half by", "larger half by"), halves_by(of_half, key)):
                    calibration(f"  {side} {title}", group)


def score_head(title):
    print(f"\n{title:<24} {'cases':>5} {'factor':>7} {'median':>7} {'90 %':>7} {'> 2':>5} {'rank':>8} {'within':>7}")


def rounded(size):
    """The nearest power of two, as people write it."""
    power = round(math.log2(size))
    return f"{2 ** (power % 10)}{['', 'k', 'M', 'G', 'T'][min(power // 10, 4)]}"


def print_cases(cases):
    """Predicted over measured: a line for each kernel and block, a column for each size."""
    columns = {rounded(case.size): None for case in sorted(cases, key=lambda case: case.size)}
    print(f"{'predicted / measured':<28} {'half':<5} {'block':>6} " + " ".join(f"{column:>7}" for column in columns) + "  bound by, in the largest")
    for kernel, block in sorted({(case.kernel, case.block or 0) for case in cases}):
        line = [case for case in cases if (case.kernel, case.block or 0) == (kernel, block)]
        ratios = {rounded(case.size): f"{case.ratio:.2f}" for case in line}
        bound = max(line, key=lambda case: case.size).bound
        print(f"{kernel:<28} {line[0].half:<5} {block or '-':>6} " + " ".join(f"{ratios.get(column, ''):>7}" for column in columns) + f"  {bound}")


def roofline(cases, description):
    """What peak rates alone would say of the bytes and flops that the table knows."""
    scales = {"GB/s": 1e9, "TB/s": 1e12, "GHz": 1e9, "MHz": 1e6}

    def value(key):
        found = re.search(rf"^ {re.escape(key)}\s+([\d.]+) (\S+)", description, re.M)
        return float(found[1]) * scales.get(found[2], 1) if found else None

    bandwidth, processors, clock, rate = (value(key) for key in ("memory.bandwidth", "chip.multiprocessors", "chip.clock", "throughput.fp64"))
    if None in (bandwidth, processors, clock, rate):
        return
    guessed = []
    for case in cases:
        other = Case.__new__(Case)
        other.__dict__.update(case.__dict__)
        other.predicted = max(case.bytes / bandwidth, case.flops / (processors * clock * rate * 2))
        if other.predicted > 0:
            guessed.append(other)
    score("roofline of peak rates", guessed)


def table_of(machine, cases, description, arch_note):
    print(f"\n{machine}: {description.splitlines()[0]}{arch_note}\n")
    print_cases(cases)
    score_head("kernels")
    for half in ("open", "kept", "-"):
        if of_half := [case for case in cases if case.half == half]:
            score({"open": "looked at", "kept": "only judged", "-": "others"}[half], of_half)
    score("all", cases)
    roofline(cases, description)
    calibrations(cases)
    score_head("by what bounds them")
    for bound in sorted({case.bound for case in cases}):
        score(bound, [case for case in cases if case.bound == bound])


def options():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--machine")
    parser.add_argument("--reference", default=os.fspath(HERE / "rajaperf-v100.csv"))
    parser.add_argument("--plot")
    parser.add_argument("--cuda")
    parser.add_argument("--arch")
    parser.add_argument("--release", required=True)
    parser.add_argument("--llvm", required=True)
    return parser.parse_args()


def machines(tools, cases, wanted):
    """By name in the table: the description that predictions take, and whether it is a device."""
    all_of = {}
    for name in dict.fromkeys(case.machine for case in cases):
        own = name.removesuffix("-1-thread")
        kind, known, processor, text = tools.described(own) if wanted is None else tools.described(wanted)
        if wanted is not None and known != tools_name(tools, own):
            continue
        if (kind == "gpu") != (own == name) or kind == "link":
            raise Refused(f"{name} is a {kind}: times of a CPU are of one thread and have -1-thread behind its name, those of a GPU have not")
        all_of[name] = (wanted or own, kind == "gpu", processor, text)
    if not all_of:
        raise Refused(f"the reference has no times of {wanted}, only of {', '.join(dict.fromkeys(case.machine for case in cases))}")
    return all_of


def tools_name(tools, machine):
    try:
        return tools.described(machine)[1]
    except Refused:
        return machine


def main():
    chosen = options()
    halves = {row["kernel"]: row["half"] for _, row in lines_of(HERE / "halves.csv")[1]}
    left_out = {row["kernel"]: row["why"] for _, row in lines_of(HERE / "left-out.csv")[1]}
    kernels = {kernel.name: kernel for kernel in (Kernel(path) for path in sorted(HERE.glob("*.c")) if path.name != "run.c")}
    cases = reference(chosen.reference)
    unknown = sorted({case.kernel for case in cases} - set(kernels) - set(left_out))
    if unknown:
        raise Refused(f"{chosen.reference}: no kernel is called {', '.join(unknown)}; there are {', '.join(sorted(kernels))}")
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(chosen, Path(work))
        known = machines(tools, cases, chosen.machine)
        compared = {}
        for name, (machine, is_device, processor, text) in known.items():
            of_machine = [case for case in cases if case.machine == name]
            mine = [case for case in of_machine if case.kernel in kernels]
            note = ""
            if is_device:
                tools.options.arch = chosen.arch or processor
                if tools.options.arch != processor:
                    note = f"; registers and instructions are those of {tools.options.arch}"
                if any(case.block is None for case in mine):
                    raise Refused(f"{chosen.reference}: a line of {name} has no block")
            pool = ThreadPoolExecutor(os.cpu_count())
            needed = sorted({(case.kernel, case.block if is_device else None) for case in mine}, key=str)
            reports = dict(zip(needed, pool.map(lambda one: tools.report(kernels[one[0]], one[1]), needed)))

            def predicted(case):
                report = reports[case.kernel, case.block if is_device else None]
                return tools.predict(kernels[case.kernel], report, case, machine, is_device)

            for case, (seconds, bound, within) in zip(mine, pool.map(predicted, mine)):
                case.predicted, case.bound, case.within, case.half = seconds, bound, within, halves.get(case.kernel, "-")
            if mine:
                table_of(name, mine, text, note)
                compared[name] = mine
            print()
            for kernel in sorted({case.kernel for case in of_machine} - set(kernels)):
                print(f"not here: {kernel}: {left_out[kernel]}")
        if chosen.plot:
            try:
                Path(chosen.plot).write_text(plot.picture(compared), encoding="utf-8")
            except OSError as error:
                raise Refused(f"{chosen.plot}: {error.strerror}") from error


if __name__ == "__main__":
    try:
        main()
    except Refused as why:
        sys.exit(f"{why}")
