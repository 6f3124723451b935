"""Prints a C source with target regions of a kind and size: what grows in it is far larger than people write, as generated code can be.

Usage: generate.py KIND SIZE
       generate.py kinds       the kinds, a line each
"""

import random
import sys


def region(parameters, maps, body, name="region"):
    print(f"void {name}({parameters}) {{\n#pragma omp target teams distribute parallel for {maps}\n  for (int i = 0; i < n; ++i) {{")
    print("\n".join(f"    {line}" for line in body))
    print("  }\n}")


def statements(size, pick):
    """Loads and stores of strides and places that differ."""
    body = []
    for k in range(size):
        body.append(f"a[i * 64 + {pick(64)}] = b[i + n * {pick(64)}] * {k}.5 + c[i * {pick(64)} + {k % 64}];")
        body.append(f"b[i + n * {pick(64)}] += a[i * 64 + {k % 64}];")
    maps = "map(tofrom : a[0 : n * 64]) map(tofrom : b[0 : n * 64]) map(to : c[0 : n * 64])"
    region("double *restrict a, double *restrict b, const double *restrict c, int n, int m", maps, body)


def branches(size, pick):
    """Conditions on data, one after the other."""
    body = ["int x = p[i];", "double sum = 0;"]
    body += [f"if (x & {1 << k % 30} && i > {k}) sum += a[i + {k}]; else sum -= a[i * {k + 1}];" for k in range(size)]
    region("double *a, const int *p, int n", "map(tofrom : a[0 : n]) map(to : p[0 : n])", [*body, "a[i] = sum;"])


def loops(size, pick):
    """Loops in a row, up and down, two for each."""
    body = []
    for k in range(size):
        body.append(f"for (int j = {k}; j < m; ++j) a[i * m + j] += b[j * n + i] * {k};")
        body.append(f"for (int j = m - 1; j >= {k}; --j) b[i * m + j] -= a[i * m + j - {k}];")
    region("double *a, double *b, int n, int m", "map(tofrom : a[0 : n * m]) map(tofrom : b[0 : n * m])", body)


def steps(size, pick):
    """An address that takes many steps to compute."""
    body = [f"x = x * {2 + pick(7)} + (x >> {1 + pick(4)}) - n * {k};" for k in range(size)]
    region("double *a, int n", "map(tofrom : a[0 : n])", ["long x = i;", *body, "a[x] = 1;"])


def arrays(size, pick):
    """Captured arrays, with a row's length each."""
    parameters = ", ".join(f"double *a{k}, int n{k}" for k in range(size))
    maps = " ".join(f"map(tofrom : a{k}[0 : n{k}])" for k in range(size))
    body = [f"a{k}[i * n{k}] += a{(k + 1) % size}[i] * n{(k + 3) % size};" for k in range(size)]
    region(f"{parameters}, int n", maps, body)


def regions(size, pick):
    """Small regions in one source."""
    for k in range(size):
        body = [
            f"double sum = {k};",
            f"for (int j = 0; j < n; ++j) sum += a[i * n + j] * b[j + {pick(64)}];",
            f"c[i + {pick(64)}] = sum;",
        ]
        maps = "map(to : a[0 : n * n], b[0 : n + 64]) map(tofrom : c[0 : n + 64])"
        region("const double *a, const double *b, double *c, int n", maps, body, name=f"region{k}")


def conditions(size, pick):
    """Conditions that chain the index of what comes next."""
    body = ["int x = i;"]
    body += [f"if (c[{k}] > i) x += {1 + pick(7)}; a[x] = {k};" for k in range(size)]
    region("double *a, const int *c, int n", f"map(tofrom : a[0 : n]) map(to : c[0 : {size}])", body)


def chain(size, pick):
    """Steps of a clustering: each looks for the last member of a group, may end the search, and goes on from what it has found."""
    body = ["int last = start[i], group = i;", "for (int round = 0; round < n; ++round) {"]
    for k in range(size):
        body += [
            "  if (last >= n) break;",
            "  for (int j = last; j < n; ++j) {",
            f"    if (key[j] > group + {k}) break;",
            "    if (key[j] == group) last = j;",
            "  }",
            "  if (last > i) group = label[last];",
        ]
    body += ["}", "start[i] = last;", "label[i] = group;"]
    maps = "map(to : key[0 : n]) map(tofrom : start[0 : n], label[0 : n])"
    region("int *start, int *label, const int *key, int n", maps, body)


TILER = """#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CEIL(n, d) (((n) < 0) ? -((-(n)) / (d)) : ((n) + (d) - 1) / (d))
#define FLOOR(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))"""


def nested(macro, parts):
    inner, *others = parts
    for other in others:
        inner = f"{macro}({inner}, {other})"
    return inner


def tiles(size, pick):
    """Bounds as tilers write them: of the shared loop and of an inner one, divided up and down, as many in each bound."""

    def head(indent, name, least, most, inner, shift):
        low = [f"CEIL(32 * i - {inner} - {k + shift}, {32 * (k + 1)})" for k in range(size)]
        high = [f"FLOOR(32 * i + {inner} + {k + 31 + shift}, {32 * (k + 1)})" for k in range(size)]
        least, most = nested("MAX", [least, *low]), nested("MIN", [*most, *high])
        return f"{'  ' * indent}for (int {name} = {least}; {name} <= {most}; ++{name})"

    body = [
        head(0, "t", "0", ["n / 32"], "m", 0),
        head(1, "u", "0", ["n / 32"], "t", 1),
        head(2, "r", "32 * i", ["n - 1", "32 * i + 31"], "t", 2),
        head(3, "j", "32 * t", ["n - 1", "32 * t + 31"], "u", 3),
        head(4, "k", "32 * u", ["n - 1", "32 * u + 31"], "j", 4),
        "          c[r * n + j] += a[r * n + k] * b[k * n + j];",
    ]
    print(TILER)
    maps = "map(to : a[0 : n * n], b[0 : n * n]) map(tofrom : c[0 : n * n])"
    region("const double *restrict a, const double *restrict b, double *restrict c, int n, int m", maps, body)


def updates(size, pick):
    """Values that change on one of two ways: what reaches the join is as many values."""
    body = [f"int v{k} = i + {k};" for k in range(size)]
    body.append("if (p[i] > 0) {")
    body += [f"  v{k} += {1 + pick(7)} * p[i + {k}];" for k in range(size)]
    body += ["}", *(f"a[v{k}] = {k};" for k in range(size))]
    region("double *a, const int *p, int n", "map(tofrom : a[0 : n]) map(to : p[0 : n])", body)


def carried(size, pick):
    """Values that a loop carries from one iteration to the next."""
    body = [f"int v{k} = i + {k};" for k in range(size)]
    body.append("for (int j = 0; j < n; ++j) {")
    body += [f"  a[v{k}] += j; v{k} += {1 + pick(7)};" for k in range(size)]
    body.append("}")
    region("double *a, int n", "map(tofrom : a[0 : n])", body)


def rotated(size, pick):
    """Values that a loop hands on, each to the next."""
    body = [f"int v{k} = p[i + {k}];" for k in range(size)]
    body += ["for (int j = 0; j < n; ++j) {", "  int first = v0;"]
    body += [f"  v{k} = v{k + 1};" for k in range(size - 1)]
    body += [f"  v{size - 1} = first;", "  a[v0 + j] += 1;", "}"]
    region("double *a, const int *p, int n", "map(tofrom : a[0 : n]) map(to : p[0 : n])", body)


def switches(size, pick):
    """Cases of one switch on data."""
    body = ["int x = i;", "switch (p[i]) {"]
    body += [f"case {k}: x = i * {1 + pick(7)} + {k}; break;" for k in range(size)]
    region("double *a, const int *p, int n", "map(tofrom : a[0 : n]) map(to : p[0 : n])", [*body, "}", "a[x] = 1;"])


def machine(size, pick):
    """Switches one after the other, each on what the one before has left."""
    body = ["int x = p[i];"]
    for k in range(size):
        cases = " ".join(f"case {c}: x += {pick(9)}; break;" for c in range(3))
        body.append(f"switch (x & 3) {{ {cases} default: x = p[i + {k}]; }}")
    region("double *a, const int *p, int n", "map(tofrom : a[0 : n]) map(to : p[0 : n])", [*body, "a[x] = 1;"])


def selects(size, pick):
    """An index that is clamped again and again."""
    body = ["int x = i;"]
    body += [f"x = x > n - {k} ? x - {1 + pick(7)} : x + {1 + pick(7)};" for k in range(size)]
    region("double *a, int n", "map(tofrom : a[0 : n])", [*body, "a[x] = 1;"])


def choices(size, pick):
    """One deep `?:`."""
    deep = f"i + {size}"
    for k in reversed(range(size)):
        deep = f"i < n - {k} * m ? i * {1 + pick(7)} + {k} : {deep}"
    region("double *a, int n, int m", "map(tofrom : a[0 : n])", [f"int x = {deep};", "a[x] = 1;"])


def walks(size, pick):
    """Pointers that walk step by step."""
    body = ["double *p = a + i;"]
    body += [f"*p += {k}; p += {1 + pick(7)} * s;" for k in range(size)]
    region("double *a, int n, int s", "map(tofrom : a[0 : n])", body)


def lists(size, pick):
    """An index that is looked up again and again."""
    body = ["int x = i;", *(f"x = next[x] + {k};" for k in range(size)), "a[x] = 1;"]
    region("double *a, const int *next, int n", "map(tofrom : a[0 : n]) map(to : next[0 : n])", body)


def depth(size, pick):
    """Loops one in the other."""
    body = []
    for k in range(size):
        body.append(f"{'  ' * k}for (int j{k} = 0; j{k} < m; ++j{k})")
    indices = " + ".join(f"j{k} * {k + 1}" for k in range(size))
    region("double *a, int n, int m", "map(tofrom : a[0 : n])", [*body, f"{'  ' * size}a[i + n * ({indices})] += 1;"])


def scalars(size, pick):
    """Captured numbers."""
    parameters = ", ".join(f"int n{k}" for k in range(size))
    body = [f"a[i * n{k} + {k}] += n{(k + 1) % size};" for k in range(size)]
    region(f"double *a, {parameters}, int n", "map(tofrom : a[0 : n])", body)


def helpers(size, pick):
    """Functions, each called once."""
    for k in range(size):
        print(f"static void helper{k}(double *a, int i, int n) {{ if (i > {k}) a[i * {1 + pick(7)} + n] += {k}; }}")
    region("double *a, int n", "map(tofrom : a[0 : n])", [f"helper{k}(a, i, n);" for k in range(size)])


def calls(size, pick):
    """Functions, each called by the next."""
    print("static int helper0(int i, int n) { return i; }")
    for k in range(1, size + 1):
        print(f"static int helper{k}(int i, int n) {{ return helper{k - 1}(i + {pick(9)}, n) + n * {1 + pick(7)}; }}")
    region("double *a, int n", "map(tofrom : a[0 : n])", [f"a[helper{size}(i, n)] = 1;"])


def gotos(size, pick):
    """Branches on data that jump ahead past others, into code that several share."""
    body = ["int x = p[i];", "int y = i;"]
    for k in range(size):
        body.append(f"l{k}: y += {1 + pick(7)}; if ((x >> {k % 31}) & 1) goto l{min(size, k + 1 + pick(3) + 1)};")
        body.append(f"a[y + {k}] += {k};")
    body.append(f"l{size}: a[y] = x;")
    region("double *a, const int *p, int n", "map(tofrom : a[0 : n]) map(to : p[0 : n])", body)


def jagged(size, pick):
    """Loops in one another and in a row whose counts are read from data that the loop before has written."""
    body = ["int s = p[i];"]
    for k in range(size):
        body.append(f"for (int j = s; j < p[s + {k}]; ++j) for (int l = j; l < p[j]; ++l) {{ a[l + j] += {k}; if (a[l] > {k}) s = l; }}")
    region("double *a, const int *p, int n", "map(tofrom : a[0 : n]) map(to : p[0 : n])", [*body, "a[s] = 1;"])


def meets(size, pick):
    """Arrays and accesses to each from a nest: whether two meet is asked of all pairs."""
    body = ["for (int j = 0; j < m; ++j) {"]
    for k in range(size):
        body.append(f"  a[(i + {pick(9)}) * m + j + {k}] += b[(j + {pick(9)}) * n + i] * a[i * m + j - {k}] + b[i * n + j + {pick(50)}];")
    region("double *a, double *b, int n, int m", "map(tofrom : a[0 : n * m], b[0 : n * m])", [*body, "}"])


def triangles(size, pick):
    """Loops one in the other, each up to the sum of those around it."""
    body = []
    for k in range(size):
        most = " + ".join([f"j{o}" for o in range(k)] or ["i"])
        body.append(f"for (int j{k} = 0; j{k} < {most} + m; ++j{k})")
    body.append("a[" + " + ".join(f"j{k} * n" for k in range(size)) + "] += 1;")
    region("double *a, int n, int m", "map(tofrom : a[0 : n])", body)


KINDS = {
    kind.__name__: kind
    for kind in (
        *(statements, branches, loops, steps, arrays, regions, conditions, chain, tiles, updates, carried, rotated, switches),
        *(machine, selects, choices, walks, lists, depth, scalars, helpers, calls),
        *(gotos, jagged, meets, triangles),
    )
}

if __name__ == "__main__":
    if sys.argv[1:] == ["kinds"]:
        sys.exit(print("\n".join(KINDS)))
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    KINDS[sys.argv[1]](int(sys.argv[2]), random.Random(7).randrange)
