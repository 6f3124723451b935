#!/usr/bin/env python3
"""Whether random_programs.py finds what is wrong with a plugin that leaves out one of its rules about maps.

  mutants.py REPOSITORY LLVM FOLDER [NAME...]

Copies the sources to FOLDER with all the mutants below in them, builds the plugin there once (some minutes), and runs random programs with each, chosen by
IPDA_MUTANT, until some are wrong, or 500 have been compared. IPDA_MUTANT unset, nothing may be wrong. With names, it runs those alone.
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = 10

WRITTEN, READ_ONLY, DECIDE = "pass/src/analysis/written.rs", "pass/src/decision/read_only.rs", "pass/support/decide.c"
OVERWRITTEN = "pass/src/transform/overwritten.rs"
# File, the code as it is, and what it becomes; `MUTANT(name)` there is whether that mutant is chosen.
PLACES = [
    (WRITTEN, "        Opcode::LLVMStore => Some(vec![instruction.operand(1)]),",
     "        Opcode::LLVMStore if MUTANT(stores) => Some(Vec::new()),\n        Opcode::LLVMStore => Some(vec![instruction.operand(1)]),"),
    (WRITTEN, "        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => Some(",
     "        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg if MUTANT(atomics) => Some(Vec::new()),\n"
     "        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => Some("),
    (WRITTEN, "        return Some(vec![call.operand(0)]);", "        return Some(if MUTANT(blocks) { Vec::new() } else { vec![call.operand(0)] });"),
    (WRITTEN, "effects::is_harmless(&name)).then(Vec::new)", "effects::is_harmless(&name) || MUTANT(calls)).then(Vec::new)"),
    # What is called and not understood is a reason of its own to know nothing of a region.
    (WRITTEN, "filter(|_| flat.log.first().is_none())", "filter(|_| MUTANT(calls) || MUTANT(unknown-functions) || flat.log.first().is_none())"),
    (WRITTEN, "    let name = call.callee()?.name();", "    if MUTANT(unknown-functions) && call.callee().is_none() {\n        return Some(Vec::new());\n    }\n    let name = call.callee()?.name();"),
    (WRITTEN, "            _ => return None,\n        }\n    }\n    Some(found)", "            _ if MUTANT(pointers-from-memory) => {}\n            _ => return None,\n        }\n    }\n    Some(found)"),
    (WRITTEN, "open.extend([value.operand(1), value.operand(2)])", "open.extend([value.operand(1), value.operand(if MUTANT(one-of-two) { 1 } else { 2 })])"),
    (WRITTEN, "open.extend(value.incoming().into_iter().map(|(incoming, _)| incoming))",
     "open.extend(value.incoming().into_iter().map(|(incoming, _)| incoming).take(if MUTANT(one-of-some) { 1 } else { 99 }))"),
    (WRITTEN, "*uses.get_mut(param.checked_sub(1)?)?", "*uses.get_mut(param.checked_sub(if MUTANT(another-argument) && param > 1 { 2 } else { 1 })?)?"),
    # The threads that do such work for others are in a parallel region.
    (READ_ONLY, "    let waits = !waits.is_empty() &&", "    let waits = MUTANT(nowait) || !waits.is_empty() &&"),
    (READ_ONLY, "|| !flags.iter().all(|&flags| is_plain(flags))", "|| !MUTANT(modifiers) && !flags.iter().all(|&flags| is_plain(flags))"),
    (READ_ONLY, "is_both(**flags) && **found == Use::NeverWritten", "(is_both(**flags) || MUTANT(one-way) && **flags == 0x21) && **found == Use::NeverWritten"),
    (OVERWRITTEN, "own.all(|read| is_behind(", "own.all(|read| MUTANT(reads) || is_behind("),
    (OVERWRITTEN, "    comes_before\n", "    (comes_before || MUTANT(reads-before))\n"),
    (OVERWRITTEN, "&& address(analysis, read) == address(analysis, store)", "&& (MUTANT(other-places) || address(analysis, read) == address(analysis, store))"),
    (OVERWRITTEN, "|| !runs_in_every_iteration(", "|| !MUTANT(sometimes) && !runs_in_every_iteration("),
    (OVERWRITTEN, "        let [param] = store.params[..] else { continue };", "        let [param, ..] = store.params[..] else { continue };\n        if store.params.len() > 1 && !MUTANT(two-places) {\n            continue;\n        }"),
    (DECIDE, "         end <= filled;", "         (MUTANT(all-of-it) || end <= filled + (MUTANT(one-short) ? 4 : 0));"),
    (DECIDE, "&& is_apart(launch, entry) && __ipda_fills", "&& (MUTANT(overwritten-overlap) || is_apart(launch, entry)) && __ipda_fills"),
    (DECIDE, "    types[entry] = (types[entry] & ~FROM) | PRIVATE;", "    types[entry] = (types[entry] & ~FROM) | (MUTANT(without-copy) ? 0 : PRIVATE);"),
    (DECIDE, "launch->sizes[other] < 1 || (other_begin < end && begin < other_end))",
     "(!MUTANT(no-section) && launch->sizes[other] < 1) ||\n        (!MUTANT(overlap) && (MUTANT(same-begin) ? other_begin == begin : other_begin < end && begin < other_end)))"),
    (DECIDE, "    if (other == entry ||", "    if ((MUTANT(later-ones) ? other <= entry : other == entry) ||"),
    (DECIDE, "omp_target_is_present(begin, (int)device))\n      continue;",
     "(!MUTANT(present) && omp_target_is_present(begin, MUTANT(another-device) ? omp_get_default_device() : (int)device)))\n      continue;"),
    (DECIDE, "device >= usable - 1 || omp_get_level() > 0 || !(is_started(device) ||",
     "device >= usable - 1 || (!MUTANT(levels) && !MUTANT(nowait) && omp_get_level() > 0) || !(is_started(device) || MUTANT(not-started) ||"),
    (DECIDE, "launch->sizes[entry] <= LARGEST_PACKED ||", "launch->sizes[entry] <= (MUTANT(packed) ? 0 : LARGEST_PACKED) ||"),
]
MUTANT = re.compile(r"MUTANT\(([a-z-]+)\)")
MUTANTS = list(dict.fromkeys(name for _, _, new in PLACES for name in MUTANT.findall(new)))


def copy(repository, folder):
    """The sources, with all mutants in them."""
    listed = subprocess.run(["git", "-C", repository, "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    for path in listed:
        if path.startswith(("fuzz/", "test-inputs/", "docs/")):
            continue
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        shutil.copyfile(os.path.join(repository, path), os.path.join(folder, path))
    for file, old, new in PLACES:
        place = os.path.join(folder, file)
        with open(place) as read:
            text = read.read()
        if text.count(old) != 1:
            sys.exit(f"{old!r} is {text.count(old)} times in {file}: adapt its mutants")
        is_rust = file.endswith(".rs")
        asked = lambda found: f'std::env::var("IPDA_MUTANT").is_ok_and(|word| word == "{found[1]}")' if is_rust else f'is_mutant("{found[1]}")'
        with open(place, "w") as written:
            written.write(text.replace(old, MUTANT.sub(asked, new)))


def add_switch(folder):
    """What the mutants in C ask by."""
    place = os.path.join(folder, DECIDE)
    text = open(place).read()
    mark = "// Bits of a map type"
    switch = 'static inline bool is_mutant(const char *name) {\n  const char *word = getenv("IPDA_MUTANT");\n  return word && !strcasecmp(word, name);\n}\n\n'
    with open(place, "w") as written:
        written.write(text.replace(mark, switch + mark))


def campaign(plugin, llvm, folder, name):
    """How many programs were compared until some were wrong, and how many were."""
    sys.path.insert(0, HERE)
    import random_programs

    os.environ["IPDA_MUTANT"] = name
    sums = random_programs.Sums()
    for seed in range(1, FILES + 1):
        random_programs.one_file(plugin, llvm, folder, seed, random_programs.PROGRAMS, sums, is_reported=not name)
        if sums.wrong:
            break
    return sums


def main():
    repository, llvm, folder, *names = sys.argv[1:]
    plugin = os.path.join(folder, "target", "release", "libipda.so")
    copy(repository, folder)
    add_switch(folder)
    done = subprocess.run(["cargo", "build", "--release", "-q", "-p", "ipda"], cwd=folder, env={**os.environ, "CARGO_TARGET_DIR": os.path.join(folder, "target")})
    if done.returncode:
        return 1
    missed = []
    for name in names or [""] + MUTANTS:
        sums = campaign(plugin, llvm, os.path.join(folder, "programs"), name)
        print(f"{name or 'no mutant'}: {sums.wrong} wrong of {sums.compared} programs", flush=True)
        if bool(sums.wrong) != bool(name):
            missed.append(name)
    print(f"not as it should be: {', '.join(missed) or 'none'}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
