#!/usr/bin/env python3
"""Compares what is predicted for many sources with what their launches predict: kernels within 2 %, or exit status 1.

Usage: [EVERY=N] [VALUE=V] [BYTES=B] at_launch.py IPDA FOLDER COMPILER... -- SOURCE...

Takes every Nth source (5), the value V (4096) for all variables, and B bytes (V) for arrays whose maps do not say how long they are. Sources that the
compiler does not accept, and those without predictions, are left out; the last line says how many are compared.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Nothing is left beside the sources.
sys.dont_write_bytecode = True
from same_kernels import differences  # noqa: E402

VALUE = os.environ.get("VALUE", "4096")
BYTES = os.environ.get("BYTES", VALUE)


def given(name):
    return f"{name}={BYTES if name.startswith('bytes(') else VALUE}"


def predicted(command, names):
    """What `ipda predict` prints, with values for all names that it asks for."""
    while True:
        result = subprocess.run(
            [*command, *(word for name in sorted(names) for word in ("-D", given(name)))], capture_output=True, text=True
        )
        # What maps move is asked for where predictions name what they rest on.
        asked = set(re.findall(r"-D '?([^\s']+?)=\.\.", result.stderr)) | set(re.findall(r"'(bytes\([^']+\))=", result.stdout))
        asked -= names
        if not asked:
            return result.stdout
        names |= asked


def compared(source, ipda, folder, compiler):
    """How many sources were compared, 1 or 0, and what differs."""
    report = folder / f"{'-'.join(Path(source).parts[-2:])}.yaml"
    made = subprocess.run(
        [*compiler, "-c", source, "-o", os.devnull], env={**os.environ, "IPDA_REPORT": str(report)}, capture_output=True
    )
    if made.returncode != 0 or not report.exists():
        return 0, []
    command = [ipda, "predict", str(report), "--gpu", "h100-sxm", "--cpu", "epyc-milan", "--resident", "--width", "400"]
    names = set()
    predicted([*command, "--details"], names)
    numbers = predicted(command, names)
    if not re.search(r"^ +kernel ", numbers, re.MULTILINE):
        return 0, []
    return 1, [f"{source}: {line}" for line in differences(numbers, predicted([*command, "--as-at-launch"], names))]


def main():
    every, ipda, folder = int(os.environ.get("EVERY", "5")), sys.argv[1], Path(sys.argv[2])
    end = sys.argv.index("--")
    compiler, sources = sys.argv[3:end], sorted(sys.argv[end + 1 :])[::every]
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda source: compared(source, ipda, folder, compiler), sources))
    apart = [line for _, lines in results for line in lines]
    print("\n".join(apart + [f"{sum(count for count, _ in results)} sources compared, {len(apart)} regions apart"]))
    sys.exit(bool(apart))


main()
