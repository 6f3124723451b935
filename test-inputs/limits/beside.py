"""Compiles a source for a device alone, and in one file with another before it and behind it; fails where the code of its kernels differs.

Usage: beside.py KERNEL.c OTHER.c FOLDER COMPILER...       the compiler writes assembly
"""

import pathlib
import re
import subprocess
import sys


def kernels(assembly, of):
    """The text of each kernel of a function, without what counts functions and lines of the file."""
    found = re.findall(r"^(?:\.\w+ )*\.(?:entry|func)\b[^{]*?([\w$]+)\(\n[^{]*\n{(.*?)^}", assembly, re.M | re.S)
    counted = re.compile(r"__omp_offloading_\w+|__BB\d+|__local_depot\d+|//.*|^\s*\.loc\s.*", re.M)
    return [counted.sub("", text) for name, text in found if f"_{of}_l" in name]


def main(kernel, other, folder, *compiler):
    kernel, other = (pathlib.Path(path).read_text() for path in (kernel, other))
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    function = re.search(r"^void (\w+)\(", kernel, re.M)[1]
    code = {}
    for name, text in {"alone": kernel, "behind": f"{other}\n{kernel}", "before": f"{kernel}\n{other}"}.items():
        source, output = folder / f"{name}.c", folder / f"{name}.s"
        source.write_text(text)
        subprocess.run([*compiler, str(source), "-o", str(output)], check=True)
        code[name] = kernels(output.read_text(), function)
    if not code["alone"]:
        sys.exit(f"there is no kernel of {function}")
    for name in ("behind", "before"):
        if code[name] != code["alone"]:
            sys.exit(f"{function} has other code {name} the other source")
    print(f"{function}: the same code in all three places")


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
