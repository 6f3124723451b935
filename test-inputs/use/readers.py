#!/usr/bin/env python3
"""Reads what ipda writes as other programs do: YAML by PyYAML, which knows version 1.1 of the language alone.

  readers.py reports --clang CLANG --plugin LIBRARY INPUTS FOLDER   compiles inputs, both sides of each, with a report in the folder
  readers.py yaml FOLDER                                          reads all documents of a folder
  readers.py schema SCHEMA FOLDER                                 compares them with a JSON schema

What stands at a place has one type in all documents, be it a text, a number, a truth value, a list or a map: where a text that looks like
something else was written without quotes, it has two.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

import yaml

# Keys under which documents have names of their own choice: of classes of instructions, and of processors.
OF_NAMES = (".counts", ".cycles")
# Pairs of a name and a number.
PAIRS = ".by_class[]"
# The same in C where it is there.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
SIDES = ("--offload-device-only", "--offload-host-only")


def compile_all(clang, plugin, inputs, folder):
    sources = []
    for pattern in ("*.c", "*.cpp", "transform/*.c", "host/*.c", "reject/*.c", "use/*.c"):
        sources += sorted(glob.glob(os.path.join(inputs, pattern)))
    sources = sources[:: int(os.environ.get("EVERY", "1"))]

    def compile_one(job):
        number, source, side = job
        report = os.path.join(folder, f"{number}{side}.yaml")
        compiler = clang + ("++" if source.endswith(".cpp") else "")
        words = [compiler, "-O1", "-g", "-w", "-fopenmp", "--offload-arch=sm_90", "-nogpulib", side, "-S", "-emit-llvm"]
        words += ["-o", "/dev/null", f"-fpass-plugin={plugin}", source]
        # Some inputs need flags of their own, and have no report here.
        subprocess.run(words, env={**os.environ, "IPDA_REPORT": report}, capture_output=True, timeout=60)

    jobs = [(number, source, side) for number, source in enumerate(sources) for side in SIDES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, jobs))
    print(f"{len(glob.glob(os.path.join(folder, '*.yaml')))} reports")


def kind(value):
    return "number" if type(value) in (int, float) else type(value).__name__


def read(path, types):
    """Notes for each place which types its values have, and the first document in which each is found."""

    def visit(key, value):
        types.setdefault(key, {}).setdefault(kind(value), path)
        if isinstance(value, dict):
            for name, inner in value.items():
                if type(name) is not str:
                    sys.exit(f"{path}: the key {name!r} is no text")
                visit(f"{key}.{'*' if key.endswith(OF_NAMES) else name}", inner)
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                visit(f"{key}[{number if key.endswith(PAIRS) else ''}]", inner)

    with open(path, encoding="utf-8") as file:
        visit("", yaml.load(file, LOADER))


def check_all(folder):
    types = {}
    paths = sorted(glob.glob(os.path.join(folder, "*.yaml")))
    for path in paths:
        try:
            read(path, types)
        except yaml.YAMLError as error:
            sys.exit(f"{path}: {error}")
    bad = {key: found for key, found in types.items() if len(found) > 1}
    for key, found in bad.items():
        print(f"{key}: {', '.join(f'{name} in {path}' for name, path in found.items())}")
    print(f"{len(paths)} documents, {len(types)} places, {len(bad)} with several types")
    sys.exit(bool(bad))


def validate_all(schema, folder):
    import jsonschema  # not everywhere

    with open(schema, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    paths, bad = sorted(glob.glob(os.path.join(folder, "*.yaml"))), 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            error = next(validator.iter_errors(yaml.load(file, LOADER)), None)
        if error:
            bad += 1
            print(f"{path}: {error.json_path}: {error.message[:200]}")
    print(f"{len(paths)} documents, {bad} against the schema")
    sys.exit(bool(bad))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    of_reports = commands.add_parser("reports")
    of_reports.add_argument("--clang", required=True)
    of_reports.add_argument("--plugin", required=True)
    of_reports.add_argument("inputs")
    of_reports.add_argument("folder")
    commands.add_parser("yaml").add_argument("folder")
    of_schema = commands.add_parser("schema")
    of_schema.add_argument("schema")
    of_schema.add_argument("folder")
    arguments = parser.parse_args()
    if arguments.command == "schema":
        validate_all(arguments.schema, arguments.folder)
    if arguments.command == "yaml":
        check_all(arguments.folder)
    compile_all(arguments.clang, arguments.plugin, arguments.inputs, arguments.folder)
