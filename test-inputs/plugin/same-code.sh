#!/usr/bin/env bash
# same-code.sh PLUGIN OBJCOPY FOLDER COMMAND...: runs a command that compiles for host and device, without and with the plugin, and
# compares the host's object but for the embedded device object, and the device's assembly but for the constants that the
# device side plants for the host side: facts, counts of instructions, and where somebody reads it its report. There is one of each at most.
# Launches do not decide, and copy as their clauses say.
set -euo pipefail
export IPDA_DECISION=off IPDA_MAPS=off

plugin=$1 objcopy=$2 folder=$3
shift 3

# compile NAME COMMAND...: leaves host.o and device.s in the folder NAME.
compile() {
  local name=$1
  shift
  mkdir -p "$folder/build"
  "$@" -save-temps=obj -o "$folder/build/object.o"
  "$objcopy" --remove-section=.llvm.offloading "$folder/build/object.o" "$folder/build/host.o"
  mv "$folder"/build/*-openmp-*.s "$folder/build/device.s"
  mv "$folder/build" "$folder/$name"
}

rm -rf "$folder"
compile without "$@" 2>/dev/null
compile with "$@" "-fpass-plugin=$plugin"
cmp "$folder/without/host.o" "$folder/with/host.o"
facts='^\.weak \.global .* __ipda_(facts|instructions|report)_'
count=$(grep -cE "$facts" "$folder/with/device.s")
test "$count" -ge 1 -a "$count" -le 3
for name in without with; do
  # LLVM writes a module's variables in an order that depends on their addresses in the compiler's memory.
  {
    grep -vE "$facts" "$folder/$name/device.s" | grep '^\..* \.global ' | sort
    grep -v '^\..* \.global \|^$' "$folder/$name/device.s"
  } >"$folder/$name/code.s"
done
cmp "$folder/without/code.s" "$folder/with/code.s"
