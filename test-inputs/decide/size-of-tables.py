"""Bytes that an object has for decisions: of its table, and of what all objects of a program share. Prints both, and whether they are within bounds."""

import re
import subprocess
import sys

size, path, *bounds = sys.argv[1:]
text = subprocess.run([size, "-A", path], check=True, capture_output=True, text=True).stdout
sections = re.findall(r"^(\S+) +(\d+) ", text, re.M)
table = sum(int(count) for name, count in sections if name == "ipda.table")
shared = sum(int(count) for name, count in sections if re.fullmatch(r"\.(text|text\.unlikely|rodata)\.__ipda", name))
for what, count, bound in zip(("table", "shared"), (table, shared), map(int, bounds), strict=True):
    print(f"{what}: {count} bytes, {'within' if 0 < count <= bound else 'not within'} {bound}")
