#!/usr/bin/env python3
"""Random programs of maps, regions and pointers into common memory, without the plugin and with it, on the x86-64 offload target.

  random_programs.py PLUGIN LLVM FOLDER COUNT [FIRST SEED]

Each program has some regions and a sequence of their launches between enter data, exit data, updates, and what the host writes. Both builds must print
the same, which is the whole memory behind each step, and the one with the plugin must copy as much to the device and not more back. Programs that OpenMP's
runtime ends without the plugin, as where a section extends one that is mapped, and those that print other things each time are not compared. The last line says how many were, and what was copied.
"""

import os
import random
import subprocess
import sys

CELLS = 6
# More bytes than are packed when they are private copies.
CELL = 300
HERE = os.path.dirname(os.path.abspath(__file__))

HEAD = f"""#include "copied.inc"
#include <stdlib.h>
#include <string.h>
enum {{ CELLS = {CELLS}, CELL = {CELL} }};
static int *pool;
static int load(const int *p, int i) {{ return p[i]; }}
static void put(int *p, int i, int value) {{ p[i] = value; }}
__attribute__((weak)) void perhaps(int *p, int i) {{ p[i] += 3; }}
static void print(int step, int result) {{
  unsigned hash = 17;
  for (int i = 0; i < CELLS * CELL; ++i)
    hash = hash * 31 + (unsigned)pool[i];
  printf("%d: %d %u\\n", step, result, hash);
  fflush(stdout);
}}
"""


class Region:
    """A function with one region of up to three pointers."""

    def __init__(self, number, chance):
        self.name = f"region{number}"
        count = chance.choice([2, 2, 3, 3, 3])
        self.pointers = [f"p{at}" for at in range(count)]
        # Without a clause, a pointer is translated if it leads into what is mapped.
        kinds = ["tofrom"] * 7 + ["to", "none", "always"]
        self.maps = {p: chance.choice(kinds) for p in self.pointers}
        self.maps[self.pointers[0]] = "tofrom"
        self.body = [self.statement(chance) for _ in range(chance.randint(1, 3))]
        self.loop = chance.choice(["", "teams distribute parallel for num_teams(1) thread_limit(1)"])

    def statement(self, chance):
        pointer = lambda: chance.choice(self.pointers)
        index = lambda: chance.choice(["i", "i", "n - 1 - i", "i / 2"])
        read = lambda: chance.choice([f"{pointer()}[{index()}]", f"load({pointer()}, {index()})"])
        to, value = pointer(), f"{read()} + {read()} * {chance.randint(1, 5)}"
        return chance.choice([
            f"result += {value};",
            f"result ^= {read()};",
            f"result += {value};",
            f"{to}[{index()}] = {value};",
            f"put({to}, {index()}, {value});",
            f"if ({read()} & 1) {to}[{index()}] += {chance.randint(1, 9)};",
            f"*(({read()} & 1 ? {to} : {pointer()}) + {index()}) = {value};",
            f"result += {to} == {pointer()};",
            f"memcpy({to} + n / 2, {pointer()}, n / 4 * sizeof *{to});",
            f"{{ int *kept[2] = {{{to}, {pointer()}}}; kept[{read()} & 1][{index()}] = {value}; }}",
            f"perhaps({to}, {index()});" if chance.random() < 0.3 else f"result += {read()};",
            f"__atomic_fetch_add({to} + {index()}, 1, __ATOMIC_RELAXED);",
        ])

    def text(self):
        words = {"tofrom": "tofrom", "to": "to", "always": "always, tofrom"}
        clauses = [f"map({words[kind]} : {p}[0 : n])" for p, kind in self.maps.items() if kind != "none"]
        params = ", ".join(f"int *{p}" for p in self.pointers)
        lines = [f"static int {self.name}({params}, int n) {{", "  int result = 0;"]
        lines.append(f"#pragma omp target {self.loop} map(tofrom : result) {' '.join(clauses)}")
        lines.append("  for (int i = 0; i < n; ++i) {")
        lines += [f"    {statement}" for statement in self.body]
        return "\n".join(lines + ["  }", "  return result;", "}", ""])


PAIR = """static void write_half(int *p, int round) {
#pragma omp target map(tofrom : p[0 : CELL]) firstprivate(round) nowait
  for (int i = 0; i < CELL / 2; ++i)
    p[i] = p[i] * 3 + round;
}
static int read_half(int *p) {
  int result = 0;
#pragma omp target map(tofrom : p[0 : CELL], result)
  for (int again = 0; again < 500; ++again)
    for (int i = CELL / 2; i < CELL; ++i)
      result += p[i] ^ again;
  return result;
}
"""


def launch(regions, chance):
    region = chance.choice(regions)
    cells = [chance.randrange(CELLS) for _ in region.pointers]
    if chance.random() < 0.5:
        cells = chance.sample(range(CELLS), len(cells))
    length = chance.choice([CELL, CELL, CELL, CELL - 1, CELL - 40, 10])
    # A pointer without a section has to lead into another one's.
    mapped = [cell for cell, p in zip(cells, region.pointers) if region.maps[p] != "none"]
    cells = [cell if region.maps[p] != "none" else chance.choice(mapped) for cell, p in zip(cells, region.pointers)]
    places = [f"pool + {cell * CELL}" for cell in cells]
    return f"result = {region.name}({', '.join(places)}, {length});"


def step(regions, chance):
    cell = chance.randrange(CELLS)
    section = f"pool[{cell * CELL} : CELL]"
    where = f"omp_target_is_present(pool + {cell * CELL}, 0)"
    return chance.choice([
        f"#pragma omp target enter data map(to : {section})",
        f"if ({where}) {{\n#pragma omp target exit data map({chance.choice(['from', 'release', 'delete'])} : {section})\n  }}",
        f"if ({where}) {{\n#pragma omp target update {chance.choice(['to', 'from'])}({section})\n  }}",
        f"for (int i = 0; i < CELL; ++i)\n    pool[{cell * CELL} + i] ^= {chance.randint(1, 99)} + i;",
        f"#pragma omp target data map({chance.choice(['to', 'tofrom'])} : {section})\n  {{\n  {launch(regions, chance)}\n  {launch(regions, chance)}\n  }}",
        f"write_half(pool + {cell * CELL}, {chance.randint(1, 9)});\n  result = read_half(pool + {cell * CELL});\n#pragma omp taskwait",
    ] + [launch(regions, chance) for _ in range(8)])


def program(seed):
    chance = random.Random(seed)
    regions = [Region(number, chance) for number in range(6)]
    lines = [HEAD, PAIR] + [region.text() for region in regions]
    lines += ["int main(void) {", "  int result = 0;", "  pool = malloc(CELLS * CELL * sizeof *pool);"]
    lines += ["  for (int i = 0; i < CELLS * CELL; ++i)", "    pool[i] = i * 7 % 1001;"]
    for number in range(24):
        lines += ["  " + step(regions, chance), f"  print({number}, result);"]
    return "\n".join(lines + ['  copied("all");', "}", ""])


def build(llvm, source, result, plugin):
    flags = ["-O2", "-w", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", f"-Wl,-rpath,{llvm}/lib", f"-I{HERE}"]
    if plugin:
        flags.append(f"-fpass-plugin={plugin}")
    subprocess.run([f"{llvm}/bin/clang", *flags, source, "-o", result], check=True)


def run(path):
    done = subprocess.run([path], capture_output=True, text=True, timeout=60, env={**os.environ, "IPDA_OFFLOAD": "always"})
    copied = [line for line in done.stderr.splitlines() if line.startswith("all: ")]
    numbers = [int(word) for word in copied[0].split() if word.isdigit()] if copied else [0, 0]
    return done.returncode, done.stdout, numbers


def main():
    plugin, llvm, folder, count = *sys.argv[1:4], int(sys.argv[4])
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    os.makedirs(folder, exist_ok=True)
    compared, wrong, sums = 0, 0, [0, 0]
    for seed in range(first, first + count):
        source = os.path.join(folder, f"{seed}.c")
        paths = [os.path.join(folder, f"{seed}.{name}") for name in ("plain", "with")]
        text = program(seed)
        with open(source, "w") as file:
            file.write(text)
        build(llvm, source, paths[0], None)
        build(llvm, source, paths[1], plugin)
        (status, expected, before), (other, printed, after) = run(paths[0]), run(paths[1])
        is_steady = all(run(paths[0])[:2] == (status, expected) for _ in range(2))
        for path in paths:
            os.remove(path)
        if status == 0 and is_steady:
            compared += 1
            sums = [sums[0] + before[1], sums[1] + after[1]]
            # Where regions run at the same time, how much is copied depends on who comes first.
            more = "write_half(pool" not in text and (before[0] != after[0] or before[1] < after[1])
            if other != 0 or printed != expected or more:
                wrong += 1
                print(f"{source}: exit status {other}, copied {before} and {after}, {'other' if printed != expected else 'the same'} results")
                continue
        os.remove(source)
    print(f"{compared} of {count} programs compared, {wrong} wrong; {sums[0]} bytes copied back without the plugin, {sums[1]} with it")
    return wrong > 0


sys.exit(main())
