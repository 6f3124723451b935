#!/bin/sh
# Runs a program as somebody else than its owner, with their rights and with its owner's, in an environment that names files and libraries.
#
#   more-rights.sh PROGRAM DRIVER LIBRARY CLANG LLVM-LIB SOURCE FLAGS
set -eu
driver=$2 library=$3 clang=$4 lib=$5 source=$6 flags=$7
# Where everybody may look into it.
folder=$(mktemp -d /tmp/ipda-XXXXXX)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir -m 777 "$folder/theirs"
cp "$library" "$folder/libipda_rt.so"
cp "$driver" "$folder/driver.so"
# shellcheck disable=SC2086 # several flags
"$clang" -O2 -g -w $flags "-Wl,-rpath,$lib" "-Wl,-rpath,$folder" "$source" -o "$folder/program" "$folder/libipda_rt.so"
chmod 755 "$folder"/*.so "$folder/program"

as_somebody() {
  env "$@" IPDA_LIBCUDA="$folder/driver.so" timeout 30 setpriv --reuid 65534 --regid 65534 --clear-groups "$folder/program" 2>&1
}

run() {
  echo "$1:"
  rm -f "$folder/theirs/learned.txt"
  as_somebody IPDA_OFFLOAD=never IPDA_LOG=calls
  # Where nothing is predicted there is nothing to learn, but the file is made.
  as_somebody IPDA_OFFLOAD=model IPDA_LEARN="$folder/theirs/learned.txt"
  if [ -e "$folder/theirs/learned.txt" ]; then echo "learned: yes"; else echo "learned: no"; fi
}

run "own rights"
chmod u+s "$folder/program"
run "more rights"
