#!/usr/bin/env python3
"""Random programs of maps, regions and pointers into common memory on the x86-64 offload target: without the plugin, with it, and with IPDA_MAPS=off.

  random_programs.py PLUGIN LLVM FOLDER COUNT [FIRST SEED]

All three builds must print the same, which is the whole memory behind each step, and that with IPDA_MAPS=off must copy the same. How much less comes back with
the plugin must print is computed here, from what regions are written to do and what the program has mapped (`Model`), and it must be exactly that. Programs that
OpenMP's runtime ends without the plugin, as where a section extends one that is mapped, are not compared, and where regions run at the same time, how much
is copied depends on who comes first, and only results are. COUNT programs share files, PROGRAMS in each; each runs in a process of its own.

IPDA_OFFLOAD=always holds, but every fourth file is built with what decides between host and device, and runs with IPDA_OFFLOAD=never and `model` as well, where
all that counts is what it prints.
"""

import os
import random
import subprocess
import sys

PROGRAMS = 50
REGIONS = 16
STEPS = 14
CELLS = 6
CELL = 300
INT = 4
# Private copies of so many bytes and fewer are packed, and stay as they are.
PACKED = 1024
HERE = os.path.dirname(os.path.abspath(__file__))

HEAD = f"""#include "copied.inc"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum {{ CELLS = {CELLS}, CELL = {CELL} }};
struct block {{ int a[CELL], tail; }};
static int *pool;
static int g0[CELL], g1[CELL];
static struct block b0, b1;
#pragma omp declare target
int dt[CELL];
#pragma omp end declare target
static int *gp;
typedef int operation(int *, int);
static int load(const int *p, int i) {{ return p[i]; }}
static void put(int *p, int i, int value) {{ p[i] = value; }}
__attribute__((noinline)) static int look(int *p, int i) {{ return p[i] ^ 3; }}
__attribute__((noinline)) static void drop(int *p, int i, int value) {{ p[i] ^= value; }}
static void drop_twice(int *p, int *q, int i) {{ put(p, i, load(q, i)), drop(q, i, 5); }}
__attribute__((weak)) void perhaps(int *p, int i) {{ p[i] += 3; }}
static int add_one(int *p, int i) {{ return p[i] += 1; }}
static int read_one(int *p, int i) {{ return p[i]; }}
static unsigned hash_of(unsigned hash, const int *p, int n) {{
  for (int i = 0; i < n; ++i)
    hash = hash * 31 + (unsigned)p[i];
  return hash;
}}
static void print(int program, int step, int result) {{
  unsigned hash = hash_of(17, pool, CELLS * CELL);
  hash = hash_of(hash_of(hash, g0, CELL), g1, CELL);
  hash = hash_of(hash_of(hash, b0.a, CELL + 1), b1.a, CELL + 1);
  printf("%d.%d: %d %u\\n", program, step, result, hash_of(hash, dt, CELL));
  fflush(stdout);
}}
"""

PAIR = """static void write_half(int *p, int round) {
#pragma omp target map(tofrom : p[0 : CELL]) firstprivate(round) nowait
  for (int i = 0; i < CELL / 2; ++i)
    p[i] = p[i] * 3 + round;
}
static void write_half_and_wait(int *p, int round) {
#pragma omp target map(tofrom : p[0 : CELL]) firstprivate(round)
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
static void read_half_nowait(int *p, int *result) {
#pragma omp target map(tofrom : p[0 : CELL], result[0 : 1]) nowait
  for (int again = 0; again < 500; ++again)
    for (int i = CELL / 2; i < CELL; ++i)
      result[0] += p[i] ^ again;
}
"""

MAIN = """int main(void) {
  for (int number = 0; number < PROGRAMS; ++number) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
      start();
      programs[number]();
      fflush(stdout);
      char name[20];
      snprintf(name, sizeof name, "%d", number);
      copied(name);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%d: status %d\\n", number, status);
  }
}
"""

START = """static void start(void) {
  pool = malloc(CELLS * CELL * sizeof *pool);
  for (int i = 0; i < CELLS * CELL; ++i)
    pool[i] = i * 7 % 1001;
  for (int i = 0; i < CELL; ++i)
    g0[i] = i * 5 % 37, g1[i] = i ^ 21, b0.a[i] = i * i % 101, b1.a[i] = 300 - i, dt[i] = i % 11;
#pragma omp target update to(dt)
}
"""


class Variable:
    """What a region reads and writes: a pointer that it is given, an array of the file, a block."""

    def __init__(self, name, kind, chance):
        self.name, self.kind = name, kind
        if kind == "pointer":
            words = ["tofrom"] * 16 + ["to", "none", "always", "present", "close", "hold", "empty"]
            self.map = chance.choice(words)
            self.has_offset = chance.random() < 0.25 and self.map not in ("none", "empty")
        elif kind == "array":
            self.map, self.has_offset = chance.choice(["none", "tofrom", "section"]), False
        elif kind == "block":
            self.map, self.has_offset = chance.choice(["tofrom"] * 3 + ["member", "section", "members"]), False
        else:
            self.map, self.has_offset = "tofrom", False

    def place(self):
        return f"{self.name}->a" if self.kind == "block" else f"({self.name} + o)" if self.has_offset else self.name

    def at(self, index):
        return f"{self.place()}[{index}]"

    def clause(self):
        begin = "o" if self.has_offset else "0"
        section = f"{self.name}[{begin} : n]"
        if self.kind == "block":
            what = {"tofrom": f"{self.name}[0 : 1]", "member": f"{self.name}->a", "section": f"{self.name}->a[0 : n]",
                    "members": f"{self.name}->a, {self.name}->tail"}
            return f"map(tofrom : {what[self.map]})"
        if self.kind == "array":
            return {"none": "", "tofrom": f"map(tofrom : {self.name})", "section": f"map(tofrom : {section})"}[self.map]
        words = {"tofrom": "tofrom", "to": "to", "always": "always, tofrom", "present": "present, tofrom", "close": "close, tofrom",
                 "hold": "ompx_hold, tofrom"}
        if self.map == "empty":
            return f"map(tofrom : {self.name}[0 : 0])"
        return f"map({words[self.map]} : {section})" if self.map in words else ""

    def keeps_launch(self):
        """Whether a launch with it copies as its clauses say."""
        return self.kind == "file pointer" or self.map in ("none", "empty") and self.kind == "pointer" or self.map in (
            "always", "present", "close", "hold", "members") or self.kind == "block" and self.map == "section"

    def parameter(self):
        return {"pointer": f"int *{self.name}", "block": f"struct block *{self.name}"}.get(self.kind)

    def size(self, length):
        """The bytes that it maps."""
        if self.kind == "block" and self.map != "section":
            return INT * (CELL if self.map == "member" else CELL + 1)
        if self.kind == "array" and self.map != "section":
            return INT * CELL
        return 0 if self.map in ("none", "empty") and self.kind == "pointer" else INT * length


class Statement:
    """What a statement reads, and where, as far as that is one index, and what it fills."""

    def __init__(self):
        self.reads, self.fills = [], None


class Region:
    """A function with one region."""

    def __init__(self, number, chance):
        self.name = f"region{number}"
        kinds = [chance.choice(["pointer"] * 6 + ["array", "block", "file pointer"]) for _ in range(chance.choice([1, 2, 2, 3, 3, 3]))]
        free = {"array": ["g0", "g1"], "file pointer": ["gp"]}
        self.variables = []
        for at, kind in enumerate(kinds):
            names = free.get(kind, [f"p{at}"])
            if names:
                self.variables.append(Variable(names.pop(0), kind, chance))
        self.written, self.is_any, self.has_atomics, self.statements = set(), False, False, []
        # Some read alone, and some begin with a store to all of the first variable.
        self.is_quiet, is_filling = chance.random() < 0.25, chance.random() < 0.3
        self.body = [self.filling(chance)] if is_filling else []
        self.body += [self.statement(chance) for _ in range(chance.randint(0 if is_filling else 1, 3))]
        # What is mapped and not used is no argument of the kernel.
        for variable in self.variables:
            if not any(variable.place() in line for line in self.body):
                self.body.append(f"result += {variable.at('i')};")
                self.statements.append(Statement())
                self.statements[-1].reads.append((variable.name, "i"))
        if not any("result" in line for line in self.body):
            self.body.append("result ^= i;")
        self.is_nowait = chance.random() < 0.1
        self.loop = chance.choice(["", "", "teams distribute parallel for num_teams(1) thread_limit(1)", "parallel for num_threads(1)"])
        self.clauses = " nowait" if self.is_nowait else ""
        self.clauses += chance.choice([""] * 8 + [" depend(inout : result)"])
        self.has_device, self.has_if = chance.random() < 0.2, chance.random() < 0.15
        if self.has_device:
            self.clauses += " device(device)"
        if self.has_if:
            self.clauses += " if(target : on)"

    def filling(self, chance):
        first, *others = self.variables
        index = chance.choice(["i", "n - 1 - i"])
        self.statements.append(Statement())
        self.statements[-1].fills = (first.name, index)
        self.written.add(first.name)
        self.statements[-1].reads += [(variable.name, index) for variable in others]
        value = " + ".join([variable.at(index) for variable in others] + ["i"])
        return chance.choice([f"{first.at(index)} = {value};", f"put({first.place()}, {index}, {value});"])

    def statement(self, chance):
        at = len(self.statements)
        self.statements.append(Statement())
        pick = lambda: chance.choice(self.variables)
        index = chance.choice(["i", "i", "i", "n - 1 - i", "i / 2"])
        to, other, number = pick(), pick(), chance.randint(1, 9)

        # Of two of which one is read, nobody knows which.
        same = index if to is other else None

        def reads(variable, where=None):
            self.statements[at].reads.append((variable.name, where))
            return variable

        def read():
            place = reads(pick(), index)
            return chance.choice([place.at(index), f"load({place.place()}, {index})", f"look({place.place()}, {index})"])

        def value():
            return f"{read()} + {read()} * {number}"

        def fills():
            """A store to all of it, if the statements around say so, where the loop's numbers are those of the section."""
            if index != "i / 2":
                self.statements[at].fills = (to.name, index)
            return to

        def decides(write):
            """What decides between two places. Where they are one, it is not read."""
            condition = read()
            if to is other:
                self.statements[at].reads.pop()
                if write:
                    fills()
            return f"{condition} & 1"

        def either(write):
            return f"{decides(write)} ? {to.place()} : {other.place()}"

        def written(*variables):
            self.written.update(variable.name for variable in variables)

        def anything(*variables):
            self.is_any = True
            return written(*variables)

        def waits():
            self.has_atomics = True

        # What a statement is, and before that what is noted of it.
        reading = [
            lambda: f"result += {value()};",
            lambda: f"result ^= {read()};",
            lambda: f"result += {to.place()} == {other.place()};",
            lambda: f"{{ int kept[2] = {{{read()}, {read()}}}; kept[{read()} & 1] = i; result += kept[0]; }}",
            lambda: f"{{ const int *at = {either(False)}; {reads(reads(to, same) and other, same) and 'result'} += at[{index}]; }}",
            lambda: f"result += dt[i] + {read()};",
            lambda: f"dt[i] = {value()};",
            lambda: f"switch ({read()} & 3) {{ case 0: result += {read()}; break; case 1: result ^= 77; default: result += 3; }}",
            lambda: f"for (const int *at = {reads(to).place()} + n / 2, *end = {to.place()} + n; at < end; at += 7) result += *at;",
        ]
        writing = [
            lambda: f"{fills().at(index)} = {value()};",
            lambda: f"{fills().at(index)} = {number} + i;",
            lambda: f"{fills().at(index)} = {value()};",
            lambda: f"put({fills().place()}, {index}, {value()});",
            lambda: f"drop({reads(to, index).place()}, {index}, {value()});",
            lambda: f"drop_twice({(to if to is other else fills()).place()}, {reads(other, index).place()}, {index});",
            lambda: f"if ({read()} & 1) {reads(to, index).at(index)} += {number};",
            lambda: f"if ({read()} & 1) {to.at(index)} = {number};",
            lambda: f"if (n < 0) {reads(to, index).at(index)} += {number};",
            lambda: f"*(({either(True)}) + {index}) = {value()};",
            lambda: f"*(({either(True)}) + {index}) = {number};",
            lambda: f"{fills().at(index)} = {number};" if to is other else
            f"{{ int *at = {to.place()}; if ({read()} & 1) at = {other.place()}; at[{index}] = {number}; }}",
            lambda: f"memcpy({to.place()} + n / 2, {reads(other).place()}, n / 4 * sizeof(int));",
            lambda: f"memset({to.place()} + n / 2, {number}, n / 4 * sizeof(int));",
            lambda: waits() or f"__atomic_fetch_add({to.place()} + {index}, 1, __ATOMIC_RELAXED);",
            lambda: waits() or f"{{\n#pragma omp atomic\n    {to.at(index)} += {read()};\n    }}",
            lambda: f"{{ int *at = {reads(to).place()}; for (int k = 0; k < 3 && k < n; ++k, ++at) *at += k; }}",
        ]
        unknown = [
            lambda: f"{{ int *kept[2] = {{{to.place()}, {other.place()}}}; kept[{read()} & 1][{index}] = {value()}; }}",
            lambda: f"perhaps({to.place()}, {index});",
            lambda: f"*(int *)((unsigned long){to.place()} + 4ul * ({index})) = {number};",
            lambda: f"{{ operation *all[2] = {{add_one, read_one}}; result += all[{read()} & 1]({to.place()}, {index}); }}",
        ]
        sort = chance.random()
        if self.is_quiet or sort < 0.3:
            return chance.choice(reading)()
        if sort < 0.85:
            written(to)
            text = chance.choice(writing)()
            if "drop_twice" in text or " : " in text or " at = " in text:
                written(other)
            return text
        anything(to)
        return chance.choice(unknown)()

    def is_filled(self, name):
        """Whether each iteration stores to the variable, and reads nothing of it before, or elsewhere."""
        if self.is_any or self.has_atomics:
            return False
        for at, statement in enumerate(self.statements):
            if statement.fills and statement.fills[0] == name:
                index = statement.fills[1]
                before = [read for earlier in self.statements[: at + 1] for read in earlier.reads]
                behind = [read for later in self.statements[at + 1 :] for read in later.reads]
                return all(read[0] != name for read in before) and all(read[0] != name or read[1] == index for read in behind)
        return False

    def text(self):
        clauses = " ".join(variable.clause() for variable in self.variables)
        params = [variable.parameter() for variable in self.variables] + ["int n", "int o", "int device", "int on"]
        lines = [f"static int {self.name}({', '.join(param for param in params if param)}) {{", "  int result = 0;"]
        lines.append(f"#pragma omp target {self.loop} map(tofrom : result) {clauses}{self.clauses}")
        lines.append("  for (int i = 0; i < n; ++i) {")
        lines += [f"    {statement}" for statement in self.body] + ["  }"]
        if "depend" in self.clauses or self.is_nowait:
            lines.append("#pragma omp taskwait")
        return "\n".join(lines + ["  return result;", "}", ""])

    def is_kept(self):
        return self.is_nowait or any(variable.keeps_launch() for variable in self.variables)


class Model:
    """What is on each device: begin, end and count of sections, by objects."""

    def __init__(self):
        self.devices = [[["dt", 0, INT * CELL, 1 << 30]], [["dt", 0, INT * CELL, 1 << 30]]]
        self.saved, self.saved_there = 0, 0
        self.is_timed = False
        # How often something maps what a pointer of the file leads to. The runtime writes it again where its place on the device is another than last time.
        self.attached = 0

    def find(self, device, obj, begin, end):
        """The section that holds another one; False where they overlap otherwise."""
        for section in self.devices[device]:
            if section[0] == obj and section[1] <= begin and end <= section[2]:
                return section
        if any(section[0] == obj and section[1] < end and begin < section[2] for section in self.devices[device]):
            return False
        return None

    def has(self, device, obj, byte):
        return bool(self.find(device, obj, byte, byte + 1))

    def enter(self, device, obj, begin, end):
        self.attached += obj == "pool"
        found = self.find(device, obj, begin, end)
        if found is None:
            self.devices[device].append([obj, begin, end, 1])
        elif found:
            found[3] += 1
        return found is not False

    def leave(self, device, obj, begin, end, deletes=False):
        found = self.find(device, obj, begin, end)
        if found:
            found[3] = found[3] if obj == "dt" else 0 if deletes else found[3] - 1
            if not found[3]:
                self.devices[device].remove(found)

    def launch(self, region, entries, length, device, level, is_on):
        """Notes what comes back no more; False where OpenMP does not say what happens."""
        sections = [(obj, begin, begin + size) for _, obj, begin, size in entries]
        for at, (obj, begin, end) in enumerate(sections):
            found = self.find(device, obj, begin, end) if end > begin else self.has(device, obj, begin)
            overlaps = any(other[0] == obj and other[1] < end and begin < other[2] and other[1:] != (begin, end)
                           for to, other in enumerate(sections) if to != at)
            # Where the section comes later, the runtime counts it as mapped twice, and leaves it there.
            is_inside = end == begin and any(other[0] == obj and other[1] <= begin < other[2] for other in sections[:at])
            # A pointer without a section leads to something.
            if found is False and end > begin or (overlaps and not found) or (end == begin and not found and not is_inside):
                return not is_on
            if entries[at][0].map == "present" and not found:
                return not is_on
        self.attached += is_on and any(variable.kind == "file pointer" for variable in region.variables)
        if not is_on or level or region.is_kept() or region.is_any:
            return True
        for at, (variable, obj, begin, size) in enumerate(entries):
            is_apart = all(other[0] != obj or other[2] <= begin or begin + size <= other[1] for to, other in enumerate(sections) if to != at)
            if variable.map != "to" and variable.name not in region.written and size > PACKED and is_apart and not self.has(device, obj, begin):
                self.saved += size
            # Of a block, the last member is not written.
            is_all = size == INT * length
            if variable.map != "to" and region.is_filled(variable.name) and size > PACKED and is_all and is_apart and not self.has(device, obj, begin):
                self.saved_there += size
        return True


class Program:
    """A sequence of steps."""

    def __init__(self, number, regions, chance):
        self.number, self.regions, self.chance = number, regions, chance
        self.model, self.lines, self.gp = Model(), [], 0
        self.has_pairs = chance.random() < 0.2
        self.lines.append("  gp = pool;")
        for step in range(STEPS):
            self.lines += [f"  {line}" for line in self.step()] + [f"  print({number}, {step}, result);"]

    def text(self):
        return "\n".join([f"static void program{self.number}(void) {{", "  int result = 0;"] + self.lines + ["}", ""])

    def object(self, kind):
        """An object to point to: its text, its name in the model, and the byte where it begins."""
        chance = self.chance
        if kind == "block":
            name = chance.choice(["b0", "b1"])
            return f"&{name}", name, 0
        if chance.random() < 0.08:
            name = chance.choice(["g0", "g1", "dt"])
            return name, name, 0
        cell = chance.randrange(CELLS)
        return f"pool + {cell * CELL}", "pool", cell * CELL * INT

    def launch(self, level=0, has_twin=False):
        chance = self.chance
        for _ in range(20):
            region = chance.choice(self.regions)
            if has_twin and region.is_nowait:
                continue
            length = chance.choice([CELL, CELL, CELL, CELL - 1, 257, 256, 10, 1])
            offset = chance.choice([0, 0, 0, 4, 40]) if length + 40 <= CELL else 0
            device = chance.choice([0, 0, 0, 1]) if region.has_device else 0
            is_on = not region.has_if or chance.random() < 0.6
            places, entries = [], []
            for variable in region.variables:
                if variable.kind in ("pointer", "block"):
                    text, obj, begin = self.object(variable.kind)
                    places.append(text)
                elif variable.kind == "array":
                    obj, begin = variable.name, 0
                else:
                    obj, begin = "pool", self.gp
                size = variable.size(length)
                entries.append((variable, obj, begin + (INT * offset if variable.has_offset else 0), size))
            # Arrays that a host's version works on may be on the device: each has its own.
            if self.model.launch(region, entries, length, device, level, is_on):
                return f"result = {region.name}({', '.join(places + [str(length), str(offset), str(device), str(int(is_on))])});"
        return "result ^= 1;"

    def section(self):
        chance = self.chance
        sort = chance.random()
        if sort < 0.15:
            name = chance.choice(["g0", "g1"])
            return f"{name}[0 : CELL]", name, 0, INT * CELL
        if sort < 0.25:
            name = chance.choice(["b0", "b1"])
            return name, name, 0, INT * (CELL + 1)
        cell, begin = chance.randrange(CELLS), chance.choice([0, 0, 0, 4, 40])
        length = chance.choice([CELL, CELL, CELL, 2 * CELL]) - begin
        if cell == CELLS - 1:
            length = min(length, CELL - begin)
        first = cell * CELL + begin
        return f"pool[{first} : {length}]", "pool", INT * first, INT * (first + length)

    def step(self):
        chance, model = self.chance, self.model
        sort = chance.choice(["launch"] * 12 + ["enter"] * 2 + ["exit"] * 2 + ["update", "host", "host", "data", "data", "pair", "pair", "single", "task", "file", "sections"])
        text, obj, begin, end = self.section()
        device = chance.choice([0, 0, 0, 1])
        if sort == "enter" and model.enter(device, obj, begin, end):
            return [f"#pragma omp target enter data map(to : {text}) device({device})"]
        found = model.find(device, obj, begin, end)
        if sort == "exit" and found:
            way = chance.choice(["from", "release", "delete", "always, from"])
            model.leave(device, obj, begin, end, way == "delete")
            return [f"#pragma omp target exit data map({way} : {text}) device({device})"]
        if sort == "update":
            if chance.random() < 0.3:
                return [f"#pragma omp target update {chance.choice(['to', 'from'])}(dt)"]
            if found:
                return [f"#pragma omp target update {chance.choice(['to', 'from'])}({text}) device({device})"]
        if sort == "host":
            name, length = chance.choice([(f"(pool + {chance.randrange(CELLS) * CELL})", "CELL"), ("g0", "CELL"), ("g1", "CELL"), ("b0.a", "CELL"), ("dt", "CELL")])
            return [f"for (int i = 0; i < {length}; ++i)", f"  {name}[i] ^= {chance.randint(1, 99)} + i;"]
        if sort == "data" and model.enter(0, obj, begin, end):
            inner = [f"  {self.launch()}" for _ in range(chance.randint(1, 3))]
            model.leave(0, obj, begin, end)
            return [f"#pragma omp target data map({chance.choice(['to', 'tofrom'])} : {text})", "{"] + inner + ["}"]
        if sort in ("pair", "sections") and self.has_pairs:
            cell, round_ = chance.randrange(CELLS), chance.randint(1, 9)
            # Each maps the cell.
            if model.find(0, "pool", INT * cell * CELL, INT * (cell + 1) * CELL) is False:
                return ["result += 2;"]
            model.is_timed = True
            place = f"pool + {cell * CELL}"
            if sort == "pair":
                reads = chance.choice([f"result = read_half({place});", f"result = 0; read_half_nowait({place}, &result);"])
                return [f"write_half({place}, {round_});", reads, "#pragma omp taskwait"]
            return ["#pragma omp parallel sections num_threads(2)", "{", "#pragma omp section", f"write_half_and_wait({place}, {round_});",
                    "#pragma omp section", f"result = read_half({place});", "}"]
        if sort == "single":
            return ["#pragma omp parallel num_threads(2)", "#pragma omp single", self.launch(level=1, has_twin=True)]
        if sort == "task":
            return ["#pragma omp task shared(result)", self.launch(has_twin=True), "#pragma omp taskwait"]
        if sort == "file":
            self.gp = INT * CELL * chance.randrange(CELLS)
            return [f"gp = pool + {self.gp // INT};"]
        return [self.launch()]


def make(seed, count):
    """The text of a file, and its programs."""
    chance = random.Random(seed)
    regions = [Region(number, chance) for number in range(REGIONS)]
    programs = [Program(number, regions, chance) for number in range(count)]
    names = ", ".join(f"program{number}" for number in range(count))
    lines = [HEAD, PAIR] + [region.text() for region in regions] + [program.text() for program in programs]
    lines += [START, f"enum {{ PROGRAMS = {count} }};", f"static void (*const programs[PROGRAMS])(void) = {{{names}}};", MAIN]
    return "\n".join(lines), programs


def build(llvm, source, result, plugin, decision="off", **variables):
    flags = ["-O1", "-w", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", f"-Wl,-rpath,{llvm}/lib", f"-I{HERE}"]
    if plugin:
        flags.append(f"-fpass-plugin={plugin}")
    subprocess.run([f"{llvm}/bin/clang", *flags, source, "-o", result], check=True, env={**os.environ, "IPDA_DECISION": decision, **variables})


def run(path, **variables):
    """By programs: what each printed, with its status, and the bytes that it copied there and back."""
    env = {**os.environ, "IPDA_OFFLOAD": "always", **variables}
    done = subprocess.run([path], capture_output=True, text=True, errors="replace", timeout=600, env=env)
    printed, copied = {}, {}
    for line in done.stdout.splitlines():
        printed.setdefault(line.split(".")[0].split(":")[0], []).append(line)
    for line in done.stderr.splitlines():
        words = line.replace(":", "").split()
        if len(words) == 6 and words[2] == "bytes":
            copied[words[0]] = (int(words[1]), int(words[4]))
    return printed, copied


class Sums:
    def __init__(self):
        self.compared, self.wrong, self.ended, self.unsteady, self.counted = 0, 0, 0, 0, 0
        # What is copied without the plugin, and how much less with it.
        self.there, self.back = [0, 0], [0, 0]


def compare(programs, runs, others, sums):
    """Adds what came of one file's programs; what is wrong with them."""
    plain, again, with_it, off = runs
    reported = []
    for program in programs:
        name = str(program.number)
        printed = plain[0].get(name)
        if not printed or printed[-1] != f"{name}: status 0":
            sums.ended += 1
            continue
        if again[0].get(name) != printed:
            sums.unsteady += 1
            continue
        sums.compared += 1
        wrongs = [what for what, run in [("with it", with_it), ("off", off)] + others if run[0].get(name) != printed]
        if not program.model.is_timed:
            (there, back), (there_with, back_with) = plain[1][name], with_it[1].get(name, (0, 0))
            if off[1].get(name) != (there, back):
                wrongs.append("other copies with IPDA_MAPS=off")
            model = program.model
            expected = there - model.saved_there
            if abs(expected - there_with) > 8 * model.attached or back - back_with != model.saved:
                wrongs.append(f"copied {there_with} there and {back_with} back, not {expected} and {back - model.saved}")
            sums.counted += 1
            sums.there = [sums.there[0] + there, sums.there[1] + model.saved_there]
            sums.back = [sums.back[0] + back, sums.back[1] + model.saved]
        if wrongs:
            sums.wrong += 1
            reported.append(f"program {name}: {', '.join(wrongs)}")
    return reported


def one_file(plugin, llvm, folder, seed, count, sums, is_reported=True):
    """Makes a file of programs, builds and runs them, and adds what came of it."""
    os.makedirs(folder, exist_ok=True)
    text, programs = make(seed, count)
    source = os.path.join(folder, f"{seed}.c")
    plain, with_it, off = [os.path.join(folder, f"{seed}.{name}") for name in ("plain", "with", "off")]
    with open(source, "w") as file:
        file.write(text)
    decides = seed % 4 == 0
    try:
        build(llvm, source, plain, None)
    except subprocess.CalledProcessError:
        # clang alone makes no program of some, as where a device's code only maps an array of the file.
        sums.ended += count
        os.remove(source)
        return
    build(llvm, source, with_it, plugin, "on" if decides else "off")
    build(llvm, source, off, plugin, IPDA_MAPS="off")
    runs = [run(plain), run(plain), run(with_it), run(off)]
    others = [(f"IPDA_OFFLOAD={word}", run(with_it, IPDA_OFFLOAD=word)) for word in ("never", "model")] if decides else []
    wrong = compare(programs, runs, others, sums)
    for line in wrong if is_reported else []:
        print(f"{source}: {line}", flush=True)
    for path in [plain, with_it, off] + ([] if wrong and is_reported else [source]):
        os.remove(path)


def main():
    plugin, llvm, folder, count = *sys.argv[1:4], int(sys.argv[4])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    sums = Sums()
    while count > 0:
        one_file(plugin, llvm, folder, seed, min(count, PROGRAMS), sums)
        count, seed = count - PROGRAMS, seed + 1
    print(f"{sums.compared} programs compared, {sums.wrong} wrong; {sums.ended} that clang or the runtime ends and {sums.unsteady} that print other things each "
          f"time left out; in {sums.counted}, {sums.there[0]} bytes go there and {sums.back[0]} come back without the plugin, and {sums.there[1]} and "
          f"{sums.back[1]} less with it")
    return sums.wrong > 0


if __name__ == "__main__":
    sys.exit(main())
