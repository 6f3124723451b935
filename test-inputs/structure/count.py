#!/usr/bin/env python3
"""Figures about the sources of a commit: lines of each crate, long functions, repeated blocks, words of the documentation.

  count.py [COMMIT...]       of the working tree where none is named

Lines are those of `src` folders without blank ones, comments and unit tests. A function is as long as it is from its signature to its end. A block is
repeated if six lines or more, none of which is only punctuation, stand in two places of a crate; each place behind the first counts. Words have a letter
or a digit.
"""
import re
import subprocess
import sys

CRATES = ["symbolic", "hwdb", "measure", "models", "llvm", "pass", "executor", "rt", "cli"]
SHORTEST = 6
TOKEN = re.compile(r"""(//[^\n]*|/\*.*?\*/)|(r(#*)".*?"\3|"(?:\\.|[^"\\])*")|('(?:\\.[^']*|[^'\\])')""", re.S)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def files(commit):
    """Names and texts of the sources and pages."""
    names = run("git", "ls-tree", "-r", "--name-only", commit).split("\n") if commit else run("git", "ls-files").split("\n")
    is_wanted = re.compile(rf"({'|'.join(CRATES)})/src/.*\.rs|README\.md|docs/.*\.md").fullmatch
    for name in filter(is_wanted, names):
        try:
            yield name, run("git", "show", f"{commit}:{name}") if commit else open(name, encoding="utf-8").read()
        except FileNotFoundError:
            pass


def code(text):
    """Without comments and unit tests; strings keep their lines and lose their braces."""
    text = text.split("#[cfg(test)]\nmod tests")[0]

    def plain(match):
        if match[1]:
            return "\n" * match[1].count("\n")
        return re.sub(r"[{}]", "_", match[0])

    return TOKEN.sub(plain, text)


def lengths(text):
    """The lengths of the functions that have a body."""
    for match in re.finditer(r"^[ \t]*(?:pub(?:\([^)]*\))? |const |unsafe |async |extern \S+ )*fn \w+", text, re.M):
        depth, at = 0, match.end()
        while at < len(text) and (text[at] != ";" or depth):
            depth += {"{": 1, "(": 0}.get(text[at], 0) - (text[at] == "}")
            if text[at] == "}" and depth == 0:
                yield text[match.start() : at].count("\n") + 1
                break
            if text[at] == ";" and depth == 0:
                break
            at += 1


def repeated(texts):
    """How many blocks stand in more than one place."""
    lines = [line.strip() for text in texts for line in [*text.split("\n"), "\0"]]
    lines = [line for line in lines if re.search(r"\w|\0", line) and not line.startswith(("use ", "pub use "))]
    seen, count, last = {}, 0, -SHORTEST
    for at in range(len(lines) - SHORTEST + 1):
        block = tuple(lines[at : at + SHORTEST])
        if "\0" in block:
            continue
        before = seen.setdefault(block, at)
        if before + SHORTEST <= at:
            count += at > last + 1
            last = at
    return count


def words(texts):
    return sum(bool(re.search(r"\w", word)) for text in texts for word in text.split())


def figures(commit):
    all_files = dict(files(commit))
    sources = {crate: [code(text) for name, text in all_files.items() if name.startswith(f"{crate}/")] for crate in CRATES}
    rows = {f"lines of `{crate}`": sum(bool(line.strip()) for text in texts for line in text.split("\n")) for crate, texts in sources.items()}
    found = [length for texts in sources.values() for text in texts for length in lengths(text)]
    rows["functions"] = len(found)
    rows["functions over 60 lines"] = sum(length > 60 for length in found)
    rows["functions over 100 lines"] = sum(length > 100 for length in found)
    rows["repeated blocks of six lines or more"] = sum(repeated(texts) for texts in sources.values())
    pages = {name: text for name, text in all_files.items() if name.endswith(".md")}
    research = [text for name, text in pages.items() if name.startswith("docs/research/")]
    rows["words for users"] = words(pages.values()) - words(research)
    rows["words of research"] = words(research)
    return rows


def main(commits):
    columns = [figures(commit) for commit in commits or [None]]
    print("| | " + " | ".join(commits or ["now"]) + " |\n|---|" + "---:|" * len(columns))
    for row in columns[0]:
        print(f"| {row} | " + " | ".join(f"{column[row]:,}" for column in columns) + " |")


main(sys.argv[1:])
