#!/usr/bin/env python3
"""Builds a project of many sources with the plugin in each way that people build, twice, and looks at what is left: a report for each source,
equal bytes of objects and reports from both builds and in all ways, a source tree as it was, and readers that never meet half a report.

  many.py --ipda PROGRAM --plugin LIBRARY --clang CLANG [--sources N] [--jobs N] [--ways WAY,...] FOLDER

Ways whose tools are not there are left out. The code is for the host as a device, which needs neither a CUDA tree nor a device runtime; --flags
takes others.
"""

import argparse
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

FLAGS = "-O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu"
HERE = pathlib.Path(__file__).resolve().parent

# Kernels with accesses of several classes; NAME and SIZE differ from source to source.
KERNELS = [
    """void NAME(int n, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * SIZE]) map(from : b[0 : n])
  for (int i = 0; i < n; ++i)
    b[i] = a[i * SIZE];
}
""",
    """void NAME(int n, int m, const double *restrict a, double *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = SIZE * a[i * m + j];
}
""",
    """void NAME(int n, const int *restrict index, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : index[0 : n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[index[i]] + SIZE;
}
""",
    "int NAME(int n) { return n + SIZE; }\n",
]


def write_sources(source, count):
    """Some in each folder, with the same names in all of them."""
    names = []
    for nth in range(count):
        path = pathlib.Path(f"module{nth // 10}/part{nth % 10}.c")
        text = KERNELS[nth % len(KERNELS)].replace("NAME", f"part{nth}").replace("SIZE", str(nth % 60 + 2))
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text)
        names.append(str(path))
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(many C)\nadd_library(many OBJECT\n  "
        + "\n  ".join(names)
        + ")\nif(WITH_IPDA)\n  find_package(ipda REQUIRED)\n  ipda_enable(many REPORT ${CMAKE_BINARY_DIR}/reports)\nendif()\n"
    )
    (source / "Makefile").write_text(
        f"SOURCE = {source}\nOBJECTS = {' '.join(name + '.o' for name in names)}\nall: $(OBJECTS)\n"
        "$(OBJECTS): %.c.o: $(SOURCE)/%.c\n\t@mkdir -p $(@D)\n\t$(CC) $(CFLAGS) -c $< -o $@\n"
    )
    return names


def write_ninja(build, source, names, options):
    build.mkdir()
    lines = [
        f"rule cc\n  command = {options.clang} {options.flags} -fpass-plugin={options.plugin} -c $in -o $out\n",
        *(f"build {name}.o: cc {source / name}" for name in names),
    ]
    (build / "build.ninja").write_text("\n".join(lines) + "\n")


def ways(options, source, build, names):
    """For each way its tools, what prepares it, and the commands."""
    jobs = f"-j{options.jobs}"
    cc = f"CC={options.ipda} cc -- "
    make = ["make", jobs, "-C", build, "-f", source / "Makefile", f"CFLAGS={options.flags}"]
    cmake = ["cmake", "-S", source, "-B", build, f"-DCMAKE_C_FLAGS={options.flags}", "-DCMAKE_BUILD_TYPE="]
    package = [
        f"-Dipda_DIR={HERE.parent.parent / 'cmake'}",
        f"-DIPDA_PROGRAM={options.ipda}",
        f"-DIPDA_PLUGIN={options.plugin}",
        f"-DCMAKE_C_COMPILER={options.clang}",
        "-DWITH_IPDA=ON",
    ]
    by_name = build.parent / "ipda-cc"
    if not by_name.exists():
        by_name.symlink_to(options.ipda)
    ninja = ["ninja", jobs, "-C", build]
    return {
        "make": (["make"], build.mkdir, [[*make, f"{cc}{options.clang}"]]),
        "ninja": (["ninja"], lambda: write_ninja(build, source, names, options), [ninja]),
        "cmake": (["cmake", "ninja"], None, [[*cmake, "-G", "Ninja", *package], ninja]),
        "ipda-cc": (["cmake", "make"], None, [[*cmake, "-G", "Unix Makefiles", f"-DCMAKE_C_COMPILER={by_name}"], ["make", jobs, "-C", build]]),
    }


def run(command, environment, log):
    with open(log, "a") as out:
        done = subprocess.run([str(word) for word in command], env=environment, stdout=out, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{log.read_text()[-3000:]}")


class Reader(threading.Thread):
    """Reads the reports again and again while they are written."""

    def __init__(self, ipda, folder):
        super().__init__()
        self.ipda, self.folder, self.ended, self.count, self.complaint = ipda, folder, threading.Event(), 0, ""

    def run(self):
        while not self.ended.wait(0.2) and not self.complaint:
            if any(self.folder.glob("*.yaml")):
                words = [self.ipda, "report", self.folder, "--only", "regions"]
                done = subprocess.run(words, capture_output=True, text=True)
                self.count += 1
                self.complaint = done.stderr


def listing(folder):
    return sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))


def differing(first, second, pattern):
    """Files of either folder that have no equal in the other."""
    sets = [{path.relative_to(folder) for path in folder.rglob(pattern)} for folder in (first, second)]
    common = sets[0] & sets[1]
    return sorted(map(str, (sets[0] ^ sets[1]) | {name for name in common if not filecmp.cmp(first / name, second / name, shallow=False)}))


def build_once(way, options, source, build, names, environment):
    _, prepare, commands = ways(options, source, build, names)[way]
    if prepare:
        prepare()
    reader = Reader(options.ipda, build / "reports")
    reader.start()
    started = time.monotonic()
    try:
        for command in commands:
            run(command, environment, build.parent / f"{way}.log")
    finally:
        seconds = time.monotonic() - started
        reader.ended.set()
        reader.join()
    if reader.complaint:
        sys.exit(f"{way}: a reader beside the build says: {reader.complaint}")
    return seconds, reader.count


def objects(build):
    found = sorted(build.rglob("*.c.o"))
    return {"/".join(path.parts[-2:]): path.read_bytes() for path in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--ipda", "--plugin", "--clang"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("--sources", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--flags", default=FLAGS)
    parser.add_argument("--ways", default="make,ninja,cmake,ipda-cc")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder.resolve()
    source, build = folder / "source", folder / "build"
    source.mkdir(parents=True)
    names = write_sources(source, options.sources)
    for path in [source, *source.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    before = listing(source)
    expected = len([nth for nth in range(options.sources) if nth % len(KERNELS) != 3])
    base = {name: value for name, value in os.environ.items() if not name.startswith("IPDA_")}
    base.update(LIBIPDA=str(options.plugin))
    kept = {}
    for way in options.ways.split(","):
        tools = ways(options, source, build, names)[way][0]
        absent = [tool for tool in tools if not shutil.which(tool)]
        if absent:
            print(f"{way}: skipped, there is no {', '.join(absent)}")
            continue
        # cmake's package sets it by itself.
        environment = base if way == "cmake" else dict(base, IPDA_REPORT=f"{build}/reports/")
        times = []
        for turn in ("first", "second"):
            seconds, looks = build_once(way, options, source, build, names, environment)
            times.append(f"{seconds:.1f} s")
            build.rename(folder / f"{way}-{turn}")
        first, second = (folder / f"{way}-{turn}" for turn in ("first", "second"))
        reports = sorted(path.name for path in (second / "reports").iterdir())
        if len(reports) != expected or any(not name.endswith(".c.ipda.yaml") for name in reports):
            sys.exit(f"{way}: {len(reports)} reports of {expected}: {reports}")
        for pattern in ("*.c.o", "*.ipda.yaml"):
            if others := differing(first, second, pattern):
                sys.exit(f"{way}: two builds made different {pattern}: {others}")
        kept[way] = (objects(second), second / "reports")
        if len(kept[way][0]) != options.sources:
            sys.exit(f"{way}: {len(kept[way][0])} objects of {options.sources}")
        print(f"{way}: {options.sources} objects and {expected} reports in {' and '.join(times)}, the same bytes; read {looks} times meanwhile")
        shutil.rmtree(first)
    (of_first, reports_of_first), *others = kept.values()
    for way, (made, reports) in list(kept.items())[1:]:
        if different := differing(reports_of_first, reports, "*.ipda.yaml"):
            sys.exit(f"{way}: other reports than by {next(iter(kept))}: {different}")
        same = sum(made[name] == text for name, text in of_first.items())
        print(f"{way}: {same} of {options.sources} objects have the same bytes as by {next(iter(kept))}")
    if listing(source) != before:
        sys.exit("the source tree is not as it was")
    print(f"the reports are the same in {len(kept)} ways, and the source tree is as it was")


main()
