#!/usr/bin/env python3
"""Compares what is predicted for many sources with what their launches predict: kernels within 2 %, or exit status 1.

Usage: [EVERY=N] [VALUE=V] [BYTES=B] at_launch.py IPDA FOLDER COMPILER... -- SOURCE...

Takes every Nth source (5); of folders, those inside. Values are the value V for all variables and B bytes (V) for arrays whose maps do not say how long
they are; without V, several sets in turn, of which each variable has one of its own. Sources that the compiler does not accept, and those without
predictions, are left out; the last line says how many are compared.
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

# Of variables, and of bytes: equal ones, also where arrays are larger than caches; small, odd, and large ones; powers of two. Products of two fit into 32 bits.
SETS = [
    ([4096], [4096]),
    ([4096], [100_000_000]),
    ([17, 5, 9, 3, 12, 6], [4096, 1000, 20_000]),
    ([1009, 331, 127, 613, 2003, 251], [1_000_000, 4_000_003, 77_777]),
    ([30_000, 4000, 16_384, 10_000, 300, 20_000], [1_000_000_000, 300_000_000, 123_456_789]),
    ([64, 1024, 256, 32, 2048, 16], [10_000_000, 2_000_000, 65_536]),
]
if "VALUE" in os.environ:
    SETS = [([os.environ["VALUE"]], [os.environ.get("BYTES", os.environ["VALUE"])])]


def given(name, values):
    variables, sizes = values
    of = sizes if name.startswith("bytes(") else variables
    return f"{name}={of[sum(number * ord(letter) for number, letter in enumerate(name, 1)) % len(of)]}"


def predicted(command, names, values):
    """What `ipda predict` prints, with values for all names that it asks for."""
    while True:
        result = subprocess.run(
            [*command, *(word for name in sorted(names) for word in ("-D", given(name, values)))], capture_output=True, text=True
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
    predicted([*command, "--details"], names, SETS[0])
    numbers = [predicted(command, names, values) for values in SETS]
    if not all(re.search(r"^ +kernel ", text, re.MULTILINE) for text in numbers):
        return 0, []
    at_launch = [predicted([*command, "--as-at-launch"], names, values) for values in SETS]
    apart = [differences(*pair) for pair in zip(numbers, at_launch)]
    return 1, [
        f"{source} with {' '.join(given(name, values) for name in sorted(names))}: {line}"
        for values, lines in zip(SETS, apart)
        for line in lines
    ]


def main():
    every, ipda, folder = int(os.environ.get("EVERY", "5")), sys.argv[1], Path(sys.argv[2])
    end = sys.argv.index("--")
    paths = [Path(path) for path in sys.argv[end + 1 :]]
    inside = [sorted(path.glob("**/*.c")) if path.is_dir() else [path] for path in paths]
    compiler, sources = sys.argv[3:end], sorted(str(path) for paths in inside for path in paths)[::every]
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda source: compared(source, ipda, folder, compiler), sources))
    apart = [line for _, lines in results for line in lines]
    print("\n".join(apart + [f"{sum(count for count, _ in results)} sources compared, {len(apart)} regions apart"]))
    sys.exit(bool(apart))


main()
