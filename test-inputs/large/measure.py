#!/usr/bin/env python3
"""Compiles target regions of all kinds in sizes that double, and prints what the plugin adds.

Usage: measure.py RUNS PLUGIN COMMAND..     COMMAND compiles the source and writes the output that are put behind it

For each kind and size: processor time and the most memory of the compiler's largest process without the plugin, what the plugin adds to both, the
time in its passes by -ftime-report, and how often that is the time for half the size. Marked are sizes where it adds more than 2 s and twice the
time, or more than 200 MB and twice the memory, and those for which its passes take more than 2.3 times as long as for half, and half a second more.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sizes import LEAST

LONGEST = 300  # seconds
GENERATE = Path(__file__).with_name("generate.py")


def compiled(command: list[str]) -> tuple[float, float]:
    """Seconds of processor time, and MB."""
    child = subprocess.Popen(["timeout", str(LONGEST), *command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode == 124:
        sys.exit(f"not done in {LONGEST} s: {' '.join(command)}")
    if child.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def in_passes(command: list[str]) -> float:
    """Seconds of processor time in the plugin's passes, of all the compiler's processes."""
    report = subprocess.run([*command, "-ftime-report"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    own = [line for line in report.splitlines() if line.endswith("IpdaPass")]
    if not own:
        sys.exit(f"no time of the plugin's passes: {' '.join(command)}")
    # Of the columns, user + system is the last but one.
    return sum(float(re.findall(r"(\d+\.\d+) \(", line)[-2]) for line in own)


def least(runs: int, command: list[str]) -> tuple[float, float]:
    both = [compiled(command) for _ in range(runs)]
    return min(seconds for seconds, _ in both), min(megabytes for _, megabytes in both)


def marks(without, with_it, own, before) -> str:
    seconds, megabytes = with_it[0] - without[0], with_it[1] - without[1]
    found = []
    if seconds > max(2, 2 * without[0]):
        found.append("time")
    if megabytes > max(200, 2 * without[1]):
        found.append("memory")
    if before is not None and own > max(2.3 * before, before + 0.5):
        found.append("growth")
    return " ".join(found)


def main() -> None:
    runs, plugin, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    kinds = subprocess.run([sys.executable, GENERATE, "kinds"], check=True, capture_output=True, text=True).stdout.split()
    if set(kinds) != set(LEAST):
        sys.exit(f"kinds without sizes, or sizes without a kind: {' '.join(set(kinds) ^ set(LEAST))}")
    print(f"{'':12} {'size':>6} {'s':>8} {'MB':>6} {'added s':>8} {'MB':>6} {'passes s':>8} {'growth':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            before = None
            for size in (LEAST[kind] << doubled for doubled in range(3)):
                source = Path(folder, f"{kind}-{size}.c")
                with source.open("w") as file:
                    subprocess.run([sys.executable, GENERATE, kind, str(size)], check=True, stdout=file)
                own = [*command, str(source), "-o", str(Path(folder, "out.o"))]
                without = least(runs, own)
                loaded = [*own, f"-fpass-plugin={plugin}"]
                with_it = least(runs, loaded)
                passes = min(in_passes(loaded) for _ in range(runs))
                growth = f"{passes / before:7.2f}" if before else f"{'':7}"
                print(
                    f"{kind:12} {size:6} {without[0]:8.2f} {without[1]:6.0f} {with_it[0] - without[0]:8.2f} "
                    f"{with_it[1] - without[1]:6.0f} {passes:8.2f} {growth} {marks(without, with_it, passes, before)}".rstrip(),
                    flush=True,
                )
                before = passes


main()
