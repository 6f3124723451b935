#!/usr/bin/env python3
"""Of what the test inputs map both ways, the share that is not copied back or not copied there, and why the others are, by input.

  share.py PLUGIN LLVM [FILE...]

Compiles each file that has a target region (by default the inputs of test-inputs/ and test-inputs/measure/) for the x86-64 offload target with a report, and
reads the variables of its regions. Entries of at most 1024 bytes, as sums, are always copied as the clauses say.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
REASONS = ["back", "there", "small", "written", "may be", "launch"]
MEANING = ["not copied back", "not copied there", "small", "written, and not all of it or read before", "not understood, and may be written", "never written, in a launch left as it is"]


def entries(report):
    """The reason of each variable that is mapped both ways."""
    with open(report) as text:
        regions = yaml.safe_load(text).get("regions", [])
    for region in regions:
        written = {access["object"] for access in region.get("accesses", []) if access["kind"] not in ("load", "copy-from")}
        for capture in region.get("captures", []):
            bytes_ = str((capture.get("map") or {}).get("bytes", ""))
            kind = (capture.get("map") or {}).get("kind")
            if kind != "tofrom":
                continue
            if capture["map"].get("stays"):
                yield "back"
            elif capture["map"].get("made_there"):
                yield "there"
            elif bytes_.isdigit() and int(bytes_) <= 1024:
                yield "small"
            elif any(name == capture["name"] or name.startswith(capture["name"] + ".") for name in written):
                yield "written"
            else:
                yield "may be" if region.get("rejects") else "launch"


def main():
    plugin, llvm, *files = sys.argv[1:]
    root = os.path.dirname(HERE)
    files = files or sorted(glob.glob(f"{root}/*.c") + glob.glob(f"{root}/measure/*.c"))
    sums = dict.fromkeys(REASONS, 0)
    print("| input | " + " | ".join(MEANING) + " |")
    print("|---" * (len(MEANING) + 1) + "|")
    for file in files:
        with open(file, errors="replace") as text:
            if not re.search(r"#pragma\s+omp\s+target", text.read()):
                continue
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.yaml")
            flags = ["-O1", "-g", "-w", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", f"-fpass-plugin={plugin}", "-c", file, "-o", f"{folder}/a.o"]
            subprocess.run([f"{llvm}/bin/clang", *flags], env={**os.environ, "IPDA_DECISION": "off", "IPDA_REPORT": report}, capture_output=True)
            if not os.path.exists(report):
                continue
            found = list(entries(report))
        for reason in found:
            sums[reason] += 1
        if found:
            print(f"| `{os.path.relpath(file, root)}` | " + " | ".join(str(found.count(reason)) for reason in REASONS) + " |", flush=True)
    print("| all | " + " | ".join(str(sums[reason]) for reason in REASONS) + " |")


main()
