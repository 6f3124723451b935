#!/bin/sh
# Compiles a program for the x86-64 offload target, whose device memory is apart, without the plugin and with it, and runs it under each
# policy: output and exit status must be the same. Prints what the compiler says of the launches, and where each launch ran under IPDA_OFFLOAD=never.
#
#   policies.sh PLUGIN LLVM RESULT SOURCE [FLAG...]
set -eu
plugin=$1 llvm=$2 result=$3 source=$4
shift 4
case $source in *.cpp) compiler=clang++ ;; *) compiler=clang ;; esac

compile() {
  "$llvm/bin/$compiler" -O2 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu "-Wl,-rpath,$llvm/lib" "$source" "$@"
}

run() {
  timeout 60 "$@" >"$result.printed" || echo "exit status $?" >>"$result.printed"
}

compile "$@" -o "$result.plain"
compile "$@" "-fpass-plugin=$plugin" -Rpass-analysis=ipda -Rpass-missed=ipda -o "$result" 2>"$result.remarks" ||
  { cat "$result.remarks"; exit 1; }
sed -n 's,^remark: .*/\([^/]*:[0-9]*:[0-9]*: \)\(each launch may\|its launches stay\),\1remark: \2,p' "$result.remarks"

run "$result.plain" 2>"$result.log"
mv "$result.printed" "$result.expected"
for policy in always model never; do
  export IPDA_OFFLOAD="$policy" IPDA_LOG=calls
  run "$result" 2>"$result.log"
  if ! diff "$result.expected" "$result.printed" >"$result.difference"; then
    echo "other results under $policy:"
    cat "$result.difference" "$result.log"
    exit 1
  fi
  if [ "$policy" != never ] && grep -q ': on the host\($\|;\)' "$result.log"; then
    echo "a launch ran on the host under $policy:"
    cat "$result.log"
    exit 1
  fi
done
echo 'under never:'
grep '^ipda: .*: on the ' "$result.log" || true
