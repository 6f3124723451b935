"""Whether each kernel of device modules starts OpenMP's device runtime in one place, and asks it nothing before.

    starts.py CLANG PLUGIN SOURCE...        with EVERY=N in the environment, one of N sources

compiles each source for the device with the plugin, with and without variables described for debuggers, at several levels of optimisation,
and prints what is wrong, or how many modules are right. The exit status is 1 if something is wrong.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

START = "__kmpc_target_init"
NAME = re.compile(r'@("[^"]+"|[\w.$-]+)')
CALL = re.compile(r'\bcall\b[^@]*@("[^"]+"|[\w.$-]+)\(')
DESCRIBED = ["-g", "-Xclang", "-debug-info-kind=constructor"]
# The plugin sees other code where nothing is optimised. With variables described, the runtime's start is not in the kernel itself.
KINDS = [["-O2"], ["-O0", *DESCRIBED], ["-O2", *DESCRIBED]]


def functions(text):
    """The lines of each function of a module, the first one among them."""
    found, own = {}, None
    for line in text.splitlines():
        if line.startswith("define "):
            own = found.setdefault(NAME.search(line).group(1), [])
        elif line == "}":
            own = None
        if own is not None:
            own.append(line)
    return found


def called(lines):
    """The names that the lines call, in their order."""
    return [call.group(1) for call in map(CALL.search, lines[1:]) if call]


def starts(code, kernel):
    """In how many places a kernel, or what it leads to, starts the runtime."""
    places, seen, left = 0, set(), [kernel]
    while left:
        lines = code.get(left.pop(), [])
        if lines and lines[0] not in seen:
            seen.add(lines[0])
            places += called(lines).count(START)
            # The runtime is given the functions that it calls.
            left += [name for line in lines[1:] for name in NAME.findall(line)]
    return places


def first(code, function, above=()):
    """What a function asks the runtime first."""
    for name in called(code[function]):
        if name.startswith(("__kmpc_", "omp_")):
            return name
        if name in code and name not in above:
            inner = first(code, name, (*above, function))
            if inner:
                return inner
    return None


def problems(text):
    code = functions(text)
    kernels = [name for name in code if name.startswith("__omp_offloading_") and f"{name}_kernel_environment" in text]
    if not kernels:
        yield "there are no kernels"
    for kernel in kernels:
        count, begins = starts(code, kernel), first(code, kernel)
        if count != 1:
            yield f"{kernel} starts the runtime in {count} places"
        if begins != START:
            yield f"{kernel} begins with {begins}"


def examine(clang, plugin, source, kind):
    command = [clang, *kind, "-w", "-fopenmp", "--offload-arch=sm_90", "-nogpulib", "--offload-device-only", "-S", "-emit-llvm"]
    result = subprocess.run([*command, f"-fpass-plugin={plugin}", source, "-o", "-"], capture_output=True, text=True)
    if result.returncode != 0:
        return [result.stderr]
    return [f"{os.path.basename(source)} {' '.join(kind)}: {problem}" for problem in problems(result.stdout)]


def main(clang, plugin, *sources):
    sources = sources[:: int(os.environ.get("EVERY", "1"))]
    jobs = [(clang, plugin, source, kind) for source in sources for kind in KINDS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [line for found in pool.map(lambda job: examine(*job), jobs) for line in found]
    print("\n".join(wrong) or f"{len(jobs)} modules are right")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
