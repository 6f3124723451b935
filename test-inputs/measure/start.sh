#!/usr/bin/env bash
# Runs a program of the folder bin beside this script, with the libraries of lib: start PROGRAM [ARGUMENT...]
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
program=$here/bin/$1
shift
# EPOCHREALTIME with a point.
export LC_ALL=C
# NVIDIA's driver is no part of the bundle. Containers and WSL have it at places of their own.
libraries=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:/usr/local/nvidia/lib64:/usr/lib/wsl/lib

# Not for this shell, whose glibc may be older than the library.
[[ -z ${MEASURE_PRELOAD:-} ]] || export LD_PRELOAD=$MEASURE_PRELOAD
# The system's glibc serves where it is new enough, else the bundle's.
if [[ ! -d $here/glibc ]] || LD_LIBRARY_PATH=$libraries "$here/bin/probe" 2>/dev/null; then
  export LD_LIBRARY_PATH=$libraries
  export MEASURE_STARTED=$EPOCHREALTIME
  exec "$program" "$@"
fi
export MEASURE_STARTED=$EPOCHREALTIME
exec "$here/glibc/ld-linux-x86-64.so.2" --library-path "$here/lib:$here/glibc:$libraries" "$program" "$@"
