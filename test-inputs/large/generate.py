"""Prints a C source with one target region of a kind and size: what grows in it is far larger than people write, as generated code can be.

Usage: generate.py statements|branches|loops|steps|arrays SIZE
"""

import random
import sys


def region(parameters, maps, body):
    print(f"void region({parameters}) {{\n#pragma omp target teams distribute parallel for {maps}\n  for (int i = 0; i < n; ++i) {{")
    print("\n".join(f"    {line}" for line in body))
    print("  }\n}")


def statements(size, pick):
    """Loads and stores of strides and places that differ."""
    body = []
    for k in range(size):
        body.append(f"a[i * 64 + {pick(64)}] = b[i + n * {pick(64)}] * {k}.5 + c[i * {pick(64)} + {k % 64}];")
        body.append(f"b[i + n * {pick(64)}] += a[i * 64 + {k % 64}];")
    maps = "map(tofrom : a[0 : n * 64]) map(tofrom : b[0 : n * 64]) map(to : c[0 : n * 64])"
    region("double *restrict a, double *restrict b, const double *restrict c, int n", maps, body)


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


KINDS = {kind.__name__: kind for kind in (statements, branches, loops, steps, arrays)}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    KINDS[sys.argv[1]](int(sys.argv[2]), random.Random(7).randrange)
