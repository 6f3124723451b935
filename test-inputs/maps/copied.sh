#!/bin/sh
# Compiles a program for the x86-64 offload target without the plugin, with it, and with IPDA_MAPS=off, and runs all three: output and exit status must
# be the same. Prints the remarks on maps, and what launches copied, as the program tells on standard error (copied.inc), without the plugin and with it.
#
#   copied.sh PLUGIN LLVM RESULT SOURCE [FLAG...]
set -eu
plugin=$1 llvm=$2 result=$3 source=$4
shift 4
case $source in *.cpp) compiler=clang++ ;; *) compiler=clang ;; esac

compile() {
  "$llvm/bin/$compiler" -O2 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu "-Wl,-rpath,$llvm/lib" "$source" "$@"
}

# run NAME: leaves what the program NAME printed.
run() {
  timeout 60 "$1" >"$1.printed" 2>"$1.copied" || echo "exit status $?" >>"$1.printed"
}

compile "$@" -o "$result.plain"
compile "$@" "-fpass-plugin=$plugin" -Rpass=ipda -o "$result.with" 2>"$result.remarks" || { cat "$result.remarks"; exit 1; }
IPDA_MAPS=off compile "$@" "-fpass-plugin=$plugin" -o "$result.off"
sed -n 's,^remark: .*/\([^/]*:[0-9]*:[0-9]*: \)\(.*\[NotCopied[A-Z][a-z]*\]\).*,\1remark: \2,p' "$result.remarks"
# Each launch where it is written to run.
export IPDA_OFFLOAD=always
for name in plain with off; do
  run "$result.$name"
  if ! diff "$result.plain.printed" "$result.$name.printed" >"$result.difference"; then
    echo "other results $name:"
    cat "$result.difference" "$result.$name.copied"
    exit 1
  fi
done
if ! diff "$result.plain.copied" "$result.off.copied"; then
  echo 'other copies with IPDA_MAPS=off'
  exit 1
fi
cat "$result.plain.printed"
echo 'without:'
cat "$result.plain.copied"
echo 'with:'
cat "$result.with.copied"
