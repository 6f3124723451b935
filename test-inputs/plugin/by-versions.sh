#!/usr/bin/env bash
# by-versions.sh PLUGIN LIBRARIES PREFIX COMMAND...: builds a program for an offload target that is the host's processor, without the plugin and with it in
# several versions of its loops, and compares what the program prints. PREFIX begins the names of the results.
set -euo pipefail

plugin=$1 libraries=$2 prefix=$3
shift 3
export OMP_TARGET_OFFLOAD=MANDATORY IPDA_OFFLOAD=always
build() {
  "$@" -w -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -o "$prefix.program" "-L$libraries" "-Wl,-rpath,$libraries" -lm
}
build "$@"
"$prefix.program" > "$prefix.written"
for version in 1 2 lanes; do
  IPDA_TEST_HOST_SHAPES=1 IPDA_VERSION=$version build "$@" "-fpass-plugin=$plugin"
  "$prefix.program" > "$prefix.changed"
  cmp "$prefix.written" "$prefix.changed"
done
