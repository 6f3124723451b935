#!/usr/bin/env python3
"""Puts what launches share into a module as functions, in the place of the text for its assembler: sanitizers look at functions alone.

Usage: support_as_ir.py LLVM MODULE     LLVM is the folder of LLVM, MODULE a module in text, which is changed
"""

import re
import subprocess
import sys
from pathlib import Path

llvm, module = sys.argv[1], Path(sys.argv[2])
text = module.read_text()
version = re.search(r"__ipda_decide(\.[0-9a-f]{16})", text).group(1)
source = Path(__file__).parents[2] / "pass" / "support" / "decide.c"
flags = "-std=c11 -Oz -ffreestanding -nostdlibinc -fPIC -fvisibility=hidden -ffp-contract=off -S -emit-llvm -o -"
support = subprocess.run([f"{llvm}/bin/clang", *flags.split(), source], check=True, capture_output=True, text=True).stdout
# The library's functions have no version.
support = re.sub(r"@__ipda_(?!rt_)\w+", lambda name: name.group() + version, support)
parts = {".module.ll": re.sub(r"(?m)^module asm .*\n", "", text), ".support.ll": support}
for suffix, part in parts.items():
    Path(f"{module}{suffix}").write_text(part)
subprocess.run([f"{llvm}/bin/llvm-link", "-S", *(f"{module}{suffix}" for suffix in parts), "-o", module], check=True)
