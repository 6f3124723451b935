"""Compiles sources without a report and with one; fails where the objects differ in anything but the device's image.

Usage: report_changes_no_object.py FOLDER OBJCOPY COMPILER... -- SOURCE...     the compiler loads the plugin; a source that it cannot compile is left out
With EVERY=N in the environment, one of N sources is taken.
"""

import os
import pathlib
import subprocess
import sys


def compiled(folder, objcopy, command, source, report):
    """The object without the device's image, if there is one."""
    made = folder / "made.o"
    made.unlink(missing_ok=True)
    environment = {**os.environ, **({"IPDA_REPORT": str(report)} if report else {})}
    subprocess.run([*command, source, "-o", made], env=environment, stderr=subprocess.DEVNULL)
    if not made.exists():
        return None
    subprocess.run([objcopy, "--remove-section=.llvm.offloading", made], check=True)
    return made.read_bytes()


def main(folder, objcopy, *arguments):
    at = arguments.index("--")
    command, sources = arguments[:at], arguments[at + 1 :: int(os.environ.get("EVERY", "1"))]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    compared, differing = 0, []
    for source in sources:
        report = folder / "report.yaml"
        report.unlink(missing_ok=True)
        plain, reported = (compiled(folder, objcopy, command, source, report) for report in (None, report))
        if plain is None or not report.exists():
            continue
        compared += 1
        if plain != reported:
            differing.append(source)
    print(f"{compared} objects compared; {len(differing)} differ", *differing)
    return 1 if differing or not compared else 0


sys.exit(main(*sys.argv[1:]))
