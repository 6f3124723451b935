"""How lit runs the inputs of this folder: see "Substitutions" in CONTRIBUTING.md.

Parameters (lit --param NAME=VALUE), which scripts/test gives:
  llvm     the folder of LLVM 19
  release  the folder with libipda.so and the program ipda
  every    of which number of inputs tests of all inputs take one (5)
  cuda     a CUDA tree; inputs with `REQUIRES: cuda` are skipped without it
"""

import glob
import os
import re
import shutil
import subprocess

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
llvm = lit_config.params.get("llvm") or os.environ.get("LLVM_SYS_191_PREFIX") or "/usr/lib/llvm-19"
target = os.path.join(here, "..", os.environ.get("CARGO_TARGET_DIR", "target"))
release = os.path.abspath(lit_config.params.get("release") or os.path.join(target, "release"))
cuda = lit_config.params.get("cuda")

# lit hands only PATH and a few harmless variables down to the commands, so that no IPDA_ variable of the caller reaches them.
config.name = "ipda"
config.suffixes = [".c", ".cpp", ".cu", ".f90", ".hip", ".ll", ".test"]
config.test_format = lit.formats.ShTest()
config.test_source_root = here
config.test_exec_root = os.path.join(os.path.dirname(release), "lit")

plugin = os.path.join(release, "libipda.so")
if not os.path.exists(plugin):
    lit_config.fatal(f"there is no {plugin}: build it with `cargo build --release -p ipda -p ipda-cli`, or run scripts/test")

if cuda:
    config.available_features.add("cuda")
    config.substitutions.append(("%cuda-path", cuda))
    # clang looks there for nvlink.
    config.environment["PATH"] = os.pathsep.join((os.path.join(cuda, "bin"), config.environment["PATH"]))
# An opt of another LLVM: the plugin must refuse to work there.
other_opts = [path for path in glob.glob("/usr/lib/llvm-*/bin/opt") if not path.startswith("/usr/lib/llvm-19/")]
if other_opts:
    config.available_features.add("other-llvm")
    config.substitutions.append(("%other-opt", sorted(other_opts)[0]))
if glob.glob(os.path.join(llvm, "lib", "libomptarget-nvptx-*.bc")):
    config.available_features.add("libomp-device-bc")
# clang's instrumentation with GCC's library: Debian's clang has its own in another package. `setarch` gives addresses that it knows.
sanitizer = subprocess.run(["gcc", "-print-file-name=libtsan.so"], capture_output=True, text=True) if shutil.which("gcc") else None
if sanitizer and os.path.isabs(sanitizer.stdout.strip()) and subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0:
    config.available_features.add("thread-sanitizer")

# clang's own library, in Debian's libclang-rt-19-dev, and LLVM's tool that tells it what OpenMP's constructs order.
llvm_sanitizer = glob.glob(os.path.join(llvm, "lib", "clang", "*", "lib", "linux", "libclang_rt.tsan-x86_64.so"))
archer = os.path.join(llvm, "lib", "libarcher.so")
if "thread-sanitizer" in config.available_features and llvm_sanitizer and os.path.exists(archer):
    config.available_features.add("archer")
    config.substitutions.append(("%archer", archer))
    folder = os.path.dirname(llvm_sanitizer[0])
    config.substitutions.append(("%link-tsan", f"-Wl,--no-as-needed {llvm_sanitizer[0]} -Wl,-rpath,{folder}"))


def tool(name):
    return os.path.join(llvm, "bin", name)


if os.path.exists(tool("flang-new")):
    config.available_features.add("flang")


# Programs can be given more rights than whoever starts them.
if os.geteuid() == 0 and shutil.which("setpriv") and not os.statvfs("/tmp").f_flag & os.ST_NOSUID:
    config.available_features.add("set-user-id")


# No analysis of one input may take longer than this; a hang is a failure.
SECONDS = 60
# Launches of the executor end by themselves, after as many operations as they may take: of a thousand of them, on processors that others use, too.
EXECUTOR_SECONDS = 300

opt = f"timeout {SECONDS} {tool('opt')} -load-pass-plugin={plugin}"
analyse = f"{opt} -passes='print<ipda>' -disable-output 2>&1"
# The front end's output before any LLVM pass: where the plugin stands in the pipeline.
front_end = "-O2 -fopenmp -c -emit-llvm -Xclang -disable-llvm-passes -o -"
sides = {
    "device": "--offload-arch=sm_90 -nogpulib --offload-device-only",
    "host": "--offload-arch=sm_90 -nogpulib --offload-host-only",
    "amdgcn": "--offload-arch=gfx90a -nogpulib --offload-device-only",
    "x86device": "-fopenmp-targets=x86_64-pc-linux-gnu --offload-device-only",
}

# Tests that compile all inputs several times take every fifth; `--param every=1` takes each.
config.environment["EVERY"] = lit_config.params.get("every", "5")

# What a full build for NVIDIA's GPUs needs, whatever the architecture.
cuda_flags = f"--cuda-path={cuda} --libomptarget-nvptx-bc-path={os.path.join(llvm, 'lib')}"

substitutions = {
    "%clang": tool("clang"),
    "%clang++": tool("clang++"),
    "%flang": tool("flang-new"),
    "%opt": opt,
    "%analyse": analyse,
    "%plugin": plugin,
    "%load": f"-fpass-plugin={plugin}",
    "%remarks": "-Rpass-analysis=ipda -Rpass-missed=ipda",
    "%nvptx": f"-fopenmp --offload-arch=sm_90 {cuda_flags}",
    "%nvptx-two": f"-fopenmp --offload-arch=sm_80,sm_90 {cuda_flags}",
    "%nvptx-and-x86": "-fopenmp -fopenmp-targets=nvptx64-nvidia-cuda,x86_64-pc-linux-gnu"
    f" -Xopenmp-target=nvptx64-nvidia-cuda -march=sm_90 {cuda_flags}",
    "%x86-offload": "-fopenmp -fopenmp-targets=x86_64-pc-linux-gnu",
    "%same-result": f"{os.path.join(here, 'plugin', 'same-result.sh')} {plugin} %t",
    # This file under each policy of the decision, with the x86-64 target; flags may follow.
    "%policies": f"{os.path.join(here, 'decide', 'policies.sh')} {plugin} {llvm} %t %s",
    # This file without the plugin, with it and with IPDA_MAPS=off, on the x86-64 target; flags may follow.
    "%copied": f"{os.path.join(here, 'maps', 'copied.sh')} {plugin} {llvm} %t %s",
    # With the decision's code as functions, which a sanitizer can look at.
    "%support-as-ir": f"{os.path.join(here, 'decide', 'support_as_ir.py')} {llvm}",
    "%same-code": f"{os.path.join(here, 'plugin', 'same-code.sh')} {plugin} {tool('llvm-objcopy')} %t",
    # Dependences of what comes from standard input; of functions that hold no region.
    "%dependences": f"{opt} -passes='print<ipda-ddg>' -disable-output 2>&1",
    "%c-dependences": f"{tool('clang')} -O2 -g -c -emit-llvm -Xclang -disable-llvm-passes -o - %s | {opt} -passes='print<ipda-ddg>'"
    " -disable-output 2>&1",
    "%ipda": os.path.join(release, "ipda"),
    "%ipda-rt": os.path.join(release, "libipda_rt.so"),
    "%ipda-trace": f"timeout {EXECUTOR_SECONDS} {os.path.join(release, 'ipda-trace')}",
    "%ipda-oracle": f"timeout {EXECUTOR_SECONDS} {os.path.join(release, 'ipda-oracle')}",
    # The arguments in an input's comments, as the file that ipda-trace takes.
    "%arguments": "sed -n 's,^// ARGS: ,,p' %s",
    "%FileCheck": tool("FileCheck"),
    "%not": tool("not"),
    "%objcopy": tool("llvm-objcopy"),
    "%size": tool("llvm-size"),
    "%dwarfdump": tool("llvm-dwarfdump"),
    "%llvm-lib": os.path.join(llvm, "lib"),
}
# Under -g clang gives optimised NVPTX code line numbers only; variables take a word to its inner front end.
debug_flags = {"device": " -g -Xclang -debug-info-kind=constructor"}
for suffix, compiler in (("", tool("clang")), ("++", tool("clang++"))):
    for side, flags in sides.items():
        for nog, debug in (("", debug_flags.get(side, " -g")), ("-nog", "")):
            compile_only = f"{compiler} {front_end}{debug} {flags}"
            substitutions[f"%compile-{side}{nog}{suffix}"] = compile_only
            substitutions[f"%{side}{nog}{suffix}"] = f"{compile_only} %s | {analyse}"
    # What stands behind the device's optimisation, without the device runtime's bodies, or with them linked in.
    optimised = f"{compiler} -O2 -fopenmp -c -emit-llvm -o - -w -g -Xclang -debug-info-kind=constructor {sides['device']}"
    substitutions[f"%optimise-device{suffix}"] = optimised
    linked_in = os.path.join(llvm, "lib", "libomptarget-nvptx-sm_90.bc")
    substitutions[f"%optimise-device-with-runtime{suffix}"] = f"{optimised} -Xclang -mlink-builtin-bitcode -Xclang {linked_in}"
    # The whole device pipeline with the plugin in it, without the device runtime's bodies and so without a CUDA tree.
    substitutions[f"%clang-device{suffix}"] = (
        f"{compiler} -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only -S -fpass-plugin={plugin}"
    )

# PTX with the device runtime's bodies in it, which show that pointers lead to global memory.
for processor in ("75", "80", "90"):
    runtime = os.path.join(llvm, "lib", f"libomptarget-nvptx-sm_{processor}.bc")
    substitutions[f"%ptx-with-runtime-{processor}"] = (
        f"{tool('clang')} -O2 -fopenmp --offload-arch=sm_{processor} -nogpulib --offload-device-only -S -w -o -"
        f" -fpass-plugin={plugin} -Xclang -mlink-builtin-bitcode -Xclang {runtime} 2>/dev/null"
    )

# Kernels of other languages, without their headers: device code for one architecture.
kernels = "-O2 -g -c -emit-llvm -Xclang -disable-llvm-passes -o - --cuda-device-only"
languages = {
    "cuda": f"-x cuda --offload-arch=sm_90 -nocudainc -nocudalib{debug_flags['device']}",
    "hip": "-x hip --offload-arch=gfx90a -nogpuinc -nogpulib",
}
for language, flags in languages.items():
    compile_only = f"{tool('clang++')} {kernels} {flags}"
    substitutions[f"%compile-{language}"] = compile_only
    substitutions[f"%{language}"] = f"{compile_only} %s | {analyse}"

for name, command in substitutions.items():
    # A whole word: `%device` is not the beginning of `%device-nog`.
    config.substitutions.append((re.escape(name) + r"(?![\w+-])", command))
