#!/usr/bin/env python3
"""Whether the decisions that a program takes are those of `ipda predict`: the kernels of test-inputs/decisions in the study's two sizes, launched
by 4 and by 160 threads in a program whose runtime launches nothing (study-runtime.inc).

    study.py CLANG PLUGIN IPDA FOLDER [FLAG...]

The code that is counted is this host's and the target's that the flags name; the machines' numbers are those of the study. Prints what differs
and a summary, and fails where

- a launch that may run on the host is not reported, or one that may not is,
- a predicted time is not that of `ipda predict --as-at-launch`, the same form, to the four digits of the log, or the choice is another one,
- the choice is not that of `ipda predict`, whose equations the form simplifies, although the device is chosen and the times as they are compared are further apart than a factor of NEAR, or in
  more than MOST of the cases.
"""

import os
import re
import subprocess
import sys

MACHINES = {"IPDA_GPU": "v100", "IPDA_CPU": "power9", "IPDA_LINK": "nvlink2"}
THREADS = (4, 160)
# Half a unit of the last of four digits, and of the last of five.
ROUNDING = 5.6e-4
NEAR = 1.5
MOST = 0.05
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}

here = os.path.dirname(os.path.abspath(__file__))
decisions = os.path.join(here, "..", "decisions")


def kernels():
    """Names, functions, numbers of arrays, and sizes."""
    with open(os.path.join(decisions, "study.csv")) as table:
        lines = [line.strip().split(",") for line in table if not line.startswith("#")]
    for name, _, _, *sizes in lines[1:]:
        with open(os.path.join(decisions, f"{name.lower()}.c")) as source:
            function, params = re.search(r"^void (\w+)\(([^)]*)\)", source.read(), re.MULTILINE).groups()
        yield name.lower(), function, params.count(",") + 1, [int(size) for size in sizes[:2]]


def write_source(path):
    """One source with all kernels in both sizes, and calls with addresses that nothing is behind."""
    regions, calls = [], []
    for name, function, arrays, sizes in kernels():
        for size in sizes:
            launch = f"{name}_{size}" if name[0].isalpha() else f"k{name}_{size}"
            include = os.path.join(decisions, f"{name}.c")
            regions.append(f'#define {function} {launch}\n#define SIZE {size}\n#undef AT\n#include "{include}"\n#undef SIZE\n#undef {function}\n')
            calls.append(f"  {launch}({', '.join(f'array({number})' for number in range(1, arrays + 1))});\n")
    with open(path, "w") as source:
        source.write("static float *array(long number) { return (float *)(number << 40); }\n")
        source.writelines(regions)
        source.write("int main(void) {\n")
        source.writelines(calls)
        source.write("}\n")


def run(command, **variables):
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=300, check=False)


def checked(command, **variables):
    result = run(command, **variables)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return result


def reported(log):
    """Of each launch where it runs, the host's time as it is compared, and both times; what is reported twice is an error."""
    launches = {}
    for line in log.splitlines():
        if ": took " in line:
            continue
        found = re.fullmatch(r"ipda: (\w+) at \S+: on the (host|device); predicted (\S+) s on the host, (\S+) s there, within factors of \S+ and \S+?(?:, in doubt counted as (\S+) s on the host)?", line)
        if not found or found[1] in launches:
            sys.exit(f"a line that is not expected: {line}")
        # Where the host is chosen, doubt did not tell.
        launches[found[1]] = found[2], float(found[5] or found[3]), float(found[3]), float(found[4])
    return launches


def forms(text):
    """Of each region the host's and the device's time by the closed form, and where it launches."""
    found = {}
    for section in re.split(r"^\[\d+\] ", text, flags=re.MULTILINE)[1:]:
        times = dict((side, float(number) * UNITS[unit]) for side, number, unit in re.findall(r"^  (host|device) +(\S+) (\w+)$", section, re.MULTILINE))
        is_host = times["host"] < times["device"] and "in doubt" not in section
        found[section.split(",")[0]] = times["host"], times["device"], "host" if is_host else "device"
    return found


def predictions(text):
    return dict(re.findall(r"^  function: (\w+)$.*?^  launch: (\w+)$", text, re.MULTILINE | re.DOTALL))


def is_off(number, other):
    return abs(number / other - 1) > ROUNDING


def main(clang, plugin, ipda, folder, *flags):
    os.makedirs(folder, exist_ok=True)
    source, report, program = (os.path.join(folder, name) for name in ("study.c", "study.yaml", "study"))
    write_source(source)
    runtime = os.path.join(here, "study-runtime.inc")
    compile_it = [clang, "-O3", "-g", "-w", "-fopenmp", *flags, f"-fpass-plugin={plugin}", source, "-x", "c", runtime, "-lm", "-o", program]
    checked(compile_it, IPDA_REPORT=report, IPDA_TRANSFORM="off", **MACHINES)

    named = [f"--{variable[5:].lower()}={name}" for variable, name in MACHINES.items()]
    shown = checked([ipda, "show", program]).stdout
    stays = set(re.findall(r"^region (\w+) at .*\n.*\n  stays on the device", shown, re.MULTILINE))
    wrong, cases, differing = [], 0, []
    for threads in THREADS:
        launches = reported(checked([program], OMP_NUM_THREADS=str(threads), IPDA_OFFLOAD="model", IPDA_LOG="calls").stderr)
        predict = [ipda, "predict", *named, f"--threads={threads}", report]
        by_form = forms(checked([*predict, "--as-at-launch"]).stdout)
        by_prediction = predictions(checked([*predict, "--format=yaml"]).stdout)
        if set(by_form) != set(by_prediction) or set(launches) | stays != set(by_form) or set(launches) & stays:
            sys.exit(f"the launches are not those of the report: {set(launches) ^ set(by_form)} beside {stays}")
        for region, (choice, compared, host, device) in launches.items():
            cases += 1
            case = f"{region}, {threads} threads: on the {choice}, {host} s on the host, {device} s there"
            if is_off(host, by_form[region][0]) or is_off(device, by_form[region][1]) or choice != by_form[region][2]:
                wrong.append(f"{case}; the form has {by_form[region]}")
            if choice != by_prediction[region]:
                differing.append(f"{case}; predicted: the {by_prediction[region]}")
                if choice == "device" and max(compared / device, device / compared) > NEAR:
                    wrong.append(f"{case}; predicted: the {by_prediction[region]}, although that is far")
    if len(differing) > MOST * cases:
        wrong.append(f"{len(differing)} of {cases} choices are not those of ipda predict")
    for line in differing:
        print("near:", line)
    print(f"{cases} launches by {' and '.join(map(str, THREADS))} threads: all times and choices are those of ipda predict --as-at-launch, "
          f"{cases - len(differing)} choices those of ipda predict; {len(THREADS) * len(stays)} launches have no choice"
          if not wrong else "\n".join(f"wrong: {line}" for line in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
