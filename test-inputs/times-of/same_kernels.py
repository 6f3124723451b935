#!/usr/bin/env python3
"""Compares the kernels' times of two outputs of `ipda predict`, the second of them with --as-at-launch: within 2 %, or exit status 1.

Usage: same_kernels.py PREDICTED AS-AT-LAUNCH
"""

import re
import sys
from pathlib import Path

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
WITHIN = 0.02


def kernels(text):
    """The seconds of each region's kernel, of the version that runs: the last that is shown."""
    found = {}
    region = None
    for line in text.splitlines():
        if heading := re.match(r"\[\d+\] (.+?)(, with .*| at .*)?$", line):
            region = heading[1]
        elif kernel := re.match(r"\s+kernel\s+([\d.]+) (\w+)", line):
            found[region] = float(kernel[1]) * UNITS[kernel[2]]
    return found


def differences(predicted, launched):
    """What the two outputs say differently, a line each."""
    predicted, launched = kernels(predicted), kernels(launched)
    # A launch has a time for values of which there is no prediction, such as a shift by 4096.
    if not predicted or predicted.keys() - launched.keys():
        return [f"other regions: {sorted(predicted)} and {sorted(launched)}"]
    return [
        f"{region}: {time:.4g} s predicted, {launched[region]:.4g} s at a launch"
        for region, time in predicted.items()
        if abs(launched[region] - time) > WITHIN * time
    ]


def main():
    apart = differences(*(Path(path).read_text(encoding="utf-8") for path in sys.argv[1:3]))
    if apart:
        sys.exit("\n".join(apart))


if __name__ == "__main__":
    main()
