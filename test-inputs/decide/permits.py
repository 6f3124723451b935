"""Compiles sources without debug information, with line tables, and with all of it; fails where a region may run on the host in one of these
builds and not in another, or for another reason.

Usage: permits.py FOLDER COMPILER... -- SOURCE...       the compiler loads the plugin; one that cannot compile a source leaves it out
With EVERY=N in the environment, one of N sources is taken.
"""

import os
import pathlib
import re
import subprocess
import sys

PERMIT = re.compile(r"^  on_host:\n    may_run: (\w+)(?:\n    reason:\n      name: (\w+))?", re.M)


def permits(report, *command):
    """Of each region in the report that a compilation writes, whether it may run on the host, or else the reason."""
    report.unlink(missing_ok=True)
    environment = {**os.environ, "IPDA_REPORT": str(report)}
    subprocess.run(command, env=environment, stderr=subprocess.DEVNULL)
    text = report.read_text() if report.exists() else ""
    return [reason or may_run for may_run, reason in PERMIT.findall(text)]


def main(folder, *arguments):
    at = arguments.index("--")
    compiler, sources = arguments[:at], arguments[at + 1 :: int(os.environ.get("EVERY", "1"))]
    report = pathlib.Path(folder) / "report.yaml"
    report.parent.mkdir(parents=True, exist_ok=True)
    regions, may_run, wrong = 0, 0, 0
    for source in sources:
        builds = [permits(report, *compiler, *debug, source) for debug in ([], ["-gline-tables-only"], ["-g"])]
        regions += len(builds[0])
        may_run += builds[0].count("true")
        if builds.count(builds[0]) != len(builds):
            wrong += 1
            print(source, *builds)
    print(f"{len(sources)} sources, {regions} regions, {may_run} may run on the host; {wrong} sources differ")
    return 1 if wrong or not may_run else 0


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
