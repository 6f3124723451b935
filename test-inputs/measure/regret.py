"""Prints docs/research/regret.md: how much longer the version that the plugin makes takes than the best of those that are legal, by predicted times."""

import argparse
import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Of a region, those that the plugin's estimate has in front, besides the one that it makes.
VERSIONS = 8
SIZES = (33, 1021, 8191)
TEXT = """# Regret of the version that is made

Written by `scripts/bench regret > docs/research/regret.md`: change the program or the inputs, not this page.

The plugin makes one version of a loop nest beside the one as written, chosen by an estimate of sectors and threads for sizes of 33, 1021 and 8191
([why one](transform.md#what-it-costs)). This page asks the time models, which see the finished code of sm_90, whether another one would have been better: for the inputs
of dense linear algebra, the measuring programs and two of tiles, each region is built as written, as the plugin makes it, and as each of the next {versions} mappings
(`IPDA_VERSION`), and predicted for an `{gpu}` with the data on the device and each size of the program at the number above the column.

*gain*: times as fast as the loops as written. *regret*: over the best of all these versions, the one as written among them (L. J. Savage, 1951); 1 is the best. Where the fused loops
have 2^31 - 2^20 iterations or more, which is above what a kernel tests for, the loops as written run: of these, the stencils in three dimensions at 8191, on arrays of 4 TB, which no device has room for. No figure here was measured: the models are off by 1.2 on the kernels of [another GPU](times.md).

| region | made | gain: {sizes} | regret: {sizes} | better there |
|---|---|---|---|---|"""


def build(arguments: argparse.Namespace, source: Path, version: int | None, report: Path) -> None:
    """Compiles a source for sm_90 as the plugin does by itself, or in one version of its loops."""
    asked = {} if version is None else {"IPDA_VERSION": str(version)}
    libraries = [f"--cuda-path={arguments.cuda}", f"--libomptarget-nvptx-bc-path={arguments.llvm}/lib"]
    plugin = f"-fpass-plugin={arguments.release}/libipda.so"
    compiler = f"{arguments.llvm}/bin/clang" + ("++" if source.suffix == ".cpp" else "")
    command = [compiler, "-O2", "-g", "-w", "-fopenmp", "--offload-arch=sm_90", *libraries, plugin, "-c", str(source), "-o", f"{report}.o"]
    subprocess.run(command, check=True, env={**os.environ, **asked, "IPDA_REPORT": str(report)})


def sizes_of(arguments: argparse.Namespace, report: Path) -> list[str]:
    """The values that a prediction needs, which the command names where it is given another one."""
    command = [f"{arguments.release}/ipda", "predict", str(report), "-D", "none_of_them=1"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    needed = re.search(r"they need (.*)", found)
    return needed.group(1).split(", ") if needed else []


def times(arguments: argparse.Namespace, report: Path, names: list[str], size: int) -> dict[str, tuple[float, str]]:
    """By region: the predicted seconds, and what runs."""
    given = [word for name in names for word in ("-D", f"{name}={size}")]
    command = [f"{arguments.release}/ipda", "predict", str(report), "--gpu", arguments.gpu, "--resident", "--format", "json", *given]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    result = {}
    for region in json.loads(found)["regions"]:
        for version in region.get("device") or []:
            if version["runs"]:
                result[region["location"].split("/")[-1]] = (version["seconds"], version["version"])
    return result


def rows(arguments: argparse.Namespace, source: Path, folder: Path) -> list[str]:
    """The lines of a source's regions that have more than one version."""
    reports = {version: folder / f"{source.name}.{version}.yaml" for version in [None, *range(VERSIONS + 1)]}
    for version, report in reports.items():
        build(arguments, source, version, report)
    names = sizes_of(arguments, reports[None])
    predicted = {size: {version: times(arguments, report, names, size) for version, report in reports.items()} for size in SIZES}
    lines = []
    for region, (_, made) in predicted[SIZES[1]][None].items():
        gains, regrets, better = [], [], []
        for size in SIZES:
            of_size = predicted[size]
            own = of_size[None][region][0]
            all_of = {version: of_size[version][region] for version in range(VERSIONS + 1) if region in of_size[version]}
            best = min(all_of, key=lambda version: all_of[version][0])
            gains.append(f"{all_of[0][0] / own:.3g}")
            regret = max(own / all_of[best][0], 1.0)
            regrets.append(f"{regret:.2f}")
            if regret >= 1.05:
                better.append(f"{size}: {best} ({all_of[best][1]})")
        distinct = {round(found[region][0], 12) for found in predicted[SIZES[1]].values() if region in found}
        if len(distinct) > 1 and "measure.h" not in region:
            lines.append(f"| {region} | {made} | {', '.join(gains)} | {', '.join(regrets)} | {'; '.join(better)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--cuda", required=True)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("sources", nargs="+", type=Path)
    arguments = parser.parse_args()
    print(TEXT.format(versions=VERSIONS, gpu=arguments.gpu, sizes=", ".join(str(size) for size in SIZES)))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(lambda source: rows(arguments, source, Path(folder)), arguments.sources):
            for line in lines:
                print(line)


if __name__ == "__main__":
    main()
