#!/usr/bin/env python3
"""Runs the examples of a page of the documentation as a reader would, and compares what is printed with what the page shows.

  examples.py PAGE FOLDER [--bin FOLDER] [--bless]

A block below a comment `<!-- file: NAME -->` is written to that file. Of each block ```console, lines that begin with `$ ` are typed, one after
the other, into one shell in FOLDER; the others are what must be printed. A line `...` stands for any lines. What differs from machine
to machine is left out on both sides. --bless writes into the page what was printed, but for blocks with `...`.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys

FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```", re.M | re.S)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
SECONDS = 300
# How many registers ptxas takes is its own affair, as are messages about the machine's PATH.
OWN = [(re.compile(r"\b\d+ registers"), "N registers")]


def commands(block):
    """The commands of a block, each with the lines below it."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return found


def run(typed, folder, environment):
    """What each command prints on both channels, with its status where that is not 0."""
    script = "exec 2>&1\n"
    for command in typed:
        script += f"{{ {command}\n}}\nstatus=$?; [ $status = 0 ] || echo \"? $status\"; printf '\\036'\n"
    shell = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
    printed = shell.stdout.split("\036")[:-1]
    if len(printed) != len(typed):
        sys.exit(f"the shell ended early: {shell.stdout}{shell.stderr}")
    return [text.splitlines() for text in printed]


def tidy(lines):
    lines = [line.rstrip() for line in lines]
    for pattern, text in OWN:
        lines = [pattern.sub(text, line) for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def fits(shown, printed):
    """Whether the printed lines are those shown, in which `...` is any number of lines."""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", help="a folder before PATH")
    parser.add_argument("--bless", action="store_true")
    arguments = parser.parse_args()
    environment = dict(os.environ)
    if arguments.bin:
        environment["PATH"] = os.pathsep.join((arguments.bin, environment["PATH"]))
    text = arguments.page.read_text()
    for name, content in FILE.findall(text):
        (arguments.folder / name).write_text(content)
    blocks = [commands(block) for block in CONSOLE.findall(text)]
    typed = [command for block in blocks for command, _ in block]
    if not typed:
        sys.exit(f"{arguments.page} has no examples")
    printed = iter(run(typed, arguments.folder, environment))
    failed = 0
    new = []
    for block in blocks:
        lines = []
        for command, shown in block:
            found = next(printed)
            if not fits(tidy(shown), tidy(found)):
                failed += 1
                if "..." in shown or not arguments.bless:
                    print(f"$ {command}")
                    print("\n".join(difflib.unified_diff(tidy(shown), tidy(found), "shown", "printed", lineterm="")))
                else:
                    shown = [line.rstrip() for line in found]
            lines += [f"$ {command}", *shown]
        new.append("```console\n" + "\n".join(lines).rstrip("\n") + "\n```")
    if arguments.bless:
        blocks = iter(new)
        arguments.page.write_text(CONSOLE.sub(lambda _: next(blocks), text))
    elif failed:
        sys.exit(f"{failed} of {len(typed)} examples of {arguments.page} print something else")
    else:
        print(f"{len(typed)} examples print what {arguments.page.name} shows")


main()
